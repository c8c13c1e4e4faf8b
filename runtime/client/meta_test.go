package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// told is a response that tells all that Meta reports.
func told(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Body: io.NopCloser(strings.NewReader(body)),
		Header: http.Header{
			"X-Request-Id": {"r1"}, "Cache-Status": {"cdn; fwd=miss"}, "Idempotent-Replayed": {"true"}, "Ratelimit": {`"all";r=5;t=9`},
			"Content-Type": {"application/json"},
		},
	}
}

// Meta is filled however a call ends.
func TestMetaOnErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		answers []any // *http.Response or error, the last one again and again
		change  func(*policy.Spec)
		opts    []client.CallOption
		want    client.Meta
		header  bool
	}{
		"a failure": {
			answers: []any{told(503, "{}")},
			want:    client.Meta{Status: 503, Tries: 3, Waited: 30 * time.Millisecond},
			header:  true,
		},
		"a failure, then a broken connection": {
			answers: []any{told(503, "{}"), broken},
			want:    client.Meta{Status: 503, Tries: 2, Waited: 10 * time.Millisecond},
			header:  true,
		},
		"no response": {
			answers: []any{broken},
			want:    client.Meta{Tries: 1},
		},
		"a response that cannot be read": {
			answers: []any{told(200, "{")},
			want:    client.Meta{Status: 200, Tries: 1},
			header:  true,
		},
		"a success after a failure": {
			answers: []any{told(503, "{}"), told(200, "1")},
			want:    client.Meta{Status: 200, Tries: 2, Waited: 10 * time.Millisecond},
			header:  true,
		},
		"a key": {
			answers: []any{told(422, "{}")},
			change: func(s *policy.Spec) {
				s.Client.Idempotency = &policy.Idempotency{Header: "Idempotency-Key"}
			},
			opts:   []client.CallOption{client.IdempotencyKey("k1")},
			want:   client.Meta{Status: 422, Tries: 1, Key: "k1"},
			header: true,
		},
		"an option that makes no sense": {opts: []client.CallOption{client.Tries(0)}},
		"no address": {
			opts: []client.CallOption{client.At("::"), client.IdempotencyKey("k1")},
			change: func(s *policy.Spec) {
				s.Client.Idempotency = &policy.Idempotency{Header: "Idempotency-Key"}
			},
		},
		"no time": {opts: []client.CallOption{client.Within(time.Millisecond)}},
		"a wait in vain": {
			answers: []any{told(204, "")},
			change: func(s *policy.Spec) {
				s.Client.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1, Per: time.Hour, Burst: 1, Cost: 2, Wait: policy.None}}}
			},
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			c := coreOf(t, &client.API{Title: "test"}, client.BaseURL("http://h"), client.Transport(transport(func(r *http.Request) (*http.Response, error) {
				answer := test.answers[min(n, len(test.answers)-1)]
				n++
				if err, ok := answer.(error); ok {
					return nil, err
				}
				like := answer.(*http.Response)
				body, err := io.ReadAll(like.Body)
				like.Body = io.NopCloser(strings.NewReader(string(body)))
				return &http.Response{StatusCode: like.StatusCode, Header: like.Header, Body: io.NopCloser(strings.NewReader(string(body))), Request: r}, err
			})))
			o := op(http.MethodGet, "/", okJSON)
			if test.change != nil {
				test.change(o.Spec)
			}
			meta := client.Meta{Status: 999, Rung: "an old one", Limits: []client.Limit{{}}}
			_, err := call(t, c, o, nil, append(test.opts, client.Into(&meta))...)
			if (err == nil) != (test.want.Status == 200 && test.want.Tries == 2) {
				t.Errorf("%s: %v", name, err)
			}
			if test.header {
				if meta.RequestID != "r1" || meta.Cache != "cdn; fwd=miss" || !meta.Replayed || meta.Header.Get("X-Request-Id") != "r1" ||
					len(meta.Limits) != 1 || meta.Limits[0] != (client.Limit{Name: "all", Remaining: 5, Reset: 9 * time.Second}) {
					t.Errorf("%s: %+v", name, meta)
				}
			} else if meta.RequestID != "" || meta.Cache != "" || meta.Replayed || meta.Header != nil || meta.Limits != nil {
				t.Errorf("%s: %+v", name, meta)
			}
			if meta.Status != test.want.Status || meta.Tries != test.want.Tries || meta.Waited != test.want.Waited || meta.Key != test.want.Key || meta.Rung != "" {
				t.Errorf("%s: %+v, want %+v", name, meta, test.want)
			}
		})
	}
}

// Time in a queue counts as waiting, and so does a wait that the caller ends.
func TestMetaCountsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := coreOf(t, &client.API{Title: "test"}, client.BaseURL("http://h"), client.Transport(transport(func(r *http.Request) (*http.Response, error) {
			time.Sleep(300 * time.Millisecond)
			h := told(200, "1")
			h.Request = r
			return h, nil
		})))
		o := op(http.MethodGet, "/", okJSON, func(s *policy.Spec) {
			s.Client.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, Queue: 5, Timeout: time.Second}
		})
		var first, second, third client.Meta
		done := make(chan error, 2)
		for _, m := range []*client.Meta{&first, &second} {
			go func() {
				_, err := call(t, c, o, nil, client.Into(m))
				done <- err
			}()
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := client.Do(ctx, c, o, nil, []client.CallOption{client.Into(&third)}); err == nil {
			t.Error("a call without time succeeds")
		}
		if err := errors.Join(<-done, <-done); err != nil {
			t.Error(err)
		}
		if first.Waited != 0 || second.Waited != 300*time.Millisecond || third.Waited < 90*time.Millisecond || third.Tries != 0 {
			t.Errorf("%+v, %+v, %+v", first, second, third)
		}
	})
}

// Options about a fallback and a cache do nothing where the policy has none.
func TestOptionsWithoutTheirPrimitive(t *testing.T) {
	c := core(t, none)
	if _, err := call(t, c, op(http.MethodGet, "/", noContent), nil, client.NoFallback(), client.NoCache(), client.Refresh()); err != nil {
		t.Error(err)
	}
}
