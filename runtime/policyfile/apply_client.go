package policyfile

import (
	"math"
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

func setTimeout(t *policy.Timeout, n *Node) {
	if d, ok := spanOf(n); ok {
		t.Attempt = d
		return
	}
	setSpan(n, "connect", &t.Connect)
	setSpan(n, "attempt", &t.Attempt)
	if v := n.Get("p999"); v != nil {
		t.Attempt = measured(v, n.Get("headroom"))
	}
	setSpanOr(n, "total", "none", policy.None, &t.Total)
	setSpan(n, "idle", &t.Idle)
	setSpan(n, "floor", &t.Floor)
	setFlag(n, "adaptive", &t.Adaptive)
	if setSpan(n, "ceiling", &t.Ceiling); t.Adaptive {
		setFloat(n, "headroom", &t.Headroom)
		if t.Headroom == 0 {
			t.Headroom = headroom // generated without adaptive, it has none
		}
	}
	setFloat(n, "share", &t.Share)
}

// headroom is the language's default of that field.
const headroom = 1.2

// measured is the bound on a try with room to spare over what was measured.
func measured(p999, room *Node) time.Duration {
	factor := headroom
	if room != nil {
		factor, _ = floatOf(room)
	}
	d, _ := spanOf(p999)
	if scaled := float64(d) * factor; scaled < math.MaxInt64 {
		return time.Duration(scaled).Round(time.Microsecond)
	}
	return math.MaxInt64
}

// keepSlowCall keeps a breaker's slowCall out of reach of a longer attempt where it
// was out of reach of the generated one: by the language it is attempt where that is
// longer, and a file that writes attempt alone means no other thing.
func keepSlowCall(c, base *policy.Client, layers []layer) {
	if c.Timeout == nil || c.Breaker == nil || base.Timeout == nil || base.Breaker == nil {
		return
	}
	if n, _, depth := find(layers, "client", "breaker", "slowCall"); n != nil && depth == 2 {
		return
	}
	b := *c.Breaker
	if b.SlowCall > 0 && b.SlowCall >= base.Timeout.Attempt && b.SlowCall < c.Timeout.Attempt {
		b.SlowCall = c.Timeout.Attempt
		c.Breaker = &b
	}
}

func setDeadline(d *policy.Deadline, n *Node) { setSpan(n, "reserve", &d.Reserve) }

func (a *applier) setRetry(r *policy.Retry, n *Node) {
	setInt(n, "maxAttempts", &r.MaxAttempts)
	setSpan(n, "baseDelay", &r.BaseDelay)
	setSpan(n, "maxDelay", &r.MaxDelay)
	setWord(n, "jitter", policy.Jitter.String, &r.Jitter)
	setStatuses(n, "statuses", &r.Statuses)
	setStatuses(n, "never", &r.Never)
	a.neverRetried(r, n)
	if v := n.Get("errors"); v != nil {
		r.Errors = errorsOf(v)
	}
	setSpan(n, "maxRetryAfter", &r.MaxRetryAfter)
	setFlag(n, "planRetryAfter", &r.PlanRetryAfter)
	if v := n.Get("rules"); v != nil {
		a.setRules(r, v)
	}
	if v := n.Get("budget"); v != nil {
		a.setBudget(r, v)
	}
	if v := n.Get("shrink"); v != nil {
		if r.Shrink == nil {
			a.absent("shrink")
			return
		}
		shrink := *r.Shrink
		setFloat(v, "factor", &shrink.Factor)
		setInt(v, "keepFirst", &shrink.KeepFirst)
		r.Shrink = &shrink
	}
}

// absent reports a part that the operation's primitive does not have.
func (a *applier) absent(name string) {
	if v := a.node.Get(name); v != nil && a.layer.own {
		a.addf(v.Line, v.Column, below(a.pointer, name), "the operation has no %s: a policy file changes what is there", name)
	}
}

// neverRetried reports single statuses that are both in statuses and never; a range gives way.
func (a *applier) neverRetried(r *policy.Retry, n *Node) {
	list := n.Get("statuses")
	if list == nil {
		return
	}
	for _, item := range list.Items {
		low, high, _ := statusOf(item)
		if low == high && (r.Never.Has(low) || policy.AlwaysNever().Has(low)) {
			a.addf(item.Line, item.Column, below(a.pointer, "statuses"), "%d is in never, which holds", low)
		}
	}
}

func errorsOf(n *Node) policy.ErrorSet {
	var s policy.ErrorSet
	for _, item := range n.Items {
		for one := policy.ConnectErrors; one <= policy.TLSErrors; one <<= 1 {
			if one.String() == item.Text {
				s |= one
			}
		}
	}
	return s
}

// setRules changes the waits of rules.
func (a *applier) setRules(r *policy.Retry, n *Node) {
	r.Rules = slices.Clone(r.Rules)
	names := make([]string, 0, len(r.Rules))
	for i := range r.Rules {
		names = append(names, r.Rules[i].Name)
	}
	for i := range n.Members {
		m := &n.Members[i]
		at := slices.Index(names, m.Name)
		switch {
		case free(m.Name):
		case at >= 0:
			setSpan(m.Value, "wait", &r.Rules[at].Wait)
		case a.layer.own:
			a.addf(m.Line, m.Column, below(below(a.pointer, "rules"), m.Name), "the operation has no such rule%s", didYouMean(m.Name, names))
		}
	}
}

// setBudget changes the budget: false is no bound, true leaves it on.
func (a *applier) setBudget(r *policy.Retry, n *Node) {
	switch {
	case n.Kind == Bool && n.Text == "false":
		r.Budget = nil
	case r.Budget == nil:
		a.absent("budget")
	case n.Kind == Object:
		b := *r.Budget
		setFloat(n, "ratio", &b.Ratio)
		setFloat(n, "minPerSecond", &b.MinPerSecond)
		setSpan(n, "window", &b.Window)
		r.Budget = &b
	}
}

func setHedge(h *policy.Hedge, n *Node) {
	if v := n.Get("delay"); v != nil {
		h.Delay, _ = spanOf(v)
		h.Quantile, _ = quantileOf(v)
	}
	setInt(n, "max", &h.Max)
}

func setStream(s *policy.Stream, n *Node) { setSpan(n, "first", &s.First) }

func setBreaker(b *policy.Breaker, n *Node) {
	// What excludes each other takes each other's place.
	if w := n.Get("window"); w != nil {
		if w.Get("count") != nil || w.Get("time") != nil {
			b.Window = policy.Window{}
		}
		setInt(w, "count", &b.Window.Count)
		setSpan(w, "time", &b.Window.Time)
	}
	if n.Get("failureThreshold") != nil {
		b.FailureRate, b.MinCalls = 0, 0
	}
	setInt(n, "failureThreshold", &b.FailureThreshold)
	if n.Get("failureRate") != nil && b.FailureRate == 0 {
		b.MinCalls = 20 // the language's default
	}
	setFloat(n, "failureRate", &b.FailureRate)
	if b.FailureRate > 0 {
		setInt(n, "minCalls", &b.MinCalls)
	}
	setSpan(n, "minTime", &b.MinTime)
	setSpan(n, "slowCall", &b.SlowCall)
	setSpan(n, "recovery", &b.Recovery)
	setFloat(n, "backoff", &b.Backoff)
	setSpan(n, "maxRecovery", &b.MaxRecovery)
	setInt(n, "probes", &b.Probes)
}

func setFallback(f *policy.Fallback, n *Node) { setSpan(n, "reserve", &f.Reserve) }
