package value

import (
	"encoding/json"
	"errors"
)

var errNull = errors.New("value: null where a value is wanted")

// null is the JSON literal.
const null = "null"

// Opt is a member that may be absent but, when it is there, is not null.
// The zero value is absent. Give the field the tag option omitzero, so that
// encoding/json leaves an absent one out.
type Opt[T any] struct {
	v   T
	set bool
}

// Some returns an Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{v: v, set: true} }

// Get returns the value and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.v, o.set }

// Or returns the value, or def when the member is absent.
func (o Opt[T]) Or(def T) T {
	if o.set {
		return o.v
	}
	return def
}

// IsSet reports whether there is a value.
func (o Opt[T]) IsSet() bool { return o.set }

// IsZero reports whether the member is absent; it is what omitzero asks.
func (o Opt[T]) IsZero() bool { return !o.set }

// Set stores v.
func (o *Opt[T]) Set(v T) { o.v, o.set = v, true }

// Clear makes the member absent.
func (o *Opt[T]) Clear() { *o = Opt[T]{} }

// Ptr returns a pointer to the stored value, nil when the member is absent.
// Writing through it changes the Opt.
func (o *Opt[T]) Ptr() *T {
	if !o.set {
		return nil
	}
	return &o.v
}

// MarshalJSON writes the value. An absent member has no JSON form of its own:
// without omitzero it is written as null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.set {
		return []byte(null), nil
	}
	return json.Marshal(&o.v)
}

// UnmarshalJSON reads a value and refuses null.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	if string(b) == null {
		return errNull
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	o.Set(v)
	return nil
}

// Null is a member that is always there and may be null. The zero value is
// null. Do not tag the field omitzero: null has to be written.
type Null[T any] struct {
	v   T
	set bool
}

// NotNull returns a Null that holds v.
func NotNull[T any](v T) Null[T] { return Null[T]{v: v, set: true} }

// Get returns the value, and false when it is null.
func (n Null[T]) Get() (T, bool) { return n.v, n.set }

// Or returns the value, or def when it is null.
func (n Null[T]) Or(def T) T {
	if n.set {
		return n.v
	}
	return def
}

// IsNull reports whether it is null.
func (n Null[T]) IsNull() bool { return !n.set }

// IsZero reports whether it is null, the zero value.
func (n Null[T]) IsZero() bool { return !n.set }

// Set stores v.
func (n *Null[T]) Set(v T) { n.v, n.set = v, true }

// SetNull makes it null.
func (n *Null[T]) SetNull() { *n = Null[T]{} }

// Ptr returns a pointer to the stored value, nil when it is null.
// Writing through it changes the Null.
func (n *Null[T]) Ptr() *T {
	if !n.set {
		return nil
	}
	return &n.v
}

// MarshalJSON writes the value or null.
func (n Null[T]) MarshalJSON() ([]byte, error) {
	if !n.set {
		return []byte(null), nil
	}
	return json.Marshal(&n.v)
}

// UnmarshalJSON reads a value or null.
func (n *Null[T]) UnmarshalJSON(b []byte) error {
	if string(b) == null {
		n.SetNull()
		return nil
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	n.Set(v)
	return nil
}

// OptNull is a member that may be absent, null or a value, so that a patch can
// tell "leave it", "clear it" and "set it" apart. The zero value is absent.
// Give the field the tag option omitzero.
type OptNull[T any] struct {
	v     T
	state state
}

type state uint8

const (
	absent state = iota
	isNull
	hasValue
)

// Present returns an OptNull that holds v.
func Present[T any](v T) OptNull[T] { return OptNull[T]{v: v, state: hasValue} }

// NullOf returns an OptNull that is null, as value.NullOf[string]().
func NullOf[T any]() OptNull[T] { return OptNull[T]{state: isNull} }

// Get returns the value, and false when the member is absent or null.
func (o OptNull[T]) Get() (T, bool) { return o.v, o.state == hasValue }

// Or returns the value, or def when the member is absent or null.
func (o OptNull[T]) Or(def T) T {
	if o.state == hasValue {
		return o.v
	}
	return def
}

// IsSet reports whether the member is there, be it null or a value.
func (o OptNull[T]) IsSet() bool { return o.state != absent }

// IsNull reports whether the member is there and null.
func (o OptNull[T]) IsNull() bool { return o.state == isNull }

// IsZero reports whether the member is absent; it is what omitzero asks.
func (o OptNull[T]) IsZero() bool { return o.state == absent }

// Set stores v.
func (o *OptNull[T]) Set(v T) { o.v, o.state = v, hasValue }

// SetNull makes the member null.
func (o *OptNull[T]) SetNull() { *o = NullOf[T]() }

// Clear makes the member absent.
func (o *OptNull[T]) Clear() { *o = OptNull[T]{} }

// Ptr returns a pointer to the stored value, nil when there is none.
// Writing through it changes the OptNull.
func (o *OptNull[T]) Ptr() *T {
	if o.state != hasValue {
		return nil
	}
	return &o.v
}

// MarshalJSON writes the value or null. An absent member has no JSON form of
// its own: without omitzero it is written as null.
func (o OptNull[T]) MarshalJSON() ([]byte, error) {
	if o.state != hasValue {
		return []byte(null), nil
	}
	return json.Marshal(&o.v)
}

// UnmarshalJSON reads a value or null.
func (o *OptNull[T]) UnmarshalJSON(b []byte) error {
	if string(b) == null {
		o.SetNull()
		return nil
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	o.Set(v)
	return nil
}
