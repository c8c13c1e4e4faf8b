package ecma

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A span is the code points from lo to hi, both included.
type span struct{ lo, hi rune }

// ranges are spans, in any order until sorted.
type ranges []span

// A set is a set of code points.
type set struct {
	ascii  [2]uint64 // a bit for each code point below 128
	ranges ranges    // sorted, with gaps between them
}

func newSet(r ranges) *set {
	s := &set{ranges: r.sorted()}
	for _, sp := range s.ranges {
		for c := sp.lo; c <= min(sp.hi, unicode.MaxASCII); c++ {
			s.ascii[c>>6] |= 1 << (c & 63)
		}
	}
	return s
}

func (s *set) has(r rune) bool {
	if r < utf8.RuneSelf {
		return s.ascii[r>>6&1]>>(r&63)&1 != 0
	}
	// By halves: most sets of more than one range beyond ASCII have hundreds.
	low, high := 0, len(s.ranges)
	for low < high {
		mid := int(uint(low+high) >> 1)
		switch sp := &s.ranges[mid]; {
		case r < sp.lo:
			high = mid
		case r > sp.hi:
			low = mid + 1
		default:
			return true
		}
	}
	return false
}

// size is the number of code points, those twice that are there twice.
func (r ranges) size() int {
	n := 0
	for _, sp := range r {
		n += int(sp.hi-sp.lo) + 1
	}
	return n
}

// sorted returns the spans in order, joined where they touch.
func (r ranges) sorted() ranges {
	r = slices.Clone(r)
	slices.SortFunc(r, func(a, b span) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) })
	out := r[:0]
	for _, sp := range r {
		if n := len(out); n > 0 && sp.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, sp.hi)
			continue
		}
		out = append(out, sp)
	}
	return slices.Clip(out)
}

// negated returns the code points that r does not have. Surrogates never occur in
// a text, so it makes no difference that they are among them.
func (r ranges) negated() ranges {
	var out ranges
	next := rune(0)
	for _, sp := range r.sorted() {
		if sp.lo > next {
			out = append(out, span{next, sp.lo - 1})
		}
		next = sp.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

// without returns the code points of r that cut does not have.
func (r ranges) without(cut ranges) ranges {
	return append(r.negated(), cut...).negated()
}

// folded adds the code points that differ from those of r in case only. Simple
// case folding, as the u flag has it, and the orbits of package unicode agree.
func (r ranges) folded() ranges {
	out := slices.Clone(r)
	add := func(c rune) {
		for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
			out = append(out, span{f, f})
		}
	}
	if r.size() < len(cased()) {
		for _, sp := range r {
			for c := sp.lo; c <= sp.hi; c++ {
				add(c)
			}
		}
		return out
	}
	s := newSet(r)
	for _, c := range cased() {
		if s.has(c) {
			add(c)
		}
	}
	return out
}

// cased lists the code points that have another case.
var cased = sync.OnceValue(func() []rune {
	var out []rune
	// Nothing beyond the supplementary multilingual plane has case.
	for c := range rune(0x20000) {
		if unicode.SimpleFold(c) != c {
			out = append(out, c)
		}
	}
	return out
})

// tableRanges returns the spans of a table of package unicode.
func tableRanges(t *unicode.RangeTable) ranges {
	var out ranges
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, span{lo, hi})
			return
		}
		for c := lo; c <= hi; c += stride {
			out = append(out, span{c, c})
		}
	}
	for _, x := range t.R16 {
		add(rune(x.Lo), rune(x.Hi), rune(x.Stride))
	}
	for _, x := range t.R32 {
		add(rune(x.Lo), rune(x.Hi), rune(x.Stride))
	}
	return out
}

// The sets that have an escape of their own, as ECMA-262 defines them.
var (
	digits     = ranges{{'0', '9'}}
	words      = ranges{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	foldedWord = append(ranges{{0x17f, 0x17f}, {0x212a, 0x212a}}, words...)
	// spaces are WhiteSpace and LineTerminator: the control characters from tab to
	// carriage return, the byte order mark, and the category Zs with two line ends.
	spaces = ranges{
		{'\t', '\r'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029},
		{0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff},
	}
	lineEnds = ranges{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
	anything = ranges{{0, unicode.MaxRune}}
)

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029 }
