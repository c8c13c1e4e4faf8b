package client

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
	"github.com/holdfast-go/holdfast/runtime/internal/lookup"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// resumption is where a stream can go on, and how often it had to.
type resumption struct {
	position string // a JSON text; empty where it is not known
	began    time.Time
	breaks   int           // in a row
	before   time.Duration // the wait before the last request
	over     bool          // the server says that there is no more
}

// steady is how long a stream has to last for its next break to count as the first.
const steady = time.Minute

// plainBackoff is for operations without a retry of their own: the language's default.
var plainBackoff = policy.Retry{BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second, Jitter: policy.JitterFull}

// pass takes the position of an item. One that has none would make the stream go on from
// before it, and give it twice.
func (p *resumption) pass(r *policy.StreamResume, events *stream.EventReader, data []byte) {
	p.position = ""
	if r.ByEventID() {
		if events != nil && events.Event().ID != "" {
			p.position = string(jsontree.AppendString(nil, events.Event().ID))
		}
		return
	}
	var tree lookup.Tree
	if v, ok := tree.At(data, r.From.Name); ok && v.Text != "null" {
		p.position = v.Text
	}
}

// resume goes on after a break by another request, or returns the error that ends the
// stream; io.EOF where there is no more.
func (f *flow) resume(cause error) error {
	if !f.broke(cause) {
		return cause
	}
	wait, ok := f.wait()
	if !ok {
		return cause
	}
	ctx, cancel := context.WithCancel(f.root.ctx)
	f.mu.Lock()
	before, closed := f.cancel, f.closed
	f.cancel = cancel
	f.mu.Unlock()
	if before != nil {
		before() // that request has broken
	}
	if closed {
		cancel()
		return ErrClosed
	}
	if hook := f.root.core.hooks.Wait; hook != nil {
		hook(f.root.ctx, observe.Wait{Op: f.root.spec.ID, Attempt: 1, Reason: observe.Resume, For: wait, Status: f.status, Err: cause})
	}
	err := sleep.For(ctx, wait)
	if err == nil {
		err = f.again(ctx)
	}
	switch {
	case f.root.ctx.Err() != nil:
		return f.root.ctx.Err()
	case ctx.Err() != nil:
		return ErrClosed
	case err == nil && f.resumable.over:
		return io.EOF
	}
	return err
}

// broke reports whether the stream broke in a way that another request mends, and may be
// made: the caller knows how far it came, a repeat is harmless, and the request before has
// brought something.
func (f *flow) broke(cause error) bool {
	p, c := f.policy, f.root
	if p == nil {
		p = f.shadow
	}
	broken, ok := errors.AsType[*fault.Error](cause)
	if !ok || broken.Kind != fault.Transport && !errors.Is(broken, ErrIdle) || c.ctx.Err() != nil {
		return false
	}
	if p == nil || p.Resume == nil || f.count == 0 || f.resumable.position == "" ||
		!c.spec.Client.Effect.Repeatable() || !c.pipe.Replayable || c.pipe.Options.NoRetry {
		return false
	}
	if f.shadow != nil {
		f.wouldHave(observe.Resume)
		return false
	}
	return true
}

// wait is the time before the next request: what the server has asked for, else the
// backoff of the policy. It is false where it does not fit the call.
func (f *flow) wait() (time.Duration, bool) {
	c, r := f.root, &f.resumable
	p := c.spec.Client.Retry
	if p == nil {
		p = &plainBackoff
	}
	if time.Since(r.began) > steady {
		r.breaks, r.before = 0, 0
	}
	r.breaks++
	if hint := f.event.Retry; hint > 0 {
		if p.MaxRetryAfter > 0 && hint > p.MaxRetryAfter {
			return 0, false
		}
		r.before = retry.HintDelay(p, r.breaks, hint, rand.Float64()) //nolint:gosec // Jitter is no secret.
	} else {
		r.before = retry.Delay(p, r.breaks, r.before, rand.Float64()) //nolint:gosec // The same.
	}
	end := time.Now().Add(r.before)
	if at, ok := c.ctx.Deadline(); ok && end.After(at) {
		return 0, false
	}
	if at := c.pipe.WrittenEnd(); !at.IsZero() && end.After(at) {
		return 0, false
	}
	return r.before, true
}

// again makes the request that goes on with the stream, a call of its own under the same
// policy but for its cache and fallback, which have no part of a stream.
func (f *flow) again(ctx context.Context) error {
	t := f.root.twin(ctx, (*successor)(f))
	to := policy.Assignment{To: f.policy.Resume.Param, Value: f.resumable.position}
	if err := t.assign(f.root, []policy.Assignment{to}); err != nil {
		return f.root.refuse(err)
	}
	if err := t.address(f.root.settings.target); err != nil {
		return f.root.refuse(err)
	}
	if at := f.root.pipe.WrittenEnd(); !at.IsZero() {
		t.pipe.Options.Within = max(1, time.Until(at))
	}
	f.resumable.began = time.Now()
	o := t.op.pipeline.Do(t, &t.pipe, t) //nolint:contextcheck // The call is the context.
	t.meta.Tries = o.Attempts
	err := t.conclude(o)
	if o.Result.Open && !o.Discarded && !t.response.open {
		t.response.finish()
		t.pipe.Finish()
	}
	t.response.free()
	return err
}

// successor reads the response that a stream goes on with.
type successor flow

func (s *successor) decode(r *Response) error {
	f := (*flow)(s)
	f.resumable.over = r.status == http.StatusNoContent
	switch {
	case f.resumable.over:
		return nil // HTML standard, section 9.2.3: do not come back
	case r.status == f.status && mediaOf(r.contentType) == f.media:
		return f.begin(r)
	case r.status >= http.StatusBadRequest:
		if err := f.root.replies.decode(r); err != nil {
			return err
		}
	}
	return r.Undeclared()
}

func (s *successor) set(any) error { return nil }

func (s *successor) nothing() bool { return false }
