package value

import (
	"encoding/hex"
	"errors"
)

var errUUID = errors.New("value: not a UUID")

// UUID is an RFC 9562 identifier of any version. The zero UUID is the nil UUID.
type UUID [16]byte

// uuidLength is the length of the written form.
const uuidLength = 36

// ParseUUID reads the form with hyphens, hexadecimal digits in either case. The
// braces, urn: prefix and bare digits of other formats are refused.
func ParseUUID(s string) (UUID, error) {
	var u UUID
	if len(s) != uuidLength || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return UUID{}, errUUID
	}
	at := 0
	for i := range u {
		if at == 8 || at == 13 || at == 18 || at == 23 {
			at++
		}
		high, ok1 := nibble(s[at])
		low, ok2 := nibble(s[at+1])
		if !ok1 || !ok2 {
			return UUID{}, errUUID
		}
		u[i] = high<<4 | low
		at += 2
	}
	return u, nil
}

func nibble(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return (c | 0x20) - 'a' + 10, true
	}
	return 0, false
}

// IsZero reports whether u is the nil UUID.
func (u UUID) IsZero() bool { return u == UUID{} }

// String returns the form with hyphens and small letters.
func (u UUID) String() string { return string(u.format(make([]byte, 0, uuidLength))) }

func (u UUID) format(b []byte) []byte {
	b = append(hex.AppendEncode(b, u[:4]), '-')
	b = append(hex.AppendEncode(b, u[4:6]), '-')
	b = append(hex.AppendEncode(b, u[6:8]), '-')
	b = append(hex.AppendEncode(b, u[8:10]), '-')
	return hex.AppendEncode(b, u[10:])
}

// AppendText appends what String returns. The error is always nil.
func (u UUID) AppendText(b []byte) ([]byte, error) { return u.format(b), nil }

// MarshalText returns what String returns. The error is always nil.
func (u UUID) MarshalText() ([]byte, error) { return u.AppendText(nil) }

// UnmarshalText reads what ParseUUID reads.
func (u *UUID) UnmarshalText(b []byte) error {
	v, err := ParseUUID(string(b))
	if err == nil {
		*u = v
	}
	return err
}
