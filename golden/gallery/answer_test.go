package gallery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// serve runs an echo and gives its address.
func serve(t *testing.T, opts ...server.Option) (string, *echo) {
	t.Helper()
	svc := &echo{}
	s := httptest.NewServer(gallery.NewHandler(svc, append(opts, everyone)...))
	t.Cleanup(s.Close)
	return s.URL, svc
}

func TestRouting(t *testing.T) {
	url, _ := serve(t)
	for _, tt := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/", 404, ""},
		{"GET", "/nowhere", 404, ""},
		{"GET", "/cookies/", 404, ""},
		{"GET", "/path/label/.a/.1/.1/.x,1,y,2", 404, ""}, // one segment less
		{"POST", "/path/jobs/:run", 404, ""},              // an empty id
		{"GET", "/path/files/json", 404, ""},              // no dot
		{"POST", "/cookies", 405, "GET, HEAD, OPTIONS"},
		{"GET", "/bodies/json", 405, "OPTIONS, POST"},
		{"GET", "/search", 405, "OPTIONS, PURGE, QUERY"},
		{"DELETE", "/streams/lines", 405, "GET, HEAD, OPTIONS, POST"},
		{"OPTIONS", "/streams/lines", 204, "GET, HEAD, OPTIONS, POST"},
		{"HEAD", "/streams/lines", 200, ""}, // of GET
		{"PURGE", "/search", 204, ""},
	} {
		a := by(t, tt.method, url+tt.path, "")
		if a.status != tt.status || tt.status == 405 && a.header.Get("Allow") == "" {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.path, a.status, tt.status)
			continue
		}
		got := strings.Split(strings.ReplaceAll(a.header.Get("Allow"), " ", ""), ",")
		want := strings.Split(strings.ReplaceAll(tt.allow, " ", ""), ",")
		for _, m := range want {
			// HEAD and OPTIONS, which no document need declare, may be told or not.
			if !slices.Contains(got, m) && m != http.MethodOptions && m != http.MethodHead {
				t.Errorf("%s %s: Allow %q lacks %s", tt.method, tt.path, a.header.Get("Allow"), m)
			}
		}
		for _, m := range got {
			if !slices.Contains(want, m) {
				t.Errorf("%s %s: Allow %q has %s", tt.method, tt.path, a.header.Get("Allow"), m)
			}
		}
		if a.status >= 400 {
			a.detail(t)
		}
	}
}

// 406, 413 and 415 say what would do.
func TestContentNegotiation(t *testing.T) {
	url, svc := serve(t, server.BodyLimit(100))
	point, long := `{"x":1,"y":2}`, `{"x":1,"y":2,"label":"`+strings.Repeat("x", 100)+`"}`
	const typed = "Content-Type: application/json"
	for _, tt := range []struct {
		method, path, body string
		lines              []string
		status             int
		says               string
	}{
		{"POST", "/bodies/choice", point, []string{typed, "Accept: image/png"}, 406, "application/json, text/plain"},
		{"POST", "/bodies/choice", point, []string{typed, "Accept: text/*;q=0.1, image/png"}, 200, ""},
		{"POST", "/bodies/choice", point, []string{typed, "Accept: */*"}, 200, ""},
		{"POST", "/bodies/json", "{}", []string{typed, "Accept: application/json"}, 406, "application/vnd.gallery+json"},
		{"GET", "/streams/events", "", []string{"Accept: application/json"}, 406, "text/event-stream"},
		{"POST", "/bodies/json", "<a/>", []string{"Content-Type: text/xml"}, 415, "application/json"},
		{"POST", "/bodies/json", "{}", nil, 415, "application/json"},
		{"POST", "/bodies/json", "{}", []string{typed + "; charset=utf-8"}, 200, ""},
		{"POST", "/bodies/json", "{}", []string{typed, "Content-Encoding: gzip"}, 415, "compressed"},
		{"POST", "/bodies/choice", "a", []string{"Content-Type: text/html"}, 415, "application/json, text/plain"},
		{"PUT", "/bodies/image", "a", []string{"Content-Type: text/plain"}, 415, "image/*"},
		{"PUT", "/bodies/image", "a", []string{"Content-Type: image/webp"}, 200, ""},
		{"POST", "/bodies/form", "a=b", []string{typed}, 415, "application/x-www-form-urlencoded"},
		{"POST", "/bodies/multipart", "{}", []string{typed}, 415, "multipart/form-data"},
		{"POST", "/streams/lines", "{}", []string{"Content-Type: text/plain"}, 415, "application/x-ndjson"},
		{"POST", "/bodies/choice", long, []string{typed}, 413, ""},
		{"PUT", "/bodies/text", long, []string{"Content-Type: text/plain"}, 413, ""},
		{"PUT", "/bodies/binary", long, []string{"Content-Type: application/octet-stream"}, 413, ""},
		{"POST", "/bodies/form", "name=" + long, []string{"Content-Type: application/x-www-form-urlencoded"}, 413, ""},
	} {
		svc.keep(nil)
		a := by(t, tt.method, url+tt.path, tt.body, tt.lines...)
		if a.status != tt.status {
			t.Errorf("%s %s %q: %d, want %d: %s", tt.method, tt.path, tt.lines, a.status, tt.status, a.body)
			continue
		}
		if a.status >= 400 && !strings.Contains(a.detail(t), tt.says) {
			t.Errorf("%s %s %q: %q does not say %q", tt.method, tt.path, tt.lines, a.detail(t), tt.says)
		}
		if a.status == 415 && tt.method == "POST" && tt.says != "compressed" && a.header.Get("Accept-Post") != tt.says {
			t.Errorf("%s: Accept-Post %q", tt.path, a.header.Get("Accept-Post"))
		}
	}
}

