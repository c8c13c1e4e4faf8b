package lower

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// decimal is a JSON number in lowest terms: digits without zeros at either end,
// times ten to the exponent. Zero has no digits. Exponents stay what they are, so
// that 1e999999999 costs nothing.
type decimal struct {
	negative bool
	digits   string
	exp      int64
}

// maxExponent stands for every exponent beyond it.
const maxExponent = 1 << 40

// parseDecimal reads JSON number text; false when it is none.
func parseDecimal(s string) (decimal, bool) {
	if !isNumber(s) {
		return decimal{}, false
	}
	var d decimal
	s, d.negative = strings.CutPrefix(s, "-")
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.digits = whole + fraction
	if exponent != "" {
		d.exp = parseExponent(exponent)
	}
	d.exp -= int64(len(fraction))
	trimmed := strings.TrimRight(d.digits, "0")
	d.exp += int64(len(d.digits) - len(trimmed))
	d.digits = strings.TrimLeft(trimmed, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

func parseExponent(s string) int64 {
	e, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err == nil && e > -maxExponent && e < maxExponent:
		return e
	case strings.HasPrefix(s, "-"):
		return -maxExponent
	default:
		return maxExponent
	}
}

// isNumber reports whether s is number text of RFC 8259.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	rest := strings.TrimLeft(s, "0123456789")
	whole := s[:len(s)-len(rest)]
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return false
	}
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = strings.TrimLeft(fraction, "0123456789")
		if len(rest) == len(fraction) {
			return false
		}
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && strings.Trim(rest, "0123456789") == ""
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

func (d decimal) compare(e decimal) int {
	if c := cmp.Compare(d.sign(), e.sign()); c != 0 || d.digits == "" {
		return c
	}
	c := cmp.Or(
		cmp.Compare(int64(len(d.digits))+d.exp, int64(len(e.digits))+e.exp),
		// The same power of ten leads both, so their digits compare as text.
		strings.Compare(d.digits, e.digits),
	)
	return c * d.sign()
}

// compareNumbers compares two JSON numbers exactly. Text that is no number is zero.
func compareNumbers(a, b string) int {
	x, _ := parseDecimal(a)
	y, _ := parseDecimal(b)
	return x.compare(y)
}

// integral reports whether JSON number text names an integer: 1.0 and 1e3 do.
func integral(s string) bool {
	d, ok := parseDecimal(s)
	return ok && d.exp >= 0
}

// smallInt is the value of an integer between 0 and the largest int64.
func smallInt(s string) (int64, bool) {
	d, ok := parseDecimal(s)
	if !ok || d.negative || d.exp < 0 || d.exp > 18 {
		return 0, false
	}
	n, err := strconv.ParseInt(cmp.Or(d.digits, "0")+strings.Repeat("0", int(d.exp)), 10, 64)
	return n, err == nil
}

// leastMultiple is the smallest number that is a multiple of both; false when that
// is out of proportion.
func leastMultiple(a, b string) (string, bool) {
	const most = 400
	x, _ := parseDecimal(a)
	y, _ := parseDecimal(b)
	if x.sign() <= 0 || y.sign() <= 0 || len(x.digits) > most || len(y.digits) > most ||
		x.exp < -most || x.exp > most || y.exp < -most || y.exp > most {
		return "", false
	}
	exp := min(x.exp, y.exp)
	p, q := scaled(x, exp), scaled(y, exp)
	common := new(big.Int).GCD(nil, nil, p, q)
	text := new(big.Int).Mul(p, new(big.Int).Div(q, common)).String()
	return placePoint(text, exp), true
}

// scaled is the integer d / 10^exp.
func scaled(d decimal, exp int64) *big.Int {
	n, _ := new(big.Int).SetString(d.digits, 10)
	return n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(d.exp-exp), nil))
}

// placePoint writes digits times ten to the exponent without one.
func placePoint(digits string, exp int64) string {
	if exp >= 0 {
		return digits + strings.Repeat("0", int(exp))
	}
	places := int(-exp)
	if len(digits) <= places {
		digits = strings.Repeat("0", places-len(digits)+1) + digits
	}
	whole, fraction := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
