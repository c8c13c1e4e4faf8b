package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// CacheStore keeps the answers that operations with a cache store, in place of the memory
// of this client. Several clients may share one.
func CacheStore(store cache.Store) Option {
	return func(s *settings) error {
		if isNil(store) {
			return errors.New("CacheStore: the store is nil")
		}
		s.cacheStore = store
		return nil
	}
}

// CacheTargets are the names of response fields with directives for this client's cache,
// the one that counts most first (RFC 9213): the first that an answer has, and that can
// be read, takes the place of Cache-Control and Expires. The default is none. It is for
// fields of your own, such as Example-Cache-Control; CDN-Cache-Control is for the caches
// of a CDN, and so for a client that is a part of one.
func CacheTargets(names ...string) Option {
	return func(s *settings) error {
		for _, name := range names {
			if !isToken(name) {
				return fmt.Errorf("CacheTargets: %q is no name of a field", name)
			}
		}
		s.targets = slices.Clone(names)
		return nil
	}
}

// openCache makes the client's cache if one of its operations has one, or may have one again
// by another policy file.
func (c *Core) openCache(with *settings) error {
	store := with.cacheStore
	wanted := false
	size := int64(0)
	for _, s := range c.api.Operations {
		wanted = wanted || s.Client.Cache != nil && s.Client.Effect == policy.Read
	}
	for _, s := range c.cached() {
		p := s.Client.Cache
		wanted = true
		size = max(size, p.MaxBytes)
		if p.Store == policy.CacheInRedis && store == nil {
			return errors.New("an operation keeps its answers in Redis: give the client a store of that kind with client.CacheStore")
		}
	}
	if !wanted {
		return nil
	}
	o := cache.Options{Store: store, MaxBytes: size, MaxEntry: min(c.limit, cache.DefaultMaxEntry), Targets: with.targets}
	if hook := c.hooks.Cache; hook != nil {
		o.OnEvent = func(ctx context.Context, e cache.Event) {
			s := &e.Status
			hook(ctx, observe.Cache{
				Op: e.Operation, Hit: s.Hit, Forward: s.Forward.String(), Stored: s.Stored, Collapsed: s.Collapsed, Detail: s.Detail,
				Shadow: e.Shadow, Err: e.Err,
			})
		}
	}
	c.cache = cache.New(o)
	return nil
}

// cached are the specs, variants and profiles included, whose clients store answers.
func (c *Core) cached() []*policy.Spec {
	var list []*policy.Spec
	for _, s := range c.allSpecs() {
		if s.Client.Cache != nil && s.Client.Effect == policy.Read {
			list = append(list, s)
		}
	}
	return list
}

// allSpecs are the policies in force, with their variants.
func (c *Core) allSpecs() []*policy.Spec {
	var list []*policy.Spec
	for _, s := range c.Policies() {
		list = append(list, s)
		for i := range s.Variants {
			list = append(list, s.Variant(i))
		}
	}
	return list
}

// Close ends what the client does behind its callers' backs, which is fetching stored
// answers anew, and closes connections that are not in use. Calls work on after it.
func (c *Core) Close() {
	if c == nil {
		return
	}
	if c.cache != nil {
		c.cache.Close()
	}
	c.CloseIdle()
}

// lookUp asks the cache, where the client has one. It gives the response that is stored, or
// takes up the exchange that the tries of the call are part of. With an error comes the
// moment by which a fallback has to be over.
func (c *call) lookUp() (*http.Response, time.Time, error) {
	rules := c.op.rules
	switch {
	case c.core.cache == nil:
		return nil, time.Time{}, nil
	case rules == nil && c.spec.Client.Effect == policy.Read:
		return nil, time.Time{}, nil // neither stored nor outdating anything
	case rules == nil:
		rules = &cache.Rules{Off: true, Operation: c.spec.ID}
	}
	c.pipe.Began = time.Now()
	ctx := context.Context(c)
	end, all := c.op.pipeline.Bound(c, &c.pipe)
	if !end.IsZero() {
		// The wait for somebody else's answer is a part of the call.
		bound, cancel := context.WithDeadline(c, end)
		defer cancel()
		ctx = bound
	}
	use := c.cacheUse()
	r := c.probe(ctx)
	x, h, err := c.core.cache.Begin(r, rules, use)
	if err == nil {
		c.exchanges = x
		return h, all, nil
	}
	f := &fault.Error{Op: c.spec.ID, Kind: fault.Timeout, Effect: fault.Safe, Stop: fault.StopDeadline, Err: err}
	if errors.Is(err, context.Canceled) {
		f.Kind, f.Stop = fault.Canceled, fault.StopCanceled
	}
	return nil, all, f
}

