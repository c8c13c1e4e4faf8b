package check

import "github.com/holdfast-go/holdfast/runtime/value"

// NumberRules are the constraints of a number of any size and precision, all
// as decimal text and compared exactly; the zero value has none.
type NumberRules struct {
	Minimum, Maximum                   value.Number
	ExclusiveMinimum, ExclusiveMaximum value.Number
	MultipleOf                         value.Number
}

// Number checks the number member name.
func (c *Checker) Number(name string, v value.Number, r *NumberRules) {
	if r.fits(v) {
		return
	}
	c.Enter(name)
	r.report(c, v)
	c.Leave()
}

// NumberOf makes an element function of r.
func NumberOf(r *NumberRules) func(*value.Number, *Checker) {
	return func(v *value.Number, c *Checker) {
		if !r.fits(*v) {
			r.report(c, *v)
		}
	}
}

func (r *NumberRules) fits(v value.Number) bool {
	return (r.Minimum == "" || v.Compare(r.Minimum) >= 0) &&
		(r.Maximum == "" || v.Compare(r.Maximum) <= 0) &&
		(r.ExclusiveMinimum == "" || v.Compare(r.ExclusiveMinimum) > 0) &&
		(r.ExclusiveMaximum == "" || v.Compare(r.ExclusiveMaximum) < 0) &&
		(r.MultipleOf == "" || v.IsMultipleOf(r.MultipleOf))
}

func (r *NumberRules) report(c *Checker, v value.Number) {
	if r.Minimum != "" && v.Compare(r.Minimum) < 0 {
		c.Add("minimum", "must be at least "+string(r.Minimum))
	}
	if r.Maximum != "" && v.Compare(r.Maximum) > 0 {
		c.Add("maximum", "must be at most "+string(r.Maximum))
	}
	if r.ExclusiveMinimum != "" && v.Compare(r.ExclusiveMinimum) <= 0 {
		c.Add("exclusiveMinimum", "must be greater than "+string(r.ExclusiveMinimum))
	}
	if r.ExclusiveMaximum != "" && v.Compare(r.ExclusiveMaximum) >= 0 {
		c.Add("exclusiveMaximum", "must be less than "+string(r.ExclusiveMaximum))
	}
	if r.MultipleOf != "" && !v.IsMultipleOf(r.MultipleOf) {
		c.Add("multipleOf", "must be a multiple of "+string(r.MultipleOf))
	}
}
