package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var (
	byEventID = &policy.StreamResume{Param: policy.Expr{Source: policy.FromHeader, Name: policy.LastEventID}}
	byP       = &policy.StreamResume{
		Param: policy.Expr{Source: policy.FromQuery, Name: "p"}, From: policy.Expr{Source: policy.FromResponseBody, Name: "/p"},
	}
	byVersion = &policy.StreamResume{
		Param: policy.Expr{Source: policy.FromQuery, Name: "resourceVersion"}, From: policy.Expr{Source: policy.FromResponseBody, Name: "/n"},
	}
)

func identified(n int) string { return fmt.Sprintf("id: %d\ndata: {\"n\":%d}\n\n", n, n) }

// A stream that breaks goes on after its last event, by another request that names it.
func TestStreamResumesByEventID(t *testing.T) {
	for _, retry := range []policy.StreamRetry{policy.StreamRetryBeforeFirst, policy.StreamRetryNever} {
		synctest.Test(t, func(t *testing.T) {
			f := feeding(t,
				[]any{identified(1), identified(2), "id: 3\ndata: {\"n\":", errCut},
				[]any{identified(3), cut}, // silent for too long
				[]any{identified(4)},
			)
			o := op("GET", "/ticks", events, flowing(policy.Stream{Resume: byEventID, Retry: retry}))
			got, err := read(t, f, o)
			if !slices.Equal(got, []int64{1, 2, 3, 4}) || err != nil {
				t.Errorf("%v, %v", got, err)
			}
			var ids []string
			for _, r := range f.asked {
				ids = append(ids, r.Header.Get("Last-Event-ID"))
			}
			if want := []string{"", "2", "3"}; !slices.Equal(ids, want) {
				t.Errorf("asked after %q, want %q", ids, want)
			}
			// The backoff is 1s, then 2s; the silence is 30s.
			f.times(0, time.Second, 33*time.Second)
			if want := []string{"resume 1s", "resume 2s"}; !slices.Equal(f.told, want) {
				t.Errorf("told %q", f.told)
			}
			f.closed()
		})
	}
}

// The position may stand in the item and go into any place of the request.
func TestStreamResumesByParameter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feeding(t, []any{"{\"n\":1}\n{\"n\":20}\n", errCut}, []any{"{\"n\":21}\n"})
		f.media = "application/x-ndjson"
		o := op("GET", "/ticks", lines, flowing(policy.Stream{Resume: byVersion}))
		s, err := call(t, f.Core, o, func(r *client.Request) {
			r.Path("/ticks")
			r.RawQuery("watch=1&resourceVersion=0")
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := drained(s); !slices.Equal(got, []int64{1, 20, 21}) || err != nil {
			t.Errorf("%v, %v", got, err)
		}
		if got := f.asked[1].URL.RawQuery; got != "watch=1&resourceVersion=20" || f.asked[0].URL.RawQuery != "watch=1&resourceVersion=0" {
			t.Errorf("asked %q", got)
		}
	})
}

