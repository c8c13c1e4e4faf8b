package ecma

// kind tells what a node of a pattern is.
type kind uint8

const (
	kindEmpty kind = iota
	kindSet
	kindConcat
	kindAlternate
	kindRepeat
	kindCapture
	kindAssert
	kindLook
	kindBackref
)

// assertion is a condition on a position.
type assertion uint8

const (
	textStart   assertion = iota // ^
	textEnd                      // $
	lineStart                    // ^ with the modifier m
	lineEnd                      // $ with the modifier m
	wordEdge                     // \b
	notWordEdge                  // \B
	foldedEdge                   // \b with the modifier i, to which ſ and K are letters
	notFoldedEdge
)

// unbounded is the upper count of a repeat without one.
const unbounded = -1

// A node is a part of a pattern.
type node struct {
	kind     kind
	assert   assertion
	lazy     bool // kindRepeat
	behind   bool // kindLook
	negated  bool // kindLook
	fold     bool // kindBackref: without case
	set      *set // kindSet
	subs     []*node
	min, max int   // kindRepeat
	capture  int   // kindCapture: its number, from 1
	refs     []int // kindBackref: the captures of a name, of which one takes part
}

var empty = &node{kind: kindEmpty}

func concat(subs []*node) *node {
	switch len(subs) {
	case 0:
		return empty
	case 1:
		return subs[0]
	}
	return &node{kind: kindConcat, subs: subs}
}

// size is about the number of states that n takes when its repeats are written
// out, and at most tooLarge.
func size(n *node) int {
	total := 1
	for _, sub := range n.subs {
		total = min(total+size(sub), tooLarge)
	}
	if n.kind != kindRepeat || counted(n) {
		return total
	}
	copies := n.max
	if n.max == unbounded {
		copies = n.min + 1
	}
	// total and copies are both below 2^31, their product is not beyond int64.
	return int(min(int64(total+1)*int64(copies)+1, tooLarge))
}

const (
	// maxStates is the size up to which a pattern is run as a set of states.
	maxStates = 1 << 14
	tooLarge  = 1 << 30
)

// counted reports whether a repeat is of one character and worth a counter.
func counted(n *node) bool {
	return n.subs[0].kind == kindSet && (n.min > 3 || n.max > 3)
}

// anchored reports whether n can match at the start of the text only.
func anchored(n *node) bool {
	switch n.kind {
	case kindAssert:
		return n.assert == textStart
	case kindConcat:
		for _, sub := range n.subs {
			if anchored(sub) {
				return true
			}
			if sub.kind != kindAssert && sub.kind != kindLook {
				return false
			}
		}
	case kindCapture:
		return anchored(n.subs[0])
	case kindAlternate:
		for _, sub := range n.subs {
			if !anchored(sub) {
				return false
			}
		}
		return true
	case kindRepeat:
		return n.min > 0 && anchored(n.subs[0])
	}
	return false
}
