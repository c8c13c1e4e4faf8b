package retry

import (
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Class is what is known about a transport error. The zero value is an error
// that a repeat cannot mend and whose request may have arrived.
type Class struct {
	// Set is the class among those that a policy names; zero is an error that
	// ends the call (an unknown host, a certificate that does not fit).
	Set policy.ErrorSet
	// Unsent says that the request provably never reached the server's work.
	Unsent bool
}

// Header gives the values of a response's header; http.Header is one.
type Header interface{ Get(name string) string }

// Observation is the outcome of one try.
type Observation struct {
	// Status is zero where there was no response; Class tells about that.
	Status int
	Class  Class
	Header Header
	// Body gives values of the response's body for rules and hints that look
	// there; nil where it is not known.
	Body policy.Lookup
	// Keyed says that the request carried an idempotency key.
	Keyed bool
}

// Verdict is what follows from an observation.
type Verdict struct {
	Do Next
	// Refused says that the server has done nothing.
	Refused bool
	// Wait is the least wait where the server gave no hint.
	Wait time.Duration
	// Rule is the name of the rule that decided; empty for the general ones.
	Rule string
}

// Next is what to do after a try.
type Next uint8

// What to do after a try.
const (
	// Final: a failure, or a plain success, that is the call's outcome.
	Final Next = iota
	// Success: a rule says that the response counts as a success.
	Success
	// Retry: try again if everything else admits it.
	Retry
	// Stop: no further try and no fallback.
	Stop
	// Fallback: no further try.
	Fallback
	// Shrink: make the request smaller.
	Shrink
	// InFlight: an earlier request with the same key is still running; ask
	// again with the same key, which counts as no try.
	InFlight
)

// alwaysNever is computed once.
var alwaysNever = policy.AlwaysNever()

// Judge classifies the outcome of a try, in this order: the rules (success,
// shrink, stop, fallback, retry), the statuses never to be retried, the conflict
// with a request in flight, the retryable statuses and errors.
func Judge(p *policy.Retry, o Observation) Verdict {
	if v, ok := byRule(p, o); ok {
		return v
	}
	if o.Status == 0 {
		if o.Class.Set != 0 && p.Errors.Has(o.Class.Set) {
			return Verdict{Do: Retry}
		}
		return Verdict{}
	}
	v := Verdict{Refused: o.Status == 429}
	switch {
	case p.Never.Has(o.Status) || alwaysNever.Has(o.Status):
	case IsInFlight(o):
		v.Do = InFlight
	case p.Statuses.Has(o.Status):
		v.Do = Retry
	}
	if v.Do == Retry && Declined(o.Header) {
		// The server has used up its own budget, or knows better.
		v.Do = Stop
	}
	return v
}

// ShouldRetryHeader is how a server says that a failure was retried enough: it is false then.
const ShouldRetryHeader = "X-Should-Retry"

// Declined reports whether a response asks not to be retried. A nil header asks nothing.
func Declined(h Header) bool {
	return h != nil && strings.EqualFold(h.Get(ShouldRetryHeader), "false")
}

// IsInFlight reports whether a response says that an earlier request with the
// same idempotency key, or the holder of a lock, is still at work: 409 with
// Retry-After.
func IsInFlight(o Observation) bool {
	return o.Status == 409 && o.Keyed && o.Header != nil && o.Header.Get("Retry-After") != ""
}

// precedence is the order in which matching rules win.
var precedence = [...]policy.Action{
	policy.DoSuccess, policy.DoShrink, policy.DoStop, policy.DoFallback, policy.DoRetry,
}

var verdicts = [...]Next{
	policy.DoRetry: Retry, policy.DoStop: Stop, policy.DoSuccess: Success,
	policy.DoFallback: Fallback, policy.DoShrink: Shrink,
}

func byRule(p *policy.Retry, o Observation) (Verdict, bool) {
	if len(p.Rules) == 0 {
		return Verdict{}, false
	}
	for _, action := range precedence {
		for i := range p.Rules {
			r := &p.Rules[i]
			if r.Do != action || !matches(r, o) {
				continue
			}
			return Verdict{
				Do: verdicts[action], Refused: r.Refused || o.Status == 429, Wait: r.Wait, Rule: r.Name,
			}, true
		}
	}
	return Verdict{}, false
}

// matches reports whether all conditions of a rule hold. A rule without any
// matches nothing.
func matches(r *policy.RetryRule, o Observation) bool {
	ofResponse := !r.Statuses.IsZero() || len(r.Header) > 0 || len(r.Body) > 0
	switch {
	case r.Errors != 0:
		return !ofResponse && o.Status == 0 && r.Errors.Has(o.Class.Set)
	case !ofResponse || o.Status == 0:
		return false
	case !r.Statuses.IsZero() && !r.Statuses.Has(o.Status):
		return false
	}
	return headersMatch(r.Header, o.Header) && bodyMatches(r.Body, o.Body)
}

func headersMatch(list []policy.HeaderMatch, h Header) bool {
	for _, m := range list {
		if h == nil || !Glob(m.Glob, h.Get(m.Name)) {
			return false
		}
	}
	return true
}

func bodyMatches(list []policy.BodyMatch, body policy.Lookup) bool {
	for _, m := range list {
		text, ok := bodyText(body, m.Pointer)
		if !ok {
			return false
		}
		found := false
		for _, glob := range m.Any {
			found = found || Glob(glob, text)
		}
		if !found {
			return false
		}
	}
	return true
}

// bodyText is the value at a pointer of the response's body: a string's
// characters, anything else as it is written.
func bodyText(body policy.Lookup, pointer string) (string, bool) {
	if body == nil {
		return "", false
	}
	v, ok := body.Lookup(policy.Expr{Source: policy.FromResponseBody, Name: pointer})
	if !ok {
		return "", false
	}
	return v.Plain(), true
}

// Glob reports whether the text fits the pattern, in which * stands for any
// text, the empty one included. It takes time in proportion to the product of
// both lengths at most.
func Glob(pattern, text string) bool {
	star, from := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