// Nothing is asked for again where that could give an item twice, take effect twice, or bring
// nothing; nor after an end that is none.
func TestStreamDoesNotResume(t *testing.T) {
	for name, tc := range map[string]struct {
		bodies [][]any
		policy policy.Stream
		change func(*policy.Spec)
		kind   fault.Kind
		asked  int
	}{
		"no policy":       {[][]any{{identified(1), errCut}}, policy.Stream{}, nil, fault.Transport, 1},
		"no id":           {[][]any{{event(1), errCut}}, policy.Stream{Resume: byEventID}, nil, fault.Transport, 1},
		"an id withdrawn": {[][]any{{identified(1), "id\ndata: {\"n\":1}\n\n", errCut}}, policy.Stream{Resume: byEventID}, nil, fault.Transport, 1},
		"no position":     {[][]any{{event(1), "data: {}\n\n", errCut}}, policy.Stream{Resume: byVersion}, nil, fault.Transport, 1},
		"a null position": {[][]any{{event(1), "data: {\"n\":1,\"p\":null}\n\n", errCut}}, policy.Stream{Resume: byP}, nil, fault.Transport, 1},
		"nothing came":    {[][]any{{errCut}}, policy.Stream{Resume: byEventID, Retry: policy.StreamRetryNever}, nil, fault.Transport, 1},
		"nothing more":    {[][]any{{identified(1), errCut}, {errCut}}, policy.Stream{Resume: byEventID, Retry: policy.StreamRetryNever}, nil, fault.Transport, 2},
		"a write":         {[][]any{{identified(1), errCut}}, policy.Stream{Resume: byEventID}, func(s *policy.Spec) { s.Client.Effect = policy.Write }, fault.Transport, 1},
		"an error event":  {[][]any{{identified(1), overloaded}}, policy.Stream{Resume: byEventID, Error: "/error/code"}, nil, fault.Status, 1},
		"no item":         {[][]any{{identified(1), "data: x\n\n"}}, policy.Stream{Resume: byEventID}, nil, fault.Response, 1},
		"a hint too long": {[][]any{{"retry: 61000\n", identified(1), errCut}}, policy.Stream{Resume: byEventID}, nil, fault.Transport, 1},
		"a bad id":        {[][]any{{"id: \x01\ndata: {\"n\":1}\n\n", errCut}}, policy.Stream{Resume: byEventID}, nil, fault.Request, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := feeding(t, tc.bodies...)
				change := tc.change
				if change == nil {
					change = func(*policy.Spec) {}
				}
				_, err := read(t, f, op("GET", "/ticks", events, flowing(tc.policy, change)))
				if got := faultOf(t, err); got.Kind != tc.kind || len(f.asked) != tc.asked {
					t.Errorf("%d requests, %v", len(f.asked), err)
				}
				f.closed()
			})
		})
	}
}

// A body that can be read once only cannot be asked with again.
func TestStreamOfAnUploadDoesNotResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feeding(t, []any{identified(1), errCut})
		o := op("PUT", "/ticks", events, flowing(policy.Stream{Resume: byEventID}))
		s, err := call(t, f.Core, o, func(r *client.Request) {
			r.Path("/ticks")
			r.Binary("application/octet-stream", onlyReader{strings.NewReader("x")})
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := drained(s); faultOf(t, err).Kind != fault.Transport || len(f.asked) != 1 {
			t.Errorf("%d requests, %v", len(f.asked), err)
		}
	})
}

// Who wants one try gets one request.
func TestNoRetryDoesNotResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feeding(t, []any{identified(1), errCut}, []any{identified(2)})
		got, err := read(t, f, op("GET", "/ticks", events, flowing(policy.Stream{Resume: byEventID})), client.NoRetry())
		if len(got) != 1 || !errors.Is(err, errCut) || len(f.asked) != 1 {
			t.Errorf("%v, %v after %d requests", got, err, len(f.asked))
		}
	})
}

// The server's own wait counts, and one that has nothing more says so with 204.
func TestStreamResumesAsTheServerSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feeding(t, []any{"retry: 7000\n", identified(1), errCut}, []any{http.StatusNoContent})
		got, err := read(t, f, op("GET", "/ticks", events, flowing(policy.Stream{Resume: byEventID})))
		if !slices.Equal(got, []int64{1}) || err != nil {
			t.Errorf("%v, %v", got, err)
		}
		f.times(0, 7*time.Second)
	})
}

// Each request that goes on with a stream has the policy's tries, and its failure ends the
// stream with the document's own error.
func TestStreamResumesByThePolicy(t *testing.T) {
	gone := errors.New("gone")
	decode := func(r *client.Response) (*client.Stream[tick], error) {
		if r.Is(410, "application/json") {
			return nil, r.Fail(gone)
		}
		return events(r)
	}
	synctest.Test(t, func(t *testing.T) {
		f := feeding(t, []any{identified(1), errCut}, []any{errCut}, []any{errCut}, []any{identified(2), errCut}, []any{410})
		got, err := read(t, f, op("GET", "/ticks", decode, flowing(policy.Stream{Resume: byEventID})))
		if !slices.Equal(got, []int64{1, 2}) || !errors.Is(err, gone) || faultOf(t, err).Status != 410 {
			t.Errorf("%v, %v", got, err)
		}
		// 1s to go on, 1s and 2s of retries, 2s to go on again.
		f.times(0, time.Second, 2*time.Second, 4*time.Second, 6*time.Second)
		f.closed()
		// Another kind of answer is none to go on with.
		f = feeding(t, []any{identified(1), errCut}, []any{201})
		if _, err := read(t, f, op("GET", "/ticks", decode, flowing(policy.Stream{Resume: byEventID}))); faultOf(t, err).Kind != fault.Response {
			t.Error(err)
		}
	})
}

