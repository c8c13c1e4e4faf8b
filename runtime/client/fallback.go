package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fallback"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// handler answers in place of a call that has failed; it is given what Encode was given.
type handler func(ctx context.Context, req any, cause error) (any, error)

// FallbackHandler gives the client the handler that rungs of that name ask. The request is
// a pointer to what the operation's method takes, the result what it returns, and the cause
// why the call has failed. It runs on the goroutine of the call and obeys the context.
func FallbackHandler[Req, Res any](name string, f func(ctx context.Context, req *Req, cause error) (Res, error)) Option {
	return func(s *settings) error {
		if name == "" || f == nil {
			return errors.New("FallbackHandler needs a name and a function")
		}
		if s.handlers == nil {
			s.handlers = map[string]handler{}
		}
		s.handlers[name] = func(ctx context.Context, req any, cause error) (any, error) {
			typed, ok := req.(*Req)
			if !ok && req != nil {
				return nil, fmt.Errorf("the fallback handler %s is for requests %T, not %T", name, typed, req)
			}
			return f(ctx, typed, cause)
		}
		return nil
	}
}

// checkFallbacks refuses policies that name what this client does not have.
func (c *Core) checkFallbacks() error {
	var wrong []error
	for _, s := range c.allSpecs() {
		if s.Client.Fallback == nil {
			continue
		}
		for i := range s.Client.Fallback.Rungs {
			if err := c.checkRung(&s.Client.Fallback.Rungs[i]); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: fallback: %w", s.ID, err))
			}
		}
	}
	return errors.Join(wrong...)
}

func (c *Core) checkRung(r *policy.Rung) error {
	switch r.Kind {
	case policy.RungHandler:
		if c.handlers[r.Name] == nil {
			return fmt.Errorf("there is no handler %q: give it with client.FallbackHandler", r.Name)
		}
	case policy.RungServer:
		t := c.target(r.Name)
		if t == nil {
			return fmt.Errorf("there is no server %q", r.Name)
		}
		if _, err := parseAddress(t.URL); err != nil {
			return err
		}
	case policy.RungOperation:
		if c.Policy(r.Name) == nil {
			return fmt.Errorf("there is no operation %q", r.Name)
		}
	case policy.RungSemanticCache:
		if c.semantic == nil {
			return errNoEmbedder
		}
	case policy.RungQueue, policy.RungNone:
		return fmt.Errorf("a rung %s is not supported", r.Kind)
	default:
	}
	return nil
}

// target finds a server of the API's by its name.
func (c *Core) target(name string) *Target {
	for i := range c.api.Targets {
		if c.api.Targets[i].Name == name {
			return &c.api.Targets[i]
		}
	}
	return nil
}

// rescue answers a call that has failed by the rungs of its policy, within what is left of
// its time. It returns the error of the call where none does.
func (c *call) rescue(o *pipeline.Outcome, cause error) error {
	p := c.spec.Client.Fallback
	if p == nil || c.settings.noFallback {
		return cause
	}
	chain := &fallback.Chain[struct{}]{
		Name: c.spec.ID, Mode: p.Mode, After: p.After, Statuses: p.Statuses, Effect: c.spec.Client.Effect, Reserve: p.Reserve,
		OnEvent: c.tellFallback(),
	}
	// An error event is a failure of the server's whose status came too early to say so.
	failed := o.Result.Event && p.Statuses.Has(http.StatusInternalServerError)
	stopped := o.Verdict.Do == retry.Stop && o.Verdict.Rule != ""
	if stopped || o.Verdict.Do != retry.Fallback && !failed && !chain.Admits(cause) {
		return cause
	}
	for i := range p.Rungs {
		r := &p.Rungs[i]
		chain.Rungs = append(chain.Rungs, fallback.Rung[struct{}]{
			Name: rungName(r), Local: !r.Kind.Remote(), Repeats: r.Kind.Repeats(), WhenUnknown: r.WhenUnknown, Timeout: r.Timeout,
			Run: func(ctx context.Context, cause error) (struct{}, error) { return struct{}{}, c.try(ctx, r, cause) },
		})
	}
	result := chain.Rescue(c.ctx, o.End, cause)
	if result.Index < 0 {
		c.answered = nil
		return c.fixed(result.Failures, cause)
	}
	c.meta.Rung = result.Rung
	result.Cancel()
	return nil
}

