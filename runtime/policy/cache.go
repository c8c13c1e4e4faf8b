package policy

import "time"

// Cache keeps answers on a client, by RFC 9111 and RFC 5861, and says on a server
// how others may keep them. Under an operation that is no read only Invalidates
// counts, and a server's answer is no-store.
type Cache struct {
	Mode Mode
	// MaxAge is the freshness of an answer: what a server writes, and what a
	// client takes where the response has none of its own. Zero revalidates every
	// time (no-cache).
	MaxAge time.Duration
	// SharedMaxAge and CDNMaxAge are those of shared caches (s-maxage) and of the
	// CDN (CDN-Cache-Control); None says nothing about them.
	SharedMaxAge time.Duration
	CDNMaxAge    time.Duration
	// StaleWhileRevalidate is how long past its freshness an answer may be served
	// while it is fetched anew, StaleIfError when that fails. Zero is not at all.
	StaleWhileRevalidate time.Duration
	StaleIfError         time.Duration
	// Immutable says that a fresh answer never changes.
	Immutable bool
	// Vary are the request headers that tell answers apart, in canonical form.
	Vary  []string
	Scope CacheScope
	// SameForAll says that the answer does not depend on who asks, so that the
	// credential is no part of a client's key.
	SameForAll bool
	// Tags are names that a CDN can purge by.
	Tags []Template
	// Invalidates are the answers of other operations that a success of this one
	// outdates.
	Invalidates []Invalidation
	// Key are values that tell entries apart in addition to the method, the URL,
	// the headers of Vary and the credential.
	Key []Expr
	// Store and MaxBytes are the client's: where answers are kept, and how many
	// bytes of them in memory.
	Store    CacheStore
	MaxBytes int64
}

// CacheScope says who may keep an answer.
type CacheScope uint8

// Scopes. The zero value is the careful one.
const (
	CachePrivate CacheScope = iota // the client alone
	CachePublic                    // shared caches as well
	CacheNoStore                   // nobody
)

// String is the word of the language.
func (s CacheScope) String() string { return word(s, "private", "public", "no-store") }

// CacheStore is where a client keeps answers.
type CacheStore uint8

// Stores. The zero value is the process's memory.
const (
	CacheInMemory CacheStore = iota
	CacheInRedis
)

// String is the word of the language.
func (s CacheStore) String() string { return word(s, "memory", "redis") }

// Invalidation drops the entries of an operation.
type Invalidation struct {
	// Operation is its id.
	Operation string
	// Params are the parameters of the entries; without any, all entries of the
	// principal go.
	Params []ParamValue
}

// ParamValue is the value of a parameter.
type ParamValue struct {
	// In is path, query or header.
	In   string
	Name string
	From Expr
}
