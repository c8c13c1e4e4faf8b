package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// call is one call. It is also the context that everything in the call runs
// under: the caller's, with two values for the transport. So it must not be
// pooled: connections that are being made hold on to it.
type call struct {
	ctx  context.Context //nolint:containedctx // A call is the context that its parts run under.
	core *Core
	spec *policy.Spec
	op   *operation

	settings callSettings
	pipe     pipeline.Call
	request  Request
	url      url.URL
	need     security.Requirement
	replies  decoder
	values   values
	redirect bool
	input    any // what Encode was given

	exchanges *cache.Exchange // with the cache; nil for none
	answered  *call           // the rung that has answered; nil for the call itself

	attempt pipeline.Attempt // the last
	tries   int              // requests made, counting those that wait for one in flight
	first   bytesReader
	// firstDeadline is the header of the first try, which needs no slice then.
	firstDeadline [1]string
	upload        *uploading
	response      Response
	decodeErr     error
	decoded       bool
	shrunk        bool // the request is no more what was asked for
	meta          Meta
}

// decoder reads a response into the result of a call.
type decoder interface {
	decode(r *Response) error
	// set makes v the result; nil is the zero value.
	set(v any) error
	// nothing says that there is no result that could be missing.
	nothing() bool
}

// Deadline is the caller's.
func (c *call) Deadline() (time.Time, bool) { return c.ctx.Deadline() }

// Done is the caller's.
func (c *call) Done() <-chan struct{} { return c.ctx.Done() }

// Err is the caller's.
func (c *call) Err() error { return c.ctx.Err() }

// Value adds what the transport asks for.
func (c *call) Value(key any) any {
	switch key.(type) {
	case connectKey:
		return c.op.connect
	case redirectsKey:
		return c.redirect
	}
	return c.ctx.Value(key)
}

// invocation is a call together with the type of its result: the one allocation
// that holds nearly all of a call. The call is no embedded field, for its methods
// would be compiled for each type.
type invocation[Res any] struct {
	call   call
	op     *Operation[Res]
	result Res
}

func (i *invocation[Res]) decode(r *Response) (err error) {
	if i.op.Decode == nil {
		return r.plainSuccess()
	}
	i.result, err = i.op.Decode(r)
	return err
}

func (i *invocation[Res]) set(v any) error {
	if v == nil {
		var zero Res
		i.result = zero
		return nil
	}
	result, ok := v.(Res)
	if !ok {
		return fmt.Errorf("the result is a %T, not a %T", v, i.result)
	}
	i.result = result
	return nil
}

func (i *invocation[Res]) nothing() bool {
	_, is := any(&i.result).(*None)
	return is
}

// plainSuccess takes every 2xx as a success.
func (r *Response) plainSuccess() error {
	if r.status/100 == 2 {
		return nil
	}
	return r.Undeclared()
}

// Do makes a call and returns its result. The request is a pointer to what the
// operation's Encode takes; nil for an operation without parameters and body. The
// error, if any, is a *fault.Error; the result is then the zero value.
func Do[Res any](ctx context.Context, c *Core, op *Operation[Res], req any, opts []CallOption) (res Res, _ error) {
	if op == nil {
		return res, noOperation()
	}
	i := &invocation[Res]{op: op}
	i.call.spec, i.call.replies, i.call.redirect = op.Spec, i, op.Redirects
	if err := i.call.open(ctx, c, op.Accept, op.Servers, opts); err != nil {
		return res, err
	}
	if err := i.call.write(req, op.Encode, op.Validate); err != nil {
		return res, err
	}
	if err := i.call.send(op.Security); err != nil { //nolint:contextcheck // The call is the context.
		return res, err
	}
	return i.result, nil
}

// Exec is Do for an operation without a result.
func Exec(ctx context.Context, c *Core, op *Operation[None], req any, opts []CallOption) error {
	_, err := Do(ctx, c, op, req, opts)
	return err
}

// noOperation is the error of a call without an operation.
func noOperation() error {
	return &fault.Error{Kind: fault.Request, Effect: fault.Safe, Err: errNoClient}
}

// write writes the request.
func (c *call) write(req any, encode func(any, *Request), validate func(any, *check.Checker)) error {
	if c.core.validate && validate != nil && req != nil {
		var checker check.Checker
		checker.Travel(check.InRequest)
		if validate(req, &checker); !checker.OK() {
			return c.refuse(checker.Err())
		}
	}
	c.input = req
	c.request.start(c.op.lookup)
	if encode == nil {
		c.request.Path(c.spec.Path)
		return nil
	}
	encode(req, &c.request)
	return nil
}

// open takes up a call: what there is to know about its operation, and the caller's
// options.
func (c *call) open(ctx context.Context, core *Core, accept string, servers []Server, opts []CallOption) error {
	switch {
	case c.spec == nil:
		return noOperation()
	case core == nil || core.registry == nil:
		return c.refuse(errNoClient)
	case ctx == nil:
		return c.refuse(errNilContext)
	}
	c.ctx, c.core = ctx, core
	c.op = core.operation(c.spec, accept, servers)
	c.spec = c.op.spec
	s := &c.settings
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	if s.meta != nil {
		*s.meta = Meta{}
	}
	if s.err != nil {
		return c.refuse(s.err)
	}
	return nil
}

