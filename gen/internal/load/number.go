package load

import (
	"math/big"
	"strconv"
	"strings"
)

// maxDigits bounds the decimal exponent that Int64 follows; no int64 needs more,
// and a text of ten characters must not become a number of a billion digits.
const maxDigits = 100

// Int64 returns the value of a number node that is an integer, however written
// (7, 7.0, 70e-1), and fits. It is exact.
func (n *Node) Int64() (int64, bool) {
	text, ok := n.Num()
	if !ok {
		return 0, false
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, true
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if exponent != "" {
		if e, err := strconv.Atoi(exponent); err != nil || e > maxDigits || e < -maxDigits {
			return 0, strings.Trim(mantissa, "-0.") == "" // zero whatever the exponent
		}
	}
	if len(mantissa) > 10*maxDigits {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Float64 returns the value of a number node, rounded to the nearest float64. It
// is false for a number out of range.
func (n *Node) Float64() (float64, bool) {
	text, ok := n.Num()
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
