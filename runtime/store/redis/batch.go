package redisstore

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// step is a script in a batch, on the keys of one slot.
type step struct {
	script *script
	keys   []string
	args   []any

	// ask is for tokens of one bucket, in place of a script: see [bunch].
	ask *ask

	list []any
	err  error
}

// runAll runs steps in one round trip, or one for each node of a cluster. Each succeeds or
// fails by itself. Those whose script the server does not know did nothing, and go a second
// time with the script's text: a pipeline has nobody else who does that.
func runAll(ctx context.Context, c redis.UniversalClient, steps []*step) {
	if len(steps) == 0 {
		return
	}
	if unknown := send(ctx, c, steps, false); len(unknown) > 0 {
		send(ctx, c, unknown, true)
	}
}

// send sends steps and returns those whose scripts are not known.
func send(ctx context.Context, c redis.UniversalClient, steps []*step, whole bool) (unknown []*step) {
	p := c.Pipeline()
	commands := make([]command, len(steps))
	for i, s := range steps {
		commands[i] = s.script.command(ctx, whole, s.keys, s.args)
		_ = p.Process(ctx, commands[i]) // kept until Exec
	}
	_, all := p.Exec(ctx) // that of the first command that failed, or of the connection
	for i, s := range steps {
		list, err := commands[i].Slice()
		if err == nil && list == nil && all != nil {
			err = all // it was never sent
		}
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			unknown = append(unknown, s)
		}
		lookAgain(ctx, c, err)
		s.list, s.err = list, failure(ctx, err)
	}
	return unknown
}

// maxBatch bounds the steps of one round trip.
const maxBatch = 128

// batch sends the steps of callers who wait at the same time together: those who come while
// a round trip is under way wait for the next. It is safe for concurrent use, and holds no
// goroutine while nobody waits.
type batch struct {
	client  redis.UniversalClient
	timeout time.Duration // of a round trip, above that of its callers
	key     func(bucketID) string
	leases  *leases // nil without

	mu      sync.Mutex
	waiting []*ticket
	busy    bool
}

// ticket is a step that waits.
type ticket struct {
	*step
	done  chan struct{}
	taken atomic.Bool // by a trip, or by the caller who has gone
}

// do runs a step. When the context ends first, the step is not made if no trip has taken
// it; else it may be, and is not the caller's any more.
func (b *batch) do(ctx context.Context, s *step) error {
	t := &ticket{step: s, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, t)
	idle := !b.busy
	b.busy = true
	b.mu.Unlock()
	if idle {
		go b.send(context.WithoutCancel(ctx))
	}
	select {
	case <-t.done:
		return s.err
	case <-ctx.Done():
		t.taken.Store(true)
		return failure(ctx, ctx.Err())
	}
}

// send sends until nobody waits.
func (b *batch) send(ctx context.Context) {
	for {
		b.mu.Lock()
		n := min(len(b.waiting), maxBatch)
		now := b.waiting[:n:n]
		b.waiting = b.waiting[n:]
		b.busy = n > 0
		b.mu.Unlock()
		if n == 0 {
			return
		}
		now = slices.DeleteFunc(now, func(t *ticket) bool { return t.taken.Swap(true) })
		b.trip(ctx, now)
	}
}

// trip is one round trip.
func (b *batch) trip(ctx context.Context, tickets []*ticket) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	steps, bunches := b.bunches(tickets)
	asked := time.Now()
	runAll(ctx, b.client, steps)
	for _, n := range bunches {
		n.share(b.leases, asked) //nolint:contextcheck // What is given back is after the trip.
	}
	for _, t := range tickets {
		close(t.done)
	}
}
