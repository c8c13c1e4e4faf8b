package quotas_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/quotas"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// service answers all that it is asked.
type service struct{ quotas.Unimplemented }

func (service) Tokens(context.Context) error    { return nil }
func (service) Early(context.Context) error     { return nil }
func (service) Late(context.Context) error      { return nil }
func (service) Tier(context.Context) error      { return nil }
func (service) Preset(context.Context) error    { return nil }
func (service) Named(context.Context) error     { return nil }
func (service) TurnedOn(context.Context) error  { return nil }
func (service) TurnedOff(context.Context) error { return nil }
func (service) Disabled(context.Context) error  { return nil }
func (service) ModeOff(context.Context) error   { return nil }
func (service) Watched(context.Context) error   { return nil }
func (service) Enforced(context.Context) error  { return nil }
func (service) Planless(context.Context) error  { return nil }

// newHandler lets in who has the token ann.
func newHandler(opts ...server.Option) http.Handler {
	return quotas.NewHandler(service{}, append(opts, server.OnError(nil),
		server.Authenticate(func(_ context.Context, c *server.Credentials) (server.Principal, error) {
			if c.Secret != "ann" {
				return server.Principal{}, errors.New("nobody")
			}
			return server.Principal{ID: c.Secret}, nil
		}))...)
}

// statuses counts what requests to a path are answered.
func statuses(h http.Handler, path string, n int, token string) map[int]int {
	got := map[int]int{}
	for range n {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got[w.Code]++
	}
	return got
}

// How many of 120 requests at once pass.
func TestPassed(t *testing.T) {
	for path, want := range map[string]int{
		"/tokens": 5, "/tier": 2, "/preset": 2, "/named": 2, "/turnedOn": 100, "/turnedOff": 120, "/disabled": 120,
		"/modeOff": 120, "/watched": 120, "/enforced": 2, "/planless": 120,
	} {
		synctest.Test(t, func(t *testing.T) {
			got := statuses(newHandler(), path, 120, "ann")
			if got[http.StatusNoContent] != want || got[http.StatusTooManyRequests] != 120-want {
				t.Errorf("%s: %v, want %d to pass", path, got, want)
			}
		})
	}
}

// What a limit in shadow mode would have turned away is told.
func TestWatched(t *testing.T) {
	told := 0
	h := newHandler(server.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) {
		if e.Reason == observe.RateLimit && e.Shadow {
			told++
		}
	}}))
	statuses(h, "/watched", 7, "ann")
	if told != 5 {
		t.Errorf("%d told, want 5", told)
	}
}

// A limit that is early counts those whom nobody knows; one after authentication leaves the
// tokens to those who are known.
func TestStages(t *testing.T) {
	for path, want := range map[string][2]int{
		"/early": {http.StatusUnauthorized, http.StatusTooManyRequests},
		"/late":  {http.StatusUnauthorized, http.StatusNoContent},
	} {
		h := newHandler()
		if got := statuses(h, path, 1, "bob"); got[want[0]] != 1 {
			t.Errorf("%s: nobody is answered %v", path, got)
		}
		if got := statuses(h, path, 1, "ann"); got[want[1]] != 1 {
			t.Errorf("%s: after that ann is answered %v", path, got)
		}
	}
}

// call is an operation of the document.
type call func(*quotas.Client, context.Context, ...client.CallOption) error

// after is when the second of two calls of a client is sent, or -1 where it is refused.
func after(t *testing.T, op call, header func() []string) (second time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := wire.New(func(int, *http.Request) (*http.Response, error) {
			return wire.Reply(http.StatusNoContent, "", header()...), nil
		})
		c, err := quotas.New(client.Transport(w))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Core().Close()
		if err := op(c, t.Context()); err != nil {
			t.Fatal(err)
		}
		switch err := op(c, t.Context()); {
		case errors.Is(err, fault.ErrRateLimited):
			second = -1
		case err != nil:
			t.Fatal(err)
		default:
			second = w.Times()[1]
		}
	})
	return second
}

// A server that has nothing left says from when on, in each of the forms that a document
// can name.
func TestServersNumbers(t *testing.T) {
	in := func(d time.Duration) time.Time { return time.Now().Add(d) }
	for name, tt := range map[string]struct {
		call  call
		reset func() string
		want  time.Duration
	}{
		"seconds":  {(*quotas.Client).SyncSeconds, func() string { return "7" }, 7 * time.Second},
		"ms":       {(*quotas.Client).SyncMs, func() string { return "2500" }, 2500 * time.Millisecond},
		"epoch":    {(*quotas.Client).SyncEpoch, func() string { return strconv.FormatInt(in(8*time.Second).Unix(), 10) }, 8 * time.Second},
		"duration": {(*quotas.Client).SyncDuration, func() string { return "6.5s" }, 6500 * time.Millisecond},
		"date":     {(*quotas.Client).SyncDate, func() string { return in(9 * time.Second).UTC().Format(http.TimeFormat) }, 9 * time.Second},
		"ignored":  {(*quotas.Client).Syncless, func() string { return "7" }, 0},
	} {
		got := after(t, tt.call, func() []string { return []string{"X-Left", "0", "X-Reset", tt.reset()} })
		if got != tt.want {
			t.Errorf("%s: the second after %v, want %v", name, got, tt.want)
		}
	}
}

// A client waits for a token as long as it may, and no longer.
func TestWaits(t *testing.T) {
	none := func() []string { return nil }
	if got := after(t, (*quotas.Client).WaitsLonger, none); got != 10*time.Second {
		t.Errorf("the second after %v, want 10s", got)
	}
	if got := after(t, (*quotas.Client).Waits, none); got != -1 {
		t.Errorf("the second after %v, want none", got)
	}
}
