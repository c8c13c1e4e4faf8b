package server

import (
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
)

// idempotencyGuard makes the requests of one key run once.
type idempotencyGuard struct {
	*idempotency.Guard
	policy *policy.Idempotency
}

// guard makes the guard of an operation. All of a handler's operations keep their
// records in one store.
func (s *shared) guard(e *endpoint) *idempotencyGuard {
	if s.h.records == nil {
		s.h.records = store.NewMemoryIdempotency(store.MemoryOptions{})
	}
	p := e.spec.Server.Idempotency
	return &idempotencyGuard{idempotency.NewGuard(s.h.records, e.spec.ID, *p), p}
}

// What frees a key.
var (
	failedResult   = store.Result{Status: http.StatusInternalServerError}
	failedResponse = Response{status: http.StatusInternalServerError}
)

// keyRefusal is why a request is not run: it is answered with a problem, or with the
// result of an earlier request.
type keyRefusal struct {
	status int
	detail string
	again  bool // it may come again soon
	err    error
	replay *store.Result
	always bool // in shadow mode, too
}

// claimKey claims the request's idempotency key. It is false when it has
// answered: with what an earlier request got, or because the key is missing, is no
// key, belongs to another request, or is in use. In shadow mode that is only reported.
func (x *exchange) claimKey() bool {
	g := x.endpoint.idempotency
	if g == nil {
		return true
	}
	no := x.tryKey(g)
	if x.claim == nil && g.Transactional() && (no == nil || g.policy.Mode == policy.Shadow) {
		no = x.beginBare(g, no)
	}
	switch {
	case no == nil:
		return true
	case g.policy.Mode == policy.Shadow && !no.always:
		x.rejected(x.op(), observe.Idempotency, true, time.Time{})
		return true
	case no.replay != nil:
		x.replay(*no.replay)
		return false
	}
	if x.cause = no.err; no.status != http.StatusBadRequest {
		x.rejected(x.op(), observe.Idempotency, false, time.Time{})
	}
	if no.status >= http.StatusInternalServerError {
		x.h.failed(x.call, x.op(), no.status, no.err)
	}
	if no.again {
		x.retryAfter(idempotency.RetryAfter)
	}
	x.problem(problem(no.status, no.detail))
	return false
}

// tryKey claims the key, or says why it cannot.
func (x *exchange) tryKey(g *idempotencyGuard) *keyRefusal {
	key, no := x.readKey(g)
	if no != nil || key == "" {
		return no
	}
	look := &values{x: x}
	fingerprint, err := x.fingerprint(g, look)
	if err != nil {
		return &keyRefusal{status: http.StatusBadRequest, detail: "the request lacks a value that its idempotency key stands for", err: err}
	}
	scope := ""
	if !g.policy.Scope.IsZero() {
		v, _ := look.Lookup(g.policy.Scope)
		scope = v.Plain()
	}
	d := g.Begin(x.call, scope, key, fingerprint)
	switch d.Action {
	case idempotency.Run:
		x.claim, x.call.key = d.Claim, key
		if d.Claim.InTransaction() {
			x.call.given = d.Claim
		}
		return nil
	case idempotency.Unprotected:
		x.storeFailed("idempotency", d.Err)
		x.h.failed(x.call, x.op(), 0, d.Err)
		x.call.key = key
		return nil
	case idempotency.Replay:
		return &keyRefusal{replay: &d.Result}
	case idempotency.Mismatch:
		return &keyRefusal{status: http.StatusUnprocessableEntity, detail: "the idempotency key was used for another request"}
	case idempotency.InFlight:
		return &keyRefusal{status: http.StatusConflict, detail: "a request with this idempotency key is being processed", again: true}
	case idempotency.Spent:
		return &keyRefusal{
			status: http.StatusConflict, detail: "a request with this idempotency key was processed, and its result was not kept",
		}
	}
	if d.Err != nil {
		x.storeFailed("idempotency", d.Err)
	}
	return &keyRefusal{
		status: http.StatusServiceUnavailable, detail: "idempotency keys cannot be checked at the moment", again: true, err: d.Err,
	}
}

