package value

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Raw is one JSON value as text. The empty Raw is written as null.
type Raw []byte

// String returns the text.
func (r Raw) String() string { return string(r) }

// MarshalJSON returns the text; encoding/json checks it.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte(null), nil
	}
	return r, nil
}

// UnmarshalJSON keeps a copy of the text.
func (r *Raw) UnmarshalJSON(b []byte) error {
	if !json.Valid(b) {
		return errors.New("value: not one JSON value")
	}
	*r = bytes.Clone(b)
	return nil
}
