package json

import (
	"slices"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/check/schema"
)

// Hold holds the value at which d stands to schemas, where d is strict, and moves
// nothing. What is wrong there comes beside what decoding finds; of one value that both
// find fault with, what comes first in the text is told once.
func (d *Decoder) Hold(rules ...*schema.Rule) {
	if !d.mode.Strict || d.err != nil || d.covered() {
		return
	}
	d.rules.Start(d.src)
	d.held = true
	for _, r := range rules {
		found, end := d.rules.Check(r, d.pos)
		for _, f := range found {
			d.findings(finding{offset: f.Offset, member: f.HasMember, name: f.Member, rule: f.Rule, detail: f.Detail, soft: true})
		}
		if r.Whole() && d.trials == 0 {
			d.whole = end
		}
	}
}

// covered reports whether d stands in a value that was held to the whole of its schema.
// Inside of a trial that does not count: there the question is another one.
func (d *Decoder) covered() bool { return d.pos < d.whole && d.trials == 0 }

// Held returns a codec that holds what it reads to schemas as well.
func Held[T any](c Codec[T], rules ...*schema.Rule) Codec[T] {
	return Codec[T]{
		Decode: func(d *Decoder, v *T) {
			d.Hold(rules...)
			c.Decode(d, v)
		},
		Encode: c.Encode,
	}
}

// Hold holds the JSON text of v to schemas, for values that were not read from a text
// that was. A value that has no JSON text is left to whoever encodes it.
func Hold(c *check.Checker, v Marshaler, rules ...*schema.Rule) {
	if c.Held() {
		return
	}
	hold(c, func(e *Encoder) { e.Value(v) }, rules)
}

// Holds returns the element function of Hold for values that a codec writes.
func Holds[T any](c Codec[T], rules ...*schema.Rule) func(*T, *check.Checker) {
	return func(v *T, checker *check.Checker) {
		if !checker.Held() {
			hold(checker, func(e *Encoder) { c.Encode(e, v) }, rules)
		}
	}
}

func hold(c *check.Checker, encode func(*Encoder), rules []*schema.Rule) {
	e := Encoder{mode: Mode{Direction: direction(c)}}
	encode(&e)
	if e.err != nil {
		return
	}
	var text schema.Text
	src := string(e.buf)
	text.Start(src)
	for _, r := range rules {
		found, _ := text.Check(r, 0)
		slices.SortStableFunc(found, func(a, b schema.Finding) int { return a.Offset - b.Offset })
		offsets := make([]int, len(found))
		for i, f := range found {
			offsets[i] = f.Offset
		}
		where := pointers(src, 0, offsets)
		for i, f := range found {
			pointer := where[i]
			if f.HasMember {
				pointer = string(check.AppendPointer([]byte(pointer), f.Member))
			}
			c.AddBelow(pointer, f.Rule, f.Detail)
		}
	}
}

// direction is the way of a checker as this package has it.
func direction(c *check.Checker) Direction {
	switch {
	case !c.ReadOnly():
		return Request
	case !c.WriteOnly():
		return Response
	}
	return AnyDirection
}
