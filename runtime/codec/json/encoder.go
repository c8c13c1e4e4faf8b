package json

import (
	"encoding/base64"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// A Marshaler writes itself to an Encoder as one value.
type Marshaler interface{ EncodeJSON(e *Encoder) }

// An Encoder writes one JSON text. Commas come by themselves: it looks at the
// byte it wrote last. After an error its methods write nothing of use, and Err
// tells. The zero Encoder is ready. Not for concurrent use.
type Encoder struct {
	buf   []byte
	base  int // where the text begins in buf
	err   *EncodeError
	mode  Mode
	depth int
}

// NewEncoder returns an Encoder that appends to dst.
func NewEncoder(dst []byte, mode Mode) *Encoder {
	return &Encoder{buf: dst, base: len(dst), mode: mode}
}

// Start points e at a new text that is appended to dst, as NewEncoder does.
func (e *Encoder) Start(dst []byte, mode Mode) {
	*e = Encoder{buf: dst, base: len(dst), mode: mode}
}

// Text returns dst with the text behind it, and what went wrong.
func (e *Encoder) Text() ([]byte, error) { return e.buf, e.Err() }

// Direction returns the direction of the message.
func (e *Encoder) Direction() Direction { return e.mode.Direction }

// Strict reports whether the message is held to its schema.
func (e *Encoder) Strict() bool { return e.mode.Strict }

// EncodeError says why a value has no JSON form.
type EncodeError struct {
	Pointer string // of the value
	Message string
}

// Error returns the message with the place.
func (e *EncodeError) Error() string {
	if e.Pointer == "" {
		return "json: " + e.Message
	}
	return "json: " + e.Pointer + ": " + e.Message
}

// Fail reports that the value to be written next has no JSON form, such as a
// union with nothing set. The first failure is kept.
func (e *Encoder) Fail(message string) {
	if e.err == nil {
		e.sep() // so that in an array it is the next item's place
		text := string(e.buf[e.base:])
		e.err = &EncodeError{Pointer: pointers(text, 0, []int{len(text)})[0], Message: message}
	}
}

// Err returns the first failure, an *EncodeError, or nil.
func (e *Encoder) Err() error {
	if e.err == nil {
		return nil
	}
	return e.err
}

// sep writes the comma that the next value or name needs.
func (e *Encoder) sep() {
	if n := len(e.buf); n > e.base {
		if c := e.buf[n-1]; c != '{' && c != '[' && c != ':' {
			e.buf = append(e.buf, ',')
		}
	}
}

// take makes b, which was appended to e.buf, the buffer. Where that had the room its
// address stays, and is not written: the collector would have to be told.
func (e *Encoder) take(b []byte) {
	if cap(b) == cap(e.buf) {
		e.buf = e.buf[:len(b)]
		return
	}
	e.buf = b
}

// room makes room for n bytes more.
func (e *Encoder) room(n int) {
	if len(e.buf)+n > cap(e.buf) {
		e.buf = slices.Grow(e.buf, n)
	}
}

// open makes room for a string of n bytes and what stands around it, and writes the
// comma and the quote before it. It returns the buffer with all of the room, and where
// the string begins.
func (e *Encoder) open(n int) ([]byte, int) {
	e.room(n + 4)
	at := len(e.buf)
	b := e.buf[:at+n+4]
	if at > e.base {
		if c := b[at-1]; c != '{' && c != '[' && c != ':' {
			b[at] = ','
			at++
		}
	}
	b[at] = '"'
	return b, at + 1
}

func (e *Encoder) begin(bracket byte) {
	e.sep()
	if e.depth++; e.depth > e.mode.maxDepth() {
		e.Fail(ErrDepth.Error())
	}
	e.buf = append(e.buf, bracket)
}

// BeginObject opens an object.
func (e *Encoder) BeginObject() { e.begin('{') }

// EndObject closes the object.
func (e *Encoder) EndObject() {
	e.depth--
	e.buf = append(e.buf, '}')
}

// BeginArray opens an array.
func (e *Encoder) BeginArray() { e.begin('[') }

// EndArray closes the array.
func (e *Encoder) EndArray() {
	e.depth--
	e.buf = append(e.buf, ']')
}

// Key writes the name of the next member and returns e for its value.
func (e *Encoder) Key(name string) *Encoder {
	b, at := e.open(len(name))
	if !copyPlain(b[at:], name) {
		e.take(append(appendEscaped(b[:at], name), ':'))
		return e
	}
	at += len(name)
	b[at], b[at+1] = '"', ':'
	e.buf = e.buf[:at+2]
	return e
}

// Value writes v. Generated code writes nested values with it where a type may
// contain itself: past an error it goes no deeper.
func (e *Encoder) Value(v Marshaler) {
	if e.err == nil {
		v.EncodeJSON(e)
	}
}

// String writes a string.
func (e *Encoder) String(v string) {
	b, at := e.open(len(v))
	if !copyPlain(b[at:], v) {
		e.take(appendEscaped(b[:at], v))
		return
	}
	at += len(v)
	b[at] = '"'
	e.buf = e.buf[:at+1]
}

// Bool writes a boolean.
func (e *Encoder) Bool(v bool) {
	e.sep()
	e.take(strconv.AppendBool(e.buf, v))
}

// Null writes null.
func (e *Encoder) Null() {
	e.sep()
	e.buf = append(e.buf, "null"...)
}

// Int64 writes an integer.
func (e *Encoder) Int64(v int64) {
	e.sep()
	e.take(strconv.AppendInt(e.buf, v, 10))
}

// Uint64 writes an integer.
func (e *Encoder) Uint64(v uint64) {
	e.sep()
	e.take(strconv.AppendUint(e.buf, v, 10))
}

// Float64 writes the shortest text that reads back as v. NaN and infinities
// have no JSON form.
func (e *Encoder) Float64(v float64) { e.float(v, 64) }

// Float32 writes the shortest text that reads back as v.
func (e *Encoder) Float32(v float32) { e.float(float64(v), 32) }

func (e *Encoder) float(v float64, bits int) {
	switch {
	case math.IsNaN(v):
		e.Fail("NaN is no JSON number")
	case math.IsInf(v, 0):
		e.Fail("infinity is no JSON number")
	default:
		e.sep()
		e.take(appendFloat(e.buf, v, bits))
	}
}

// appendFloat writes the notation of ECMAScript's Number::toString: an exponent
// below 1e-6 and from 1e21 on, without a leading zero.
func appendFloat(b []byte, v float64, bits int) []byte {
	if b, ok := appendDecimal(b, v, bits); ok {
		return b
	}
	abs, format := math.Abs(v), byte('f')
	if bits == 32 {
		if f := float32(abs); f != 0 && (f < 1e-6 || f >= 1e21) {
			format = 'e'
		}
	} else if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, v, format, -1, bits)
	if n := len(b); format == 'e' && n >= 4 && b[n-4] == 'e' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// appendDecimal writes a number of at most 15 digits, four of them at most behind the
// point: an amount of money, a count. Where n / 10^k is v, n of so few digits, then no
// other decimal of as many digits or fewer is read as v, for a float64 tells all of
// these apart; so without zeros at its end it is the shortest text. Others it leaves.
func appendDecimal(b []byte, v float64, bits int) ([]byte, bool) {
	abs := math.Abs(v)
	if bits != 64 || !(abs < 1e11) || abs == 0 {
		return b, false
	}
	places, n := 2, math.RoundToEven(abs*1e2)
	if n/1e2 != abs {
		if places, n = 4, math.RoundToEven(abs*1e4); n/1e4 != abs {
			return b, false
		}
	}
	if v < 0 {
		b = append(b, '-')
	}
	digits := uint64(n)
	var whole, part uint64 // divided by constants: that is a multiplication
	if places == 2 {
		whole, part = digits/1e2, digits%1e2*1e2
	} else {
		whole, part = digits/1e4, digits%1e4
	}
	if whole < 10 {
		b = append(b, byte('0'+whole))
	} else {
		b = strconv.AppendUint(b, whole, 10)
	}
	if part == 0 {
		return b, true
	}
	fraction := [...]byte{'.', byte('0' + part/1000), byte('0' + part/100%10), byte('0' + part/10%10), byte('0' + part%10)}
	last := len(fraction)
	for fraction[last-1] == '0' {
		last--
	}
	return append(b, fraction[:last]...), true
}

// Number writes a number as it is written. A text that is no number has no
// JSON form.
func (e *Encoder) Number(v value.Number) {
	text := v.String()
	if !v.Valid() && v != "" {
		e.Fail("the text of the number is no JSON number")
		return
	}
	e.sep()
	e.buf = append(e.buf, text...)
}

// Raw writes JSON text without the space in it; an empty one is null. A text
// that is not one value of valid JSON fails.
func (e *Encoder) Raw(v value.Raw) {
	if len(v) == 0 {
		e.Null()
		return
	}
	var d Decoder
	d.Start(v, Mode{MaxDepth: max(e.mode.maxDepth()-e.depth, 1)})
	d.Skip()
	d.End()
	if d.err != nil {
		e.Fail("the raw value is no JSON text")
		return
	}
	e.sep()
	e.buf = appendCompact(e.buf, d.src)
}

// appendCompact appends valid JSON without the space between its tokens.
func appendCompact(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			end, _ := scanString(s, i)
			b = append(b, s[i:end]...)
			i = end
		case isSpace(c):
			i++
		default:
			b = append(b, c)
			i++
		}
	}
	return b
}

