package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// LimitStore keeps the counts of rate limits where several instances share them. Without
// it each instance counts for itself. What happens when the store cannot be asked is for
// the policy to say: onStoreError.
func LimitStore(s ratelimit.Store) Option {
	return func(o *settings) { o.limitStore = s }
}

// errLimited stands for a limit in events.
var errLimited = errors.New("the rate limit is reached")

// limitStoreTime bounds one question to a store, so that one that hangs does not take the
// time of all requests.
const limitStoreTime = time.Second

// limit decides the limits of one stage, all of them or none. Past one it answers
// with 429.
func (x *exchange) limit(s stage) bool {
	l := &x.endpoint.limits
	if len(l.buckets[s]) == 0 {
		return true
	}
	first := len(x.charges)
	x.charge(l.buckets[s])
	if len(x.charges) == first {
		return true // plans without a limit
	}
	now := time.Now()
	wait, ok, err := x.decide(now, l, first)
	mine := x.charged[first:]
	if l.mode == policy.Shadow {
		if !ok {
			x.rejected(mine[0].bucket.title, observe.RateLimit, true, now.Add(min(wait, farAway)))
		}
		return true
	}
	if err != nil && !ok {
		return x.withoutStore(err, mine[0].bucket.title)
	}
	x.describePolicy()
	x.describeLimits()
	if ok {
		return true
	}
	refused := mine[0].bucket.title
	for i := range mine {
		if !x.charges[first+i].State.OK {
			refused = mine[i].bucket.title
			break
		}
	}
	var retryAt time.Time
	if wait < ratelimit.Never {
		retryAt = now.Add(wait)
		x.retryAfter(wait)
	}
	x.cause = errLimited
	x.rejected(refused, observe.RateLimit, false, retryAt)
	x.problem(problem(http.StatusTooManyRequests, "the rate limit "+refused+" is reached"))
	return false
}

// farAway keeps a wait that never ends from wrapping around.
const farAway = 365 * 24 * time.Hour

// charge notes what each bucket is asked for.
func (x *exchange) charge(buckets []bucket) {
	look := values{x: x}
	for i := range buckets {
		b := &buckets[i]
		look.trusted = b.trusted
		t := b.tierOf(&look)
		if t == nil {
			continue
		}
		x.charges = append(x.charges, ratelimit.Charge{Limiter: t.limiter, Key: b.key(&look), N: b.cost(&look)})
		x.charged = append(x.charged, charged{bucket: b, tier: t})
	}
}

// decide asks the store, or the limiters of this instance. The error is that of a store
// that could not be asked, where that decides.
func (x *exchange) decide(now time.Time, l *limits, first int) (wait time.Duration, ok bool, err error) {
	charges, of := x.charges[first:], x.charged[first:]
	store := x.h.limitStore
	if store == nil {
		wait, ok = ratelimit.Take(now, charges)
		return wait, ok, nil
	}
	demands := make([]ratelimit.Demand, len(charges))
	for i := range demands {
		t := of[i].tier
		demands[i] = ratelimit.Demand{Bucket: t.name, Key: charges[i].Key, Rate: t.rate, N: charges[i].N}
	}
	ctx, cancel := context.WithTimeout(x.call, limitStoreTime)
	defer cancel()
	wait, ok, err = store.Take(ctx, l.group, demands)
	if err == nil {
		for i := range demands {
			charges[i].State = demands[i].State
			if ok {
				of[i].demand = &demands[i]
			}
		}
		return wait, ok, nil
	}
	if x.r.Context().Err() == nil {
		x.storeFailed("rate-limit", err)
		x.h.failed(x.call, x.op(), 0, err)
	}
	for i := range charges {
		switch of[i].bucket.OnStoreError {
		case policy.LimitDeny:
			return 0, false, err
		case policy.LimitAllow:
			charges[i].N = 0 // takes nothing and passes
		case policy.LimitLocally:
			charges[i].Limiter = of[i].tier.spare
		}
	}
	wait, ok = ratelimit.Take(now, charges)
	return wait, ok, nil
}

// withoutStore answers where a limit that cannot be checked lets nothing pass.
func (x *exchange) withoutStore(err error, title string) bool {
	if x.cause = err; x.r.Context().Err() != nil {
		return false // nobody waits for an answer
	}
	x.rejected(title, observe.RateLimit, false, time.Time{})
	x.retryAfter(time.Second)
	x.problem(problem(http.StatusServiceUnavailable, "rate limits cannot be checked at the moment"))
	return false
}

// describeLimits sets the RateLimit header to the states so far, as
// draft-ietf-httpapi-ratelimit-headers has them: r tokens remain, and in t seconds
// there are all of them again.
func (x *exchange) describeLimits() {
	var out []byte
	for i := range x.charges {
		state := &x.charges[i].State
		if len(out) > 0 {
			out = append(out, ", "...)
		}
		out = appendTitle(out, x.charged[i].bucket.title)
		out = strconv.AppendInt(append(out, ";r="...), int64(max(0, state.Remaining)), 10)
		out = strconv.AppendInt(append(out, ";t="...), int64((state.Reset+time.Second-1)/time.Second), 10)
	}
	x.w.Header()["Ratelimit"] = []string{string(out)}
}

// describePolicy sets RateLimit-Policy: for plans, to the rates that hold for this caller.
func (x *exchange) describePolicy() {
	if all := x.endpoint.limits.policy; all != nil {
		x.w.Header()["Ratelimit-Policy"] = all
		return
	}
	var out []byte
	for i := range x.charged {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, x.charged[i].tier.item...)
	}
	x.w.Header()["Ratelimit-Policy"] = []string{string(out)}
}

// settleLimits gives back the tokens of a status that costs nothing, and corrects an
// estimated price by that of the answer.
func (x *exchange) settleLimits(status int) {
	var now time.Time
	for i := range x.charged {
		b := x.charged[i].bucket
		n := -1
		if b.Refund.Has(status) {
			n = 0
		} else if !b.CostActual.IsZero() {
			if v, ok := answerValue(&x.response, b.CostActual); ok {
				if actual, err := strconv.Atoi(v.Plain()); err == nil && actual >= 0 {
					n = actual
				}
			}
		}
		if n < 0 {
			continue
		}
		if now.IsZero() {
			now = time.Now()
		}
		x.settleLimit(i, now, n)
	}
}

// settleLimit makes a charge cost n tokens.
func (x *exchange) settleLimit(i int, now time.Time, n int) {
	d := x.charged[i].demand
	if d == nil {
		if x.h.limitStore == nil || x.charges[i].N > 0 { // not of one that was let pass
			ratelimit.Settle(now, &x.charges[i], n)
		}
		return
	}
	x.charged[i].demand = nil // once
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.context()), limitStoreTime)
	defer cancel()
	if err := x.h.limitStore.Settle(ctx, x.endpoint.limits.group, d, n); err != nil {
		x.h.failed(x.call, x.op(), 0, err)
	}
}
