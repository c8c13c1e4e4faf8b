package policy

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/show"
)

// Stream is how a client reads an answer that is a sequence of items: server sent
// events, JSON lines or a JSON text sequence.
type Stream struct {
	Mode Mode
	// First bounds the wait for the first item, from the header of the response on, in
	// place of the bound on silence, [Timeout.Idle], which counts after it. Zero leaves it
	// to that one.
	First time.Duration
	// Retry says whether the call waits for the first item, so that a stream which fails
	// before it is tried again like any failure.
	Retry StreamRetry
	// Resume goes on where a stream broke; nil ends it there.
	Resume *StreamResume
	// Error is the JSON pointer into an item that only errors have; empty: no item is one.
	Error string
}

// StreamRetry says when a stream may be begun again.
type StreamRetry uint8

// The zero value waits for the first item.
const (
	StreamRetryBeforeFirst StreamRetry = iota
	StreamRetryNever
)

// String is the word of the language.
func (r StreamRetry) String() string { return word(r, "before-first-event", "never") }

// LastEventID is the header that names the last event that a client has of a stream
// (HTML standard, section 9.2.4).
const LastEventID = "Last-Event-ID"

// StreamResume asks for what comes after the last item.
type StreamResume struct {
	// Param is the place in the request that takes the position.
	Param Expr
	// From is where an item has its position, [FromResponseBody] being one item. The zero
	// Expr is the id of the last event, for Param [LastEventID] alone.
	From Expr
}

// ByEventID reports whether the position is the id of the last event.
func (r *StreamResume) ByEventID() bool { return r.From.IsZero() }

// String is the setting on one line, as that of [Spec].
func (s Stream) String() string { return show.Flow(s) }

// MarshalJSON is that of [Spec].
func (s Stream) MarshalJSON() ([]byte, error) { return show.JSON(s), nil }
