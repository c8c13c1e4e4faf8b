package resilience

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// rateLimit is nil where nothing is limited: the tier unlimited has no limit.
func (d *decoder) rateLimit() *policy.RateLimit {
	f := d.fields("rateLimit")
	if f == nil {
		return nil
	}
	r := &policy.RateLimit{Mode: f.mode()}
	if buckets := f.get("buckets"); buckets != nil {
		for i, name := range buckets.keys {
			if b, ok := d.bucket(buckets.values[i], name, "rateLimit.buckets."+name); ok {
				r.Buckets = append(r.Buckets, b)
			}
		}
	} else if b, ok := d.bucket(f, "", "rateLimit"); ok {
		r.Buckets = append(r.Buckets, b)
	}
	if len(r.Buckets) == 0 {
		d.noBucket(f.get("buckets"))
		return nil
	}
	return r
}

// noBucket reports buckets of which none is left: a limit that limits nothing is no
// more than a mistake.
func (d *decoder) noBucket(v *value) {
	if v.written() && len(v.keys) == 0 {
		d.fault([]*value{v}, "resilience-range", "rateLimit.buckets has no bucket: want at least one").Hintf("rateLimit: false turns it off")
	}
}

// bucket is one limit; false for one that limits nothing.
func (d *decoder) bucket(f *value, name, path string) (policy.Bucket, bool) {
	b := policy.Bucket{
		Name: name, Plan: d.plan(f.get("plan"), path+".plan"),
		Key: d.exprs(f.get("key"), path+".key"), Refund: statuses(f.list("refund")),
		OnStoreError:   enum(f.word("onStoreError"), policy.LimitStoreError.String),
		TrustedProxies: d.proxies(f.get("trustedProxies"), path),
	}
	if b.Plan == nil {
		rate, ok := d.rate(f, name, path)
		if !ok {
			return policy.Bucket{}, false
		}
		b.Algorithm, b.Limit, b.Per, b.Burst = rate.Algorithm, rate.Limit, rate.Per, rate.Burst
	}
	if f.get("key") == nil {
		b.Key = []policy.Expr{{Source: d.whose()}}
	}
	d.cost(f.get("cost"), &b, path)
	d.stage(f, &b, path)
	d.patience(f.get("wait"), &b, path)
	d.sync(f.get("sync"), &b, path)
	return b, true
}

// rate is what a limit lets pass; false where it is none, or half of one.
func (d *decoder) rate(f *value, name, path string) (policy.Rate, bool) {
	limit, per := f.get("limit"), f.get("per")
	switch {
	case limit == nil && per == nil && f.get("burst") == nil && (name == "" || !f.written() || f.node.Is(load.String) || baseOf(f.node) != ""):
		return policy.Rate{}, false
	case limit == nil:
		d.fault([]*value{per, f.get("burst"), f}, "resilience-limit", "%s has no limit: want limit and per, or a tier", path)
		return policy.Rate{}, false
	case per == nil:
		d.fault([]*value{limit, f}, "resilience-limit", "%s has a limit, but not per which time: want per", path)
		return policy.Rate{}, false
	}
	r := policy.Rate{
		Algorithm: enum(f.word("algorithm"), policy.Algorithm.String),
		Limit:     f.count("limit"), Per: f.span("per"), Burst: f.count("burst"),
	}
	if r.Burst == 0 || r.Algorithm != policy.TokenBucket {
		// A window saves nothing up.
		if v := f.get("burst"); v.written() && v.at == v.node && r.Burst > 0 {
			d.fault([]*value{v}, "resilience-conflict", "%s.burst is for token buckets: a %s never lets more pass than its limit", path, r.Algorithm)
		}
		r.Burst = r.Limit
	}
	return r, true
}

// whose is whose tokens they are where nothing is written. A server takes the
// address of a caller who stays anonymous where that is allowed.
func (d *decoder) whose() policy.Source {
	if d.at == clientSide || len(d.o.op.Security) > 0 {
		return policy.FromPrincipal
	}
	return policy.FromIP
}

func (d *decoder) cost(v *value, b *policy.Bucket, path string) {
	if v == nil {
		b.Cost = 1
		return
	}
	price := v.node
	if price.Is(load.Object) {
		b.CostActual = d.expr(v, price.Get("actual"), path+".cost.actual")
		price = price.Get("estimate")
	}
	if !price.Is(load.Number) {
		b.CostFrom = d.value(v, price, path+".cost")
		return
	}
	n, _ := price.Int64()
	b.Cost = int(n)
	if b.Plan != nil {
		d.costOfPlan(v, b, path)
		return
	}
	if b.Cost > b.Burst {
		name := "burst"
		if b.Algorithm != policy.TokenBucket {
			name = "limit"
		}
		d.fault([]*value{v}, "resilience-range", "%s.cost %d is above %s %d and could never be paid", path, b.Cost, name, b.Burst)
	}
}

