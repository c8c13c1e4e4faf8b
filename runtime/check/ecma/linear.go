package ecma

// A linear is a pattern without backreferences, as states.
type linear struct {
	states   []state
	counters int
	looks    []look // inner ones before those around them
	start    int32
	anchored bool
	first    *set // what a match begins with; nil when it may begin with anything
}

type stateOp uint8

const (
	opSet    stateOp = iota // one character of set, then x
	opStar                  // one character of set, then x, which is the state itself; or y
	opCount                 // min to max characters of set, then x
	opSplit                 // x or y
	opAssert                // x where the position is as the assertion says
	opLook                  // x where the lookaround says so
	opMatch
)

// A state is a place of a pattern. Only opSet, opStar and opCount take a character.
type state struct {
	op       stateOp
	assert   assertion
	negated  bool // opLook
	x, y     int32
	id       int32 // of the counter or the lookaround
	min, max int   // opCount
	set      *set
}

// A look is a lookaround: a part of its own, of which is asked where in the text
// it matches.
type look struct {
	start int32
	// backward tells that the part is read from the end of the text to its start.
	// Read so, lookahead has matched exactly at the positions that it can be used
	// at, as has lookbehind when it is read forward; one pass finds all of them.
	backward bool
}

func newLinear(root *node) *linear {
	b := &linearBuilder{looks: map[*node]int32{}}
	l := &b.linear
	l.start = b.add(root, b.emit(state{op: opMatch}), false)
	l.anchored = anchored(root)
	if r, ok := first(root); ok {
		l.first = newSet(r)
	}
	return l
}

type linearBuilder struct {
	linear
	looks map[*node]int32
}

func (b *linearBuilder) emit(s state) int32 {
	b.states = append(b.states, s)
	return int32(len(b.states) - 1)
}

// add writes the states of n and returns the first; next is what follows n in the
// direction that the text is read in.
func (b *linearBuilder) add(n *node, next int32, backward bool) int32 {
	switch n.kind {
	case kindSet:
		return b.emit(state{op: opSet, set: n.set, x: next})
	case kindConcat:
		for i := range n.subs {
			sub := n.subs[i]
			if !backward {
				sub = n.subs[len(n.subs)-1-i]
			}
			next = b.add(sub, next, backward)
		}
		return next
	case kindAlternate:
		entry := b.add(n.subs[len(n.subs)-1], next, backward)
		for i := len(n.subs) - 2; i >= 0; i-- {
			entry = b.emit(state{op: opSplit, x: b.add(n.subs[i], next, backward), y: entry})
		}
		return entry
	case kindRepeat:
		return b.repeat(n, next, backward)
	case kindCapture:
		return b.add(n.subs[0], next, backward)
	case kindAssert:
		return b.emit(state{op: opAssert, assert: n.assert, x: next})
	case kindLook:
		return b.emit(state{op: opLook, id: b.look(n), negated: n.negated, x: next})
	}
	return next
}

func (b *linearBuilder) repeat(n *node, next int32, backward bool) int32 {
	sub := n.subs[0]
	if counted(n) {
		b.counters++
		return b.emit(state{
			op: opCount, set: sub.set, min: n.min, max: n.max, id: int32(b.counters - 1), x: next,
		})
	}
	entry := next
	switch {
	case n.max == unbounded && sub.kind == kindSet:
		entry = b.emit(state{op: opStar, set: sub.set, y: next})
		b.states[entry].x = entry
	case n.max == unbounded:
		entry = b.emit(state{op: opSplit, y: next})
		round := b.add(sub, entry, backward) // moves the states
		b.states[entry].x = round
	}
	for range n.max - n.min { // none when there is no bound
		entry = b.emit(state{op: opSplit, x: b.add(sub, entry, backward), y: next})
	}
	for range n.min {
		entry = b.add(sub, entry, backward)
	}
	return entry
}

func (b *linearBuilder) look(n *node) int32 {
	if id, ok := b.looks[n]; ok {
		return id // a copy in a repeat
	}
	backward := !n.behind
	start := b.add(n.subs[0], b.emit(state{op: opMatch}), backward)
	b.linear.looks = append(b.linear.looks, look{start, backward})
	id := int32(len(b.linear.looks) - 1)
	b.looks[n] = id
	return id
}

// first returns the characters that a match of n begins with. ok is false when
// it may be empty or begins with a condition.
func first(n *node) (r ranges, ok bool) {
	switch n.kind {
	case kindSet:
		return n.set.ranges, true
	case kindConcat, kindCapture:
		return first(n.subs[0])
	case kindRepeat:
		if n.min > 0 {
			return first(n.subs[0])
		}
	case kindAlternate:
		for _, sub := range n.subs {
			s, ok := first(sub)
			if !ok {
				return nil, false
			}
			r = append(r, s...)
		}
		return r, true
	}
	return nil, false
}