// readKey is the request's key, empty where it has none and needs none.
func (x *exchange) readKey(g *idempotencyGuard) (string, *keyRefusal) {
	lines := x.r.Header.Values(g.policy.Header)
	var wrong string
	switch len(lines) {
	case 0:
		if !g.policy.Required {
			return "", nil
		}
		wrong = " is required"
	case 1:
		key, err := idempotency.ParseHeader(lines[0])
		if err == nil {
			return key, nil
		}
		wrong = ": " + err.Error()
	default:
		wrong = " is given more than once"
	}
	return "", &keyRefusal{status: http.StatusBadRequest, detail: "the header " + g.policy.Header + wrong}
}

// fingerprint is what has to be the same in a repeat. A body that is a stream is
// not part of it: it has not been read.
func (x *exchange) fingerprint(g *idempotencyGuard, look *values) ([32]byte, error) {
	if g.policy.Fingerprint == policy.FingerprintRequest {
		query := x.r.URL.RawQuery
		return idempotency.FingerprintOf(x.r.Method, x.r.URL.EscapedPath(), query, x.request.body.data), nil
	}
	return idempotency.FingerprintFrom(x.op(), g.policy.From, look)
}

// replay answers with what the first request got.
func (x *exchange) replay(r store.Result) {
	if hook := x.h.hooks.Replay; hook != nil {
		hook(x.call, observe.Replay{Op: x.op(), Status: r.Status})
	}
	h := x.w.Header()
	for _, f := range r.Header {
		h[http.CanonicalHeaderKey(f.Name)] = f.Values
	}
	h[idempotency.ReplayedHeader] = []string{"true"}
	x.cacheFields(r.Status)
	if bodyAllowed(r.Status) && (len(r.Body) > 0 || h.Get("Content-Type") != "") {
		x.contentLength(len(r.Body))
	}
	x.begin(r.Status)
	if bodyAllowed(r.Status) && x.r.Method != http.MethodHead {
		_, _ = x.w.Write(r.Body)
	}
}

// finishClaim ends the claim with the answer, before it is sent: a process that
// dies in between has a result to replay.
func (x *exchange) finishClaim(w *Response) {
	_ = x.endClaim(w)
}

// endClaim is finishClaim with what has gone wrong, which is reported.
func (x *exchange) endClaim(w *Response) error {
	c := x.claim
	x.claim = nil
	return finishClaim(x.h, x.call, x.op(), c, w)
}

func (t *task) finishClaim(w *Response) {
	_ = finishClaim(t.h, t.ctx, t.endpoint.spec.ID, t.claim, w)
}

func finishClaim(h *handler, ctx *callContext, op string, c *idempotency.Claim, w *Response) error {
	if c == nil {
		return nil
	}
	var err error
	if w.kind == readerBody || w.kind == itemsBody {
		err = c.FinishSpent(ctx, w.status)
	} else {
		err = c.Finish(ctx, w.result())
	}
	if err != nil {
		h.failed(ctx, op, 0, err)
	}
	return err
}

// result is the answer as a store keeps it.
func (w *Response) result() store.Result {
	r := store.Result{Status: w.status}
	if w.kind == bytesBody {
		r.Body = w.buf
		r.Header = append(r.Header, store.HeaderField{Name: "Content-Type", Values: []string{w.contentType}})
	}
next:
	for _, f := range w.header {
		for i := range r.Header {
			if r.Header[i].Name == f.name {
				r.Header[i].Values = append(r.Header[i].Values, f.value)
				continue next
			}
		}
		r.Header = append(r.Header, store.HeaderField{Name: f.name, Values: []string{f.value}})
	}
	return r
}
