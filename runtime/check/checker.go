package check

import (
	"slices"
	"strconv"
	"sync"
)

// A Validator is a type that checks its own constraints.
type Validator interface{ Validate(c *Checker) }

// Way is the way that a message travels, which decides on the members that travel one
// way only.
type Way uint8

// The ways; the zero Way is AnyWay, in which no member is special.
const (
	AnyWay Way = iota
	InRequest
	InResponse
)

// A Checker walks values and collects violations. The zero value is ready and
// stands at the root of the body. Not for concurrent use, and not to be copied.
type Checker struct {
	way      Way
	held     bool
	in, name string
	path     []segment
	found    []Violation
	room     [8]segment // path's first storage, so that shallow walks allocate nothing

	outer int // 1 + the length of path at the outermost array whose items are compared; 0 is none
	spare int // bytes that comparing in it may still read
}

// maxDepth bounds how deep the helpers walk, so that a value that holds itself
// ends in a violation and not in an exhausted stack.
const maxDepth = 1000

// segment is one step of the path: a member's name, or an index when index >= 0.
type segment struct {
	name  string
	index int
}

// checkers saves Body an allocation.
var checkers = sync.Pool{New: func() any { return new(Checker) }}

// Body checks v as a message's body and returns nil or an *Error.
func Body(v Validator) error { return BodyOf(v, AnyWay) }

// BodyOf is Body for a message that travels one way.
func BodyOf(v Validator, way Way) error { return body(v, way, false) }

// BodyRead is BodyOf for a value that was read from a text by a strict decoder, which
// has held the text to the schemas that types cannot express.
func BodyRead(v Validator, way Way) error { return body(v, way, true) }

func body(v Validator, way Way, held bool) error {
	c := checkers.Get().(*Checker)
	c.Reset(InBody, "")
	c.way, c.held = way, held
	v.Validate(c)
	err := c.Err()
	c.Reset(InBody, "")
	c.way, c.held = AnyWay, false
	checkers.Put(c)
	return err
}

// Travel sets the way of what is checked from here on.
func (c *Checker) Travel(way Way) { c.way = way }

// Hold tells c whether the bodies that it checks from here on were read from a text that
// has been held to the schemas which types cannot express, by a strict decoder.
func (c *Checker) Hold(read bool) { c.held = read }

// Held reports whether the value where c stands was: what the text had beyond the value
// has counted there.
func (c *Checker) Held() bool { return c.held && (c.in == InBody || c.in == "") }

// ReadOnly reports whether readOnly members are checked. In a request they do not
// travel, so that there is nothing to hold them to.
func (c *Checker) ReadOnly() bool { return c.way != InRequest }

// WriteOnly reports whether writeOnly members are checked. In a response they do not
// travel.
func (c *Checker) WriteOnly() bool { return c.way != InResponse }

// Reset empties c and puts it at the root of a place: InBody with no name, or
// a parameter.
func (c *Checker) Reset(in, name string) {
	c.found = nil // handed out by Err
	c.At(in, name)
}

// At moves c to the root of a place and keeps what it has found so far, as
// c.At(check.InQuery, "limit").
func (c *Checker) At(in, name string) {
	c.in, c.name = in, name
	if c.path == nil {
		c.path = c.room[:0]
	}
	clear(c.path)
	c.path = c.path[:0]
	c.outer = 0
}

// Enter steps into a member of an object.
func (c *Checker) Enter(name string) {
	if c.path == nil {
		c.path = c.room[:0]
	}
	c.path = append(c.path, segment{name: name, index: -1})
}

// EnterIndex steps into an item of an array.
func (c *Checker) EnterIndex(i int) {
	if c.path == nil {
		c.path = c.room[:0]
	}
	c.path = append(c.path, segment{index: i})
}

// Leave undoes the last Enter or EnterIndex. Without one it does nothing.
func (c *Checker) Leave() {
	if n := len(c.path); n > 0 {
		c.path = c.path[:n-1]
		if n < c.outer {
			c.outer = 0
		}
	}
}

// deep reports, as a violation, that the path is at its bound.
func (c *Checker) deep() bool {
	if len(c.path) < maxDepth {
		return false
	}
	if last := len(c.found) - 1; last < 0 || c.found[last].Rule != "depth" {
		c.Add("depth", "is nested more than 1000 levels deep")
	}
	return true
}

// Pointer returns the JSON pointer of the place where c stands.
func (c *Checker) Pointer() string {
	var b []byte
	for _, s := range c.path {
		if s.index >= 0 {
			b = append(b, '/')
			b = strconv.AppendInt(b, int64(s.index), 10)
			continue
		}
		b = AppendPointer(b, s.name)
	}
	return string(b)
}

// Add reports that the value where c stands breaks a rule. After MaxViolations
// nothing is added.
func (c *Checker) Add(rule, detail string) {
	if len(c.found) >= MaxViolations {
		return
	}
	in := c.in
	if in == "" {
		in = InBody
	}
	c.found = append(c.found, Violation{In: in, Name: c.name, Pointer: c.Pointer(), Rule: rule, Detail: detail})
}

// AddMember reports that the member name of the object where c stands breaks a
// rule.
func (c *Checker) AddMember(name, rule, detail string) {
	c.Enter(name)
	c.Add(rule, detail)
	c.Leave()
}

// AddBelow reports that the value at a JSON pointer below the place where c stands
// breaks a rule.
func (c *Checker) AddBelow(pointer, rule, detail string) {
	n := len(c.found)
	c.Add(rule, detail)
	if len(c.found) > n {
		c.found[n].Pointer += pointer
	}
}

// Merge adds violations found elsewhere, such as in decoding.
func (c *Checker) Merge(vs ...Violation) {
	room := max(MaxViolations-len(c.found), 0)
	c.found = append(c.found, vs[:min(room, len(vs))]...)
}

// OK reports that nothing is wrong so far.
func (c *Checker) OK() bool { return len(c.found) == 0 }

// Full reports that no more violations are taken.
func (c *Checker) Full() bool { return len(c.found) >= MaxViolations }

// Violations returns what was found so far, in the order of the walk.
func (c *Checker) Violations() []Violation { return slices.Clone(c.found) }

// Err returns nil, or an *Error with what was found so far.
func (c *Checker) Err() error {
	if len(c.found) == 0 {
		return nil
	}
	return &Error{Violations: slices.Clone(c.found)}
}
