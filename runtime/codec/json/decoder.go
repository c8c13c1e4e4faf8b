package json

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/check/schema"
)

// An Unmarshaler reads itself from a Decoder that stands at a value.
type Unmarshaler interface{ DecodeJSON(d *Decoder) }

// A Decoder reads one JSON text. Its methods read the value at which it stands
// and move behind it; what does not fit is noted, skipped and read as the zero
// value. After a syntax error every method returns at once. The zero Decoder
// stands at an empty text; NewDecoder makes one for a text. Not for concurrent
// use, and not to be copied.
//
// A Decoder has a method String that reads a string: do not print one.
type Decoder struct {
	src   string
	pos   int // at the first byte of a value, or behind one
	start int // of the value that was read last
	key   string
	err   error
	mode  Mode
	first bool // behind the bracket that opened the container
	loop  loopState

	frames []frame
	keys   []string // names seen in the open objects, where strict
	found  []finding
	trials int // open trials of unions
	work   int // bytes read in trials
	// aborted is where the last trial was given up.
	aborted int

	rules schema.Text // src, once a schema has been checked on it
	held  bool        // one has
	whole int         // the end of a value that was held to the whole of its schema

	room [16]frame // frames' first storage
}

// loopState carries a container of the wrong kind from Object or Array to the
// end of the loop over it.
type loopState uint8

const (
	loopOn      loopState = iota
	loopRefused           // NextKey and NextItem have to say false
	loopOver              // they did: nothing is missing in what is no object
)

// frame is an open array or object.
type frame struct {
	start    int
	index    int                 // of the array's item
	value    int                 // where the value of the object's member begins
	keys     int                 // where the object's names begin in Decoder.keys
	mask     uint64              // hashes of its names
	set      map[string]struct{} // its names, once they are many
	required *Required           // members that it must have
	seen     uint64              // bit i: required.Names[i] was there
	next     int                 // the index of the one that is likely to come next
	more     []uint64            // seen of the tables behind the first
}

// NewDecoder returns a Decoder that stands at the value in data. It copies
// data once.
func NewDecoder(data []byte, mode Mode) *Decoder {
	d := new(Decoder)
	d.Start(data, mode)
	return d
}

