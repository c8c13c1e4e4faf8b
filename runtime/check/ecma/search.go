package ecma

// A program is a pattern for backtracking: backreferences need what a group has
// matched, in the order that ECMA-262 prescribes.
type program struct {
	code      []instr
	registers int
	anchored  bool
}

type instrOp uint8

const (
	doSet     instrOp = iota // one character of set
	doRun                    // min to max characters of set
	doSplit                  // x, else y
	doJump                   // x
	doAssert                 // the position is as the assertion says
	doSave                   // the position into register a
	doClear                  // registers a to b hold nothing
	doBegin                  // register a is 0: a loop begins
	doLoop                   // another round at the next instruction, or x
	doRound                  // a round begins: counted in a, its position in b
	doAgain                  // a round ends: to the loop at x
	doRef                    // what one of the captures has matched, again
	doLook                   // a lookaround begins, ends at x; register a
	doEndLook                // the part of a lookaround has matched
	doMatch
)

// An instr is a step of a program; the next one follows unless op says otherwise.
type instr struct {
	op       instrOp
	assert   assertion
	lazy     bool
	backward bool // the text is read towards its start
	negated  bool
	fold     bool
	x        int32
	a, b     int32 // registers
	min, max int
	set      *set
	refs     []int
}

func newProgram(root *node, captures int) *program {
	b := &programBuilder{}
	b.registers = 2 * (captures + 1)
	b.captures = captures
	b.add(root, false)
	b.emit(instr{op: doMatch})
	b.anchored = anchored(root)
	return &b.program
}

type programBuilder struct {
	program
	captures int // that are kept; 0 when nothing refers to one
}

func (b *programBuilder) emit(in instr) int32 {
	b.code = append(b.code, in)
	return int32(len(b.code) - 1) // no longer than the pattern
}

func (b *programBuilder) here() int32 { return int32(len(b.code)) }

func (b *programBuilder) register() int32 {
	b.registers++
	return int32(b.registers - 1)
}

// add writes the code of n. Inside of lookbehind the text is read backward.
func (b *programBuilder) add(n *node, backward bool) {
	switch n.kind {
	case kindSet:
		b.emit(instr{op: doSet, set: n.set, backward: backward})
	case kindConcat:
		for i := range n.subs {
			if backward {
				i = len(n.subs) - 1 - i
			}
			b.add(n.subs[i], backward)
		}
	case kindAlternate:
		var ends []int32
		for _, sub := range n.subs[:len(n.subs)-1] {
			split := b.emit(instr{op: doSplit})
			b.add(sub, backward)
			ends = append(ends, b.emit(instr{op: doJump}))
			b.code[split].x = b.here()
		}
		b.add(n.subs[len(n.subs)-1], backward)
		for _, end := range ends {
			b.code[end].x = b.here()
		}
	case kindRepeat:
		b.repeat(n, backward)
	case kindCapture:
		b.capture(n, backward)
	case kindAssert:
		b.emit(instr{op: doAssert, assert: n.assert})
	case kindLook:
		look := b.emit(instr{op: doLook, a: b.register(), negated: n.negated})
		b.add(n.subs[0], n.behind)
		b.emit(instr{op: doEndLook, a: b.code[look].a, negated: n.negated})
		b.code[look].x = b.here()
	case kindBackref:
		b.emit(instr{op: doRef, refs: n.refs, fold: n.fold, backward: backward})
	}
}

func (b *programBuilder) capture(n *node, backward bool) {
	if b.captures == 0 {
		b.add(n.subs[0], backward)
		return
	}
	first := int32(2 * n.capture)
	second := first + 1
	if backward {
		first, second = second, first
	}
	b.emit(instr{op: doSave, a: first})
	b.add(n.subs[0], backward)
	b.emit(instr{op: doSave, a: second})
}

func (b *programBuilder) repeat(n *node, backward bool) {
	sub := n.subs[0]
	if n.max == 0 {
		return
	}
	if sub.kind == kindSet {
		b.emit(instr{op: doRun, set: sub.set, min: n.min, max: n.max, lazy: n.lazy, backward: backward})
		return
	}
	count, from := b.register(), b.register()
	b.emit(instr{op: doBegin, a: count})
	loop := b.emit(instr{op: doLoop, a: count, min: n.min, max: n.max, lazy: n.lazy})
	b.emit(instr{op: doRound, a: count, b: from})
	if low, high := captureRange(n); b.captures > 0 && low <= high {
		// What a group matched in one round is not there in the next.
		b.emit(instr{op: doClear, a: int32(2 * low), b: int32(2*high + 1)})
	}
	b.add(sub, backward)
	b.emit(instr{op: doAgain, a: count, b: from, min: n.min, x: loop})
	b.code[loop].x = b.here()
}

// captureRange returns the lowest and the highest capture within n.
func captureRange(n *node) (low, high int) {
	low, high = tooLarge, 0
	if n.kind == kindCapture {
		low, high = n.capture, n.capture
	}
	for _, sub := range n.subs {
		l, h := captureRange(sub)
		low, high = min(low, l), max(high, h)
	}
	return low, high
}
