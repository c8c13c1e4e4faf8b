package streams_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/streams"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// late is a body whose first item comes after a time.
type late struct {
	ctx  context.Context
	wait time.Duration
	text string
}

func (l *late) Read(p []byte) (int, error) {
	select {
	case <-time.After(l.wait):
	case <-l.ctx.Done():
		return 0, l.ctx.Err()
	}
	n := copy(p, l.text)
	l.text, l.wait = l.text[n:], 0
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (l *late) Close() error { return nil }

// answering sends a header at once and an item after a time.
func answering(d time.Duration, media, item string) wire.Answer {
	return func(_ int, r *http.Request) (*http.Response, error) {
		h := wire.Reply(http.StatusOK, "", "Content-Type", media)
		h.Body, h.ContentLength = &late{r.Context(), d, item}, -1
		return h, nil
	}
}

// The first item has the time that the document gives it, whatever the attempt timeout; past
// it a call that waits tries again, and one that does not ends.
func TestFirst(t *testing.T) {
	const events, lines = "text/event-stream", "application/jsonl"
	complete := func(c *streams.Client, ctx context.Context) error {
		_, err := text(c.Complete(ctx, streams.CompleteRequest{})) //nolint:contextcheck // A stream keeps that of its call.
		return err
	}
	changes := func(s *client.Stream[streams.Change], err error) error {
		if err == nil {
			for _, err = range s.All() {
			}
		}
		return err
	}
	for name, tc := range map[string]struct {
		answer   wire.Answer
		call     func(*streams.Client, context.Context) error
		silent   bool
		requests int
		took     time.Duration
		shadowed int
	}{
		"in time":   {answering(1900*time.Millisecond, events, "data: {}\n\n"), complete, false, 1, 1900 * time.Millisecond, 0},
		"too late":  {answering(2100*time.Millisecond, events, "data: {}\n\n"), complete, true, 3, 6060 * time.Millisecond, 0},
		"followed":  {answering(310*time.Millisecond, lines, "{\"position\":1}\n"), func(c *streams.Client, ctx context.Context) error { return changes(c.FollowLog(ctx)) }, true, 1, 300 * time.Millisecond, 0},
		"in shadow": {answering(310*time.Millisecond, lines, "{\"position\":1}\n"), func(c *streams.Client, ctx context.Context) error { return changes(c.Sample(ctx)) }, false, 1, 310 * time.Millisecond, 1},
		"by default": {answering(31*time.Second, lines, "{\"position\":1}\n"), func(c *streams.Client, ctx context.Context) error {
			return changes(c.ListChanges(ctx, streams.ListChangesRequest{}))
		}, true, 3, 90060 * time.Millisecond, 0}, // 30s each, whatever the bound on silence
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := wire.New(tc.answer)
				shadowed := 0
				c, err := streams.New(client.Transport(w), client.Observe(&observe.Hooks{Reject: func(_ context.Context, r observe.Reject) {
					if r.Reason == observe.FirstItem && r.Shadow {
						shadowed++
					}
				}}))
				if err != nil {
					t.Fatal(err)
				}
				defer c.Core().Close()
				begin := time.Now()
				err = tc.call(c, t.Context())
				if errors.Is(err, client.ErrIdle) != tc.silent || (err != nil) != tc.silent {
					t.Errorf("%v", err)
				}
				if took := time.Since(begin); took != tc.took || len(w.Sent()) != tc.requests || shadowed != tc.shadowed {
					t.Errorf("%d requests in %v, %d told, want %d in %v, %d", len(w.Sent()), took, shadowed, tc.requests, tc.took, tc.shadowed)
				}
			})
		})
	}
}

// What turns stream on and off, in each form of writing it: an item that takes 200ms comes in
// time where nothing bounds the wait, and three tries wait in vain where it is 150ms.
func TestForms(t *testing.T) {
	type call = func(*streams.Client, context.Context, ...client.CallOption) (*client.Stream[streams.Chunk], error)
	for name, tc := range map[string]struct {
		call     call
		requests int
		took     time.Duration
	}{
		"enforced":       {(*streams.Client).Enforced, 3, 510 * time.Millisecond},
		"of the client":  {(*streams.Client).ForClients, 3, 420 * time.Millisecond},
		"off":            {(*streams.Client).TurnedOff, 1, 200 * time.Millisecond},
		"disabled":       {(*streams.Client).Disabled, 1, 200 * time.Millisecond},
		"mode off":       {(*streams.Client).ModeOff, 1, 200 * time.Millisecond},
		"on, by default": {(*streams.Client).TurnedOn, 1, 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := wire.New(answering(200*time.Millisecond, "text/event-stream", "data: {\"text\":\"a\"}\n\n"))
				c, err := streams.New(client.Transport(w))
				if err != nil {
					t.Fatal(err)
				}
				defer c.Core().Close()
				begin := time.Now()
				got, err := text(tc.call(c, t.Context()))
				if (got == "a") != (tc.requests == 1) || (err == nil) != (tc.requests == 1) || len(w.Sent()) != tc.requests || time.Since(begin) != tc.took {
					t.Errorf("%q, %v: %d requests in %v", got, err, len(w.Sent()), time.Since(begin))
				}
			})
		})
	}
}

// Turned on by true a call waits for its first item, and is tried again before it.
func TestTurnedOn(t *testing.T) {
	for name, tc := range map[string]struct {
		call func(*streams.Client, context.Context, ...client.CallOption) (*client.Stream[streams.Chunk], error)
		want int
	}{"on": {(*streams.Client).TurnedOn, 2}, "off": {(*streams.Client).TurnedOff, 1}} {
		synctest.Test(t, func(t *testing.T) {
			w := wire.New(func(n int, r *http.Request) (*http.Response, error) {
				h, err := answering(0, "text/event-stream", "data: {\"text\":\"a\"}\n\n")(n, r)
				if n == 1 {
					h.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
				}
				return h, err
			})
			c, err := streams.New(client.Transport(w))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Core().Close()
			if got, err := text(tc.call(c, t.Context())); len(w.Sent()) != tc.want || (err == nil) != (tc.want == 2) {
				t.Errorf("%s: %q, %v after %d requests", name, got, err, len(w.Sent()))
			}
		})
	}
}
