package snapshot

import (
	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// BulkheadOf is the state of a bulkhead, under a name.
func BulkheadOf(name string, b *bulkhead.Bulkhead) Bulkhead {
	load, p := b.Load(), b.Policy()
	return Bulkhead{
		Name: name, Slots: b.Slots(), Max: p.MaxConcurrent, Running: load.Running, Waiting: load.Waiting, Queue: p.Queue, Outside: load.Outside,
	}
}

// LimitOf is the state of a rate limit, under a name.
func LimitOf(name string, l *ratelimit.Limiter) Limit {
	p := l.Policy()
	return Limit{Name: name, Limit: p.Limit, Per: p.Per, Burst: p.Burst, Keys: l.Keys()}
}
