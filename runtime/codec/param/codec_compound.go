package param

import (
	"errors"
	"slices"
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// Any is the codec of a parameter without a schema: text is a string, and
// what the style shows to be an object (deepObject) is a map[string]any of
// strings, maps and lists. Written can be what encoding/json makes of a
// document as well: booleans, numbers, value.Number, nil, lists and maps.
var Any = anyCodec()

func anyCodec() Codec[any] { return Codec[any]{formatAny, parseAny} }

// ListOf is the codec of a list. A nil or empty list is no value: parameters
// have no form for it.
func ListOf[T any](c Codec[T]) Codec[[]T] {
	return Codec[[]T]{
		Format: func(items []T) Value {
			v := Value{kind: listValue, sub: make([]Member, len(items))}
			for i := range items {
				v.sub[i].Value = c.Format(items[i])
			}
			return v
		},
		Parse: func(r Raw) ([]T, error) { return ParseList(r, c) },
	}
}

// MapOf is the codec of an object whose members' names are not known, written
// in the order of the names. In a query with style form and explode it takes
// every parameter that nobody reserved; see Query.Reserve.
func MapOf[T any](c Codec[T]) Codec[map[string]T] {
	return Codec[map[string]T]{
		Format: func(m map[string]T) Value { return ObjectValue(appendMap(nil, c, m)...) },
		Parse: func(r Raw) (map[string]T, error) {
			var m map[string]T
			o := r.Object()
			GetExtra(o, c, &m)
			return m, o.Err()
		},
	}
}

// appendMap appends the members of a map in the order of their names.
func appendMap[T any](dst []Member, c Codec[T], m map[string]T) []Member {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	dst = slices.Grow(dst, len(names))
	for _, name := range names {
		dst = append(dst, Member{name, c.Format(m[name])})
	}
	return dst
}

// JSON is the codec of a parameter whose content is application/json. It
// writes and reads as the body of a request does; reading is strict.
func JSON[T any](c json.Codec[T]) Codec[T] {
	return Codec[T]{
		Format: func(v T) Value {
			text, err := json.Encode(nil, &v, c, json.Mode{Direction: json.Request})
			if err != nil {
				return InvalidValue("cannot be written as JSON")
			}
			return TextValue(string(text))
		},
		Parse: func(r Raw) (T, error) {
			var v T
			text, err := r.typed()
			if err != nil {
				return v, err
			}
			err = json.Decode([]byte(text), &v, c, json.Mode{Direction: json.Request, Strict: true})
			if err == nil {
				return v, nil
			}
			var zero T
			if wrong := new(json.InvalidError); errors.As(err, &wrong) {
				return zero, err
			}
			return zero, fail("type", "must be JSON")
		},
	}
}

// ParseList reads a list item by item. All items that are wrong are reported.
func ParseList[T any](r Raw, c Codec[T]) ([]T, error) {
	items, err := r.List()
	if err != nil {
		return nil, err
	}
	out := make([]T, 0, len(items))
	var wrong []check.Violation
	for i, item := range items {
		v, err := c.Parse(item)
		if err != nil {
			wrong = append(wrong, below(err, "/"+strconv.Itoa(i))...)
			if len(wrong) >= check.MaxViolations {
				break
			}
			continue
		}
		out = append(out, v)
	}
	if wrong != nil {
		return nil, &check.Error{Violations: wrong}
	}
	return out, nil
}

func formatAny(v any) Value {
	switch v := v.(type) {
	case nil:
		return Value{}
	case string:
		return TextValue(v)
	case bool:
		return BoolValue(v)
	case int:
		return IntValue(int64(v))
	case int64:
		return IntValue(v)
	case uint64:
		return UintValue(v)
	case float64:
		return FloatValue(v)
	case value.Number:
		return formatNumber(v)
	case []any:
		return ListOf(anyCodec()).Format(v)
	case []string:
		return ListOf(String).Format(v)
	case map[string]any:
		return MapOf(anyCodec()).Format(v)
	case map[string]string:
		return MapOf(String).Format(v)
	}
	return InvalidValue("is of a type that parameters have no form for")
}

func parseAny(r Raw) (any, error) {
	switch r.shape() {
	case objectShape:
		return MapOf(anyCodec()).Parse(r)
	case listShape:
		return ParseList(r, anyCodec())
	}
	return r.Text()
}
