package json_test

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

// odd are pieces that do not stand for themselves in a string, or are no ASCII.
var odd = []string{"\"", "\\", "\n", "\x00", "\x1f", "\x7f", "\u00e9", "\u2028", "\u2029", "\U0001f600", "\x80", "\xff", "\xe2\x82", "/", " ", "!", "#", "[", "]"}

// wantString is what a string has to be written as, worked out byte by byte.
func wantString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch short := strings.IndexRune("\b\f\n\r\t\"\\", r); {
		case r == utf8.RuneError && size == 1:
			b.WriteString("\ufffd")
		case short >= 0:
			b.WriteString(`\` + `bfnrt"\`[short:short+1])
		case r < ' ' || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}

// TestStringsByWords has each odd piece at each place of strings around the size of a
// few words, alone and in pairs, written and read.
func TestStringsByWords(t *testing.T) {
	const filler = "abcdefghijklmnopqrstuvwxyz"
	for length := range len(filler) {
		checkString(t, filler[:length])
		for at := range length + 1 {
			for i, piece := range odd {
				s := filler[:at] + piece + filler[at:length]
				checkString(t, s)
				checkString(t, s+odd[(i+at)%len(odd)])
			}
		}
	}
}

func checkString(t *testing.T, s string) {
	t.Helper()
	want := wantString(s)
	for _, before := range []string{"", "x", "1234567"} { // the writer looks at what is there
		got, err := json.Encode([]byte(before), &s, json.String, json.Mode{})
		if err != nil || string(got) != before+want {
			t.Fatalf("%q is written %s, want %s (%v)", s, got, want, err)
		}
	}
	var back string
	for _, text := range []string{want, " " + want + "          ", want + "\n"} {
		if err := json.Decode([]byte(text), &back, json.String, json.Mode{}); err != nil || back != replaced(s) {
			t.Fatalf("%s is read as %q (%v)", text, back, err)
		}
	}
	// As it is, without escapes, it is JSON only where encoding/json has it so.
	raw := `"` + s + `"`
	err := json.Decode([]byte(raw), &back, json.String, json.Mode{})
	var broken *json.SyntaxError
	if valid := stdjson.Valid([]byte(raw)) && utf8.ValidString(raw); errors.As(err, &broken) == valid {
		t.Fatalf("%q: %v, encoding/json says %v", raw, err, valid)
	}
	var std string
	if err == nil && (stdjson.Unmarshal([]byte(raw), &std) != nil || std != back) {
		t.Fatalf("%q is read as %q, not %q", raw, back, std)
	}
}

// replaced has one U+FFFD for each byte that is no UTF-8.
func replaced(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		b.WriteRune(r)
		i += size
	}
	return b.String()
}

// TestNumbersWithoutStrconv holds what is read and written by a shorter way against
// strconv and encoding/json, bit by bit.
func TestNumbersWithoutStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "text")
		checkNumber(t, text)
	})
	for _, text := range []string{
		"0", "-0", "0.0", "-0.00", "1", "9007199254740992", "9007199254740993", "9007199254740991.5", "0.1", "0.3", "123456789012345678",
		"1234567890123456789", "0.000000000000000001", "16777216", "16777217", "1.6777217", "3.4028235e38", "99999999999.9999", "1e22", "1e23",
		"0.12345678901234567890123", "4503599627370496.5", "0.30000000000000004", "100000000000", "99999999999.99",
	} {
		checkNumber(t, text)
	}
	for _, text := range []string{"01", "-", "-01", "1.", ".5", "1.e3", "1e", "+1", "1.5.2", "0x10", "--1", "00.5", "1_0"} {
		var f float64
		var broken *json.SyntaxError
		if err := json.Decode([]byte(text), &f, json.Float64, json.Mode{}); !errors.As(err, &broken) {
			t.Errorf("%s: %v, %v", text, f, err)
		}
	}
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func checkNumber(t fataler, text string) {
	var got float64
	want, err := strconv.ParseFloat(text, 64)
	if decodeErr := json.Decode([]byte(text), &got, json.Float64, json.Mode{}); (decodeErr == nil) != (err == nil) {
		t.Fatalf("%s: %v, strconv says %v", text, decodeErr, err)
	}
	if err == nil && math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%s is read as %v, not %v", text, got, want)
	}
	var got32 float32
	want32, err := strconv.ParseFloat(text, 32)
	if decodeErr := json.Decode([]byte(text), &got32, json.Float32, json.Mode{}); (decodeErr == nil) != (err == nil) {
		t.Fatalf("%s: %v, strconv says %v", text, decodeErr, err)
	}
	if err == nil && math.Float32bits(got32) != math.Float32bits(float32(want32)) {
		t.Fatalf("%s is read as %v, not %v", text, got32, float32(want32))
	}
	checkWritten(t, want)
}

func checkWritten(t fataler, v float64) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return
	}
	want, err := stdjson.Marshal(v)
	if err != nil {
		t.Fatalf("%v: %v", v, err)
	}
	got, err := json.Encode(nil, &v, json.Float64, json.Mode{})
	if err != nil || string(got) != string(want) {
		t.Fatalf("%v is written %s, want %s (%v)", v, got, want, err)
	}
}

// TestFloatsAreShortest: amounts of money and whatever else a float64 can be.
func TestFloatsAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1e15, 1e15).Draw(t, "n")
		k := rapid.IntRange(0, 8).Draw(t, "k")
		checkWritten(t, float64(n)/math.Pow10(k))
		checkWritten(t, math.Nextafter(float64(n)/math.Pow10(k), 0))
		checkWritten(t, rapid.Float64().Draw(t, "v"))
		checkWritten(t, math.Float64frombits(rapid.Uint64().Draw(t, "bits")))
	})
	for cents := int64(-20_000); cents <= 20_000; cents++ {
		checkWritten(t, float64(cents)/100)
		checkWritten(t, float64(cents)/10_000)
		checkWritten(t, float64(cents*7_919_993)/100)
	}
}
