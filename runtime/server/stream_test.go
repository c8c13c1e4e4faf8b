package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

type streamRequest struct{ body io.Reader }

func (r *streamRequest) decode(s *server.Request) { s.Binary(&r.body, true) }

// upload is POST /up whose body is a stream, with a server's policy.
func upload(p policy.Server, f func(context.Context, streamRequest) error) server.Route {
	s := spec("POST", "/up")
	s.Server = p
	return server.HandleExec(&server.Operation[server.None]{
		Spec: s, Consumes: []string{"application/octet-stream"}, Decode: func(req any, s *server.Request) { req.(*streamRequest).decode(s) },
	}, f)
}

// stalled is a body that begins and does not go on until it is closed.
func stalled(t *testing.T, url string) (*http.Request, *io.PipeWriter) {
	t.Helper()
	in, out := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, in)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	go func() { _, _ = io.WriteString(out, "begin") }()
	return req, out
}

// Silence in a streamed body ends its reading, and is the caller's fault.
func TestIdleUpload(t *testing.T) {
	for name, timeout := range map[string]time.Duration{"bounded": time.Minute, "unbounded": 0} {
		var got error
		s := start(t, []server.Route{upload(policy.Server{Timeout: &policy.ServerTimeout{Handler: timeout, Idle: 50 * time.Millisecond}},
			func(_ context.Context, r streamRequest) error {
				_, got = io.ReadAll(r.body)
				return got
			})}, server.OnError(nil))
		req, out := stalled(t, s.URL+"/up")
		send(t, req).problem(t, 408)
		if !errors.Is(got, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v", name, got)
		}
		_ = out.Close()
	}
}

// A method that times out while it reads a body does not hold the answer, and cannot
// read on.
func TestTimeoutWhileReading(t *testing.T) {
	ended := make(chan error, 1)
	s := start(t, []server.Route{upload(handlerTimeout(50*time.Millisecond), func(_ context.Context, r streamRequest) error {
		_, err := io.ReadAll(r.body)
		ended <- err
		_, err = r.body.Read(make([]byte, 1))
		ended <- err
		return err
	})}, server.OnError(nil))
	req, out := stalled(t, s.URL+"/up")
	send(t, req).problem(t, 503)
	_ = out.Close()
	for range 2 {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("read on")
			}
		case <-time.After(5 * time.Second):
			t.Fatal("still reading")
		}
	}
}

// A body that comes too slowly to be read into memory is given up.
func TestSlowBody(t *testing.T) {
	s := spec("POST", "/json")
	s.Server = handlerTimeout(50 * time.Millisecond)
	h := start(t, []server.Route{server.HandleExec(&server.Operation[server.None]{
		Spec: s, Consumes: []string{"application/octet-stream"}, Decode: func(b any, s *server.Request) { s.JSON(b.(*Booking), true) },
	}, func(context.Context, Booking) error { t.Error("called"); return nil })})
	req, out := stalled(t, h.URL+"/json")
	send(t, req).problem(t, 408)
	_ = out.Close()
}

// The server timeout holds until the header of a stream, not to its end.
func TestTimeoutDoesNotCutAStream(t *testing.T) {
	sp := spec("GET", "/")
	sp.Server = policy.Server{Timeout: &policy.ServerTimeout{Handler: 50 * time.Millisecond, Idle: time.Minute}}
	s := start(t, []server.Route{server.HandleEmpty(&server.Operation[iter.Seq2[int64, error]]{
		Spec: sp, Encode: func(w *server.Response, seq iter.Seq2[int64, error]) {
			server.Lines(w, 200, "application/x-ndjson", json.Int64, seq)
		},
	}, func(ctx context.Context) (iter.Seq2[int64, error], error) {
		return func(yield func(int64, error) bool) {
			if !yield(1, nil) {
				return
			}
			select {
			case <-ctx.Done():
				yield(0, ctx.Err())
			case <-time.After(150 * time.Millisecond):
				yield(2, nil)
			}
		}, nil
	})})
	do(t, "GET", s.URL, "").want(t, 200, "1\n2\n")
	do(t, "GET", s.URL, "").want(t, 200, "1\n2\n") // on the same connection
}