// text writes what appendText appends, which holds nothing to escape.
func (e *Encoder) text(appendText func([]byte) ([]byte, error), want string) {
	e.sep()
	b, err := appendText(append(e.buf, '"'))
	if err != nil {
		e.Fail(want) // e.buf is as it was
		return
	}
	e.take(append(b, '"'))
}

// Time writes an RFC 3339 date-time with the offset that v has. A year past
// 9999 has no such form.
func (e *Encoder) Time(v time.Time) {
	e.sep()
	b, err := value.AppendDateTime(append(e.buf, '"'), v)
	if err != nil {
		e.Fail("the time has no RFC 3339 form") // e.buf is as it was
		return
	}
	e.take(append(b, '"'))
}

// Date writes an RFC 3339 full-date.
func (e *Encoder) Date(v value.Date) { e.text(v.AppendText, "the date does not exist") }

// TimeOfDay writes an RFC 3339 time.
func (e *Encoder) TimeOfDay(v value.Time) { e.text(v.AppendText, "the time of day does not exist") }

// Duration writes an ISO 8601 duration.
func (e *Encoder) Duration(v value.Duration) { e.text(v.AppendText, "the duration has no text") }

// UUID writes a UUID with hyphens.
func (e *Encoder) UUID(v value.UUID) { e.text(v.AppendText, "the UUID has no text") }

// Addr writes an IP address. The zero Addr has no JSON form.
func (e *Encoder) Addr(v netip.Addr) {
	if !v.IsValid() {
		e.Fail("the IP address is not set")
		return
	}
	e.String(v.String())
}

// Bytes writes base64 of RFC 4648, section 4; nil is the empty string.
func (e *Encoder) Bytes(v []byte) { e.base64(base64.StdEncoding, v) }

// Base64URL writes base64 of RFC 4648, section 5, without padding.
func (e *Encoder) Base64URL(v []byte) { e.base64(base64.RawURLEncoding, v) }

func (e *Encoder) base64(encoding *base64.Encoding, v []byte) {
	e.sep()
	e.buf = append(e.buf, '"')
	e.buf = encoding.AppendEncode(e.buf, v)
	e.buf = append(e.buf, '"')
}
