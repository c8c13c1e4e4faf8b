package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/redis/go-redis/v9"
)

const (
	// DefaultLimitTimeout bounds a decision where nothing else is said.
	DefaultLimitTimeout = 250 * time.Millisecond
	// pause is how long a server that did not answer is left alone, so that not every
	// request waits for it in vain.
	pause = time.Second
)

// LimitOptions are those of limits. Zero is the default of each.
type LimitOptions struct {
	Options

	// Timeout bounds one decision.
	Timeout time.Duration

	// Lease is how many tokens of a bucket that is much used may be fetched for each who
	// waits for one, so that most decisions take no trip at all; zero is none. The limit
	// holds all the same, at every moment. What it costs: others may be refused for up to
	// 100 ms while tokens lie unused here, 20 ms of the rate, a quarter of it at most, are
	// missing from the burst, and RateLimit headers say what was left at the last fetch. Of
	// a bucket that is seldom used none is held. Leases are for token buckets alone, and
	// for decisions about one limit.
	Lease int
}

// MaxLease is the largest [LimitOptions.Lease].
const MaxLease = 1 << 16

// ErrDown is the error of a decision that was not asked for, because the server did not
// answer a moment ago.
var ErrDown = errors.New("redisstore: the server did not answer a moment ago")

// NewLimits decides rate limits. A decision is one round trip, in which the decisions of
// callers who wait at the same time go together. A refusal is remembered until the tokens
// are there, so that who is over a limit costs no more trips.
//
// Times are whole µs, rounded so that a limit is never exceeded: a token bucket of n
// tokens a second gets n/10,000 percent less at most. An exact window takes some 60 bytes
// for each request in it, and beyond 4,096 of them it joins neighbours, which come back
// late then, never early. All buckets of a group are in one slot of a cluster, since they
// are decided together.
func NewLimits(c redis.UniversalClient, o LimitOptions) (ratelimit.Store, error) {
	prefix, err := open(c, o.Options, "limit")
	if err != nil {
		return nil, err
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("redisstore: limits with Timeout %s", o.Timeout)
	}
	if o.Lease < 0 || o.Lease > MaxLease {
		return nil, fmt.Errorf("redisstore: limits with leases of %d, want 0 to %d", o.Lease, MaxLease)
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultLimitTimeout
	}
	l := &limits{batch: batch{client: c, timeout: o.Timeout}, prefix: prefix, timeout: o.Timeout, refusals: newRefusals()}
	l.batch.key = func(id bucketID) string {
		return l.key(id.group, &ratelimit.Demand{Bucket: id.bucket, Key: id.key, Rate: id.rate})
	}
	if o.Lease > 0 {
		l.batch.leases = newLeases(o.Lease, l.ask, l.refusals.forget)
	}
	return l, nil
}

// limits implements [ratelimit.Store].
type limits struct {
	batch    batch
	prefix   string
	timeout  time.Duration
	refusals *refusals
	// again is when a server that did not answer may be asked, in Unix ns; zero is now.
	again atomic.Int64
}

// key is that of one bucket. Rates that differ in kind or time do not share one: what they
// know cannot be compared.
func (l *limits) key(group string, d *ratelimit.Demand) string {
	return l.prefix + "{" + name(group) + "}" + name(d.Bucket, d.Key, d.Rate.Algorithm.String(), d.Rate.Per.String())
}

// Numbers beyond these would not be exact in the scripts: some 31 years.
const (
	mostTime   = int64(1e15)
	mostTokens = int64(1e13)
)

// numbers are the arguments of a limit and of n of its tokens.
func numbers(r policy.Rate, n int) (args [3]int64, cost int64) {
	tokens := min(max(1, int64(r.Limit)), mostTokens)
	per := min(micros(r.Per+time.Microsecond-1), mostTime) // rounded up
	n = max(0, n)
	if r.Algorithm != policy.TokenBucket {
		return [3]int64{int64(r.Algorithm), tokens, per}, min(int64(n), mostTokens+1)
	}
	interval := max(1, (per+tokens-1)/tokens)
	depth := max(interval, mostTime)
	if burst := max(1, int64(r.Burst)); burst <= mostTime/interval {
		depth = burst * interval
	}
	if int64(n) > depth/interval {
		return [3]int64{0, interval, depth}, depth + 1 // never
	}
	return [3]int64{0, interval, depth}, int64(n) * interval
}

