package check

import (
	"strconv"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// Limit is an optional bound; the zero Limit is none. Int, Uint, Float and Len
// make one.
type Limit[T any] struct {
	v   T
	set bool
}

// Int returns a bound of IntRules.
func Int(v int64) Limit[int64] { return Limit[int64]{v, true} }

// Uint returns a bound of UintRules.
func Uint(v uint64) Limit[uint64] { return Limit[uint64]{v, true} }

// Float returns a bound of FloatRules.
func Float(v float64) Limit[float64] { return Limit[float64]{v, true} }

// Len returns the upper bound of a length or a size.
func Len(v int) Limit[int] { return Limit[int]{v, true} }

// StringRules are the constraints of a string; the zero value has none.
type StringRules struct {
	MinLength int        // in code points
	MaxLength Limit[int] // in code points
	Pattern   *Pattern
	Format    Format
}

// String checks the string member name.
func (c *Checker) String(name, v string, r *StringRules) {
	if r.fits(v) {
		return
	}
	c.Enter(name)
	r.report(c, v)
	c.Leave()
}

// StringOf makes an element function of r.
func StringOf[T ~string](r *StringRules) func(*T, *Checker) {
	return func(v *T, c *Checker) {
		if !r.fits(string(*v)) {
			r.report(c, string(*v))
		}
	}
}

func (r *StringRules) fits(v string) bool {
	return (r.MinLength <= 0 || !shorter(v, r.MinLength)) &&
		(!r.MaxLength.set || !longer(v, r.MaxLength.v)) &&
		(r.Pattern == nil || r.Pattern.Match(v)) &&
		r.Format.Match(v)
}

// shorter reports whether v has fewer than n code points, counting only when
// the number of bytes leaves it open.
func shorter(v string, n int) bool {
	return len(v) < n || (len(v)/utf8.UTFMax < n && utf8.RuneCountInString(v) < n)
}

// longer reports whether v has more than n code points.
func longer(v string, n int) bool {
	return len(v) > n && (len(v)/utf8.UTFMax > n || utf8.RuneCountInString(v) > n)
}

func (r *StringRules) report(c *Checker, v string) {
	if r.MinLength > 0 && shorter(v, r.MinLength) {
		c.Add("minLength", "must be at least "+plural(r.MinLength, "character", "characters")+
			", is "+strconv.Itoa(utf8.RuneCountInString(v)))
	}
	if r.MaxLength.set && longer(v, r.MaxLength.v) {
		c.Add("maxLength", "must be at most "+plural(r.MaxLength.v, "character", "characters")+
			", is "+strconv.Itoa(utf8.RuneCountInString(v)))
	}
	if r.Pattern != nil {
		switch matches, known := r.Pattern.Try(v); {
		case !known:
			c.Add("pattern", "takes too many attempts to be held against the pattern "+r.Pattern.String())
		case !matches:
			c.Add("pattern", "must match the pattern "+r.Pattern.String())
		}
	}
	if !r.Format.Match(v) {
		c.Add("format", "must be "+r.Format.describe())
	}
}

// IntRules are the constraints of an integer that fits int64; the zero value
// has none. A bound outside int64, or between two integers, is rounded inwards
// by whoever writes the literal.
type IntRules struct {
	Minimum, Maximum                   Limit[int64]
	ExclusiveMinimum, ExclusiveMaximum Limit[int64]
	MultipleOf                         int64 // none when 0 or less
}

// Int checks the integer member name.
func (c *Checker) Int(name string, v int64, r *IntRules) {
	if r.fits(v) {
		return
	}
	c.Enter(name)
	r.report(c, v)
	c.Leave()
}

// IntOf makes an element function of r.
func IntOf[T ~int | ~int8 | ~int16 | ~int32 | ~int64](r *IntRules) func(*T, *Checker) {
	return func(v *T, c *Checker) {
		if !r.fits(int64(*v)) {
			r.report(c, int64(*v))
		}
	}
}

func (r *IntRules) fits(v int64) bool {
	return (!r.Minimum.set || v >= r.Minimum.v) &&
		(!r.Maximum.set || v <= r.Maximum.v) &&
		(!r.ExclusiveMinimum.set || v > r.ExclusiveMinimum.v) &&
		(!r.ExclusiveMaximum.set || v < r.ExclusiveMaximum.v) &&
		(r.MultipleOf <= 0 || v%r.MultipleOf == 0)
}

func (r *IntRules) report(c *Checker, v int64) {
	text := func(n int64) string { return strconv.FormatInt(n, 10) }
	reportBounds(c, v, r.Minimum, r.Maximum, r.ExclusiveMinimum, r.ExclusiveMaximum, text)
	if r.MultipleOf > 0 && v%r.MultipleOf != 0 {
		c.Add("multipleOf", "must be a multiple of "+text(r.MultipleOf))
	}
}

// UintRules are the constraints of an integer that fits uint64; the zero value
// has none.
type UintRules struct {
	Minimum, Maximum                   Limit[uint64]
	ExclusiveMinimum, ExclusiveMaximum Limit[uint64]
	MultipleOf                         uint64 // none when 0
}

// Uint checks the unsigned member name.
func (c *Checker) Uint(name string, v uint64, r *UintRules) {
	if r.fits(v) {
		return
	}
	c.Enter(name)
	r.report(c, v)
	c.Leave()
}

// UintOf makes an element function of r.
func UintOf[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *UintRules) func(*T, *Checker) {
	return func(v *T, c *Checker) {
		if !r.fits(uint64(*v)) {
			r.report(c, uint64(*v))
		}
	}
}

func (r *UintRules) fits(v uint64) bool {
	return (!r.Minimum.set || v >= r.Minimum.v) &&
		(!r.Maximum.set || v <= r.Maximum.v) &&
		(!r.ExclusiveMinimum.set || v > r.ExclusiveMinimum.v) &&
		(!r.ExclusiveMaximum.set || v < r.ExclusiveMaximum.v) &&
		(r.MultipleOf == 0 || v%r.MultipleOf == 0)
}

func (r *UintRules) report(c *Checker, v uint64) {
	text := func(n uint64) string { return strconv.FormatUint(n, 10) }
	reportBounds(c, v, r.Minimum, r.Maximum, r.ExclusiveMinimum, r.ExclusiveMaximum, text)
	if r.MultipleOf != 0 && v%r.MultipleOf != 0 {
		c.Add("multipleOf", "must be a multiple of "+text(r.MultipleOf))
	}
}

// FloatRules are the constraints of a float; the zero value has none.
type FloatRules struct {
	Minimum, Maximum                   Limit[float64]
	ExclusiveMinimum, ExclusiveMaximum Limit[float64]
	// MultipleOf is decimal text, "0.01"; none when empty. The float is taken
	// as its shortest decimal text, so that 19.99 is a multiple of 0.01.
	MultipleOf value.Number
}

// Float checks the float member name.
func (c *Checker) Float(name string, v float64, r *FloatRules) {
	if r.fits(v, 64) {
		return
	}
	c.Enter(name)
	r.report(c, v, 64)
	c.Leave()
}

// FloatOf makes an element function of r. For float32 the shortest text is the
// one that gives the same float32.
func FloatOf[T ~float32 | ~float64](r *FloatRules) func(*T, *Checker) {
	bits := 64
	// 1 + 2^-40 is 1 in float32 only.
	if one, step := T(1), T(1.0/(1<<40)); one+step == one {
		bits = 32
	}
	return func(v *T, c *Checker) {
		if !r.fits(float64(*v), bits) {
			r.report(c, float64(*v), bits)
		}
	}
}

func (r *FloatRules) fits(v float64, bits int) bool {
	return (!r.Minimum.set || v >= r.Minimum.v) &&
		(!r.Maximum.set || v <= r.Maximum.v) &&
		(!r.ExclusiveMinimum.set || v > r.ExclusiveMinimum.v) &&
		(!r.ExclusiveMaximum.set || v < r.ExclusiveMaximum.v) &&
		(r.MultipleOf == "" || r.isMultiple(v, bits))
}

func (r *FloatRules) isMultiple(v float64, bits int) bool {
	return value.FloatIsMultipleOf(v, bits, r.MultipleOf)
}

func (r *FloatRules) report(c *Checker, v float64, bits int) {
	text := func(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
	reportBounds(c, v, r.Minimum, r.Maximum, r.ExclusiveMinimum, r.ExclusiveMaximum, text)
	if r.MultipleOf != "" && !r.isMultiple(v, bits) {
		c.Add("multipleOf", "must be a multiple of "+string(r.MultipleOf))
	}
}

// reportBounds adds the bounds that v breaks. The conditions are negated, so
// that NaN breaks every bound.
func reportBounds[T int64 | uint64 | float64](
	c *Checker, v T, minimum, maximum, above, below Limit[T], text func(T) string,
) {
	if minimum.set && !(v >= minimum.v) {
		c.Add("minimum", "must be at least "+text(minimum.v))
	}
	if maximum.set && !(v <= maximum.v) {
		c.Add("maximum", "must be at most "+text(maximum.v))
	}
	if above.set && !(v > above.v) {
		c.Add("exclusiveMinimum", "must be greater than "+text(above.v))
	}
	if below.set && !(v < below.v) {
		c.Add("exclusiveMaximum", "must be less than "+text(below.v))
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
