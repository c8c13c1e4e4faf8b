package pipeline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/hedge"
	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"github.com/holdfast-go/holdfast/runtime/retry/neterr"
)

// maxKept is how much of a response that is followed by another try is read and kept, for
// it is the last one after all where that try cannot be made.
const maxKept = 64 << 10

// errNoResponse: a base gave nothing.
var errNoResponse = errors.New("the transport gave neither a response nor an error")

// errCut: a response was longer than what is kept.
var errCut = errors.New("the rest of the response was let go for another try, which was not made")

// Transport is an http.RoundTripper around which a policy's primitives stand in the order
// of this package. Each request has the effect of its method, and may be repeated with an
// idempotency key beside: see [policy.EffectOf]. The zero value has no policy. It is safe
// for concurrent use.
//
// The last response is returned whatever its status. An error is a [fault.Error]. The
// attempt timeout bounds the time to a response's header; its body is bounded by a written
// total, by the longest silence, by the bulkhead's hold and by the caller's context, and a
// request keeps its slot until the body has been read or closed. Fallback and cache are
// packages of their own that stand outside.
type Transport struct {
	// Base makes the tries; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Lookup gives the values of a request for the keys of breakers and buckets; nil is
	// none.
	Lookup func(r *http.Request) policy.Lookup

	byEffect [policy.Read + 1]*Pipeline
	key      string // the header of idempotency keys
	told     string // the header that carries the deadline
	toldAs   policy.DeadlineHeader
}

// Transport makes requests under a Spec, whose Effect is not looked at. The Spec must not
// be changed any more.
func (r *Registry) Transport(base http.RoundTripper, s *policy.Spec) *Transport {
	t := &Transport{Base: base, key: "Idempotency-Key"}
	if i := s.Client.Idempotency; i != nil && i.Header != "" {
		t.key = i.Header
	}
	if d := s.Client.Deadline; d != nil {
		t.told, t.toldAs = deadline.Name(d.Header), d.Header
	}
	for effect := range t.byEffect {
		one := *s
		one.Client.Effect = policy.Effect(effect)
		one.Client.Fallback, one.Client.Cache = nil, nil
		t.byEffect[effect] = r.Pipeline(&one)
	}
	return t
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	effect := policy.EffectOf(r.Method)
	if r.Method == "" {
		effect = policy.Read // which is GET
	}
	p := t.byEffect[effect]
	if p == nil {
		return base.RoundTrip(r)
	}
	e := &exchange{transport: t, base: base, request: r}
	e.call.Host, e.call.Key, e.call.Replayable = r.URL.Host, r.Header.Get(t.key), httpbody.Replayable(r)
	if t.Lookup != nil {
		e.call.Lookup = t.Lookup(r)
	}
	o := p.Do(r.Context(), &e.call, e)
	if e.tries == 0 {
		httpbody.Refuse(r)
	}
	if o.Result.Status == 0 || o.Result.Err != nil || o.Fault != nil && o.Fault.Kind != fault.Status {
		if !o.Discarded {
			httpbody.Close(e.response)
		}
		e.call.Finish()
		return nil, o.Fault
	}
	h := e.response
	h.Request = r
	if o.Discarded {
		h.Body = io.NopCloser(io.MultiReader(&e.kept, &ending{e.cut}))
		return h, nil
	}
	e.idle = e.call.Idle()
	if h.StatusCode == http.StatusSwitchingProtocols || h.Body == nil {
		httpbody.Hold(h, e.call.Finish)
		return h, nil
	}
	e.body, h.Body = h.Body, e
	return h, nil
}

// exchange is one request: its call, its tries and the body of its response, in one
// allocation.
type exchange struct {
	transport *Transport
	base      http.RoundTripper
	request   *http.Request
	call      Call
	tries     int
	response  *http.Response // of the last try

	body io.ReadCloser // of the response that is returned
	idle *deadline.Idle
	kept bytes.Buffer // of a response that was discarded
	cut  error
}

