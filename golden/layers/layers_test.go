package layers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/layers"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// layer is a service that answers with what the one below it says.
type layer struct{ below *layers.Client }

func (l layer) GetThing(ctx context.Context) error { return passed(l.below.GetThing(ctx)) }
func (l layer) GetBare(ctx context.Context) error  { return passed(l.below.GetBare(ctx)) }

// calm is a service that does without the one below it.
type calm struct{ layer }

func (c calm) GetThing(ctx context.Context) error {
	_ = c.below.GetThing(ctx) // it fails
	return nil
}

// passed is a failure of a dependency as one of the service.
func passed(err error) error {
	if err == nil {
		return nil
	}
	return &fault.Problem{Status: http.StatusBadGateway, Title: "the service below has failed"}
}

// to is a transport that leads to a handler, as a network does: of the context of a request
// nothing but its end gets there.
type to struct {
	http.Handler
	mute bool // what servers say about retries gets lost
}

func (t to) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(r.Context(), cancel)()
	w := httptest.NewRecorder()
	t.ServeHTTP(w, r.Clone(ctx)) //nolint:contextcheck // A network carries no context.
	resp := w.Result()
	if t.mute {
		resp.Header.Del("X-Should-Retry")
	}
	return resp, nil
}

// stack is a client of three services, each of which calls the next, and the last of them a
// dependency that is down; asked counts what reaches that.
func stack(t *testing.T, mute bool) (top *layers.Client, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	for range 3 {
		c, err := layers.New(client.Transport(to{h, mute}))
		if err != nil {
			t.Fatal(err)
		}
		top, h = c, layers.NewHandler(layer{c}, server.OnError(nil))
	}
	return top, asked
}

// load is how many requests reach the dependency of the calls of some seconds, of which there
// are 200 a second.
func load(t *testing.T, call func(*layers.Client, context.Context, ...client.CallOption) error, seconds int, mute bool) (calls, requests int64) {
	t.Helper()
	const rate = 200
	synctest.Test(t, func(t *testing.T) {
		top, asked := stack(t, mute)
		var group sync.WaitGroup
		for range rate * seconds {
			group.Go(func() { _ = call(top, t.Context()) }) // it fails
			time.Sleep(time.Second / rate)
		}
		group.Wait()
		requests = asked.Load()
	})
	return int64(rate * seconds), requests
}

// Three layers of clients, each with two tries, make eight requests of one call. With their
// budgets, and since a server says when what it called was retried enough, it is the last
// layer alone that retries: a fifth of its calls, ten more a second, and ten at the start.
func TestRetriesDoNotMultiply(t *testing.T) {
	if calls, got := load(t, (*layers.Client).GetBare, 1, true); got != 8*calls {
		t.Errorf("without budgets and without a word: %d requests of %d calls, want 8 of each", got, calls)
	}
	if calls, got := load(t, (*layers.Client).GetBare, 1, false); got != 2*calls {
		t.Errorf("without budgets: %d requests of %d calls, want 2 of each", got, calls)
	}
	const seconds = 20
	calls, got := load(t, (*layers.Client).GetThing, seconds, false)
	if most := calls + calls/5 + 10*seconds + 10; got > most || got < calls+calls/5 {
		t.Errorf("as it is: %d requests of %d calls, want at most %d", got, calls, most)
	}
	t.Logf("as it is: %.3f requests a call", float64(got)/float64(calls))
}

// A service says that there were enough retries where it fails itself, and not where it does
// without what has failed.
func TestWhoIsTold(t *testing.T) {
	below, _ := stack(t, false)
	for want, svc := range map[string]layers.Service{"false": layer{below}, "": calm{layer{below}}} {
		w := httptest.NewRecorder()
		layers.NewHandler(svc, server.OnError(nil)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/thing", nil))
		if got := w.Header().Get("X-Should-Retry"); got != want {
			t.Errorf("%T answers %d with X-Should-Retry: %q, want %q", svc, w.Code, got, want)
		}
	}
}
