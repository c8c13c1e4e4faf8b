package param

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds how deep a deepObject goes.
const maxDepth = 32

// Raw is a parameter as it came, with the layout in which to read it. The zero
// Raw is absent.
type Raw struct {
	place   place
	style   Style
	part    bool   // an item or member of a layout that is split already
	name    string // of the parameter
	n       int    // how often it is given
	text    string // its value, the first one
	several []pair // its values when there are more
	pairs   *Pairs // where members of objects are looked for
	key     string // of DeepObject: name[a][b], decoded
	member  bool   // a pair of its own in an exploded object, which nests no further
	depth   int
}

// Absent reports whether the parameter is certainly not there. Of an object
// laid out as form with explode only its members can tell.
func (r Raw) Absent() bool {
	switch {
	case r.n > 0:
		return false
	case r.pairs == nil || r.member:
		return true
	case r.style.has(DeepObject):
		return len(r.pairs.below(r.key+"[")) == 0
	}
	return !r.style.has(Explode)
}

// PathRaw is a path parameter: text is what stands at its place, still
// escaped.
func PathRaw(name, text string, style Style) Raw {
	r := Raw{place: inPath, style: style.layout(inPath), name: name, text: text, n: 1}
	if text == "" {
		r.n = 0
	}
	return r
}

// HeaderRaw is a header's parameter: lines are the values of the header, which
// HTTP lets anyone join by commas.
func HeaderRaw(lines []string, style Style) Raw {
	r := Raw{place: inHeader, style: style.layout(inHeader), n: 1}
	switch len(lines) {
	case 0:
		return Raw{}
	case 1:
		r.text = lines[0]
	default:
		r.text = strings.Join(lines, ",")
	}
	return r
}

// TextRaw is a scalar that is not escaped, such as a part of a multipart body.
func TextRaw(text string) Raw { return Raw{place: inText, part: true, text: text, n: 1} }

// Text is the decoded text of a scalar.
func (r Raw) Text() (string, error) {
	if r.n == 0 {
		if r.style.has(DeepObject) && r.pairs != nil && len(r.pairs.below(r.key+"[")) > 0 {
			return "", fail("type", "must be a single value, not an object or list")
		}
		return "", ErrAbsent
	}
	if r.n > 1 {
		return "", fail("style", "is given more than once")
	}
	text, err := r.stripped()
	if err != nil {
		return "", err
	}
	return r.decode(text)
}

// typed is Text for types that an empty text is no value of.
func (r Raw) typed() (string, error) {
	text, err := r.Text()
	if err == nil && text == "" && r.style.has(AllowEmpty) {
		return "", ErrAbsent
	}
	return text, err
}

// decode is a piece of the raw text in clear.
func (r Raw) decode(text string) (string, error) {
	switch r.place {
	case inHeader:
		return strings.Trim(text, " \t"), nil
	case inCookie, inText:
		return text, nil
	case inPath:
		return unescape(text, false)
	}
	return unescape(text, true)
}

// stripped is the raw text without the prefix of a path style.
func (r Raw) stripped() (string, error) {
	prefix := ""
	switch {
	case r.part:
	case r.style.has(Label):
		prefix = "."
	case r.style.has(Matrix):
		return r.strippedMatrix()
	}
	rest, ok := strings.CutPrefix(r.text, prefix)
	if !ok {
		return "", fail("style", "must begin with \".\"")
	}
	return rest, nil
}

func (r Raw) strippedMatrix() (string, error) {
	rest, ok := strings.CutPrefix(r.text, ";")
	if !ok {
		return "", r.matrixError()
	}
	return r.matrixValue(rest)
}

// matrixValue is the value of name=value.
func (r Raw) matrixValue(text string) (string, error) {
	name, value, _ := strings.Cut(text, "=")
	if name, err := unescape(name, false); err == nil && name == r.name {
		return value, nil
	}
	return "", r.matrixError()
}

func (r Raw) matrixError() error { return fail("style", "must begin with \";"+r.name+"=\"") }

// List are the items of a list, each without a layout of its own unless the
// style is DeepObject.
func (r Raw) List() ([]Raw, error) {
	if r.style.has(DeepObject) && !r.part {
		return r.deepList()
	}
	if r.n == 0 {
		return nil, ErrAbsent
	}
	if r.part && r.place != inText {
		return nil, fail("style", "is nested in a way that the style has no form for")
	}
	if r.part {
		return []Raw{r}, nil
	}
	if r.pairs != nil && r.style.has(Explode) {
		items := make([]Raw, r.n)
		for i := range items {
			items[i] = r.item(r.text)
			if r.several != nil {
				items[i].text = r.several[i].raw
			}
		}
		return items, nil
	}
	pieces, err := r.pieces()
	if err != nil {
		return nil, err
	}
	items := make([]Raw, 0, len(pieces))
	for _, piece := range pieces {
		if r.style.has(Matrix) && r.style.has(Explode) {
			if piece, err = r.matrixValue(piece); err != nil {
				return nil, err
			}
		}
		// RFC 9110, 5.6.1.2: empty elements of a header's list do not count.
		if r.place == inHeader && strings.Trim(piece, " \t") == "" {
			continue
		}
		items = append(items, r.item(piece))
	}
	if len(items) == 0 {
		return nil, ErrAbsent
	}
	return items, nil
}

