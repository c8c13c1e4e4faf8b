package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// watched is a request body that knows whether it was closed.
type watched struct {
	io.Reader

	closed bool
}

func (w *watched) Close() error { w.closed = true; return nil }

// oneFailure opens at the first failure.
var oneFailure = policy.Breaker{
	Window: policy.Window{Count: 5}, FailureThreshold: 1, Recovery: time.Minute, Probes: 1, SlowCall: time.Second,
}

// TestTransportJudges: which responses and errors open a breaker of one failure. Only what
// tells of a server that does not work may.
func TestTransportJudges(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx    context.Context
		status int
		err    error
		took   time.Duration
		want   observe.BreakerState
	}{
		"200":             {status: 200, want: observe.Closed},
		"404":             {status: 404, want: observe.Closed},
		"408":             {status: 408, want: observe.Open},
		"429":             {status: 429, want: observe.Closed},
		"500":             {status: 500, want: observe.Open},
		"503":             {status: 503, want: observe.Open},
		"slow":            {status: 200, took: 2 * time.Second, want: observe.Open},
		"reset":           {err: errors.New("connection reset"), want: observe.Open},
		"attempt timeout": {err: context.DeadlineExceeded, want: observe.Open},
		"caller gave up":  {ctx: gone, err: context.Canceled, want: observe.Closed},
		"bulkhead full":   {err: &fault.Error{Kind: fault.BulkheadFull}, want: observe.Closed},
		"rate limited":    {err: &fault.Error{Kind: fault.RateLimited}, want: observe.Closed},
		"nothing":         {want: observe.Open},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := breaker.New(oneFailure, breaker.Options{})
			tr := &breaker.Transport{Breaker: b, Base: roundTripper(func(*http.Request) (*http.Response, error) {
				time.Sleep(tc.took)
				if tc.status == 0 {
					return nil, tc.err
				}
				return &http.Response{StatusCode: tc.status, Body: http.NoBody}, tc.err
			})}
			r := httptest.NewRequest(http.MethodGet, "http://x.test/", nil)
			if tc.ctx != nil {
				r = r.WithContext(tc.ctx)
			}
			_, err := tr.RoundTrip(r) //nolint:bodyclose // It is empty.
			if b.State() != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: %v, want %v; %v", name, b.State(), tc.want, err)
			}
		})
	}
}

// TestTransportOpen: an open breaker sends nothing, says when to come again and closes the
// request's body; a probe then closes it.
func TestTransportOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status, sent := 503, 0
		tr := &breaker.Transport{
			Breaker: breaker.New(oneFailure, breaker.Options{Random: func() float64 { return 0 }}),
			Base: roundTripper(func(*http.Request) (*http.Response, error) {
				sent++
				return &http.Response{StatusCode: status, Body: http.NoBody}, nil
			}),
		}
		post := func() (*watched, error) {
			body := &watched{Reader: strings.NewReader("order")}
			_, err := tr.RoundTrip(httptest.NewRequest(http.MethodPost, "http://x.test/", body)) //nolint:bodyclose // It is empty.
			return body, err
		}
		if _, err := post(); err != nil {
			t.Fatal(err)
		}
		body, err := post()
		f, _ := errors.AsType[*fault.Error](err)
		if f == nil || f.Kind != fault.BreakerOpen || f.Effect != fault.Safe || f.RetryIn != time.Minute || !body.closed || sent != 1 {
			t.Fatalf("%+v, body closed: %v, sent %d", f, body.closed, sent)
		}
		time.Sleep(time.Minute)
		status = 200
		if _, err := post(); err != nil || tr.Breaker.State() != observe.Closed {
			t.Errorf("%v, %v", err, tr.Breaker.State())
		}
	})
}

// TestTransportPanic: a panic is a failure, and gives the permit back.
func TestTransportPanic(t *testing.T) {
	b := breaker.New(oneFailure, breaker.Options{})
	tr := &breaker.Transport{Breaker: b, Base: roundTripper(func(*http.Request) (*http.Response, error) { panic("broken") })}
	func() {
		defer func() { _ = recover() }()
		_, _ = tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil)) //nolint:bodyclose // It panics.
	}()
	if b.State() != observe.Open {
		t.Error(b.State())
	}
}

func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	client := http.Client{Transport: &breaker.Transport{
		Breaker: breaker.New(policy.Breaker{
			Window: policy.Window{Count: 10}, FailureThreshold: 2, Recovery: 15 * time.Second,
		}, breaker.Options{Name: "stock"}),
	}}
	for range 3 {
		h, err := client.Get(server.URL)
		if err != nil {
			fmt.Println(errors.Is(err, fault.ErrBreakerOpen))
			continue
		}
		fmt.Println(h.StatusCode)
		_ = h.Body.Close()
	}
	// Output:
	// 503
	// 503
	// true
}
