package deadline

import "time"

// AdaptiveStats are what an Adaptive holds at one moment.
type AdaptiveStats struct {
	// Samples is the number of tries that it goes by, of which older ones weigh less.
	Samples float64
	// Observed is the quantile of these; zero while there are fewer than [LeastSamples].
	Observed time.Duration
}

// Stats are those at the moment now, a tenth of a second old at most.
func (a *Adaptive) Stats(now time.Time) AdaptiveStats {
	return AdaptiveStats{Samples: a.seen.Count(now), Observed: a.observed(now)}
}
