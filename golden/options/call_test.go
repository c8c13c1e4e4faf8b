package options_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/options"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// callOptions try the options of one call.
var callOptions = map[string]func(t *testing.T){
	"At": func(t *testing.T) {
		b, other := newBackend(t, nil), newBackend(t, nil)
		get(t, b.client(t), client.At(other.URL+"/elsewhere"))
		if got := other.last(t, 1).URL.Path; len(b.requests) != 0 || !strings.HasPrefix(got, "/elsewhere") {
			t.Errorf("asked %s", got)
		}
	},
	"CallHeader": func(t *testing.T) {
		b := newBackend(t, nil)
		c := b.client(t, client.Header("X-Tenant", "all"))
		get(t, c, client.CallHeader("X-Tenant", "one"), client.CallHeader("X-More", "1"))
		if h := b.last(t, 1).Header; h.Get("X-Tenant") != "one" || h.Get("X-More") != "1" {
			t.Errorf("sent %v", h)
		}
		get(t, c)
		if h := b.last(t, 2).Header; h.Get("X-Tenant") != "all" || h.Get("X-More") != "" {
			t.Errorf("sent %v", h)
		}
	},
	"IdempotencyKey": func(t *testing.T) {
		b := newBackend(t, busyOnce)
		req := options.MakeThingRequest{Body: options.Thing{Name: "lamp"}}
		if _, err := b.client(t).MakeThing(t.Context(), req, client.IdempotencyKey("order-7")); err != nil {
			t.Error(err)
		}
		for _, r := range append([]*http.Request{b.last(t, 2)}, b.requests...) {
			if got := r.Header.Get("Idempotency-Key"); got != "order-7" {
				t.Errorf("sent %q", got)
			}
		}
		// Without a key a write is sent once.
		b = newBackend(t, busyOnce)
		_, err := b.client(t).MakeThing(t.Context(), req)
		var f *fault.Error
		if !errors.As(err, &f) || f.Effect != fault.Unknown || b.last(t, 1).Header.Get("Idempotency-Key") != "" {
			t.Errorf("%v", err)
		}
	},
	"Into": tryInto,
	"NoRetry": func(t *testing.T) {
		b := newBackend(t, busyOnce)
		if _, err := b.client(t).GetThing(t.Context(), client.NoRetry()); !errors.Is(err, fault.ErrStatus) {
			t.Errorf("%v", err)
		}
		b.last(t, 1)
	},
	"Tries": func(t *testing.T) {
		for _, n := range []int{1, 2, 5} {
			b := newBackend(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
			if _, err := b.client(t).GetThing(t.Context(), client.Tries(n)); err == nil {
				t.Error("no error")
			}
			b.last(t, n)
		}
	},
	"PerTry": func(t *testing.T) {
		b := newBackend(t, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				<-r.Context().Done() // silent until the client hangs up
				return
			}
			thing(w, r, aThing)
		})
		get(t, b.client(t), client.PerTry(150*time.Millisecond))
		b.last(t, 2)
	},
	"Within": func(t *testing.T) {
		b := newBackend(t, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		start := time.Now()
		_, err := b.client(t).GetThing(t.Context(), client.Within(150*time.Millisecond))
		if took := time.Since(start); !errors.Is(err, fault.ErrTimeout) || took > 5*time.Second { // one try would have 10s
			t.Errorf("after %v: %v", took, err)
		}
	},
}

// Every field of Meta is filled from one call.
func tryInto(t *testing.T) {
	b := newBackend(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		thing(w, r, aThing, "X-Request-Id", "r-9", "Idempotent-Replayed", "true", "Cache-Status", "edge; hit", "RateLimit", `"day";r=3;t=5`)
	})
	var meta client.Meta
	req := options.MakeThingRequest{Body: options.Thing{Name: "lamp", Colour: value.Some(options.ThingColourRed)}}
	if _, err := b.client(t).MakeThing(t.Context(), req, client.IdempotencyKey("k-1"), client.Into(&meta)); err != nil {
		t.Fatal(err)
	}
	if got := meta.Header.Get("X-Request-Id"); got != "r-9" {
		t.Errorf("header %v", meta.Header)
	}
	if meta.Waited < 0 || meta.Waited > time.Second { // jitter may draw zero
		t.Errorf("waited %v", meta.Waited)
	}
	meta.Header, meta.Waited = nil, 0
	want := client.Meta{
		Status: 201, Tries: 2, Key: "k-1", Replayed: true, Cache: "edge; hit", RequestID: "r-9",
		Limits: []client.Limit{{Name: "day", Remaining: 3, Reset: 5 * time.Second}},
	}
	if !reflect.DeepEqual(meta, want) {
		t.Errorf("%+v, want %+v", meta, want)
	}
	// After an error it tells of that call alone.
	b = newBackend(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	if _, err := b.client(t).GetThing(t.Context(), client.Into(&meta)); err == nil || meta.Status != http.StatusTeapot || meta.Tries != 1 || meta.Key != "" || meta.Replayed || meta.Limits != nil {
		t.Errorf("%v, %+v", err, meta)
	}
	if fields := reflect.TypeFor[client.Meta]().NumField(); fields != 10 {
		t.Errorf("Meta has %d fields: this test knows 10", fields)
	}
}

func TestCallOptions(t *testing.T) {
	for name, try := range callOptions {
		t.Run(name, try)
	}
}
