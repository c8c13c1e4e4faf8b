package idempotency

import "errors"

// MaxKey is the longest key, in bytes, that is taken.
const MaxKey = 255

// ErrKey is the error of a header value that is no key.
var ErrKey = errors.New("not an idempotency key: 1 to 255 visible characters are expected, quoted or bare")

// ParseHeader reads the value of an Idempotency-Key header: a structured-field
// string (RFC 9651, 3.3.3), as the draft of the IETF has it, or the bare key, as
// most services do.
func ParseHeader(value string) (string, error) {
	key := value
	if len(value) >= 2 && value[0] == '"' {
		var ok bool
		if key, ok = unquote(value); !ok {
			return "", ErrKey
		}
	}
	if key == "" || len(key) > MaxKey {
		return "", ErrKey
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return "", ErrKey
		}
	}
	return key, nil
}

// unquote reads a structured-field string and nothing after it.
func unquote(value string) (string, bool) {
	out := make([]byte, 0, len(value))
	for i := 1; i < len(value); i++ {
		switch value[i] {
		case '"':
			return string(out), i == len(value)-1
		case '\\':
			i++
			if i == len(value) || value[i] != '"' && value[i] != '\\' {
				return "", false
			}
		}
		out = append(out, value[i])
	}
	return "", false
}

// Header is the value to send for a key, as a structured-field string where
// quoted is set. A key that no header can carry is ErrKey.
func Header(key string, quoted bool) (string, error) {
	if !quoted {
		parsed, err := ParseHeader(key)
		if err == nil && parsed != key {
			return "", ErrKey // it would arrive as another one
		}
		return key, err
	}
	out := append(make([]byte, 0, len(key)+2), '"')
	for i := range len(key) {
		if key[i] == '"' || key[i] == '\\' {
			out = append(out, '\\')
		}
		out = append(out, key[i])
	}
	value := string(append(out, '"'))
	_, err := ParseHeader(value)
	return value, err
}
