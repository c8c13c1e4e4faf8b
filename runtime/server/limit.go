package server

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// stage is when a limit is decided.
type stage uint8

const (
	stageEarly     stage = iota // before authentication
	stagePrincipal              // after it
	stageBody                   // when the body has been read, for what a key or cost takes from it
	stages
)

// limits are the rate limits of one operation.
type limits struct {
	mode    policy.Mode
	buckets [stages][]bucket
	policy  []string // the value of RateLimit-Policy
}

// bucket is one limit of an operation. Operations that name the same bucket share
// its limiter.
type bucket struct {
	*policy.Bucket
	limiter *ratelimit.Limiter
	title   string // in headers and events
	byUser  bool   // the key is the principal, or the address of an anonymous one
}

// limits makes the limits of an operation.
func (s *shared) limits(spec *policy.Spec, dependency string, secured bool) limits {
	p := spec.Server.RateLimit
	l := limits{mode: p.Mode}
	var parts []string
	for i := range p.Buckets {
		b := bucket{Bucket: &p.Buckets[i], title: p.Buckets[i].Name}
		name := dependency + "\x00" + b.title
		if b.title == "" {
			// The operation's own, which its variants share.
			b.title = spec.ID
			name += "\x00" + spec.ID
		}
		b.limiter = s.limiter(name, b.Bucket)
		b.byUser = secured && len(b.Key) == 1 && b.Key[0].Source == policy.FromPrincipal
		s := stageOf(b.Bucket)
		l.buckets[s] = append(l.buckets[s], b)
		parts = append(parts, describe(b))
	}
	if parts != nil {
		l.policy = []string{strings.Join(parts, ", ")}
	}
	return l
}

// stageOf is the earliest stage in which all that a bucket asks for is known.
func stageOf(b *policy.Bucket) stage {
	s := stageEarly
	if b.At == policy.AfterAuth {
		s = stagePrincipal
	}
	look := func(e policy.Expr) {
		switch e.Source {
		case policy.FromBody, policy.FromRequest:
			s = stageBody
		case policy.FromPrincipal, policy.FromClaim:
			s = max(s, stagePrincipal)
		}
	}
	for _, e := range b.Key {
		look(e)
	}
	look(b.CostFrom)
	return s
}

// describe is the bucket's item of RateLimit-Policy: its quota and window.
func describe(b bucket) string {
	d := appendTitle(nil, b.title)
	d = strconv.AppendInt(append(d, ";q="...), int64(b.Limit), 10)
	if b.Per >= time.Second && b.Per%time.Second == 0 {
		d = strconv.AppendInt(append(d, ";w="...), int64(b.Per/time.Second), 10)
	}
	return string(d)
}

// appendTitle appends a name as a structured-field string, which holds ASCII only.
func appendTitle(dst []byte, name string) []byte {
	dst = append(dst, '"')
	for i := range len(name) {
		switch c := name[i]; {
		case c < ' ' || c > '~':
			dst = append(dst, '?')
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// limit decides the limits of one stage, all of them or none. Past one it answers
// with 429.
func (x *exchange) limit(s stage) bool {
	l := &x.endpoint.limits
	buckets := l.buckets[s]
	if len(buckets) == 0 {
		return true
	}
	first := len(x.charges)
	look := values{x: x}
	for i := range buckets {
		b := &buckets[i]
		x.charges = append(x.charges, ratelimit.Charge{Limiter: b.limiter, Key: b.key(&look), N: b.cost(&look)})
	}
	now := time.Now()
	wait, ok := ratelimit.Take(now, x.charges[first:])
	if l.mode == policy.Shadow {
		if !ok {
			x.rejected(buckets[0].title, observe.RateLimit, true, now.Add(wait))
		}
		return true
	}
	x.w.Header()["Ratelimit-Policy"] = l.policy
	x.describeLimits()
	if ok {
		return true
	}
	refused := first
	for i := range buckets {
		if !x.charges[first+i].State.OK {
			refused = first + i
			break
		}
	}
	var retryAt time.Time
	if wait < ratelimit.Never {
		retryAt = now.Add(wait)
		x.retryAfter(wait)
	}
	x.cause = errLimited
	x.rejected(buckets[refused-first].title, observe.RateLimit, false, retryAt)
	x.problem(problem(http.StatusTooManyRequests, "the rate limit "+buckets[refused-first].title+" is reached"))
	return false
}

// errLimited stands for a limit in events.
var errLimited = errors.New("the rate limit is reached")

// key names whose bucket it is. Its parts are told apart by their lengths, so that
// no two keys are one.
func (b *bucket) key(look *values) string {
	switch {
	case len(b.Key) == 0:
		return ""
	case b.byUser && !look.x.call.known:
		return "ip " + address(look.x.r, look.x.h.trusted)
	case len(b.Key) == 1:
		v, _ := look.Lookup(b.Key[0])
		return v.Plain()
	}
	var key []byte
	for _, e := range b.Key {
		v, _ := look.Lookup(e)
		plain := v.Plain()
		key = strconv.AppendInt(key, int64(len(plain)), 10)
		key = append(append(key, ':'), plain...)
	}
	return string(key)
}

// cost is what the request takes.
func (b *bucket) cost(look *values) int {
	if !b.CostFrom.IsZero() {
		v, _ := look.Lookup(b.CostFrom)
		if n, err := strconv.Atoi(v.Plain()); err == nil && n > 0 {
			return n
		}
		return 1
	}
	return max(1, b.Cost)
}

// describeLimits sets the RateLimit header to the states so far, as
// draft-ietf-httpapi-ratelimit-headers has them: r tokens remain, and in t seconds
// there are all of them again.
func (x *exchange) describeLimits() {
	var out []byte
	i := 0
	for s := range stages {
		for j := range x.endpoint.limits.buckets[s] {
			if i == len(x.charges) {
				break
			}
			state := &x.charges[i].State
			i++
			if len(out) > 0 {
				out = append(out, ", "...)
			}
			out = appendTitle(out, x.endpoint.limits.buckets[s][j].title)
			out = strconv.AppendInt(append(out, ";r="...), int64(max(0, state.Remaining)), 10)
			out = strconv.AppendInt(append(out, ";t="...), int64((state.Reset+time.Second-1)/time.Second), 10)
		}
	}
	x.w.Header()["Ratelimit"] = []string{string(out)}
}

// settleLimits gives back the tokens of a status that costs nothing.
func (x *exchange) settleLimits(status int) {
	if len(x.charges) == 0 {
		return
	}
	i := 0
	var now time.Time
	for s := range stages {
		for j := range x.endpoint.limits.buckets[s] {
			if i == len(x.charges) {
				return
			}
			if x.endpoint.limits.buckets[s][j].Refund.Has(status) {
				if now.IsZero() {
					now = time.Now()
				}
				ratelimit.Refund(now, x.charges[i:i+1])
			}
			i++
		}
	}
}
