package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// script is a body in the time of the test: a duration is a wait, a text is sent, an error
// ends the body, and without one it ends well.
type script struct {
	ctx   context.Context
	steps []any
	rest  string

	mu     sync.Mutex
	closed chan struct{}
}

func (s *script) Read(p []byte) (int, error) {
	for s.rest == "" {
		if len(s.steps) == 0 {
			return 0, io.EOF
		}
		step := s.steps[0]
		s.steps = s.steps[1:]
		switch step := step.(type) {
		case string:
			s.rest = step
		case error:
			return 0, step
		case time.Duration:
			select {
			case <-time.After(step):
			case <-s.ctx.Done():
				return 0, s.ctx.Err()
			case <-s.closed:
				return 0, http.ErrBodyReadAfterClose
			}
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	if s.rest == "" && len(s.steps) == 1 && s.steps[0] == any(io.EOF) {
		return n, io.EOF // a transport may say so at once
	}
	return n, nil
}

func (s *script) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

const cut = time.Hour // longer than anything waits

// feed is a service whose answers are streams, one for each request.
type feed struct {
	*client.Core
	t      *testing.T
	begin  time.Time
	media  string
	bodies [][]any

	mu    sync.Mutex
	asked []*http.Request
	at    []time.Duration
	open  []*script
	told  []string
}

// events answers each request with one of the bodies; the last repeats.
func feeding(t *testing.T, bodies ...[]any) *feed {
	t.Helper()
	f := &feed{t: t, begin: time.Now(), media: "text/event-stream; charset=utf-8", bodies: bodies}
	f.Core = coreOf(t, &client.API{Title: "test"}, client.BaseURL("http://x.test"), client.Transport(transport(f.answer)), client.Observe(&observe.Hooks{
		Wait: func(_ context.Context, w observe.Wait) {
			f.told = append(f.told, fmt.Sprintf("%v %v", w.Reason, w.For))
		},
		Reject: func(_ context.Context, r observe.Reject) {
			f.told = append(f.told, fmt.Sprintf("%v shadow %v", r.Reason, r.Shadow))
		},
	}))
	return f
}

func (f *feed) answer(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.at = append(f.asked, r), append(f.at, time.Since(f.begin))
	steps := f.bodies[min(len(f.asked), len(f.bodies))-1]
	if status, ok := steps[0].(int); ok {
		return plain(status, `{"title": "gone"}`), nil
	}
	s := &script{ctx: r.Context(), steps: slices.Clone(steps), closed: make(chan struct{})}
	f.open = append(f.open, s)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {f.media}}, Body: s, ContentLength: -1}, nil
}

// closed checks that no body is left open.
func (f *feed) closed() {
	f.t.Helper()
	for i, s := range f.open {
		select {
		case <-s.closed:
		default:
			f.t.Errorf("body %d is open", i+1)
		}
	}
}

func (f *feed) times(want ...time.Duration) {
	f.t.Helper()
	if !slices.Equal(f.at, want) {
		f.t.Errorf("requests at %v, want %v", f.at, want)
	}
}

// flowing has a policy for streams and exact waits: 1s, 2s, 4s.
func flowing(p policy.Stream, change ...func(*policy.Spec)) func(*policy.Spec) {
	return func(s *policy.Spec) {
		s.Client.Stream = &p
		s.Client.Timeout = &policy.Timeout{Attempt: 2 * time.Second, Idle: 30 * time.Second}
		s.Client.Retry = &policy.Retry{
			MaxAttempts: 3, BaseDelay: time.Second, MaxDelay: 4 * time.Second, Jitter: policy.JitterNone,
			Errors: policy.AllErrors, MaxRetryAfter: time.Minute,
		}
		for _, f := range change {
			f(s)
		}
	}
}

// read makes a call and reads its stream.
func read(t *testing.T, f *feed, o *client.Operation[*client.Stream[tick]], opts ...client.CallOption) ([]int64, error) {
	t.Helper()
	s, err := call(t, f.Core, o, func(r *client.Request) { r.Path("/ticks") }, opts...)
	if err != nil {
		return nil, err
	}
	return drained(s)
}

func drained(s *client.Stream[tick]) (got []int64, last error) {
	for v, err := range s.All() {
		if last = err; err == nil {
			got = append(got, v.N)
		}
	}
	return got, last
}

func event(n int) string { return fmt.Sprintf("data: {\"n\":%d}\n\n", n) }

const overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"code\":\"overloaded\"}}\n\n"

var errCut = io.ErrUnexpectedEOF

// What fails before its first event is tried again like any failure: a silence, comments
// alone, a broken connection and an error event.
func TestStreamIsRetriedBeforeItsFirstItem(t *testing.T) {
	for name, tc := range map[string]struct {
		body []any
		at   time.Duration // of the second request
	}{
		"silent":     {[]any{cut}, 4 * time.Second},
		"comments":   {[]any{": a\n\n", 2 * time.Second, ": b\n\n", cut}, 4 * time.Second},
		"broken":     {[]any{time.Second, errCut}, 2 * time.Second},
		"told":       {[]any{overloaded, event(7)}, time.Second},
		"told alone": {[]any{overloaded}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := feeding(t, tc.body, []any{event(1), time.Minute / 3, event(2)})
				var meta client.Meta
				o := op("GET", "/ticks", events, flowing(policy.Stream{First: 3 * time.Second, Error: "/error/code"}))
				got, err := read(t, f, o, client.Into(&meta))
				if !slices.Equal(got, []int64{1, 2}) || err != nil || meta.Tries != 2 {
					t.Errorf("%v, %v, %d tries", got, err, meta.Tries)
				}
				f.times(0, tc.at)
				f.closed()
			})
		})
	}
}

