package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"github.com/holdfast-go/holdfast/runtime/retry/neterr"
)

// bytesReader is a body that is there in full.
type bytesReader struct{ bytes.Reader }

// Close does nothing: there is nothing to free.
func (*bytesReader) Close() error { return nil }

// attach gives a try its body.
func (c *call) attach(r *http.Request, a pipeline.Attempt) error {
	switch c.request.kind {
	case bytesBody:
		c.attachBytes(r)
	case sourceBody:
		return c.attachSource(r, a)
	default:
		if c.spec.Client.Effect == policy.Write {
			sendOnce(r)
		}
	}
	return nil
}

// sendOnce keeps net/http from sending a request without a body again when a reused
// connection ends before the answer: it does so by itself with the methods that are
// safe by the standard, but here the document says that a repeat takes effect twice.
// A body that cannot be had anew is what stops it. Of these methods net/http sends no
// body that turns out to be empty.
func sendOnce(r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		r.Body = new(bytesReader)
	}
}

func (c *call) attachBytes(r *http.Request) {
	body := c.request.body
	if len(body) == 0 {
		r.Body, r.GetBody = http.NoBody, noBodyAgain
		return
	}
	reader := &c.first
	if c.tries > 1 {
		reader = new(bytesReader)
	}
	reader.Reset(body)
	r.Body, r.ContentLength = reader, int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) {
		again := new(bytesReader)
		again.Reset(body)
		return again, nil
	}
}

func noBodyAgain() (io.ReadCloser, error) { return http.NoBody, nil }

func (c *call) attachSource(r *http.Request, a pipeline.Attempt) error {
	s := &c.request.source
	if s.Size == 0 {
		a.Uploaded()
		r.Body, r.GetBody = http.NoBody, noBodyAgain
		return nil
	}
	open := func() (*uploading, error) {
		body, err := s.Open()
		if err != nil {
			return nil, fmt.Errorf("opening the request's body: %w", err)
		}
		if !s.Local {
			body = newRelay(body, r.Context().Done())
		}
		u := &uploading{src: body, left: s.Size, attempt: a, idle: c.pipe.Idle()}
		u.idle.Begin()
		return u, nil
	}
	first, err := open()
	if err != nil {
		return err
	}
	c.upload = first
	r.Body, r.ContentLength = first, s.Size
	if s.Replayable {
		r.GetBody = func() (io.ReadCloser, error) { return open() }
	}
	return nil
}

// uploading is a body that is read as it is sent.
type uploading struct {
	src     io.ReadCloser
	left    int64 // negative where the size is not known
	attempt pipeline.Attempt
	idle    *deadline.Idle

	mu  sync.Mutex
	err error // of src
}

// Read passes on what the source has. The clock of the silence starts anew with
// each piece, so that it runs while the connection takes none as well as while
// the source gives none.
func (u *uploading) Read(p []byte) (int, error) {
	n, err := u.src.Read(p)
	u.idle.Begin()
	if u.left > 0 {
		u.left = max(0, u.left-int64(n))
	}
	if err != nil && err != io.EOF && err != errTryEnded { //nolint:errorlint // Nobody wraps it.
		u.mu.Lock()
		u.err = err
		u.mu.Unlock()
	}
	if err != nil || u.left == 0 {
		u.idle.Stop()
		u.attempt.Uploaded()
	}
	return n, err
}

// Close ends the reading.
func (u *uploading) Close() error {
	u.idle.Stop()
	return u.src.Close()
}

