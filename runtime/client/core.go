package client

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
	"github.com/holdfast-go/holdfast/runtime/semantic"
)

// Core is what a generated client is made of. It is safe for concurrent use;
// breakers, bulkheads, budgets and limits live in it, so a program makes one for
// each service and keeps it. The zero Core is no client: calls through it fail.
type Core struct {
	api          *API
	http         *http.Client
	ownTransport bool
	base         address // not known where each call has its own
	overridden   bool    // base takes the place of operations' own servers
	server       string  // name of the chosen server, for partitions
	variables    map[string]string
	header       []headerField
	creds        []credential
	before       []func(*http.Request) error
	after        []func(*http.Request, *http.Response, error)
	limit        int64
	strict       bool
	validate     bool
	registry     *pipeline.Registry
	hooks        *observe.Hooks
	live         *policyfile.Live[edition]
	cache        *cache.Cache // nil where no operation has one
	semantic     *semantic.Cache
	handlers     map[string]handler
	funcs        map[string][]function // by the name that policies give them
}

// New makes a client of an API. Options that do not fit the document are an
// error, all of them in one.
func New(api *API, opts ...Option) (*Core, error) {
	if api == nil {
		return nil, errors.New("client: the API is nil")
	}
	s := settings{api: api, limit: DefaultBodyLimit, header: http.Header{"User-Agent": {DefaultUserAgent}}}
	var wrong []error
	for _, o := range opts {
		if o == nil {
			continue
		}
		if err := o(&s); err != nil {
			wrong = append(wrong, err)
		}
	}
	base, err := s.address()
	if err != nil {
		wrong = append(wrong, err)
	}
	profile, err := policy.ChooseProfile(s.profile, s.profiled, api.Profiles)
	if err != nil {
		wrong = append(wrong, err)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("client of %s: %w", name(api), errors.Join(wrong...))
	}
	hooks := observe.Join(s.hooks...)
	c := &Core{
		api: api, base: base, overridden: s.base != "", variables: s.variables, header: fieldsOf(s.header), creds: s.creds,
		before: s.before, after: s.after, limit: s.limit, strict: s.strict, validate: s.validate,
		registry: pipeline.NewRegistry(pipeline.Settings{Hooks: hooks, Share: s.share}), hooks: hooks,
	}
	if err := c.follow(&s, profile, hooks); err != nil {
		return nil, fmt.Errorf("client of %s: %w", name(api), err)
	}
	c.handlers, c.funcs = s.handlers, s.funcs
	c.semantic = s.semantic
	if err := errors.Join(c.openCache(&s), c.checkFallbacks(), c.checkFuncs()); err != nil {
		return nil, fmt.Errorf("client of %s: %w", name(api), err)
	}
	if len(api.Servers) > 1 && !c.overridden {
		c.server = nameOf(&api.Servers[s.index])
	}
	c.http, c.ownTransport = newHTTPClient(&s)
	return c, nil
}

// headerField is a header of every request.
type headerField struct {
	name  string
	lines []string
}

// fieldsOf are the headers as a list, which takes less time to walk than a map.
func fieldsOf(h http.Header) []headerField {
	list := make([]headerField, 0, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		list = append(list, headerField{name, slices.Clip(h[name])}) // requests share them, and hooks append
	}
	return list
}

func name(api *API) string {
	if api.Title == "" {
		return "an API without a title"
	}
	return api.Title
}

// nameOf tells the servers of one document apart.
func nameOf(s *Server) string {
	switch {
	case s.Name != "":
		return s.Name
	case s.Description != "":
		return s.Description
	}
	return s.URL
}

// Breakers lists the client's breakers, for health pages.
func (c *Core) Breakers() []pipeline.BreakerInfo {
	if c == nil || c.registry == nil {
		return nil
	}
	return c.registry.Breakers()
}

// CloseIdle closes connections that are not in use.
func (c *Core) CloseIdle() {
	if c != nil && c.http != nil {
		c.http.CloseIdleConnections()
	}
}

func (c *Core) eventLimit() int { return int(min(c.limit, stream.MaxEvent)) }

func (c *Core) lineLimit() int { return int(min(c.limit, 1<<30)) }

