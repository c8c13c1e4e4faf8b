// Package snapshot holds what a client or a server is doing at one moment, as one value of
// plain types and as JSON: its breakers, bulkheads, budgets, limits, latencies, timeouts
// and cache. `client.Core.Snapshot` and `server.Snapshot` make them; package
// runtime/observe/debug serves them.
//
// A snapshot holds no secret and no value of a key that came from a request: a breaker by
// key is named by a hash of its key, and of a limit the number of its keys is told.
//
// # JSON
//
// The members are those that the types' tags name; what is zero and marked omitempty or omitzero is
// left out. Durations are text that [time.ParseDuration] reads, such as "1.5s", moments
// RFC 3339 in UTC, states and other choices their words. A program that reads it ignores
// members that it does not know; format changes when one that it knows does.
package snapshot

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/show"
	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// Format is the version of the JSON form.
const Format = 1

// MaxKeyed bounds the breakers by key that are listed, for there may be thousands. Those
// that are not closed come first.
const MaxKeyed = 64

// Sides of the wire.
const (
	ClientSide = "client"
	ServerSide = "server"
)

// Source has snapshots: a client's Core, or what server.Source makes of a handler.
type Source interface {
	// Snapshot is the present one. It may be called from any goroutine.
	Snapshot() Snapshot
}

// Snapshot is one client or server at one moment. It shares nothing with what it was taken
// of. Lists are sorted by name.
type Snapshot struct {
	Format int `json:"format"`
	// Name is the title of the API, Side who is looked at: ClientSide or ServerSide.
	Name string    `json:"name"`
	Side string    `json:"side"`
	At   time.Time `json:"at"`

	Breakers []Breaker `json:"breakers,omitempty"`
	// Unlisted are the breakers by key beyond [MaxKeyed].
	Unlisted  int        `json:"unlistedBreakers,omitempty"`
	Bulkheads []Bulkhead `json:"bulkheads,omitempty"`
	Budgets   []Budget   `json:"budgets,omitempty"`
	Limits    []Limit    `json:"limits,omitempty"`
	// Latencies of a client are of the tries that were answered, by operation: to the end
	// of a body that is read into memory, to the header of a stream; answers of 429 and
	// from 500 on are left out. Those of a server are of its answers, likewise.
	Latencies []Latency `json:"latencies,omitempty"`
	// Timeouts are those that follow what is observed.
	Timeouts []Timeout `json:"timeouts,omitempty"`
	Cache    *Cache    `json:"cache,omitempty"`
	Shed     *Shed     `json:"shed,omitempty"`
	// Truncated says that buckets were left out to keep a bound on the size.
	Truncated bool `json:"truncated,omitempty"`
}

// Breaker is the state of one breaker.
type Breaker struct {
	// Name is that of its events: the dependency, and what the scope adds.
	Name string `json:"name"`
	// Key is a short hash of the value of the key, for a breaker by key. The same value
	// has the same hash everywhere.
	Key   string               `json:"key,omitempty"`
	State observe.BreakerState `json:"state"`
	// RetryAt is when one that is not closed lets a call through; zero otherwise.
	RetryAt time.Time `json:"retryAt,omitzero"`
	// Calls and Failures are those that its window holds.
	Calls    int `json:"calls"`
	Failures int `json:"failures"`
	// Shadow says that it only watches.
	Shadow bool `json:"shadow,omitempty"`
}

// Bulkhead is the load of one bulkhead.
type Bulkhead struct {
	Name string `json:"name"`
	// Slots are those of the moment, Max those of the policy; an adaptive one may have
	// fewer.
	Slots int `json:"slots"`
	Max   int `json:"max"`
	// Running are in slots, Waiting in the queue, which has room for Queue, and Outside
	// run beside the slots.
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Queue   int `json:"queue"`
	Outside int `json:"outside,omitempty"`
}

// Budget is what is left of one budget of retries.
type Budget struct {
	Name string `json:"name"`
	// Left is the number of retries that could be made at once.
	Left float64 `json:"left"`
	// Calls are the first tries of the window, Retries those that they have paid for.
	Calls   float64 `json:"calls"`
	Retries float64 `json:"retries"`
}

// Limit is one rate limit.
type Limit struct {
	Name  string        `json:"name"`
	Limit int           `json:"limit"`
	Per   time.Duration `json:"per"`
	Burst int           `json:"burst,omitempty"`
	// Keys are those that have used some of their tokens; a limit without keys has one.
	Keys int `json:"keys"`
}

// Latency is how long an operation takes.
type Latency struct {
	Op string `json:"op"`
	// Expired is the number of tries that their own timeout has cut off, which are in no
	// bucket: where they are more than one in a thousand, p999 is longer than that timeout.
	Expired uint64 `json:"expired,omitempty"`
	// Histogram has the samples, see [latency.Snapshot].
	Histogram latency.Snapshot `json:"histogram"`
}

// Timeout is an attempt timeout that follows what is observed.
type Timeout struct {
	Op string `json:"op"`
	// Attempt is the one in force; zero is no bound yet.
	Attempt time.Duration `json:"attempt"`
	// Samples is the weight of what it goes by, Observed the quantile of these; zero while
	// there are too few.
	Samples  float64       `json:"samples"`
	Observed time.Duration `json:"observed,omitempty"`
}

// Cache is what a cache in memory holds.
type Cache struct {
	Entries int   `json:"entries"`
	Bytes   int64 `json:"bytes"`
}

// Shed is the load of a server that sheds.
type Shed struct {
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	// Limit is how many may run at once; zero is no bound.
	Limit int `json:"limit"`
	// Optional, Standard and Critical are the parts of these requests, from 0 to 1, that
	// are refused at present.
	Optional float64 `json:"refusingOptional"`
	Standard float64 `json:"refusingStandard"`
	Critical float64 `json:"refusingCritical"`
}

// String is the snapshot as JSON on one line.
func (s Snapshot) String() string { return string(show.JSON(s)) }

// MarshalJSON is the snapshot as the package's comment describes it.
func (s Snapshot) MarshalJSON() ([]byte, error) { return show.JSON(s), nil }

// WithoutBuckets is the snapshot without the buckets of its latencies, which are most of
// it. Quantiles and numbers of samples stay.
func (s Snapshot) WithoutBuckets() Snapshot {
	if len(s.Latencies) == 0 {
		return s
	}
	list := make([]Latency, len(s.Latencies))
	for i, l := range s.Latencies {
		l.Histogram.Buckets = nil
		list[i] = l
	}
	s.Latencies, s.Truncated = list, true
	return s
}
