package explain

// The units of a [Consequence].
const (
	unitTime  = "ms"
	unitCount = "count"
	unitRatio = "ratio"
)

// measure is one number of a worst case; nil is no bound, or what is not there.
type measure struct {
	name, unit string
	of         func(w *WorstCase) *float64
	// none is the text for nil.
	none string
}

// measures are the numbers that a change is told in.
var measures = []measure{
	{"worst-case total", unitTime, func(w *WorstCase) *float64 { return w.LimitMs }, "no bound"},
	{"end when it hangs", unitTime, func(w *WorstCase) *float64 { return w.HangingMs }, "never"},
	{"tries when it hangs", unitCount, func(w *WorstCase) *float64 { return counted(len(w.Timeline.Attempts)) }, ""},
	{"requests a call when all fail", unitCount, func(w *WorstCase) *float64 { return counted(w.Load.Requests) }, ""},
	{"requests a call at 100 calls/s", unitRatio, atHundred, "no budget"},
	{"requests to fallback rungs", unitCount, func(w *WorstCase) *float64 { return counted(w.Load.RungRequests) }, ""},
	{"failed calls until the breaker opens", unitCount, opensAfter, "never opens"},
	{"breaker open for at least", unitTime, func(w *WorstCase) *float64 { return ofBreaker(w, func(b *Breaker) float64 { return b.OpenMinMs }) }, "no breaker"},
	{"breaker open for at most", unitTime, func(w *WorstCase) *float64 { return ofBreaker(w, func(b *Breaker) float64 { return b.LongestOpenMs }) }, "no breaker"},
	{"handler bound on the server", unitTime, func(w *WorstCase) *float64 { return w.ServerMs }, "no bound"},
}

func counted(n int) *float64 {
	f := float64(n)
	return &f
}

// atHundred is what the budget leaves at 100 calls a second; without one it is what
// a call sends.
func atHundred(w *WorstCase) *float64 {
	if w.Load.Budget == nil {
		return nil
	}
	for _, f := range w.Load.Budget.Factors {
		if f.CallsPerSecond == 100 {
			return &f.RequestsPer
		}
	}
	return nil
}

func opensAfter(w *WorstCase) *float64 {
	if w.Breaker == nil || w.Breaker.OpensAfter == 0 {
		return nil
	}
	return counted(w.Breaker.OpensAfter)
}

func ofBreaker(w *WorstCase, get func(*Breaker) float64) *float64 {
	if w.Breaker == nil {
		return nil
	}
	f := get(w.Breaker)
	return &f
}

// consequences are the numbers that differ.
func consequences(a, b *WorstCase) []Consequence {
	out := []Consequence{}
	for _, m := range measures {
		x, y := m.of(a), m.of(b)
		if x == nil && y == nil || x != nil && y != nil && *x == *y {
			continue
		}
		out = append(out, Consequence{Name: m.name, Unit: m.unit, Old: m.text(x), New: m.text(y), OldValue: x, NewValue: y})
	}
	return out
}

func (m *measure) text(f *float64) string {
	switch {
	case f == nil:
		return m.none
	case m.unit == unitTime:
		return spanMs(*f)
	}
	return number(*f)
}
