package play

import "time"

// The kinds of faults.
const (
	// Slow: the request waits before it is handled.
	Slow = "slow"
	// Busy: 503, with RetryAfter as the header of that name.
	Busy = "busy"
	// Reset: the connection is reset before the request is handled.
	Reset = "reset"
	// Lost: the request is handled, and the connection cut before the answer.
	Lost = "lost"
)

// Fault is what the server does to one request. Requests that come when the list of
// faults is empty are handled as they should be.
type Fault struct {
	Kind       string        `json:"kind"`
	Delay      time.Duration `json:"delay,omitzero"`
	RetryAfter string        `json:"retryAfter,omitzero"`
}

// Many is the same fault for n requests.
func Many(n int, f Fault) []Fault {
	list := make([]Fault, n)
	for i := range list {
		list[i] = f
	}
	return list
}

// Addresses is the first line that the server writes, as JSON.
type Addresses struct {
	API     string `json:"api"`     // where the generated server listens
	Control string `json:"control"` // where faults are set and effects are counted
}

// The paths of the control address.
const (
	FaultsPath  = "/faults"  // PUT: a list of Fault
	EffectsPath = "/effects" // GET: how often each operation was run, by its ID
)