// violations are the places that a 400 complains of: "query small", "body /x".
func (a answer) violations(t *testing.T) []string {
	t.Helper()
	var p struct {
		Violations []struct {
			In      string `json:"in"`
			Name    string `json:"name"`
			Pointer string `json:"pointer"`
			Detail  string `json:"detail"`
		} `json:"violations"`
	}
	if err := json.Unmarshal([]byte(a.body), &p); err != nil || a.status != http.StatusBadRequest {
		t.Errorf("%d with %s: %v", a.status, a.body, err)
	}
	var out []string
	for _, v := range p.Violations {
		if v.Detail == "" {
			t.Errorf("no detail in %s", a.body)
		}
		out = append(out, v.In+" "+v.Name+v.Pointer)
	}
	slices.Sort(out)
	return out
}

// One answer has all that is wrong.
func TestAllViolations(t *testing.T) {
	url, svc := serve(t)
	const typed, form = "Content-Type: application/json", "Content-Type: application/x-www-form-urlencoded"
	for name, tt := range map[string]struct {
		method, path, body string
		lines              []string
		want               []string
	}{
		"scalars": {
			"GET", "/query/scalars?flag=maybe&small=2147483648&big=x&ratio=.&exact=1,5&at=yesterday&day=2024-02-30&clock=25:00:00Z&span=P&id=1&blob=%2A&v4=::1&v6=1.2.3.4&link=%20&mail=nobody",
			"", nil,
			[]string{
				"query at", "query big", "query blob", "query clock", "query day", "query exact", "query flag", "query id", "query link", "query mail",
				"query ratio", "query small", "query span", "query v4", "query v6",
			},
		},
		"repeated":         {"GET", "/query/scalars?flag=true&flag=false", "", nil, []string{"query flag"}},
		"path":             {"GET", "/path/simple/x/a/x,1/y=2", "", nil, []string{"path exploded/x", "path id", "path object/y"}},
		"headers":          {"GET", "/headers", "", []string{"X-Ids: 1,b", "X-Point: x,a", "X-Json: {"}, []string{"header X-Ids/1", "header X-Json", "header X-Point/x", "header X-Point/y", "header X-Trace"}},
		"cookie":           {"GET", "/cookies", "", nil, []string{"cookie sid"}},
		"styles":           {"GET", "/query/styles?pipes=1%7Cx&deep%5Bsizes%5D=a&flat=x,1&where=%5B%5D&%24top=ten&colour=pink", "", nil, []string{"query $top", "query colour", "query deep/sizes/0", "query flat/y", "query pipes/1", "query where"}},
		"members":          {"POST", "/bodies/optional", `{"x":"a","label":1}`, []string{typed}, []string{"body /label", "body /x", "body /y"}},
		"no body":          {"POST", "/bodies/json", "", []string{typed}, []string{"body "}},
		"no JSON":          {"POST", "/bodies/json", `{"state":`, []string{typed}, []string{"body /state"}},
		"more than a text": {"POST", "/bodies/json", `{} {}`, []string{typed}, []string{"body "}},
		"not an object":    {"POST", "/bodies/json", `[]`, []string{typed}, []string{"body "}},
		"form":             {"POST", "/bodies/form", "sizes=1&sizes=b&deep%5Bsizes%5D=c", []string{form}, []string{"body /deep/sizes/0", "body /name", "body /sizes/1"}},
		"format":           {"POST", "/hooks", `{"url":"not a URL"}`, []string{typed}, []string{"body /url"}},
	} {
		a := by(t, tt.method, url+tt.path, tt.body, tt.lines...)
		if got := a.violations(t); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q\n%s", name, got, tt.want, a.body)
		}
		if svc.got != nil {
			t.Errorf("%s: the service was called", name)
		}
	}
}