// cacheUse is what this call wants of the cache.
func (c *call) cacheUse() *cache.Use {
	u := &cache.Use{
		Principal: c.core.principal(c.need), HasPrincipal: true, Bypass: c.settings.noCache, Refresh: c.settings.refresh,
	}
	if p := c.spec.Client.Cache; p != nil && len(p.Key) > 0 {
		var b strings.Builder
		for _, e := range p.Key {
			v, ok := c.values.Lookup(e)
			if ok {
				b.WriteString(v.Plain())
			}
			b.WriteByte(0)
		}
		u.Key = b.String()
	}
	if c.request.kind != sourceBody {
		u.Renew = c.renew
	}
	return u
}

// probe is the request as the cache looks at it. Who asks stands in Authorization, in the
// form that keeps it secret, for responses that vary by that.
func (c *call) probe(ctx context.Context) *http.Request {
	header := maps.Clone(c.request.header)
	if who := c.core.principal(c.need); who != "" && header["Authorization"] == nil {
		header["Authorization"] = []string{who}
	}
	at := c.url
	r := (&http.Request{Method: c.spec.Method, URL: &at, Host: at.Host, Header: header, Body: http.NoBody}).WithContext(ctx)
	switch c.request.kind {
	case bytesBody:
		body := c.request.body
		r.GetBody = func() (io.ReadCloser, error) {
			again := new(bytesReader)
			again.Reset(body)
			return again, nil
		}
		r.Body = new(bytesReader)
	case sourceBody:
		r.Body = new(bytesReader) // which cannot be had anew, so that the request passes
	case noBody:
	}
	return r
}

// twin is a call with the same request, for another way to make it. The request is not
// changed any more, and the twin has a header of its own.
func (c *call) twin(ctx context.Context, replies decoder) *call {
	t := &call{
		ctx: ctx, core: c.core, spec: c.spec, op: c.op, request: c.request, url: c.url, need: c.need,
		replies: replies, redirect: c.redirect, input: c.input,
	}
	t.settings.options, t.settings.header = c.settings.options, c.settings.header
	t.request.header = maps.Clone(c.request.header)
	if c.op.deadlineHeader != "" {
		delete(t.request.header, c.op.deadlineHeader) // that of a try of the call's own
	}
	t.values.c = t
	t.pipe.Server, t.pipe.Host, t.pipe.Options, t.pipe.Key = c.pipe.Server, c.pipe.Host, c.pipe.Options, c.pipe.Key
	t.pipe.Replayable, t.pipe.Upload = c.pipe.Replayable, c.pipe.Upload
	if c.pipe.Lookup != nil {
		t.pipe.Lookup = &t.values
	}
	return t
}

// renew makes the call anew behind the caller's back, so that its answer is stored.
func (c *call) renew(ctx context.Context) error {
	t := c.twin(ctx, drain{})
	t.settings.refresh = true
	t.settings.noFallback, t.pipe.Options.NoFallback = true, true
	err := t.run() //nolint:contextcheck // The call is the context.
	t.response.free()
	return err
}

// drain reads a response to its end and takes nothing of it.
type drain struct{}

func (drain) decode(r *Response) error {
	if r.status >= http.StatusBadRequest {
		return r.Undeclared()
	}
	_, err := r.bytes()
	return err
}

func (drain) set(any) error { return nil }

func (drain) nothing() bool { return true }

