package json

import (
	"net/netip"
	"slices"
	"time"
	"unsafe"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// A Codec reads and writes values of one type. Codecs compose:
//
//	var scores = json.Slice(json.Map(json.Null(json.Int32)))
//
// Keep a composed one in a package variable, since making it allocates. Where a
// type contains itself, Of breaks the cycle that the compiler would see in the
// initialisation.
type Codec[T any] struct {
	Decode func(*Decoder, *T)
	Encode func(*Encoder, *T)
}

// Of returns the Codec of a type that has the two methods.
func Of[T any, P interface {
	*T
	Unmarshaler
	Marshaler
}]() Codec[T] {
	return Codec[T]{
		Decode: func(d *Decoder, v *T) { P(v).DecodeJSON(d) },
		Encode: func(e *Encoder, v *T) { e.Value(P(v)) },
	}
}

// The codecs of the scalars.
var (
	String   = Codec[string]{func(d *Decoder, v *string) { *v = d.String() }, func(e *Encoder, v *string) { e.String(*v) }}
	Bool     = Codec[bool]{func(d *Decoder, v *bool) { *v = d.Bool() }, func(e *Encoder, v *bool) { e.Bool(*v) }}
	Int      = Codec[int]{func(d *Decoder, v *int) { *v = d.Int() }, func(e *Encoder, v *int) { e.Int64(int64(*v)) }}
	Int8     = Codec[int8]{func(d *Decoder, v *int8) { *v = d.Int8() }, func(e *Encoder, v *int8) { e.Int64(int64(*v)) }}
	Int16    = Codec[int16]{func(d *Decoder, v *int16) { *v = d.Int16() }, func(e *Encoder, v *int16) { e.Int64(int64(*v)) }}
	Int32    = Codec[int32]{func(d *Decoder, v *int32) { *v = d.Int32() }, func(e *Encoder, v *int32) { e.Int64(int64(*v)) }}
	Int64    = Codec[int64]{func(d *Decoder, v *int64) { *v = d.Int64() }, func(e *Encoder, v *int64) { e.Int64(*v) }}
	Uint8    = Codec[uint8]{func(d *Decoder, v *uint8) { *v = d.Uint8() }, func(e *Encoder, v *uint8) { e.Uint64(uint64(*v)) }}
	Uint16   = Codec[uint16]{func(d *Decoder, v *uint16) { *v = d.Uint16() }, func(e *Encoder, v *uint16) { e.Uint64(uint64(*v)) }}
	Uint32   = Codec[uint32]{func(d *Decoder, v *uint32) { *v = d.Uint32() }, func(e *Encoder, v *uint32) { e.Uint64(uint64(*v)) }}
	Uint64   = Codec[uint64]{func(d *Decoder, v *uint64) { *v = d.Uint64() }, func(e *Encoder, v *uint64) { e.Uint64(*v) }}
	Float32  = Codec[float32]{func(d *Decoder, v *float32) { *v = d.Float32() }, func(e *Encoder, v *float32) { e.Float32(*v) }}
	Float64  = Codec[float64]{func(d *Decoder, v *float64) { *v = d.Float64() }, func(e *Encoder, v *float64) { e.Float64(*v) }}
	Number   = Codec[value.Number]{func(d *Decoder, v *value.Number) { *v = d.Number() }, func(e *Encoder, v *value.Number) { e.Number(*v) }}
	Integer  = Codec[value.Number]{func(d *Decoder, v *value.Number) { *v = d.Integer() }, func(e *Encoder, v *value.Number) { e.Number(*v) }}
	Raw      = Codec[value.Raw]{func(d *Decoder, v *value.Raw) { *v = d.Raw() }, func(e *Encoder, v *value.Raw) { e.Raw(*v) }}
	Any      = Codec[any]{func(d *Decoder, v *any) { *v = d.Any() }, func(e *Encoder, v *any) { e.Any(*v) }}
	Time     = Codec[time.Time]{func(d *Decoder, v *time.Time) { *v = d.Time() }, func(e *Encoder, v *time.Time) { e.Time(*v) }}
	Date     = Codec[value.Date]{func(d *Decoder, v *value.Date) { *v = d.Date() }, func(e *Encoder, v *value.Date) { e.Date(*v) }}
	UUID     = Codec[value.UUID]{func(d *Decoder, v *value.UUID) { *v = d.UUID() }, func(e *Encoder, v *value.UUID) { e.UUID(*v) }}
	Addr     = Codec[netip.Addr]{func(d *Decoder, v *netip.Addr) { *v = d.Addr() }, func(e *Encoder, v *netip.Addr) { e.Addr(*v) }}
	Addr4    = Codec[netip.Addr]{func(d *Decoder, v *netip.Addr) { *v = d.Addr4() }, func(e *Encoder, v *netip.Addr) { e.Addr(*v) }}
	Addr6    = Codec[netip.Addr]{func(d *Decoder, v *netip.Addr) { *v = d.Addr6() }, func(e *Encoder, v *netip.Addr) { e.Addr(*v) }}
	Bytes    = Codec[[]byte]{func(d *Decoder, v *[]byte) { *v = d.Bytes() }, func(e *Encoder, v *[]byte) { e.Bytes(*v) }}
	Duration = Codec[value.Duration]{
		func(d *Decoder, v *value.Duration) { *v = d.Duration() },
		func(e *Encoder, v *value.Duration) { e.Duration(*v) },
	}
	TimeOfDay = Codec[value.Time]{
		func(d *Decoder, v *value.Time) { *v = d.TimeOfDay() },
		func(e *Encoder, v *value.Time) { e.TimeOfDay(*v) },
	}
	Base64URL = Codec[[]byte]{
		func(d *Decoder, v *[]byte) { *v = d.Base64URL() },
		func(e *Encoder, v *[]byte) { e.Base64URL(*v) },
	}
)

// Slice returns the codec of arrays.
func Slice[T any](c Codec[T]) Codec[[]T] {
	return Codec[[]T]{
		Decode: func(d *Decoder, v *[]T) { DecodeSlice(d, v, c) },
		Encode: func(e *Encoder, v *[]T) { EncodeSlice(e, *v, c) },
	}
}

// Map returns the codec of objects with any member names.
func Map[T any](c Codec[T]) Codec[map[string]T] {
	return Codec[map[string]T]{
		Decode: func(d *Decoder, v *map[string]T) { DecodeMap(d, v, c) },
		Encode: func(e *Encoder, v *map[string]T) { EncodeMap(e, *v, c) },
	}
}

// Null returns the codec of values that may be null.
func Null[T any](c Codec[T]) Codec[value.Null[T]] {
	return Codec[value.Null[T]]{
		Decode: func(d *Decoder, v *value.Null[T]) { DecodeNull(d, v, c) },
		Encode: func(e *Encoder, v *value.Null[T]) { EncodeNull(e, v, c) },
	}
}

// Ptr returns the codec of values behind a pointer, for types that contain
// themselves. A nil pointer is written as null, which does not read back.
func Ptr[T any](c Codec[T]) Codec[*T] {
	return Codec[*T]{
		Decode: func(d *Decoder, v **T) { DecodePtr(d, v, c) },
		Encode: func(e *Encoder, v **T) { EncodePtr(e, *v, c) },
	}
}

// firstBytes is the room, in bytes, that an array has at first, and firstItems how
// many items that is at most: few arrays outgrow it, and few leave much of it unused.
const (
	firstBytes = 512
	firstItems = 8
)

// DecodeSlice reads an array. An empty one is an empty slice, not nil. The old
// slice is dropped, not overwritten: it may be shared with a default value.
func DecodeSlice[T any](d *Decoder, v *[]T, c Codec[T]) {
	items := []T{}
	for d.Array(); d.NextItem(); {
		n := len(items)
		if n == cap(items) {
			items = moreRoom(items)
		}
		items = items[:n+1] // zeroed when it was made
		c.Decode(d, &items[n])
	}
	*v = items
}

// moreRoom makes room for an item at least.
func moreRoom[T any](items []T) []T {
	if cap(items) > 0 {
		n := len(items)
		items = append(items, *new(T))
		return items[:n]
	}
	size := max(int(unsafe.Sizeof(*new(T))), 1)
	return make([]T, 0, min(max(firstBytes/size, 1), firstItems))
}

// DecodeMap reads an object into a new map. An empty one is an empty map, not
// nil.
func DecodeMap[T any](d *Decoder, v *map[string]T, c Codec[T]) {
	m := map[string]T{}
	item := new(T)
	for d.Object(); d.NextKey(); {
		key := d.Key()
		*item = *new(T)
		c.Decode(d, item)
		m[key] = *item
	}
	*v = m
}

// DecodeExtra reads the member to whose value NextKey has moved into a map of
// additional properties.
func DecodeExtra[T any](d *Decoder, m *map[string]T, c Codec[T]) {
	key := d.Key()
	var item T
	c.Decode(d, &item)
	if *m == nil {
		*m = map[string]T{}
	}
	(*m)[key] = item
}

// DecodePtr reads a value into a new variable.
func DecodePtr[T any](d *Decoder, v **T, c Codec[T]) {
	*v = new(T)
	c.Decode(d, *v)
}

// DecodeOpt reads the value of an optional member; null is none.
func DecodeOpt[T any](d *Decoder, v *value.Opt[T], c Codec[T]) {
	v.Set(*new(T))
	c.Decode(d, v.Ptr())
}

// DecodeNull reads a value or null.
func DecodeNull[T any](d *Decoder, v *value.Null[T], c Codec[T]) {
	if d.Null() {
		v.SetNull()
		return
	}
	v.Set(*new(T))
	c.Decode(d, v.Ptr())
}

// DecodeOptNull reads the value of an optional member, or null.
func DecodeOptNull[T any](d *Decoder, v *value.OptNull[T], c Codec[T]) {
	if d.Null() {
		v.SetNull()
		return
	}
	v.Set(*new(T))
	c.Decode(d, v.Ptr())
}

// EncodeSlice writes an array.
func EncodeSlice[T any](e *Encoder, items []T, c Codec[T]) {
	e.BeginArray()
	for i := range items {
		if e.err != nil {
			return
		}
		c.Encode(e, &items[i])
	}
	e.EndArray()
}

// EncodeMap writes an object, its members sorted by name.
func EncodeMap[T any](e *Encoder, m map[string]T, c Codec[T]) {
	e.BeginObject()
	ExtraFields(e, m, c, nil)
	e.EndObject()
}

// ExtraFields writes the members of a map into the object that is open, sorted
// by name. A name that is one of the object's own properties is an error.
func ExtraFields[T any](e *Encoder, m map[string]T, c Codec[T], own []string) {
	if len(m) == 0 {
		return
	}
	item := new(T)
	for _, name := range sortedNames(m) {
		e.Key(name)
		if slices.Contains(own, name) {
			e.Fail("the additional property has the name of a declared one")
		}
		if e.err != nil {
			return
		}
		*item = m[name]
		c.Encode(e, item)
	}
}

// sortedNames returns the keys of m in order.
func sortedNames[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// EncodePtr writes the value, or null for nil.
func EncodePtr[T any](e *Encoder, v *T, c Codec[T]) {
	if v == nil {
		e.Null()
		return
	}
	c.Encode(e, v)
}

// EncodeNull writes the value or null.
func EncodeNull[T any](e *Encoder, v *value.Null[T], c Codec[T]) { EncodePtr(e, v.Ptr(), c) }

// OptField writes the member name when there is a value.
func OptField[T any](e *Encoder, name string, v *value.Opt[T], c Codec[T]) {
	if p := v.Ptr(); p != nil {
		c.Encode(e.Key(name), p)
	}
}

// NullField writes the member name with its value or null.
func NullField[T any](e *Encoder, name string, v *value.Null[T], c Codec[T]) {
	EncodePtr(e.Key(name), v.Ptr(), c)
}

// OptNullField writes the member name, with its value or null, when it is set.
func OptNullField[T any](e *Encoder, name string, v *value.OptNull[T], c Codec[T]) {
	if v.IsSet() {
		EncodePtr(e.Key(name), v.Ptr(), c)
	}
}
