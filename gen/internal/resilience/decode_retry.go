package resilience

import (
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func (d *decoder) retry(c *policy.Client) *policy.Retry {
	f := d.fields("retry")
	if f == nil {
		return nil
	}
	r := &policy.Retry{
		Mode: f.mode(), MaxAttempts: f.count("maxAttempts"),
		BaseDelay: f.span("baseDelay"), MaxDelay: f.span("maxDelay"),
		Jitter:   enum(f.word("jitter"), policy.Jitter.String),
		Statuses: statuses(f.list("statuses")), Never: statuses(f.list("never")), Errors: errorSet(f.list("errors")),
		Rules: d.rules(f.get("rules")), Hints: d.hints(f.get("wait")),
		MaxRetryAfter: f.span("maxRetryAfter"), PlanRetryAfter: f.flag("planRetryAfter"),
		Budget: budget(f.get("budget")), Safety: enum(f.word("safety"), policy.Safety.String),
		Shrink: d.shrink(f.get("shrink")),
	}
	if r.MaxDelay < r.BaseDelay {
		base, most := f.get("baseDelay"), f.get("maxDelay")
		d.fault([]*value{most, base}, "resilience-range", "retry.maxDelay %s is under baseDelay %s", shortSpan(r.MaxDelay), shortSpan(r.BaseDelay))
	}
	d.neverRetried(f)
	if s := f.get("safety"); r.Safety == policy.SafetyAlways && c.Effect == policy.Write && !c.Idempotency.Acts() {
		d.criticalf(ruleSafetyAlways, []*value{s}, "retry.safety always repeats a write that has no idempotency key: its effect may come twice")
	}
	return r
}

// neverRetried reports numbers that are both in statuses and in never. A range
// gives way to never, and so do the statuses that nobody has written.
func (d *decoder) neverRetried(f *value) {
	list := f.get("statuses")
	if !list.written() {
		return
	}
	never := statuses(f.list("never"))
	for _, n := range items(list.node) {
		low, high, _ := statusRange(n)
		if low != high || !never.Has(low) && !policy.AlwaysNever().Has(low) {
			continue
		}
		at := &value{node: n, at: n, weight: list.weight}
		if list.at != list.node {
			at.at = list.at // it came with a preset
		}
		if policy.AlwaysNever().Has(low) {
			d.fault([]*value{at}, "resilience-conflict", "retry.statuses has %d, which is always in never", low).
				Hintf("a rule may retry it: rules: {again: {status: %d, do: retry}}", low)
			continue
		}
		report := d.fault([]*value{at}, "resilience-conflict", "retry.statuses has %d, which is in never as well", low)
		if v := f.get("never"); v.written() && v.at != nil {
			report.At(v.at.Pos(), "never stands here")
		} else {
			report.Hintf("write never without it")
		}
	}
}

func statuses(nodes []*load.Node) policy.Statuses {
	var s policy.Statuses
	for _, n := range nodes {
		if low, high, ok := statusRange(n); ok {
			s = s.Range(low, high)
		}
	}
	return s
}

func statusRange(n *load.Node) (low, high int, ok bool) {
	text, _ := n.Written()
	return parseStatuses(text)
}

func errorSet(nodes []*load.Node) policy.ErrorSet {
	var s policy.ErrorSet
	for _, n := range nodes {
		for i, word := range errorWords {
			if n.Text == word {
				s |= 1 << i
			}
		}
	}
	return s
}

// What shrink drops and keeps where it does not say so, by section 6 of the language.
const (
	shrinkFactor = 0.75
	shrinkKeeps  = 1
)

// shrink is nil where it is off. What it makes smaller has to be a list.
func (d *decoder) shrink(v *value) *policy.Shrink {
	if v == nil || !v.object {
		return nil
	}
	s := &policy.Shrink{Pointer: v.word("pointer"), Factor: shrinkFactor, KeepFirst: shrinkKeeps}
	if f := v.get("factor"); f != nil {
		s.Factor = v.number("factor")
		if s.Factor == 1 {
			d.fault([]*value{f}, "resilience-range", "retry.shrink.factor 1 drops nothing: want a number between 0 and 1")
		}
	}
	if v.get("keepFirst") != nil {
		s.KeepFirst = v.count("keepFirst")
	}
	p := v.get("pointer")
	if p == nil {
		return s
	}
	d.note(use{expr: policy.Expr{Source: policy.FromBody, Name: s.Pointer}, path: "retry.shrink.pointer", isList: true}, p, p.node)
	return s
}

// budget is nil where it is off.
func budget(v *value) *policy.Budget {
	if v == nil || !v.object {
		return nil
	}
	return &policy.Budget{Ratio: v.number("ratio"), MinPerSecond: v.number("minPerSecond"), Window: v.span("window")}
}

func (d *decoder) rules(v *value) []policy.RetryRule {
	if v == nil {
		return nil
	}
	var out []policy.RetryRule
	for i, name := range v.keys {
		e := v.values[i]
		rule := policy.RetryRule{
			Name: name, Statuses: statuses(e.list("status")), Header: headerMatches(e.get("header")), Body: bodyMatches(e.get("body")),
			Errors: errorSet(e.list("error")), Do: enum(e.word("do"), policy.Action.String),
			Wait: e.span("wait"), Refused: e.flag("refused"),
		}
		switch {
		case rule.Statuses.IsZero() && len(rule.Header) == 0 && len(rule.Body) == 0 && rule.Errors == 0:
			d.fault([]*value{e}, "resilience-rule", "retry.rules.%s has no condition: want status, header, body or error", name)
		case e.get("do") == nil:
			d.fault([]*value{e}, "resilience-rule", "retry.rules.%s does not say what to do: want do: success, shrink, stop, fallback or retry", name)
		}
		out = append(out, rule)
	}
	return out
}

func headerMatches(v *value) []policy.HeaderMatch {
	if v == nil {
		return nil
	}
	var out []policy.HeaderMatch
	for i, name := range v.keys {
		glob, _ := v.values[i].node.Written()
		out = append(out, policy.HeaderMatch{Name: name, Glob: glob})
	}
	return out
}

func bodyMatches(v *value) []policy.BodyMatch {
	if v == nil {
		return nil
	}
	var out []policy.BodyMatch
	for i, pointer := range v.keys {
		m := policy.BodyMatch{Pointer: pointer}
		for _, n := range items(v.values[i].node) {
			glob, _ := n.Written()
			m.Any = append(m.Any, glob)
		}
		out = append(out, m)
	}
	return out
}

func (d *decoder) hints(v *value) []policy.RetryHint {
	if v == nil {
		return nil
	}
	var out []policy.RetryHint
	for i, name := range v.keys {
		e := v.values[i]
		h := policy.RetryHint{
			Name: name, Header: e.word("header"), Pointer: e.word("body"),
			As: enum(e.word("as"), policy.HintUnit.String), When: headerMatches(e.get("when")),
		}
		if h.Header == "" && e.get("body") == nil {
			d.fault([]*value{e}, "resilience-rule", "retry.wait.%s does not say where the hint stands: want header or body", name)
		}
		out = append(out, h)
	}
	return out
}

// breaker takes the client's timeout for what is slow.
func (d *decoder) breaker(t *policy.Timeout) *policy.Breaker {
	f := d.fields("breaker")
	if f == nil {
		return nil
	}
	window := f.get("window")
	b := &policy.Breaker{
		Mode: f.mode(), Scope: enum(f.word("scope"), policy.Scope.String), Key: d.exprs(f.get("key"), "breaker.key"),
		Window:           policy.Window{Count: window.count("count"), Time: window.span("time")},
		FailureThreshold: f.count("failureThreshold"), MinTime: f.span("minTime"), FailureRate: f.number("failureRate"),
		SlowCall: f.span("slowCall"), Recovery: f.span("recovery"), Backoff: f.number("backoff"),
		MaxRecovery: f.span("maxRecovery"), Probes: f.count("probes"),
	}
	if b.FailureRate > 0 {
		b.MinCalls = f.count("minCalls")
	}
	if t != nil && !f.get("slowCall").written() {
		b.SlowCall = max(b.SlowCall, t.Attempt)
	}
	reach, field := b.FailureThreshold, "failureThreshold"
	if b.FailureRate > 0 {
		reach, field = b.MinCalls, "minCalls"
	}
	if b.Window.Count > 0 && reach > b.Window.Count {
		d.fault([]*value{f.get(field), window.get("count"), f.get("failureRate")}, "resilience-range",
			"breaker.%s %d cannot be reached in a window of %d calls", field, reach, b.Window.Count).
			Hintf("write window: {count: %d} or more", reach)
	}
	return b
}

// shortSpan writes a duration without the zero parts at its end: 1m, not 1m0s.
func shortSpan(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if len(s) > len(zero) && s[len(s)-len(zero):] == zero {
			s = s[:len(s)-2]
		}
	}
	return s
}
