package param

import "strconv"

// writer lays one value out. The first error sticks.
type writer struct {
	dst    []byte
	err    error
	name   string
	style  Style
	esc    escaper
	key    []byte // of DeepObject: name[a][b], escaped
	value0 int    // where the value begins, behind a path style's prefix
	opened bool
}

func newWriter(place place, name string, style Style) writer {
	style = style.layout(place)
	return writer{name: name, style: style, esc: escaper{place: place, reserved: style.has(AllowReserved)}}
}

// end returns what was written, and dst as it was where that failed.
func (w *writer) end(start int) ([]byte, error) {
	if w.err != nil {
		return w.dst[:start], w.err
	}
	return w.dst, nil
}

// pathEnd is end for a path.
func (w *writer) pathEnd(start int) ([]byte, error) {
	if w.err == nil && len(w.dst) == max(start, w.value0) {
		w.err = fail("required", "must not be empty, for it is part of the path")
	}
	if w.err == nil {
		w.escapeDots(max(start, w.value0))
	}
	return w.end(start)
}

// escapeDots escapes each "." and ".." between slashes.
func (w *writer) escapeDots(start int) {
	dots := 0
	for i := start; i <= len(w.dst); i++ {
		if i < len(w.dst) && w.dst[i] == '.' && dots >= 0 {
			dots++
			continue
		}
		if i < len(w.dst) && w.dst[i] != '/' {
			dots = -1
			continue
		}
		if dots == 1 || dots == 2 {
			tail := string(w.dst[i:])
			w.dst = append(w.dst[:i-dots], "%2E%2E"[:3*dots]...)
			i = len(w.dst)
			w.dst = append(w.dst, tail...)
		}
		dots = 0
	}
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// value writes any value.
func (w *writer) value(v Value) {
	switch {
	case w.style.has(DeepObject):
		w.deepStart()
		w.deep(v)
	case v.kind == listValue:
		n := 0
		for i := range v.sub {
			if item := v.sub[i].Value; item.kind != noValue {
				w.item(n, item)
				n++
			}
		}
	case v.kind == objectValue:
		n := 0
		for i := range v.sub {
			if m := &v.sub[i]; !m.Value.Absent() {
				w.member(n, m.Name, m.Value)
				n++
			}
		}
	case v.kind != noValue:
		w.open()
		if w.style.has(Matrix) {
			w.esc.split = ";"
		}
		w.scalar(v)
	}
}

// open writes what stands before the value: a separator, the name, a prefix.
func (w *writer) open() {
	switch {
	case w.style.has(Label):
		w.dst = append(w.dst, '.')
	case w.style.has(Matrix):
		w.dst = append(w.dst, ';')
		w.escapeName(w.name)
		w.dst = append(w.dst, '=')
	case w.style.has(Form | SpaceDelimited | PipeDelimited):
		w.separate()
		w.escapeName(w.name)
		w.dst = append(w.dst, '=')
	}
	if !w.opened {
		w.opened, w.value0 = true, len(w.dst)
	}
}

// separate writes what stands between two pairs.
func (w *writer) separate() {
	if len(w.dst) == 0 {
		return
	}
	if w.esc.place == inCookie {
		w.dst = append(w.dst, "; "...)
		return
	}
	w.dst = append(w.dst, '&')
}

// escapeName writes a name; nothing in it may be taken for a delimiter.
func (w *writer) escapeName(name string) {
	e := escaper{place: w.esc.place}
	switch e.place {
	case inCookie:
		e.split = "=, "
	case inHeader:
		e.split = "=,"
	}
	dst, err := appendItem(e, w.dst, name)
	w.dst = dst
	w.fail(err)
}

// scalar writes one text. Numbers and the like need no escapes.
func (w *writer) scalar(v Value) {
	if w.err != nil {
		return
	}
	switch v.kind {
	case textValue:
		w.refuseDelimiter(v.text)
		if w.err == nil {
			w.dst, w.err = appendItem(w.esc, w.dst, v.text)
		}
	case intValue, uintValue, boolValue, uuidValue:
		w.dst, w.err = v.appendScalar(w.dst)
	default:
		var room [64]byte
		text, err := v.appendScalar(room[:0])
		if err != nil {
			w.err = err
			return
		}
		w.dst, w.err = appendItem(w.esc, w.dst, text)
	}
}

// refuseDelimiter: on the wire a space or bar in an item looks like the one
// between two items, escaped or not.
func (w *writer) refuseDelimiter(text string) {
	c := byte('|')
	switch {
	case w.style.has(SpaceDelimited):
		c = ' '
	case !w.style.has(PipeDelimited):
		return
	}
	if w.esc.split == "" {
		return // a scalar, which nobody splits
	}
	for i := range len(text) {
		if text[i] == c {
			w.fail(fail("style", "holds the delimiter of its items, which cannot be told apart"))
			return
		}
	}
}

// item writes the i-th item of a list.
func (w *writer) item(i int, v Value) {
	explode := w.style.has(Explode)
	switch {
	case w.style.has(DeepObject):
		if i == 0 && len(w.key) == 0 {
			w.deepStart()
		}
		w.deepIndex(i, v)
		return
	case w.style.has(Form) && explode:
		w.esc.split = ""
		w.open()
	case w.style.has(Matrix) && explode:
		w.esc.split = ";"
		w.open()
	case w.style.has(Label) && explode:
		w.esc.split = "."
		w.open()
	case i == 0:
		w.open()
		w.esc.split = w.delimiterChar()
	default:
		w.delimit()
	}
	start := len(w.dst)
	w.scalar(v)
	w.refuseEmpty(start)
}

// refuseEmpty: an empty label would make a segment of dots, and readers of a
// header skip an empty item.
func (w *writer) refuseEmpty(start int) {
	if len(w.dst) == start && (w.style.has(Label) || w.esc.place == inHeader) {
		w.fail(fail("style", "has an empty item, for which the style has no form"))
	}
}

// delimit writes what stands between two items.
func (w *writer) delimit() {
	switch {
	case w.style.has(SpaceDelimited) && w.esc.place == inForm:
		w.dst = append(w.dst, '+')
	case w.style.has(SpaceDelimited):
		w.dst = append(w.dst, "%20"...)
	case w.style.has(PipeDelimited):
		w.dst = append(w.dst, "%7C"...)
	default:
		w.dst = append(w.dst, ',')
	}
}

func (w *writer) delimiterChar() string {
	switch {
	case w.style.has(SpaceDelimited):
		return " "
	case w.style.has(PipeDelimited):
		return "|"
	}
	return ","
}

// member writes the i-th member of an object.
func (w *writer) member(i int, name string, v Value) {
	explode := w.style.has(Explode)
	switch {
	case w.style.has(Form) && explode:
		// A member stands on its own, so a list in it has a form as well.
		inner := newWriter(w.esc.place, name, w.style)
		inner.dst = w.dst
		if v.kind == objectValue {
			w.fail(fail("style", "holds an object in an object, for which only deepObject has a form"))
			return
		}
		inner.value(v)
		w.dst = inner.dst
		w.fail(inner.err)
		return
	case w.style.has(Matrix) && explode:
		w.dst = append(w.dst, ';')
		w.esc.split = ";"
		w.pair(name, v)
		return
	case w.style.has(Label) && explode:
		w.dst = append(w.dst, '.')
		w.esc.split = "."
		w.pair(name, v)
		return
	case i == 0:
		w.open()
		w.esc.split = w.delimiterChar()
	default:
		w.delimit()
	}
	if explode {
		w.pair(name, v)
		return
	}
	w.scalar(TextValue(name))
	w.delimit()
	w.scalar(v)
}

// pair writes name=value; in the name an equals sign would split as well.
func (w *writer) pair(name string, v Value) {
	split := w.esc.split
	w.esc.split = "=" + split
	w.scalar(TextValue(name))
	w.esc.split = split
	w.dst = append(w.dst, '=')
	w.scalar(v)
}

func (w *writer) deepStart() {
	w.key = appendEscaped(escaper{place: w.esc.place}, w.key[:0], w.name)
}

// deep writes a value under the key that is there.
func (w *writer) deep(v Value) {
	switch v.kind {
	case noValue:
	case listValue:
		n := 0
		for i := range v.sub {
			if item := v.sub[i].Value; item.kind != noValue {
				w.deepIndex(n, item)
				n++
			}
		}
	case objectValue:
		for i := range v.sub {
			w.deepMember(v.sub[i].Name, v.sub[i].Value)
		}
	default:
		w.separate()
		w.dst = append(append(w.dst, w.key...), '=')
		w.scalar(v)
	}
}

func (w *writer) deepIndex(i int, v Value) {
	n := len(w.key)
	w.key = append(strconv.AppendInt(append(w.key, "%5B"...), int64(i), 10), "%5D"...)
	w.deep(v)
	w.key = w.key[:n]
}

func (w *writer) deepMember(name string, v Value) {
	if v.Absent() {
		return
	}
	if name == "" {
		w.fail(fail("style", "has a member without a name, for which deepObject has no form"))
	}
	for i := range len(name) {
		if name[i] == '[' || name[i] == ']' {
			w.fail(fail("style", "has a member whose name holds a bracket, for which deepObject has no form"))
		}
	}
	n := len(w.key)
	w.key = append(appendEscaped(escaper{place: w.esc.place}, append(w.key, "%5B"...), name), "%5D"...)
	w.deep(v)
	w.key = w.key[:n]
}
