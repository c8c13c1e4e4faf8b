package client_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// plain is a response of JSON.
func plain(status int, text string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)),
	}
}

func hedged(h policy.Hedge) func(*policy.Spec) {
	return func(s *policy.Spec) {
		s.Client.Hedge = &h
		s.Client.Timeout = &policy.Timeout{Attempt: 10 * time.Second}
		s.Client.Deadline = &policy.Deadline{Propagate: true}
		s.Client.Retry = &policy.Retry{
			MaxAttempts: 2, Statuses: policy.StatusSet(503), Errors: policy.AllErrors, Budget: &policy.Budget{MinPerSecond: 2, Window: 10 * time.Second},
		}
	}
}

// A late answer is asked for once more; what comes first is the result, in one try.
func TestHedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made, ended atomic.Int32
		var mu sync.Mutex
		var deadlines, events []string
		c := coreOf(t, &client.API{Title: "test"}, client.BaseURL("http://x.test"), client.Observe(&observe.Hooks{
			Hedge: func(_ context.Context, e observe.Hedge) {
				mu.Lock()
				defer mu.Unlock()
				if e.What == "started" || e.What == "won" {
					events = append(events, e.Op+" "+e.What)
				}
			},
		}), client.Transport(transport(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			deadlines = append(deadlines, r.Header.Get("X-Request-Deadline-Ms"))
			mu.Unlock()
			if made.Add(1) == 1 {
				err := sleep.For(r.Context(), time.Hour)
				ended.Add(1)
				return nil, err
			}
			return plain(200, `"second"`), nil
		})))
		o := op("GET", "/a", okJSON, hedged(policy.Hedge{Delay: 50 * time.Millisecond}))
		var meta client.Meta
		begin := time.Now()
		v, err := call(t, c, o, nil, client.Into(&meta))
		if err != nil || v != "second" || time.Since(begin) != 50*time.Millisecond {
			t.Errorf("%v, %v after %v", v, err, time.Since(begin))
		}
		if meta.Tries != 1 || ended.Load() != 1 {
			t.Errorf("%d tries, %d ended", meta.Tries, ended.Load())
		}
		if len(deadlines) != 2 || deadlines[0] != "10000" || deadlines[1] != "9950" {
			t.Errorf("deadlines %v", deadlines)
		}
		if strings.Join(events, ", ") != "GET /a started, GET /a won" {
			t.Errorf("events %v", events)
		}
	})
}

// Who may not be sent twice is not, whatever the policy says; and an empty budget leaves
// the call as it is.
func TestHedgeNot(t *testing.T) {
	for name, tc := range map[string]struct {
		method string
		change func(*policy.Spec)
		calls  int
		want   int32
	}{
		"a read":         {"GET", func(*policy.Spec) {}, 1, 2},
		"a write":        {"POST", func(*policy.Spec) {}, 1, 1},
		"a PUT":          {"PUT", func(*policy.Spec) {}, 1, 1},
		"an empty purse": {"GET", func(*policy.Spec) {}, 4, 6},
		"a full limit": {"GET", func(s *policy.Spec) {
			s.Client.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1, Per: time.Hour, Burst: 1, Wait: policy.None}}}
		}, 1, 1},
		"shadow": {"GET", func(s *policy.Spec) { s.Client.Hedge.Mode = policy.Shadow }, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var made atomic.Int32
				c := coreOf(t, &client.API{Title: "test"}, client.BaseURL("http://x.test"), client.Transport(transport(func(r *http.Request) (*http.Response, error) {
					made.Add(1)
					if err := sleep.For(r.Context(), 100*time.Millisecond); err != nil {
						return nil, err
					}
					return plain(200, `1`), nil
				})))
				o := op(tc.method, "/a", func(r *client.Response) (any, error) { return client.DecodeValue(r, json.Any) },
					hedged(policy.Hedge{Delay: 10 * time.Millisecond}), tc.change)
				for range tc.calls {
					if _, err := call(t, c, o, nil); err != nil {
						t.Error(err)
					}
				}
				if made.Load() != tc.want {
					t.Errorf("%d requests, want %d", made.Load(), tc.want)
				}
			})
		})
	}
}

// A failure that would be tried again waits for the other request; when both fail so, the
// next try comes.
func TestHedgeFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		c := coreOf(t, &client.API{Title: "test"}, client.BaseURL("http://x.test"), client.Transport(transport(func(*http.Request) (*http.Response, error) {
			time.Sleep(60 * time.Millisecond)
			if made.Add(1) <= 2 {
				return plain(503, `"busy"`), nil
			}
			return plain(200, `"third"`), nil
		})))
		var meta client.Meta
		v, err := call(t, c, op("GET", "/a", okJSON, hedged(policy.Hedge{Delay: 50 * time.Millisecond})), nil, client.Into(&meta))
		if err != nil || v != "third" || meta.Tries != 2 {
			t.Errorf("%v, %v, %d tries", v, err, meta.Tries)
		}
	})
}
