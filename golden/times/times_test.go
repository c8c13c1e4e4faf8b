package times_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/times"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// call is an operation of the document.
type call func(*times.Client, context.Context, ...client.CallOption) error

const second = time.Second

// world is a client in a time of its own, and what it is connected to.
type world struct {
	*times.Client
	*wire.Wire
	overdue int // tries that a timeout in shadow mode would have ended
}

func inBubble(t *testing.T, answer wire.Answer, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{Wire: wire.New(answer)}
		var err error
		w.Client, err = times.New(client.Transport(w.Wire), client.Observe(&observe.Hooks{AttemptEnd: func(_ context.Context, e observe.AttemptEnd) {
			if e.WouldTimeOut {
				w.overdue++
			}
		}}))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Core().Close()
		f(t, w)
	})
}

// took is how long a call takes.
func took(ctx context.Context, w *world, c call, opts ...client.CallOption) time.Duration {
	begin := time.Now()
	_ = c(w.Client, ctx, opts...) // its time is what is looked at
	return time.Since(begin)
}

// The time after which one try of a dependency that hangs is given up.
func TestAttempts(t *testing.T) {
	for name, tt := range map[string]struct {
		call call
		want time.Duration
	}{
		"attempt":                   {(*times.Client).Tries, 7 * second},
		"measured, with headroom":   {(*times.Client).Measured, 3 * second},
		"a preset with a change":    {(*times.Client).Preset, second},
		"a preset by its name":      {(*times.Client).Named, 60 * second},
		"a duration":                {(*times.Client).Short, 6 * second},
		"true, the default":         {(*times.Client).TurnedOn, 10 * second},
		"mode enforce over shadow":  {(*times.Client).Enforced, 4 * second},
		"false, until it is called": {(*times.Client).TurnedOff, 20 * time.Minute},
		"disabled":                  {(*times.Client).Disabled, 20 * time.Minute},
		"mode off":                  {(*times.Client).ModeOff, 20 * time.Minute},
		"shadow":                    {(*times.Client).Watched, 20 * time.Minute},
		"a share of the caller's":   {(*times.Client).Shares, 10 * second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, wire.Faults["timeout"], func(t *testing.T, w *world) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
				defer cancel()
				if got := took(ctx, w, tt.call, client.NoRetry()); got != tt.want {
					t.Errorf("given up after %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// In shadow mode a try that takes too long is told of.
func TestWatched(t *testing.T) {
	inBubble(t, wire.Late(3*second, wire.Always(http.StatusNoContent, "")), func(t *testing.T, w *world) {
		if err := w.Watched(t.Context()); err != nil || w.overdue != 1 {
			t.Errorf("%v, %d told", err, w.overdue)
		}
	})
}

// The time of a whole call, in which a try is begun only if it gets enough of it.
func TestTotals(t *testing.T) {
	for name, tt := range map[string]struct {
		call  call
		want  time.Duration
		tries int
	}{
		"two tries, the second cut short": {(*times.Client).Ends, 3 * second, 2},
		"too little for a second":         {(*times.Client).Floors, 2 * second, 1},
	} {
		inBubble(t, wire.Faults["timeout"], func(t *testing.T, w *world) {
			if got := took(t.Context(), w, tt.call); got != tt.want || len(w.Sent()) != tt.tries {
				t.Errorf("%s: over after %v and %d tries, want %v and %d", name, got, len(w.Sent()), tt.want, tt.tries)
			}
		})
	}
	// What has no end waits as long as it is asked to, what has one does not begin to.
	for name, tt := range map[string]struct {
		call  call
		tries int
	}{"without an end": {(*times.Client).Endless, 2}, "with one": {(*times.Client).Ends, 1}} {
		inBubble(t, wire.Always(http.StatusServiceUnavailable, "", "Retry-After", "30"), func(t *testing.T, w *world) {
			_ = tt.call(w.Client, t.Context()) // it fails
			if got := len(w.Sent()); got != tt.tries {
				t.Errorf("%s: %d tries, want %d", name, got, tt.tries)
			}
		})
	}
}

// Half of what the caller has left is what a call may use.
func TestShare(t *testing.T) {
	inBubble(t, wire.Faults["timeout"], func(t *testing.T, w *world) {
		ctx, cancel := context.WithTimeout(t.Context(), 8*second)
		defer cancel()
		if got := took(ctx, w, (*times.Client).Shares); got != 4*second {
			t.Errorf("over after %v, want 4s", got)
		}
	})
}

// What was seen of a hundred calls of 200 ms bounds those that come, where it is followed.
// The headroom is 1.2, the histogram tells at most 6 % more, and what is sent as a deadline
// is less by the reserve of 20 ms.
func TestAdaptive(t *testing.T) {
	for name, tt := range map[string]struct {
		call      call
		low, high time.Duration
	}{
		"followed":     {(*times.Client).Learns, 260 * time.Millisecond, 275 * time.Millisecond},
		"not followed": {(*times.Client).Fixed, 9 * second, 9 * second},
	} {
		answer := wire.Late(200*time.Millisecond, wire.Always(http.StatusNoContent, ""))
		inBubble(t, func(n int, r *http.Request) (*http.Response, error) { return answer(n, r) }, func(t *testing.T, w *world) {
			for range 100 {
				if err := tt.call(w.Client, t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(second) // it is looked at now and then
			answer = wire.Faults["timeout"]
			if got := took(t.Context(), w, tt.call, client.NoRetry()); got < tt.low || got > tt.high {
				t.Errorf("%s: given up after %v, want %v to %v", name, got, tt.low, tt.high)
			}
		})
	}
}

// silent is a body that says nothing until its request ends.
type silent struct{ context.Context }

func (s silent) Read([]byte) (int, error) {
	<-s.Done()
	return 0, s.Err()
}

func (silent) Close() error { return nil }

// A stream that says nothing for long enough has failed.
func TestIdle(t *testing.T) {
	inBubble(t, func(_ int, r *http.Request) (*http.Response, error) {
		resp := wire.Reply(http.StatusOK, "", "Content-Type", "application/octet-stream")
		resp.Body, resp.ContentLength = silent{r.Context()}, -1
		return resp, nil
	}, func(t *testing.T, w *world) {
		body, err := w.Idles(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		_, err = io.ReadAll(body)
		if failed, is := errors.AsType[*fault.Error](err); !is || failed.Kind != fault.Timeout || time.Since(begin) != 4*second {
			t.Errorf("%v after %v, want a timeout after 4s", err, time.Since(begin))
		}
		_ = body.Close() // it has failed
	})
}

// A peer that takes the connection and never shakes hands holds a call for the time to
// connect. Sockets do not wait in a bubble, so that it is only known to lie between its 50 ms
// and the default of 5 s.
func TestConnect(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := times.New(client.BaseURL("https://" + l.Addr().String()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Core().Close()
	begin := time.Now()
	err = c.Connects(t.Context(), client.NoRetry())
	if got := time.Since(begin); err == nil || got < 50*time.Millisecond || got >= 5*second {
		t.Errorf("%v after %v", err, got)
	}
}

// service waits for its context.
type service struct{ times.Unimplemented }

func (service) Watched(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(5 * second):
		return nil
	}
}

// In shadow mode a handler has the time that it takes.
func TestWatchedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		times.NewHandler(service{}, server.OnError(nil)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/watched", nil))
		if w.Code != http.StatusNoContent {
			t.Errorf("answered %d", w.Code)
		}
	})
}
