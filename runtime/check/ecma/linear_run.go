package ecma

import (
	"math"
	"sync"
	"unicode/utf8"
)

// A run is the moving part of a linear pattern: the states that are alive at one
// position. Runs are kept and used again.
type run struct {
	*linear
	text       string
	mark       []uint32 // the generation in which a state was last reached
	generation uint32
	alive      []int32 // states that wait for a character
	after      []int32 // the same, of the position behind that character
	stack      []int32
	counters   []counter
	tables     [][]uint64 // for each lookaround, a bit for each position
	chars      int        // characters read
	steps      int
	limit      int
	matched    bool
}

// A counter holds how many characters of a counted repeat were taken, for every
// way to get there, as the number of characters that had been read on entering
// it. All of them grow together, so that a repeat costs the same whatever its
// bounds are.
type counter struct {
	entries []int // ascending
	head    int   // entries before it are gone
}

var runs = sync.Pool{New: func() any { return new(run) }}

func (l *linear) match(s string) Result {
	r := runs.Get().(*run)
	defer func() {
		r.linear, r.text = nil, "" // the pool must not keep a request alive
		runs.Put(r)
	}()
	r.linear, r.text, r.steps, r.limit = l, s, 0, linearBase+linearPerByte*len(s)
	r.mark = grown(r.mark, len(l.states))
	r.counters = grown(r.counters, l.counters)
	r.tables = grown(r.tables, len(l.looks))
	for i, look := range l.looks {
		table := grown(r.tables[i], len(s)/64+1)
		clear(table)
		r.tables[i] = table
		if !r.scan(look.start, look.backward, false, table) {
			return Unknown
		}
	}
	switch {
	case !r.scan(l.start, false, l.anchored, nil):
		return Unknown
	case r.matched:
		return Matches
	}
	return NoMatch
}

// grown returns s with n elements, whose values are of no meaning.
func grown[T any](s []T, n int) []T {
	if n > cap(s) {
		return append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}

// scan reads the text once, with a new start at each position or only at the
// first. Into table go the positions where the part has matched; without one, the
// first match ends the scan. It returns false when the steps are used up.
func (r *run) scan(start int32, backward, once bool, table []uint64) bool {
	r.alive, r.chars = r.alive[:0], 0
	for i := range r.counters {
		r.counters[i] = counter{entries: r.counters[i].entries[:0]}
	}
	pos := 0
	if backward {
		pos = len(r.text)
	}
	r.next()
	r.reach(start, pos)
	for {
		if r.matched && table == nil {
			return true
		}
		if r.matched {
			table[pos>>6] |= 1 << (pos & 63)
			r.matched = false
		}
		if r.steps > r.limit {
			return false
		}
		if once && len(r.alive) == 0 {
			return true
		}
		var c rune
		switch {
		case backward && pos == 0, !backward && pos == len(r.text):
			return true
		case backward:
			c = rune(r.text[pos-1])
			size := 1
			if c >= utf8.RuneSelf {
				c, size = utf8.DecodeLastRuneInString(r.text[:pos])
			}
			pos -= size
		default:
			c = rune(r.text[pos])
			size := 1
			if c >= utf8.RuneSelf {
				c, size = utf8.DecodeRuneInString(r.text[pos:])
			}
			pos += size
		}
		r.read(c, pos)
		if !once && (backward || r.mayStart(start, pos)) {
			r.reach(start, pos)
		}
	}
}

// mayStart rules out most starts of the whole pattern by the byte that follows.
func (r *run) mayStart(start int32, pos int) bool {
	if r.first == nil || start != r.start || pos == len(r.text) {
		return true
	}
	c := r.text[pos]
	return c >= utf8.RuneSelf || r.first.has(rune(c))
}

// next begins a generation of states.
func (r *run) next() {
	if r.generation == math.MaxUint32 {
		clear(r.mark[:cap(r.mark)])
		r.generation = 0
	}
	r.generation++
	r.matched = false
}

// read moves every state over the character c, to the position pos.
func (r *run) read(c rune, pos int) {
	r.next()
	r.alive, r.after = r.after[:0], r.alive
	r.chars++
	r.steps += len(r.after) + 1
	for _, id := range r.after {
		st := &r.states[id]
		switch {
		case st.op == opCount:
			r.count(id, st, st.set.has(c), pos)
		case st.set.has(c):
			r.reach(st.x, pos)
		}
	}
}

// count moves a counted repeat over a character.
func (r *run) count(id int32, st *state, taken bool, pos int) {
	q := &r.counters[st.id]
	last := len(q.entries)
	if last > q.head && q.entries[last-1] == r.chars {
		last-- // entered at the new position already, by a state before this one
	}
	if !taken {
		q.head = last
	}
	for st.max != unbounded && q.head < last && r.chars-q.entries[q.head] > st.max {
		q.head++
	}
	if q.head == last {
		return
	}
	if r.mark[id] != r.generation {
		r.mark[id] = r.generation
		r.alive = append(r.alive, id)
	}
	if r.chars-q.entries[q.head] >= st.min {
		r.reach(st.x, pos)
	}
}

// enter adds a way to get into a counted repeat.
func (r *run) enter(st *state) {
	q := &r.counters[st.id]
	switch n := len(q.entries); {
	case n == q.head:
		q.entries, q.head = q.entries[:0], 0
	case q.entries[n-1] == r.chars, st.max == unbounded:
		return // whoever came first can leave first, and never has to
	case st.min == 0:
		q.head = n // whoever came last can stay longest
	case q.head > n/2:
		q.entries = q.entries[:copy(q.entries, q.entries[q.head:])]
		q.head = 0
	}
	q.entries = append(q.entries, r.chars)
}

// reach adds a state and all that follow from it without reading.
func (r *run) reach(id int32, pos int) {
	r.stack = r.stack[:0]
	for {
		next, ok := r.visit(id, pos)
		if !ok {
			n := len(r.stack)
			if n == 0 {
				return
			}
			next = r.stack[n-1]
			r.stack = r.stack[:n-1]
		}
		id = next
	}
}

// visit adds a state, and returns the one that follows from it, if there is one.
func (r *run) visit(id int32, pos int) (next int32, ok bool) {
	st := &r.states[id]
	r.steps++
	if r.mark[id] == r.generation {
		if st.op == opCount {
			r.enter(st) // one more way into it; what follows is there already
		}
		return 0, false
	}
	r.mark[id] = r.generation
	switch st.op {
	case opSet:
		r.alive = append(r.alive, id)
		return 0, false
	case opStar:
		r.alive = append(r.alive, id)
		return st.y, true
	case opCount:
		r.enter(st)
		r.alive = append(r.alive, id)
		return st.x, st.min == 0
	case opSplit:
		r.stack = append(r.stack, st.y)
		return st.x, true
	case opAssert:
		return st.x, holds(st.assert, r.text, pos)
	case opLook:
		return st.x, r.tables[st.id][pos>>6]>>(pos&63)&1 != 0 != st.negated
	}
	r.matched = true
	return 0, false
}
