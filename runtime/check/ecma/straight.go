package ecma

import "unicode/utf8"

// straight is a pattern from the start of the text that is a row of characters, each
// of a set and so many times, where none can be taken in two ways: ^[A-Z]{3}-\d+$. Most
// patterns of documents are such. One walk over the text tells, without any state.
type straight struct {
	pieces []piece
	open   bool // whatever follows is no matter: there is no $
}

// piece is from min to max characters of a set.
type piece struct {
	set      *set
	min, max int // max may be unbounded
}

// newStraight is the pattern as a straight; nil where it is none.
func newStraight(root *node) *straight {
	p := new(straight)
	parts := flat(nil, root)
	if len(parts) == 0 || parts[0].kind != kindAssert || parts[0].assert != textStart {
		return nil
	}
	parts, p.open = parts[1:], true
	if n := len(parts); n > 0 && parts[n-1].kind == kindAssert && parts[n-1].assert == textEnd {
		parts, p.open = parts[:n-1], false
	}
	for _, n := range parts {
		switch {
		case n.kind == kindSet:
			p.pieces = append(p.pieces, piece{n.set, 1, 1})
		case n.kind == kindRepeat && n.subs[0].kind == kindSet:
			p.pieces = append(p.pieces, piece{n.subs[0].set, n.min, n.max})
		default:
			return nil
		}
	}
	if !p.certain() {
		return nil
	}
	return p
}

// flat appends the parts of a pattern that follow each other. Groups do not matter,
// where nothing refers to them.
func flat(parts []*node, n *node) []*node {
	switch n.kind {
	case kindEmpty:
		return parts
	case kindConcat, kindCapture:
		for _, sub := range n.subs {
			parts = flat(parts, sub)
		}
		return parts
	}
	return append(parts, n)
}

// certain reports whether a piece that takes all that it can is never wrong: where its
// count is not fixed, no character of its set may begin what can follow.
func (p *straight) certain() bool {
	for i, a := range p.pieces {
		if a.min == a.max {
			continue
		}
		for _, b := range p.pieces[i+1:] {
			if a.set.meets(b.set) {
				return false
			}
			if b.min > 0 {
				break
			}
		}
	}
	return true
}

// meets reports whether two sets have a code point in common.
func (s *set) meets(o *set) bool {
	for i, j := 0, 0; i < len(s.ranges) && j < len(o.ranges); {
		a, b := s.ranges[i], o.ranges[j]
		switch {
		case a.hi < b.lo:
			i++
		case b.hi < a.lo:
			j++
		default:
			return true
		}
	}
	return false
}

func (p *straight) match(s string) Result {
	pos := 0
	for i := range p.pieces {
		var ok bool
		if pos, ok = p.pieces[i].take(s, pos); !ok {
			return NoMatch
		}
	}
	if !p.open && pos < len(s) {
		return NoMatch
	}
	return Matches
}

// take moves behind the characters of the piece; false where they are too few.
func (p *piece) take(s string, pos int) (int, bool) {
	n := 0
	for ; n != p.max && pos < len(s); n++ {
		size := 1
		if c := s[pos]; c < utf8.RuneSelf {
			if p.set.ascii[c>>6]>>(c&63)&1 == 0 {
				break
			}
		} else {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[pos:]); !p.set.has(r) {
				break
			}
		}
		pos += size
	}
	return pos, n >= p.min
}
