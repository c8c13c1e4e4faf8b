// Package check tests decoded values against the constraints of a schema and
// collects what is wrong, all of it in one walk.
//
// Generated types have a Validate method that walks their fields with a
// Checker:
//
//	func (v *Order) Validate(c *check.Checker) {
//		c.String("id", v.ID, &orderID)
//		check.Opt(c, "note", &v.Note, check.StringOf[string](&orderNote))
//		c.Items("lines", len(v.Lines), &orderLines)
//		check.Each(c, "lines", v.Lines, (*Line).Validate)
//	}
//
// The place of a value is written down as a JSON pointer only when it is wrong,
// so that a walk over a valid value allocates nothing. An element function has
// the shape of a method expression, func(*T, *Checker).
//
// Patterns are those of ECMA-262, run by package ecma below this one within bounds
// of time; a text that a bound leaves open is a violation.
//
// What no Go type can say, such as not, if or unevaluatedProperties, is left to package
// schema below this one, which looks at JSON text: Hold tells a Checker that the text
// of a body has been held to it.
//
// Lengths count code points, bounds are exact, and a Detail never repeats the
// input: it may be long, and it may be a secret.
package check