// When no try brings an item, the error says why, and the breaker has learnt it.
func TestStreamWithoutFirstItem(t *testing.T) {
	for name, tc := range map[string]struct {
		body   []any
		kind   fault.Kind
		want   error
		effect fault.Effect
	}{
		"silent": {[]any{cut}, fault.Timeout, client.ErrIdle, fault.Safe},
		"broken": {[]any{errCut}, fault.Transport, errCut, fault.Safe},
		"told":   {[]any{overloaded}, fault.Status, nil, fault.Safe},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := feeding(t, tc.body)
				_, err := read(t, f, op("GET", "/ticks", events, flowing(policy.Stream{First: 3 * time.Second, Error: "/error/code"}, func(s *policy.Spec) {
					s.Client.Breaker = &policy.Breaker{Window: policy.Window{Count: 1}, FailureThreshold: 1, Recovery: time.Minute, SlowCall: time.Hour}
				})))
				got := faultOf(t, err)
				if got.Kind != tc.kind || tc.want != nil && !errors.Is(err, tc.want) || got.Attempts != 3 || got.Stop != fault.StopAttempts || got.Effect != tc.effect {
					t.Errorf("%+v", got)
				}
				if tc.kind == fault.Status {
					toldOf(t, err, "overloaded", "error")
				}
				if b := f.Breakers(); len(b) != 1 || b[0].State != observe.Open {
					t.Errorf("breakers %+v", b)
				}
				f.closed()
			})
		})
	}
}

// toldOf checks the error of an error event.
func toldOf(t *testing.T, err error, code, name string) {
	t.Helper()
	e, ok := errors.AsType[*client.StreamError](err)
	if !ok || e.Code != code || e.Event != name || !strings.Contains(err.Error(), "tells of an error: "+code) {
		t.Errorf("%v: %+v", err, e)
	}
}

// The bound of a try ends at the header: the first item may take longer, within its own.
// A computed total stands still meanwhile, so that there is time for another try; a written
// one does not.
func TestFirstItemHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := flowing(policy.Stream{First: 20 * time.Second})
		f := feeding(t, []any{19 * time.Second, event(1)})
		if got, err := read(t, f, op("GET", "/ticks", events, first)); !slices.Equal(got, []int64{1}) || err != nil {
			t.Errorf("%v, %v", got, err)
		}
		// It takes the place of the bound on silence, which counts from the first item on.
		f = feeding(t, []any{50 * time.Second, event(1), 29 * time.Second, event(2), 31 * time.Second, event(3)})
		got, err := read(t, f, op("GET", "/ticks", events, flowing(policy.Stream{First: time.Minute})))
		if !slices.Equal(got, []int64{1, 2}) || !errors.Is(err, client.ErrIdle) || time.Since(f.begin) != 109*time.Second {
			t.Errorf("%v, %v after %v", got, err, time.Since(f.begin))
		}
		// 3 tries of 2s and waits of 1s and 2s are a total of 9s.
		f = feeding(t, []any{cut}, []any{cut}, []any{event(1)})
		if got, err := read(t, f, op("GET", "/ticks", events, first)); !slices.Equal(got, []int64{1}) || err != nil {
			t.Errorf("%v, %v", got, err)
		}
		f.times(0, 21*time.Second, 43*time.Second)
		f = feeding(t, []any{cut})
		begin := time.Now()
		_, err = read(t, f, op("GET", "/ticks", events, first), client.Within(15*time.Second))
		if got := faultOf(t, err); got.Kind != fault.Timeout || time.Since(begin) != 15*time.Second || got.Attempts != 1 {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		// Without a bound of its own there is that on silence.
		f = feeding(t, []any{cut}, []any{29 * time.Second, event(1)})
		if got, err := read(t, f, op("GET", "/ticks", events, flowing(policy.Stream{}))); !slices.Equal(got, []int64{1}) || err != nil {
			t.Errorf("%v, %v", got, err)
		}
		f.times(0, 31*time.Second)
	})
}

// never hands the stream over at its header: what fails after it is for the caller to see.
func TestStreamIsNeverRetried(t *testing.T) {
	never := flowing(policy.Stream{First: 3 * time.Second, Retry: policy.StreamRetryNever, Error: "/error/code"})
	for name, tc := range map[string]struct {
		body []any
		kind fault.Kind
		at   time.Duration
	}{
		"silent": {[]any{": a\n\n", time.Second, ": b\n\n", cut}, fault.Timeout, 8 * time.Second},
		"broken": {[]any{errCut}, fault.Transport, 5 * time.Second},
		"told":   {[]any{overloaded, event(1)}, fault.Status, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := feeding(t, tc.body)
				s, err := call(t, f.Core, op("GET", "/ticks", events, never), nil)
				if err != nil || time.Since(f.begin) != 0 {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Second) // the caller's time does not count
				got, err := drained(s)
				if len(got) > 0 || faultOf(t, err).Kind != tc.kind || time.Since(f.begin) != tc.at {
					t.Errorf("%v, %v after %v", got, err, time.Since(f.begin))
				}
				f.times(0)
				f.closed()
			})
		})
	}
}
