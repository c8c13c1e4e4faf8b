package cache_test

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

// origin is a server that answers with what it is told, and notes what it was asked.
type origin struct {
	mu     sync.Mutex
	asked  []*http.Request
	answer func(n int, r *http.Request) *reply // n counts from 1; nil breaks the connection
	open   int
}

func (o *origin) RoundTrip(r *http.Request) (*http.Response, error) {
	o.mu.Lock()
	o.asked = append(o.asked, r)
	n := len(o.asked)
	o.mu.Unlock()
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	a := o.answer(n, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if a == nil {
		return nil, errors.New("connection reset")
	}
	o.mu.Lock()
	o.open++
	o.mu.Unlock()
	return &http.Response{
		StatusCode: a.status, Header: a.header, Body: &closing{Reader: a.body, o: o}, ContentLength: a.length, Request: r,
	}, nil
}

func (o *origin) requests() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.asked)
}

// reply is what the origin answers.
type reply struct {
	status int
	header http.Header
	body   io.Reader
	length int64
}

type closing struct {
	io.Reader

	o    *origin
	once sync.Once
}

func (c *closing) Close() error {
	c.once.Do(func() {
		c.o.mu.Lock()
		c.o.open--
		c.o.mu.Unlock()
	})
	return nil
}

// response has a body and fields "Name: value".
func response(status int, body string, fields ...string) *reply {
	h := http.Header{}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		h.Add(name, value)
	}
	return &reply{status, h, strings.NewReader(body), int64(len(body))}
}

// numbered answers 200 with its number as the body.
func numbered(fields ...string) func(int, *http.Request) *reply {
	return func(n int, _ *http.Request) *reply {
		return response(http.StatusOK, strconv.Itoa(n), fields...)
	}
}

// user asks through a cache.
type user struct {
	t *testing.T
	*cache.Transport
	o *origin
}

func use(t *testing.T, o cache.Options, rules *cache.Rules, answer func(int, *http.Request) *reply) *user {
	t.Helper()
	from := &origin{answer: answer}
	c := cache.New(o)
	t.Cleanup(func() {
		c.Close()
		if from.open != 0 {
			t.Errorf("%d bodies are open", from.open)
		}
	})
	return &user{t, &cache.Transport{Cache: c, Base: from, Rules: rules}, from}
}

func (u *user) request(method, url string, fields ...string) *http.Request {
	u.t.Helper()
	r, err := http.NewRequestWithContext(u.t.Context(), method, url, nil)
	if err != nil {
		u.t.Fatal(err)
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// got is a response that was read.
type got struct {
	status int
	body   string
	header http.Header
}

func (u *user) send(r *http.Request) got {
	u.t.Helper()
	h, err := u.RoundTrip(r)
	if err != nil {
		return got{body: err.Error(), header: http.Header{}}
	}
	body, err := io.ReadAll(h.Body)
	if err != nil {
		u.t.Error(err)
	}
	_ = h.Body.Close()
	if h.Request != r && h.Request.Method == r.Method && h.StatusCode != http.StatusNotModified && h.Header.Get("Age") != "" {
		u.t.Error("the response is that of another request")
	}
	return got{h.StatusCode, string(body), h.Header}
}

func (u *user) get(fields ...string) got {
	u.t.Helper()
	return u.send(u.request(http.MethodGet, "http://x.test/a", fields...))
}

// want checks the body of a GET and what the cache says about it.
func (u *user) want(body, status string, fields ...string) {
	u.t.Helper()
	g := u.get(fields...)
	if g.body != body || !strings.HasPrefix(g.header.Get(cache.StatusHeader), "holdfast; "+status) {
		u.t.Errorf("got %d %q with %q, want %q with %q", g.status, g.body, g.header.Get(cache.StatusHeader), body, status)
	}
}