func (c *call) tellFallback() func(context.Context, fallback.Event) {
	hook := c.core.hooks.Fallback
	if hook == nil {
		return nil
	}
	return func(ctx context.Context, e fallback.Event) {
		hook(ctx, observe.Fallback{Op: e.Name, Rung: e.Rung, What: e.What.String(), Cause: e.Cause, Err: e.Err})
	}
}

// rungName is what Meta and the events call a rung: its kind, and whom it asks.
func rungName(r *policy.Rung) string {
	if r.Name == "" {
		return r.Kind.String()
	}
	return r.Kind.String() + ":" + r.Name
}

// try asks one rung, and makes what it answers the call's result.
func (c *call) try(ctx context.Context, r *policy.Rung, cause error) error {
	switch r.Kind {
	case policy.RungServer:
		return c.askServer(ctx, r)
	case policy.RungOperation:
		return c.askOperation(ctx, r)
	case policy.RungCache:
		h, ok := c.kept(ctx, r) //nolint:bodyclose // It is in memory.
		if !ok {
			return errNothingKept
		}
		return c.stand(ctx, h)
	case policy.RungSemanticCache:
		h, err := c.similar(ctx, r) //nolint:bodyclose // It is in memory.
		if err != nil {
			return err
		}
		return c.stand(ctx, h)
	case policy.RungStatic:
		err := c.stand(ctx, static(r)) //nolint:bodyclose // The same.
		if read, is := errors.AsType[*fault.Error](err); is && read.Err != nil {
			err = read.Err // nobody has tried anything for it
		}
		if err != nil {
			return &fixedError{answer: err}
		}
		return nil
	case policy.RungEmpty:
		return c.replies.set(nil)
	case policy.RungHandler:
		v, err := c.core.handlers[r.Name](ctx, c.input, cause)
		if err != nil {
			return err
		}
		return c.replies.set(v)
	default:
		return fmt.Errorf("a rung %s is not supported", r.Kind)
	}
}

// fixed is the error of a call that no rung has answered: its own, and where the last rung
// was a fixed answer that says of itself that it is a failure, with that answer in it.
func (c *call) fixed(failures []error, cause error) error {
	own, is := errors.AsType[*fault.Error](cause)
	if len(failures) == 0 || !is {
		return cause
	}
	last, is := failures[len(failures)-1].(*fixedError) //nolint:errorlint // As try has made it.
	if !is {
		return cause
	}
	c.meta.Rung = policy.RungStatic.String()
	whole := *own
	last.cause, whole.Err = own.Err, last
	return &whole
}

// fixedError is a fixed answer that is a failure, in place of the failure that caused it.
// Who asks for a type finds that of the answer first.
type fixedError struct{ answer, cause error }

func (e *fixedError) Error() string {
	if e.cause == nil {
		return "answered with " + e.answer.Error()
	}
	return e.cause.Error() + "; answered with " + e.answer.Error()
}

func (e *fixedError) Unwrap() []error { return []error{e.answer, e.cause} }

var errNothingKept = errors.New("nothing is kept that is not too old")

// kept is what the cache has, be it stale.
func (c *call) kept(ctx context.Context, r *policy.Rung) (*http.Response, bool) {
	if c.core.cache == nil || c.op.rules == nil || c.settings.noCache {
		return nil, false
	}
	return c.core.cache.Stale(c.probe(ctx), c.op.rules, c.cacheUse(), r.MaxStale) //nolint:contextcheck // The request has it.
}

// static is a fixed answer. It has no media type, so that it fits what the document says.
func static(r *policy.Rung) *http.Response {
	h := &http.Response{StatusCode: r.Status, Header: http.Header{}, Body: http.NoBody}
	if h.StatusCode == 0 {
		h.StatusCode = http.StatusOK
	}
	if r.Body != "" {
		h.Body, h.ContentLength = io.NopCloser(strings.NewReader(r.Body)), int64(len(r.Body))
	}
	return h
}

// stand reads a response that stands in for one of the service.
func (c *call) stand(ctx context.Context, h *http.Response) error {
	t := c.twin(ctx, c.replies)
	if err := t.use(h); err != nil {
		t.response.free()
		return errors.Join(err, c.replies.set(nil))
	}
	c.answered = t
	return nil
}