// Every status that the document declares, and any other one.
func TestEveryStatus(t *testing.T) {
	type shape struct {
		result any
		failed error
	}
	for code, want := range map[int64]shape{
		200: {result: &gallery.StatusesOK{}}, 201: {result: &gallery.StatusesCreated{}}, 204: {result: &gallery.StatusesNoContent{}},
		303: {result: &gallery.StatusesSeeOther{}}, 404: {failed: &gallery.StatusesNotFound{}}, 409: {failed: &gallery.Statuses4XX{}},
		500: {failed: &gallery.StatusesDefault{}}, 503: {failed: &gallery.StatusesDefault{}}, 599: {failed: &gallery.StatusesDefault{}},
	} {
		// Each has a client of its own, for several failures open a breaker.
		c, _, _ := start(t)
		var meta client.Meta
		res, err := c.Statuses(t.Context(), gallery.StatusesRequest{Code: code}, client.NoRetry(), client.Into(&meta))
		if meta.Status != int(code) {
			t.Errorf("%d: meta has %d", code, meta.Status)
		}
		if want.failed == nil {
			if err != nil || typeName(res) != typeName(want.result) {
				t.Errorf("%d: %T, %v", code, res, err)
			}
			continue
		}
		var f *fault.Error
		if !errors.As(err, &f) || f.Status != int(code) || typeName(f.Err) != typeName(want.failed) || res != nil {
			t.Errorf("%d: %v", code, err)
		}
	}
	// Of an operation that declares one status only.
	for status, kind := range map[int]fault.Kind{202: fault.Response, 304: fault.Response, 418: fault.Status, 500: fault.Status} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("X-Why", "because")
			w.WriteHeader(status)
			if status != http.StatusNotModified {
				_, _ = w.Write([]byte("what?")) // the client is what is tested
			}
		}))
		t.Cleanup(s.Close)
		c, err := gallery.New(client.BaseURL(s.URL))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.BodyText(t.Context(), gallery.BodyTextRequest{Body: "a"}, client.NoRetry())
		var own *client.StatusError
		var f *fault.Error
		if !errors.As(err, &own) || own.StatusCode != status || own.Header.Get("X-Why") != "because" ||
			// A 304 has neither a body nor the type of one.
			status != http.StatusNotModified && (own.ContentType != "text/plain" || string(own.Body) != "what?") || strings.Contains(err.Error(), "what?") {
			t.Errorf("%d: %v", status, err)
		}
		if !errors.As(err, &f) || f.Kind != kind || f.Status != status {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// HEAD has a status, headers and nothing else.
func TestHead(t *testing.T) {
	c, _, w := start(t)
	if err := c.HeadStatus(t.Context(), gallery.HeadStatusRequest{Code: 200}); err != nil || w.request.Method != http.MethodHead || w.target() != "/statuses/200" {
		t.Errorf("%v, %s", err, w.target())
	}
	url, _ := serve(t)
	a := by(t, http.MethodHead, url+"/cookies", "", "Cookie: sid=a")
	b := by(t, http.MethodGet, url+"/cookies", "", "Cookie: sid=a")
	if a.status != 200 || a.body != "" || a.header.Get("Content-Length") != b.header.Get("Content-Length") || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %q", a.status, a.header, a.body)
	}
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	other, err := gallery.New(client.BaseURL(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	var own *client.StatusError
	if err := other.HeadStatus(t.Context(), gallery.HeadStatusRequest{}); !errors.As(err, &own) || own.StatusCode != http.StatusNotFound || len(own.Body) != 0 {
		t.Errorf("%v", err)
	}
}

// Headers that a response has to have, and those that are no value of their type.
func TestResponseHeaders(t *testing.T) {
	for name, tt := range map[string]struct {
		lines []string
		wrong string
	}{
		"all":           {[]string{"X-Total: 7", "X-Tags: a, b", "X-Next: n", "Set-Cookie: a=1", "Set-Cookie: b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT"}, ""},
		"required only": {[]string{"X-Total: 7"}, ""},
		"none":          {nil, "X-Total"},
		"no number":     {[]string{"X-Total: many"}, "X-Total"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for _, line := range tt.lines {
				name, text, _ := strings.Cut(line, ": ")
				w.Header().Add(name, text)
			}
			_, _ = w.Write([]byte(`{"values":{}}`)) // the client is what is tested
		}))
		t.Cleanup(s.Close)
		c, err := gallery.New(client.BaseURL(s.URL))
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Headers(context.Background(), gallery.HeadersRequest{XTrace: "t"})
		if tt.wrong != "" {
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.Response || !strings.Contains(err.Error(), tt.wrong) || res != nil {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
			continue
		}
		if err != nil || res.XTotal != 7 {
			t.Errorf("%s: %+v, %v", name, res, err)
			continue
		}
		if all := len(tt.lines) > 1; all && (!slices.Equal(res.XTags, []string{"a", "b"}) || res.XNext.Or("") != "n" || len(res.SetCookie) != 2 || !strings.HasSuffix(res.SetCookie[1], "GMT")) ||
			!all && (res.XTags != nil || res.XNext.IsSet() || res.SetCookie != nil) {
			t.Errorf("%s: %+v", name, res)
		}
	}
}
