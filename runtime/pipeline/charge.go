package pipeline

import (
	"math"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// charge fills in what the try costs and how long it may wait.
func (r *run) charge(c *Call, now time.Time, shadow bool) {
	if r.charges == nil {
		r.charges = make([]ratelimit.Charge, len(r.p.limiters))
	}
	left := time.Duration(math.MaxInt64)
	if end := r.end(); !end.IsZero() {
		left = max(0, end.Sub(now)-r.p.timeout.Floor-r.p.reserve)
	}
	r.costs = r.costs[:0]
	for i, l := range r.p.limiters {
		b := &r.p.policy.RateLimit.Buckets[i]
		wait := left
		if b.Wait >= 0 {
			wait = min(wait, b.Wait)
		}
		if shadow {
			wait = 0
		}
		n, cost := costOf(b, c.Lookup)
		if cost > n {
			r.costs = append(r.costs, owed{i, cost})
		}
		r.charges[i] = ratelimit.Charge{Limiter: l, Key: keyOf(b.Key, c.Lookup), N: n, MaxWait: wait}
		if b.Sync != nil {
			r.charges[i].Server = r.serverName(i)
		}
	}
}

// owed is a price beyond what a bucket can ever hold.
type owed struct{ charge, cost int }

// oweRest charges what a bucket cannot hold at once as a debt.
func (r *run) oweRest(now time.Time) {
	for _, o := range r.costs {
		ratelimit.Settle(now, &r.charges[o.charge], o.cost)
	}
}

// costOf is what a try takes from a bucket, and what it costs: a price that the request
// names may be more than the bucket ever holds. Such a call goes when the bucket is full,
// and the next ones wait for the rest as well.
func costOf(b *policy.Bucket, lookup policy.Lookup) (take, cost int) {
	if b.CostFrom.IsZero() || lookup == nil {
		return max(1, b.Cost), 0
	}
	v, ok := lookup.Lookup(b.CostFrom)
	if cost, ok = numberOf(v, ok); !ok {
		return max(1, b.Cost), 0
	}
	most := b.Limit
	if b.Algorithm == policy.TokenBucket {
		most = b.Burst
	}
	if most < 1 {
		return cost, cost
	}
	return min(cost, most), cost
}

// numberOf is a price; false for what is none.
func numberOf(v policy.Value, ok bool) (int, bool) {
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(v.Plain())
	return n, err == nil && n >= 0
}

// serverName names the numbers of the server for a bucket: those that it has last told the
// operation of, for each key on its own.
func (r *run) serverName(i int) string {
	name := keySeparator
	if told := r.p.serverNames[i].Load(); told != nil {
		name += *told
	}
	return keyOf(r.p.policy.RateLimit.Buckets[i].Key, r.lookup) + name
}

// settle closes the charges of a try by what its response tells: tokens come back where the
// policy has it for the status, the price becomes the actual one, and the server's numbers
// count from now on.
func (r *run) settle(now time.Time) {
	for i := range r.charges {
		b, charge := &r.p.policy.RateLimit.Buckets[i], &r.charges[i]
		if b.Refund.Has(statusOf(r.last)) {
			ratelimit.Refund(now, r.charges[i:i+1])
		} else if n, ok := r.actual(b.CostActual); ok {
			ratelimit.Settle(now, charge, n)
		}
		if b.Sync != nil {
			r.sync(now, i, b)
		}
		ratelimit.Forget(now, charge)
	}
}

// sync follows what the response tells about the server's own limit.
func (r *run) sync(now time.Time, i int, b *policy.Bucket) {
	if r.last.Header == nil || r.last.Status == 0 {
		return
	}
	l, ok := retry.LimitOf(b.Sync, r.last.Status, r.last.Header, now)
	if !ok {
		return
	}
	if b.Sync.Bucket != "" {
		if told := r.p.serverNames[i].Load(); told == nil || *told != l.Bucket {
			r.p.serverNames[i].Store(&l.Bucket)
		}
	}
	if !l.Timed {
		l.Reset = b.Per // the policy's own idea of it
	}
	ratelimit.SyncAs(now, &r.charges[i], r.serverName(i), l.Remaining, l.Reset)
}

// actual is the price that the response names.
func (r *run) actual(e policy.Expr) (int, bool) {
	switch {
	case e.IsZero():
		return 0, false
	case e.Source == policy.FromResponseHeader && r.last.Header != nil:
		return numberOf(policy.Value{Text: r.last.Header.Get(e.Name)}, true)
	case e.Source == policy.FromResponseBody && r.last.Body != nil:
		return numberOf(r.last.Body.Lookup(e))
	case e.Source == policy.FromStatus || e.Source == policy.FromResponseHeader || e.Source == policy.FromResponseBody:
		return 0, false
	case r.lookup != nil:
		return numberOf(r.lookup.Lookup(e))
	}
	return 0, false
}

// release gives back what a try has taken that was not made.
func (r *run) release(now time.Time) {
	if len(r.charges) > 0 {
		ratelimit.Refund(now, r.charges)
	}
}

// forget ends the wait for the answers to a try that a panic has ended.
func (r *run) forget() {
	for i := range r.charges {
		ratelimit.Forget(r.begin, &r.charges[i])
	}
}
