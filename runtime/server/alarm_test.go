package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// pipes is a listener whose connections are in memory, so that a test has its own time.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), over: make(chan struct{})} }

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error   { l.once.Do(func() { close(l.over) }); return nil }
func (l *pipes) Addr() net.Addr { return &net.IPAddr{} }

func (l *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	l.conns <- there
	return here, nil
}

// inMemory is net/http's own server in front of a handler, and a client of it.
func inMemory(h http.Handler) (client *http.Client, end func()) {
	l := newPipes()
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	transport := &http.Transport{DialContext: l.dial}
	return &http.Client{Transport: transport}, func() {
		transport.CloseIdleConnections()
		_ = s.Close()
	}
}

func ask(t *testing.T, client *http.Client, method, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://in.memory/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, string(text)}
}

// On a connection of net/http the answer comes at the bound as well, whether the method
// obeys its context or not, and what the method returns later is not sent.
func TestTimeoutOfAConnection(t *testing.T) {
	for name, f := range map[string]func(context.Context) error{
		"obeys":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"ignores": func(context.Context) error { time.Sleep(time.Hour); return nil },
		"fails":   func(context.Context) error { time.Sleep(time.Hour); return errors.New("late") },
		"panics":  func(context.Context) error { time.Sleep(time.Hour); panic("late") },
		"exits":   func(context.Context) error { time.Sleep(time.Hour); runtime.Goexit(); return nil },
	} {
		synctest.Test(t, func(t *testing.T) {
			var f1 failures
			var panics, ends atomic.Int64
			hooks := &observe.Hooks{CallEnd: func(_ context.Context, e observe.CallEnd) {
				if ends.Add(1); e.Status != 503 || e.Duration != 3*time.Second {
					t.Errorf("%s: %+v", name, e)
				}
			}}
			client, end := inMemory(server.New(nil, []server.Route{bare(under(handlerTimeout(3*time.Second)), f)},
				f1.option(), server.Observe(hooks), server.OnPanic(func(context.Context, string, any, []byte) { panics.Add(1) })))
			for range 2 {
				begin := time.Now()
				r := ask(t, client, "GET", "")
				if d := time.Since(begin); d != 3*time.Second || r.Header.Get("Retry-After") != "1" {
					t.Errorf("%s: after %v, %v", name, d, r.Header)
				}
				r.problem(t, 503)
			}
			synctest.Wait()
			if errs, statuses := f1.heard(); len(errs) != 2 || statuses[0] != 503 || ends.Load() != 2 {
				t.Errorf("%s: %v, %d ends", name, errs, ends.Load())
			}
			time.Sleep(2 * time.Hour)
			if got := panics.Load() == 2; got != (name == "panics") {
				t.Errorf("%s: %d panics", name, panics.Load())
			}
			end()
		})
	}
}

// A method that is done in the last moment answers itself, and its connection stays.
func TestConnectionOfAMethodInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := 3*time.Second - 1
		client, end := inMemory(server.New(nil, []server.Route{
			bare(under(handlerTimeout(3*time.Second)), func(context.Context) error { time.Sleep(took); return nil }),
		}, server.OnError(nil)))
		defer end()
		for range 3 {
			if r := ask(t, client, "GET", ""); r.StatusCode != http.StatusNoContent || r.Close {
				t.Error(r.Status, r.Close)
			}
		}
		took = 3 * time.Second // at the same moment: either may be first
		for range 3 {
			if r := ask(t, client, "GET", ""); r.StatusCode != http.StatusNoContent && r.StatusCode != http.StatusServiceUnavailable {
				t.Error(r.Status)
			}
		}
	})
}

// A method that was answered for keeps its slot and its key until it has returned.
func TestConnectionKeepsSlotAndKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sp := spec("POST", "/")
		sp.Server = handlerTimeout(time.Second)
		sp.Server.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, OnFull: policy.OnFullAbort}
		sp.Server.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", TTL: time.Hour, Lease: time.Hour, MaxBody: 1000}
		var calls atomic.Int64
		client, end := inMemory(server.New(nil, []server.Route{server.Handle(&server.Operation[*Booking]{
			Spec: sp, Consumes: []string{"application/json"},
			Decode: func(b any, s *server.Request) { s.JSON(b.(*Booking), true) },
			Encode: func(w *server.Response, b *Booking) { w.JSON(201, "application/json", b) },
		}, func(_ context.Context, b Booking) (*Booking, error) {
			calls.Add(1)
			time.Sleep(10 * time.Second)
			return &b, nil
		})}, server.OnError(nil)))
		defer end()
		book := func() reply {
			return ask(t, client, "POST", `{"seats":1}`, "Content-Type", "application/json", "Idempotency-Key", "k")
		}
		for range 2 { // the second meets a full bulkhead
			r := book()
			r.problem(t, 503)
		}
		time.Sleep(10 * time.Second)
		if r := book(); r.StatusCode != http.StatusCreated || r.text != `{"id":"","seats":1}` || calls.Load() != 1 {
			t.Error(r.Status, r.text, calls.Load())
		}
	})
}

