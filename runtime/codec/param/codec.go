package param

import (
	"encoding"
	"encoding/base64"
	"net/netip"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// Codec turns a Go type into a Value and a Raw into the type. Parse returns
// ErrAbsent when the parameter is not there. A Codec is meant to be kept in a
// package variable; its functions are called by many goroutines.
type Codec[T any] struct {
	Format func(T) Value
	Parse  func(Raw) (T, error)
}

// The codecs of scalars. Integers are written in decimal and are read without
// a plus sign, a fraction or an exponent; booleans are true and false.
var (
	String  = Codec[string]{TextValue, Raw.Text}
	Bool    = Codec[bool]{BoolValue, parseBool[bool]}
	Int     = IntOf[int]()
	Int8    = IntOf[int8]()
	Int16   = IntOf[int16]()
	Int32   = IntOf[int32]()
	Int64   = IntOf[int64]()
	Uint    = IntOf[uint]()
	Uint8   = IntOf[uint8]()
	Uint16  = IntOf[uint16]()
	Uint32  = IntOf[uint32]()
	Uint64  = IntOf[uint64]()
	Float32 = FloatOf[float32]()
	Float64 = FloatOf[float64]()

	// Number keeps the digits as they are written; they must be those of a
	// JSON number.
	Number = Codec[value.Number]{formatNumber, parseNumber}
	// DateTime is RFC 3339 with the offset and the fraction that it has.
	DateTime = Codec[time.Time]{TimeValue, parseDateTime}
	Date     = textOf[value.Date]("must be a date such as 2024-02-29")
	Time     = textOf[value.Time]("must be a time such as 10:20:30Z")
	Duration = textOf[value.Duration]("must be an ISO 8601 duration such as PT1H30M")
	UUID     = Codec[value.UUID]{UUIDValue, textOf[value.UUID]("must be a UUID").Parse}
	// Addr, Addr4 and Addr6 are IP addresses: either, version 4, version 6.
	Addr  = Codec[netip.Addr]{AddrValue, parseAddr}
	Addr4 = Codec[netip.Addr]{formatAddr4, parseAddr4}
	Addr6 = Codec[netip.Addr]{formatAddr6, parseAddr6}
	// Bytes is base64; it is read in both alphabets, padded or not.
	Bytes = Codec[[]byte]{BytesValue, parseBytes}
)

type signed interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}

type unsigned interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

type float interface{ ~float32 | ~float64 }

// StringOf is the codec of a type whose kind is string, such as an enum.
// Unknown values are kept.
func StringOf[T ~string]() Codec[T] {
	return Codec[T]{
		Format: func(v T) Value { return TextValue(string(v)) },
		Parse: func(r Raw) (T, error) {
			s, err := r.Text()
			return T(s), err
		},
	}
}

// BoolOf is the codec of a type whose kind is bool.
func BoolOf[T ~bool]() Codec[T] {
	return Codec[T]{func(v T) Value { return BoolValue(bool(v)) }, parseBool[T]}
}

// IntOf is the codec of a type whose kind is an integer. What its size cannot
// hold is an error.
func IntOf[T signed | unsigned]() Codec[T] {
	var zero T
	if zero-1 > 0 {
		return Codec[T]{func(v T) Value { return UintValue(uint64(v)) }, parseUint[T]}
	}
	return Codec[T]{func(v T) Value { return IntValue(int64(v)) }, parseInt[T]}
}

// FloatOf is the codec of a type whose kind is a float.
func FloatOf[T float]() Codec[T] {
	if single[T]() {
		return Codec[T]{func(v T) Value { return Float32Value(float32(v)) }, parseFloat[T]}
	}
	return Codec[T]{func(v T) Value { return FloatValue(float64(v)) }, parseFloat[T]}
}

// single reports whether T has the precision of a float32.
func single[T float]() bool {
	x := T(1 << 24)
	return x+1 == x
}

// TextOf is the codec of a type that marshals itself as text, for types that
// the document's author brings along.
func TextOf[T encoding.TextMarshaler, P interface {
	*T
	encoding.TextUnmarshaler
}]() Codec[T] {
	return textOf[T, P]("cannot be read")
}

