package client_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// encoder is a request that writes itself, so that a test says in one place
// what is sent.
type encoder func(*client.Request)

// op is an operation whose request is an encoder.
func op[Res any](method, path string, decode func(*client.Response) (Res, error), change ...func(*policy.Spec)) *client.Operation[Res] {
	spec := &policy.Spec{ID: method + " " + path, Method: method, Path: path, Dependency: "test", Client: clientPolicy}
	spec.Client.Effect = policy.EffectOf(method)
	for _, f := range change {
		f(spec)
	}
	return &client.Operation[Res]{
		Spec: spec, Decode: decode,
		Encode: func(req any, r *client.Request) {
			if f, _ := req.(*encoder); f != nil && *f != nil {
				(*f)(r)
				return
			}
			r.Path(path)
		},
	}
}

// call makes a call of such an operation.
func call[Res any](t *testing.T, c *client.Core, o *client.Operation[Res], f encoder, opts ...client.CallOption) (Res, error) {
	t.Helper()
	return client.Do(t.Context(), c, o, &f, opts)
}

// core is a client of a server that runs f.
func core(t *testing.T, f http.HandlerFunc, opts ...client.Option) *client.Core {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return coreOf(t, &client.API{Title: "test"}, append([]client.Option{client.BaseURL(s.URL)}, opts...)...)
}

func coreOf(t *testing.T, api *client.API, opts ...client.Option) *client.Core {
	t.Helper()
	c, err := client.New(api, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// none answers 204.
func none(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// noContent decodes 204 only.
func noContent(r *client.Response) (client.None, error) {
	if r.Is(204, "") {
		return client.DecodeNone(r)
	}
	return client.None{}, r.Undeclared()
}

// okJSON decodes a 200 of JSON as anything.
func okJSON(r *client.Response) (any, error) {
	if r.Is(200, "application/json") {
		return client.DecodeValue(r, json.Any)
	}
	return nil, r.Undeclared()
}

// sent records requests.
type sent struct {
	mu   sync.Mutex
	list []record
}

// record is a request as it arrived.
type record struct {
	method, uri string
	header      http.Header
	length      int64
	body        string
}

// handle records a request and lets answer answer; n counts from 1.
func (s *sent) handle(answer func(n int, w http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.list = append(s.list, record{r.Method, r.RequestURI, r.Header.Clone(), r.ContentLength, string(body)})
		n := len(s.list)
		s.mu.Unlock()
		answer(n, w)
	}
}

func (s *sent) all() []record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]record(nil), s.list...)
}

func (s *sent) last(t *testing.T) record {
	t.Helper()
	all := s.all()
	if len(all) == 0 {
		t.Fatal("nothing was sent")
	}
	return all[len(all)-1]
}

// faultOf is the *fault.Error that every failed call returns.
func faultOf(t *testing.T, err error) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("%v (%T) is no *fault.Error", err, err)
	}
	return f
}

// transport is a RoundTripper that is a function.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// counted is a server that counts its connections.
func counted(t *testing.T, f http.HandlerFunc) (url string, connections func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	s := httptest.NewUnstartedServer(f)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			mu.Lock()
			n++
			mu.Unlock()
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, func() int { mu.Lock(); defer mu.Unlock(); return n }
}

func alternatives(all ...[]*security.Scheme) []security.Requirement {
	var out []security.Requirement
	for _, schemes := range all {
		r := security.Requirement{}
		for _, s := range schemes {
			r = append(r, security.Use{Scheme: s})
		}
		out = append(out, r)
	}
	return out
}

var intCodec = param.Int64
