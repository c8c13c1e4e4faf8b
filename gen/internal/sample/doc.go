// Package sample makes values that a schema admits: one for each schema, the same on
// each run. The demo sends and answers with them.
//
// A value is small: members that must be there and a few that need not, an item in
// an array, the first variant of a union, recursion ended as soon as it can be.
// Constraints hold exactly, since numbers are computed as fractions; a text that has
// to match patterns is made from their syntax trees and then checked as the runtime
// checks it. Where nothing fits (a false schema, bounds that contradict each other, a
// pattern that this package does not find a text for) there is no value, and optional
// members of that kind are left out.
package sample

import "github.com/holdfast-go/holdfast/gen/internal/ir"

// Direction is the way that a value travels.
type Direction uint8

// The directions. readOnly members are not in requests, writeOnly members not in
// responses; a value of Both has both kinds, so that it can be kept before it is known
// which way it goes.
const (
	Request Direction = iota
	Response
	Both
	Answer // as Both; of a oneOf it may be what only a client takes
)

// Bounds on one value, so that no document makes one that is of no use.
const (
	maxNodes    = 20_000  // JSON values in one sample
	wideNodes   = 150     // past these, nothing that could be left out is made
	maxOptional = 3       // optional members of one object
	maxWide     = 2       // depth up to which optional members are made
	maxDepth    = 200     // nesting of what must be there
	maxText     = 1 << 16 // code points of a text
)

// Value makes a value of a use. It is nil when none was found.
func Value(use *ir.Use, dir Direction) *ir.Value { return Named(use, dir, "sample") }

// Named is Value with a word from which plain texts are made, such as the name of the
// place that takes the value.
func Named(use *ir.Use, dir Direction, name string) *ir.Value {
	return newMaker(dir).value(use, name)
}

// Param makes a value for a parameter. Members of an object that could be left out are
// plain ones only, since most styles cannot nest, and a text is not empty where it need
// not be: an empty segment of a path cannot be sent. There is none where each value has
// lists or objects within others, for which the style has no form.
func Param(p *ir.Param) *ir.Value {
	m := newMaker(Request)
	m.param = true
	v := m.severalOf(p)
	if v == nil {
		v = m.value(p.Use, p.Name)
	}
	if v == nil && p.In != "path" {
		v = Named(p.Use, Request, p.Name)
	}
	if v != nil && p.Content == "" && p.Style != "deepObject" && nested(v) {
		return nil
	}
	return v
}

// severalOf is a list of two for a parameter that may be a text or a list of texts: of one
// alone nobody could tell which it is. It is nil for any other.
func (m *maker) severalOf(p *ir.Param) *ir.Value {
	t, _, _ := follow(p.Use)
	if p.Content != "" || t.Kind != ir.KindUnion {
		return nil
	}
	for _, v := range t.Union.Variants {
		list, checks, _ := follow(v.Use)
		if list.Kind != ir.KindArray {
			continue
		}
		_, most, unique := itemBounds(checks)
		if most >= 0 && most < 2 {
			continue
		}
		value := m.items(&ir.Value{Kind: ir.ArrayValue}, list.Elem, 2, 2, unique, hint{name: word(p.Name)})
		if value != nil && m.check.use(p.Use, value, 0) {
			return value
		}
	}
	return nil
}

// nested reports a list or object within another.
func nested(v *ir.Value) bool {
	flat := func(v *ir.Value) bool { return v.Kind != ir.ArrayValue && v.Kind != ir.ObjectValue }
	for _, item := range v.Items {
		if !flat(item) {
			return true
		}
	}
	for _, m := range v.Members {
		if !flat(m.Value) {
			return true
		}
	}
	return false
}
