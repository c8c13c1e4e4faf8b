package json

import "encoding"

// Std returns the codec of a type that has the methods of encoding/json and
// none of this package's.
func Std[T any, P interface {
	*T
	MarshalJSON() ([]byte, error)
	UnmarshalJSON(text []byte) error
}]() Codec[T] {
	return Codec[T]{
		Decode: func(d *Decoder, v *T) {
			raw := d.Raw()
			if d.err == nil && P(v).UnmarshalJSON(raw) != nil {
				d.Fail("format", "does not fit its type")
			}
		},
		Encode: func(e *Encoder, v *T) {
			text, err := P(v).MarshalJSON()
			if err != nil {
				e.Fail("MarshalJSON: " + err.Error())
				return
			}
			e.Raw(text)
		},
	}
}

// Text returns the codec of a type that is written as one string by
// MarshalText. want is what a message calls it: "a semantic version".
func Text[T any, P interface {
	*T
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}](want string) Codec[T] {
	return Codec[T]{
		Decode: func(d *Decoder, v *T) {
			if d.PeekKind() != KindString {
				d.Mismatch("a string")
				return
			}
			text := d.String()
			if d.err == nil && P(v).UnmarshalText([]byte(text)) != nil {
				d.Fail("format", "must be "+want)
			}
		},
		Encode: func(e *Encoder, v *T) {
			text, err := P(v).MarshalText()
			if err != nil {
				e.Fail("MarshalText: " + err.Error())
				return
			}
			e.String(string(text))
		},
	}
}