// receive sends the request of a try and lets the cache see what comes of it.
func (c *call) receive(r *http.Request, a pipeline.Attempt) (*http.Response, error) {
	x := c.exchanges
	if c.shrunk {
		x = nil // the answer to another question is not kept
	}
	for {
		if x != nil && x.Asks() {
			r.Header = maps.Clone(r.Header)
			x.Ask(r.Header)
		}
		requested := time.Now()
		h, err := c.exchange(r, a)
		for _, after := range c.core.after {
			after(r, h, err)
		}
		if err != nil || x == nil {
			return h, err
		}
		if sent := h.Request; sent != nil && sent.URL != nil && *sent.URL != *r.URL {
			x.Elsewhere()
		}
		h, again := x.Receive(h, requested) //nolint:contextcheck // The exchange has it.
		if !again {
			return h, nil
		}
		r = r.Clone(r.Context())
		delete(r.Header, "If-None-Match")
		delete(r.Header, "If-Modified-Since")
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// staleInstead is the stale answer to a call that has failed, where the response that is
// stored allows that.
func (c *call) staleInstead(err error) (*http.Response, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	if c.exchanges == nil || !ok || c.ctx.Err() != nil {
		return nil, false
	}
	switch f.Kind {
	case fault.Transport, fault.Timeout, fault.BreakerOpen, fault.BulkheadFull, fault.Discarded, fault.RateLimited:
	case fault.Status:
		if !slices.Contains([]int{500, 502, 503, 504}, f.Status) {
			return nil, false
		}
	default:
		return nil, false
	}
	return c.exchanges.Rescue()
}

// invalidate drops the answers of other operations that a success of this one outdates.
func (c *call) invalidate() {
	p := c.spec.Client.Cache
	if c.core.cache == nil || p == nil || p.Mode == policy.Shadow {
		return
	}
	who, told := c.core.principal(c.need), &outcome{c: c}
	for i := range p.Invalidates {
		v := &p.Invalidates[i]
		s := cache.Scope{Operation: v.Operation}
		target := c.core.Policy(v.Operation)
		if target == nil {
			continue
		}
		if t := target.Client.Cache; t != nil && !t.SameForAll {
			s.Principal, s.OfPrincipal = who, true
		}
		s.Matches, s.Fields = matches(target, v, told)
		_ = c.core.cache.Invalidate(context.WithoutCancel(c.ctx), s) // a store that fails holds nothing
	}
}

// matches tells the addresses of an operation's answers with the parameters of an
// invalidation, and the fields of their requests; nil is all of them.
func matches(target *policy.Spec, v *policy.Invalidation, told policy.Lookup) (address func(string) bool, fields http.Header) {
	path, query := map[string]string{}, map[string]string{}
	fields = http.Header{}
	for i := range v.Params {
		p := &v.Params[i]
		value, ok := told.Lookup(p.From)
		switch {
		case !ok || !plainInAddress(value):
			// What the call does not have tells nothing apart.
		case p.In == "path":
			path[p.Name] = value.Plain()
		case p.In == "query":
			query[p.Name] = value.Plain()
		case p.In == "header":
			fields[http.CanonicalHeaderKey(p.Name)] = []string{value.Plain()}
		}
	}
	if len(path)+len(query) == 0 {
		return nil, fields
	}
	template := strings.Split(strings.Trim(target.Path, "/"), "/")
	return func(resource string) bool {
		u, err := url.Parse(resource)
		if err != nil {
			return true
		}
		return pathMatches(template, u.EscapedPath(), path) && queryMatches(u.Query(), query)
	}, fields
}

// plainInAddress reports whether a value has one way only to stand in an address: a list or an
// object depends on the parameter's style, 1.0 may be written 1, and null is no value. To
// compare those would leave entries that are out of date.
func plainInAddress(v policy.Value) bool {
	return !v.JSON || v.Text != "null" && v.Text != "" && !strings.ContainsAny(v.Text[:1], "[{") &&
		(v.Text[0] == '"' || !strings.ContainsAny(v.Text, ".eE") || v.Text == "true" || v.Text == "false")
}

// pathMatches compares the end of an escaped path with a template: what stands before is
// the server's. A segment with more than one parameter in it, or one with text around it,
// fits anything.
func pathMatches(template []string, path string, values map[string]string) bool {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if len(segments) < len(template) {
		return false
	}
	segments = segments[len(segments)-len(template):]
	for i, t := range template {
		name, isParam := strings.CutPrefix(t, "{")
		name, whole := strings.CutSuffix(name, "}")
		if !isParam || !whole || strings.ContainsAny(name, "{}") {
			continue
		}
		have, err := url.PathUnescape(segments[i])
		if want, ok := values[name]; ok && err == nil && want != have {
			return false
		}
	}
	return true
}

func queryMatches(have url.Values, want map[string]string) bool {
	for name, value := range want {
		if list := have[name]; len(list) > 0 && !slices.Contains(list, value) {
			return false
		}
	}
	return true
}
