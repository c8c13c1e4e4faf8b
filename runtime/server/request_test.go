package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// untyped is a function for requests of one type as an operation takes it.
func untyped[Req, Arg any](f func(*Req, Arg)) func(any, Arg) {
	return func(req any, arg Arg) { f(req.(*Req), arg) }
}

// take is a route that decodes a request of any type and hands it to f.
func take[Req any](method, path string, consumes []string, decode func(*Req, *server.Request), f func(Req) error) server.Route {
	return server.HandleExec(&server.Operation[server.None]{Spec: spec(method, path), Consumes: consumes, Decode: untyped(decode)},
		func(_ context.Context, r Req) error { return f(r) })
}

func TestRequestIsDecoded(t *testing.T) {
	var got CreateBookingRequest
	s := start(t, []server.Route{server.Handle(&createBookingRoute, func(_ context.Context, r CreateBookingRequest) (*Booking, error) {
		got = r
		return &Booking{ID: "b1", Seats: r.Body.Seats}, nil
	})})
	r := do(t, "POST", s.URL+"/trips/7/bookings?tags=a,b%2Cc", `{"seats":2}`, "Content-Type: application/json; charset=UTF-8")
	r.want(t, 201, `{"id":"b1","seats":2}`)
	if r.Header.Get("Content-Type") != "application/json" {
		t.Error(r.Header)
	}
	if limit, _ := got.Limit.Get(); got.TripID != "7" || limit != 20 || !slices.Equal(got.Tags, []string{"a", "b,c"}) || got.Body.Seats != 2 {
		t.Errorf("%+v", got)
	}
	do(t, "POST", s.URL+"/trips/7/bookings?limit=3", `{"seats":2}`, "Content-Type: APPLICATION/JSON").want(t, 201, `{"id":"b1","seats":2}`)
	if limit, _ := got.Limit.Get(); limit != 3 || got.Tags != nil {
		t.Errorf("%+v", got)
	}
}

// All that is wrong is answered at once: what could not be read and what breaks a
// constraint, of the parameters and of the body.
func TestAllViolationsAtOnce(t *testing.T) {
	s := start(t, []server.Route{server.Handle(&createBookingRoute, func(context.Context, CreateBookingRequest) (*Booking, error) {
		t.Error("called")
		return nil, server.ErrNotImplemented
	})})
	post := func(query, body string) *fault.Problem {
		return do(t, "POST", s.URL+"/trips/7/bookings"+query, body, "Content-Type: application/json").problem(t, 400)
	}
	type place struct{ in, name, pointer string }
	for _, tt := range []struct {
		query, body string
		want        []place
	}{
		{"?limit=0&tags=a,a", `{"seats":10,"note":"too long"}`, []place{
			{"query", "limit", ""}, {"query", "tags", ""}, {"body", "", "/seats"}, {"body", "", "/note"},
		}},
		{"?limit=x", `{"seats":"2","note":"too long","more":1}`, []place{
			{"query", "limit", ""}, {"body", "", "/seats"}, {"body", "", "/more"}, {"body", "", "/note"},
		}},
		{"?limit=1&limit=2", `{}`, []place{{"query", "limit", ""}, {"body", "", "/seats"}}},
		{"?limit=0", `{"seats":`, []place{{"body", "", "/seats"}, {"query", "limit", ""}}},
		{"", `{"note":"a",}`, []place{{"body", "", ""}}},
		{"?limit=0", ``, []place{{"body", "", ""}, {"query", "limit", ""}}},
		{"", `null`, []place{{"body", "", ""}}},
		{"", `{"seats":1} {}`, []place{{"body", "", ""}}},
		{"", `{"seats":1,"seats":2}`, []place{{"body", "", "/seats"}}},
	} {
		var got []place
		for _, v := range post(tt.query, tt.body).Violations {
			got = append(got, place{v.In, v.Name, v.Pointer})
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(place{})); diff != "" {
			t.Errorf("%s %s: %s", tt.query, tt.body, diff)
		}
	}
	if p := post("", ""); p.Detail != "request body required" {
		t.Error(p.Detail)
	}
}

