package sample

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func isInteger(s ir.Scalar) bool { return s >= ir.Int8 && s <= ir.BigInt }
func isNumber(s ir.Scalar) bool  { return s >= ir.Int8 && s <= ir.Decimal }

// interval is where a number may be.
type interval struct {
	low, high         *big.Rat // nil: no bound
	lowOpen, highOpen bool     // the bound itself is excluded
	steps             []*big.Rat
	broken            bool // a constraint that cannot be computed with
}

// maxExponent bounds the numbers that are computed with: a fraction of 10^maxExponent
// has that many digits.
const maxExponent = 400

// rational reads a JSON number exactly.
func rational(text string) (*big.Rat, bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exp, err := strconv.Atoi(text[i+1:])
		if err != nil || exp > maxExponent || exp < -maxExponent {
			return nil, false
		}
	}
	if len(text) > 2*maxExponent {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func (iv *interval) atLeast(text string, open bool) {
	r, ok := rational(text)
	switch {
	case text == "":
	case !ok:
		iv.broken = true
	case iv.low == nil || r.Cmp(iv.low) > 0:
		iv.low, iv.lowOpen = r, open
	case r.Cmp(iv.low) == 0:
		iv.lowOpen = iv.lowOpen || open
	}
}

func (iv *interval) atMost(text string, open bool) {
	r, ok := rational(text)
	switch {
	case text == "":
	case !ok:
		iv.broken = true
	case iv.high == nil || r.Cmp(iv.high) < 0:
		iv.high, iv.highOpen = r, open
	case r.Cmp(iv.high) == 0:
		iv.highOpen = iv.highOpen || open
	}
}

// limits are the ranges of the Go types.
var limits = map[ir.Scalar][2]string{
	ir.Int8: {"-128", "127"}, ir.Int16: {"-32768", "32767"}, ir.Int32: {"-2147483648", "2147483647"},
	ir.Int64: {"-9223372036854775808", "9223372036854775807"},
	ir.Uint8: {"0", "255"}, ir.Uint16: {"0", "65535"}, ir.Uint32: {"0", "4294967295"},
	ir.Uint64: {"0", "18446744073709551615"},
	// Finite, and where a float has a distance of one to the next at least.
	ir.Float32: {"-3.4028234e38", "3.4028234e38"}, ir.Float64: {"-1.7e308", "1.7e308"},
}

func intervalOf(s ir.Scalar, checks []*ir.Checks) *interval {
	iv := &interval{}
	if l, ok := limits[s]; ok {
		iv.atLeast(l[0], false)
		iv.atMost(l[1], false)
	}
	for _, c := range checks {
		iv.atLeast(c.Minimum, c.ExclusiveMinimum)
		iv.atMost(c.Maximum, c.ExclusiveMaximum)
		if c.MultipleOf == "" {
			continue
		}
		step, ok := rational(c.MultipleOf)
		if !ok || step.Sign() <= 0 {
			iv.broken = true
			continue
		}
		iv.steps = append(iv.steps, step)
	}
	if isInteger(s) {
		iv.steps = append(iv.steps, big.NewRat(1, 1))
	}
	return iv
}

func (iv *interval) holds(r *big.Rat) bool {
	if iv.low != nil {
		if c := r.Cmp(iv.low); c < 0 || c == 0 && iv.lowOpen {
			return false
		}
	}
	if iv.high != nil {
		if c := r.Cmp(iv.high); c > 0 || c == 0 && iv.highOpen {
			return false
		}
	}
	for _, step := range iv.steps {
		if !new(big.Rat).Quo(r, step).IsInt() {
			return false
		}
	}
	return true
}

// number makes the n-th number that the constraints allow, the nearest to 1 first.
func (m *maker) number(s ir.Scalar, checks []*ir.Checks, n int) *ir.Value {
	iv := intervalOf(s, checks)
	if iv.broken {
		return nil
	}
	t := &ir.Type{Kind: ir.KindScalar, Scalar: s}
	for _, r := range iv.candidates(n) {
		text, ok := decimal(r, s)
		if !ok {
			continue
		}
		v := &ir.Value{Kind: ir.NumberValue, Text: text}
		if m.check.typ(t, checks, v, 0) {
			return v
		}
	}
	return nil
}

// candidates are numbers of the interval. Whoever asks checks them again in the form
// that they get as text.
func (iv *interval) candidates(n int) []*big.Rat {
	if step := iv.step(); step != nil {
		return iv.multiples(step, n)
	}
	one := big.NewRat(1, 1)
	var out []*big.Rat
	whole := &interval{low: iv.low, high: iv.high, lowOpen: iv.lowOpen, highOpen: iv.highOpen, steps: []*big.Rat{one}}
	out = append(out, whole.multiples(one, n)...)
	if iv.low != nil && iv.high != nil {
		// Between two bounds that no integer lies between: the n-th part of the way.
		way := new(big.Rat).Sub(iv.high, iv.low)
		part := new(big.Rat).Mul(way, big.NewRat(int64(n)+1, int64(n)+2))
		out = append(out, part.Add(part, iv.low))
	}
	for _, r := range []*big.Rat{iv.low, iv.high} {
		if r != nil && iv.holds(r) {
			out = append(out, r)
		}
	}
	return out
}

// step is the least common multiple of the steps; nil: any number will do.
func (iv *interval) step() *big.Rat {
	var lcm *big.Rat
	for _, s := range iv.steps {
		if lcm == nil {
			lcm = s
			continue
		}
		// a/b and c/d: lcm(a*d, c*b) / (b*d).
		a := new(big.Int).Mul(lcm.Num(), s.Denom())
		c := new(big.Int).Mul(s.Num(), lcm.Denom())
		gcd := new(big.Int).GCD(nil, nil, a, c)
		num := new(big.Int).Mul(a, new(big.Int).Quo(c, gcd))
		lcm = new(big.Rat).SetFrac(num, new(big.Int).Mul(lcm.Denom(), s.Denom()))
	}
	return lcm
}

// multiples are multiples of step in the interval: the n-th from the start, which is
// the one next to 1 on the side that the bounds leave, and the start itself.
func (iv *interval) multiples(step *big.Rat, n int) []*big.Rat {
	start := big.NewRat(1, 1)
	if iv.low != nil && start.Cmp(iv.low) < 0 {
		start.Set(iv.low)
	}
	if iv.high != nil && start.Cmp(iv.high) > 0 {
		start.Set(iv.high)
	}
	up := ceil(new(big.Rat).Quo(start, step))
	at := func(k int64) *big.Rat {
		return new(big.Rat).Mul(new(big.Rat).SetInt(new(big.Int).Add(up, big.NewInt(k))), step)
	}
	var good []*big.Rat
	// The first ones upwards, then downwards: a bound may leave only one side.
	for _, sign := range []int64{1, -1} {
		for k := int64(0); k <= int64(n)+1; k++ {
			if r := at(sign * k); (sign > 0 || k > 0) && iv.holds(r) {
				good = append(good, r)
			}
		}
	}
	if len(good) == 0 {
		return nil
	}
	return []*big.Rat{good[n%len(good)], good[0]}
}

func ceil(r *big.Rat) *big.Int {
	q := new(big.Int).Div(r.Num(), r.Denom()) // towards minus infinity
	if !r.IsInt() {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// decimal writes a number as JSON text: exactly where its digits end, else as the
// nearest float.
func decimal(r *big.Rat, s ir.Scalar) (string, bool) {
	if r.IsInt() {
		text := r.Num().String()
		if len(text) > 25 && !isInteger(s) {
			f, _ := r.Float64()
			return strconv.FormatFloat(f, 'g', -1, 64), !math.IsInf(f, 0)
		}
		return text, true
	}
	if digits, exact := r.FloatPrec(); exact && digits <= 30 {
		return r.FloatString(digits), true
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64), !math.IsInf(f, 0)
}