// askServer sends the request to another server, with the credential that is for it.
func (c *call) askServer(ctx context.Context, r *policy.Rung) error {
	target := c.core.target(r.Name)
	if target == nil {
		return fmt.Errorf("there is no server %q", r.Name)
	}
	base, err := parseAddress(target.URL)
	if err != nil {
		return err
	}
	for _, q := range target.Query {
		base.query = appendQuery(base.query, q.Name, q.Value)
	}
	t := c.twin(c.ctx, c.replies) //nolint:contextcheck // The rung bounds the try alone; see bare.
	if target.Auth != "" {
		if t.need, err = c.core.only(target.Auth); err != nil {
			return err
		}
	}
	if err := base.target(&t.url, t.request.path, t.request.query); err != nil {
		return err
	}
	return c.bare(ctx, t, t.spec, target.Name)
}

// only is the requirement of one scheme, which the client needs a credential for.
func (c *Core) only(scheme string) (security.Requirement, error) {
	for _, s := range c.api.Schemes {
		if s.Name == scheme {
			return c.choose([]security.Requirement{{{Scheme: s}}})
		}
	}
	return nil, fmt.Errorf("there is no security scheme %q", scheme)
}

// askOperation makes the request another operation's, with other values in it.
func (c *call) askOperation(ctx context.Context, r *policy.Rung) error {
	spec := c.core.Policy(r.Name)
	if spec == nil {
		return fmt.Errorf("there is no operation %q", r.Name)
	}
	t := c.twin(c.ctx, c.replies) //nolint:contextcheck // The rung bounds the try alone; see bare.
	t.spec = spec
	if err := t.assign(c, r.With); err != nil {
		return err
	}
	if err := t.address(""); err != nil {
		return err
	}
	return c.bare(ctx, t, spec, t.pipe.Server)
}

// bare makes one try of a call that has failed, for a rung. The context bounds the try and
// not a stream that it brings.
func (c *call) bare(ctx context.Context, t *call, spec *policy.Spec, server string) error {
	p := spec.Client
	alone := &policy.Spec{ID: spec.ID, Method: spec.Method, Path: spec.Path, Dependency: spec.Dependency}
	alone.Client = policy.Client{Effect: p.Effect, Criticality: p.Criticality, Deadline: p.Deadline}
	alone.Client.Timeout, alone.Client.Stream = &policy.Timeout{Total: policy.None}, p.Stream
	if p.Timeout != nil {
		alone.Client.Timeout.Connect, alone.Client.Timeout.Idle = p.Timeout.Connect, p.Timeout.Idle
	}
	if end, ok := ctx.Deadline(); ok {
		alone.Client.Timeout.Attempt = max(1, time.Until(end))
	}
	op := *t.op
	op.spec, op.pipeline, op.variants, op.rules = alone, c.core.registry.Pipeline(alone), nil, nil
	t.op, t.spec = &op, alone
	t.pipe.Server, t.pipe.Host, t.pipe.Options = server, t.url.Host, pipeline.Options{}
	o := op.pipeline.Do(t, &t.pipe, t) //nolint:contextcheck // The call is the context.
	err := t.conclude(o)
	if o.Result.Open && !o.Discarded && !t.response.open {
		t.response.finish()
		t.pipe.Finish()
	}
	if err == nil && o.Result.Status >= http.StatusBadRequest {
		// The document has it as a result, but it is no answer in place of another.
		err = &fault.Error{Op: spec.ID, Kind: fault.Status, Status: o.Result.Status, Attempts: o.Attempts}
	}
	if err != nil {
		t.response.free()
		return errors.Join(err, c.replies.set(nil))
	}
	c.answered = t
	return nil
}

// appendQuery adds a parameter to a query.
func appendQuery(query, name, value string) string {
	if query != "" {
		query += "&"
	}
	return query + escapeQuery(name) + "=" + escapeQuery(value)
}

// removeQuery takes the parameters of a name out of a query.
func removeQuery(query, name string) string {
	parts := strings.Split(query, "&")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool {
		key, _, _ := strings.Cut(p, "=")
		return unescapeQuery(key) == name
	}), "&")
}