// problem is what went wrong with the source itself; nil for a nil upload.
func (u *uploading) problem() error {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

// failed is the result of a try without a response.
func (c *call) failed(err error) pipeline.Result {
	if source := c.upload.problem(); source != nil {
		// The transport's error only says that the source failed. Part of the
		// body may have arrived.
		return pipeline.Result{Err: fmt.Errorf("reading the request's body: %w", source)}
	}
	if c.upload != nil && c.upload.idle.Fired() {
		return pipeline.Result{Err: ErrIdle, Class: retry.Class{Set: policy.TimeoutErrors}}
	}
	return pipeline.Result{Err: err, Class: neterr.Classify(err)}
}

// success is the result of a response below 400, which is decoded at once: its
// body belongs to the try.
func (c *call) success() pipeline.Result {
	r := &c.response
	c.decode()
	result := pipeline.Result{Status: r.status, Header: r.header}
	err := c.decodeErr
	if err != nil && r.taken != nil {
		// The body was handed over before a header turned out to be wrong.
		r.taken.drop()
		r.taken, r.open = nil, false
	}
	if r.open {
		result.Open = true
		return result
	}
	if event, ok := errors.AsType[*StreamError](err); ok {
		r.abandon()
		result.Err, result.Event, result.Body = event, true, &answer{data: event.Data}
		return result
	}
	if broken, ok := errors.AsType[*readError](err); ok {
		r.abandon()
		result.Err, result.Class = broken, neterr.Classify(broken.err)
		return result
	}
	r.finish()
	c.show(&result)
	if err != nil && !c.ruled(&result) {
		result.Err, result.Kind = err, fault.Response
	}
	return result
}

// failure is the result of a response from 400 on. The beginning of its body is
// read now, for the rules and for the error; the rest only if this is the last
// response.
func (c *call) failure() pipeline.Result {
	r := &c.response
	// A body that breaks off leaves the status to be reported all the same.
	_ = r.fill(errorPrefetch)
	result := pipeline.Result{Status: r.status, Header: r.header, Open: !r.whole && r.body != nil}
	c.show(&result)
	return result
}

// show lets the policy look into a body that was read, if it wants to.
func (c *call) show(result *pipeline.Result) {
	if c.op.body && content.IsJSON(c.response.contentType) {
		result.Body = &answer{data: c.response.data}
	}
}

// ruled reports whether a rule of the policy decides about a response, which
// then need not be what the document declares.
func (c *call) ruled(result *pipeline.Result) bool {
	p := c.spec.Client.Retry
	if p == nil || len(p.Rules) == 0 {
		return false
	}
	v := retry.Judge(p, retry.Observation{Status: result.Status, Header: result.Header, Body: result.Body, Keyed: c.pipe.Key != ""})
	return v.Rule != "" && v.Do != retry.Success
}

// decode reads the response into the result, once.
func (c *call) decode() {
	c.decoded = true
	if c.decodeErr = c.replies.decode(&c.response); c.decodeErr == nil {
		c.decodeErr = c.response.err
	}
}

// Discard lets a response go for another try. It is the pipeline's to call. The
// beginning of a failure's body is kept, for it may be the last response after
// all.
func (c *call) Discard(pipeline.Result) {
	if t := c.response.taken; t != nil {
		t.drop()
	}
	c.response.open = false
	c.response.finish()
}

// errRuled: the policy takes a response for a failure that the document takes
// for a success.
var errRuled = errors.New("a rule of the policy takes the response for a failure")

// conclude is the error of the call, nil for a success.
func (c *call) conclude(o pipeline.Outcome) error {
	f := o.Fault
	if o.Result.Status == 0 || o.Result.Err != nil || f != nil && f.Kind != fault.Status {
		if f == nil {
			return nil
		}
		return f
	}
	if !c.decoded {
		if o.Result.Open && !o.Discarded {
			c.response.idle = c.pipe.Idle()
		}
		c.decode()
	}
	if c.decodeErr == nil && (f == nil || o.Result.Status >= http.StatusBadRequest) {
		return nil // also of a failure that the document has as a result
	}
	if f == nil {
		if o.Verdict.Do == retry.Success && c.replies.nothing() {
			return nil // a rule takes the failure for a success, and nothing was asked for
		}
		kind := fault.Response
		if o.Result.Status >= http.StatusBadRequest {
			kind = fault.Status // a success to the policy, but no result
		}
		f = &fault.Error{
			Op: c.spec.ID, Kind: kind, Status: o.Result.Status, Attempts: o.Attempts, Waited: o.Waited,
			Key: c.pipe.Key, Effect: effectOf(c, o.Result.Status),
		}
	}
	if f.Err = c.decodeErr; f.Err == nil {
		f.Err = c.response.statusError(errRuled)
	}
	return f
}