// refuse is the error of a call of which nothing was sent.
func (c *call) refuse(err error) error {
	return &fault.Error{Op: c.spec.ID, Kind: fault.Request, Effect: fault.Safe, Key: c.pipe.Key, Err: err}
}

// prepare completes the request.
func (c *call) prepare(alternatives []security.Requirement, s *callSettings) (err error) {
	r := &c.request
	if r.parts != nil {
		r.finishParts()
	}
	if err := r.problem(); err != nil {
		return err
	}
	if c.need, err = c.core.choose(alternatives); err != nil {
		return err
	}
	if err := c.address(s.target); err != nil {
		return err
	}
	c.values.c = c
	c.op = c.op.choose(&c.values)
	c.spec = c.op.spec
	if err := c.checkFuncs(); err != nil {
		return err
	}
	c.headers(s)
	if c.op.lookup {
		c.pipe.Lookup = &c.values
	}
	if err := c.idempotencyKey(s); err != nil {
		return err
	}
	c.pipe.Server, c.pipe.Host, c.pipe.Options = c.op.server, c.url.Host, s.options
	c.pipe.Replayable = r.kind != sourceBody || r.source.Replayable
	c.pipe.Upload = r.kind == sourceBody
	return nil
}

// address works out where the call goes.
func (c *call) address(target string) error {
	r := &c.request
	if target != "" {
		u, err := url.Parse(target)
		if err != nil {
			return errors.New("the address of the call is no URL")
		}
		a, err := parseAddress(target)
		if err != nil {
			return err
		}
		// All of its path counts, a slash at its end as well.
		a.path = u.EscapedPath()
		return a.target(&c.url, nil, r.query)
	}
	if c.op.err != nil {
		return c.op.err
	}
	if !c.op.base.known() {
		return errNoAddress
	}
	if len(r.path) == 0 || r.path[0] != '/' {
		return fmt.Errorf("the path of %s does not begin with a slash", c.spec.ID)
	}
	return c.op.base.target(&c.url, r.path, r.query)
}

// headers adds what is not a parameter. Parameters come before the defaults of
// the client, those of this call before all.
func (c *call) headers(s *callSettings) {
	r := &c.request
	h := r.header
	if len(c.op.accept) > 0 {
		h["Accept"] = c.op.accept
	}
	if len(r.cookie) > 0 {
		r.set("Cookie", string(r.cookie))
	}
	if r.contentType != "" {
		r.set("Content-Type", r.contentType)
	}
	if c.op.criticality != "" {
		r.set(policy.CriticalityHeader, c.op.criticality)
	}
	for i := range c.core.header {
		f := &c.core.header[i]
		if _, is := h[f.name]; !is {
			h[f.name] = f.lines
		}
	}
	if len(s.header) > 0 {
		maps.Copy(h, s.header)
	}
}

// Try sends the request once. It is the pipeline's to call.
func (c *call) Try(ctx context.Context, a pipeline.Attempt) pipeline.Result {
	c.decodeErr, c.decoded, c.attempt = nil, false, a
	r, err := c.build(ctx, a)
	if err != nil {
		return pipeline.Result{Err: err, Kind: fault.Request}
	}
	h, err := c.receive(r, a) //nolint:bodyclose // The response, the pipeline or the caller closes it.
	if err != nil {
		return c.failed(err)
	}
	c.response.start(c, h)
	if h.StatusCode >= http.StatusBadRequest {
		return c.failure()
	}
	return c.success()
}

// build is the request of one try.
func (c *call) build(ctx context.Context, a pipeline.Attempt) (*http.Request, error) {
	header := c.request.header
	// The transport may still be writing the request of the try before, so what
	// all tries share must not change; and a hook may change anything.
	switch {
	case len(c.core.before) > 0:
		header = header.Clone()
	case c.tries > 0 || len(c.need) > 0:
		header = maps.Clone(header)
	}
	c.tries++
	header[policy.AttemptHeader] = attemptValue(a.Number)
	if a.SendDeadline {
		var room [24]byte
		value := string(deadline.Append(room[:0], c.op.deadlineKind, a.Budget))
		if c.tries == 1 {
			c.firstDeadline[0] = value
			header[c.op.deadlineHeader] = c.firstDeadline[:]
		} else {
			header[c.op.deadlineHeader] = []string{value}
		}
	}
	r := (&http.Request{
		Method: c.spec.Method, URL: &c.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Host: c.url.Host,
	}).WithContext(ctx)
	if host := header["Host"]; len(host) > 0 {
		r.Host = host[0] // a parameter of that name; net/http sends no other
	}
	if len(c.need) > 0 {
		if err := c.core.authorize(ctx, c.need, r); err != nil {
			return nil, err
		}
	}
	if err := c.attach(r, a); err != nil {
		return nil, err
	}
	for _, before := range c.core.before {
		if err := before(r); err != nil {
			if r.Body != nil {
				_ = r.Body.Close() // nothing was sent of it
			}
			return nil, fmt.Errorf("BeforeAttempt: %w", err)
		}
	}
	return r, nil
}

// attemptValues are shared by all requests; nobody changes them.
var attemptValues = [...][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"6"}, {"7"}, {"8"}, {"9"}, {"10"}}

func attemptValue(n int) []string {
	return attemptValues[min(max(n, 1), len(attemptValues))-1]
}
