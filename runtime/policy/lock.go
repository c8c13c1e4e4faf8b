package policy

import "time"

// Lock lets one handler at a time work on the same things.
type Lock struct {
	Mode Mode
	// Keys are what is locked, taken in sorted order.
	Keys []Template
	// TTL is the life of the lock; Heartbeat is how often it is extended, zero
	// for a lock that ends with its TTL.
	TTL       time.Duration
	Heartbeat time.Duration
	// Wait is how long a request waits for the lock before it is refused with 409;
	// zero is not at all.
	Wait time.Duration
	// Fencing numbers the holders, so that a write of one that has lost the lock
	// can be told.
	Fencing bool
	Backend LockBackend
}

// LockBackend is what holds locks.
type LockBackend uint8

// Backends. The zero value is one Redis.
const (
	LockRedis LockBackend = iota
	LockRedlock
	LockPostgres
)

// String is the word of the language.
func (b LockBackend) String() string { return word(b, "redis", "redlock", "postgres") }

// LockTimes are the life and the heartbeat of a lock whose work takes as long as
// expected, by section 6 of the language: under 1s 5s, to 10s 30s, to 60s 3m with
// a heartbeat, more 5m with a heartbeat. A heartbeat comes every third of the
// life, so that two of them may be lost.
func LockTimes(expected time.Duration) (ttl, heartbeat time.Duration) {
	switch {
	case expected < time.Second:
		return 5 * time.Second, 0
	case expected <= 10*time.Second:
		return 30 * time.Second, 0
	case expected <= 60*time.Second:
		return 3 * time.Minute, time.Minute
	}
	return 5 * time.Minute, 5 * time.Minute / 3
}