// operation is what a client knows about one of its operations, worked out at
// its first call.
type operation struct {
	pipeline *pipeline.Pipeline
	base     address
	err      error // the operation has no address
	server   string
	accept   []string

	connect        time.Duration
	deadlineHeader string
	deadlineKind   policy.DeadlineHeader
	idempotency    *policy.Idempotency
	keyHeader      string
	criticality    string
	keyed          bool     // as generated it has idempotency, which may be off now
	lookup         bool     // the policy asks for values of the request
	body           bool     // it asks for values of the response's body
	funcs          []string // it asks these functions about the request
	rules          *cache.Rules

	spec *policy.Spec // as the client's profile has it
	// variants are those of spec, in its order.
	variants []*operation
}

// choose is the operation for a request: the first variant that is for it, or the
// operation itself.
func (o *operation) choose(request policy.Lookup) *operation {
	if len(o.variants) == 0 {
		return o
	}
	if i := o.spec.Choose(request); i >= 0 {
		return o.variants[i]
	}
	return o
}

// operation finds or makes what is known about an operation.
func (c *Core) operation(s *policy.Spec, accept string, servers []Server) *operation {
	e := c.live.Current()
	if found, ok := e.operations.Load(s); ok {
		return found.(*operation)
	}
	o := c.newOperation(e.policies.Of(s), accept, servers)
	o.keyed = s.Client.Idempotency != nil
	for i := range o.spec.Variants {
		v := c.newOperation(o.spec.Variant(i), accept, servers)
		v.keyed = o.keyed
		o.variants = append(o.variants, v)
		o.lookup = true
	}
	stored, _ := e.operations.LoadOrStore(s, o)
	return stored.(*operation)
}

// newOperation works out what is known about an operation or one of its variants.
func (c *Core) newOperation(s *policy.Spec, accept string, servers []Server) *operation {
	o := &operation{spec: s, pipeline: c.registry.Pipeline(s), base: c.base, server: c.server, connect: defaultConnect}
	if accept != "" {
		o.accept = []string{accept}
	}
	if len(servers) > 0 && !c.overridden {
		o.base, o.err = resolve(&servers[0], c.variables)
		o.server = nameOf(&servers[0])
	}
	p := &s.Client
	if p.Timeout != nil && p.Timeout.Connect > 0 {
		o.connect = p.Timeout.Connect
	}
	if p.Deadline != nil {
		o.deadlineKind = p.Deadline.Header
		o.deadlineHeader = deadline.Name(p.Deadline.Header)
	}
	if p.Idempotency != nil {
		o.idempotency, o.keyHeader = p.Idempotency, http.CanonicalHeaderKey(p.Idempotency.Header)
		if o.keyHeader == "" {
			o.keyHeader = "Idempotency-Key"
		}
	}
	if p.Criticality != policy.Standard {
		o.criticality = p.Criticality.String()
	}
	if p.Cache != nil {
		o.rules = cache.RulesOf(p.Cache, p.Effect, s.ID)
	}
	o.funcs = funcsOf(p)
	o.lookup, o.body = asksRequest(p), asksResponse(p)
	return o
}

// asksRequest reports whether a policy has expressions about the request.
func asksRequest(p *policy.Client) bool {
	if p.Breaker != nil && len(p.Breaker.Key) > 0 || p.Idempotency != nil && len(p.Idempotency.From) > 0 {
		return true
	}
	if p.Stream != nil && p.Stream.Resume != nil {
		return true // what goes on with it is another request
	}
	if p.Fallback != nil {
		return true // its rungs may take the request apart
	}
	if k := p.Cache; k != nil && (len(k.Key) > 0 || len(k.Invalidates) > 0) {
		return true
	}
	if p.RateLimit != nil {
		for i := range p.RateLimit.Buckets {
			if b := &p.RateLimit.Buckets[i]; len(b.Key) > 0 || !b.CostFrom.IsZero() || !b.CostActual.IsZero() {
				return true
			}
		}
	}
	return false
}

// asksResponse reports whether a policy looks into the bodies of responses.
func asksResponse(p *policy.Client) bool {
	if l := p.RateLimit; l != nil {
		for i := range l.Buckets {
			if l.Buckets[i].CostActual.Source == policy.FromResponseBody {
				return true
			}
		}
	}
	if p.Retry == nil {
		return false
	}
	for i := range p.Retry.Rules {
		if len(p.Retry.Rules[i].Body) > 0 {
			return true
		}
	}
	for i := range p.Retry.Hints {
		if p.Retry.Hints[i].Pointer != "" {
			return true
		}
	}
	return false
}