func textOf[T encoding.TextMarshaler, P interface {
	*T
	encoding.TextUnmarshaler
}](detail string) Codec[T] {
	return Codec[T]{
		Format: func(v T) Value {
			text, err := v.MarshalText()
			if err != nil {
				return InvalidValue("cannot be written as text")
			}
			return TextValue(string(text))
		},
		Parse: func(r Raw) (T, error) {
			var v T
			s, err := r.typed()
			if err != nil {
				return v, err
			}
			if P(&v).UnmarshalText([]byte(s)) != nil {
				return v, fail("format", detail)
			}
			return v, nil
		},
	}
}

func parseBool[T ~bool](r Raw) (T, error) {
	s, err := r.typed()
	switch {
	case err != nil:
		return false, err
	case s == "true":
		return true, nil
	case s == "false":
		return false, nil
	}
	return false, fail("type", "must be true or false")
}

func parseInt[T signed | unsigned](r Raw) (T, error) {
	s, err := r.typed()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && int64(T(n)) == n && s[0] != '+' {
		return T(n), nil
	}
	return 0, integerError(s)
}

func parseUint[T signed | unsigned](r Raw) (T, error) {
	s, err := r.typed()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err == nil && uint64(T(n)) == n {
		return T(n), nil
	}
	return 0, integerError(s)
}

// integerError tells a number that does not fit from what is none.
func integerError(s string) error {
	digits := s
	if digits != "" && digits[0] == '-' {
		digits = digits[1:]
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			digits = ""
			break
		}
	}
	if digits == "" {
		return fail("type", "must be an integer")
	}
	return fail("format", "is out of the range of its type")
}

func parseFloat[T float](r Raw) (T, error) {
	s, err := r.typed()
	if err != nil {
		return 0, err
	}
	if !isNumber(s) { // hexadecimal, inf and nan are Go's, not the document's
		return 0, fail("type", "must be a number")
	}
	bits := 64
	if single[T]() {
		bits = 32
	}
	f, err := strconv.ParseFloat(s, bits)
	if err != nil {
		return 0, fail("format", "is out of the range of its type")
	}
	return T(f), nil
}

// isNumber reports whether s is a number as JSON writes it.
func isNumber(s string) bool {
	i := 0
	digits := func() bool {
		start := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i+1 < len(s) && s[i] == '0' && '0' <= s[i+1] && s[i+1] <= '9' {
		return false
	}
	if !digits() {
		return false
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(s)
}

func formatNumber(n value.Number) Value {
	if !isNumber(string(n)) {
		return InvalidValue("is not a number")
	}
	return TextValue(string(n))
}

func parseNumber(r Raw) (value.Number, error) {
	s, err := r.typed()
	if err == nil && !isNumber(s) {
		err = fail("type", "must be a number")
	}
	if err != nil {
		return "", err
	}
	return value.Number(s), nil
}

func parseDateTime(r Raw) (time.Time, error) {
	s, err := r.typed()
	if err != nil {
		return time.Time{}, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, fail("format", "must be a date-time such as 2024-02-29T10:20:30Z")
	}
	return t, nil
}

func parseAddr(r Raw) (netip.Addr, error) {
	s, err := r.typed()
	if err != nil {
		return netip.Addr{}, err
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}, fail("format", "must be an IP address")
	}
	return a, nil
}

func formatAddr4(a netip.Addr) Value {
	if !a.Is4() {
		return InvalidValue("is no IPv4 address")
	}
	return AddrValue(a)
}

func parseAddr4(r Raw) (netip.Addr, error) {
	a, err := parseAddr(r)
	if err == nil && !a.Is4() {
		return netip.Addr{}, fail("format", "must be an IPv4 address")
	}
	return a, err
}

func formatAddr6(a netip.Addr) Value {
	if !a.Is6() {
		return InvalidValue("is no IPv6 address")
	}
	return AddrValue(a)
}

func parseAddr6(r Raw) (netip.Addr, error) {
	a, err := parseAddr(r)
	if err == nil && !a.Is6() {
		return netip.Addr{}, fail("format", "must be an IPv6 address")
	}
	return a, err
}

func parseBytes(r Raw) ([]byte, error) {
	s, err := r.Text()
	if err != nil {
		return nil, err
	}
	for len(s) > 0 && s[len(s)-1] == '=' {
		s = s[:len(s)-1]
	}
	if b, err := base64.RawStdEncoding.DecodeString(s); err == nil {
		return b, nil
	}
	if b, err := base64.RawURLEncoding.DecodeString(s); err == nil {
		return b, nil
	}
	return nil, fail("format", "must be base64")
}
