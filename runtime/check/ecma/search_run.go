package ecma

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxSaved bounds the memory of a search, in places to come back to: 24 MB.
const maxSaved = 1 << 20

// A search is the moving part of a program. Searches are kept and used again.
type search struct {
	*program
	text  string
	regs  []int
	saved []saved
	steps int
	limit int
}

// A saved is something to undo, or a place to come back to.
type saved struct {
	what savedKind
	at   int32 // the instruction, or the register
	pos  int   // the position, or the value of the register
	end  int   // savedRun: the position or the count that it ends at
}

type savedKind uint8

const (
	savedRegister savedKind = iota
	savedPlace              // go on at an instruction
	savedRun                // give back a character of a run, or take one more
	savedLook               // the part of a lookaround does not match
)

// unset is the value of a register that holds nothing.
const unset = -1

var searches = sync.Pool{New: func() any { return new(search) }}

func (p *program) match(s string) Result {
	m := searches.Get().(*search)
	defer func() {
		m.program, m.text = nil, "" // the pool must not keep a request alive
		if cap(m.saved) > maxSaved/16 {
			m.saved = nil
		}
		searches.Put(m)
	}()
	m.program, m.text, m.steps, m.limit = p, s, 0, searchBase+searchPerByte*len(s)
	m.regs = grown(m.regs, p.registers)
	for start := 0; ; {
		for i := range m.regs {
			m.regs[i] = unset
		}
		m.steps += len(m.regs)
		m.saved = m.saved[:0]
		if found, ok := m.from(start); !ok {
			return Unknown
		} else if found {
			return Matches
		}
		if p.anchored || start == len(s) {
			return NoMatch
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		start += n
	}
}

// from searches a match that starts at a position. ok is false when the bounds
// are used up.
func (m *search) from(pos int) (found, ok bool) {
	pc := int32(0)
	for {
		m.steps++
		if m.steps > m.limit || len(m.saved) > maxSaved {
			return false, false
		}
		in := &m.code[pc]
		if in.op == doMatch {
			return true, true
		}
		next, at, good := m.do(in, pc, pos)
		if !good {
			if next, at, good = m.back(); !good {
				return false, true
			}
		}
		pc, pos = next, at
	}
}

// do carries out an instruction, and tells where to go on.
func (m *search) do(in *instr, pc int32, pos int) (next int32, at int, ok bool) {
	switch in.op {
	case doSet:
		c, size := m.read(pos, in.backward)
		if size == 0 || !in.set.has(c) {
			return 0, 0, false
		}
		return pc + 1, moved(pos, size, in.backward), true
	case doRun:
		return m.run(in, pc, pos)
	case doSplit:
		m.saved = append(m.saved, saved{savedPlace, in.x, pos, 0})
	case doJump:
		return in.x, pos, true
	case doAssert:
		return pc + 1, pos, holds(in.assert, m.text, pos)
	case doSave:
		m.set(in.a, pos)
	case doClear:
		for r := in.a; r <= in.b; r++ {
			m.set(r, unset)
		}
	case doBegin:
		m.set(in.a, 0)
	case doLoop:
		return m.loop(in, pc, pos)
	case doRound:
		m.set(in.a, m.regs[in.a]+1)
		m.set(in.b, pos)
	case doAgain:
		// A round that nobody asked for and that takes nothing is refused.
		return in.x, pos, m.regs[in.a] <= in.min || m.regs[in.b] != pos
	case doRef:
		at, ok = m.again(in, pos)
		return pc + 1, at, ok
	case doLook:
		m.regs[in.a] = len(m.saved)
		m.saved = append(m.saved, saved{savedLook, pc, pos, 0})
	case doEndLook:
		return m.endLook(in, pc)
	}
	return pc + 1, pos, true
}

// set changes a register, and remembers its value for coming back.
func (m *search) set(r int32, v int) {
	if m.regs[r] != v {
		m.saved = append(m.saved, saved{savedRegister, r, m.regs[r], 0})
		m.regs[r] = v
	}
	m.steps++
}

// back undoes what was done since the last place to come back to.
func (m *search) back() (pc int32, pos int, ok bool) {
	for len(m.saved) > 0 {
		top := m.saved[len(m.saved)-1]
		m.saved = m.saved[:len(m.saved)-1]
		m.steps++
		switch top.what {
		case savedRegister:
			m.regs[top.at] = top.pos
		case savedPlace:
			return top.at, top.pos, true
		case savedRun:
			if at, ok := m.rerun(top); ok {
				return top.at + 1, at, true
			}
		case savedLook:
			if in := &m.code[top.at]; in.negated {
				return in.x, top.pos, true
			}
		}
	}
	return 0, 0, false
}

// read returns the character at a position in the direction of reading; its size
// is 0 at the end.
func (m *search) read(pos int, backward bool) (rune, int) {
	if backward {
		return utf8.DecodeLastRuneInString(m.text[:pos])
	}
	return utf8.DecodeRuneInString(m.text[pos:])
}

func moved(pos, size int, backward bool) int {
	if backward {
		return pos - size
	}
	return pos + size
}

// run takes characters of a set: as many as there are, or as few as it must.
func (m *search) run(in *instr, pc int32, pos int) (next int32, at int, ok bool) {
	least := pos // where the run may end at the earliest
	n := 0
	for at = pos; in.max == unbounded || n < in.max; n++ {
		if n == in.min {
			least = at
			if in.lazy {
				break
			}
		}
		c, size := m.read(at, in.backward)
		if size == 0 || !in.set.has(c) {
			break
		}
		at = moved(at, size, in.backward)
	}
	m.steps += n
	switch {
	case n < in.min:
		return 0, 0, false
	case in.lazy:
		m.saved = append(m.saved, saved{savedRun, pc, at, n})
	case n == in.min:
	default:
		m.saved = append(m.saved, saved{savedRun, pc, at, least})
	}
	return pc + 1, at, true
}

// rerun makes a run one character shorter, or a lazy one longer.
func (m *search) rerun(s saved) (pos int, ok bool) {
	in := &m.code[s.at]
	if !in.lazy {
		_, size := m.read(s.pos, !in.backward)
		pos = moved(s.pos, size, !in.backward)
		if pos != s.end {
			m.saved = append(m.saved, saved{savedRun, s.at, pos, s.end})
		}
		return pos, true
	}
	c, size := m.read(s.pos, in.backward)
	if s.end == in.max || size == 0 || !in.set.has(c) {
		return 0, false
	}
	pos = moved(s.pos, size, in.backward)
	m.saved = append(m.saved, saved{savedRun, s.at, pos, s.end + 1})
	return pos, true
}

// loop decides on another round.
func (m *search) loop(in *instr, pc int32, pos int) (next int32, at int, ok bool) {
	n := m.regs[in.a]
	switch {
	case n < in.min:
		return pc + 1, pos, true
	case n == in.max:
		return in.x, pos, true
	case in.lazy:
		m.saved = append(m.saved, saved{savedPlace, pc + 1, pos, 0})
		return in.x, pos, true
	}
	m.saved = append(m.saved, saved{savedPlace, in.x, pos, 0})
	return pc + 1, pos, true
}

// endLook ends a lookaround whose part has matched. What was found inside stays
// found: there is no way back into it.
func (m *search) endLook(in *instr, pc int32) (next int32, at int, ok bool) {
	begin := m.regs[in.a]
	at = m.saved[begin].pos
	if in.negated {
		for i := len(m.saved) - 1; i > begin; i-- {
			if m.saved[i].what == savedRegister {
				m.regs[m.saved[i].at] = m.saved[i].pos
			}
		}
		m.steps += len(m.saved) - begin
		m.saved = m.saved[:begin]
		return 0, 0, false
	}
	kept := m.saved[:begin]
	for _, s := range m.saved[begin:] {
		if s.what == savedRegister {
			kept = append(kept, s)
		}
	}
	m.steps += len(m.saved) - begin
	m.saved = kept
	return pc + 1, at, true
}

// again takes what a capture has matched once more; one that has not matched is
// taken as empty.
func (m *search) again(in *instr, pos int) (at int, ok bool) {
	want := ""
	for _, ref := range in.refs {
		if low, high := m.regs[2*ref], m.regs[2*ref+1]; low != unset && high != unset {
			want = m.text[low:high]
			break
		}
	}
	m.steps += len(want) / 8
	switch {
	case in.fold:
		return m.againFolded(want, pos, in.backward)
	case in.backward:
		return pos - len(want), strings.HasSuffix(m.text[:pos], want)
	}
	return pos + len(want), strings.HasPrefix(m.text[pos:], want)
}

// againFolded is again without case; the same text may have another length.
func (m *search) againFolded(want string, pos int, backward bool) (at int, ok bool) {
	m.steps += len(want)
	for want != "" {
		var w rune
		var n int
		if backward {
			w, n = utf8.DecodeLastRuneInString(want)
			want = want[:len(want)-n]
		} else {
			w, n = utf8.DecodeRuneInString(want)
			want = want[n:]
		}
		c, size := m.read(pos, backward)
		if size == 0 || !sameFolded(c, w) {
			return 0, false
		}
		pos = moved(pos, size, backward)
	}
	return pos, true
}

func sameFolded(a, b rune) bool {
	if a == b {
		return true
	}
	for f := unicode.SimpleFold(a); f != a; f = unicode.SimpleFold(f) {
		if f == b {
			return true
		}
	}
	return false
}
