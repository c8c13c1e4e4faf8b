package value

import (
	"errors"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

var (
	errNumber   = errors.New("value: not a JSON number")
	errInteger  = errors.New("value: not an integer")
	errIntRange = errors.New("value: the integer does not fit")
)

// Number is a number as it was written, in the grammar of RFC 8259, so that no
// digit is lost. The empty Number stands for 0. Arithmetic on it is exact.
type Number string

// String returns the text.
func (n Number) String() string { return string(n.orZero()) }

func (n Number) orZero() Number {
	if n == "" {
		return "0"
	}
	return n
}

// Valid reports whether the text is a number of RFC 8259.
func (n Number) Valid() bool {
	_, ok := parseDecimal(string(n))
	return ok
}

// Int64 returns the number when it is an integer that fits: 1.0 and 1e3 do,
// 1.5 does not.
func (n Number) Int64() (int64, error) {
	neg, v, err := n.integer()
	switch {
	case err != nil:
		return 0, err
	case !neg && v <= 1<<63-1:
		return int64(v), nil
	case neg && v <= 1<<63:
		return -int64(v), nil
	}
	return 0, errIntRange
}

// Uint64 returns the number when it is an integer that fits. -0 is 0.
func (n Number) Uint64() (uint64, error) {
	neg, v, err := n.integer()
	if err == nil && neg && v != 0 {
		err = errIntRange
	}
	if err != nil {
		return 0, err
	}
	return v, nil
}

// integer returns the sign and the magnitude.
func (n Number) integer() (neg bool, v uint64, err error) {
	d, ok := parseDecimal(string(n.orZero()))
	switch {
	case !ok:
		return false, 0, errNumber
	case !d.isInteger():
		return false, 0, errInteger
	case d.top > 20:
		return false, 0, errIntRange
	}
	for i := range len(d.digits) {
		if c := d.digits[i]; c != '.' {
			if v, ok = timesTen(v, uint64(c-'0')); !ok {
				return false, 0, errIntRange
			}
		}
	}
	for range d.top - d.n {
		if v, ok = timesTen(v, 0); !ok {
			return false, 0, errIntRange
		}
	}
	return d.neg, v, nil
}

// timesTen returns v*10 + digit, and false when it overflows.
func timesTen(v, digit uint64) (uint64, bool) {
	hi, lo := bits.Mul64(v, 10)
	sum, carry := bits.Add64(lo, digit, 0)
	return sum, hi == 0 && carry == 0
}

// Float64 returns the nearest float64, and an error when there is none.
func (n Number) Float64() (float64, error) {
	if !n.orZero().Valid() {
		return 0, errNumber
	}
	return strconv.ParseFloat(string(n.orZero()), 64)
}

// IsInteger reports whether the number has no fraction: 1.0 and 10e-1 are 1.
func (n Number) IsInteger() bool {
	d, ok := parseDecimal(string(n.orZero()))
	return ok && d.isInteger()
}

// Compare returns -1, 0 or 1. A text that is no number counts as 0.
func (n Number) Compare(m Number) int {
	a, _ := parseDecimal(string(n))
	b, _ := parseDecimal(string(m))
	return a.compare(b)
}

// IsMultipleOf reports whether n/m is an integer. Where m is 0 or no number
// there is nothing to divide by and every n passes.
func (n Number) IsMultipleOf(m Number) bool {
	a, ok := parseDecimal(string(n.orZero()))
	if !ok {
		return false
	}
	b, _ := parseDecimal(string(m))
	return a.isMultipleOf(b)
}

// FloatIsMultipleOf is IsMultipleOf for the shortest decimal text that gives
// v as a float of 32 or 64 bits. NaN and infinities are multiples of nothing.
func FloatIsMultipleOf(v float64, bitSize int, m Number) bool {
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], v, 'e', -1, bitSize)
	a, ok := parseDecimal(string(text))
	if !ok {
		return false
	}
	b, _ := parseDecimal(string(m))
	return a.isMultipleOf(b)
}

// Canonical returns a text that two numbers share exactly when they are equal.
func (n Number) Canonical() string {
	d, _ := parseDecimal(string(n))
	if d.n == 0 {
		return "0"
	}
	text := d.mantissa()
	if d.neg {
		text = "-" + text
	}
	if exp := d.top - d.n; exp != 0 {
		text += "e" + strconv.FormatInt(exp, 10)
	}
	return text
}

// MarshalJSON returns the text, or an error when it is no number.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.orZero().Valid() {
		return nil, errNumber
	}
	return []byte(n.orZero()), nil
}

// UnmarshalJSON keeps the text of a number; it refuses everything else.
func (n *Number) UnmarshalJSON(b []byte) error { return n.UnmarshalText(b) }

// MarshalText returns the text, or an error when it is no number.
func (n Number) MarshalText() ([]byte, error) { return n.MarshalJSON() }

