package lower

import (
	"encoding/json"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestIsNumber(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0": true, "10": true, "1.5": true, "1e3": true, "1E+3": true, "-2.50e-07": true,
		"": false, "-": false, "01": false, "1.": false, ".5": false, "1e": false, "1e+": false, "+1": false,
		"0x1": false, "1_000": false, " 1": false, "NaN": false, "1.5.2": false, "1e3.5": false,
	} {
		if got := isNumber(text); got != want {
			t.Errorf("isNumber(%q) = %t, want %t", text, got, want)
		}
		if got := json.Valid([]byte(text)) && text != " 1"; got != want {
			t.Errorf("the table is wrong about %q", text)
		}
	}
}

func TestCompareNumbers(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"1", "1.0", 0}, {"0", "-0", 0}, {"1e3", "1000", 0}, {"10", "9", 1}, {"-10", "-9", -1}, {"0.1", "0.09", 1},
		{"9007199254740993", "9007199254740992", 1}, {"1e999999999999999999999", "1e5", 1}, {"-1e400", "1", -1},
		{"1e-999999999999999999999", "0", 1}, {"123e-2", "1.23", 0},
	} {
		if got := compareNumbers(test.a, test.b); got != test.want {
			t.Errorf("compareNumbers(%s, %s) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := compareNumbers(test.b, test.a); got != -test.want {
			t.Errorf("compareNumbers(%s, %s) = %d, want %d", test.b, test.a, got, -test.want)
		}
	}
}

func TestCompareNumbersAgainstRationals(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		s := strconv.Itoa(rapid.IntRange(-2000, 2000).Draw(t, "whole"))
		if rapid.Bool().Draw(t, "fractional") {
			s += "." + rapid.StringMatching(`[0-9]{1,4}`).Draw(t, "fraction")
		}
		if rapid.Bool().Draw(t, "scaled") {
			s += "e" + strconv.Itoa(rapid.IntRange(-6, 6).Draw(t, "exponent"))
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := compareNumbers(a, b), x.Cmp(y); got != want {
			t.Errorf("compareNumbers(%s, %s) = %d, want %d", a, b, got, want)
		}
		if got, want := integral(a), x.IsInt(); got != want {
			t.Errorf("integral(%s) = %t, want %t", a, got, want)
		}
		if x.Sign() <= 0 || y.Sign() <= 0 {
			return
		}
		text, ok := leastMultiple(a, b)
		m, isNumber := new(big.Rat).SetString(text)
		if !ok || !isNumber {
			t.Fatalf("leastMultiple(%s, %s) = %q, %t", a, b, text, ok)
		}
		p, q := new(big.Rat).Quo(m, x), new(big.Rat).Quo(m, y)
		if !p.IsInt() || !q.IsInt() || new(big.Int).GCD(nil, nil, p.Num(), q.Num()).Cmp(big.NewInt(1)) != 0 {
			t.Errorf("leastMultiple(%s, %s) = %s, which is not the least", a, b, text)
		}
	})
}
