package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/internal/lookup"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// flow is what a stream is apart from the type of its items.
type flow struct {
	root *call // the caller's call; others may go on with its stream
	open func(*Body) items
	// policy is nil where there is none; shadow is it where it must only report.
	policy, shadow *policy.Stream
	status         int
	media          string

	mu     sync.Mutex
	body   *Body
	closed bool
	cancel context.CancelFunc // of the request that went on with the stream; nil before

	// The rest is of the goroutine that reads.
	in        items
	held      bool // data and err are what was read ahead
	data      []byte
	err       error
	watch     *deadline.Idle // of the wait for the first item
	waiting   time.Time      // since when, in shadow mode
	count     int            // of the items delivered since the last request
	event     stream.Event   // of the last one delivered
	resumable resumption
}

// items reads one body item by item.
type items struct {
	reader stream.Reader
	events *stream.EventReader // nil for other streams than of events
	// object gives the item that the event is; nil where its data is the item.
	object func() ([]byte, error)
	// marked says that [DONE] is the end.
	marked bool
}

// doneMark ends streams of models in place of a last event. It is no JSON, so that no item
// can be taken for it.
const doneMark = "[DONE]"

func newFlow(r *Response, open func(*Body) items) *flow {
	f := &flow{root: r.c, open: open, status: r.status, media: mediaOf(r.contentType)}
	if p := r.c.spec.Client.Stream; p != nil && p.Mode == policy.Shadow {
		f.shadow = p
	} else {
		f.policy = p
	}
	return f
}

// mediaOf is a media type without its parameters.
func mediaOf(contentType string) string {
	name, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

// begin takes up a response, the first one or one that goes on with the stream. Where the
// policy has it wait for the first item, its error is that of the try.
func (f *flow) begin(r *Response) error {
	body := r.take()
	f.in, f.held, f.count = f.open(body), false, 0
	if p := f.policy; p != nil {
		f.watch = r.c.pipe.Watch(p.First)
		body.first, body.later = f.watch, f.watch != nil
	}
	f.swap(body)
	if f.policy == nil || f.policy.Retry != policy.StreamRetryBeforeFirst || r.status >= http.StatusBadRequest {
		return nil
	}
	r.c.attempt.Headed()
	body.early = true
	data, err := f.read()
	body.early = false
	if _, told := errors.AsType[*StreamError](err); told || isRead(err) {
		return err
	}
	f.held, f.data, f.err = true, data, err
	if body.read {
		// All of it was read; nothing is handed over.
		body.idle.Stop()
		r.taken, r.open = nil, false
	}
	return nil
}

// swap makes a body the one that is read.
func (f *flow) swap(body *Body) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.body = body
}

// current is the body that is read.
func (f *flow) current() *Body {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.body
}

// close ends the stream and what goes on with it.
func (f *flow) close() {
	f.mu.Lock()
	body, cancel := f.body, f.cancel
	f.closed = true
	f.mu.Unlock()
	_ = body.Close() // it never fails
	if cancel != nil {
		cancel()
	}
}

// next is the next item, of whatever request brings it.
func (f *flow) next() ([]byte, error) {
	for {
		data, err := f.data, f.err
		if !f.held {
			data, err = f.read()
		}
		f.held = false
		if err == nil || err == io.EOF { //nolint:errorlint // A wrapped end is a fault.
			return data, err
		}
		if err := f.resume(err); err != nil {
			return nil, err
		}
	}
}

// read is the next item of the body that is read.
func (f *flow) read() ([]byte, error) {
	first := f.count == 0
	if first {
		f.begins()
	}
	data, err := f.in.reader.Next()
	if first {
		f.begun()
		f.body.later = false
	}
	switch {
	case err != nil:
		return nil, err
	case f.in.marked && string(data) == doneMark:
		return nil, io.EOF
	case f.in.object != nil:
		if data, err = f.in.object(); err != nil {
			return nil, stream.Wrap(f.in.reader, err)
		}
	}
	if f.policy != nil && f.policy.Error != "" {
		if event := f.told(data, f.policy.Error); event != nil {
			return nil, event
		}
	}
	return data, nil
}

// begins is called before the first item is waited for.
func (f *flow) begins() {
	f.watch.Begin()
	if f.shadow != nil {
		f.waiting = time.Now()
	}
}

// begun is called when the wait for the first item is over.
func (f *flow) begun() {
	f.watch.Stop()
	if p := f.shadow; p != nil && p.First > 0 && time.Since(f.waiting) > p.First {
		f.wouldHave(observe.FirstItem)
	}
}

// wouldHave reports what the policy in shadow mode would have done.
func (f *flow) wouldHave(reason observe.Reason) {
	if hook := f.root.core.hooks.Reject; hook != nil {
		hook(f.root.ctx, observe.Reject{Op: f.root.spec.ID, Name: f.root.spec.ID, Reason: reason, Shadow: true})
	}
}

// told is the error that an item is; nil for other items. A null is none.
func (f *flow) told(data []byte, pointer string) *StreamError {
	if !mayHave(data, pointer) {
		return nil
	}
	var tree lookup.Tree
	v, ok := tree.At(data, pointer)
	if !ok || v.Text == "null" {
		return nil
	}
	event := &StreamError{Code: v.Plain(), Data: bytes.Clone(data)}
	if f.in.events != nil {
		event.Event = f.in.events.Event().Name
	}
	return event
}

// mayHave reports whether a text can have the first member of a pointer, so that nearly
// all items need not be taken apart. A name may be written by escapes.
func mayHave(data []byte, pointer string) bool {
	name, _, _ := strings.Cut(pointer[1:], "/")
	name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	return bytes.Contains(data, []byte(name)) || bytes.IndexByte(data, '\\') >= 0
}

// deliver notes the item that the caller gets next.
func (f *flow) deliver(data []byte) {
	f.count++
	if f.in.events != nil {
		f.event = f.in.events.Event()
		f.event.Data = nil
	}
	p := f.policy
	if p == nil {
		p = f.shadow
	}
	if p != nil && p.Resume != nil {
		f.resumable.pass(p.Resume, f.in.events, data)
	}
}
