package value_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestNumberInt64(t *testing.T) {
	for text, want := range map[value.Number]int64{
		"": 0, "0": 0, "-0": 0, "0.0": 0, "0e999999999999": 0, "1": 1, "1.0": 1, "1e3": 1000, "10e-1": 1,
		"12.50e1": 125, "9007199254740993": 9007199254740993, "0.5e1": 5, "100e-2": 1,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64,
		"9223372036854775807.000": math.MaxInt64, "922337203685477580.7e1": math.MaxInt64,
		"0.000000000000000000000000000001e30": 1,
	} {
		if got, err := text.Int64(); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []value.Number{
		"1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e999999999999999999999", "x", "01",
		"1.", "+1", " 1", "1e", "0x1", "١",
	} {
		if got, err := text.Int64(); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
	if got, err := value.Number("18446744073709551615").Uint64(); err != nil || got != math.MaxUint64 {
		t.Errorf("largest: %d, %v", got, err)
	}
	if got, err := value.Number("-0").Uint64(); err != nil || got != 0 {
		t.Errorf("-0: %d, %v", got, err)
	}
	for _, text := range []value.Number{"-1", "18446744073709551616", "0.5", "2e19"} {
		if got, err := text.Uint64(); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
}

func TestNumberExactness(t *testing.T) {
	for _, test := range []struct {
		a, b    value.Number
		compare int
	}{
		{"1", "1.0", 0},
		{"100", "1e2", 0},
		{"0", "-0.000", 0},
		{"9007199254740993", "9007199254740992", 1},
		{"-1", "1", -1},
		{"-2", "-1", -1},
		{"0.1", "0.10000000000000001", -1},
		{"12", "123e-1", -1},
		{"1.2", "1.23", -1},
		{"1e400", "9e399", 1},
		{"-1e-400", "0", -1},
	} {
		if got := test.a.Compare(test.b); got != test.compare {
			t.Errorf("Compare(%s, %s) = %d", test.a, test.b, got)
		}
		if got := test.b.Compare(test.a); got != -test.compare {
			t.Errorf("Compare(%s, %s) = %d", test.b, test.a, got)
		}
		if same := test.a.Canonical() == test.b.Canonical(); same != (test.compare == 0) {
			t.Errorf("Canonical: %s and %s", test.a.Canonical(), test.b.Canonical())
		}
	}
}

func TestNumberIsMultipleOf(t *testing.T) {
	for _, test := range []struct {
		n, m value.Number
		want bool
	}{
		{"19.99", "0.01", true}, {"0.0075", "0.0001", true}, {"0.00751", "0.0001", false},
		{"10", "2.5", true}, {"4.5", "1.5", true}, {"35", "1.5", false}, {"0", "7", true},
		{"1e308", "0.123456789", false}, {"1e1000000000000", "3", false}, {"3e1000000000000", "3", true},
		{"1e-1000000000000", "3", false}, {"9007199254740993", "3", true}, {"9007199254740992", "3", false},
		{"-9", "3", true}, {"123456789012345678901234567890", "123456789012345678901234567890", true},
		{"123456789012345678901234567891", "123456789012345678901234567890", false},
		{"5", "0", true}, {"x", "1", false},
	} {
		if got := test.n.IsMultipleOf(test.m); got != test.want {
			t.Errorf("%s of %s: %v", test.n, test.m, got)
		}
	}
	if !value.FloatIsMultipleOf(19.99, 64, "0.01") || value.FloatIsMultipleOf(19.995, 64, "0.01") {
		t.Error("float64")
	}
	if f := float32(19.99); !value.FloatIsMultipleOf(float64(f), 32, "0.01") {
		t.Error("float32")
	}
	if value.FloatIsMultipleOf(math.Inf(1), 64, "1") || value.FloatIsMultipleOf(math.NaN(), 64, "1") {
		t.Error("infinity or NaN")
	}
}

// TestNumberAgainstBig holds the arithmetic against math/big.
func TestNumberAgainstBig(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?`).Draw(t, "mantissa")
		if rapid.Bool().Draw(t, "scaled") {
			text += "e" + strconv.Itoa(rapid.IntRange(-30, 30).Draw(t, "exponent"))
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := value.Number(a).Compare(value.Number(b)), x.Cmp(y); got != want {
			t.Fatalf("Compare(%s, %s) = %d, want %d", a, b, got, want)
		}
		if got := value.Number(a).IsInteger(); got != x.IsInt() {
			t.Fatalf("IsInteger(%s) = %v", a, got)
		}
		z, ok := new(big.Rat).SetString(value.Number(a).Canonical())
		if !ok || z.Cmp(x) != 0 {
			t.Fatalf("Canonical(%s) = %s", a, value.Number(a).Canonical())
		}
		if y.Sign() != 0 {
			want := new(big.Rat).Quo(x, y).IsInt()
			if got := value.Number(a).IsMultipleOf(value.Number(b)); got != want {
				t.Fatalf("IsMultipleOf(%s, %s) = %v", a, b, got)
			}
			product := new(big.Rat).Mul(y, big.NewRat(rapid.Int64().Draw(t, "factor"), 1)).FloatString(60)
			if !value.Number(product).IsMultipleOf(value.Number(b)) {
				t.Fatalf("%s is a multiple of %s", product, b)
			}
		}
		if n, err := value.Number(a).Int64(); (err == nil) != (x.IsInt() && x.Num().IsInt64()) {
			t.Fatalf("Int64(%s) = %d, %v", a, n, err)
		} else if err == nil && n != x.Num().Int64() {
			t.Fatalf("Int64(%s) = %d", a, n)
		}
		if n, err := value.Number(a).Uint64(); (err == nil) != (x.IsInt() && x.Num().IsUint64()) {
			t.Fatalf("Uint64(%s) = %d, %v", a, n, err)
		} else if err == nil && n != x.Num().Uint64() {
			t.Fatalf("Uint64(%s) = %d", a, n)
		}
	})
}

func TestNumberText(t *testing.T) {
	var n value.Number
	if err := json.Unmarshal([]byte("10.10"), &n); err != nil || n != "10.10" {
		t.Errorf("%s, %v", n, err)
	}
	if got, err := json.Marshal([]value.Number{n, ""}); err != nil || string(got) != "[10.10,0]" {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{`"1"`, "null", "true"} {
		if err := json.Unmarshal([]byte(bad), &n); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
	if _, err := json.Marshal(value.Number("1,5")); err == nil {
		t.Error("1,5 is no error")
	}
	if f, err := value.Number("0.1").Float64(); err != nil || f != 0.1 {
		t.Errorf("%v, %v", f, err)
	}
	for _, bad := range []value.Number{"1e999", "0x10", "Inf", "1_0"} {
		if f, err := bad.Float64(); err == nil {
			t.Errorf("%s: %v", bad, f)
		}
	}
}

// TestNumberHostileSize: neither an exponent nor a long text takes time.
func TestNumberHostileSize(t *testing.T) {
	long := value.Number("1" + strings.Repeat("0", 1<<20) + "." + strings.Repeat("3", 1<<20))
	if long.IsInteger() || long.IsMultipleOf("0.7") || long.Compare("1e1048576") != 1 {
		t.Error("long number")
	}
	if value.Number("1e-9223372036854775809").Compare("1e9223372036854775807") != -1 {
		t.Error("exponents past int64")
	}
	if n := testing.AllocsPerRun(100, func() {
		_ = value.Number("12.50").IsMultipleOf("0.01") && value.FloatIsMultipleOf(19.99, 64, "0.01")
	}); n != 0 && !raceDetector {
		t.Errorf("%v allocations", n)
	}
}
