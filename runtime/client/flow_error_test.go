package client_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Rules decide about an error event by its body: what would fail again is not tried again.
// A write is tried again only where a rule says that nothing was done.
func TestRulesSeeErrorEvents(t *testing.T) {
	rule := func(r policy.RetryRule) func(*policy.Spec) {
		return func(s *policy.Spec) {
			r.Name, r.Body = "r", []policy.BodyMatch{{Pointer: "/error/code", Any: []string{"over*"}}}
			s.Client.Retry.Rules = []policy.RetryRule{r}
		}
	}
	write := func(s *policy.Spec) { s.Client.Effect = policy.Write }
	breaker := func(s *policy.Spec) {
		s.Client.Breaker = &policy.Breaker{Window: policy.Window{Count: 1}, FailureThreshold: 1, Recovery: time.Minute, SlowCall: time.Hour}
	}
	for name, tc := range map[string]struct {
		change   []func(*policy.Spec)
		requests int
		stop     fault.Stop
		effect   fault.Effect
		state    observe.BreakerState
	}{
		"stop":          {[]func(*policy.Spec){rule(policy.RetryRule{Do: policy.DoStop})}, 1, fault.StopFinal, fault.Safe, observe.Closed},
		"other":         {[]func(*policy.Spec){rule(policy.RetryRule{Do: policy.DoRetry, Statuses: policy.StatusSet(500)})}, 3, fault.StopAttempts, fault.Safe, observe.Open},
		"write":         {[]func(*policy.Spec){write}, 1, fault.StopEffect, fault.Unknown, observe.Open},
		"refused write": {[]func(*policy.Spec){write, rule(policy.RetryRule{Do: policy.DoRetry, Refused: true})}, 3, fault.StopAttempts, fault.Safe, observe.Closed},
		"no retry":      {[]func(*policy.Spec){func(s *policy.Spec) { s.Client.Retry = nil }}, 1, fault.StopOff, fault.Safe, observe.Open},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := feeding(t, []any{overloaded})
				_, err := read(t, f, op("GET", "/ticks", events, flowing(policy.Stream{Error: "/error/code"}, append(tc.change, breaker)...)))
				got := faultOf(t, err)
				if len(f.asked) != tc.requests || got.Kind != fault.Status || got.Stop != tc.stop || got.Effect != tc.effect || f.Breakers()[0].State != tc.state {
					t.Errorf("%d requests, %+v, %+v", len(f.asked), got, f.Breakers())
				}
				toldOf(t, err, "overloaded", "error")
			})
		})
	}
}

// A server that has used up its own budget is not asked again.
func TestErrorEventAndShouldRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := bubble(t, func(r *http.Request) (*http.Response, error) {
			n++
			h := piped(r, "text/event-stream", io.NopCloser(strings.NewReader(overloaded)))
			h.Header.Set("X-Should-Retry", "false")
			return h, nil
		})
		_, err := call(t, c, op("GET", "/ticks", events, flowing(policy.Stream{Error: "/error/code"})), nil)
		if n != 1 || faultOf(t, err).Stop != fault.StopServer {
			t.Errorf("%d requests, %v", n, err)
		}
	})
}

// After its first item a stream that tells of an error has ended, and nothing repeats it. An
// item whose pointer leads to null is none.
func TestErrorEventEndsAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := op("GET", "/ticks", events, flowing(policy.Stream{Error: "/error"}))
		f := feeding(t, []any{"data: {\"n\":1,\"error\":null}\n\n", event(2), "data: {\"\\u0065rror\":\"late\"}\n\n", event(3)})
		got, err := read(t, f, o)
		if !slices.Equal(got, []int64{1, 2}) || faultOf(t, err).Kind != fault.Status {
			t.Errorf("%v, %v", got, err)
		}
		toldOf(t, err, "late", "")
		f.times(0)
		f.closed()
		f = feeding(t, []any{"data: {\"error\":{\"code\":7}}\n\n"})
		_, err = read(t, f, o)
		if e, ok := errors.AsType[*client.StreamError](err); !ok || e.Code != `{"code":7}` || strings.Contains(err.Error(), "code") || string(e.Data) != `{"error":{"code":7}}` {
			t.Errorf("%v", err)
		}
	})
}

// Lines, sequences and events that are objects have error items like events.
func TestErrorItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := func(r *client.Response) (*client.Stream[tick], error) {
			return client.DecodeEventObjects(r, ticks, true)
		}
		sequence := func(r *client.Response) (*client.Stream[tick], error) { return client.DecodeSequence(r, ticks) }
		for media, tc := range map[string]struct {
			decode  func(*client.Response) (*client.Stream[tick], error)
			body    string
			pointer string
		}{
			"application/x-ndjson": {lines, "{\"n\":1}\n{\"error\":\"bad\"}\n", "/error"},
			"application/json-seq": {sequence, "\x1e{\"n\":1}\n\x1e{\"error\":\"bad\"}\n", "/error"},
			"text/event-stream":    {objects, "data: {\"n\":1}\n\ndata: {\"error\":\"bad\"}\n\n", "/data/error"},
		} {
			f := feeding(t, []any{tc.body})
			f.media = media
			got, err := read(t, f, op("GET", "/ticks", tc.decode, flowing(policy.Stream{Error: tc.pointer})))
			if e, ok := errors.AsType[*client.StreamError](err); !ok || e.Code != "bad" || len(got) != 1 {
				t.Errorf("%s: %v, %v", media, got, err)
			}
		}
	})
}

