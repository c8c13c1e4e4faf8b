package json

import "sync/atomic"

// Members names the members of an object, at most 64 in one table, in the order
// in which they usually come.
type Members struct {
	Names []string
	// Bit i stands for Names[i].
	Required, ReadOnly, WriteOnly uint64
	// More are the members past the 64th, nil for none.
	More *Members

	// tokens are the names as a text has them before a value: "id":. They are worked out
	// when the table is used first, since a table is a plain literal.
	tokens atomic.Pointer[[]string]
}

// tableSize is how many names a Members holds: as many as a seen has bits.
const tableSize = 64

// unwritten is in no text: it stands for names that a text cannot hold as they are.
const unwritten = "\x00"

// written are the tokens of the table.
func (t *Members) written() []string {
	if tokens := t.tokens.Load(); tokens != nil {
		return *tokens
	}
	return t.prepare()
}

func (t *Members) prepare() []string {
	tokens := make([]string, min(len(t.Names), tableSize))
	for i := range tokens {
		if name := t.Names[i]; scanPlain(name, 0) < len(name) {
			tokens[i] = unwritten
		} else {
			tokens[i] = `"` + name + `":`
		}
	}
	t.tokens.Store(&tokens)
	return tokens
}

// Members opens an object as Object does, one that has the members of t:
//
//	for d.Members(&orderMembers); d.NextKey(); { switch d.Key() { … } }
//
// Required ones that are missing are noted at its end. A readOnly member is not
// demanded of a request, a writeOnly one not of a response. The table makes the
// reading of names quick, too: the one that comes next is compared, not looked for.
func (d *Decoder) Members(t *Members) { d.open('{', KindObject, t) }

// mark notes that the member named d.key was there; known is false where the tables
// do not have it.
func (d *Decoder) mark(f *frame) (known, again bool) {
	names := f.table.Names
	next := min(f.next, len(names))
	i := index(names[next:], d.key) + next
	if i < next {
		i = index(names[:next], d.key)
	}
	if i < 0 || i >= tableSize {
		return d.markLater(f)
	}
	bit := uint64(1) << i
	again = f.seen&bit != 0
	f.seen |= bit
	f.next = i + 1
	return true, again
}

// index is where a name stands, and -1 far below that of any list where it does not.
func index(names []string, name string) int {
	for i := range names {
		if names[i] == name {
			return i
		}
	}
	return -1 - len(names)
}

// markLater is mark for the tables behind the first.
func (d *Decoder) markLater(f *frame) (known, again bool) {
	at := f.later
	for t := f.table.More; t != nil; t = t.More {
		i := index(t.Names[:min(len(t.Names), tableSize)], d.key)
		if i < 0 {
			at++
			continue
		}
		for len(d.later) <= at {
			d.later = append(d.later, 0)
		}
		bit := uint64(1) << i
		again = d.later[at]&bit != 0
		d.later[at] |= bit
		return true, again
	}
	return false, false
}

// demand notes the members that are missing from the object of f, which was just
// closed.
func (d *Decoder) demand(f *frame) {
	d.Require(f.seen, f.table)
	at := f.later
	for t := f.table.More; t != nil; t = t.More {
		seen := uint64(0)
		if at < len(d.later) {
			seen = d.later[at]
		}
		d.Require(seen, t)
		at++
	}
}

// Require notes the required members that are missing from the object just
// read: bit i of seen says that t.Names[i] was there. Members does it by itself.
func (d *Decoder) Require(seen uint64, t *Members) {
	need := t.Required &^ seen
	if need == 0 || d.err != nil || d.loop == loopOver {
		return
	}
	if !d.mode.Direction.ReadOnly() {
		need &^= t.ReadOnly
	}
	if !d.mode.Direction.WriteOnly() {
		need &^= t.WriteOnly
	}
	if need == 0 {
		return // what is missing does not travel this way
	}
	for i, name := range t.Names {
		if i < tableSize && need&(1<<i) != 0 {
			d.findings(finding{offset: d.start, member: true, name: name, rule: "required", detail: "is missing"})
		}
	}
	d.abort()
}