// Take is that of [ratelimit.Store].
func (l *limits) Take(ctx context.Context, group string, demands []ratelimit.Demand) (time.Duration, bool, error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	if len(demands) == 0 {
		return 0, true, nil
	}
	if len(demands) == 1 && demands[0].Rate.Algorithm == policy.TokenBucket {
		if args, cost := numbers(demands[0].Rate, demands[0].N); cost <= args[2] {
			return l.takeTokens(ctx, group, &demands[0])
		}
	}
	s := &step{script: takeScript, keys: make([]string, len(demands)), args: make([]any, 0, 4*len(demands))}
	identity := make([]byte, 0, 64*len(demands))
	for i := range demands {
		d := &demands[i]
		s.keys[i] = l.key(group, d)
		if slices.Contains(s.keys[:i], s.keys[i]) {
			return 0, false, fmt.Errorf("redisstore: the bucket %q stands twice in one decision", d.Bucket)
		}
		args, cost := numbers(d.Rate, d.N)
		identity = append(append(identity, s.keys[i]...), ' ')
		for _, a := range [...]int64{args[0], args[1], args[2], cost} {
			s.args = append(s.args, a)
			identity = append(strconv.AppendInt(identity, a, 10), ' ')
		}
	}
	what := string(identity)
	if wait, refused := l.refusals.find(time.Now(), what, demands); refused {
		return wait, false, nil
	}
	if err := l.ask(ctx, s); err != nil {
		return 0, false, err
	}
	wait, ok, err := readDecision(s.list, demands)
	if err == nil && !ok && wait != ratelimit.Never {
		l.refusals.add(time.Now(), what, wait, demands)
	}
	return wait, ok, err
}

// takeTokens is a decision about one token bucket: from a lease, or together with those of
// others about the same one.
func (l *limits) takeTokens(ctx context.Context, group string, d *ratelimit.Demand) (time.Duration, bool, error) {
	id := bucketID{group, d.Bucket, d.Key, d.Rate}
	a := ask{id: id, n: max(0, d.N)}
	if l.batch.leases != nil && l.batch.leases.use(&a, false) {
		d.State, d.Receipt = a.state, a.receipt
		return 0, true, nil
	}
	one := [1]ratelimit.Demand{*d}
	if !l.refusals.none() {
		if wait, refused := l.refusals.find(time.Now(), l.refusal(id, d.N), one[:]); refused {
			d.State = one[0].State
			return wait, false, nil
		}
	}
	s := &step{ask: &ask{id: id, n: a.n}}
	if err := l.ask(ctx, s); err != nil {
		return 0, false, err
	}
	d.State, d.Receipt = s.ask.state, s.ask.receipt
	if d.N < 1 {
		d.State.OK, d.State.Wait = true, 0 // also where tokens are owed
	}
	if !d.State.OK {
		one[0].State = d.State
		l.refusals.add(time.Now(), l.refusal(id, d.N), d.State.Wait, one[:])
	}
	return d.State.Wait, d.State.OK, nil
}

// refusal names the decision about n tokens of a bucket.
func (l *limits) refusal(id bucketID, n int) string {
	args, cost := numbers(id.rate, n)
	return fmt.Sprint(l.batch.key(id), args, cost)
}

// ask runs a step, unless the server did not answer lately.
func (l *limits) ask(ctx context.Context, s *step) error {
	now := time.Now()
	if again := l.again.Load(); again != 0 {
		// One tries it; the others go on without.
		if now.UnixNano() < again || !l.again.CompareAndSwap(again, now.Add(l.timeout).UnixNano()) {
			return ErrDown
		}
	}
	bounded, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	err := l.batch.do(bounded, s)
	var said redis.Error
	switch {
	case err == nil || errors.As(err, &said):
		l.again.Store(0) // it answers
	case ctx.Err() == nil:
		l.again.Store(time.Now().Add(pause).UnixNano())
	}
	return err
}

// readDecision sets the states to what takeScript has answered.
func readDecision(list []any, demands []ratelimit.Demand) (wait time.Duration, ok bool, err error) {
	if len(list) != 1+5*len(demands) {
		return 0, false, errReply
	}
	var n [5]int64
	for i := range demands {
		for j := range n {
			if n[j], err = number(list, 1+5*i+j); err != nil {
				return 0, false, err
			}
		}
		d := &demands[i]
		d.State = ratelimit.State{
			OK: n[0] == 1, Wait: time.Duration(n[1]) * time.Microsecond, Remaining: int(n[2]), Reset: time.Duration(n[3]) * time.Microsecond,
		}
		d.Receipt = n[4]
		if n[1] < 0 {
			d.State.Wait = ratelimit.Never
		}
		if !d.State.OK {
			wait = max(wait, d.State.Wait)
		}
	}
	all, err := number(list, 0)
	return wait, all == 1, err
}

// Settle is that of [ratelimit.Store].
func (l *limits) Settle(ctx context.Context, group string, d *ratelimit.Demand, n int) error {
	args, taken := numbers(d.Rate, d.N)
	_, cost := numbers(d.Rate, n)
	if taken == cost {
		return nil
	}
	s := &step{script: settleScript, keys: []string{l.key(group, d)}, args: []any{args[0], args[1], args[2], taken, cost, d.Receipt}}
	if err := l.ask(ctx, s); err != nil {
		return err
	}
	if cost < taken {
		l.refusals.forget(s.keys[0])
	} else if l.batch.leases != nil {
		l.batch.leases.giveBack(ctx, bucketID{group, d.Bucket, d.Key, d.Rate})
	}
	return nil
}
