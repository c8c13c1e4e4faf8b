package pipeline

import (
	"context"
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/runtime/hedge"
	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// latency is the histogram of an operation. It outlives changes of the policy.
func (r *Registry) latency(op string) *latency.Histogram {
	h, ok := r.latencies.Load(op)
	if !ok {
		h, _ = r.latencies.LoadOrStore(op, new(latency.Histogram))
	}
	return h.(*latency.Histogram)
}

// hedger is that of an operation.
func (r *Registry) hedger(op string, p *policy.Hedge) *hedge.Hedger {
	o := hedge.Options{Name: op}
	if p.Quantile > 0 {
		o.Latency = r.latency(op)
	}
	if hook := r.settings.Hooks.Hedge; hook != nil {
		o.OnEvent = func(ctx context.Context, e hedge.Event) {
			hook(ctx, observe.Hedge{Op: e.Name, What: e.What.String(), Number: e.Number, After: e.After})
		}
	}
	return hedge.New(*p, o)
}

// Hedger says when the request of the try is sent once more; nil is never. That is so for
// a call with an idempotency key, one that is no read whatever its policy says, and the
// probe of a breaker, which is one request.
func (a Attempt) Hedger() *hedge.Hedger {
	if a.call == nil {
		return nil
	}
	r := &a.call.run
	if r.p.hedger == nil || r.p.policy.Effect != policy.Read || a.call.Key != "" || r.breaker.permit.Probe() {
		return nil
	}
	return r.p.hedger
}

// PayHedge pays for one more request of the try: from the client's own limits, without a
// wait, and from the retry budget. It may be called from any goroutine while Try runs.
func (a Attempt) PayHedge(context.Context) bool {
	r := &a.call.run
	now := time.Now()
	// What the try itself has cost is known by now, and nobody changes it before its end.
	charges := slices.Clone(r.charges)
	for i := range charges {
		charges[i].MaxWait = 0
	}
	if len(charges) > 0 && r.p.policy.RateLimit.Mode == policy.Enforce {
		if _, ok := ratelimit.Take(now, charges); !ok {
			return false
		}
	}
	if r.p.budget == nil || r.p.budget.Take(now) {
		for i := range charges {
			ratelimit.Forget(now, &charges[i]) // the numbers of the answer that is used count
		}
		return true
	}
	if len(charges) > 0 && r.p.policy.RateLimit.Mode == policy.Enforce {
		ratelimit.Refund(now, charges)
	}
	return false
}
