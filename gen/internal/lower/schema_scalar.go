package lower

import (
	"math"
	"strconv"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func decimalText(n int) string { return strconv.Itoa(n) }

// textScalars are the formats of strings that have a type of their own. Numbers in
// strings (int64, decimal) stay text: that is what they were put in strings for.
var textScalars = map[string]ir.Scalar{
	"byte": ir.Bytes, "date-time": ir.DateTime, "date": ir.Date, "time": ir.Time, "duration": ir.Duration,
	"uuid": ir.UUID, "ipv4": ir.IPv4, "ipv6": ir.IPv6, "ip": ir.IP,
}

// checkedFormats are the formats that strings are checked for.
var checkedFormats = map[string]bool{
	"email": true, "idn-email": true, "uri": true, "uri-reference": true, "iri": true, "iri-reference": true,
	"uri-template": true, "hostname": true, "idn-hostname": true, "json-pointer": true,
	"relative-json-pointer": true, "regex": true,
}

var integerScalars = map[string]ir.Scalar{
	"int8": ir.Int8, "int16": ir.Int16, "int32": ir.Int32, "int64": ir.Int64,
	"uint8": ir.Uint8, "uint16": ir.Uint16, "uint32": ir.Uint32, "uint64": ir.Uint64,
	"bigint": ir.BigInt, "big-int": ir.BigInt, "biginteger": ir.BigInt, "int128": ir.BigInt, "uint128": ir.BigInt,
	"int256": ir.BigInt, "uint256": ir.BigInt,
}

var numberScalars = map[string]ir.Scalar{
	"float": ir.Float32, "double": ir.Float64, "decimal": ir.Decimal, "decimal128": ir.Decimal,
	"int8": ir.Int8, "int16": ir.Int16, "int32": ir.Int32, "int64": ir.Int64,
	"uint8": ir.Uint8, "uint16": ir.Uint16, "uint32": ir.Uint32, "uint64": ir.Uint64,
}

// scalar makes a scalar, an enum, or the bytes of a file.
func (l *lowerer) scalar(t *ir.Type, s *shape, types typeSet) {
	t.Kind, t.Format = ir.KindScalar, s.format
	switch {
	case types&tBoolean != 0:
		t.Scalar = ir.Bool
	case types&tString != 0:
		l.textScalar(t, s)
	default:
		t.Scalar = l.numberScalar(s, types)
		t.Checks = checksFor(&s.checks, types)
	}
	if t.Kind == ir.KindScalar {
		l.enumOf(t, s, types)
	}
}

// textScalar makes the type of a string.
func (l *lowerer) textScalar(t *ir.Type, s *shape) {
	checks := s.checks
	if checkedFormats[s.format] {
		checks.Format = s.format
	}
	t.Checks = checksFor(&checks, tString)
	if s.hasEnum || s.constant != nil {
		return // listed texts stay texts, whatever their format
	}
	scalar, ok := textScalars[s.format]
	switch {
	case s.isFile():
		t.Kind = ir.KindBinary
	case s.encoding == "base64" || s.encoding == "base64url" || s.format == "base64url":
		t.Scalar = ir.Bytes
		if s.encoding == "base64url" || s.format == "base64url" {
			t.Format = "base64url"
		}
	case ok && !lengthFits(scalar, &s.checks):
		n := s.leaves[len(s.leaves)-1].kw.node
		l.list.Warn(keyPos(n), "format-length", n.Pointer(),
			"%s: no text of the format %s has a length that is allowed here: the format is ignored", l.label(n), s.format)
		return
	case ok:
		t.Scalar = scalar
	default:
		return
	}
	if t.Checks == nil {
		return
	}
	t.Checks = nil
	if t.Kind == ir.KindBinary {
		n := s.leaves[len(s.leaves)-1].kw.node
		l.list.Warn(keyPos(n), "not-checked", n.Pointer(),
			"%s: not checked at run time: length and pattern of a binary body", l.label(n))
		return
	}
	// The Go value is no text any more: the text that came is held to them.
	for _, leaf := range s.leaves {
		if c := &leaf.kw.checks; c.MinLength != nil || c.MaxLength != nil || len(c.Pattern) > 0 {
			l.hold(s, leaf.kw, partText)
		}
	}
}

// textLengths are the lengths, in characters, of the shortest and the longest text of
// a format. An address of IPv6 may end in one of IPv4.
var textLengths = map[ir.Scalar][2]int64{
	ir.UUID: {36, 36}, ir.Date: {10, 10}, ir.IPv4: {7, 15}, ir.IPv6: {2, 45}, ir.IP: {2, 45},
	ir.DateTime: {20, math.MaxInt64}, ir.Time: {8, math.MaxInt64}, ir.Duration: {3, math.MaxInt64},
}

// lengthFits reports whether some text of a format has a length that the constraints
// allow: documents name a format for what only looks like it.
func lengthFits(scalar ir.Scalar, c *ir.Checks) bool {
	lengths, ok := textLengths[scalar]
	return !ok || (c.MinLength == nil || *c.MinLength <= lengths[1]) && (c.MaxLength == nil || *c.MaxLength >= lengths[0])
}

// numberScalar chooses the type of a number: the one that the format names, wider
// when the document itself uses values that do not fit.
func (l *lowerer) numberScalar(s *shape, types typeSet) ir.Scalar {
	if types&tNumber != 0 {
		if scalar, ok := numberScalars[s.format]; ok {
			return scalar
		}
		return ir.Float64
	}
	scalar, named := integerScalars[s.format]
	if !named {
		scalar = ir.Int64
	}
	unsigned := named || s.checks.Minimum != "" && compareNumbers(s.checks.Minimum, "0") >= 0
	for _, wider := range []ir.Scalar{scalar, ir.Int64, ir.Uint64} {
		if wider == ir.Uint64 && scalar != wider && !unsigned {
			continue
		}
		if s.valuesFit(wider) && (named || s.boundsFit(wider)) {
			return wider
		}
	}
	return ir.BigInt
}

// ranges are the smallest and the largest value of the integers.
var ranges = map[ir.Scalar][2]string{
	ir.Int8: {"-128", "127"}, ir.Int16: {"-32768", "32767"}, ir.Int32: {"-2147483648", "2147483647"},
	ir.Int64: {"-9223372036854775808", "9223372036854775807"},
	ir.Uint8: {"0", "255"}, ir.Uint16: {"0", "65535"}, ir.Uint32: {"0", "4294967295"},
	ir.Uint64: {"0", "18446744073709551615"},
}

func inRange(scalar ir.Scalar, number string) bool {
	r, ok := ranges[scalar]
	return !ok || compareNumbers(number, r[0]) >= 0 && compareNumbers(number, r[1]) <= 0
}

// valuesFit reports whether the values that the document lists for an integer are
// values of scalar.
func (s *shape) valuesFit(scalar ir.Scalar) bool {
	for _, item := range s.enum {
		if item.value.Kind == ir.NumberValue && !inRange(scalar, item.value.Text) {
			return false
		}
	}
	if s.constant != nil && isNumber(s.constant.Text) && !inRange(scalar, s.constant.Text) {
		return false
	}
	for _, leaf := range s.leaves {
		if f := leaf.kw.fallback; f != nil && isNumber(f.Text) && integral(f.Text) && !inRange(scalar, f.Text) {
			return false
		}
	}
	return true
}

// boundsFit reports whether the bounds of an integer without a format ask for no more
// than scalar. The last digits are let off: 9223372036854776000 is what JavaScript
// makes of the largest int64.
func (s *shape) boundsFit(scalar ir.Scalar) bool {
	r := ranges[scalar]
	if scalar == ir.Int64 {
		r = [2]string{"-9223372036854776000", "9223372036854776000"}
	} else if scalar == ir.Uint64 {
		r = [2]string{"0", "18446744073709552000"}
	}
	c := &s.checks
	return (c.Minimum == "" || compareNumbers(c.Minimum, r[0]) >= 0) && (c.Maximum == "" || compareNumbers(c.Maximum, r[1]) <= 0)
}

// enumOf makes an enum of a scalar with listed values, and a constant of one with a
// const. A boolean needs no names for its values.
func (l *lowerer) enumOf(t *ir.Type, s *shape, types typeSet) {
	if s.constant != nil {
		if v, ok := mendScalar(s.constant, types); ok {
			t.Const = v
			return
		}
	}
	if len(s.enum) == 0 {
		return
	}
	var values []*ir.EnumValue
	for _, item := range s.enum {
		v := item.value
		if !valueType(v).within(types) {
			mended, ok := mendScalar(item.node, types)
			if !ok || s.only != 0 {
				continue // of several types: this value is of another one
			}
			v = mended
		}
		values = append(values, &ir.EnumValue{Value: v, GoName: item.goName, Doc: item.doc, Pos: item.node.Pos()})
	}
	if len(values) == 1 {
		t.Const = values[0].Value
	}
	if len(values) == 0 || t.Scalar == ir.Bool {
		return
	}
	t.Kind, t.Declared, t.Enum = ir.KindEnum, true, values
}
