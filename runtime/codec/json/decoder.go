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
	pos   int    // at the first byte of a value, or behind one
	start int    // of the value that was read last
	key   string // the member's name, where keyEnd is 0
	// keyStart and keyEnd are where the name stands in the text. Writing numbers is less
	// work than writing a string, which the collector wants to know of.
	keyStart, keyEnd int

	err   error
	mode  Mode
	first bool // behind the bracket that opened the container
	loop  loopState

	frames  []frame
	keys    []string // names seen in the open objects that no table has, where strict
	later   []uint64 // what was seen of the tables behind the first, of the open objects
	sets    map[int]map[string]struct{}
	found   []finding
	trials  int // open trials of unions
	strange int // members, so far, that their objects' tables do not have, where strict
	work    int // bytes read in trials
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
	start int
	index int      // of the array's item
	value int      // where the value of the object's member begins
	keys  int      // where the object's names begin in Decoder.keys
	later int      // where its part of Decoder.later begins
	mask  uint64   // hashes of its names
	table *Members // its members; nil for any
	seen  uint64   // bit i: table.Names[i] was there
	next  int      // the index of the one that is likely to come next
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
	d.start, d.key, d.keyEnd, d.err = 0, "", 0, nil
	d.first, d.loop = false, loopOn
	d.frames, d.keys, d.later, d.found = d.room[:0], d.keys[:0], d.later[:0], d.found[:0]
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
func (d *Decoder) Object() { d.open('{', KindObject, nil) }

// Array opens an array; NextItem walks its items:
//
//	for d.Array(); d.NextItem(); { … }
func (d *Decoder) Array() { d.open('[', KindArray, nil) }

func (d *Decoder) open(bracket byte, want Kind, t *Members) {
	if d.peek() != bracket {
		d.Mismatch(want.String())
		d.loop = loopRefused
		return
	}
	n := len(d.frames)
	if n >= d.mode.maxDepth() {
		d.syntax(d.pos, faultDepth, ErrDepth)
		return
	}
	if n < cap(d.frames) {
		d.frames = d.frames[:n+1]
	} else {
		d.frames = append(d.frames, frame{})
	}
	f := &d.frames[n]
	f.start, f.index, f.value, f.keys, f.later = d.pos, -1, -1, len(d.keys), len(d.later)
	f.mask, f.seen, f.next = 0, 0, 0
	if f.table != t {
		f.table = t
	}
	d.pos++
	d.first = true
	d.loop = loopOn
}

// NextKey moves to the value of the object's next member. It returns false at
// the end of the object, behind which d then stands. A value that the body of the
// loop does not read is passed over.
func (d *Decoder) NextKey() bool {
	// Nearly always the next member is the one that the schema has next, and
	// without space around it: one comparison tells.
	n := len(d.frames)
	if n == 0 || d.loop != loopOn {
		return d.nextKey()
	}
	f, s, i := &d.frames[n-1], d.src, d.pos
	if f.table == nil || f.value == i {
		return d.nextKey()
	}
	tokens := f.table.written()
	if f.next >= len(tokens) {
		return d.nextKey()
	}
	if !d.first {
		if i >= len(s) || s[i] != ',' {
			return d.nextKey()
		}
		i++
	}
	token, bit := tokens[f.next], uint64(1)<<f.next
	end := i + len(token)
	if end >= len(s) || s[i:end] != token || f.seen&bit != 0 {
		return d.nextKey()
	}
	f.seen |= bit
	f.next++
	d.first = false
	d.keyStart, d.keyEnd = i+1, end-2
	d.pos = end
	if s[end] <= ' ' {
		d.space()
	}
	f.value = d.pos
	return true
}

// nextKey is NextKey for any name, with space around it or not.
func (d *Decoder) nextKey() bool {
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
	d.key, d.keyEnd = d.text(), 0
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
		d.note(f)
	}
	return d.err == nil
}

// Key returns the name of the member to which NextKey moved. Reading the
// member's value may change it.
func (d *Decoder) Key() string {
	if d.keyEnd > 0 {
		return d.src[d.keyStart:d.keyEnd]
	}
	return d.key
}

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
	n := len(d.frames) - 1
	f := &d.frames[n]
	d.start = f.start
	d.keys = d.keys[:f.keys]
	if d.sets != nil {
		delete(d.sets, n)
	}
	d.frames = d.frames[:n]
	d.pos++
	d.first = false
	d.loop = loopOn
	if t := f.table; t != nil && (t.More != nil || f.seen&t.Required != t.Required) {
		d.demand(f)
	}
	d.later = d.later[:min(f.later, len(d.later))]
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
	s, first := d.src, d.pos+1
	i := scanPlain(s, first)
	if i < len(s) && s[i] == '"' {
		d.pos = i + 1
		return s[first:i]
	}
	end, fault := scanString(s, d.pos)
	if fault != "" {
		d.fault(end, fault)
		return ""
	}
	d.pos = end
	return unescape(s[first : end-1])
}

// Fewer names than manyKeys are compared one by one.
const manyKeys = 32

// note takes down the member at whose value d stands. Where d is strict, one that
// its object had before is a violation.
func (d *Decoder) note(f *frame) {
	if f.table != nil {
		if known, again := d.mark(f); known {
			if again && d.mode.Strict {
				d.duplicate()
			}
			return
		}
		if d.mode.Strict {
			d.strange++
		}
	}
	if !d.mode.Strict {
		return
	}
	bit := uint64(1) << hashKey(d.key)
	if f.mask&bit != 0 && d.hasKey(f) {
		d.duplicate()
		return
	}
	f.mask |= bit
	d.keys = append(d.keys, d.key)
	if set := d.sets[len(d.frames)-1]; set != nil {
		set[d.key] = struct{}{}
	}
}

func (d *Decoder) duplicate() {
	d.add(finding{offset: d.pos, rule: "duplicate", detail: "is there more than once", soft: true})
}

func (d *Decoder) hasKey(f *frame) bool {
	names := d.keys[f.keys:]
	if len(names) < manyKeys {
		return slices.Contains(names, d.key)
	}
	depth := len(d.frames) - 1
	if d.sets[depth] == nil {
		if d.sets == nil {
			d.sets = make(map[int]map[string]struct{})
		}
		set := make(map[string]struct{}, 2*manyKeys)
		for _, name := range names {
			set[name] = struct{}{}
		}
		d.sets[depth] = set
	}
	_, ok := d.sets[depth][d.key]
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