// The client gets all of the answer and an orderly end of the connection while the method
// is still running, also when it has sent its next request already; and the server can
// shut down.
func TestConnectionEndsAtTheBound(t *testing.T) {
	for _, secure := range []bool{false, true} {
		release := make(chan struct{})
		returned := make(chan struct{})
		h := server.New(nil, []server.Route{bare(under(handlerTimeout(50*time.Millisecond)), func(context.Context) error {
			defer close(returned)
			<-release
			return nil
		})}, server.OnError(nil))
		s := httptest.NewUnstartedServer(h)
		begin := s.Start
		if secure {
			begin = s.StartTLS
		}
		begin()
		conn := dialed(t, s)
		if _, err := fmt.Fprint(conn, strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 3)); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if err != nil || !res.Close {
			t.Error(err, res.Close)
		}
		_ = res.Body.Close()
		reply{res, string(text)}.problem(t, 503)
		if _, err := in.ReadByte(); err != io.EOF {
			t.Error(err)
		}
		if err := s.Config.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		select {
		case <-returned:
			t.Error("the method has returned")
		default:
		}
		close(release)
		<-returned
		s.Close()
	}
}

// dialed is a connection to a server, which the end of the test closes.
func dialed(t *testing.T, s *httptest.Server) net.Conn {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if s.TLS == nil {
		return conn
	}
	config := s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com" // of the certificate of httptest
	config.NextProtos = []string{"http/1.1"}
	return tls.Client(conn, config)
}

// A panic of a program's function does not get past the alarm.
func TestPanicsOfTheAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := func() { panic("boom") }
		client, end := inMemory(server.New(nil,
			[]server.Route{bare(under(handlerTimeout(time.Second)), func(context.Context) error { time.Sleep(time.Minute); return nil })},
			server.OnError(func(context.Context, string, int, error) { boom() }),
			server.OnPanic(func(context.Context, string, any, []byte) { boom() }),
			server.Observe(&observe.Hooks{CallEnd: func(context.Context, observe.CallEnd) { boom() }})))
		defer end()
		ask(t, client, "GET", "").problem(t, 503)
		time.Sleep(time.Hour)
	})
}

// A method that ends its goroutine before the bound is answered for with 500.
func TestExitOfAMethod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, end := inMemory(server.New(nil,
			[]server.Route{bare(under(handlerTimeout(time.Second)), func(context.Context) error { runtime.Goexit(); return nil })}, server.OnError(nil)))
		defer end()
		ask(t, client, "GET", "").problem(t, 500)
	})
}

// Where the alarm cannot answer, the method has a goroutine, and the answer comes at the
// bound all the same: through another ResponseWriter, from a function of the program's,
// beside a body that nobody reads.
func TestTimeoutWithoutAnAlarm(t *testing.T) {
	late := []server.Route{bare(under(handlerTimeout(time.Second)), func(context.Context) error { time.Sleep(time.Minute); return nil })}
	plain := server.New(nil, late, server.OnError(nil))
	render := server.ErrorHandler(func(w http.ResponseWriter, _ *http.Request, p *fault.Problem) {
		w.WriteHeader(p.Status)
		_, _ = io.WriteString(w, "own")
	})
	for name, test := range map[string]struct {
		h    http.Handler
		body string
	}{
		"wrapped": {h: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			plain.ServeHTTP(struct {
				connection
				unwrapper
			}{w.(connection), unwrapper{w}}, r)
		})},
		"hidden":   {h: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { plain.ServeHTTP(struct{ http.ResponseWriter }{w}, r) })},
		"rendered": {h: server.New(nil, late, server.OnError(nil), render)},
		"unread":   {h: plain, body: "something"},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, end := inMemory(test.h)
			defer end()
			begin := time.Now()
			if r := ask(t, client, "GET", test.body); r.StatusCode != http.StatusServiceUnavailable || time.Since(begin) != time.Second || r.Close {
				t.Error(name, r.Status, time.Since(begin), r.Close)
			}
			time.Sleep(time.Hour)
		})
	}
}

// connection is what the ResponseWriter of net/http can do.
type connection interface {
	http.ResponseWriter
	http.Hijacker
	FlushError() error
	SetReadDeadline(at time.Time) error
	SetWriteDeadline(at time.Time) error
	EnableFullDuplex() error
}

// unwrapper is a wrapped ResponseWriter.
type unwrapper struct{ inner http.ResponseWriter }

func (u unwrapper) Unwrap() http.ResponseWriter { return u.inner }
