package policy

import "time"

// Hedge sends a read once more when the first request is late; the first good
// answer wins and the other requests are cancelled. It is never set for an
// operation with an effect, nor next to an idempotency key.
type Hedge struct {
	Mode Mode
	// Delay is how long the requests before have until another one is sent. Zero
	// where Quantile is set.
	Delay time.Duration
	// Quantile, above 0 and under 1, takes the delay from the observed times of
	// this operation instead: 0.95 is p95. Until enough of them are known nothing
	// is hedged.
	Quantile float64
	// Max is the number of additional requests; zero counts as 1.
	Max int
}