// Lines go back while lines come in.
func TestBothWays(t *testing.T) {
	type request struct{ items iter.Seq2[int64, error] }
	sp := spec("POST", "/double")
	sp.Server = policy.Server{Timeout: &policy.ServerTimeout{Handler: 50 * time.Millisecond, Idle: time.Minute}}
	route := server.Handle(&server.Operation[iter.Seq2[int64, error]]{
		Spec: sp, Consumes: []string{"application/x-ndjson"},
		Decode: func(r any, s *server.Request) { server.ReadLines(s, json.Int64, &r.(*request).items, true) },
		Encode: func(w *server.Response, seq iter.Seq2[int64, error]) {
			server.Lines(w, 200, "application/x-ndjson", json.Int64, seq)
		},
	}, func(ctx context.Context, r request) (iter.Seq2[int64, error], error) {
		return func(yield func(int64, error) bool) {
			for n, err := range r.items {
				if !yield(2*n, err) {
					return
				}
			}
			if _, bounded := ctx.Deadline(); bounded {
				t.Error("the stream got a deadline from its request")
			}
		}, nil
	})
	for _, version := range []int{1, 2} {
		s := httptest.NewUnstartedServer(server.New(nil, []server.Route{route}))
		s.EnableHTTP2 = version == 2
		s.StartTLS()
		client := s.Client()
		in, out := io.Pipe()
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/double", in)
		req.Header.Set("Content-Type", "application/x-ndjson")
		go func() { _, _ = io.WriteString(out, "1\n") }()
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.ProtoMajor != version {
			t.Errorf("HTTP/%d", res.ProtoMajor)
		}
		lines := bufio.NewReader(res.Body)
		for _, step := range []struct{ next, want string }{{"21\n", "2\n"}, {"3\n", "42\n"}, {"", "6\n"}} {
			if line, err := lines.ReadString('\n'); line != step.want || err != nil {
				t.Fatal(line, err)
			}
			_, _ = io.WriteString(out, step.next)
		}
		_ = out.Close()
		if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
			t.Error(rest, err)
		}
		_ = res.Body.Close()
		s.Close()
	}
}

// All of it works on HTTP/2, too: above all, a method that ignores its context.
func TestHTTP2(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	s := httptest.NewUnstartedServer(server.New(nil, []server.Route{
		bare(under(handlerTimeout(50*time.Millisecond)), func(context.Context) error { <-release; return nil }),
		upload(handlerTimeout(50*time.Millisecond), func(_ context.Context, r streamRequest) error {
			_, err := io.ReadAll(r.body)
			return err
		}),
		server.Handle(&createBookingRoute, func(_ context.Context, r CreateBookingRequest) (*Booking, error) { return &r.Body, nil }),
	}, server.OnError(nil)))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	get := func(req *http.Request) reply {
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.ProtoMajor != 2 {
			t.Error(err, res.Proto)
		}
		return reply{res, string(text)}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	get(req).problem(t, 503)
	req, out := stalled(t, s.URL+"/up")
	get(req).problem(t, 503)
	_ = out.Close()
	req, _ = http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/trips/1/bookings", strings.NewReader(`{"seats":1}`))
	req.Header.Set("Content-Type", "application/json")
	get(req).want(t, 201, `{"id":"","seats":1}`)
}

// The bounds count from the last byte of a body that arrives slowly.
func TestSlowUploadIsNotCut(t *testing.T) {
	const bound = 500 * time.Millisecond // less than the upload takes, more than a busy machine stalls
	p := handlerTimeout(bound)
	p.Timeout.Idle = time.Minute
	p.Deadline = &policy.Deadline{Trust: true}
	var early, late bool
	s := start(t, []server.Route{upload(p, func(ctx context.Context, r streamRequest) error {
		_, early = ctx.Deadline()
		if _, err := io.ReadAll(r.body); err != nil {
			return err
		}
		_, late = ctx.Deadline()
		if r.body != nil && requestSays(ctx, "X-Hang") {
			<-ctx.Done()
		}
		return ctx.Err()
	})}, server.OnError(nil))
	for _, hang := range []bool{false, true} {
		early, late = false, false
		req, out := stalled(t, s.URL+"/up")
		req.Header.Set("X-Request-Deadline-Ms", "500")
		if hang {
			req.Header.Set("X-Hang", "yes")
		}
		go func() {
			for range 5 {
				time.Sleep(150 * time.Millisecond)
				_, _ = io.WriteString(out, "more")
			}
			_ = out.Close()
		}()
		begin := time.Now()
		r := send(t, req)
		switch took := time.Since(begin); {
		case hang && (r.StatusCode != http.StatusGatewayTimeout || took < 750*time.Millisecond+bound/2):
			t.Errorf("%d after %v: %s", r.StatusCode, took, r.text)
		case !hang && r.StatusCode != http.StatusNoContent:
			t.Errorf("%d after %v: %s", r.StatusCode, took, r.text)
		}
		if early || !late {
			t.Error(early, late)
		}
	}
}

// requestSays reports whether the request has a header.
func requestSays(ctx context.Context, name string) bool {
	return server.RequestOf(ctx).Header.Get(name) != ""
}