// UnmarshalText keeps the text of a number; it refuses everything else.
func (n *Number) UnmarshalText(b []byte) error {
	v := Number(b)
	if !v.Valid() {
		return errNumber
	}
	*n = v
	return nil
}

// decimal is a parsed number: 0.DDDD x 10^top, with n significant digits. Zero
// has none.
type decimal struct {
	neg    bool
	digits string // from the first to the last digit that is not 0; may hold the point
	n      int64
	top    int64
}

// maxExponent is where exponents stop growing: no text has digits enough to
// bring such a number back into reach.
const maxExponent = 1 << 50

// parseDecimal reads a number of RFC 8259. It allocates nothing.
func parseDecimal(s string) (decimal, bool) {
	i := 0
	neg := i < len(s) && s[i] == '-'
	if neg {
		i++
	}
	start := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	whole := i - start
	if whole == 0 || (s[start] == '0' && whole > 1) {
		return decimal{}, false
	}
	if i < len(s) && s[i] == '.' {
		i++
		fraction := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == fraction {
			return decimal{}, false
		}
	}
	exp, ok := parseExponent(s[i:])
	if !ok {
		return decimal{}, false
	}
	d := trim(s[start:i], whole)
	if d.n > 0 {
		d.neg = neg
		d.top += exp
	}
	return d, true
}

func parseExponent(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	if s[0]|0x20 != 'e' {
		return 0, false
	}
	s = s[1:]
	neg := false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if s == "" {
		return 0, false
	}
	var exp int64
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		exp = min(exp*10+int64(s[i]-'0'), maxExponent)
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

// trim returns the decimal of a mantissa with whole digits before its point.
func trim(mantissa string, whole int) decimal {
	first, last := -1, -1
	for i := range len(mantissa) {
		if c := mantissa[i]; c != '0' && c != '.' {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return decimal{}
	}
	d := decimal{digits: mantissa[first : last+1], n: int64(last + 1 - first)}
	if first < whole && last > whole {
		d.n-- // the point
	}
	if first < whole {
		d.top = int64(whole - first)
	} else {
		d.top = -int64(first - whole - 1)
	}
	return d
}

// mantissa returns the digits without the point, in a text of their own: so the
// digits of a float's text stay on the stack where no text is needed.
func (d decimal) mantissa() string {
	b := make([]byte, 0, len(d.digits))
	for i := range len(d.digits) {
		if c := d.digits[i]; c != '.' {
			b = append(b, c)
		}
	}
	return string(b)
}

func (d decimal) isInteger() bool { return d.n <= d.top || d.n == 0 }

func (d decimal) sign() int {
	switch {
	case d.n == 0:
		return 0
	case d.neg:
		return -1
	}
	return 1
}

func (d decimal) compare(e decimal) int {
	if a, b := d.sign(), e.sign(); a != b || a == 0 {
		return compare(int64(a), int64(b))
	}
	c := compare(d.top, e.top)
	if c == 0 {
		c = compareDigits(d.digits, e.digits)
	}
	if d.neg {
		return -c
	}
	return c
}

// compareDigits compares two mantissas of the same magnitude from the left.
func compareDigits(a, b string) int {
	for {
		a, b = strings.TrimPrefix(a, "."), strings.TrimPrefix(b, ".")
		if a == "" || b == "" {
			return compare(int64(len(a)), int64(len(b)))
		}
		if a[0] != b[0] {
			return compare(int64(a[0]), int64(b[0]))
		}
		a, b = a[1:], b[1:]
	}
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// isMultipleOf decides d/e with the digits alone, D x 10^k / E: an exponent in
// the input is never multiplied out.
func (d decimal) isMultipleOf(e decimal) bool {
	if d.n == 0 || e.n == 0 {
		return true
	}
	k := (d.top - d.n) - (e.top - e.n)
	if k < 0 {
		// D would have to end in a zero, and its zeros are trimmed.
		return false
	}
	if e.n > 18 {
		return d.isMultipleOfBig(e, k)
	}
	var m uint64
	for i := range len(e.digits) {
		if c := e.digits[i]; c != '.' {
			m = m*10 + uint64(c-'0')
		}
	}
	var rest uint64
	for i := range len(d.digits) {
		if c := d.digits[i]; c != '.' {
			rest = (mulMod(rest, 10, m) + uint64(c-'0')) % m
		}
	}
	power, base := 1%m, 10%m
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			power = mulMod(power, base, m)
		}
		base = mulMod(base, base, m)
	}
	return mulMod(rest, power, m) == 0
}

func mulMod(a, b, m uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, m)
}

func (d decimal) isMultipleOfBig(e decimal, k int64) bool {
	a, _ := new(big.Int).SetString(d.mantissa(), 10)
	m, _ := new(big.Int).SetString(e.mantissa(), 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(k), m)
	a.Mul(a.Mod(a, m), power)
	return a.Mod(a, m).Sign() == 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