// stage is when a server decides: what depends on who calls, after that is known.
func (d *decoder) stage(f *value, b *policy.Bucket, path string) {
	if d.at == clientSide {
		if at := f.get("at"); at.written() {
			d.fault([]*value{at}, "resilience-side", "%s.at is for servers: a client decides before each try", path)
		}
		return
	}
	reason := ""
	for _, e := range append(d.inputs(b), b.Key...) {
		switch e.Source {
		case policy.FromPrincipal, policy.FromClaim:
			reason = "it is known who calls"
		case policy.FromBody, policy.FromRequest:
			reason = cmp.Or(reason, "the body is read")
		}
	}
	if reason != "" {
		b.At = policy.AfterAuth
	}
	at := f.get("at")
	if at == nil {
		return
	}
	b.At = enum(f.word("at"), policy.Stage.String)
	if reason != "" && b.At == policy.Early {
		d.fault([]*value{at}, "resilience-conflict", "%s.at early comes before %s", path, reason).
			Hintf("write at: after-auth, or key: [$ip]")
	}
}

// patience is how long a client waits for tokens.
func (d *decoder) patience(v *value, b *policy.Bucket, path string) {
	switch {
	case d.at == serverSide && v.written():
		d.fault([]*value{v}, "resilience-side", "%s.wait is for clients: a server answers 429 at once", path)
	case d.at == serverSide:
	case v == nil:
		b.Wait = policy.None
	default:
		b.Wait = span(v.node)
	}
}

// idempotency takes the server's timeout for the lease; the client has neither.
func (d *decoder) idempotency(t *policy.ServerTimeout) *policy.Idempotency {
	f := d.fields("idempotency")
	if f == nil {
		return nil
	}
	from := d.exprs(f.get("from"), "idempotency.from")
	i := &policy.Idempotency{Mode: f.mode(), Header: f.word("header"), Quoted: f.flag("quoted"), Required: f.flag("required"), From: from}
	d.headerOfKeys(f.get("header"))
	d.secretsOf(f.get("from"), from)
	fingerprint := d.fingerprint(f, from)
	if d.at == clientSide {
		i.Key = d.keySource(f, from)
		if i.Key != policy.KeyDerived {
			i.From = nil
		}
		return i
	}
	if fingerprint != policy.FingerprintFrom {
		i.From = nil
	}
	i.Scope = d.scope(f.get("scope"))
	i.TTL, i.Fingerprint = f.span("ttl"), fingerprint
	i.OnStoreError = enum(f.word("onStoreError"), policy.OnStoreError.String)
	i.Within = enum(f.word("within"), policy.Within.String)
	i.MaxBody, _ = parseSize(f.word("maxBody"))
	i.Lease = d.lease(f, t)
	return i
}

// taken are request headers that mean something else to everybody on the way.
var taken = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Expect",
	"Host", "If-Match", "If-Modified-Since", "If-None-Match", "If-Unmodified-Since", "Keep-Alive", "Proxy-Authorization", "Range",
	"TE", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// headerOfKeys reports a header that cannot carry a key.
func (d *decoder) headerOfKeys(v *value) {
	if v == nil || v.node == nil || !slices.ContainsFunc(taken, func(h string) bool { return strings.EqualFold(h, v.node.Text) }) {
		return
	}
	d.fault([]*value{v}, "resilience-conflict", "idempotency.header %s has another meaning in HTTP: want one for keys alone, such as Idempotency-Key", shown(v.node.Text))
}

// keySource is where a client's key comes from.
func (d *decoder) keySource(f *value, from []policy.Expr) policy.KeySource {
	switch k := f.get("key"); {
	case k.written():
		source := enum(f.word("key"), policy.KeySource.String)
		if source == policy.KeyDerived && len(from) == 0 {
			d.fault([]*value{k}, "resilience-missing", "idempotency.key derived needs from: the expressions that name the intent").
				Hintf("from: [$request.body#/orderId], say")
		}
		return source
	case len(from) > 0:
		return policy.KeyDerived
	case d.external:
		return policy.KeyPerCall
	}
	return policy.KeyCaller
}

// scope is whose keys they are.
func (d *decoder) scope(v *value) policy.Expr {
	if v.written() {
		if v.node.Text == "" {
			return policy.Expr{}
		}
		return d.expr(v, v.node, "idempotency.scope")
	}
	if len(d.o.op.Security) == 0 {
		return policy.Expr{}
	}
	return policy.Expr{Source: policy.FromPrincipal}
}

// leaseRoom is what a lease has beyond the handler's time where none is written,
// by section 6 of the language.
const leaseRoom = 5 * time.Second

// lease is the life of a claim; one that ends while the handler still works would
// let a second one in.
func (d *decoder) lease(f *value, t *policy.ServerTimeout) time.Duration {
	handler := d.language.handlerTimeout()
	if t != nil {
		handler = t.Handler
	}
	v := f.get("lease")
	if v == nil {
		return handler + leaseRoom
	}
	lease := span(v.node)
	if lease < handler {
		d.criticalf(ruleLease, []*value{v}, "idempotency.lease %s is under the server's timeout %s: a second call would start while the first still works",
			shortSpan(lease), shortSpan(handler))
	}
	return lease
}