// Try makes one try.
func (e *exchange) Try(ctx context.Context, a Attempt) Result {
	e.tries++
	e.response = nil
	r, err := e.prepare(ctx, a)
	if err != nil {
		return Result{Err: err, Kind: fault.Request}
	}
	h, err := e.send(r, a) //nolint:bodyclose // It is read or closed by the caller, or by Discard.
	switch {
	case err != nil:
		return Result{Err: err, Class: neterr.Classify(err)}
	case h == nil:
		return Result{Err: errNoResponse, Kind: fault.Response}
	}
	e.response = h
	return Result{Status: h.StatusCode, Header: h.Header, Open: true}
}

// prepare is the request of a try. One without a header or a body of its own shares those
// of the caller's request.
func (e *exchange) prepare(ctx context.Context, a Attempt) (*http.Request, error) {
	if e.tries == 1 && !a.SendDeadline {
		return e.request.WithContext(ctx), nil
	}
	r, err := httpbody.Copy(ctx, e.request, e.tries)
	if err != nil {
		return nil, err
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if a.Number > 1 {
		r.Header.Set(policy.AttemptHeader, strconv.Itoa(a.Number))
	}
	if a.SendDeadline {
		e.tell(r, a.Budget)
	}
	return r, nil
}

// tell sends the time that is left.
func (e *exchange) tell(r *http.Request, left time.Duration) {
	r.Header[e.transport.told] = []string{string(deadline.Append(nil, e.transport.toldAs, left))}
}

// send makes the request of a try, and once more where the policy hedges and the answer is
// late.
func (e *exchange) send(r *http.Request, a Attempt) (*http.Response, error) {
	h := a.Hedger()
	if h == nil || !e.call.Replayable {
		return e.base.RoundTrip(r)
	}
	begin := time.Now()
	result := hedge.Race(r.Context(), h, hedge.Tries[*http.Response]{
		Try: func(ctx context.Context, number int) (*http.Response, error) {
			if number == 1 {
				return e.base.RoundTrip(r.WithContext(ctx))
			}
			again, err := httpbody.Copy(ctx, r, number)
			if err != nil {
				return nil, err
			}
			if a.SendDeadline {
				e.tell(again, max(0, a.Budget-time.Since(begin)))
			}
			return e.base.RoundTrip(again)
		},
		Admit:   a.PayHedge,
		Wins:    e.wins,
		Discard: func(h *http.Response, _ error) { httpbody.Close(h) },
	})
	httpbody.Hold(result.Value, result.Cancel)
	return result.Value, result.Err
}

// wins reports whether a response ends a hedged try: any that would not be tried again.
func (e *exchange) wins(h *http.Response, err error) bool {
	if err != nil || h == nil {
		return false
	}
	p := e.transport.byEffect[policy.Read].policy.Retry
	if p == nil {
		return h.StatusCode < http.StatusInternalServerError
	}
	return retry.Judge(p, retry.Observation{Status: h.StatusCode, Header: h.Header}).Do != retry.Retry
}

// Discard reads a response that is to be followed by another try, so that its connection
// serves that one, and keeps what it has read.
func (e *exchange) Discard(Result) {
	h := e.response
	if h == nil || h.Body == nil {
		return
	}
	e.kept.Reset()
	_, e.cut = io.CopyN(&e.kept, h.Body, maxKept+1)
	if e.cut == nil {
		e.cut = errCut
	}
	_ = h.Body.Close() // nobody else reads it
}

// Read passes on what the body of the response has. The call ends with it.
func (e *exchange) Read(p []byte) (int, error) {
	e.idle.Begin()
	n, err := e.body.Read(p)
	e.idle.End()
	if err != nil {
		if e.idle.Fired() {
			err = errors.Join(context.DeadlineExceeded, err)
		}
		e.idle.Stop()
		e.call.Finish()
	}
	return n, err
}

// Close ends the reading and the call.
func (e *exchange) Close() error {
	err := e.body.Close()
	e.idle.Stop()
	e.call.Finish()
	return err
}

// ending has nothing but its error.
type ending struct{ err error }

// Read is the error.
func (e *ending) Read([]byte) (int, error) { return 0, e.err }
