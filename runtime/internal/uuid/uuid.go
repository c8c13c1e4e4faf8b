// Package uuid makes UUIDs of version 7 (RFC 9562, 5.7).
package uuid

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// New is a UUID of the moment, in its canonical form of 36 characters.
func New() string {
	var random [10]byte
	_, _ = rand.Read(random[:]) // it never fails: the program ends instead
	return at(time.Now(), random)
}

// at puts the moment in milliseconds before the random bits, so that what is
// made later sorts later.
func at(now time.Time, random [10]byte) string {
	var u [16]byte
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	copy(u[6:], random[:])
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], u[0:4])
	hex.Encode(text[9:13], u[4:6])
	hex.Encode(text[14:18], u[6:8])
	hex.Encode(text[19:23], u[8:10])
	hex.Encode(text[24:36], u[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}
