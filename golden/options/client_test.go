package options_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/golden/options"
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// backend answers over TCP as it is told, and keeps the requests.
type backend struct {
	*httptest.Server

	mu       sync.Mutex
	requests []*http.Request
	answer   func(n int, w http.ResponseWriter, r *http.Request)
}

const aThing = `{"name":"lamp","colour":"red"}`

// newBackend answers with a thing, unless there is another answer. The number of an
// answer counts from 1.
func newBackend(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *backend {
	t.Helper()
	b := &backend{answer: answer}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.requests = append(b.requests, r.Clone(context.WithoutCancel(r.Context())))
		n := len(b.requests)
		b.mu.Unlock()
		if b.answer != nil {
			b.answer(n, w, r)
			return
		}
		thing(w, r, aThing)
	}))
	t.Cleanup(b.Close)
	return b
}

func thing(w http.ResponseWriter, r *http.Request, text string, headers ...string) {
	w.Header().Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = w.Write([]byte(text)) // the client is what is tested
}

// busyOnce answers 503 to the first request.
func busyOnce(n int, w http.ResponseWriter, r *http.Request) {
	if n == 1 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	thing(w, r, aThing)
}

// last is the request that came last; all of them are counted.
func (b *backend) last(t *testing.T, count int) *http.Request {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) != count || count == 0 {
		t.Errorf("%d requests, want %d", len(b.requests), count)
	}
	if len(b.requests) == 0 {
		return &http.Request{Header: http.Header{}}
	}
	return b.requests[len(b.requests)-1]
}

