package param

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// Nothing is the codec of a type that has no value but null: parameters have no
// null, so it writes nothing and takes any text.
var Nothing = Codec[struct{}]{
	Format: func(struct{}) Value { return Value{} },
	Parse: func(r Raw) (struct{}, error) {
		_, err := r.Text()
		return struct{}{}, err
	},
}

// Integer is Number for whole numbers of any size.
var Integer = Codec[value.Number]{
	Format: formatNumber,
	Parse: func(r Raw) (value.Number, error) {
		n, err := parseNumber(r)
		if err == nil && !n.IsInteger() {
			return "", fail("type", "must be an integer")
		}
		return n, err
	},
}

// Base64URL is Bytes written in the alphabet that is safe in addresses.
var Base64URL = Codec[[]byte]{
	Format: func(b []byte) Value {
		if b == nil {
			return Value{} // absent, as BytesValue has it
		}
		return TextValue(base64.RawURLEncoding.EncodeToString(b))
	},
	Parse: parseBytes,
}

// Enum is c for a type with listed values: reading refuses those that known does
// not know. listed names them for the message.
func Enum[T any](c Codec[T], known func(T) bool, listed string) Codec[T] {
	return Codec[T]{
		Format: c.Format,
		Parse: func(r Raw) (T, error) {
			v, err := c.Parse(r)
			if err == nil && !known(v) {
				var zero T
				return zero, fail("enum", "must be one of "+listed)
			}
			return v, err
		},
	}
}

// EnumJSON is the codec of an enum whose values are of several kinds, so that T
// holds JSON text. A text that is one of the values as it stands is that one,
// any other is a string.
func EnumJSON[T ~string](known func(T) bool) Codec[T] {
	return Codec[T]{
		Format: func(v T) Value {
			text := string(v)
			if !strings.HasPrefix(text, `"`) {
				return TextValue(text)
			}
			var s string
			if json.Unmarshal([]byte(text), &s) != nil {
				return InvalidValue("is not JSON text")
			}
			return TextValue(s)
		},
		Parse: func(r Raw) (T, error) {
			s, err := r.Text()
			if err != nil || known(T(s)) {
				return T(s), err
			}
			quoted, err := json.Marshal(s)
			return T(quoted), err
		},
	}
}

// Const is c for a parameter that has one value: it stands in where none is set,
// and reading refuses another.
func Const[T comparable](c Codec[T], only T, listed string) Codec[T] {
	var zero T
	strict := Enum(c, func(v T) bool { return v == only }, listed)
	strict.Format = func(v T) Value {
		if v == zero {
			v = only
		}
		return c.Format(v)
	}
	return strict
}

// NullOf is the codec of an item that could be null in JSON. Parameters have no
// null: a null item is left out.
func NullOf[T any](c Codec[T]) Codec[value.Null[T]] {
	return Codec[value.Null[T]]{
		Format: func(v value.Null[T]) Value { return Null(c, v) },
		Parse: func(r Raw) (value.Null[T], error) {
			v, err := c.Parse(r)
			if err != nil {
				return value.Null[T]{}, err
			}
			return value.NotNull(v), nil
		},
	}
}

// PtrOf is the codec of a value behind a pointer; nil is no value.
func PtrOf[T any](c Codec[T]) Codec[*T] {
	return Codec[*T]{
		Format: func(v *T) Value { return Ptr(c, v) },
		Parse: func(r Raw) (*T, error) {
			v, err := c.Parse(r)
			if err != nil {
				return nil, err
			}
			return &v, nil
		},
	}
}

// Foreign is the codec of a type of another package. Its MarshalText and
// UnmarshalText are used where it has them, else those of encoding/json.
func Foreign[T any]() Codec[T] {
	return Codec[T]{
		Format: func(v T) Value {
			if _, ok := any(&v).(encoding.TextMarshaler); !ok {
				return formatForeign(&v)
			}
			text, err := any(&v).(encoding.TextMarshaler).MarshalText()
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
			if u, ok := any(&v).(encoding.TextUnmarshaler); ok {
				err = u.UnmarshalText([]byte(s))
			} else {
				err = parseForeign(s, &v)
			}
			if err != nil {
				var zero T
				return zero, fail("format", "cannot be read")
			}
			return v, nil
		},
	}
}