// A stream that has lasted has no breaks in a row any more; the wait grows with those it has.
func TestStreamBreaksInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bodies [][]any
		for n := range 4 {
			bodies = append(bodies, []any{identified(n), errCut})
		}
		bodies = append(bodies, []any{20 * time.Second, identified(4), 20 * time.Second, ": a\n", 21 * time.Second, errCut}, []any{identified(5)})
		f := feeding(t, bodies...)
		o := op("GET", "/ticks", events, flowing(policy.Stream{Resume: byEventID}, func(s *policy.Spec) { s.Client.Retry.MaxAttempts = 1 }))
		got, err := read(t, f, o)
		if len(got) != 6 || err != nil {
			t.Errorf("%v, %v", got, err)
		}
		if want := []string{"resume 1s", "resume 2s", "resume 4s", "resume 4s", "resume 1s"}; !slices.Equal(f.told, want) {
			t.Errorf("told %q", f.told)
		}
	})
}

// Without a retry of its own an operation waits as the language's default does, half a second
// at most the first time.
func TestStreamResumesWithoutRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feeding(t, []any{identified(1), errCut}, []any{identified(2)})
		o := op("GET", "/ticks", events, flowing(policy.Stream{Resume: byEventID}, func(s *policy.Spec) { s.Client.Retry = nil }))
		if got, err := read(t, f, o); len(got) != 2 || err != nil || f.at[1] >= 500*time.Millisecond {
			t.Errorf("%v, %v at %v", got, err, f.at)
		}
	})
}

// The end of the caller, of a written total and of the stream end the going on as well.
func TestResumingEnds(t *testing.T) {
	resumed := flowing(policy.Stream{Resume: byEventID})
	start := func(t *testing.T, ctx context.Context, opts ...client.CallOption) (*feed, *client.Stream[tick]) {
		t.Helper()
		f := feeding(t, []any{identified(1), 500 * time.Millisecond, errCut}, []any{identified(2), time.Second, ": a\n", 10 * time.Second})
		var none encoder
		s, err := client.Do(ctx, f.Core, op("GET", "/ticks", events, resumed), &none, opts)
		if err != nil {
			t.Fatal(err)
		}
		return f, s
	}
	synctest.Test(t, func(t *testing.T) {
		for _, at := range []time.Duration{time.Second, 2 * time.Second} { // in the wait, and in what came after
			f, s := start(t, t.Context())
			time.AfterFunc(at, func() { _ = s.Close() })
			if _, err := drained(s); !errors.Is(err, client.ErrClosed) || time.Since(f.begin) != at {
				t.Errorf("closed: %v after %v", err, time.Since(f.begin))
			}
			f.closed()

			ctx, cancel := context.WithCancel(t.Context())
			f, s = start(t, ctx)
			time.AfterFunc(at, cancel)
			if _, err := drained(s); !errors.Is(err, context.Canceled) || time.Since(f.begin) != at {
				t.Errorf("cancelled: %v after %v", err, time.Since(f.begin))
			}
			f.closed()
		}
		f, s := start(t, t.Context(), client.Within(3*time.Second))
		if _, err := drained(s); faultOf(t, err).Kind != fault.Timeout || time.Since(f.begin) != 3*time.Second {
			t.Errorf("within: %v after %v", err, time.Since(f.begin))
		}
		f.closed()
		// A wait that does not fit is not begun: the break is the error.
		f, s = start(t, t.Context(), client.Within(time.Second))
		if _, err := drained(s); !errors.Is(err, errCut) || time.Since(f.begin) != 500*time.Millisecond || len(f.asked) != 1 {
			t.Errorf("within a second: %v after %v", err, time.Since(f.begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f, s = start(t, ctx)
		if _, err := drained(s); !errors.Is(err, errCut) || time.Since(f.begin) != 500*time.Millisecond {
			t.Errorf("a deadline: %v after %v", err, time.Since(f.begin))
		}
		// Leaving the loop ends what went on, too.
		f, s = start(t, t.Context())
		for v := range s.All() {
			if v.N == 2 {
				break
			}
		}
		f.closed()
	})
}
