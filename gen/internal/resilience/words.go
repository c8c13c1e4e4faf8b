package resilience

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// words say in plain sentences what a caller of an operation can count on; the
// generated documentation has them.
func words(o *operation) []string {
	c, s := &o.result.Client, &o.result.Server
	parts := []string{tries(c) + repeats(c)}
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(breakerWords(c.Breaker, o.dependency))
	add(bulkheadWords(c.Bulkhead, "call"))
	add(limitWords(c.RateLimit, "call"))
	add(keyWords(c.Idempotency))
	for _, text := range clientWords(c) {
		add(text)
	}
	out := []string{strings.Join(parts, "; ") + "."}
	if text := serverWords(s); text != "" {
		out = append(out, text)
	}
	return out
}

// tries says how often and how long.
func tries(c *policy.Client) string {
	n := 1
	if c.Retry != nil && c.Retry.Mode == policy.Enforce {
		n = max(1, c.Retry.MaxAttempts)
	}
	text := "One try"
	if n > 1 {
		text = "Up to " + strconv.Itoa(n) + " tries"
	}
	if c.Timeout == nil || c.Timeout.Mode == policy.Shadow {
		return text + " without a bound in time"
	}
	var r *policy.Retry
	if n > 1 {
		r = c.Retry
	}
	total := c.Timeout.EffectiveTotal(r, c.Fallback.Reserves()...)
	if a := c.Timeout.Attempt; a > 0 && (total == policy.None || a <= total) {
		text += " of " + shortSpan(a)
	}
	if total == policy.None || total == c.Timeout.Attempt {
		return text
	}
	return text + " within " + shortSpan(total)
}

// repeats says what leads to another try.
func repeats(c *policy.Client) string {
	r := c.Retry
	if r == nil || r.MaxAttempts < 2 || r.Mode != policy.Enforce {
		return ""
	}
	if !c.Effect.Repeatable() && !c.Idempotency.Acts() && r.Safety != policy.SafetyAlways {
		return ", repeated only if it was never sent or was refused"
	}
	var on []string
	if s := retried(r); s != "" {
		on = append(on, s)
	}
	if r.Errors != 0 {
		on = append(on, "transport errors")
	}
	text := ""
	if len(on) > 0 {
		text = ", retried on " + and(strings.Split(strings.Join(on, ", "), ", "))
	}
	if len(r.Rules) > 0 {
		text += ", by " + plural(len(r.Rules), "rule")
	}
	if text != "" && !c.Effect.Repeatable() && c.Idempotency.Acts() && c.Idempotency.Key == policy.KeyCaller && !c.Idempotency.Required {
		text += " if it has an idempotency key"
	}
	return text
}

// retried lists the statuses that are repeated.
func retried(r *policy.Retry) string {
	left := policy.Statuses{}
	never := policy.AlwaysNever()
	for _, span := range r.Statuses.Spans() {
		for code := span.Low; code <= span.High; code++ {
			if !r.Never.Has(code) && !never.Has(code) {
				left = left.Range(code, code)
			}
		}
	}
	var out []string
	for _, span := range left.Spans() {
		if span.High-span.Low < 2 {
			for code := span.Low; code <= span.High; code++ {
				out = append(out, strconv.Itoa(code))
			}
			continue
		}
		if span.Low%100 == 0 && span.High%100 == 99 {
			out = append(out, (policy.Statuses{}).Range(span.Low, span.High).String())
			continue
		}
		out = append(out, fmt.Sprintf("%d to %d", span.Low, span.High))
	}
	return strings.Join(out, ", ")
}

func breakerWords(b *policy.Breaker, dependency string) string {
	if b == nil {
		return ""
	}
	name := `breaker "` + dependency + `"`
	switch {
	case len(b.Key) > 0:
		var of []string
		for _, e := range b.Key {
			of = append(of, e.String())
		}
		name = "a breaker for each " + and(of)
	case b.Scope == policy.ScopeHost:
		name = "a breaker for each host"
	case b.Scope == policy.ScopeOperation:
		name = "its own breaker"
	}
	in := " in " + shortSpan(b.Window.Time)
	if b.Window.Count > 0 {
		in = " in " + strconv.Itoa(b.Window.Count) + " calls"
	}
	text := name + " opens after " + plural(b.FailureThreshold, "failure") + in
	if b.FailureRate > 0 {
		text = fmt.Sprintf("%s opens at %s %% of failures%s from %s on", name, strconv.FormatFloat(b.FailureRate*100, 'f', -1, 64), in, plural(b.MinCalls, "call"))
	}
	return text + shadowed(b.Mode)
}

func bulkheadWords(b *policy.Bulkhead, what string) string {
	if b == nil {
		return ""
	}
	text := "at most " + plural(b.MaxConcurrent, what) + " at once"
	if b.Name != "" {
		text += ` in "` + b.Name + `"`
	}
	return text + shadowed(b.Mode)
}

func limitWords(r *policy.RateLimit, what string) string {
	if r == nil {
		return ""
	}
	var limits []string
	for _, b := range r.Buckets {
		text := plural(b.Limit, what) + " in " + shortSpan(b.Per)
		if b.Plan != nil {
			text = "what the plan of the caller allows"
		}
		if b.Name != "" {
			text += ` of "` + b.Name + `"`
		}
		limits = append(limits, text)
	}
	return "at most " + and(limits) + shadowed(r.Mode)
}

func keyWords(i *policy.Idempotency) string {
	switch {
	case i == nil:
		return ""
	case !i.Acts():
		return "no idempotency key is sent" + shadowed(i.Mode)
	case i.Key == policy.KeyDerived:
		return "idempotency key derived from the request"
	case i.Key == policy.KeyPerCall:
		return "idempotency key made for each call"
	case i.Required:
		return "idempotency key required"
	}
	return "idempotency key optional"
}

// serverWords is the server's sentence, empty where only the handler's time is
// bounded.
func serverWords(s *policy.Server) string {
	var parts []string
	for _, text := range []string{limitWords(s.RateLimit, "request"), bulkheadWords(s.Bulkhead, "request")} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if i := s.Idempotency; i != nil {
		parts = append(parts, "results are replayed for "+shortSpan(i.TTL)+shadowed(i.Mode))
	}
	parts = append(parts, stateWords(s)...)
	if len(parts) == 0 {
		return ""
	}
	return "The server: " + strings.Join(parts, "; ") + "."
}

func shadowed(m policy.Mode) string {
	if m == policy.Shadow {
		return " (only watched)"
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
