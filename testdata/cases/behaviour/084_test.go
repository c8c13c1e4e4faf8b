package api_test

import (
	"context"
	"errors"
	"iter"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	api "cases/c084"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// service is the method of the operation.
type service func(context.Context) (iter.Seq2[api.Tick, error], error)

func (s service) Ticks(ctx context.Context) (iter.Seq2[api.Tick, error], error) { return s(ctx) }

func newClient(t *testing.T, url string, opts ...client.Option) *api.Client {
	t.Helper()
	c, err := api.New(append(opts, client.BaseURL(url))...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// items collects what a stream gives until it ends.
func items(s *client.Stream[api.Tick]) (got []int64, err error) {
	for tick, failed := range s.All() {
		if failed != nil {
			return got, failed
		}
		got = append(got, tick.N)
	}
	return got, nil
}

// The client has the first event while the method still holds the connection, which
// also means that the server does not keep events back.
func TestEventsArriveOneByOne(t *testing.T) {
	seen := make(chan struct{})
	url := kit.Serve(t, api.NewHandler(service(func(ctx context.Context) (iter.Seq2[api.Tick, error], error) {
		return func(yield func(api.Tick, error) bool) {
			if !yield(api.Tick{N: 1}, nil) {
				return
			}
			select {
			case <-seen:
				yield(api.Tick{N: 2}, nil)
			case <-ctx.Done():
				yield(api.Tick{}, ctx.Err())
			}
		}, nil
	})))
	s, err := newClient(t, url).Ticks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for tick, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, tick.N); len(got) == 1 {
			close(seen)
		}
	}
	if !reflect.DeepEqual(got, []int64{1, 2}) {
		t.Errorf("events %v", got)
	}
}

func TestEventsOnTheWire(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service(func(context.Context) (iter.Seq2[api.Tick, error], error) {
		return func(yield func(api.Tick, error) bool) {
			_ = yield(api.Tick{N: 1}, nil) && yield(api.Tick{N: 2}, nil)
		}, nil
	})))
	got := kit.Send(t, http.MethodGet, url+"/ticks", "")
	media, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";")
	if got.Status != 200 || media != "text/event-stream" || got.Body != "data: {\"n\":1}\n\ndata: {\"n\":2}\n\n" {
		t.Errorf("answer %+v", got)
	}
	if cache := got.Header.Get("Cache-Control"); cache != "no-cache" {
		t.Errorf("Cache-Control %q", cache)
	}
}

// The format as the HTML standard has it, "Server-sent events", 9.2.6.
func TestFormat(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []int64
	}{
		{"several data lines", "data: {\ndata: \"n\"\ndata:: 1}\n\n", []int64{1}},
		{"no space", "data:{\"n\":1}\n\n", []int64{1}},
		{"comments", ": hello\n\n:\ndata: {\"n\":1}\n: in between\n\n", []int64{1}},
		{"CRLF", "data: {\"n\":1}\r\n\r\ndata: {\"n\":2}\r\n\r\n", []int64{1, 2}},
		{"CR", "data: {\"n\":1}\r\rdata: {\"n\":2}\r\r", []int64{1, 2}},
		{"fields", "id: 7\nevent: tick\nretry: 500\nother: x\ndata: {\"n\":1}\n\n", []int64{1}},
		{"byte order mark", "\uFEFFdata: {\"n\":1}\n\n", []int64{1}},
		{"no blank line at the end", "data: {\"n\":1}\n\ndata: {\"n\":2}\n", []int64{1}},
		{"event without data", "event: ping\nid: 1\n\ndata: {\"n\":1}\n\n", []int64{1}},
		{"nothing", "", nil},
	} {
		wire := kit.Record(t, kit.Reply{Status: 200, Type: "text/event-stream", Body: test.body})
		s, err := newClient(t, wire.URL).Ticks(t.Context())
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got, err := items(s)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
		if accept := wire.Last(t).Header.Get("Accept"); accept != "text/event-stream" {
			t.Errorf("Accept %q", accept)
		}
	}
}

