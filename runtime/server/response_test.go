package server_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// give is a route whose result encode writes.
func give[Res any](method, path string, encode func(*server.Response, Res), f func(context.Context) (Res, error)) server.Route {
	return server.HandleEmpty(&server.Operation[Res]{Spec: spec(method, path), Encode: encode}, f)
}

// write is a route that answers with what encode writes.
func write(path string, encode func(*server.Response)) server.Route {
	return give("GET", path, func(w *server.Response, _ server.None) { encode(w) },
		func(context.Context) (server.None, error) { return server.None{}, nil })
}

// failures collects what OnError hears.
type failures struct {
	mu       sync.Mutex
	errs     []error
	statuses []int
}

func (f *failures) option() server.Option {
	return server.OnError(func(_ context.Context, _ string, status int, err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.errs = append(f.errs, err)
		f.statuses = append(f.statuses, status)
	})
}

// heard is what OnError has heard, with the statuses.
func (f *failures) heard() ([]error, []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.errs, f.statuses
}

func TestResponses(t *testing.T) {
	s := start(t, []server.Route{
		write("/json", func(w *server.Response) { w.JSON(200, "application/hal+json", &Booking{ID: "a", Seats: 1}) }),
		write("/list", func(w *server.Response) {
			list := []string{"a", "b"}
			server.JSONValue(w, 200, "application/json", &list, json.Slice(json.String))
		}),
		write("/text", func(w *server.Response) {
			w.Header("X-Lines", param.Simple, param.Int64.Format(2))
			w.Text(200, "text/plain", "a\nb")
		}),
		write("/bytes", func(w *server.Response) { w.Bytes(201, "image/png", []byte{0, 1}) }),
		write("/empty", func(w *server.Response) { w.Empty(202) }),
		write("/none", func(w *server.Response) {
			w.Header("X-Total", param.Simple, param.Int64.Format(7))
			w.Header("X-Next", param.Simple, param.Opt(param.String, value.Opt[string]{}))
			server.HeaderList(w, "X-Tags", param.Simple, param.String, []string{"a", "b"})
			server.HeaderList(w, "Set-Cookie", param.Simple, param.String, []string{"a=1; Path=/", "b=2, c"})
			w.Empty(204)
		}),
		write("/notmodified", func(w *server.Response) {
			w.Header("ETag", param.Simple, param.TextValue(`"a"`))
			w.JSON(304, "application/json", &Booking{})
		}),
		bare(spec("GET", "/default"), nothing),
		write("/framing", func(w *server.Response) {
			for _, name := range []string{"Content-Length", "Transfer-Encoding", "X-Request-Id", "Connection"} {
				w.Header(name, param.Simple, param.TextValue("9"))
			}
			w.Text(200, "text/plain", "abc")
		}),
	})
	for path, want := range map[string]struct {
		status            int
		text, contentType string
	}{
		"/json":        {200, `{"id":"a","seats":1}`, "application/hal+json"},
		"/list":        {200, `["a","b"]`, "application/json"},
		"/text":        {200, "a\nb", "text/plain; charset=utf-8"},
		"/bytes":       {201, "\x00\x01", "image/png"},
		"/empty":       {202, "", ""},
		"/none":        {204, "", ""},
		"/notmodified": {304, "", ""},
		"/default":     {204, "", ""},
	} {
		r := do(t, "GET", s.URL+path, "")
		r.want(t, want.status, want.text)
		if got := r.Header.Get("Content-Type"); got != want.contentType {
			t.Errorf("%s: %s", path, got)
		}
		head := do(t, "HEAD", s.URL+path, "")
		head.want(t, want.status, "")
		if want.text != "" && head.ContentLength != int64(len(want.text)) {
			t.Errorf("HEAD %s: length %d", path, head.ContentLength)
		}
	}
	if got := do(t, "GET", s.URL+"/text", "").Header.Get("X-Lines"); got != "2" {
		t.Error(got)
	}
	framed := do(t, "GET", s.URL+"/framing", "", "X-Request-Id: mine")
	framed.want(t, 200, "abc")
	if ids := framed.Header["X-Request-Id"]; !slices.Equal(ids, []string{"9"}) || framed.ContentLength != 3 {
		t.Error(framed.Header)
	}
	h := do(t, "GET", s.URL+"/none", "").Header
	if h.Get("X-Total") != "7" || h.Values("X-Next") != nil || h.Get("X-Tags") != "a,b" || !slices.Equal(h["Set-Cookie"], []string{"a=1; Path=/", "b=2, c"}) {
		t.Error(h)
	}
	if h := do(t, "GET", s.URL+"/notmodified", "").Header; h.Get("Etag") != `"a"` {
		t.Error(h)
	}
}

// union is a result that has no JSON form while nothing is set.
type union struct{}

