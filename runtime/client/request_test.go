package client_test

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	files "github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

const formExplode = param.Form | param.Explode

// What a request looks like on the wire.
func TestRequests(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	tests := []struct {
		name, method string
		encode       encoder
		uri          string
		header       map[string]string // "-" is absent
		body         string
	}{
		{
			"nothing set", "POST", func(r *client.Request) {
				r.Path("/run")
				r.Query("dry", formExplode, param.Opt(param.Bool, value.Opt[bool]{}))
				r.Query("q", formExplode, param.Opt(param.String, value.Opt[string]{}))
			},
			"/run", map[string]string{"Content-Type": "-", "Content-Length": "0"}, "",
		},
		{
			"zero values", "POST", func(r *client.Request) {
				r.Path("/run")
				r.Query("dry", formExplode, param.Opt(param.Bool, value.Some(false)))
				r.Query("n", formExplode, param.Opt(param.Int64, value.Some[int64](0)))
				r.Query("q", formExplode, param.Opt(param.String, value.Some("")))
			},
			"/run?dry=false&n=0&q=", nil, "",
		},
		{
			"one name in four places", "GET", func(r *client.Request) {
				r.Path("/things/")
				r.PathParam("id", param.Simple, param.IntValue(1))
				r.Query("id", formExplode, param.IntValue(2))
				r.Header("id", param.Simple, param.IntValue(3))
				r.Cookie("id", param.Form, param.IntValue(4))
			},
			"/things/1?id=2", map[string]string{"Id": "3", "Cookie": "id=4"}, "",
		},
		{
			"JSON parameter", "GET", func(r *client.Request) {
				r.Path("/w")
				c := param.JSON(json.Map(json.Any))
				r.Query("where", formExplode, c.Format(map[string]any{"a": []any{value.Number("1")}, "b": "x y"}))
			},
			"/w?where=%7B%22a%22%3A%5B1%5D%2C%22b%22%3A%22x%20y%22%7D", nil, "",
		},
		{
			"headers", "GET", func(r *client.Request) {
				r.Path("/h")
				r.Header("X-Ids", param.Simple, param.ListOf(param.Int64).Format([]int64{3, 4}))
				r.Header("X-Point", param.Simple, param.ObjectValue(
					param.Member{Name: "x", Value: param.IntValue(1)}, param.Member{Name: "y", Value: param.IntValue(2)}))
				r.Header("x-trace-id", param.Simple, param.TextValue("t"))
			},
			"/h", map[string]string{"X-Ids": "3,4", "X-Point": "x,1,y,2", "X-Trace-Id": "t"}, "",
		},
		{
			"cookies", "GET", func(r *client.Request) {
				r.Path("/k")
				r.Cookie("sid", param.Form, param.TextValue("s1"))
				r.Cookie("prefs", param.Form, param.ListOf(param.String).Format([]string{"a", "b"}))
			},
			"/k", map[string]string{"Cookie": "sid=s1; prefs=a,b"}, "",
		},
		{
			"paths that routers resolve", "GET", func(r *client.Request) {
				r.Path("/a/")
				r.PathParam("x", param.Simple, param.TextValue(".."))
				r.Path("/b/")
				r.PathParam("y", param.Simple, param.TextValue("p/q?r"))
				r.Path(":verb/")
				r.PathParam("z", param.Simple, param.TextValue("a:b é"))
			},
			"/a/%2E%2E/b/p%2Fq%3Fr:verb/a%3Ab%20%C3%A9", nil, "",
		},
		{
			"fixed query", "GET", func(r *client.Request) {
				r.Path("/f")
				r.RawQuery("beta=true")
				r.Query("a", formExplode, param.IntValue(1))
			},
			"/f?beta=true&a=1", nil, "",
		},
		{
			"text", "PUT", func(r *client.Request) { r.Path("/note"); r.Text("text/plain", "hello") },
			"/note", map[string]string{"Content-Type": "text/plain"}, "hello",
		},
		{
			"form", "POST", func(r *client.Request) {
				r.Path("/tok")
				f := r.Form("application/x-www-form-urlencoded")
				object := func(name, v string) param.Value {
					return param.ObjectValue(param.Member{Name: name, Value: param.TextValue(v)})
				}
				f.Field("a", formExplode, param.TextValue("x y"))
				client.FieldList(f, "n", formExplode, param.Int64, []int64{1, 2})
				f.Field("o", formExplode, object("k", "v"))
				f.Field("d", param.DeepObject|param.Explode, object("p", "q"))
			},
			"/tok", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, "a=x+y&n=1&n=2&k=v&d%5Bp%5D=q",
		},
		{
			"JSON", "POST", func(r *client.Request) { r.Path("/j"); r.JSON("application/vnd.a+json", &Booking{ID: "<1>"}) },
			"/j", map[string]string{"Content-Type": "application/vnd.a+json"}, `{"id":"<1>"}`,
		},
		{
			"empty reader", "PUT", func(r *client.Request) { r.Path("/e"); r.Binary("image/png", nil) },
			"/e", map[string]string{"Content-Type": "image/png"}, "",
		},
	}
	for _, test := range tests {
		o := op(test.method, "/", noContent)
		if _, err := call(t, c, o, test.encode); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := s.last(t)
		if got.method != test.method || got.uri != test.uri || got.body != test.body || got.length != int64(len(test.body)) {
			t.Errorf("%s: %s %s, %q (%d), want %s, %q", test.name, got.method, got.uri, got.body, got.length, test.uri, test.body)
		}
		for name, want := range test.header {
			lines := got.header[name]
			if want == "-" && lines != nil || want != "-" && (len(lines) != 1 || lines[0] != want) {
				t.Errorf("%s: %s is %q, want %q", test.name, name, lines, want)
			}
		}
	}
}

