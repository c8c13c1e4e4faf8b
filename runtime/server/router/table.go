package router

import (
	"math/bits"
	"slices"
)

// table finds the place behind literal text. Texts are compared by their first eight
// bytes as one number, and only one that has the same number and length is looked at
// further. So the time is that of one segment, however many literals there are.
type table struct {
	few   []literal // up to fewLiterals, looked at in turn
	slots []literal // or more, by their hash; a power of two, half of them free
	shift uint
	n     int
}

// literal is a segment that is literal text, and the place behind it.
type literal struct {
	key  uint64 // the first eight bytes
	text string
	next *node // nil: the slot is free
}

const fewLiterals = 4

// add adds a literal, which is not there yet.
func (t *table) add(text string, next *node) {
	t.n++
	l := literal{key: keyOf(text), text: text, next: next}
	if t.n <= fewLiterals {
		t.few = append(t.few, l)
		return
	}
	if 2*t.n > len(t.slots) {
		t.grow()
	}
	t.put(l)
}

// grow doubles the slots.
func (t *table) grow() {
	old := slices.Concat(t.few, t.slots)
	t.few = nil
	size := bits.Len(uint(4*t.n - 1)) // a quarter to a half of them will be taken
	t.slots, t.shift = make([]literal, 1<<size), uint(64-size)
	for _, l := range old {
		if l.next != nil {
			t.put(l)
		}
	}
}

func (t *table) put(l literal) {
	i := t.slot(l.key, l.text)
	for t.slots[i].next != nil {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = l
}

// slot is where the search for a text begins: all of it counts, eight bytes at a time.
func (t *table) slot(key uint64, text string) int {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	h := key ^ uint64(len(text))
	for i := 8; i < len(text); i += 8 {
		h = bits.RotateLeft64(h*golden, 31) ^ word(text[min(i, len(text)-8):])
	}
	return int(h * golden >> t.shift)
}

// word is the first eight bytes of a text that has as many; the compiler makes one
// load of it.
func word(text string) uint64 {
	b := text[:8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// find is the place behind a text; nil for none.
func (t *table) find(key uint64, text string) *node {
	for i := range t.few {
		if l := &t.few[i]; l.key == key && l.is(text) {
			return l.next
		}
	}
	if t.slots == nil {
		return nil
	}
	for i := t.slot(key, text); ; i = (i + 1) & (len(t.slots) - 1) {
		l := &t.slots[i]
		if l.next == nil || l.key == key && l.is(text) {
			return l.next
		}
	}
}

// is reports whether the literal is text, which has the same key.
func (l *literal) is(text string) bool {
	return len(l.text) == len(text) && (len(text) <= 8 || l.text[8:] == text[8:])
}

// keyOf is the first eight bytes of a text, the first one lowest, with zeros behind a
// shorter one.
func keyOf(text string) (key uint64) {
	for i := range min(len(text), 8) {
		key |= uint64(text[i]) << (8 * i)
	}
	return key
}

// cut is where the segment of a path that begins at from ends, and its key.
func cut(path string, from int) (end int, key uint64) {
	switch n := len(path); {
	case from+8 <= n:
		key = word(path[from:])
	case n >= 8:
		// The last eight bytes, without those before the segment.
		key = word(path[n-8:]) >> (8 * (from + 8 - n))
	default:
		key = keyOf(path[from:])
	}
	// A byte of x is 0 where path has a slash; the lowest bit set in slash tells the
	// first of them.
	const ones = 0x0101010101010101
	x := key ^ ones*'/'
	if slash := (x - ones) &^ x & (ones << 7); slash != 0 {
		at := bits.TrailingZeros64(slash) // eight for each byte, and seven
		return from + at>>3, key & (1<<(at&^7) - 1)
	}
	for end = from + 8; end < len(path); end++ {
		if path[end] == '/' {
			return end, key
		}
	}
	return len(path), key
}
