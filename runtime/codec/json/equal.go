package json

import (
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// Equal reports whether two JSON texts are equal as JSON Schema has it: numbers
// by value, so that 1 is 1.0, objects whatever the order of their members. A
// text that is not JSON equals nothing.
func Equal(a, b []byte) bool {
	x, ok1 := canonical(a)
	y, ok2 := canonical(b)
	return ok1 && ok2 && x == y
}

// canonical returns a text that two values share exactly when they are equal.
func canonical(text []byte) (string, bool) {
	var v any
	if err := Decode(text, &v, Any, Mode{}); err != nil {
		return "", false
	}
	return string(appendCanonical(nil, v)), true
}

func appendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for _, name := range sortedNames(v) {
			b = append(appendString(b, name), ':')
			b = append(appendCanonical(b, v[name]), ',')
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = append(appendCanonical(b, item), ',')
		}
		return append(b, ']')
	case string:
		return appendString(b, v)
	case value.Number:
		return append(b, v.Canonical()...)
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	default:
		return append(b, "null"...)
	}
}

// Unique reports the array member name of the value where c stands when two of
// its items are equal as JSON. It works on any items and costs an encoding of
// each; check.Unique is for strings, integers and booleans.
func Unique[T any](c *check.Checker, name string, items []T, codec Codec[T]) {
	c.Enter(name)
	unique(c, items, codec)
	c.Leave()
}

// unique is Unique for the array where c stands.
func unique[T any](c *check.Checker, items []T, codec Codec[T]) {
	if len(items) < 2 || !c.Compare(0) {
		return
	}
	keys := make([]string, len(items))
	size := 0
	for i := range items {
		text, err := Encode(nil, &items[i], codec, Mode{})
		if err != nil {
			keys[i] = string(appendIndex(nil, i)) // no JSON form, equal to nothing
			continue
		}
		keys[i], _ = canonical(text)
		size += len(text)
	}
	if c.Compare(size) {
		check.UniqueHere(c, keys)
	}
}

// appendIndex appends a key that no canonical text is equal to.
func appendIndex(b []byte, i int) []byte {
	for ; i > 0; i >>= 4 {
		b = append(b, hexDigits[i&0xf])
	}
	return append(b, '!')
}
