package json

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// Nil returns the codec of arrays that may be null: nil is null.
func Nil[S ~[]T, T any](c Codec[S]) Codec[S] {
	return Codec[S]{
		Decode: func(d *Decoder, v *S) {
			if d.Null() {
				*v = nil
				return
			}
			c.Decode(d, v)
		},
		Encode: func(e *Encoder, v *S) {
			if *v == nil {
				e.Null()
				return
			}
			c.Encode(e, v)
		},
	}
}

// NilMap is Nil for objects with any member names.
func NilMap[M ~map[string]T, T any](c Codec[M]) Codec[M] {
	return Codec[M]{
		Decode: func(d *Decoder, v *M) {
			if d.Null() {
				*v = nil
				return
			}
			c.Decode(d, v)
		},
		Encode: func(e *Encoder, v *M) {
			if *v == nil {
				e.Null()
				return
			}
			c.Encode(e, v)
		},
	}
}

// NilPtr returns the codec of values behind a pointer that may be null: nil is
// null.
func NilPtr[T any](c Codec[T]) Codec[*T] {
	return Codec[*T]{
		Decode: func(d *Decoder, v **T) {
			if d.Null() {
				*v = nil
				return
			}
			DecodePtr(d, v, c)
		},
		Encode: func(e *Encoder, v **T) { EncodePtr(e, *v, c) },
	}
}

// Const returns the codec of the one value that a schema admits. text is the value
// as JSON, for messages. It is written whatever the variable holds.
func Const[T comparable](c Codec[T], want T, text string) Codec[T] {
	return Codec[T]{
		Decode: func(d *Decoder, v *T) {
			c.Decode(d, v)
			d.Const(*v == want, text)
		},
		Encode: func(e *Encoder, _ *T) {
			only := want
			c.Encode(e, &only)
		},
	}
}

// ConstJSON is Const for a value that == cannot compare, given as JSON text.
func ConstJSON[T any](c Codec[T], text string) Codec[T] {
	return Codec[T]{
		Decode: func(d *Decoder, v *T) {
			begin := d.pos
			c.Decode(d, v)
			if d.err == nil {
				d.Const(Equal([]byte(d.src[begin:d.pos]), []byte(text)), text)
			}
		},
		Encode: func(e *Encoder, _ *T) { e.Raw(value.Raw(text)) },
	}
}

// Nothing is the codec of null, the only value of its type.
var Nothing = Codec[struct{}]{
	Decode: func(d *Decoder, _ *struct{}) { d.ReadNull() },
	Encode: func(e *Encoder, _ *struct{}) { e.Null() },
}

// Never is the codec of a schema that admits no value.
var Never = Codec[struct{}]{
	Decode: func(d *Decoder, _ *struct{}) { d.Never() },
	Encode: func(e *Encoder, _ *struct{}) { e.Fail("the schema admits no value") },
}

// Octets is the codec of a string of format binary: its characters as they are, since
// the format says of no encoding. Bytes that are no UTF-8 do not survive it.
var Octets = Codec[[]byte]{
	Decode: func(d *Decoder, v *[]byte) { *v = []byte(d.String()) },
	Encode: func(e *Encoder, v *[]byte) { e.String(string(*v)) },
}

// ValueOf reads JSON text that was checked before, such as a default in a document.
// It returns the zero value when the text does not fit.
func ValueOf[T any](c Codec[T], text string) T {
	var v T
	if Decode([]byte(text), &v, c, Mode{}) != nil {
		return *new(T)
	}
	return v
}

// IgnoreReadOnly passes over the value of a readOnly member in a request, where no
// caller can set it, and reports whether it did.
func (d *Decoder) IgnoreReadOnly() bool {
	if d.mode.Direction.ReadOnly() {
		return false
	}
	d.Skip()
	return true
}

// DecodeItem reads an item of an array behind those that have a place of their own.
func DecodeItem[T any](d *Decoder, items *[]T, c Codec[T]) {
	*items = append(*items, *new(T))
	c.Decode(d, &(*items)[len(*items)-1])
}

// EncodeItems writes items into the array that is open.
func EncodeItems[T any](e *Encoder, items []T, c Codec[T]) {
	for i := range items {
		c.Encode(e, &items[i])
	}
}

// New makes the variable behind an optional member and returns it, so that its own
// method can read it.
func New[T any](p **T) *T {
	*p = new(T)
	return *p
}

// Field writes the member name when it is set. v may be a nil pointer when it is not.
func (e *Encoder) Field(name string, set bool, v Marshaler) {
	if set {
		e.Key(name).Value(v)
	}
}

// PtrField writes the member name when there is a value.
func PtrField[T any](e *Encoder, name string, v *T, c Codec[T]) {
	if v != nil {
		c.Encode(e.Key(name), v)
	}
}

// SliceField writes the member name unless the array is nil and so absent.
func SliceField[S ~[]T, T any](e *Encoder, name string, v *S, c Codec[S]) {
	if *v != nil {
		c.Encode(e.Key(name), v)
	}
}