// [DONE] ends events of JSON, whatever the policy, before the connection does.
func TestStreamEndsWithDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, p := range []*policy.Stream{nil, {}, {Retry: policy.StreamRetryNever}} {
			o := op("GET", "/ticks", events, flowing(policy.Stream{}), func(s *policy.Spec) { s.Client.Stream = p })
			f := feeding(t, []any{event(1), "data: [DONE]\n\n", cut, event(2)})
			if got, err := read(t, f, o); !slices.Equal(got, []int64{1}) || err != nil {
				t.Errorf("%v, %v", got, err)
			}
			if time.Since(f.begin) != 0 {
				t.Errorf("ended after %v", time.Since(f.begin))
			}
			f.closed()
			f = feeding(t, []any{"data: [DONE]\n\n", cut})
			if got, err := read(t, f, o); len(got) > 0 || err != nil {
				t.Errorf("%v, %v", got, err)
			}
		}
	})
	// A text may say so.
	c := core(t, answer(200, "text/event-stream", "data: [DONE]\n\n"))
	s, err := call(t, c, op("GET", "/ticks", client.DecodeEventText), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for v := range s.All() {
		if n++; v != "[DONE]" {
			t.Error(v)
		}
	}
	if n != 1 {
		t.Errorf("%d texts", n)
	}
}

// A failure that the document has as a stream is handed over like any result, and nothing
// waits for its first item: it is not tried again.
func TestFailureIsStreamed(t *testing.T) {
	c := core(t, answer(400, "text/event-stream", overloaded))
	decode := func(r *client.Response) (*client.Stream[tick], error) {
		if r.Is(400, "text/event-stream") {
			return client.DecodeEvents(r, ticks)
		}
		return nil, r.Undeclared()
	}
	s, err := call(t, c, op("GET", "/ticks", decode, flowing(policy.Stream{Error: "/error/code"})), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = drained(s)
	toldOf(t, err, "overloaded", "error")
}

// A stream that is over with its first read holds nothing, although nobody has read it.
func TestShortStreamHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feeding(t, []any{event(1), io.EOF})
		o := op("GET", "/ticks", events, flowing(policy.Stream{}, func(s *policy.Spec) {
			s.Client.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, OnFull: policy.OnFullAbort}
		}))
		empty := feeding(t, []any{io.EOF})
		for _, f := range []*feed{f, empty} {
			for range 3 {
				s, err := call(t, f.Core, o, nil)
				if f == empty && err == nil {
					if got, err := drained(s); len(got) > 0 || err != nil {
						t.Errorf("%v, %v", got, err)
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		}
		empty.closed()
	})
}

// An error event in place of the first item is a failure to the fallback, as a status of
// 500 is.
func TestFallbackAfterErrorEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for body, want := range map[string]string{overloaded: "handler", "data: {\"error\":{\"code\":\"invalid\"}}\n\n": ""} {
			rung := usual(policy.Rung{Kind: policy.RungEmpty})
			o := op("GET", "/ticks", events, flowing(policy.Stream{Error: "/error/code"}, func(s *policy.Spec) {
				s.Client.Fallback = &rung
				s.Client.Retry.Rules = []policy.RetryRule{{Name: "final", Do: policy.DoStop, Body: []policy.BodyMatch{{Pointer: "/error/code", Any: []string{"invalid"}}}}}
			}))
			var meta client.Meta
			f := feeding(t, []any{body})
			_, err := read(t, f, o, client.Into(&meta))
			if (want != "") != (meta.Rung == "empty") || (want != "") != (err == nil) {
				t.Errorf("%s: rung %q, %v", body, meta.Rung, err)
			}
		}
	})
}

// In shadow mode a stream is handed over as it comes, and the hooks hear what would have
// been done.
func TestStreamInShadow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy.Stream{
			Mode: policy.Shadow, First: 3 * time.Second, Error: "/error",
			Resume: &policy.StreamResume{Param: policy.Expr{Source: policy.FromHeader, Name: policy.LastEventID}},
		}
		f := feeding(t, []any{5 * time.Second, "id: 1\ndata: {\"n\":1,\"error\":1}\n\n", errCut})
		got, err := read(t, f, op("GET", "/ticks", events, flowing(p)))
		if !slices.Equal(got, []int64{1}) || faultOf(t, err).Kind != fault.Transport {
			t.Errorf("%v, %v", got, err)
		}
		if want := []string{"first-item shadow true", "resume shadow true"}; !slices.Equal(f.told, want) {
			t.Errorf("told %q", f.told)
		}
		f.times(0)
	})
}

// The codec of an item is not asked about what the policy has decided.
func TestErrorEventNeedNotDecode(t *testing.T) {
	strict := json.Codec[tick]{Decode: func(d *json.Decoder, _ *tick) { d.Fail("enum", "none of these") }}
	synctest.Test(t, func(t *testing.T) {
		f := feeding(t, []any{overloaded})
		_, err := read(t, f, op("GET", "/ticks", func(r *client.Response) (*client.Stream[tick], error) { return client.DecodeEvents(r, strict) },
			flowing(policy.Stream{Error: "/error/code", Retry: policy.StreamRetryNever})))
		toldOf(t, err, "overloaded", "error")
	})
}
