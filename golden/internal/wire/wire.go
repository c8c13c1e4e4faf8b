// Package wire is a transport without a network, for tests in a time of their own: it notes
// when each request is sent and answers as it is told.
package wire

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Answer says what becomes of a request; n counts the requests from 1.
type Answer func(n int, r *http.Request) (*http.Response, error)

// Request is what was sent, and after how long.
type Request struct {
	At     time.Duration
	Header http.Header
	URL    string
	Body   string
}

// Wire is the transport. Its methods are safe for concurrent use.
type Wire struct {
	answer Answer
	begin  time.Time

	mu   sync.Mutex
	sent []Request
}

// New makes a transport whose clock begins now.
func New(answer Answer) *Wire { return &Wire{answer: answer, begin: time.Now()} }

// RoundTrip notes a request, whose body it reads whole, and answers it.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	w.mu.Lock()
	w.sent = append(w.sent, Request{time.Since(w.begin), r.Header.Clone(), r.URL.String(), string(body)})
	n := len(w.sent)
	w.mu.Unlock()
	return w.answer(n, r)
}

// Sent are the requests so far.
func (w *Wire) Sent() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Request(nil), w.sent...)
}

// Times are the times of the requests so far.
func (w *Wire) Times() []time.Duration {
	var out []time.Duration
	for _, r := range w.Sent() {
		out = append(out, r.At)
	}
	return out
}

// Reset forgets the requests so far and starts the clock again.
func (w *Wire) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent, w.begin = nil, time.Now()
}

// Reply makes a response. The header is names and values in turn.
func Reply(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	if body != "" {
		h.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// Always answers each request in the same way.
func Always(status int, body string, header ...string) Answer {
	return func(int, *http.Request) (*http.Response, error) { return Reply(status, body, header...), nil }
}

// Late answers after a time, or ends with its request.
func Late(d time.Duration, answer Answer) Answer {
	return func(n int, r *http.Request) (*http.Response, error) {
		select {
		case <-time.After(d):
			return answer(n, r)
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// Faults are what may happen in place of a response, by the words of the language. The
// fault timeout lasts until the request is given up.
var Faults = map[string]Answer{
	"connect": failing(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}),
	"reset":   failing(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}),
	"eof":     failing(io.ErrUnexpectedEOF),
	"dns":     failing(&net.DNSError{Err: "server misbehaving", Name: "example.test", IsTemporary: true}),
	"tls":     failing(errors.New("net/http: TLS handshake timeout")), // the text of the standard library's own
	"timeout": func(_ int, r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	},
}

func failing(err error) Answer {
	return func(int, *http.Request) (*http.Response, error) { return nil, err }
}
