package api_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"

	api "cases/c114"
	"cases/kit"
)

const problem = `{"title":"slow down"}`

func limited(retryAfter string) kit.Reply {
	r := kit.Reply{Status: 429, Type: "application/problem+json", Body: problem}
	if retryAfter != "" {
		r.Header = map[string]string{"Retry-After": retryAfter}
	}
	return r
}

var fine = kit.Reply{Status: 200, Type: "application/json", Body: `{"a":"x"}`}

func TestSecondsAreWaitedFor(t *testing.T) {
	sent := kit.Record(t, limited("1"), fine)
	var meta client.Meta
	start := time.Now()
	res, err := kit.Client(t, api.New, sent.URL).Limited(t.Context(), client.Into(&meta))
	kit.OK(t, err)
	kit.Same(t, "result", res.A.Or(""), "x")
	kit.Same(t, "tries", meta.Tries, 2)
	if took := time.Since(start); took < time.Second || meta.Waited < time.Second {
		t.Errorf("took %v, waited %v", took, meta.Waited)
	}
}

func TestDateIsWaitedFor(t *testing.T) {
	// Dates have whole seconds, so the wait is between one and two; the call has two
	// in all, so the longer bound is the option's.
	at := time.Now().Add(2 * time.Second).Truncate(time.Second)
	sent := kit.Record(t, limited(at.UTC().Format(http.TimeFormat)), fine)
	var meta client.Meta
	_, err := kit.Client(t, api.New, sent.URL).Limited(t.Context(), client.Into(&meta), client.Within(8*time.Second))
	kit.OK(t, err)
	kit.Same(t, "tries", meta.Tries, 2)
	if meta.Waited < 900*time.Millisecond {
		t.Errorf("waited %v", meta.Waited)
	}
}

// A hint beyond the deadline ends the call at once, with the answer that gave it.
func TestHintPastTheDeadline(t *testing.T) {
	sent := kit.Record(t, limited("3600"), fine)
	start := time.Now()
	_, err := kit.Client(t, api.New, sent.URL).Limited(t.Context())
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
	kit.Same(t, "tries", len(sent.Requests()), 1)
	var tooMany *api.LimitedTooManyRequests
	if !errors.As(err, &tooMany) {
		t.Fatalf("the 429 is not in the chain of %v", err)
	}
	kit.Same(t, "body", tooMany.Body.Title.Or(""), "slow down")
	kit.Same(t, "header", tooMany.RetryAfter.Or(""), "3600")
	var f *fault.Error
	if !errors.As(err, &f) || f.Status != 429 || time.Until(f.RetryAt) < 50*time.Minute {
		t.Errorf("%#v", f)
	}
}

// What cannot be a hint is no hint: the usual backoff, at most 50ms a wait here.
func TestBadHintsAreIgnored(t *testing.T) {
	for _, hint := range []string{"-1", "soon", "1e9999", "Wed, 99 Foo"} {
		sent := kit.Record(t, limited(hint), limited(hint), fine)
		var meta client.Meta
		_, err := kit.Client(t, api.New, sent.URL).Limited(t.Context(), client.Into(&meta))
		kit.OK(t, err)
		kit.Same(t, "tries with "+hint, meta.Tries, 3)
		if meta.Waited > 200*time.Millisecond {
			t.Errorf("%q: waited %v", hint, meta.Waited)
		}
	}
}

// 429 is not the dependency's failure, so a hundred of them leave the breaker closed.
func TestLimitsDoNotOpenTheBreaker(t *testing.T) {
	sent := kit.Record(t, limited(""))
	c := kit.Client(t, api.New, sent.URL)
	for range 20 {
		_, err := c.Limited(t.Context(), client.NoRetry())
		if errors.Is(err, fault.ErrBreakerOpen) {
			t.Fatal(err)
		}
	}
	kit.Same(t, "requests", len(sent.Requests()), 20)
}

// The server's side of the annotation: the tier free has 60 a minute and a burst of 10.
func TestServerLimits(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{}))
	for i := range 10 {
		kit.Same(t, "status", kit.Send(t, "GET", url+"/limited", "").Status, 200)
		_ = i
	}
	a := kit.Send(t, "GET", url+"/limited", "")
	kit.Problem(t, a, 429)
	if a.Header.Get("Retry-After") == "" || a.Header.Get("RateLimit") == "" || a.Header.Get("RateLimit-Policy") == "" {
		t.Errorf("headers: %v", a.Header)
	}
}

type service struct{ api.Unimplemented }

func (service) Limited(context.Context) (*api.LimitedOKBody, error) { return &api.LimitedOKBody{}, nil }
