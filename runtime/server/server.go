package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
	"github.com/holdfast-go/holdfast/runtime/server/router"
	"github.com/holdfast-go/holdfast/runtime/shed"
)

// handler is one server. It is immutable; what changes has its own locks.
type handler struct {
	settings
	api     *API
	hooks   *observe.Hooks
	router  router.Router
	mounted []*endpoint // by the router's numbers, as generated
	live    *policyfile.Live[edition]
	shared  *shared
	// exchanges are those that are not in use. Their channels and timers belong to the
	// synctest bubble of a test, as the handler does.
	exchanges sync.Pool
}

// endpoint is a route with its share of the handler's state.
type endpoint struct {
	*route
	pattern     string // as net/http writes it: method and path
	bodyLimit   int64
	streamLimit int64
	shedder     *shed.Shedder // the handler's, for whom it may refuse
	bulkhead    *bulkhead.Bulkhead
	name        string // the bulkhead's partition
	limits      limits
	idempotency *idempotencyGuard
	reply       *reply
	seen        *latency.Histogram // of the answers; nil where nobody looks
	// variants are those of spec, in its order, where the server has to tell them
	// apart.
	variants []*endpoint
}

// choose is the endpoint for a request: the first variant that is for it, or the
// operation's own.
func (e *endpoint) choose(x *exchange) *endpoint {
	if len(e.variants) == 0 {
		return e
	}
	if i := e.spec.Choose(&values{x: x}); i >= 0 {
		return e.variants[i]
	}
	return e
}

// New is a handler that serves these routes. It panics with a [*policy.ProfileError] when
// Profile or HOLDFAST_PROFILE names a profile that the document does not have, with a
// [*policyfile.Error] when the file of WithPolicyFile does not fit, and with an error when
// HOLDFAST_OFF names what is no primitive, so that no process runs under settings that
// nobody has written; with an error when an operation has a lock and [Locks] gives none of
// its kind, or is to run in a transaction and [IdempotencyStore] gives no store that has
// them; and on what generated code never does: a Route that was not made by
// one of the Handle functions, and two routes with the same method, path and query.
func New(api *API, routes []Route, opts ...Option) http.Handler {
	if api == nil {
		api = &API{}
	}
	h := &handler{settings: defaults(), api: api}
	for _, o := range opts {
		if o != nil {
			o(&h.settings)
		}
	}
	profile, err := policy.ChooseProfile(h.settings.profile, h.settings.profiled, api.Profiles)
	if err != nil {
		panic(err)
	}
	h.settings.profile = profile
	h.hooks = observe.Join(h.settings.hooks...)
	for _, r := range routes {
		if r.route == nil {
			panic("server: a Route is made by Handle")
		}
		h.add(r.route)
	}
	if err := h.follow(); err != nil {
		panic(err)
	}
	if err := h.checkTransactions(h.live.Current().policies.All()); err != nil {
		panic(err)
	}
	return h
}

func (h *handler) add(r *route) {
	path := r.spec.Path
	if p, ok := h.paths[r.spec.ID]; ok {
		path = p
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a webhook's name
	}
	if _, ok := h.router.Add(router.Route{Method: r.spec.Method, Path: path, Query: r.query}); !ok {
		panic(fmt.Sprintf("server: %s %s stands twice, or has more than %d parameters", r.spec.Method, path, router.MaxParams))
	}
	e := &endpoint{route: r, pattern: r.spec.Method + " " + h.base + path, bodyLimit: h.body, streamLimit: h.stream}
	if n, ok := h.settings.limits[r.spec.ID]; ok {
		e.bodyLimit, e.streamLimit = n, n
	}
	if h.debug {
		e.seen = new(latency.Histogram)
	}
	h.mounted = append(h.mounted, e)
}

// under is an endpoint with another policy of its operation, and what that needs.
func (e *endpoint) under(spec *policy.Spec, shared *shared) *endpoint {
	out := *e
	out.route = e.with(spec)
	if spec.ServerVariants() {
		for i := range spec.Variants {
			v := *e
			v.route = e.with(spec.Variant(i))
			shared.equip(&v)
			out.variants = append(out.variants, &v)
		}
	}
	shared.equip(&out)
	return &out
}

// with is a route with the policy of a profile or a variant.
func (r *route) with(spec *policy.Spec) *route {
	if spec == r.spec {
		return r
	}
	out := *r
	out.spec = spec
	return &out
}