func (*union) EncodeJSON(e *json.Encoder) { e.Fail("no variant is set") }

// noResult is a method that returns neither a result nor an error.
func noResult[Res any](context.Context) (res Res, err error) { return res, nil }

// A result that cannot be sent is a 500 without a word of why, and OnError hears it.
// A status that its range covers is sent as it is.
func TestStatusWithinItsRange(t *testing.T) {
	for _, status := range []int{400, 499} {
		s := start(t, []server.Route{write("/", func(w *server.Response) { w.Empty(w.Within(4, status)) })})
		if r := do(t, "GET", s.URL+"/", ""); r.StatusCode != status {
			t.Errorf("status %d, want %d", r.StatusCode, status)
		}
	}
}

func TestResultsThatCannotBeSent(t *testing.T) {
	for name, route := range map[string]server.Route{
		"nil": give("GET", "/", func(w *server.Response, b *Booking) { w.JSON(200, "application/json", b) },
			noResult[*Booking]),
		"nil in interface": give("GET", "/", func(*server.Response, any) {}, func(context.Context) (any, error) { return (*Booking)(nil), nil }),
		"no interface":     give("GET", "/", func(*server.Response, any) {}, noResult[any]),
		"nil sequence": give("GET", "/", func(w *server.Response, s iter.Seq2[int64, error]) {
			server.Lines(w, 200, "application/x-ndjson", json.Int64, s)
		}, noResult[iter.Seq2[int64, error]]),
		"encoding": write("/", func(w *server.Response) { w.JSON(200, "application/json", &union{}) }),
		"line break": write("/", func(w *server.Response) {
			w.Header("X-A", param.Simple, param.TextValue("a\r\nX-B: secret"))
			w.Empty(204)
		}),
		"bad header": write("/", func(w *server.Response) { w.Header("X A", param.Simple, param.TextValue("a")); w.Empty(204) }),
		"range":      write("/", func(w *server.Response) { w.Stream(200, "image/*", server.Body{Reader: strings.NewReader("x")}) }),
		"other type": write("/", func(w *server.Response) {
			w.Stream(200, "image/*", server.Body{Reader: strings.NewReader("x"), ContentType: "text/plain"})
		}),
		"no reader": write("/", func(w *server.Response) { w.Stream(200, "image/png", server.Body{}) }),
		"twice":     write("/", func(w *server.Response) { w.Empty(204); w.Empty(204) }),
		"no answer": write("/", func(*server.Response) {}),
		"status":    write("/", func(w *server.Response) { w.Empty(99) }),
		"class":     write("/", func(w *server.Response) { w.Empty(w.Within(4, 502)) }),
		"no class":  write("/", func(w *server.Response) { w.Empty(w.Within(2, 0)) }),
		"asked for": write("/", func(w *server.Response) { w.Fail(errors.New("secret")) }),
		"reader": write("/", func(w *server.Response) {
			w.Header("X-A", param.Simple, param.TextValue("a"))
			w.Stream(200, "text/plain", server.Body{Reader: io.MultiReader(failing{}), Length: 5})
		}),
		"file": write("/", func(w *server.Response) { w.File(200, "text/plain", multipart.File{}) }),
	} {
		var f failures
		s := start(t, []server.Route{route}, f.option())
		r := do(t, "GET", s.URL+"/", "")
		p := r.problem(t, 500)
		if errs, statuses := f.heard(); len(errs) != 1 || statuses[0] != 500 || p.Detail != "" || r.Header.Get("X-A") != "" {
			t.Errorf("%s: %v, %s", name, errs, r.text)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("secret") }

func TestErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		err    error
		status int
		hook   bool
	}{
		"typed":          {&NotFound{Body: Problem{Title: "no trip"}}, 404, false},
		"typed, wrapped": {errors.Join(errors.New("x"), &NotFound{Body: Problem{Title: "no trip"}}), 404, false},
		"problem":        {&fault.Problem{Status: 418, Title: "teapot"}, 418, true},
		"no status":      {&fault.Problem{Title: "odd"}, 500, true},
		"not there":      {server.ErrNotImplemented, 501, true},
		"other":          {errors.New("secret"), 500, true},
		"foreign check":  {&check.Error{}, 500, true},
	} {
		var f failures
		s := start(t, []server.Route{bare(spec("GET", "/"), func(context.Context) error { return tt.err })}, f.option())
		r := do(t, "GET", s.URL+"/", "")
		if errs, _ := f.heard(); r.StatusCode != tt.status || (len(errs) == 1) != tt.hook || strings.Contains(r.text, "secret") {
			t.Errorf("%s: %d, %v, %s", name, r.StatusCode, errs, r.text)
		}
		if r.Header.Get("Content-Type") != fault.ProblemType {
			t.Error(r.Header)
		}
	}
	s := start(t, []server.Route{bare(spec("GET", "/"), func(context.Context) error {
		return &NotFound{RetryAfter: value.Some[int64](3), Body: Problem{Title: "no trip"}}
	})})
	r := do(t, "GET", s.URL+"/", "")
	r.want(t, 404, `{"title":"no trip"}`)
	if r.Header.Get("Retry-After") != "3" {
		t.Error(r.Header)
	}
}