func TestOptionalBody(t *testing.T) {
	type request struct{ body *Booking }
	var got *Booking
	called := 0
	s := start(t, []server.Route{
		take("POST", "/opt", []string{"application/json"},
			func(r *request, s *server.Request) { server.JSONPtr(s, &r.body) },
			func(r request) error { called++; got = r.body; return nil }),
	})
	do(t, "POST", s.URL+"/opt", "").want(t, 204, "")
	if called != 1 || got != nil {
		t.Error(called, got)
	}
	do(t, "POST", s.URL+"/opt", `{"seats":1}`, "Content-Type: application/json").want(t, 204, "")
	if called != 2 || got == nil || got.Seats != 1 {
		t.Error(called, got)
	}
	// Sent in chunks, so that only reading tells that there is nothing.
	req, _ := http.NewRequest(http.MethodPost, s.URL+"/opt", io.MultiReader(strings.NewReader("")))
	send(t, req).want(t, 204, "")
	if called != 3 || got != nil {
		t.Error(called, got)
	}
	req, _ = http.NewRequest(http.MethodPost, s.URL+"/opt", io.MultiReader(strings.NewReader(`{"seats":3}`)))
	req.Header.Set("Content-Type", "application/json")
	send(t, req).want(t, 204, "")
	if called != 4 || got == nil || got.Seats != 3 {
		t.Error(called, got)
	}
	// Callers send null for no body.
	do(t, "POST", s.URL+"/opt", " null\n", "Content-Type: application/json").want(t, 204, "")
	if called != 5 || got != nil {
		t.Error(called, got)
	}
	do(t, "POST", s.URL+"/opt", "nul", "Content-Type: application/json").problem(t, 400)
}

// Null stands for an optional body that is not there, in all the forms of one, and is
// kept where the schema has it as a value.
func TestNullForAnOptionalBody(t *testing.T) {
	type request struct {
		body Booking
		list []int64
		opt  value.Opt[int64]
		null value.OptNull[int64]
	}
	for _, tt := range []struct {
		name   string
		decode func(*request, *server.Request)
		want   request
		status int
	}{
		{"struct", func(r *request, s *server.Request) { s.JSON(&r.body, false) }, request{}, 204},
		{"required struct", func(r *request, s *server.Request) { s.JSON(&r.body, true) }, request{}, 400},
		{"list", func(r *request, s *server.Request) { server.ReadJSON(s, json.Slice(json.Int64), &r.list, false) }, request{}, 204},
		{"required list", func(r *request, s *server.Request) { server.ReadJSON(s, json.Slice(json.Int64), &r.list, true) }, request{}, 400},
		{"scalar", func(r *request, s *server.Request) { server.ReadJSONOpt(s, json.Int64, &r.opt) }, request{}, 204},
		{"nullable", func(r *request, s *server.Request) { server.ReadJSONOptNull(s, json.Int64, &r.null) }, request{null: value.NullOf[int64]()}, 204},
	} {
		var got []request
		s := start(t, []server.Route{take("POST", "/", []string{"application/json"}, tt.decode, func(r request) error {
			got = append(got, r)
			return nil
		})})
		r := do(t, "POST", s.URL+"/", "null", "Content-Type: application/json")
		if r.StatusCode != tt.status || (len(got) == 1) != (tt.status == 204) || len(got) == 1 && !reflect.DeepEqual(got[0], tt.want) {
			t.Errorf("%s: %d, %+v", tt.name, r.StatusCode, got)
		}
	}
}

func TestContentTypes(t *testing.T) {
	type request struct {
		index int
		media string
	}
	var got request
	s := start(t, []server.Route{take("POST", "/m", []string{"application/*", "application/json", "image/*", "*/*"},
		func(r *request, s *server.Request) { r.index, r.media = s.Match(true), s.ContentType() },
		func(r request) error { got = r; return nil })})
	for contentType, index := range map[string]int{
		"application/json; charset=utf-8": 1, "APPLICATION/JSON": 1, "application/xml": 0, "image/svg+xml": 2, "text/plain": 3,
	} {
		do(t, "POST", s.URL+"/m", "x", "Content-Type: "+contentType).want(t, 204, "")
		if got.index != index || got.media != contentType {
			t.Errorf("%s: %+v", contentType, got)
		}
	}
	do(t, "POST", s.URL+"/m", "").problem(t, 400)
	do(t, "POST", s.URL+"/m", "x").want(t, 204, "")
	if got.index != 0 { // taken for application/octet-stream
		t.Error(got)
	}
}