// MapField writes the member name unless the map is nil and so absent.
func MapField[M ~map[string]T, T any](e *Encoder, name string, v *M, c Codec[M]) {
	if *v != nil {
		c.Encode(e.Key(name), v)
	}
}

// Variant tells which one of a union's variants is set. Where it is none, or more
// than one, that fails and the result is -1.
func (e *Encoder) Variant(union string, set ...bool) int {
	found := -1
	for i, s := range set {
		switch {
		case s && found >= 0:
			e.Fail("more than one variant of " + union + " is set")
			return -1
		case s:
			found = i
		}
	}
	if found < 0 {
		e.Fail("no variant of " + union + " is set")
	}
	return found
}

// AnyVariant is Variant for an anyOf whose variants cannot be written together: where
// several are set, the first counts.
func (e *Encoder) AnyVariant(union string, set ...bool) int {
	for i, s := range set {
		if s {
			return i
		}
	}
	return e.Variant(union, set...)
}

// As makes a Marshaler of a value that only a Codec can write.
func As[T any](v *T, c Codec[T]) Marshaler { return &codedValue[T]{v, c} }

type codedValue[T any] struct {
	v *T
	c Codec[T]
}

// EncodeJSON writes the value.
func (v *codedValue[T]) EncodeJSON(e *Encoder) { v.c.Encode(e, v.v) }

// MergeSet writes the variants of an anyOf that are set, as one object.
func (e *Encoder) MergeSet(union string, parts []Marshaler) {
	switch len(parts) {
	case 0:
		e.Fail("no variant of " + union + " is set")
	case 1:
		e.Value(parts[0])
	default:
		e.Merge(parts...)
	}
}

// TaggedOneOf is Tagged for a variant that goes by several keys, of which tag has to
// be one.
func (e *Encoder) TaggedOneOf(name, tag string, v Marshaler, keys []string) {
	if !slices.Contains(keys, tag) {
		e.Fail("the union must say which of its keys it is: " + strings.Join(keys, ", "))
		return
	}
	e.Tagged(name, tag, v)
}

// Keyed writes the variant v of a union, an object that says by its member name which
// variant it is, as got. What got says is kept where it is one of the variant's keys;
// otherwise the first key is written, so that the text reads back as the same variant.
func (e *Encoder) Keyed(name, got string, v Marshaler, keys ...string) {
	if slices.Contains(keys, got) {
		e.Value(v)
		return
	}
	if len(keys) == 0 {
		e.Fail("a variant of a union has no key")
		return
	}
	e.Tagged(name, keys[0], v)
}

// KeyedOneOf is Keyed for a variant that goes by several keys of which none is the
// usual one: got has to be one. path is the member for the message.
func (e *Encoder) KeyedOneOf(path, got string, v Marshaler, keys ...string) {
	if !slices.Contains(keys, got) {
		e.Fail(path + " must say which of its keys it is: " + strings.Join(keys, ", "))
		return
	}
	e.Value(v)
}

// KeyedUnless writes the variant v of a union that takes every object whose member name
// is not there or none of others, which are the keys of the other variants. got, empty
// for nothing, is what v says there: it is kept, but own stands in for a key of others;
// an empty own makes that an error.
func (e *Encoder) KeyedUnless(name, got, own string, v Marshaler, others ...string) {
	switch {
	case slices.Contains(others, got):
		if own == "" {
			e.Fail(name + " is " + strconv.Quote(got) + ", the key of another variant of the union")
			return
		}
		e.Tagged(name, own, v)
	case got == "":
		e.Value(v)
	default:
		e.Tagged(name, got, v)
	}
}

// Count notes that the array just read, which had n items, has too few or too many.
// A high below 0 is none.
func (d *Decoder) Count(n, low, high int) {
	switch {
	case n < low:
		d.Fail("minItems", "must have at least "+strconv.Itoa(low)+" items, has "+strconv.Itoa(n))
	case high >= 0 && n > high:
		d.Fail("maxItems", "must have at most "+strconv.Itoa(high)+" items, has "+strconv.Itoa(n))
	}
}

// UniqueOf returns the element function, for package check, of arrays without equal
// items, whatever these are.
func UniqueOf[S ~[]T, T any](c Codec[T]) func(*S, *check.Checker) {
	return func(v *S, checker *check.Checker) { unique(checker, *v, c) }
}

// Foreign returns the codec of a type that knows neither this package nor, perhaps,
// any other: it goes through encoding/json. Where the schema is a string and the
// type has MarshalText and UnmarshalText, these count, as for big.Int, which
// otherwise is a number.
func Foreign[T any](text bool) Codec[T] {
	return Codec[T]{
		Decode: func(d *Decoder, v *T) {
			raw := d.Raw()
			if d.err == nil && value.ReadForeign(raw, v, text) != nil {
				d.Fail("format", "does not fit its type")
			}
		},
		Encode: func(e *Encoder, v *T) {
			raw, err := value.WriteForeign(v, text)
			if err != nil {
				e.Fail(err.Error())
				return
			}
			e.Raw(raw)
		},
	}
}
