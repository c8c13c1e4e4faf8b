package ratelimit_test

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

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// watched is a request body that knows whether it was closed.
type watched struct {
	io.Reader

	closed bool
}

func (w *watched) Close() error { w.closed = true; return nil }

// send makes a POST for a user under ctx and says whether its body was closed.
func send(ctx context.Context, t http.RoundTripper, user string) (closed bool, err error) {
	body := &watched{Reader: strings.NewReader("order")}
	r := httptest.NewRequest(http.MethodPost, "http://x.test/", body).WithContext(ctx)
	r.Header.Set("User", user)
	_, err = t.RoundTrip(r) //nolint:bodyclose // It is empty.
	return body.closed, err
}

// TestTransport: one token a second and a burst of two, for each user.
func TestTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		tr := &ratelimit.Transport{
			Limiter: ratelimit.New(policy.Bucket{Limit: 60, Per: time.Minute, Burst: 2}, 0),
			Key:     func(r *http.Request) string { return r.Header.Get("User") },
			Base: roundTripper(func(*http.Request) (*http.Response, error) {
				sent++
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
			}),
		}
		for _, user := range []string{"ann", "ann", "bob"} {
			if _, err := send(t.Context(), tr, user); err != nil {
				t.Fatal(err)
			}
		}
		closed, err := send(t.Context(), tr, "ann")
		f, _ := errors.AsType[*fault.Error](err)
		if f == nil || f.Kind != fault.RateLimited || f.Effect != fault.Safe || !f.RetryAt.Equal(time.Now().Add(time.Second)) || !closed || sent != 3 {
			t.Fatalf("%+v, body closed: %v, sent %d", f, closed, sent)
		}
		// With a wait that is long enough the same request goes out when its token comes.
		tr.MaxWait = time.Second
		begin := time.Now()
		if _, err := send(t.Context(), tr, "ann"); err != nil || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		// A wait that would end behind the deadline is not begun.
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		begin = time.Now()
		if _, err := send(ctx, tr, "ann"); !errors.Is(err, fault.ErrRateLimited) || time.Since(begin) != 0 {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		// What is called off gives its token back.
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, stop)
		if closed, err := send(ctx, tr, "ann"); !errors.Is(err, context.Canceled) || !closed {
			t.Errorf("%v, body closed: %v", err, closed)
		}
		begin = time.Now()
		if _, err := send(t.Context(), tr, "ann"); err != nil || time.Since(begin) != 900*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// TestTransportCost: a request takes as many tokens as it costs, and one that costs more
// than there will ever be has no moment to come again.
func TestTransportCost(t *testing.T) {
	cost, now := 2, time.Now()
	tr := &ratelimit.Transport{
		Limiter: ratelimit.New(policy.Bucket{Limit: 3, Per: time.Hour, Burst: 3}, 0),
		Cost:    func(*http.Request) int { return cost },
		Base: roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		}),
	}
	if _, err := send(t.Context(), tr, ""); err != nil {
		t.Fatal(err)
	}
	_, err := send(t.Context(), tr, "")
	f, _ := errors.AsType[*fault.Error](err)
	if f == nil || !f.RetryAt.After(now.Add(19*time.Minute)) || f.RetryAt.After(now.Add(21*time.Minute)) {
		t.Errorf("%+v", f)
	}
	cost = 4
	_, err = send(t.Context(), tr, "")
	if f, _ = errors.AsType[*fault.Error](err); f == nil || !f.RetryAt.IsZero() {
		t.Errorf("%+v", f)
	}
	cost = 0
	if _, err := send(t.Context(), tr, ""); err != nil {
		t.Error(err)
	}
	tr.Limiter = nil
	cost = 4
	if _, err := send(t.Context(), tr, ""); err != nil {
		t.Error(err)
	}
}

func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer server.Close()
	client := http.Client{Transport: &ratelimit.Transport{
		Limiter: ratelimit.New(policy.Bucket{Limit: 1, Per: time.Hour, Burst: 1}, 0),
	}}
	for range 2 {
		h, err := client.Get(server.URL)
		if err != nil {
			fmt.Println(errors.Is(err, fault.ErrRateLimited))
			continue
		}
		fmt.Println(h.StatusCode)
		_ = h.Body.Close()
	}
	// Output:
	// 200
	// true
}
