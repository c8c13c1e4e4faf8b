package redisstore

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// step is a script in a batch, on the keys of one slot.
type step struct {
	script *script
	keys   []string
	args   []any

	list []any
	err  error
}

// runAll runs steps in one round trip, or one for each node of a cluster. Each succeeds or
// fails by itself. Those whose script the server does not know did nothing, and go a second
// time with the script's text: a pipeline has nobody else who does that.
func runAll(ctx context.Context, c redis.UniversalClient, steps []*step) {
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

	mu      sync.Mutex
	waiting []*ticket
	busy    bool
}

// ticket is a step that waits.
type ticket struct {
	*step
	done chan struct{}
}

// do runs a step. When the context ends first, the step may still be made, and is not the
// caller's any more.
func (b *batch) do(ctx context.Context, s *step) error {
	t := &ticket{s, make(chan struct{})}
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
		b.trip(ctx, now)
	}
}

// trip is one round trip.
func (b *batch) trip(ctx context.Context, tickets []*ticket) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	steps := make([]*step, len(tickets))
	for i, t := range tickets {
		steps[i] = t.step
	}
	runAll(ctx, b.client, steps)
	for _, t := range tickets {
		close(t.done)
	}
}
