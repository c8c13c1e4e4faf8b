// Package idempotency makes a repeated request have one effect: the keys that a
// client sends, and the guard by which a server runs the work behind a key once
// and replays its result.
package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
	"github.com/holdfast-go/holdfast/runtime/internal/uuid"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// keyDigits is the number of hexadecimal digits of a computed key.
const keyDigits = 32

// NewKey is a key for one call: a UUID of version 7 (RFC 9562, 5.7). It is made
// once and sent with every try of the call.
func NewKey() string { return uuid.New() }

// Key is the key of an action on an entity: the first 32 hexadecimal digits of
// the SHA-256 of "entity:action:" and the parameters as JSON, names sorted, with
// ", " and ": " between and characters beyond ASCII escaped, which is what
// Python's json.dumps with sort_keys writes. Parameters are what encoding/json
// takes; numbers keep the form that it gives them.
func Key(entity, action string, params any) (string, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(params); err != nil {
		return "", fmt.Errorf("idempotency key: %w", err)
	}
	tree, err := jsontree.Parse(buffer.String())
	if err != nil {
		return "", fmt.Errorf("idempotency key: %w", err)
	}
	text := append([]byte(entity), ':')
	text = append(append(text, action...), ':')
	return digest(appendPython(text, tree)), nil
}

// ErrMissing is the error of a derived key or fingerprint for which the request
// has no value; nothing may be sent then.
var ErrMissing = errors.New("a value that the idempotency key is made from is missing")

// Derive is the key that the client's policy derives from the request: the first
// 32 hexadecimal digits of the SHA-256 over
//
//	["holdfast/1", operation, [value, …]]
//
// as RFC 8785 has it, but with numbers as they are written. Parameters are
// strings; parts of a JSON body are what they are.
func Derive(s *policy.Spec, values policy.Lookup) (string, error) {
	if s.Client.Idempotency == nil {
		return "", errNoPolicy
	}
	text, err := canonical(s.ID, s.Client.Idempotency.From, values)
	if err != nil {
		return "", err
	}
	return digest(text), nil
}

// errNoPolicy is for a Spec that has no idempotency.
var errNoPolicy = errors.New("the operation has no idempotency")

// canonical is the text under the digest of derived keys and fingerprints.
func canonical(operation string, from []policy.Expr, values policy.Lookup) ([]byte, error) {
	text := []byte(`["holdfast/1",`)
	text = append(jsontree.AppendString(text, operation), ",["...)
	for i, e := range from {
		if i > 0 {
			text = append(text, ',')
		}
		v, ok := policy.Value{}, false
		if values != nil {
			v, ok = values.Lookup(e)
		}
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrMissing, e)
		}
		if !v.JSON {
			text = jsontree.AppendString(text, v.Text)
			continue
		}
		tree, err := jsontree.Parse(v.Text)
		if err != nil {
			return nil, fmt.Errorf("idempotency key: %s: %w", e, err)
		}
		text = appendCanonical(text, tree)
	}
	return append(text, "]]"...), nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:keyDigits]
}

// FingerprintOf identifies a request: the SHA-256 of its method, path, query and
// body, each with its length before it so that no two requests read the same.
func FingerprintOf(method, path, query string, body []byte) [32]byte {
	h := sha256.New()
	for _, part := range [...]string{method, path, query} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	_, _ = fmt.Fprintf(h, "%d:", len(body))
	_, _ = h.Write(body)
	return [32]byte(h.Sum(nil))
}

// FingerprintFrom identifies a request by the values that a policy's From names,
// where the whole of it may not be kept or is not the same in a repeat.
func FingerprintFrom(operation string, from []policy.Expr, values policy.Lookup) ([32]byte, error) {
	text, err := canonical(operation, from, values)
	if err != nil {
		return [32]byte{}, err
	}
	return sha256.Sum256(text), nil
}
