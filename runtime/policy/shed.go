package policy

import "time"

// Shed refuses requests of a server that cannot keep up, the lowest criticality
// first. It is one for the whole server; an operation without it (a health
// endpoint) is never refused.
type Shed struct {
	Mode Mode
	// Target is the delay in the queue that is still fine.
	Target time.Duration
	// MaxInflight bounds the requests at once; zero is no bound.
	MaxInflight int
	// Adaptive follows the latency with a limit up to MaxInflight.
	Adaptive bool
}
