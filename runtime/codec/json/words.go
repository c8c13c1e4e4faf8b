package json

import (
	"encoding/binary"
	"unicode/utf8"
)

// Texts are walked eight bytes at a time: a word holds them, the first one lowest.

const (
	ones  = 0x0101010101010101 // one in each byte
	highs = 0x8080808080808080 // the top bit of each byte
)

// word is the eight bytes of s at i. The compiler makes one load of it.
func word(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// half is the four bytes of s at i.
func half(s string, i int) uint64 {
	b := s[i : i+4]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
}

// Subtracting 1 from a byte that is 0 sets its top bit, as does subtracting 32 from a
// control character; no other byte below 128 gets one, unless a byte before it did and
// has borrowed from it. So the first mark is always right.

// specials marks, by its top bit, the first byte of w that does not stand for itself
// in a string, a control, a quote or a backslash, and perhaps later ones. It is 0
// where there is none.
func specials(w uint64) uint64 { return marks(w) &^ w & highs }

// unplain is specials that marks what is not ASCII, too.
func unplain(w uint64) uint64 { return (marks(w) | w) & highs }

func marks(w uint64) uint64 {
	return (w - ones*' ') | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)
}

// copyPlain copies s to b, which has room for it, as far as the inside of a string has
// the same bytes. It reports whether that is all of it: ASCII without anything to
// escape. Looking and copying are one walk.
func copyPlain(b []byte, s string) bool {
	n := len(s)
	b = b[:n]
	switch {
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			w := word(s, i)
			if unplain(w) != 0 {
				return false
			}
			binary.LittleEndian.PutUint64(b[i:], w)
		}
		w := word(s, n-8) // it may overlap the one before
		binary.LittleEndian.PutUint64(b[n-8:], w)
		return unplain(w) == 0
	case n >= 4:
		first, last := half(s, 0), half(s, n-4)
		binary.LittleEndian.PutUint32(b, uint32(first))
		binary.LittleEndian.PutUint32(b[n-4:], uint32(last))
		return unplain(first|last<<32) == 0
	}
	for i := range n {
		c := s[i]
		if special[c] || c >= utf8.RuneSelf {
			return false
		}
		b[i] = c
	}
	return true
}
