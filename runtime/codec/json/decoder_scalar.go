package json

import (
	"encoding/base64"
	"math"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// String reads a string. It is part of the input's copy, unless it holds
// escapes.
func (d *Decoder) String() string {
	s, i := d.src, d.pos
	if i >= len(s) || s[i] != '"' {
		d.Mismatch("a string")
		return ""
	}
	d.start = i
	// As text does, without the calls: most strings are short and in the middle.
	for i++; i+8 <= len(s); i += 8 {
		if found := specials(word(s, i)); found != 0 {
			if i += bits.TrailingZeros64(found) >> 3; s[i] != '"' {
				break
			}
			t := s[d.pos+1 : i]
			d.pos = i + 1
			return t
		}
	}
	return d.text()
}

// Bool reads a boolean.
func (d *Decoder) Bool() bool {
	rest := d.src[d.pos:]
	switch {
	case strings.HasPrefix(rest, "true"):
		d.start = d.pos
		d.pos += len("true")
		return true
	case strings.HasPrefix(rest, "false"):
		d.start = d.pos
		d.pos += len("false")
	default:
		d.Mismatch("a boolean")
	}
	return false
}

// Null passes over null and reports whether it was there. Any other value
// stays.
func (d *Decoder) Null() bool {
	if d.peek() != 'n' || !strings.HasPrefix(d.src[d.pos:], "null") {
		return false
	}
	d.start = d.pos
	d.pos += len("null")
	return true
}

// ReadNull reads a value that can only be null.
func (d *Decoder) ReadNull() {
	if !d.Null() {
		d.Mismatch("null")
	}
}

// number reads the text of a number, and notes that want is wanted where there
// is something else.
func (d *Decoder) number(want string) (string, bool) {
	if kindOf(d.peek()) != KindNumber {
		d.Mismatch(want)
		return "", false
	}
	d.start = d.pos
	end, fault := scanNumber(d.src, d.pos)
	if fault != "" {
		d.fault(end, fault)
		return "", false
	}
	text := d.src[d.pos:end]
	d.pos = end
	return text, true
}

// shortDigits is how many digits always fit an int64.
const shortDigits = 18

// short reads a plain integer of a few digits, the usual case. It consumes
// nothing when the number is of another form.
func (d *Decoder) short() (n int64, ok bool) {
	s, i := d.src, d.pos
	neg := i < len(s) && s[i] == '-'
	if neg {
		i++
	}
	first := i
	for i < len(s) && isDigit(s[i]) {
		if i-first == shortDigits {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
		i++
	}
	if i == first || (s[first] == '0' && i > first+1) {
		return 0, false
	}
	if i < len(s) && (s[i] == '.' || s[i]|0x20 == 'e') {
		return 0, false
	}
	d.start = d.pos
	d.pos = i
	if neg {
		n = -n
	}
	return n, true
}

// Int64 reads an integer. 1.0 and 1e3 are integers; 1.5 and "1" are not.
func (d *Decoder) Int64() int64 {
	if n, ok := d.short(); ok {
		return n
	}
	text, ok := d.number("an integer")
	if !ok {
		return 0
	}
	n, err := value.Number(text).Int64()
	if err != nil {
		d.failInteger(text, "a signed 64-bit integer")
	}
	return n
}

// Uint64 reads an integer that is not negative.
func (d *Decoder) Uint64() uint64 {
	if n, ok := d.short(); ok && n >= 0 {
		return uint64(n)
	} else if ok {
		d.Fail("format", "must fit an unsigned 64-bit integer")
		return 0
	}
	text, ok := d.number("an integer")
	if !ok {
		return 0
	}
	n, err := value.Number(text).Uint64()
	if err != nil {
		d.failInteger(text, "an unsigned 64-bit integer")
	}
	return n
}

func (d *Decoder) failInteger(text, fits string) {
	if !value.Number(text).IsInteger() {
		d.Fail("type", "must be an integer, has a fraction")
		return
	}
	d.Fail("format", "must fit "+fits)
}

func (d *Decoder) signed(bits int) int64 {
	n := d.Int64()
	if limit := int64(1) << (bits - 1); n < -limit || n >= limit {
		d.Fail("format", "must fit a signed "+strconv.Itoa(bits)+"-bit integer")
		return 0
	}
	return n
}

func (d *Decoder) unsigned(bits int) uint64 {
	n := d.Uint64()
	if n >= 1<<bits {
		d.Fail("format", "must fit an unsigned "+strconv.Itoa(bits)+"-bit integer")
		return 0
	}
	return n
}

// Int32 reads an integer that fits, as Int64 does.
func (d *Decoder) Int32() int32 { return int32(d.signed(32)) }

// Int16 reads an integer that fits, as Int64 does.
func (d *Decoder) Int16() int16 { return int16(d.signed(16)) }

// Int8 reads an integer that fits, as Int64 does.
func (d *Decoder) Int8() int8 { return int8(d.signed(8)) }

// Int reads an integer that fits, as Int64 does.
func (d *Decoder) Int() int { return int(d.signed(strconv.IntSize)) }

// Uint32 reads an integer that fits, as Uint64 does.
func (d *Decoder) Uint32() uint32 { return uint32(d.unsigned(32)) }

// Uint16 reads an integer that fits, as Uint64 does.
func (d *Decoder) Uint16() uint16 { return uint16(d.unsigned(16)) }

// Uint8 reads an integer that fits, as Uint64 does.
func (d *Decoder) Uint8() uint8 { return uint8(d.unsigned(8)) }

// Float64 reads a number and rounds it to the nearest float64.
func (d *Decoder) Float64() float64 {
	if f, ok := d.decimal(64); ok {
		return f
	}
	return d.float(64)
}

// Float32 reads a number and rounds it to the nearest float32.
func (d *Decoder) Float32() float32 {
	if f, ok := d.decimal(32); ok {
		return float32(f)
	}
	return float32(d.float(32))
}

func (d *Decoder) float(size int) float64 {
	text, ok := d.number("a number")
	if !ok {
		return 0
	}
	f, err := strconv.ParseFloat(text, size)
	if err != nil || math.IsInf(f, 0) {
		d.Fail("format", "must fit a "+strconv.Itoa(size)+"-bit float")
		return 0
	}
	return f
}

// powers are the powers of ten that a float64 has exactly; the first eleven are exact
// in a float32 as well.
var powers = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// decimal reads a number of few digits without an exponent, the usual case: where the
// digits as an integer and the power of ten are exact, their quotient is rounded once
// and so is the nearest number (Clinger 1990). It consumes nothing when the number is
// of another form.
func (d *Decoder) decimal(size int) (float64, bool) {
	s, i := d.src, d.pos
	neg := i < len(s) && s[i] == '-'
	if neg {
		i++
	}
	first, n := i, uint64(0)
	for i < len(s) && isDigit(s[i]) {
		n = n*10 + uint64(s[i]-'0')
		i++
	}
	digits := i - first
	if digits == 0 || s[first] == '0' && digits > 1 {
		return 0, false
	}
	fraction := 0
	if i < len(s) && s[i] == '.' {
		i++
		point := i
		for i < len(s) && isDigit(s[i]) {
			n = n*10 + uint64(s[i]-'0')
			i++
		}
		if fraction = i - point; fraction == 0 {
			return 0, false
		}
	}
	// Up to shortDigits n has not overflown.
	if digits+fraction > shortDigits || i < len(s) && s[i]|0x20 == 'e' {
		return 0, false
	}
	var f float64
	switch {
	case size == 64 && n <= 1<<53:
		f = float64(n) / powers[fraction]
	case size == 32 && n <= 1<<24 && fraction <= 10:
		f = float64(float32(n) / float32(powers[fraction]))
	default:
		return 0, false
	}
	if neg {
		f = -f
	}
	d.start, d.pos = d.pos, i
	return f, true
}

// Number reads a number and keeps its text.
func (d *Decoder) Number() value.Number {
	text, _ := d.number("a number")
	return value.Number(text)
}

// Integer reads an integer of any size and keeps its text.
func (d *Decoder) Integer() value.Number {
	text, ok := d.number("an integer")
	if ok && !value.Number(text).IsInteger() {
		d.Fail("type", "must be an integer, has a fraction")
		return ""
	}
	return value.Number(text)
}

// rawText passes over any value and returns its text.
func (d *Decoder) rawText() string {
	begin := d.pos
	d.Skip()
	if d.err != nil {
		return ""
	}
	return d.src[begin:d.pos]
}

// Raw reads any value and keeps its text.
func (d *Decoder) Raw() value.Raw {
	text := d.rawText()
	if text == "" {
		return nil
	}
	return value.Raw(text)
}

// parse reads a string in one of the formats.
func parse[T any](d *Decoder, want string, read func(string) (T, error)) T {
	var zero T
	if d.peek() != '"' {
		d.Mismatch("a string")
		return zero
	}
	v, err := read(d.String())
	if err != nil {
		d.Fail("format", "must be "+want)
		return zero
	}
	return v
}

// Time reads an RFC 3339 date-time; value.ParseDateTime says what is one.
func (d *Decoder) Time() time.Time {
	return parse(d, "an RFC 3339 date-time", value.ParseDateTime)
}

// Date reads an RFC 3339 full-date.
func (d *Decoder) Date() value.Date { return parse(d, "an RFC 3339 date", value.ParseDate) }

// TimeOfDay reads an RFC 3339 time, with or without an offset.
func (d *Decoder) TimeOfDay() value.Time { return parse(d, "an RFC 3339 time", value.ParseTime) }

// Duration reads an ISO 8601 duration.
func (d *Decoder) Duration() value.Duration {
	return parse(d, "an ISO 8601 duration", value.ParseDuration)
}

// UUID reads a UUID with hyphens.
func (d *Decoder) UUID() value.UUID { return parse(d, "a UUID", value.ParseUUID) }

// Addr reads an IP address of either family.
func (d *Decoder) Addr() netip.Addr { return parse(d, "an IP address", parseAddr) }

// Addr4 reads an IPv4 address.
func (d *Decoder) Addr4() netip.Addr {
	return d.family(parse(d, "an IPv4 address", parseAddr), netip.Addr.Is4, "an IPv4 address")
}

// Addr6 reads an IPv6 address without a zone.
func (d *Decoder) Addr6() netip.Addr {
	return d.family(parse(d, "an IPv6 address", parseAddr), netip.Addr.Is6, "an IPv6 address")
}

func (d *Decoder) family(a netip.Addr, is func(netip.Addr) bool, want string) netip.Addr {
	if a.IsValid() && !is(a) {
		d.Fail("format", "must be "+want)
		return netip.Addr{}
	}
	return a
}

func parseAddr(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	if err == nil && a.Zone() != "" {
		return netip.ParseAddr("") // RFC 4291 has no zones
	}
	return a, err
}

// Bytes reads base64 of RFC 4648, section 4, with its padding. The empty
// string is an empty slice, not nil.
func (d *Decoder) Bytes() []byte { return parse(d, "base64 text", decodeBase64) }

// Base64URL reads base64 of RFC 4648, section 5, padded or not.
func (d *Decoder) Base64URL() []byte { return parse(d, "base64url text", decodeBase64URL) }

func decodeBase64(s string) ([]byte, error) { return decodeWith(base64.StdEncoding, s) }

func decodeBase64URL(s string) ([]byte, error) {
	return decodeWith(base64.RawURLEncoding, strings.TrimRight(s, "="))
}

func decodeWith(encoding *base64.Encoding, s string) ([]byte, error) {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		return nil, base64.CorruptInputError(i) // the package would skip them
	}
	b, err := encoding.DecodeString(s)
	if b == nil {
		b = []byte{}
	}
	return b, err
}
