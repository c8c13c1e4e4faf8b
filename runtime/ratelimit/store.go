package ratelimit

import (
	"context"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Store decides limits that several processes share. Implementations are safe for
// concurrent use; package limittest has the suite that each one passes.
type Store interface {
	// Take decides about all demands at once by the store's clock, as the function [Take]
	// does, but nobody waits: either each has its tokens, or none is touched and the wait
	// is the longest of those that refused. States are set in either case, and not with an
	// error, after which the tokens may have been taken.
	//
	// The demands of one decision have the same group, and differ in bucket or key; a
	// bucket always has the same group. What has one group is kept in one place.
	Take(ctx context.Context, group string, demands []Demand) (wait time.Duration, ok bool, err error)
	// Settle makes a demand of a Take that passed cost n tokens in place of its N, once, as
	// the function [Settle] does: what is over goes back as far as it still counts, and
	// what is missing is owed. Zero gives all back.
	Settle(ctx context.Context, group string, d *Demand, n int) error
}

// Demand is what one bucket is asked for as a part of a decision.
type Demand struct {
	// Bucket names the limit, and Key whose it is.
	Bucket, Key string
	Rate        policy.Rate
	// N is the number of tokens; below 1 takes none and always passes.
	N int
	// State is set by Take.
	State State
	// Receipt is set by a Take that passed, for Settle; only the store knows what it is.
	Receipt int64
}

// NewMemory is a store for one process, which never fails.
func NewMemory() Store { return &memory{limiters: map[limiterID]*Limiter{}} }

type memory struct {
	mu       sync.Mutex
	limiters map[limiterID]*Limiter
}

// limiterID tells limiters apart. A bucket with two rates, as plans give them, has two.
type limiterID struct {
	bucket string
	rate   policy.Rate
}

func (m *memory) limiter(d *Demand) *Limiter {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := limiterID{d.Bucket, d.Rate}
	l := m.limiters[id]
	if l == nil {
		l = New(policy.Bucket{Algorithm: d.Rate.Algorithm, Limit: d.Rate.Limit, Per: d.Rate.Per, Burst: d.Rate.Burst}, 0)
		m.limiters[id] = l
	}
	return l
}

// Take is that of [Store].
func (m *memory) Take(ctx context.Context, _ string, demands []Demand) (time.Duration, bool, error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	charges := make([]Charge, len(demands))
	for i := range demands {
		charges[i] = Charge{Limiter: m.limiter(&demands[i]), Key: demands[i].Key, N: demands[i].N}
	}
	wait, ok := Take(time.Now(), charges)
	for i := range charges {
		demands[i].State, demands[i].Receipt = charges[i].State, charges[i].after
	}
	return wait, ok, nil
}

// Settle is that of [Store].
func (m *memory) Settle(ctx context.Context, _ string, d *Demand, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := m.limiter(d)
	c := Charge{Limiter: l, Key: d.Key, N: d.N, after: d.Receipt, taken: d.N > 0}
	c.index = l.shard(d.Key)
	c.shard = &l.shards[c.index]
	Settle(time.Now(), &c, n)
	return nil
}
