package faulty

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
)

// Request is a request as it arrived.
type Request struct {
	Method, Target string
	Header         http.Header
	Body           string
	At             time.Time
}

// Service is a handler behind a network that follows a plan. It is safe for
// concurrent use.
type Service struct {
	url       string
	transport *http.Transport // nil where the client's own will do
	address   string          // of the TCP listener
	next      http.Handler
	plan      Plan

	mu          sync.Mutex
	requests    []Request
	connections int
}

// OverTCP serves h on the loopback interface until the test ends.
func OverTCP(tb testing.TB, h http.Handler, plan Plan) *Service {
	tb.Helper()
	s := &Service{next: h, plan: plan}
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = s.connState
	server.Start()
	tb.Cleanup(server.Close)
	s.url, s.address = server.URL, server.Listener.Addr().String()
	return s
}

// OverPipes serves h over pipes in memory until the test ends. Within a bubble of
// testing/synctest nothing but the bubble's clock passes time.
func OverPipes(tb testing.TB, h http.Handler, plan Plan) *Service {
	tb.Helper()
	s := &Service{next: h, plan: plan, url: "http://pipe.example"}
	l := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: s, ConnState: s.connState, ReadHeaderTimeout: time.Hour}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // it ends when it is closed
	}()
	s.transport = &http.Transport{DialContext: l.dial, MaxIdleConnsPerHost: 64, DisableCompression: true}
	tb.Cleanup(func() {
		s.transport.CloseIdleConnections()
		_ = server.Close()
		<-ended
	})
	return s
}

// Options make a client call the service.
func (s *Service) Options() []client.Option {
	options := []client.Option{client.BaseURL(s.url)}
	if s.transport != nil {
		options = append(options, client.Transport(s.transport))
	}
	return options
}

// URL is the address of the service.
func (s *Service) URL() string { return s.url }

// Refusing is a client's way over TCP to the service whose first n connections are
// refused.
func (s *Service) Refusing(tb testing.TB, n int) client.Option {
	tb.Helper()
	closed, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	nobody := closed.Addr().String()
	if err := closed.Close(); err != nil {
		tb.Fatal(err)
	}
	var mu sync.Mutex
	var d net.Dialer
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		mu.Lock()
		n--
		refused := n >= 0
		mu.Unlock()
		if refused {
			return d.DialContext(ctx, network, nobody)
		}
		return d.DialContext(ctx, network, s.address)
	}}
	tb.Cleanup(transport.CloseIdleConnections)
	return client.Transport(transport)
}

// Requests are the requests that have arrived, in their order.
func (s *Service) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Connections is the number of connections that have been made.
func (s *Service) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

func (s *Service) connState(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.mu.Lock()
		s.connections++
		s.mu.Unlock()
	}
}

// ServeHTTP records the request and lets the plan act.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		panic(http.ErrAbortHandler) // the client went away in the middle
	}
	next := r.WithContext(r.Context()) // a copy, for the request is net/http's
	next.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.RequestURI, r.Header.Clone(), string(body), time.Now()})
	n := len(s.requests)
	s.mu.Unlock()
	if s.plan != nil {
		if f := s.plan(n); f != nil {
			f(w, next, s.next)
			return
		}
	}
	s.next.ServeHTTP(w, next)
}

// pipes is a listener whose connections are pipes.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept is the other end of the next connection.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close ends the listening.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr is that of a pipe.
func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