// What cannot be sent fails the call before anything is.
func TestRequestsThatAreRefused(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	for say, encode := range map[string]encoder{
		"path id":    func(r *client.Request) { r.Path("/u/"); r.PathParam("id", param.Simple, param.TextValue("")) },
		"header X-A": func(r *client.Request) { r.Path("/"); r.Header("X-A", param.Simple, param.TextValue("a\r\nb")) },
		"cookie sid": func(r *client.Request) { r.Path("/"); r.Cookie("sid", param.Form, param.TextValue("a;b")) },
		"query s": func(r *client.Request) {
			r.Path("/")
			client.QueryList(r, "s", param.SpaceDelimited, param.String, []string{"b c"})
		},
		"image/*": func(r *client.Request) { r.Path("/"); r.Binary("image/*", strings.NewReader("x")) },
		"slash":   func(r *client.Request) { r.Path("x") },
		"no good": func(r *client.Request) { r.Path("/"); r.Fail(errors.New("no good")) },
		"part f":  func(r *client.Request) { r.Path("/"); r.Multipart("").File("f", "a\nb", files.FileBytes("f", nil)) },
		"not a finite": func(r *client.Request) {
			r.Path("/")
			f := r.Form("application/x-www-form-urlencoded")
			f.Field("n", formExplode, param.FloatValue(nan()))
		},
	} {
		_, err := call(t, c, op("POST", "/", noContent), encode)
		f := faultOf(t, err)
		if f.Kind != fault.Request || f.Effect != fault.Safe || f.Attempts != 0 || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, effect %v", say, err, f.Effect)
		}
	}
	// All that is wrong with the parameters is reported.
	_, err := call(t, c, op("GET", "/", noContent), func(r *client.Request) {
		r.Path("/")
		r.Header("X-A", param.Simple, param.TextValue("a\nb"))
		r.Cookie("c", param.Form, param.TextValue("a\nb"))
	})
	var list *check.Error
	if !errors.As(err, &list) || len(list.Violations) != 2 || list.Violations[1].In != "cookie" || list.Violations[1].Name != "c" {
		t.Errorf("%v", err)
	}
	if n := len(s.all()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestMultipartRequest(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	_, err := call(t, c, op("POST", "/", noContent), func(r *client.Request) {
		r.Path("/m")
		m := r.Multipart("multipart/form-data")
		m.Value("note", "", param.TextValue("hi"))
		m.Value("none", "", param.Opt(param.String, value.Opt[string]{}))
		m.Header("X-Part", param.Simple, param.IntValue(7))
		m.JSON("meta", "application/json", &Booking{ID: "1"})
		m.Files("doc", "text/plain", []files.File{files.FileBytes("a.txt", []byte("A")), files.FileReader("b.txt", strings.NewReader("B")), {}})
	})
	if err != nil {
		t.Fatal(err)
	}
	got := s.last(t)
	if got.length != int64(len(got.body)) {
		t.Errorf("length %d of %d", got.length, len(got.body))
	}
	_, params, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	m := multipart.NewReader(strings.NewReader(got.body), params["boundary"])
	var parts []string
	for {
		p, err := m.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(p)
		parts = append(parts, p.FormName()+"|"+p.FileName()+"|"+p.Header.Get("Content-Type")+"|"+p.Header.Get("X-Part")+"|"+string(text))
	}
	want := []string{"note||||hi", `meta||application/json|7|{"id":"1"}`, "doc|a.txt|text/plain||A", "doc|b.txt|text/plain||B"}
	if strings.Join(parts, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", parts)
	}
}

func TestHeaderPrecedence(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }),
		client.Header("X-A", "option"), client.Header("X-A", "option2"), client.Header("X-B", "option"), client.Header("X-C", "option"), client.UserAgent("me/1"))
	o := op("GET", "/", noContent)
	o.Accept = "application/json"
	_, err := call(t, c, o, func(r *client.Request) {
		r.Path("/")
		r.Header("x-b", param.Simple, param.TextValue("parameter"))
		r.Header("X-C", param.Simple, param.TextValue("parameter"))
	}, client.CallHeader("X-C", "call"), nil)
	if err != nil {
		t.Fatal(err)
	}
	h := s.last(t).header
	for name, want := range map[string]string{
		"X-A": "option,option2", "X-B": "parameter", "X-C": "call", "User-Agent": "me/1", "Accept": "application/json", "X-Request-Attempt": "1",
	} {
		if got := strings.Join(h[name], ","); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if h.Get("X-Request-Criticality") != "" {
		t.Error("the standard criticality is sent")
	}
	if ms := h.Get("X-Request-Deadline-Ms"); ms != "9980" && ms != "9979" && ms != "9978" {
		t.Errorf("deadline %q, want 10 s less 20 ms", ms)
	}
}

func TestValidateRequests(t *testing.T) {
	var s sent
	handler := s.handle(func(_ int, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"1"}`)
	})
	long := CreateBookingRequest{Body: Booking{ID: "far too long"}}
	c := &Client{core(t, handler, client.ValidateRequests())}
	_, err := c.CreateBooking(t.Context(), long)
	var list *check.Error
	if !errors.As(err, &list) || faultOf(t, err).Kind != fault.Request || len(s.all()) != 0 {
		t.Errorf("%v, %d requests", err, len(s.all()))
	}
	c = &Client{core(t, handler)}
	if b, err := c.CreateBooking(t.Context(), long); err != nil || b.ID != "1" {
		t.Errorf("without the option: %v, %v", b, err)
	}
}
