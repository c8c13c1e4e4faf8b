package json

import (
	"encoding"
	"net/netip"
	"time"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// stdMarshaler is encoding/json's Marshaler.
type stdMarshaler interface{ MarshalJSON() ([]byte, error) }

// Any writes what Decoder.Any returns, Go's own scalars, slices and maps of
// any, and types that know their JSON: a Marshaler, MarshalJSON or MarshalText.
// There is no reflection: other types have no JSON form.
func (e *Encoder) Any(v any) {
	if e.err != nil || e.basic(v) || e.integer(v) || e.wellKnown(v) {
		return
	}
	switch v := v.(type) {
	case Marshaler:
		e.Value(v)
	case stdMarshaler:
		text, err := v.MarshalJSON()
		if err != nil {
			e.Fail("MarshalJSON: " + err.Error())
			return
		}
		e.Raw(text)
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		if err != nil {
			e.Fail("MarshalText: " + err.Error())
			return
		}
		e.String(string(text))
	default:
		e.Fail("a value of this Go type has no JSON form; use a map[string]any, a []any, a scalar or a type with MarshalJSON")
	}
}

// basic writes the types that Decoder.Any returns.
func (e *Encoder) basic(v any) bool {
	switch v := v.(type) {
	case nil:
		e.Null()
	case string:
		e.String(v)
	case bool:
		e.Bool(v)
	case value.Number:
		e.Number(v)
	case float64:
		e.Float64(v)
	case map[string]any:
		e.BeginObject()
		for _, name := range sortedNames(v) {
			e.Key(name).Any(v[name])
		}
		e.EndObject()
	case []any:
		e.BeginArray()
		for _, item := range v {
			e.Any(item)
		}
		e.EndArray()
	default:
		return false
	}
	return true
}

func (e *Encoder) integer(v any) bool {
	switch v := v.(type) {
	case int:
		e.Int64(int64(v))
	case int8:
		e.Int64(int64(v))
	case int16:
		e.Int64(int64(v))
	case int32:
		e.Int64(int64(v))
	case int64:
		e.Int64(v)
	case uint:
		e.Uint64(uint64(v))
	case uint8:
		e.Uint64(uint64(v))
	case uint16:
		e.Uint64(uint64(v))
	case uint32:
		e.Uint64(uint64(v))
	case uint64:
		e.Uint64(v)
	default:
		return false
	}
	return true
}

func (e *Encoder) wellKnown(v any) bool {
	switch v := v.(type) {
	case float32:
		e.Float32(v)
	case []byte:
		e.Bytes(v)
	case value.Raw:
		e.Raw(v)
	case time.Time:
		e.Time(v)
	case netip.Addr:
		e.Addr(v)
	case []string:
		EncodeSlice(e, v, String)
	case map[string]string:
		EncodeMap(e, v, String)
	default:
		return false
	}
	return true
}