func formatForeign(v any) Value {
	text, err := json.Marshal(v)
	if err != nil {
		return InvalidValue("cannot be written as text")
	}
	var s string
	if json.Unmarshal(text, &s) == nil {
		return TextValue(s)
	}
	return TextValue(string(text))
}

// parseForeign reads a text as JSON, and where that does not fit as a JSON string.
func parseForeign(s string, v any) error {
	err := json.Unmarshal([]byte(s), v)
	if err == nil {
		return nil
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return json.Unmarshal(quoted, v)
}

// List is the value of a list in c's form.
func List[T any](c Codec[T], items []T) Value {
	v := Value{kind: listValue, sub: make([]Member, len(items))}
	for i := range items {
		v.sub[i].Value = c.Format(items[i])
	}
	return v
}

// Map is the value of an object whose members' names are not known, in the order
// of the names.
func Map[T any](c Codec[T], m map[string]T) Value { return ObjectValue(appendMap(nil, c, m)...) }

// ParseMap reads an object whose members' names are not known.
func ParseMap[T any](r Raw, c Codec[T]) (map[string]T, error) {
	var m map[string]T
	o := r.Object()
	GetExtra(o, c, &m)
	return m, o.Err()
}

// GetNilable reads an optional member whose type says by its zero value that it
// is not there, such as a list.
func GetNilable[T any](o *Object, name string, c Codec[T], dst *T) {
	v, err := parseMember(o, name, c)
	if o.got(name, err, false) {
		*dst = v
	}
}

// Try reads r as one alternative of several into a new T. It reports whether that
// was possible.
func Try[T any](r Raw, c Codec[T], dst **T) bool {
	v, err := c.Parse(r)
	if err == nil {
		*dst = &v
	}
	return err == nil
}

// TryNilable is Try for an alternative that is a list, a map or any value, which
// has no pointer.
func TryNilable[T any](r Raw, c Codec[T], dst *T) bool {
	v, err := c.Parse(r)
	if err == nil {
		*dst = v
	}
	return err == nil
}

// NoneFits is the error of a parameter that none of its alternatives fit.
func (r Raw) NoneFits() error {
	if r.Absent() || r.n == 0 && !r.style.has(DeepObject) {
		return ErrAbsent
	}
	return fail("oneOf", "fits none of its alternatives")
}

// Items reads the items of a list one by one, each with a codec of its own:
//
//	func parsePoint(r param.Raw) (Point, error) {
//		var v Point
//		o := r.Items()
//		param.Item(o, param.Int64, &v.First)
//		return v, o.Err()
//	}
type Items struct {
	list  []Raw
	next  int
	err   error
	wrong []check.Violation
}

// Items reads r as a list of items that differ in type.
func (r Raw) Items() *Items {
	list, err := r.List()
	return &Items{list: list, err: err}
}

// Item reads the next item; one that is missing stays zero.
func Item[T any](o *Items, c Codec[T], dst *T) {
	if o.err != nil || o.next >= len(o.list) {
		return
	}
	v, err := c.Parse(o.list[o.next])
	if err != nil {
		o.wrong = append(o.wrong, below(err, "/"+strconv.Itoa(o.next))...)
	} else {
		*dst = v
	}
	o.next++
}

// RestItems reads the items that are left.
func RestItems[T any](o *Items, c Codec[T], dst *[]T) {
	for o.err == nil && o.next < len(o.list) && len(o.wrong) < check.MaxViolations {
		*dst = append(*dst, *new(T))
		Item(o, c, &(*dst)[len(*dst)-1])
	}
}

// Err is what is wrong with the list, items left over included.
func (o *Items) Err() error {
	switch {
	case o.err != nil:
		return o.err
	case o.next < len(o.list):
		o.wrong = append(o.wrong, check.Violation{Rule: "items", Detail: "has too many items"})
	}
	if len(o.wrong) > 0 {
		return &check.Error{Violations: o.wrong}
	}
	return nil
}

// Nilable is a value whose type says by nil that it is not there: no value when
// it is nil.
func Nilable[S ~[]T, T any](c Codec[S], v S) Value {
	if v == nil {
		return Value{}
	}
	return c.Format(v)
}

// NilableMap is Nilable for a map.
func NilableMap[M ~map[string]T, T any](c Codec[M], v M) Value {
	if v == nil {
		return Value{}
	}
	return c.Format(v)
}