func TestPanics(t *testing.T) {
	var value any
	var stack []byte
	hook := server.OnPanic(func(_ context.Context, op string, v any, s []byte) { value, stack = v, s })
	for name, route := range map[string]server.Route{
		"method": bare(spec("GET", "/"), func(context.Context) error { panic("secret") }),
		"encode": write("/", func(*server.Response) { panic("secret") }),
		"decode": take("GET", "/", nil, func(*struct{}, *server.Request) { panic("secret") }, func(struct{}) error { return nil }),
	} {
		value, stack = nil, nil
		s := start(t, []server.Route{route}, hook)
		if r := do(t, "GET", s.URL+"/", ""); r.StatusCode != http.StatusInternalServerError || strings.Contains(r.text, "secret") {
			t.Errorf("%s: %d %s", name, r.StatusCode, r.text)
		}
		if value != "secret" || !strings.Contains(string(stack), "response_test.go") {
			t.Errorf("%s: %v, %s", name, value, stack)
		}
	}
	// The server's own way to break off is not a fault.
	value = nil
	s := start(t, []server.Route{bare(spec("GET", "/"), func(context.Context) error { panic(http.ErrAbortHandler) })}, hook)
	if res, err := http.Get(s.URL); err == nil || value != nil {
		t.Error(err, value)
		_ = res.Body.Close()
	}
}

func TestErrorHandler(t *testing.T) {
	s := start(t, []server.Route{bare(spec("GET", "/"), nothing)}, server.ErrorHandler(func(w http.ResponseWriter, r *http.Request, p *fault.Problem) {
		w.WriteHeader(p.Status)
		_, _ = io.WriteString(w, r.Method+": "+p.Title)
	}))
	r := do(t, "PUT", s.URL+"/", "")
	r.want(t, 405, "PUT: Method Not Allowed")
	if r.Header.Get("Allow") != "GET" {
		t.Error(r.Header)
	}
}

func TestAccept(t *testing.T) {
	var got string
	s := start(t, []server.Route{server.HandleBare(&server.Operation[server.None]{
		Spec: spec("GET", "/"), Produces: []string{"application/json", "text/csv"},
	}, func(ctx context.Context) error {
		got = server.Preferred(ctx, "application/json", "text/csv")
		return nil
	})})
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "text/*": "text/csv", "text/csv;q=0.9, application/json;q=0.8": "text/csv",
		"application/json;q=0, */*": "text/csv", "application/*;q=0.2, text/csv;q=0.1": "application/json", "TEXT/CSV": "text/csv",
		"application/json;q=nonsense": "application/json", ",": "application/json",
	} {
		got = ""
		if r := do(t, "GET", s.URL, "", "Accept: "+accept); r.StatusCode != http.StatusNoContent || got != want {
			t.Errorf("%q: %d, %s, want %s", accept, r.StatusCode, got, want)
		}
	}
	for _, accept := range []string{"image/png", "application/json;q=0, text/csv;q=0.0", "text/html, application/xml"} {
		p := do(t, "GET", s.URL, "", "Accept: "+accept).problem(t, 406)
		if !strings.Contains(p.Detail, "application/json, text/csv") {
			t.Error(p.Detail)
		}
	}
}

func TestValidateResponses(t *testing.T) {
	route := give("GET", "/", func(w *server.Response, b *Booking) { w.JSON(200, "application/json", b) },
		func(context.Context) (*Booking, error) { return &Booking{Seats: 10}, nil })
	s := start(t, []server.Route{route})
	do(t, "GET", s.URL, "").want(t, 200, `{"id":"","seats":10}`)
	var f failures
	s = start(t, []server.Route{route}, server.ValidateResponses(), f.option())
	do(t, "GET", s.URL, "").problem(t, 500)
	var list *check.Error
	if errs, _ := f.heard(); len(errs) != 1 || !errors.As(errs[0], &list) || list.Violations[0].Pointer != "/seats" {
		t.Error(errs)
	}
}

func TestWorksWithARecorder(t *testing.T) {
	h := server.New(nil, []server.Route{write("/", func(w *server.Response) {
		server.Lines(w, 200, "application/x-ndjson", json.Int64, func(yield func(int64, error) bool) { yield(1, nil) })
	})})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != 200 || w.Body.String() != "1\n" {
		t.Error(w.Code, w.Body)
	}
}
