package server

import (
	"net/netip"
	"strconv"
	"strings"
	"time"

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
	group   string // what is decided together in a store
	buckets [stages][]bucket
	policy  []string // the value of RateLimit-Policy; nil where it depends on plans
}

// bucket is one limit of an operation. Operations that name the same bucket share
// its limiters.
type bucket struct {
	*policy.Bucket
	title   string // in headers and events
	byUser  bool   // the key is the principal, or the address of an anonymous one
	trusted []netip.Prefix
	own     *tier // without a plan
	plans   map[string]*tier
	other   *tier // of any other plan
}

// tier is a rate with what counts by it. A nil tier has no limit.
type tier struct {
	rate    policy.Rate
	name    string // of the limit in a store
	limiter *ratelimit.Limiter
	// spare takes the place of a store that cannot be asked, with this instance's part
	// of the rate.
	spare *ratelimit.Limiter
	item  string // of RateLimit-Policy
}

// charged is what one bucket of a request was asked for, beside the charge.
type charged struct {
	bucket *bucket
	tier   *tier
	// demand is that of the store, which has decided; nil otherwise.
	demand *ratelimit.Demand
}

// limits makes the limits of an operation.
func (s *shared) limits(spec *policy.Spec, dependency string, secured bool) limits {
	p := spec.Server.RateLimit
	l := limits{mode: p.Mode, group: dependency}
	var parts []string
	planned := false
	for i := range p.Buckets {
		b := bucket{Bucket: &p.Buckets[i], title: p.Buckets[i].Name}
		name := dependency + "\x00" + b.title
		if b.title == "" {
			// The operation's own, which its variants share.
			b.title = spec.ID
			name += "\x00" + spec.ID
		}
		b.byUser = secured && len(b.Key) == 1 && b.Key[0].Source == policy.FromPrincipal
		b.trusted = append(networks(b.TrustedProxies), s.h.trusted...)
		if b.Plan == nil {
			b.own = s.tier(name, b.title, b.Rate(), spec.Replicas)
			parts = append(parts, b.own.item)
		} else {
			planned = true
			b.plans = make(map[string]*tier, len(b.Plan.Tiers))
			for _, t := range b.Plan.Tiers {
				b.plans[t.Plan] = s.tier(name+"\x00plan\x00"+t.Plan, b.title, t.Rate, spec.Replicas)
			}
			b.other = s.tier(name+"\x00else", b.title, b.Plan.Else, spec.Replicas)
		}
		s := stageOf(b.Bucket)
		l.buckets[s] = append(l.buckets[s], b)
	}
	if parts != nil && !planned {
		l.policy = []string{strings.Join(parts, ", ")}
	}
	return l
}

// tier makes what counts by a rate; nil for one that limits nothing.
func (s *shared) tier(name, title string, r policy.Rate, replicas int) *tier {
	if r.Limit <= 0 {
		return nil
	}
	t := &tier{rate: r, name: name, limiter: s.limiter(name, r), item: describe(title, r)}
	if s.h.limitStore != nil {
		t.spare = s.limiter(name+"\x00spare", part(r, max(1, replicas)))
	}
	return t
}

// part is one instance's part of a rate.
func part(r policy.Rate, replicas int) policy.Rate {
	n := r.Limit / replicas
	if n == 0 { // one token in a longer time
		r.Per = time.Duration(float64(r.Per) * float64(replicas) / float64(r.Limit))
	}
	r.Limit, r.Burst = max(1, n), max(1, r.Burst/replicas)
	return r
}

// networks reads what the generator has checked: addresses and networks.
func networks(list []string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range list {
		if n, err := netip.ParsePrefix(text); err == nil {
			out = append(out, n)
		} else if a, err := netip.ParseAddr(text); err == nil {
			a = a.Unmap()
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	return out
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
	if b.Plan != nil {
		look(b.Plan.From)
	}
	return s
}

// tierOf is the tier that a request counts by; nil for one without a limit.
func (b *bucket) tierOf(look *values) *tier {
	if b.Plan == nil {
		return b.own
	}
	v, _ := look.Lookup(b.Plan.From)
	if t, ok := b.plans[v.Plain()]; ok {
		return t
	}
	return b.other
}

// key names whose bucket it is. Its parts are told apart by their lengths, so that
// no two keys are one.
func (b *bucket) key(look *values) string {
	switch {
	case len(b.Key) == 0:
		return ""
	case b.byUser && !look.x.call.known:
		return "ip " + address(look.x.r, b.trusted)
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

// describe is a limit's item of RateLimit-Policy: its quota and window.
func describe(title string, r policy.Rate) string {
	d := appendTitle(nil, title)
	d = strconv.AppendInt(append(d, ";q="...), int64(r.Limit), 10)
	if r.Per >= time.Second && r.Per%time.Second == 0 {
		d = strconv.AppendInt(append(d, ";w="...), int64(r.Per/time.Second), 10)
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
