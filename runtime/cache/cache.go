package cache

import (
	"context"
	"hash/maphash"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the settings of a cache. The zero value is a private cache in memory.
type Options struct {
	// Store keeps the entries; nil is a [Memory] of MaxBytes.
	Store Store
	// MaxBytes is the size of that Memory; zero is [DefaultMaxBytes].
	MaxBytes int64
	// MaxEntry is the largest body, in bytes, that is stored; zero is [DefaultMaxEntry].
	MaxEntry int64
	// Shared makes it a cache for many users, as in a proxy: s-maxage, private and
	// proxy-revalidate count, and answers to requests with Authorization are stored only
	// where the response allows that.
	Shared bool
	// Targets are the names of the fields with directives for this cache, the one that
	// counts most first, such as "CDN-Cache-Control" (RFC 9213). The first of them that a
	// response has, and that can be read, takes the place of Cache-Control and Expires.
	// Without any, which is the default, no such field counts.
	Targets []string
	// Name is that in Cache-Status; empty is "holdfast".
	Name string
	// MaxRefreshes bounds the refreshes behind callers' backs at one time; zero is 16.
	MaxRefreshes int
	// RefreshTimeout bounds each of them; zero is 30 seconds.
	RefreshTimeout time.Duration
	// OnEvent is told what was done for each request, outside any lock and before the
	// body is read; it may use the cache.
	OnEvent func(ctx context.Context, e Event)
}

// DefaultMaxEntry is the largest body that is stored where the options say nothing.
const DefaultMaxEntry = 4 << 20

// collapseWait is how long a request waits for the body of another one that has its
// header: whoever reads that body may be slow.
const collapseWait = 2 * time.Second

// Event is what was done for one request, or that the store failed.
type Event struct {
	Operation string
	Resource  string
	Status    Status
	// Shadow says that the entry would have been served.
	Shadow bool
	// Err is the store's, or that of a refresh; nil otherwise.
	Err error
}

// Cache answers requests from what it has stored. It is safe for concurrent use. Close
// ends the refreshes that it has started.
type Cache struct {
	options Options
	store   Store

	mu      sync.Mutex
	flights map[flightKey]*flight
	cancels map[*flight]context.CancelFunc // of refreshes
	pending map[*pending]struct{}
	closed  bool
	running sync.WaitGroup

	seed maphash.Seed
	// passing are hashes of keys whose last response could not be stored: nobody waits
	// for a request that will bring nothing to share. Two keys of one place only cost
	// each other the waiting.
	passing [512]atomic.Uint64
}

// New makes a cache.
func New(o Options) *Cache {
	if o.MaxEntry <= 0 {
		o.MaxEntry = DefaultMaxEntry
	}
	if o.Name == "" {
		o.Name = "holdfast"
	}
	if o.MaxRefreshes <= 0 {
		o.MaxRefreshes = 16
	}
	if o.RefreshTimeout <= 0 {
		o.RefreshTimeout = 30 * time.Second
	}
	o.Targets = canonical(o.Targets)
	c := &Cache{
		options: o, store: o.Store, flights: map[flightKey]*flight{}, cancels: map[*flight]context.CancelFunc{},
		pending: map[*pending]struct{}{}, seed: maphash.MakeSeed(),
	}
	if c.store == nil {
		c.store = &Memory{MaxBytes: o.MaxBytes}
	}
	return c
}

// canonical are the names of fields as a header has them.
func canonical(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, http.CanonicalHeaderKey(name))
	}
	return out
}

// Close cancels the refreshes and waits for their end. The cache goes on working without
// any.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	for _, cancel := range c.cancels {
		cancel()
	}
	c.mu.Unlock()
	c.running.Wait()
}

// Invalidate drops what is stored within a scope, and what is being fetched for it.
func (c *Cache) Invalidate(ctx context.Context, s Scope) error {
	c.mu.Lock()
	for p := range c.pending {
		p.outdated = p.outdated || p.key.within(&s)
	}
	c.mu.Unlock()
	return c.store.Invalidate(ctx, s)
}

// pending is a response under way, which is not stored when its key is invalidated
// meanwhile: it may be older than what the invalidation was about.
type pending struct {
	key      Key
	outdated bool // under the lock of the cache
}

func (c *Cache) begin(k Key) *pending {
	p := &pending{key: k}
	c.mu.Lock()
	c.pending[p] = struct{}{}
	c.mu.Unlock()
	return p
}

