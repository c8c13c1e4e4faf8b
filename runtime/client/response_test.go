package client_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// answer is a handler that answers one thing.
func answer(status int, contentType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil // do not guess one
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		for i := 0; i < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

type nameOf string

// Media types are compared without case and parameters, the most specific case
// of the decoder first.
func TestContentTypes(t *testing.T) {
	decode := func(r *client.Response) (nameOf, error) {
		switch {
		case r.Is(200, "application/json; charset=utf-8"):
			return "json", nil
		case r.Is(200, "application/hal+json"):
			return "hal", nil
		case r.Is(200, "image/*"):
			return "image", nil
		case r.InRange(4, "application/problem+json"):
			return "", r.Fail(&NotFound{})
		case r.IsLike(409, "application/problem+json"):
			return "like", nil
		case r.StatusCode() == 201 && r.Other("*/*"):
			return "any", nil
		}
		return "", r.Undeclared()
	}
	for _, test := range []struct {
		status      int
		contentType string
		want        nameOf
	}{
		{200, "application/json; charset=UTF-8", "json"},
		{200, "APPLICATION/JSON", "json"},
		{200, "application/hal+json;profile=x", "hal"},
		{200, "image/svg+xml", "image"},
		{200, "", "json"},
		{201, "text/x", "any"},
	} {
		c := core(t, answer(test.status, test.contentType, "{}"))
		if got, err := call(t, c, op("GET", "/", decode), nil); err != nil || got != test.want {
			t.Errorf("%d %s: %q, %v", test.status, test.contentType, got, err)
		}
	}
	_, err := call(t, core(t, answer(418, "application/problem+json; x=y", "{}")), op("GET", "/", decode), nil)
	if _, ok := errors.AsType[*NotFound](err); !ok {
		t.Errorf("4XX: %v", err)
	}
	got, err := call(t, core(t, answer(409, "application/json", "{}")), op("GET", "/", decode), nil)
	if err != nil || got != "like" {
		t.Errorf("like: %v, %v", got, err)
	}
	_, err = call(t, core(t, answer(200, "text/html", "<p>")), op("GET", "/", decode), nil)
	var status *client.StatusError
	if !errors.As(err, &status) || status.ContentType != "text/html" || faultOf(t, err).Kind != fault.Response {
		t.Errorf("undeclared: %v", err)
	}
}

func TestResponsesWithoutContent(t *testing.T) {
	url, connections := counted(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodDelete:
			answer(204, "application/json", "")(w, r)
		case http.MethodHead:
			answer(200, "application/json", "", "Content-Length", "9")(w, r)
		case http.MethodOptions:
			answer(304, "application/json", "")(w, r)
		default:
			answer(200, "application/json", "")(w, r)
		}
	})
	c := coreOf(t, &client.API{}, client.BaseURL(url))
	status := func(want int) func(*client.Response) (client.None, error) {
		return func(r *client.Response) (client.None, error) {
			if r.Is(want, "") {
				return client.DecodeNone(r)
			}
			return client.None{}, r.Undeclared()
		}
	}
	for method, want := range map[string]int{http.MethodDelete: 204, http.MethodHead: 200, http.MethodOptions: 304} {
		o := op(method, "/z", status(want))
		o.Redirects = true
		if err := client.Exec(t.Context(), c, o, new(encoder), nil); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
	_, err := call(t, c, op("GET", "/z", okJSON), nil)
	if !errors.Is(err, client.ErrEmptyBody) || !strings.Contains(err.Error(), "200") || faultOf(t, err).Kind != fault.Response {
		t.Errorf("empty 200: %v", err)
	}
	if n := connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// A nil Decode takes any 2xx.
func TestNoDecoder(t *testing.T) {
	o := op[client.None]("POST", "/", nil)
	for status, ok := range map[int]bool{200: true, 202: true, 204: true, 404: false, 304: false} {
		c := core(t, answer(status, "text/plain", ""))
		if err := client.Exec(t.Context(), c, o, nil, nil); (err == nil) != ok {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestUndeclaredStatus(t *testing.T) {
	page := "<html>" + strings.Repeat("secret ", 2000)
	c := core(t, answer(502, "text/html", page, "Retry-After", "7"))
	var meta client.Meta
	got, err := call(t, c, op("GET", "/u", okJSON), nil, client.NoRetry(), client.Into(&meta))
	var status *client.StatusError
	if got != nil || !errors.As(err, &status) {
		t.Fatalf("%v, %v", got, err)
	}
	if status.StatusCode != http.StatusBadGateway || status.ContentType != "text/html" || len(status.Body) != 4096 || string(status.Body) != page[:4096] ||
		status.Header.Get("Retry-After") != "7" {
		t.Errorf("%d, %s, %d bytes", status.StatusCode, status.ContentType, len(status.Body))
	}
	f := faultOf(t, err)
	if f.Kind != fault.Status || f.Status != 502 || f.Attempts != 1 || !errors.Is(err, fault.ErrStatus) {
		t.Errorf("%+v", f)
	}
	if wait := time.Until(f.RetryAt); wait < 6*time.Second || wait > 7*time.Second {
		t.Errorf("retry in %v", wait)
	}
	if text := err.Error(); strings.Contains(text, "secret") || !strings.Contains(text, "502 Bad Gateway") {
		t.Error(text)
	}
	if meta.Status != 502 || meta.Tries != 1 || meta.Header.Get("Retry-After") != "7" {
		t.Errorf("meta %+v", meta)
	}
}

// A declared failure whose body is not what the document says.
func TestFailureThatCannotBeRead(t *testing.T) {
	for _, body := range []string{"", "{", `{"title":1}`} {
		c := &Client{core(t, answer(404, "application/problem+json", body))}
		_, err := c.GetBooking(t.Context(), GetBookingRequest{ID: "1"})
		var status *client.StatusError
		var notFound *NotFound
		if !errors.As(err, &status) || status.Err == nil || string(status.Body) != body || errors.As(err, &notFound) {
			t.Errorf("%q: %v", body, err)
		}
		if f := faultOf(t, err); f.Kind != fault.Status || f.Status != 404 {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// The text of a response that the document does not declare says once which status came,
// and what kind of problem, however the server writes it.
func TestTextOfUndeclaredProblems(t *testing.T) {
	for _, c := range []struct{ contentType, body, want string }{
		{"application/problem+json", `{"title":"Out of credit","type":"https://example.com/credit","detail":"secret","status":418}`,
			"402 Payment Required: Out of credit (https://example.com/credit), which the document does not declare"},
		{"Application/Problem+JSON; charset=utf-8", `{"title":"Out of credit"}`,
			"402 Payment Required: Out of credit, which the document does not declare"},
		{"application/problem+json", `{"type":"about:blank","title":"payment required"}`,
			"402 Payment Required, application/problem+json, which the document does not declare"},
		{"application/problem+json", `{"type":"urn:credit"}`,
			"402 Payment Required: (urn:credit), which the document does not declare"},
		{"application/problem+json", `{"title":"a\nb"}`,
			`402 Payment Required: "a\nb", which the document does not declare`},
		{"application/problem+json", `nothing`,
			"402 Payment Required, application/problem+json, which the document does not declare"},
		{"application/json", `{"title":"Out of credit"}`,
			"402 Payment Required, application/json, which the document does not declare"},
	} {
		api := &Client{core(t, answer(402, c.contentType, c.body))}
		_, err := api.GetBooking(t.Context(), GetBookingRequest{ID: "1"})
		var undeclared *client.StatusError
		if !errors.As(err, &undeclared) || undeclared.Error() != c.want {
			t.Errorf("%s %s: %v\nwant %s", c.contentType, c.body, undeclared, c.want)
		}
		if want := "getBooking: status " + c.want + " ("; !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s…", err, want)
		}
	}
}

func TestTypedErrors(t *testing.T) {
	c := &Client{core(t, answer(404, "application/problem+json", `{"title":"gone"}`, "Retry-After", "3"))}
	b, err := c.GetBooking(t.Context(), GetBookingRequest{ID: "1"})
	var notFound *NotFound
	if b != nil || !errors.As(err, &notFound) || notFound.Body.Title != "gone" || notFound.RetryAfter.Or(0) != 3 {
		t.Errorf("%v, %v, %+v", b, err, notFound)
	}
	if got := err.Error(); got != "getBooking: status 404 Not Found: no such trip (1 try, not retried: a repeat would not help)" {
		t.Error(got)
	}
	// A header that cannot be read does not hide the failure.
	c = &Client{core(t, answer(404, "application/problem+json", `{}`, "Retry-After", "soon"))}
	if _, err = c.GetBooking(t.Context(), GetBookingRequest{ID: "1"}); !errors.As(err, &notFound) || notFound.RetryAfter.IsSet() {
		t.Errorf("%v", err)
	}
}

type listed struct {
	Total    int64
	Next     value.Opt[string]
	Modified value.Opt[string]
	Tags     []string
	Cookies  []string
	Age      *int64
}

func TestResponseHeaders(t *testing.T) {
	decode := func(r *client.Response) (*listed, error) {
		if !r.Is(200, "application/json") && !r.Is(204, "") {
			return nil, r.Undeclared()
		}
		var v listed
		field.Get(r.Header("X-Total", param.Simple), param.Int64, &v.Total)
		field.GetOpt(r.Header("X-Next", param.Simple), param.String, &v.Next)
		field.GetOpt(r.Header("Last-Modified", param.Simple), param.String, &v.Modified)
		field.GetList(r.Header("X-Tags", param.Simple), param.String, &v.Tags, false)
		client.HeaderLines(r, "Set-Cookie", &v.Cookies)
		field.GetPtr(r.Header("Age", param.Simple), param.Int64, &v.Age)
		return &v, nil
	}
	age := int64(5)
	want := &listed{7, value.Opt[string]{}, value.Some("Wed, 21 Oct 2015 07:28:00 GMT"), []string{"a", "b"}, []string{"a=1, x", "b=2"}, &age}
	all := []string{"X-Total", "7", "Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT", "X-Tags", "a, b", "Set-Cookie", "a=1, x", "Set-Cookie", "b=2", "Age", "5"}
	for _, status := range []int{200, 204} {
		got, err := call(t, core(t, answer(status, "application/json", "", all...)), op("GET", "/rh", decode), nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %+v, %v", status, got, err)
		}
	}
	for say, header := range map[string][]string{
		"header X-Total: must be an integer": {"X-Total", "many"},
		"header X-Total: is required":        {},
		"header Age: must be an integer":     {"X-Total", "1", "Age", "old"},
	} {
		got, err := call(t, core(t, answer(200, "application/json", "[]", header...)), op("GET", "/rh", decode), nil)
		if got != nil || err == nil || !strings.Contains(err.Error(), say) || faultOf(t, err).Kind != fault.Response {
			t.Errorf("%s: %v, %v", say, got, err)
		}
	}
}

func TestTextResponse(t *testing.T) {
	type note struct {
		Lines value.Opt[int64]
		Body  string
	}
	c := core(t, answer(200, "text/plain", "héllo\n", "X-Lines", "1"))
	got, err := call(t, c, op("PUT", "/note", func(r *client.Response) (note, error) {
		var v note
		field.GetOpt(r.Header("X-Lines", param.Simple), param.Int64, &v.Lines)
		err := r.Text(&v.Body)
		return v, err
	}), nil)
	if err != nil || got != (note{value.Some[int64](1), "héllo\n"}) {
		t.Errorf("%+v, %v", got, err)
	}
	text, err := call(t, c, op("PUT", "/note", client.DecodeText), nil)
	if err != nil || text != "héllo\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestJSONThatIsRefused(t *testing.T) {
	for name, body := range map[string]string{
		"trailing": `{"a":1} trailing`, "two values": `{"a":1}{"b":2}`, "mark": "\ufeff{}", "cut": `{"a":`, "blank": " ",
	} {
		got, err := call(t, core(t, answer(200, "application/json", body)), op("GET", "/lim", okJSON), nil)
		var decode *client.DecodeError
		if got != nil || !errors.As(err, &decode) || decode.StatusCode != http.StatusOK || faultOf(t, err).Kind != fault.Response {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		// It was answered with 200, so a write has taken effect; this is a read.
		if f := faultOf(t, err); f.Effect != fault.Safe || f.Attempts != 1 {
			t.Errorf("%s: effect %v, %d tries", name, f.Effect, f.Attempts)
		}
	}
	_, err := call(t, core(t, answer(200, "application/json", "{")), op("POST", "/lim", okJSON), nil)
	if f := faultOf(t, err); f.Effect != fault.Unsafe {
		t.Errorf("effect of a write: %v", f.Effect)
	}
}

func TestBodyLimit(t *testing.T) {
	big := `"` + strings.Repeat("x", 1000) + `"`
	for name, handler := range map[string]http.HandlerFunc{
		"length known": answer(200, "application/json", big, "Content-Length", strconv.Itoa(len(big))),
		"chunked": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, big[:500])
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, big[500:])
		},
		"compressed": zipped(big),
	} {
		url, connections := counted(t, handler)
		c := coreOf(t, &client.API{}, client.BaseURL(url), client.BodyLimit(300))
		for range 2 {
			_, err := call(t, c, op("GET", "/lim", okJSON), nil)
			var large *client.BodyTooLargeError
			if !errors.As(err, &large) || large.Limit != 300 {
				t.Errorf("%s: %v", name, err)
			}
		}
		// The connection of a body that is not wanted is not used again.
		if n := connections(); n != 2 && name != "compressed" {
			t.Errorf("%s: %d connections", name, n)
		}
		c = coreOf(t, &client.API{}, client.BaseURL(url), client.BodyLimit(1002))
		if got, err := call(t, c, op("GET", "/lim", okJSON), nil); err != nil || got != big[1:1001] {
			t.Errorf("%s within the limit: %v", name, err)
		}
	}
	// Of a failure's body as well.
	c := core(t, answer(404, "application/problem+json", `{"title":"`+strings.Repeat("x", 1000)+`"}`), client.BodyLimit(100))
	_, err := (&Client{c}).GetBooking(t.Context(), GetBookingRequest{ID: "1"})
	var large *client.BodyTooLargeError
	if !errors.As(err, &large) || faultOf(t, err).Status != 404 {
		t.Errorf("failure: %v", err)
	}
	// A failure whose body is larger than what is read at first, but within the limit.
	title := strings.Repeat("y", 200_000)
	c = core(t, answer(404, "application/problem+json", `{"title":"`+title+`"}`))
	_, err = (&Client{c}).GetBooking(t.Context(), GetBookingRequest{ID: "1"})
	var notFound *NotFound
	if !errors.As(err, &notFound) || notFound.Body.Title != title {
		t.Errorf("long failure: %v", err)
	}
}

// zipped answers with gzip, asked or not.
func zipped(body string) http.HandlerFunc {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	return answer(200, "application/json", b.String(), "Content-Encoding", "gzip")
}

// A compressed response is decompressed once, whoever does it.
func TestGzip(t *testing.T) {
	for name, transport := range map[string]*http.Transport{
		"by the transport": {}, "by the client": {DisableCompression: true},
	} {
		c := core(t, zipped(`{"a":"b"}`), client.Transport(transport))
		got, err := call(t, c, op("GET", "/", okJSON), nil)
		if err != nil || !reflect.DeepEqual(got, any(map[string]any{"a": "b"})) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		transport.CloseIdleConnections()
	}
	c := core(t, answer(200, "application/json", "not gzip", "Content-Encoding", "gzip"), client.Transport(&http.Transport{DisableCompression: true}))
	if _, err := call(t, c, op("GET", "/", okJSON), nil, client.NoRetry()); err == nil {
		t.Error("what is not gzip is read")
	}
}

func TestStrict(t *testing.T) {
	handler := answer(200, "application/json", `{"id":"far too long","id":"far too long"}`)
	if b, err := (&Client{core(t, handler)}).GetBooking(t.Context(), GetBookingRequest{ID: "1"}); err != nil || b.ID != "far too long" {
		t.Errorf("lenient: %v, %v", b, err)
	}
	b, err := (&Client{core(t, handler, client.Strict())}).GetBooking(t.Context(), GetBookingRequest{ID: "1"})
	if b != nil || faultOf(t, err).Kind != fault.Response {
		t.Errorf("strict: %v, %v", b, err)
	}
	handler = answer(200, "application/json", `{"id":"far too long"}`)
	_, err = (&Client{core(t, handler, client.Strict())}).GetBooking(t.Context(), GetBookingRequest{ID: "1"})
	if err == nil || !strings.Contains(err.Error(), "at most 8") {
		t.Errorf("constraints: %v", err)
	}
}

func TestValues(t *testing.T) {
	c := core(t, answer(200, "application/json", `[1,2]`))
	got, err := call(t, c, op("GET", "/", func(r *client.Response) ([]int64, error) {
		return client.DecodeValue(r, json.Slice(json.Int64))
	}), nil)
	if err != nil || !reflect.DeepEqual(got, []int64{1, 2}) {
		t.Errorf("%v, %v", got, err)
	}
}

// The rules of a value without methods hold for strict clients, through each wrap.
func TestRulesOfValues(t *testing.T) {
	short := func(v *string, c *check.Checker) {
		if len(*v) > 3 {
			c.Add("maxLength", "must have at most 3 characters")
		}
	}
	for name, decode := range map[string]func(*client.Response) (string, error){
		"value": func(r *client.Response) (string, error) { return client.DecodeValue(r, json.String, short) },
		"opt": func(r *client.Response) (string, error) {
			var v value.Opt[string]
			err := client.ReadJSONOpt(r, json.String, &v, short)
			return v.Or(""), err
		},
		"optNull": func(r *client.Response) (string, error) {
			var v value.OptNull[string]
			err := client.ReadJSONOptNull(r, json.String, &v, short)
			return v.Or(""), err
		},
		"pointer": func(r *client.Response) (string, error) {
			var v *string
			err := client.ReadJSONPtr(r, json.String, &v, short)
			return *v, err
		},
	} {
		for wire, ok := range map[string]bool{`"abc"`: true, `"abcd"`: false} {
			handler := answer(200, "application/json", wire)
			if _, err := call(t, core(t, handler), op("GET", "/", decode), nil); err != nil {
				t.Errorf("%s, lenient: %v", name, err)
			}
			_, err := call(t, core(t, handler, client.Strict()), op("GET", "/", decode), nil)
			if ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "at most 3") {
				t.Errorf("%s, strict: %s: %v", name, wire, err)
			}
		}
	}
}

func TestMeta(t *testing.T) {
	c := core(t, answer(200, "application/json", `1`, "X-Request-Id", "r1", "Cache-Status", "cdn; hit", "Idempotent-Replayed", "true",
		"RateLimit", `"burst";r=3;t=5, "da,y";r=40;t=3600`))
	var meta client.Meta
	if _, err := call(t, c, op("GET", "/", okJSON), nil, client.Into(&meta), client.Into(nil)); err != nil {
		t.Fatal(err)
	}
	limits := []client.Limit{{Name: "burst", Remaining: 3, Reset: 5 * time.Second}, {Name: "da,y", Remaining: 40, Reset: time.Hour}}
	if meta.Status != 200 || meta.Tries != 1 || meta.RequestID != "r1" || meta.Cache != "cdn; hit" || !meta.Replayed || meta.Rung != "" ||
		!reflect.DeepEqual(meta.Limits, limits) {
		t.Errorf("%+v", meta)
	}
	c = core(t, answer(200, "application/json", `1`, "X-RateLimit-Remaining", "12", "X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10)))
	if _, err := call(t, c, op("GET", "/", okJSON), nil, client.Into(&meta)); err != nil {
		t.Fatal(err)
	}
	if len(meta.Limits) != 1 || meta.Limits[0].Remaining != 12 || meta.Limits[0].Reset < 50*time.Second || meta.RequestID != "" {
		t.Errorf("%+v", meta)
	}
}
