package value

import (
	"encoding"
	"encoding/json"
)

// ReadForeign reads JSON text into v, a pointer to a type of another package, with
// encoding/json. With text set a string goes to the type's UnmarshalText, if it has
// one.
func ReadForeign(raw Raw, v any, text bool) error {
	if u, ok := v.(encoding.TextUnmarshaler); ok && text && len(raw) > 0 && raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		return u.UnmarshalText([]byte(s))
	}
	return json.Unmarshal(raw, v)
}

// WriteForeign is the JSON text of v, a pointer to a type of another package, by
// encoding/json. With text set it is the string that the type's MarshalText gives,
// if it has one.
func WriteForeign(v any, text bool) (Raw, error) {
	if m, ok := v.(encoding.TextMarshaler); ok && text {
		b, err := m.MarshalText()
		if err != nil {
			return nil, err
		}
		return json.Marshal(string(b))
	}
	return json.Marshal(v)
}

// Default stores v when the member is absent.
func (o *Opt[T]) Default(v T) {
	if !o.set {
		o.Set(v)
	}
}

// Default stores v when the member is absent; null stays.
func (o *OptNull[T]) Default(v T) {
	if o.state == absent {
		o.Set(v)
	}
}