func (r Raw) item(text string) Raw {
	return Raw{place: r.place, style: r.style &^ DeepObject, part: true, name: r.name, text: text, n: 1, depth: r.depth + 1}
}

// pieces splits the raw text at the delimiters of the style, before anything
// is decoded.
func (r Raw) pieces() ([]string, error) {
	if r.n > 1 {
		return nil, fail("style", "is given more than once")
	}
	if r.style.has(Matrix) && r.style.has(Explode) {
		return r.matrixPieces()
	}
	text, err := r.stripped()
	if err != nil {
		return nil, err
	}
	switch {
	case r.style.has(Label) && r.style.has(Explode):
		return strings.Split(text, "."), nil
	case r.style.has(SpaceDelimited):
		return splitSpaces(text), nil
	case r.style.has(PipeDelimited):
		text = strings.ReplaceAll(strings.ReplaceAll(text, "%7C", "|"), "%7c", "|")
		return strings.Split(text, "|"), nil
	}
	return strings.Split(text, ","), nil
}

// matrixPieces are the values of ;id=3;id=4, or the pairs of ;a=1;b=2.
func (r Raw) matrixPieces() ([]string, error) {
	rest, ok := strings.CutPrefix(r.text, ";")
	if !ok {
		return nil, fail("style", "must begin with \";\"")
	}
	return strings.Split(rest, ";"), nil
}

// splitSpaces splits at %20 and at +, the two forms of a space in a query.
func splitSpaces(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "%20", " "), "+", " "), " ")
}

// deepList are the items of name[0], name[1], of name[] or of a repeated name.
func (r Raw) deepList() ([]Raw, error) {
	if r.depth >= maxDepth {
		return nil, fail("style", "is nested too deeply")
	}
	var items []Raw
	one := r.item("")
	for _, e := range r.pairs.named(r.key) {
		one.text = e.raw
		items = append(items, one)
	}
	children := r.children()
	var indexed []deepItem
	for _, name := range children {
		if name == "" {
			for _, e := range r.pairs.named(r.key + "[]") {
				one.text = e.raw
				items = append(items, one)
			}
			continue
		}
		index, ok := listIndex(name)
		if !ok {
			return nil, fail("type", "must be a list, as name[0]=value")
		}
		indexed = append(indexed, deepItem{index, r.child(name)})
	}
	if len(items) == 0 && len(indexed) == 0 {
		if len(r.pairs.below(r.key+"[")) > 0 {
			return nil, fail("type", "must be a list, as name[0]=value")
		}
		return nil, ErrAbsent
	}
	slices.SortStableFunc(indexed, func(a, b deepItem) int { return cmp.Compare(a.index, b.index) })
	for _, e := range indexed {
		items = append(items, e.raw)
	}
	return items, nil
}

type deepItem struct {
	index int
	raw   Raw
}

// listIndex is the index that a member's name stands for.
func listIndex(name string) (int, bool) {
	n, err := strconv.ParseUint(name, 10, 31)
	return int(n), err == nil && (name == "0" || name[0] != '0')
}

// children are the names of the members below a deepObject's key, each once.
func (r Raw) children() []string {
	if r.pairs == nil {
		return nil
	}
	prefix := r.key + "["
	var names []string
	for _, e := range r.pairs.below(prefix) {
		name, rest, ok := strings.Cut(e.name[len(prefix):], "]")
		if !ok || rest != "" && rest[0] != '[' {
			continue
		}
		if n := len(names); n == 0 || names[n-1] != name {
			names = append(names, name)
		}
	}
	// a[x] and a[x][y] may have a[x-z] between them.
	slices.Sort(names)
	return slices.Compact(names)
}

// child is the member of a deepObject.
func (r Raw) child(name string) Raw {
	key := r.key + "[" + name + "]"
	c := Raw{place: r.place, style: r.style, name: r.name, pairs: r.pairs, key: key, depth: r.depth + 1}
	return c.with(r.pairs.named(key))
}

type shape uint8

const (
	textShape shape = iota
	listShape
	objectShape
)

// shape is what an untyped value looks like.
func (r Raw) shape() shape {
	if !r.style.has(DeepObject) {
		if r.n > 1 && r.style.has(Explode) {
			return listShape
		}
		return textShape
	}
	children := r.children()
	if len(children) == 0 {
		if r.n > 1 {
			return listShape
		}
		return textShape
	}
	for _, name := range children {
		if _, ok := listIndex(name); !ok && name != "" {
			return objectShape
		}
	}
	return listShape
}