// current reports whether a response under way may be stored.
func (c *Cache) current(p *pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !p.outdated
}

// end takes a response off the list of those under way.
func (c *Cache) end(p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, p)
}

// place is where the hash of a key stands in passing, and the hash, which is not zero.
func (c *Cache) place(k *Key) (*atomic.Uint64, uint64) {
	h := maphash.Comparable(c.seed, *k) | 1
	return &c.passing[(h>>1)%uint64(len(c.passing))], h
}

// Use is what one request wants of the cache, beside its header. The zero value wants
// nothing.
type Use struct {
	// Key tells entries apart in addition to all else.
	Key string
	// Principal takes the place of what [Principal] says about the request where
	// HasPrincipal is set.
	Principal    string
	HasPrincipal bool
	// Bypass neither looks up nor stores.
	Bypass bool
	// Refresh asks the origin whatever is stored, and stores its answer.
	Refresh bool
	// Renew fetches the answer anew behind the caller's back, to its end and by a Refresh of
	// its own, for [Cache.Begin]; its context is not the caller's. Nil serves nothing
	// while it is fetched anew, except through [Cache.RoundTrip], which does it itself.
	Renew func(ctx context.Context) error
}

// Transport is an http.RoundTripper with a cache. It is safe for concurrent use.
type Transport struct {
	// Cache holds the entries; nil passes everything.
	Cache *Cache
	// Base sends what the cache has no answer for; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Rules are those of all requests; nil is [DefaultRules].
	Rules *Rules
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Cache == nil {
		return base.RoundTrip(r)
	}
	return t.Cache.RoundTrip(r, t.Rules, nil, base)
}

// RoundTrip answers a request under the rules, and sends it through next where it cannot.
// Nil rules are [DefaultRules]; a nil Use wants nothing.
func (c *Cache) RoundTrip(r *http.Request, rules *Rules, use *Use, next http.RoundTripper) (*http.Response, error) {
	x, h, err := c.begins(r, rules, use, next)
	if h != nil || err != nil {
		return h, err
	}
	return x.roundTrip(next)
}

// Begin is for callers who make the requests of a call themselves, several of them it may
// be. It gives the response where something stored answers, after a wait where somebody
// else is asking for the same. Otherwise the caller makes each request with what
// [Exchange.Ask] adds, gives each response to [Exchange.Receive], may ask
// [Exchange.Rescue] for a stale answer when all have failed, and calls [Exchange.End].
// The body of r is not read, except through its GetBody.
func (c *Cache) Begin(r *http.Request, rules *Rules, use *Use) (*Exchange, *http.Response, error) {
	return c.begins(r, rules, use, nil)
}

func (c *Cache) begins(r *http.Request, rules *Rules, use *Use, next http.RoundTripper) (*Exchange, *http.Response, error) {
	if rules == nil {
		rules = DefaultRules()
	}
	x := &Exchange{c: c, r: r, rules: rules, use: use, next: next, why: Bypass}
	own, foreign := conditional(r.Header)
	switch {
	case !safe(r.Method) && !(rules.Bodies && r.Method == http.MethodPost):
		x.kind, x.why = writing, Method
		x.key.Resource = Resource(r.URL, r.Host)
		return x, nil, nil
	case rules.Off || use != nil && use.Bypass || foreign:
		return x, nil, nil
	case !stores(r.Method, rules):
		x.why = Method
		return x, nil, nil
	}
	var err error
	if x.key, err = keyOf(r, use, rules); err != nil {
		return x, nil, nil //nolint:nilerr // Such a request passes.
	}
	x.kind, x.own = reading, own
	x.control = requestControl(r.Header)
	h, err := x.read()
	return x, h, err
}

// safe reports whether a method is known to change nothing.
func safe(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "QUERY", "PROPFIND", "REPORT", "SEARCH":
		return true
	}
	return false
}

// stores reports whether responses to a method are stored or answered.
func stores(method string, rules *Rules) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead:
		return true
	case http.MethodPost, "QUERY":
		return rules.Bodies
	}
	return false
}

// requestControl are the directives of a request. Pragma counts where there is no
// Cache-Control (RFC 9111 section 5.4).
func requestControl(h http.Header) Control {
	c := ParseControl(h["Cache-Control"])
	if !c.present {
		for _, line := range h["Pragma"] {
			p := ParseControl([]string{line})
			c.NoCache = c.NoCache || p.NoCache
		}
	}
	return c
}