// Start points d at a new text, as NewDecoder does, and forgets the old one.
func (d *Decoder) Start(data []byte, mode Mode) {
	// room is left as it is: a frame is written whole before it is read.
	d.src, d.mode = string(data), mode
	d.start, d.key, d.err = 0, "", nil
	d.first, d.loop = false, loopOn
	d.frames, d.keys, d.found = d.room[:0], d.keys[:0], d.found[:0]
	d.trials, d.work, d.aborted = 0, 0, 0
	d.held, d.whole = false, 0
	d.rules.Clear()
	d.pos = scanSpace(d.src, 0)
	switch {
	case strings.HasPrefix(d.src, "\ufeff"):
		d.syntax(0, ErrBOM.Error(), ErrBOM)
	case !utf8.ValidString(d.src):
		d.syntax(invalidUTF8(d.src), ErrUTF8.Error(), ErrUTF8)
	case d.pos == len(d.src):
		d.syntax(0, ErrEmpty.Error(), ErrEmpty)
	}
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// Direction returns the direction of the message.
func (d *Decoder) Direction() Direction { return d.mode.Direction }

// Strict reports whether d reads strictly; inside the trials of a union it does.
func (d *Decoder) Strict() bool { return d.mode.Strict }

// Defaults reports whether members that are absent get their defaults.
func (d *Decoder) Defaults() bool { return !d.mode.Patch }

// Offset returns where in the text d stands.
func (d *Decoder) Offset() int { return d.pos }

// peek returns the byte at which d stands, 0 at the end.
func (d *Decoder) peek() byte {
	if d.pos < len(d.src) {
		return d.src[d.pos]
	}
	return 0
}

func (d *Decoder) space() {
	for d.pos < len(d.src) && isSpace(d.src[d.pos]) {
		d.pos++
	}
}

// PeekKind returns the kind of the value at which d stands.
func (d *Decoder) PeekKind() Kind { return kindOf(d.peek()) }

// Object opens an object; NextKey walks its members:
//
//	for d.Object(); d.NextKey(); { switch d.Key() { … } }
func (d *Decoder) Object() { d.open('{', KindObject) }

// Array opens an array; NextItem walks its items:
//
//	for d.Array(); d.NextItem(); { … }
func (d *Decoder) Array() { d.open('[', KindArray) }

func (d *Decoder) open(bracket byte, want Kind) {
	if d.peek() != bracket {
		d.Mismatch(want.String())
		d.loop = loopRefused
		return
	}
	if len(d.frames) >= d.mode.maxDepth() {
		d.syntax(d.pos, faultDepth, ErrDepth)
		return
	}
	d.frames = append(d.frames, frame{start: d.pos, index: -1, value: -1, keys: len(d.keys)})
	d.pos++
	d.first = true
	d.loop = loopOn
}

// NextKey moves to the value of the object's next member. It returns false at
// the end of the object, behind which d then stands. A value that the body of the
// loop does not read is passed over.
func (d *Decoder) NextKey() bool {
	if d.loop == loopRefused {
		d.loop = loopOver
		return false
	}
	if n := len(d.frames); n > 0 && d.frames[n-1].value == d.pos {
		d.Skip()
	}
	d.space()
	c := d.peek()
	switch {
	case d.err != nil:
		return false
	case c == '}' && len(d.frames) > 0:
		d.close()
		return false
	case d.first:
		d.first = false
	case c == ',':
		d.pos++
		d.space()
		c = d.peek()
	default:
		d.unexpected("after an object's member")
		return false
	}
	if c != '"' {
		d.unexpected("where a member's name is wanted")
		return false
	}
	d.key = d.text()
	d.space()
	if d.peek() != ':' {
		d.unexpected("after a member's name")
		return false
	}
	d.pos++
	d.space()
	if n := len(d.frames); n > 0 {
		f := &d.frames[n-1]
		f.value = d.pos
		if f.required != nil {
			f.mark(d.key)
		}
	}
	if d.mode.Strict {
		d.noteKey()
	}
	return d.err == nil
}

// Key returns the name of the member to which NextKey moved. Reading the
// member's value may change it.
func (d *Decoder) Key() string { return d.key }

// NextItem moves to the array's next item. It returns false at the end of the
// array, behind which d then stands. The body of the loop has to read or to
// skip the item.
func (d *Decoder) NextItem() bool {
	if d.loop == loopRefused {
		d.loop = loopOver
		return false
	}
	d.space()
	switch c := d.peek(); {
	case d.err != nil:
		return false
	case c == ']' && len(d.frames) > 0:
		d.close()
		return false
	case d.first:
		d.first = false
	case c == ',':
		d.pos++
		d.space()
	default:
		d.unexpected("after an array's item")
		return false
	}
	if n := len(d.frames); n > 0 {
		d.frames[n-1].index++
	}
	return true
}

// Index returns the index of the item to which NextItem moved.
func (d *Decoder) Index() int {
	if n := len(d.frames); n > 0 {
		return d.frames[n-1].index
	}
	return -1
}

// close leaves the innermost container, which becomes the value read last.
func (d *Decoder) close() {
	f := &d.frames[len(d.frames)-1]
	d.start = f.start
	d.keys = d.keys[:f.keys]
	f.set = nil
	d.frames = d.frames[:len(d.frames)-1]
	d.pos++
	d.first = false
	d.loop = loopOn
	if f.required != nil {
		d.demand(f)
	}
}

// Skip passes over the value at which d stands, whatever it is.
func (d *Decoder) Skip() {
	if d.err != nil {
		return
	}
	d.start = d.pos
	end, fault := scanValue(d.src, d.pos, d.mode.maxDepth()-len(d.frames))
	if fault != "" {
		d.fault(end, fault)
		return
	}
	d.pos = end
}

// Unknown passes over the value of a member that an open object does not
// declare.
func (d *Decoder) Unknown() { d.Skip() }

// End reports anything but space that follows as a syntax error. It is for the
// outermost value.
func (d *Decoder) End() {
	d.space()
	if d.pos < len(d.src) {
		d.syntax(d.pos, ErrTrailing.Error(), ErrTrailing)
	}
}

// text reads the string at whose quote d stands.
func (d *Decoder) text() string {
	s := d.src
	for i := d.pos + 1; i < len(s); i++ {
		if !special[s[i]] {
			continue
		}
		if s[i] == '"' {
			t := s[d.pos+1 : i]
			d.pos = i + 1
			return t
		}
		break
	}
	end, fault := scanString(s, d.pos)
	if fault != "" {
		d.fault(end, fault)
		return ""
	}
	t := unescape(s[d.pos+1 : end-1])
	d.pos = end
	return t
}

// Fewer names than manyKeys are compared one by one.
const manyKeys = 32

// noteKey reports the member at whose value d stands when its object had one
// of that name.
func (d *Decoder) noteKey() {
	if len(d.frames) == 0 {
		return
	}
	f := &d.frames[len(d.frames)-1]
	bit := uint64(1) << hashKey(d.key)
	if f.mask&bit != 0 && d.hasKey(f) {
		d.add(finding{
			offset: d.pos, rule: "duplicate",
			detail: "is there more than once", soft: true,
		})
		return
	}
	f.mask |= bit
	d.keys = append(d.keys, d.key)
	if f.set != nil {
		f.set[d.key] = struct{}{}
	}
}

func (d *Decoder) hasKey(f *frame) bool {
	names := d.keys[f.keys:]
	if len(names) < manyKeys {
		return slices.Contains(names, d.key)
	}
	if f.set == nil {
		f.set = make(map[string]struct{}, 2*manyKeys)
		for _, name := range names {
			f.set[name] = struct{}{}
		}
	}
	_, ok := f.set[d.key]
	return ok
}

// hashKey returns a number below 64 that tells most names of one object apart.
func hashKey(s string) uint {
	h := uint(len(s))
	for i := range min(len(s), 12) {
		h = h*31 + uint(s[i])
	}
	return (h ^ h>>6) & 63
}
