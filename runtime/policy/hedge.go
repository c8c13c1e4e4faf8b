package policy

import (
	"strconv"
	"strings"
	"time"
)

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

// ParseQuantile reads a percentile of the language: p50 is 0.5 and p999 is 0.999. It takes
// p50 to p99 and p991 to p999. What is lower would send most requests twice, and three
// digits that are no p99.x mean nothing that one would want.
func ParseQuantile(text string) (float64, bool) {
	digits, ok := strings.CutPrefix(text, "p")
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	switch {
	case len(digits) == 2 && n >= 50:
		return float64(n) / 100, true
	case len(digits) == 3 && n > 990:
		return float64(n) / 1000, true
	}
	return 0, false
}
