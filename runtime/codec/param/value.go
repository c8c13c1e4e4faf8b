package param

import (
	"encoding/base64"
	"math"
	"net/netip"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// Value is a parameter's value before it has a layout: a scalar, a list or an
// object. Scalars are kept unformatted, so that making and appending one
// allocates nothing. The zero Value is no value: nothing is written for it.
type Value struct {
	kind valueKind
	n, m uint64   // numbers, times, identifiers
	text string   // text, and the detail of an invalid value
	sub  []Member // of lists (names empty) and objects
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

type valueKind uint8

const (
	noValue valueKind = iota
	textValue
	intValue
	uintValue
	float64Value
	float32Value
	boolValue
	bytesValue // base64 of text
	timeValue  // n seconds since 1970, m nanoseconds<<32 | offset
	uuidValue
	addrValue
	addr4Value
	listValue
	objectValue
	invalidValue
)

// TextValue is a text.
func TextValue(s string) Value { return Value{kind: textValue, text: s} }

// IntValue is an integer.
func IntValue(n int64) Value { return Value{kind: intValue, n: uint64(n)} }

// UintValue is an integer that is not negative.
func UintValue(n uint64) Value { return Value{kind: uintValue, n: n} }

// FloatValue is a number; NaN and the infinities cannot be written.
func FloatValue(f float64) Value { return Value{kind: float64Value, n: math.Float64bits(f)} }

// Float32Value is a number with the digits that a float32 needs.
func Float32Value(f float32) Value {
	return Value{kind: float32Value, n: math.Float64bits(float64(f))}
}

// BoolValue is true or false.
func BoolValue(b bool) Value {
	v := Value{kind: boolValue}
	if b {
		v.n = 1
	}
	return v
}

// BytesValue is a copy of bytes, written in base64. Nil is no value: it is what an
// optional parameter holds that is absent.
func BytesValue(b []byte) Value {
	if b == nil {
		return Value{}
	}
	return Value{kind: bytesValue, text: string(b)}
}

// TimeValue is an RFC 3339 date-time with t's offset and up to nine digits of
// its second. A year beyond 9999 or an offset with seconds has no such form.
func TimeValue(t time.Time) Value {
	_, offset := t.Zone()
	if y := t.Year(); y < 0 || y > 9999 || offset%60 != 0 || offset <= -24*3600 || offset >= 24*3600 {
		return InvalidValue("is a time that RFC 3339 cannot write")
	}
	return Value{kind: timeValue, n: uint64(t.Unix()), m: uint64(t.Nanosecond())<<32 | uint64(uint32(offset))}
}

// UUIDValue is a UUID.
func UUIDValue(id value.UUID) Value {
	v := Value{kind: uuidValue}
	v.n, v.m = halves([16]byte(id))
	return v
}

// AddrValue is an IP address; the zero one cannot be written.
func AddrValue(a netip.Addr) Value {
	if !a.IsValid() {
		return InvalidValue("is no IP address")
	}
	if a.Is6() {
		v := Value{kind: addrValue, text: a.Zone()}
		v.n, v.m = halves(a.As16())
		return v
	}
	b := a.As4()
	return Value{kind: addr4Value, n: uint64(b[0])<<24 | uint64(b[1])<<16 | uint64(b[2])<<8 | uint64(b[3])}
}

// ListValue is a list. It keeps items.
func ListValue(items ...Value) Value {
	sub := make([]Member, len(items))
	for i, item := range items {
		sub[i].Value = item
	}
	return Value{kind: listValue, sub: sub}
}

// ObjectValue is an object, written in the order of members. Members without a
// value are left out. It keeps members.
func ObjectValue(members ...Member) Value { return Value{kind: objectValue, sub: members} }

// InvalidValue is a value that cannot be written, with the reason as the rest
// of a sentence. The reason is shown to people: it must not hold the value.
func InvalidValue(detail string) Value { return Value{kind: invalidValue, text: detail} }

// Absent reports whether nothing is written for v: no value, or an empty list
// or object, for which no style has a form.
func (v Value) Absent() bool {
	switch v.kind {
	case noValue:
		return true
	case listValue, objectValue:
		for i := range v.sub {
			if !v.sub[i].Value.Absent() {
				return false
			}
		}
		return true
	}
	return false
}

// appendScalar appends the text of a scalar, unescaped.
func (v Value) appendScalar(dst []byte) ([]byte, error) {
	switch v.kind {
	case textValue:
		return append(dst, v.text...), nil
	case intValue:
		return strconv.AppendInt(dst, int64(v.n), 10), nil
	case uintValue:
		return strconv.AppendUint(dst, v.n, 10), nil
	case boolValue:
		return strconv.AppendBool(dst, v.n != 0), nil
	case float64Value, float32Value:
		return v.appendFloat(dst)
	case bytesValue:
		return base64.StdEncoding.AppendEncode(dst, []byte(v.text)), nil
	case timeValue:
		return v.appendTime(dst), nil
	case uuidValue:
		return appendUUID(dst, v.n, v.m), nil
	case addrValue, addr4Value:
		return v.addr().AppendTo(dst), nil
	case invalidValue:
		return dst, fail("type", v.text)
	case listValue, objectValue:
		return dst, fail("style", "is nested in a way that the style has no form for")
	}
	return dst, nil
}

// appendFloat writes the shortest text that reads back as the same number, in
// the form that JSON uses.
func (v Value) appendFloat(dst []byte) ([]byte, error) {
	f, bits := math.Float64frombits(v.n), 64
	if v.kind == float32Value {
		bits = 32
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, fail("type", "is not a finite number")
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits), nil
}

// appendTime shifts the moment by its offset and writes it as UTC, so that no
// time zone has to be made.
func (v Value) appendTime(dst []byte) []byte {
	offset := int64(int32(uint32(v.m)))
	t := time.Unix(int64(v.n)+offset, int64(v.m>>32)).UTC()
	dst = t.AppendFormat(dst, "2006-01-02T15:04:05.999999999")
	if offset == 0 {
		return append(dst, 'Z')
	}
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	h, m := byte(offset/3600), byte(offset%3600/60)
	return append(dst, sign, '0'+h/10, '0'+h%10, ':', '0'+m/10, '0'+m%10)
}

func appendUUID(dst []byte, high, low uint64) []byte {
	const digits = "0123456789abcdef"
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			dst = append(dst, '-')
		}
		half := high
		if i >= 16 {
			half = low
		}
		dst = append(dst, digits[half>>(60-4*(i%16))&15])
	}
	return dst
}

func (v Value) addr() netip.Addr {
	if v.kind == addr4Value {
		return netip.AddrFrom4([4]byte{byte(v.n >> 24), byte(v.n >> 16), byte(v.n >> 8), byte(v.n)})
	}
	var b [16]byte
	for i := range 8 {
		b[i], b[8+i] = byte(v.n>>(56-8*i)), byte(v.m>>(56-8*i))
	}
	return netip.AddrFrom16(b).WithZone(v.text)
}

// halves are the two big-endian halves of 16 bytes.
func halves(b [16]byte) (high, low uint64) {
	for i := range 8 {
		high = high<<8 | uint64(b[i])
		low = low<<8 | uint64(b[8+i])
	}
	return high, low
}
