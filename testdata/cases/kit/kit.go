// Package kit is what the behaviour tests of the cases share: raw ends of a TCP
// connection, so that a test can state the exact bytes on the wire.
package kit

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Request is what arrived at a Recorder.
type Request struct {
	Method string
	Target string // the request target as it was sent: path and query, still escaped
	Header http.Header
	Length int64 // Content-Length; -1: chunked
	Body   string
}

// Query is the part of Target after the question mark, still escaped.
func (r Request) Query() string {
	_, query, _ := strings.Cut(r.Target, "?")
	return query
}

// A Reply is what a Recorder answers.
type Reply struct {
	Status int // zero: 204
	Type   string
	Header map[string]string
	Body   string
}

// A Recorder is a server that keeps what it is sent and answers its replies in turn,
// the last one again and again; without replies 204.
type Recorder struct {
	URL string

	mu       sync.Mutex
	requests []Request
	replies  []Reply
}

// Record starts a Recorder that stops with the test.
func Record(t *testing.T, replies ...Reply) *Recorder {
	t.Helper()
	r := &Recorder{replies: replies}
	r.URL = Serve(t, http.HandlerFunc(r.serve))
	return r
}

func (r *Recorder) serve(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.requests = append(r.requests, Request{
		Method: req.Method, Target: req.RequestURI, Header: req.Header.Clone(), Length: req.ContentLength, Body: string(body),
	})
	var reply Reply
	if n := len(r.replies); n > 0 {
		reply = r.replies[min(len(r.requests), n)-1]
	}
	r.mu.Unlock()
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	if reply.Type != "" {
		w.Header().Set("Content-Type", reply.Type)
	}
	if reply.Status == 0 {
		reply.Status = http.StatusNoContent
	}
	w.WriteHeader(reply.Status)
	_, _ = io.WriteString(w, reply.Body)
}

// Requests are all that arrived so far.
func (r *Recorder) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Request(nil), r.requests...)
}

// Last is the newest request; the test fails when there is none.
func (r *Recorder) Last(t *testing.T) Request {
	t.Helper()
	all := r.Requests()
	if len(all) == 0 {
		t.Fatal("no request arrived")
	}
	return all[len(all)-1]
}

// Serve runs a handler on a loopback port until the test ends and returns its URL.
func Serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// An Answer is a response read whole.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Send makes one plain request with the standard library, following no redirects.
// Header lines are written "Name: value"; Host is not among them.
func Send(t *testing.T, method, url, body string, header ...string) Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Add(name, strings.TrimSpace(value))
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{Status: res.StatusCode, Header: res.Header, Body: string(text)}
}

// Wait polls a condition for at most ten seconds.
func Wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			t.Fatal("in vain: waited for " + what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// SameSet reports whether both hold the same texts, in any order.
func SameSet(got, want []string) bool {
	a, b := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	return slices.Equal(a, b)
}

// Names reports whether an answer is problem details with a violation of the
// parameter of that name in that place, whatever the case of a header's.
func Names(a Answer, in, name string) bool {
	var problem struct {
		Violations []struct{ In, Name, Detail string }
	}
	if a.Header.Get("Content-Type") != "application/problem+json" || json.Unmarshal([]byte(a.Body), &problem) != nil {
		return false
	}
	for _, e := range problem.Violations {
		if e.In == in && e.Detail != "" && (e.Name == name || in == "header" && strings.EqualFold(e.Name, name)) {
			return true
		}
	}
	return false
}

// ServeCounted is Serve, and counts the connections that were made.
func ServeCounted(t *testing.T, h http.Handler) (url string, connections func() int) {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			n.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, func() int { return int(n.Load()) }
}