func TestUnsupportedMediaType(t *testing.T) {
	decode := func(r *Booking, s *server.Request) { s.JSON(r, true) }
	consumes := []string{"application/json", "application/hal+json"}
	s := start(t, []server.Route{
		take("POST", "/a", consumes, decode, func(Booking) error { return nil }),
		take("PATCH", "/a", consumes, decode, func(Booking) error { return nil }),
	})
	for _, headers := range [][]string{{"Content-Type: text/plain"}, {}, {"Content-Type: application/jsonp"}} {
		r := do(t, "POST", s.URL+"/a", `{"seats":1}`, headers...)
		p := r.problem(t, 415)
		if !strings.Contains(p.Detail, "application/json, application/hal+json") || r.Header.Get("Accept-Post") != "application/json, application/hal+json" {
			t.Error(p.Detail, r.Header)
		}
	}
	r := do(t, "PATCH", s.URL+"/a", `{"seats":1}`, "Content-Type: text/plain")
	r.problem(t, 415)
	if r.Header.Get("Accept-Patch") == "" {
		t.Error(r.Header)
	}
	r = do(t, "POST", s.URL+"/a", "x", "Content-Type: application/json", "Content-Encoding: gzip")
	r.problem(t, 415)
	if r.Header.Get("Accept-Encoding") != "identity" {
		t.Error(r.Header)
	}
	do(t, "POST", s.URL+"/a", `{"seats":1}`, "Content-Type: application/hal+json;profile=x").want(t, 204, "")
}

func TestBodyLimits(t *testing.T) {
	read := func(r *Booking, s *server.Request) { s.JSON(r, true) }
	var streamErr error
	type request struct{ body io.Reader }
	routes := []server.Route{
		take("POST", "/json", []string{"application/json"}, read, func(Booking) error { return nil }),
		take("POST", "/stream", []string{"application/octet-stream"},
			func(r *request, s *server.Request) { s.Binary(&r.body, true) },
			func(r request) error { _, streamErr = io.Copy(io.Discard, r.body); return streamErr }),
	}
	s := start(t, routes, server.BodyLimit(20), server.OnError(nil))
	for _, chunked := range []bool{false, true} {
		body := func(text string) io.Reader {
			if chunked {
				return io.MultiReader(strings.NewReader(text))
			}
			return strings.NewReader(text)
		}
		post := func(path, text string) reply {
			req, _ := http.NewRequest(http.MethodPost, s.URL+path, body(text))
			req.Header.Set("Content-Type", map[string]string{"/json": "application/json", "/stream": "application/octet-stream"}[path])
			return send(t, req)
		}
		post("/json", `{"seats":1         }`).want(t, 204, "")
		post("/json", `{"seats":1          }`).problem(t, 413)
		post("/stream", strings.Repeat("x", 20)).want(t, 204, "")
		post("/stream", strings.Repeat("x", 21)).problem(t, 413)
	}
	var tooMuch *http.MaxBytesError
	if !errors.As(streamErr, &tooMuch) || tooMuch.Limit != 20 {
		t.Error(streamErr)
	}
	s = start(t, routes, server.OperationLimit("POST /json", 5), server.StreamLimit(3), server.OnError(nil))
	do(t, "POST", s.URL+"/json", `{"seats":1}`, "Content-Type: application/json").problem(t, 413)
	do(t, "POST", s.URL+"/stream", "xxx", "Content-Type: application/octet-stream").want(t, 204, "")
	do(t, "POST", s.URL+"/stream", "xxxx", "Content-Type: application/octet-stream").problem(t, 413)
}

func TestText(t *testing.T) {
	type request struct {
		text string
		opt  value.Opt[string]
	}
	var got request
	s := start(t, []server.Route{
		take("PUT", "/t", []string{"text/plain"}, func(r *request, s *server.Request) { s.Text(&r.text, true) },
			func(r request) error { got = r; return nil }),
		take("PUT", "/o", []string{"text/plain"}, func(r *request, s *server.Request) { s.TextOpt(&r.opt) },
			func(r request) error { got = r; return nil }),
	})
	do(t, "PUT", s.URL+"/t", "hello", "Content-Type: text/plain").want(t, 204, "")
	if got.text != "hello" {
		t.Error(got)
	}
	do(t, "PUT", s.URL+"/t", "caf\xe9", "Content-Type: text/plain; charset=ISO-8859-1").want(t, 204, "")
	if got.text != "café" {
		t.Error(got)
	}
	do(t, "PUT", s.URL+"/t", "caf\xe9", "Content-Type: text/plain").problem(t, 400)
	do(t, "PUT", s.URL+"/t", "x", "Content-Type: text/plain; charset=koi8-r").problem(t, 415)
	do(t, "PUT", s.URL+"/o", "").want(t, 204, "")
	if got.opt.IsSet() {
		t.Error(got)
	}
	do(t, "PUT", s.URL+"/o", "a", "Content-Type: text/plain; charset=utf-8").want(t, 204, "")
	if text, ok := got.opt.Get(); !ok || text != "a" {
		t.Error(got)
	}
}

