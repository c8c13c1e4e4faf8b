package httpretry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"github.com/holdfast-go/holdfast/runtime/retry/httpretry"
)

// answer is what a server does with one try.
type answer struct {
	status int
	header http.Header
	err    error
}

// server answers the tries one after the other; the last answer repeats.
type server struct {
	answers []answer
	begin   time.Time
	at      []time.Duration
	tries   []string // the number that each carried, and its body
	open    int      // bodies that were not closed
}

type body struct {
	io.Reader

	server *server
}

func (b body) Close() error { b.server.open--; return nil }

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	text := ""
	if r.Body != nil {
		sent, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		text = " " + string(sent)
	}
	s.tries = append(s.tries, r.Header.Get(httpretry.AttemptHeader)+text)
	s.at = append(s.at, time.Since(s.begin))
	a := s.answers[min(len(s.tries), len(s.answers))-1]
	if a.err != nil {
		return nil, a.err
	}
	s.open++
	if a.header == nil {
		a.header = http.Header{}
	}
	return &http.Response{StatusCode: a.status, Header: a.header, Body: body{strings.NewReader("answer"), s}}, nil
}

// three waits 1 s, then 2 s, and no jitter.
func three() *policy.Retry {
	return &policy.Retry{
		MaxAttempts: 3, BaseDelay: time.Second, MaxDelay: time.Minute, Jitter: policy.JitterNone,
		Statuses: policy.StatusSet(429, 502, 503), Errors: policy.AllErrors, MaxRetryAfter: time.Minute,
	}
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// TestGates: what is repeated and what is not, one gate a row.
func TestGates(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for name, tc := range map[string]struct {
		method string
		header http.Header
		once   bool // the body cannot be had anew
		first  answer
		change func(*policy.Retry)
		tries  int
	}{
		"GET 503":                    {first: answer{status: 503}, tries: 2},
		"GET 500 is not in the list": {first: answer{status: 500}, tries: 1},
		"GET 404":                    {first: answer{status: 404}, tries: 1},
		"GET reset":                  {first: answer{err: reset}, tries: 2},
		"POST 503":                   {method: "POST", first: answer{status: 503}, tries: 1},
		"POST reset":                 {method: "POST", first: answer{err: reset}, tries: 1},
		"POST never sent":            {method: "POST", first: answer{err: refused}, tries: 2},
		"POST 429":                   {method: "POST", first: answer{status: 429}, tries: 2},
		"POST with a key":            {method: "POST", header: header("Idempotency-Key", "a"), first: answer{status: 503}, tries: 2},
		"POST once": {
			method: "POST", header: header("Idempotency-Key", "a"), once: true, first: answer{status: 503}, tries: 1,
		},
		"PUT 503":         {method: "PUT", first: answer{status: 503}, tries: 2},
		"PATCH 503":       {method: "PATCH", first: answer{status: 503}, tries: 1},
		"unknown host":    {first: answer{err: &net.DNSError{IsNotFound: true}}, tries: 1},
		"server says no":  {first: answer{status: 503, header: header("X-Should-Retry", "false")}, tries: 1},
		"absurd hint":     {first: answer{status: 503, header: header("Retry-After", "3600")}, tries: 1},
		"shadow":          {first: answer{status: 503}, change: func(p *policy.Retry) { p.Mode = policy.Shadow }, tries: 1},
		"one try":         {first: answer{status: 503}, change: func(p *policy.Retry) { p.MaxAttempts = 1 }, tries: 1},
		"no tries is one": {first: answer{status: 503}, change: func(p *policy.Retry) { p.MaxAttempts = 0 }, tries: 1},
		"always": {
			method: "POST", first: answer{status: 503}, change: func(p *policy.Retry) { p.Safety = policy.SafetyAlways }, tries: 2,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{begin: time.Now(), answers: []answer{tc.first, {status: 200}}}
			p := three()
			if tc.change != nil {
				tc.change(p)
			}
			r, err := http.NewRequestWithContext(t.Context(), tc.method, "http://x.test/", strings.NewReader("order"))
			if err != nil {
				t.Fatal(err)
			}
			if tc.header != nil {
				r.Header = tc.header
			}
			if tc.once {
				r.GetBody = nil
			}
			h, err := (&httpretry.Transport{Base: s, Policy: p}).RoundTrip(r)
			if len(s.tries) != tc.tries || s.tries[tc.tries-1] != fmt.Sprintf("%d order", tc.tries) {
				t.Errorf("%s: tries %q, want %d", name, s.tries, tc.tries)
			}
			if tc.tries == 1 && !errors.Is(err, tc.first.err) || tc.tries == 2 && (err != nil || h.StatusCode != http.StatusOK || h.Request != r) {
				t.Errorf("%s: %v", name, err)
			}
			if r.Header.Get(httpretry.AttemptHeader) != "" {
				t.Errorf("%s: the caller's request was changed", name)
			}
			// Of all the responses only the one that is returned may be open.
			if h != nil {
				_ = h.Body.Close()
			}
			if s.open != 0 {
				t.Errorf("%s: %d bodies open", name, s.open)
			}
		})
	}
}