// What stands beside the data can be asked for.
func TestFieldsOfAnEvent(t *testing.T) {
	wire := kit.Record(t, kit.Reply{Status: 200, Type: "text/event-stream; charset=utf-8", Body: "id: 7\nevent: tick\nretry: 500\ndata: {\"n\":1}\n\n"})
	s, err := newClient(t, wire.URL).Ticks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.All() {
		if e := s.Event(); err != nil || e.ID != "7" || e.Name != "tick" || e.Retry != 500*time.Millisecond {
			t.Errorf("%+v, %v", e, err)
		}
	}
}

func TestBadEvent(t *testing.T) {
	wire := kit.Record(t, kit.Reply{Status: 200, Type: "text/event-stream", Body: "data: {\"n\":1}\n\ndata: {\"n\":\"x\"}\n\ndata: {\"n\":3}\n\n"})
	s, err := newClient(t, wire.URL).Ticks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := items(s)
	var failed *fault.Error
	if !reflect.DeepEqual(got, []int64{1}) || !errors.As(err, &failed) || failed.Kind != fault.Response || !strings.Contains(err.Error(), "event 2") {
		t.Errorf("%v, %v; want the first event and an error that names event 2", got, err)
	}
}

// Cancelling ends the loop with the context's error and takes the connection away
// from the server.
func TestCancel(t *testing.T) {
	gone := make(chan struct{})
	url := kit.Serve(t, api.NewHandler(service(func(ctx context.Context) (iter.Seq2[api.Tick, error], error) {
		return func(yield func(api.Tick, error) bool) {
			yield(api.Tick{N: 1}, nil)
			<-ctx.Done()
			close(gone)
		}, nil
	})))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := newClient(t, url).Ticks(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var last error
	n := 0
	for _, err := range s.All() {
		if err != nil {
			last = err
			continue
		}
		n++
		cancel()
	}
	if n != 1 || !errors.Is(last, context.Canceled) || last != ctx.Err() {
		t.Errorf("%d events and %v, want 1 and ctx.Err()", n, last)
	}
	<-gone
}

// Leaving the loop closes the stream, which stops the method's sequence.
func TestLeave(t *testing.T) {
	gone := make(chan struct{})
	url := kit.Serve(t, api.NewHandler(service(func(context.Context) (iter.Seq2[api.Tick, error], error) {
		return func(yield func(api.Tick, error) bool) {
			for n := int64(1); yield(api.Tick{N: n}, nil); n++ {
			}
			close(gone)
		}, nil
	})))
	s, err := newClient(t, url).Ticks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range s.All() {
		break
	}
	<-gone
}

// A sequence that fails breaks the connection off: what came is not all.
func TestMethodFails(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service(func(context.Context) (iter.Seq2[api.Tick, error], error) {
		return func(yield func(api.Tick, error) bool) {
			_ = yield(api.Tick{N: 1}, nil) && yield(api.Tick{}, errors.New("secret"))
		}, nil
	})))
	s, err := newClient(t, url).Ticks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := items(s)
	var failed *fault.Error
	if !reflect.DeepEqual(got, []int64{1}) || !errors.As(err, &failed) || failed.Kind != fault.Transport || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, %v", got, err)
	}
}

// pipes is a listener whose connections are made in memory, so that time can be
// made to pass in a moment.
type pipes chan net.Conn

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p <- there
	return here, nil
}

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// An event every 29 s keeps a stream open for longer than a try and a call may take;
// 30 s of silence, the idle timeout of the policy, end it.
func TestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := make(pipes)
		srv := &http.Server{Handler: api.NewHandler(service(func(ctx context.Context) (iter.Seq2[api.Tick, error], error) {
			return func(yield func(api.Tick, error) bool) {
				for n := range int64(5) {
					time.Sleep(29 * time.Second)
					if !yield(api.Tick{N: n}, nil) {
						return
					}
				}
				<-ctx.Done()
			}, nil
		}))}
		go srv.Serve(listener)
		transport := &http.Transport{DialContext: listener.dial}
		start := time.Now()
		s, err := newClient(t, "http://pipe.test", client.Transport(transport)).Ticks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := items(s)
		if !reflect.DeepEqual(got, []int64{0, 1, 2, 3, 4}) || !errors.Is(err, client.ErrIdle) {
			t.Errorf("%v, %v", got, err)
		}
		if took, want := time.Since(start), (5*29+30)*time.Second; took != want {
			t.Errorf("ended after %v, want %v", took, want)
		}
		transport.CloseIdleConnections()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
}