func TestHeadersAndCookies(t *testing.T) {
	type request struct {
		ids   []int64
		trace string
		sid   string
		prefs []string
		host  string
	}
	var got request
	s := start(t, []server.Route{take("GET", "/h", nil, func(r *request, s *server.Request) {
		field.GetList(s.Header("X-Ids", param.Simple), param.Int64, &r.ids, false)
		field.Get(s.Header("x-trace-id", param.Simple), param.String, &r.trace)
		field.Get(s.Cookie("sid", param.Form), param.String, &r.sid)
		field.GetList(s.Cookie("prefs", param.Form), param.String, &r.prefs, false)
		field.Get(s.Header("Host", param.Simple), param.String, &r.host)
	}, func(r request) error { got = r; return nil })})
	do(t, "GET", s.URL+"/h", "", "X-Ids: 3", "X-Ids: 4", "X-Trace-Id: t", "Cookie: sid=s1; prefs=a,b").want(t, 204, "")
	want := request{[]int64{3, 4}, "t", "s1", []string{"a", "b"}, strings.TrimPrefix(s.URL, "http://")}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	p := do(t, "GET", s.URL+"/h", "").problem(t, 400)
	if len(p.Violations) != 2 || !strings.EqualFold(p.Violations[0].Name, "X-Trace-Id") || p.Violations[0].In != "header" ||
		p.Violations[1].Name != "sid" || p.Violations[1].In != "cookie" {
		t.Error(p.Violations)
	}
}

func TestQueryStyles(t *testing.T) {
	type request struct {
		a     []int64
		c     []string
		s     []string
		p     []int64
		where map[string]any
		ids   []int64
		whole string
	}
	where := param.JSON(json.Map(json.Any))
	var got request
	s := start(t, []server.Route{take("GET", "/q", nil, func(r *request, s *server.Request) {
		field.GetList(s.Query("a", param.Form|param.Explode), param.Int64, &r.a, false)
		field.GetList(s.Query("c", param.Form), param.String, &r.c, false)
		field.GetList(s.Query("s", param.SpaceDelimited), param.String, &r.s, false)
		field.GetList(s.Query("p", param.PipeDelimited), param.Int64, &r.p, false)
		field.GetDefault(s.Query("where", param.Form|param.Explode), where, &r.where)
		field.GetList(s.Query("ids[]", param.Form|param.Explode), param.Int64, &r.ids, false)
	}, func(r request) error { got = r; return nil }),
		take("GET", "/whole", nil, func(r *request, s *server.Request) {
			field.Get(s.QueryString("q"), param.String, &r.whole)
		}, func(r request) error { got = r; return nil }),
		take("GET", "/free", nil, func(r *request, s *server.Request) {
			s.ReserveQuery("a")
			var m map[string]string
			field.GetMap(s.Query("rest", param.Form|param.Explode), param.String, &m, false)
			r.whole = m["x"] + m["y"] + m["a"]
		}, func(r request) error { got = r; return nil }),
	})
	do(t, "GET", s.URL+"/q?a=1&a=2&c=p%2Cq,r&s=a+b%20c&p=1%7C2|3&where=%7B%22b%22%3A%22x+y%22%7D&ids%5B%5D=1&ids[]=2", "").want(t, 204, "")
	want := request{a: []int64{1, 2}, c: []string{"p,q", "r"}, s: []string{"a", "b", "c"}, p: []int64{1, 2, 3}, where: map[string]any{"b": "x y"}, ids: []int64{1, 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for query, name := range map[string]string{"a=": "a", "where=%7B": "where", "p=1|x": "p"} {
		p := do(t, "GET", s.URL+"/q?"+query, "").problem(t, 400)
		if len(p.Violations) != 1 || p.Violations[0].Name != name || p.Violations[0].In != "query" {
			t.Errorf("%s: %v", query, p.Violations)
		}
	}
	do(t, "GET", s.URL+"/whole?%7B%22a%22:1%7D", "").want(t, 204, "")
	if got.whole != `{"a":1}` {
		t.Error(got.whole)
	}
	do(t, "GET", s.URL+"/whole", "").problem(t, 400)
	do(t, "GET", s.URL+"/free?a=1&x=2&y=3", "").want(t, 204, "")
	if got.whole != "23" {
		t.Error(got.whole)
	}
}