// TestWaits: backoff doubles, a hint takes its place, tries are counted from 1 and end at
// MaxAttempts, and the last response is the caller's to read.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{begin: time.Now(), answers: []answer{{status: 503}}}
		h, err := (&httpretry.Transport{Base: s, Policy: three()}).RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil)) //nolint:bodyclose // It holds nothing.
		if err != nil || h.StatusCode != http.StatusServiceUnavailable || fmt.Sprint(s.at) != "[0s 1s 3s]" || fmt.Sprint(s.tries) != "[1  2  3 ]" {
			t.Fatal(err, s.at, s.tries)
		}
		if text, err := io.ReadAll(h.Body); string(text) != "answer" || err != nil {
			t.Error(string(text), err)
		}
		s = &server{begin: time.Now(), answers: []answer{{status: 503, header: header("Retry-After", "7")}, {status: 200}}}
		h, err = (&httpretry.Transport{Base: s, Policy: three()}).RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
		if err != nil || fmt.Sprint(s.at) != "[0s 7s]" {
			t.Error(err, s.at)
		}
		_ = h.Body.Close()
		// Asking about a request that is still running without a pause would be a loop.
		s = &server{begin: time.Now(), answers: []answer{{status: 409, header: header("Retry-After", "0")}, {status: 200}}}
		r := httptest.NewRequest(http.MethodPost, "http://x.test/", nil)
		r.Header.Set("Idempotency-Key", "a")
		h, err = (&httpretry.Transport{Base: s, Policy: three()}).RoundTrip(r)
		if err != nil || fmt.Sprint(s.at) != "[0s 100ms]" {
			t.Error(err, s.at)
		}
		_ = h.Body.Close()
	})
}

// TestContext: a wait that does not fit is not begun, and one that is called off ends.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s := &server{begin: time.Now(), answers: []answer{{status: 503}}}
		tr := &httpretry.Transport{Base: s, Policy: three()}
		r := httptest.NewRequest(http.MethodGet, "http://x.test/", nil)
		h, err := tr.RoundTrip(r.WithContext(ctx))
		if err != nil || h.StatusCode != http.StatusServiceUnavailable || time.Since(s.begin) != 0 {
			t.Fatal(err, time.Since(s.begin))
		}
		_ = h.Body.Close()
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, stop)
		reset := &net.OpError{Op: "read", Err: errors.New("reset")}
		s.answers = []answer{{err: reset}}
		_, err = tr.RoundTrip(r.WithContext(ctx)) //nolint:bodyclose // There is none.
		if !errors.Is(err, context.Canceled) || !errors.Is(err, reset) || time.Since(s.begin) != 300*time.Millisecond {
			t.Error(err, time.Since(s.begin))
		}
	})
}

// TestBudget: repeats are paid for, and what is not paid for leaves the last real outcome.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{begin: time.Now(), answers: []answer{{status: 503}}}
		tr := &httpretry.Transport{
			Base: s, Policy: three(), Budget: retry.NewBudget(policy.Budget{Ratio: 0.5, Window: time.Hour}, time.Now()),
		}
		for range 10 {
			h, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
			if err != nil || h.StatusCode != http.StatusServiceUnavailable {
				t.Fatal(err)
			}
			_ = h.Body.Close()
		}
		if len(s.tries) != 15 {
			t.Errorf("%d tries of 10 requests with half a repeat each", len(s.tries))
		}
	})
}

// TestConnections: what is discarded is read, so that one connection serves all tries.
func TestConnections(t *testing.T) {
	var opened, asked atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, strings.Repeat("x", 10_000))
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	p := three()
	p.BaseDelay = 0
	client := http.Client{Transport: &httpretry.Transport{Base: base, Policy: p}}
	for range 20 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := client.Do(r)
		if err != nil || h.StatusCode != http.StatusOK {
			t.Fatal(h, err)
		}
		_, _ = io.Copy(io.Discard, h.Body)
		_ = h.Body.Close()
	}
	if opened.Load() != 1 || asked.Load() != 40 {
		t.Errorf("%d connections for %d tries", opened.Load(), asked.Load())
	}
}

// TestZero: without a policy the request goes through as it is.
func TestZero(t *testing.T) {
	s := &server{begin: time.Now(), answers: []answer{{status: 503}}}
	h, err := (&httpretry.Transport{Base: s}).RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
	if err != nil || len(s.tries) != 1 || s.tries[0] != " " {
		t.Fatalf("%v, %q", err, s.tries)
	}
	_ = h.Body.Close()
}

func ExampleTransport() {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "try ", r.Header.Get(httpretry.AttemptHeader))
	}))
	defer server.Close()
	client := http.Client{Transport: &httpretry.Transport{Policy: &policy.Retry{
		MaxAttempts: 3, BaseDelay: time.Millisecond, MaxDelay: time.Second, Statuses: policy.StatusSet(503),
	}}}
	h, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := io.ReadAll(h.Body)
	_ = h.Body.Close()
	fmt.Println(h.StatusCode, string(text))
	// Output: 200 try 3
}
