package deadlines_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/deadlines"
	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// call is an operation of the document.
type call func(*deadlines.Client, context.Context, ...client.CallOption) error

// world is a client in a time of its own, and what it is connected to.
type world struct {
	*deadlines.Client
	*wire.Wire
	shadowed int // requests that would have been made
}

func inBubble(t *testing.T, answer wire.Answer, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{Wire: wire.New(answer)}
		var err error
		w.Client, err = deadlines.New(client.Transport(w.Wire), client.Observe(&observe.Hooks{Hedge: func(_ context.Context, e observe.Hedge) {
			if e.What == "shadowed" {
				w.shadowed++
			}
		}}))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Core().Close()
		f(t, w)
	})
}

// Each call has 7 s, and sends what is left of them without the reserve in the unit of its
// header, and in no other header.
func TestHeaders(t *testing.T) {
	const ours = "X-Request-Deadline-Ms"
	all := []string{ours, "Grpc-Timeout", "Connect-Timeout-Ms", "X-Envoy-Expected-Rq-Timeout-Ms", "X-Server-Timeout"}
	for name, tt := range map[string]struct {
		call         call
		header, want string
	}{
		"our own":                  {(*deadlines.Client).XRequestDeadlineMs, ours, "6980"},
		"that of gRPC":             {(*deadlines.Client).GrpcTimeout, "Grpc-Timeout", "6980000u"},
		"that of Connect":          {(*deadlines.Client).ConnectTimeoutMs, "Connect-Timeout-Ms", "6980"},
		"that of Envoy":            {(*deadlines.Client).XEnvoyExpectedRqTimeoutMs, "X-Envoy-Expected-Rq-Timeout-Ms", "6980"},
		"in seconds":               {(*deadlines.Client).XServerTimeout, "X-Server-Timeout", "6.98"},
		"propagate":                {(*deadlines.Client).Sends, ours, "6980"},
		"do not propagate":         {(*deadlines.Client).Keeps, ours, ""},
		"a reserve":                {(*deadlines.Client).Reserves, ours, "6500"},
		"true":                     {(*deadlines.Client).TurnedOn, ours, "6980"},
		"false":                    {(*deadlines.Client).TurnedOff, ours, ""},
		"disabled":                 {(*deadlines.Client).Disabled, ours, ""},
		"mode off":                 {(*deadlines.Client).ModeOff, ours, ""},
		"mode shadow":              {(*deadlines.Client).Watched, ours, ""},
		"mode enforce over shadow": {(*deadlines.Client).Enforced, ours, "6980"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, wire.Always(http.StatusNoContent, ""), func(t *testing.T, w *world) {
				if err := tt.call(w.Client, t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, header := range all {
					want := ""
					if header == tt.header {
						want = tt.want
					}
					if got := w.Sent()[0].Header.Get(header); got != want {
						t.Errorf("%s: %q, want %q", header, got, want)
					}
				}
			})
		})
	}
}

// service waits for what it is given.
type service struct{ deadlines.Unimplemented }

func (service) Trusts(ctx context.Context) error    { return waits(ctx) }
func (service) Distrusts(ctx context.Context) error { return waits(ctx) }
func (service) Watched(ctx context.Context) error   { return waits(ctx) }

func waits(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(5 * time.Second):
		return nil
	}
}

// A handler of 5 s has the second that its caller leaves, where the caller is believed.
func TestTrust(t *testing.T) {
	for path, want := range map[string]time.Duration{"/trusts": time.Second, "/distrusts": 5 * time.Second, "/watched": 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("X-Request-Deadline-Ms", "1000")
			deadlines.NewHandler(service{}, server.OnError(nil)).ServeHTTP(httptest.NewRecorder(), r)
			if got := time.Since(begin); got != want {
				t.Errorf("%s: %v, want %v", path, got, want)
			}
		})
	}
}

// When the requests of a call are sent whose answers take 5 s.
func TestHedges(t *testing.T) {
	const s = time.Second
	for name, tt := range map[string]struct {
		call     call
		want     []time.Duration
		shadowed int
	}{
		"after a time":             {(*deadlines.Client).Hedges, []time.Duration{0, s}, 0},
		"twice":                    {(*deadlines.Client).Twice, []time.Duration{0, s, 2 * s}, 0},
		"false":                    {(*deadlines.Client).HedgeOff, []time.Duration{0}, 0},
		"disabled":                 {(*deadlines.Client).HedgeDisabled, []time.Duration{0}, 0},
		"mode off":                 {(*deadlines.Client).HedgeModeOff, []time.Duration{0}, 0},
		"mode shadow":              {(*deadlines.Client).HedgeWatched, []time.Duration{0}, 1},
		"mode enforce over shadow": {(*deadlines.Client).HedgeEnforced, []time.Duration{0, s}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, wire.Late(5*s, wire.Always(http.StatusNoContent, "")), func(t *testing.T, w *world) {
				if err := tt.call(w.Client, t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := w.Times(); !slices.Equal(got, tt.want) || w.shadowed != tt.shadowed {
					t.Errorf("sent at %v, %d told, want %v and %d", got, w.shadowed, tt.want, tt.shadowed)
				}
			})
		})
	}
}

// Three of five answers have taken 100 ms, the others 2 s: p50 is the time of the first, p95
// that of the others. The histogram is at most 6 % off.
func TestLearntHedges(t *testing.T) {
	for name, tt := range map[string]struct {
		call call
		want time.Duration
	}{
		"p50":                   {(*deadlines.Client).Learnt, 100 * time.Millisecond},
		"true, which means p95": {(*deadlines.Client).HedgeOn, 2 * time.Second},
	} {
		took := 100 * time.Millisecond
		inBubble(t, func(n int, r *http.Request) (*http.Response, error) {
			return wire.Late(took, wire.Always(http.StatusNoContent, ""))(n, r)
		}, func(t *testing.T, w *world) {
			for n := range 200 {
				if took = 100 * time.Millisecond; n%5 > 2 {
					took = 2 * time.Second
				}
				if err := tt.call(w.Client, t.Context(), client.NoRetry()); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Second)
			w.Reset()
			took = 6 * time.Second
			if err := tt.call(w.Client, t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := w.Times(); len(got) != 2 || (got[1]-tt.want).Abs() > tt.want*6/100 {
				t.Errorf("%s: sent at %v, want the second after %v", name, got, tt.want)
			}
		})
	}
}
