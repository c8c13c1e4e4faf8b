package retry

import (
	"math"
	"time"
)

// BudgetStats are what a budget holds at one moment.
type BudgetStats struct {
	// Left is the number of retries that could be paid at once, at least 0.
	Left float64
	// Firsts are the first tries of the window, and Paid the retries that they have paid
	// for; what the floor has paid for is not in it.
	Firsts, Paid float64
}

// Stats are those at the moment now.
func (b *Budget) Stats(now time.Time) BudgetStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.epoch(now)
	b.fill(now)
	s := BudgetStats{Firsts: b.count(e), Paid: b.spent(e)}
	// Each is paid in whole retries, so that parts of both do not make one.
	s.Left = math.Floor(max(0, b.policy.Ratio*s.Firsts-s.Paid)+1e-9) + math.Floor(b.tokens+1e-9)
	return s
}