func (b *backend) client(t *testing.T, opts ...client.Option) *options.Client {
	t.Helper()
	c, err := options.New(append([]client.Option{client.BaseURL(b.URL)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().CloseIdle)
	return c
}

func get(t *testing.T, c *options.Client, opts ...client.CallOption) {
	t.Helper()
	if v, err := c.GetThing(t.Context(), opts...); err != nil || v.Name != "lamp" {
		t.Errorf("%+v, %v", v, err)
	}
}

// dialled gives a transport whose every connection goes to the backend, whatever the host.
func (b *backend) dialled(t *testing.T) *http.Transport {
	t.Helper()
	tr := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, b.Listener.Addr().String())
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// addressed makes a call without a base URL and gives the address that was asked for.
func addressed(t *testing.T, opts ...client.Option) string {
	t.Helper()
	b := newBackend(t, nil)
	c, err := options.New(append(opts, client.Transport(b.dialled(t)))...)
	if err != nil {
		t.Fatal(err)
	}
	get(t, c)
	r := b.last(t, 1)
	return r.Host + r.URL.Path
}

func wantAddress(t *testing.T, want string, opts ...client.Option) {
	t.Helper()
	if got := addressed(t, opts...); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

// counted is a transport that counts.
type counted struct {
	http.RoundTripper
	n int
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n++
	return c.RoundTripper.RoundTrip(r)
}

// clientOptions try the options of a client, by their names.
var clientOptions = map[string]func(t *testing.T){
	"BaseURL": func(t *testing.T) {
		b := newBackend(t, nil)
		get(t, b.client(t, client.BaseURL(b.URL+"/base/")))
		if got := b.last(t, 1).URL.Path; got != "/base/things" {
			t.Errorf("asked %s", got)
		}
	},
	"ServerIndex": func(t *testing.T) {
		wantAddress(t, "eu.example.test:80/v1/things", client.ServerIndex(0))
		wantAddress(t, "second.example.test/v2/things", client.ServerIndex(1))
	},
	"ServerName": func(t *testing.T) {
		wantAddress(t, "eu.example.test:80/v1/things", client.ServerName("main"))
		wantAddress(t, "second.example.test/v2/things", client.ServerName("second"))
		wantAddress(t, "second.example.test/v2/things", client.ServerName("the spare one"))
	},
	"ServerVariable": func(t *testing.T) {
		wantAddress(t, "us.example.test:8080/a/b/things",
			client.ServerVariable("region", "us"), client.ServerVariable("port", "8080"), client.ServerVariable("base", "a/b"))
		if _, err := options.New(client.ServerVariable("region", "mars")); err == nil || !strings.Contains(err.Error(), "eu, us") {
			t.Errorf("a region that is not listed: %v", err)
		}
	},
	"HTTP": func(t *testing.T) {
		b, tr := newBackend(t, nil), &counted{RoundTripper: http.DefaultTransport}
		get(t, b.client(t, client.HTTP(&http.Client{Transport: tr})))
		if b.last(t, 1); tr.n != 1 {
			t.Errorf("%d requests went through it", tr.n)
		}
	},
	"Transport": func(t *testing.T) {
		b, tr := newBackend(t, busyOnce), &counted{RoundTripper: http.DefaultTransport}
		get(t, b.client(t, client.Transport(tr)))
		if b.last(t, 2); tr.n != 2 {
			t.Errorf("%d requests went through it", tr.n)
		}
	},
	"Header": func(t *testing.T) {
		b := newBackend(t, nil)
		get(t, b.client(t, client.Header("X-Tenant", "a"), client.Header("X-Tenant", "b")))
		if got := b.last(t, 1).Header.Values("X-Tenant"); !reflect.DeepEqual(got, []string{"a", "b"}) {
			t.Errorf("sent %q", got)
		}
	},
	"UserAgent": func(t *testing.T) {
		b := newBackend(t, nil)
		get(t, b.client(t, client.UserAgent("shop/1.0")))
		if got := b.last(t, 1).Header.Values("User-Agent"); !reflect.DeepEqual(got, []string{"shop/1.0"}) {
			t.Errorf("sent %q", got)
		}
	},
	"BeforeAttempt": func(t *testing.T) {
		b, n := newBackend(t, busyOnce), 0
		get(t, b.client(t, client.BeforeAttempt(func(r *http.Request) error {
			n++
			r.Header.Set("X-Signed", strings.Repeat("x", n))
			return nil
		})))
		if got := b.last(t, 2).Header.Get("X-Signed"); got != "xx" {
			t.Errorf("the second try has %q", got)
		}
		refused := errors.New("no signature")
		_, err := b.client(t, client.BeforeAttempt(func(*http.Request) error { return refused })).GetThing(t.Context())
		if !errors.Is(err, refused) {
			t.Errorf("%v", err)
		}
		b.last(t, 2)
	},
	"AfterAttempt": func(t *testing.T) {
		b := newBackend(t, busyOnce)
		var seen []int
		get(t, b.client(t, client.AfterAttempt(func(r *http.Request, res *http.Response, err error) {
			if r == nil || err != nil {
				t.Errorf("%v, %v", r, err)
				return
			}
			seen = append(seen, res.StatusCode)
		})))
		if !reflect.DeepEqual(seen, []int{503, 200}) {
			t.Errorf("heard of %v", seen)
		}
	},
	"Observe":          tryObserve,
	"BodyLimit":        tryBodyLimit,
	"Strict":           tryStrict,
	"ValidateRequests": tryValidateRequests,
}

func tryObserve(t *testing.T) {
	b := newBackend(t, busyOnce)
	var heard []string
	say := func(op, what string) {
		if op != "getThing" {
			t.Errorf("%s of %s", what, op)
		}
		heard = append(heard, what)
	}
	get(t, b.client(t, client.Observe(&observe.Hooks{
		AttemptStart: func(_ context.Context, e observe.AttemptStart) { say(e.Op, "start") },
		AttemptEnd:   func(_ context.Context, e observe.AttemptEnd) { say(e.Op, "end "+http.StatusText(e.Status)) },
		Wait:         func(_ context.Context, e observe.Wait) { say(e.Op, "wait "+e.Reason.String()) },
		CallEnd:      func(_ context.Context, e observe.CallEnd) { say(e.Op, "done") },
	})))
	want := []string{"start", "end Service Unavailable", "wait backoff", "start", "end OK", "done"}
	if !reflect.DeepEqual(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	// What the breaker does is heard of as well.
	down := newBackend(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	var states, reasons []string
	c := down.client(t, client.Observe(&observe.Hooks{
		BreakerChange: func(e observe.BreakerChange) { states = append(states, e.Name+" "+e.To.String()) },
		Reject:        func(_ context.Context, e observe.Reject) { reasons = append(reasons, e.Reason.String()) },
	}))
	var err error
	for range 6 {
		_, err = c.GetThing(t.Context(), client.NoRetry())
	}
	// The defaults of a breaker: five failures, and then half a minute.
	if text := err.Error(); !errors.Is(err, fault.ErrBreakerOpen) || !strings.HasPrefix(text, `getThing: breaker open: "options", next try in `) {
		t.Errorf("%v", err)
	}
	if !reflect.DeepEqual(states, []string{"options open"}) || !reflect.DeepEqual(reasons, []string{"breaker"}) {
		t.Errorf("states %q, refusals %q", states, reasons)
	}
	down.last(t, 5)
}

func tryBodyLimit(t *testing.T) {
	b := newBackend(t, nil)
	get(t, b.client(t, client.BodyLimit(int64(len(aThing)))))
	_, err := b.client(t, client.BodyLimit(int64(len(aThing))-1)).GetThing(t.Context())
	var large *client.BodyTooLargeError
	var f *fault.Error
	if !errors.As(err, &large) || !errors.As(err, &f) || f.Kind != fault.Response {
		t.Errorf("%v", err)
	}
	b.last(t, 2)
}

// A client takes what its document does not know yet, unless it is strict.
func tryStrict(t *testing.T) {
	b := newBackend(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		thing(w, r, `{"name":"a very long name","colour":"mauve"}`)
	})
	v, err := b.client(t).GetThing(t.Context())
	if err != nil || v.Colour.Or("") != "mauve" || v.Colour.Or("").Known() {
		t.Errorf("%+v, %v", v, err)
	}
	_, err = b.client(t, client.Strict()).GetThing(t.Context())
	var wrong *client.DecodeError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "/colour") {
		t.Errorf("%v", err)
	}
}

func tryValidateRequests(t *testing.T) {
	b := newBackend(t, nil)
	long := options.MakeThingRequest{Body: options.Thing{Name: "a very long name"}}
	if _, err := b.client(t).MakeThing(t.Context(), long); err != nil {
		t.Error(err)
	}
	_, err := b.client(t, client.ValidateRequests()).MakeThing(t.Context(), long)
	var wrong *check.Error
	if !errors.As(err, &wrong) || len(wrong.Violations) != 1 || wrong.Violations[0].Pointer != "/name" {
		t.Errorf("%v", err)
	}
	b.last(t, 1)
}

func TestClientOptions(t *testing.T) {
	for name, try := range clientOptions {
		t.Run(name, try)
	}
}
