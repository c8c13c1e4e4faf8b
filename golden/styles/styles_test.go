package styles_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/styles"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// same compares requests, the private parts of optional values included.
var same = cmp.Exporter(func(reflect.Type) bool { return true })

// keeper keeps what it was asked with.
type keeper struct {
	mu    sync.Mutex
	got   any
	reply *styles.HeadersResponse
}

func (k *keeper) keep(req any) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.got = req
	return nil
}

// taken gives what was kept, and forgets it.
func (k *keeper) taken() any {
	k.mu.Lock()
	defer k.mu.Unlock()
	got := k.got
	k.got = nil
	return got
}

func (k *keeper) PathSimple(_ context.Context, r styles.PathSimpleRequest) error { return k.keep(r) }
func (k *keeper) PathLabel(_ context.Context, r styles.PathLabelRequest) error   { return k.keep(r) }
func (k *keeper) PathMatrix(_ context.Context, r styles.PathMatrixRequest) error { return k.keep(r) }
func (k *keeper) QueryForm(_ context.Context, r styles.QueryFormRequest) error   { return k.keep(r) }
func (k *keeper) QueryDeep(_ context.Context, r styles.QueryDeepRequest) error   { return k.keep(r) }
func (k *keeper) QueryEmpty(_ context.Context, r styles.QueryEmptyRequest) error { return k.keep(r) }
func (k *keeper) WholeForm(_ context.Context, r styles.WholeFormRequest) error   { return k.keep(r) }
func (k *keeper) WholeJSON(_ context.Context, r styles.WholeJSONRequest) error   { return k.keep(r) }
func (k *keeper) BodyForm(_ context.Context, r styles.BodyFormRequest) error     { return k.keep(r) }
func (k *keeper) CookieForm(_ context.Context, r styles.CookieFormRequest) error { return k.keep(r) }

func (k *keeper) QueryDelimited(_ context.Context, r styles.QueryDelimitedRequest) error {
	return k.keep(r)
}

func (k *keeper) QueryReserved(_ context.Context, r styles.QueryReservedRequest) error {
	return k.keep(r)
}

func (k *keeper) QueryContent(_ context.Context, r styles.QueryContentRequest) error {
	return k.keep(r)
}

func (k *keeper) CookieStyle(_ context.Context, r styles.CookieStyleRequest) error {
	return k.keep(r)
}

func (k *keeper) Headers(_ context.Context, r styles.HeadersRequest) (*styles.HeadersResponse, error) {
	return k.reply, k.keep(r)
}

// wire runs the service over TCP. The client's requests pass a handler that keeps their
// lines as they came.
type wire struct {
	*keeper
	client *styles.Client
	url    string

	target string // path and query of the last request
	body   string
	header http.Header
}

func start(t *testing.T) *wire {
	t.Helper()
	w := &wire{keeper: &keeper{reply: &styles.HeadersResponse{}}}
	h := styles.NewHandler(w.keeper, server.OnError(nil))
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.mu.Lock()
		w.target, w.header, w.body = r.RequestURI, r.Header.Clone(), string(body)
		w.mu.Unlock()
		h.ServeHTTP(rw, r)
	}))
	t.Cleanup(s.Close)
	w.url = s.URL
	c, err := styles.New(client.BaseURL(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().CloseIdle)
	w.client = c
	return w
}

// arrived checks a call of the generated client: the service was given what the caller
// gave, and the request had this target.
func (w *wire) arrived(t *testing.T, err error, want any, target string) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return
	}
	if diff := cmp.Diff(want, w.taken(), same); diff != "" {
		t.Errorf("the server got something else (-sent +got):\n%s", diff)
	}
	if w.target != target {
		t.Errorf("sent %s\nwant %s", w.target, target)
	}
}

// by sends a request of somebody else's client; lines are headers such as "X-List: a".
func (w *wire) by(t *testing.T, target string, lines ...string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		r.Header.Add(name, text)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// The values of OpenAPI's table of styles.
var (
	blue   = "blue"
	colors = []string{"blue", "black", "brown"}
	rgb    = styles.Rgb{R: 100, G: 200, B: 150}
	found  = styles.Search{Text: value.Some("a b"), Tags: []string{"x", "y"}, Colour: &rgb}
)

// foundJSON is found as JSON, in a query.
const foundJSON = "%7B%22text%22%3A%22a%20b%22%2C%22tags%22%3A%5B%22x%22%2C%22y%22%5D%2C%22colour%22%3A%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D%7D"

func TestPathStyles(t *testing.T) {
	w := start(t)
	simple := styles.PathSimpleRequest{
		Value: blue, ValueExploded: blue, List: colors, ListExploded: colors, Object: rgb, ObjectExploded: rgb, JSON: rgb,
	}
	w.arrived(t, w.client.PathSimple(t.Context(), simple), simple,
		"/simple/blue/blue/blue,black,brown/blue,black,brown/R,100,G,200,B,150/R=100,G=200,B=150/%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D")
	label := styles.PathLabelRequest{
		Value: blue, ValueExploded: blue, List: colors, ListExploded: colors, Object: rgb, ObjectExploded: rgb,
	}
	w.arrived(t, w.client.PathLabel(t.Context(), label), label,
		"/label/.blue/.blue/.blue,black,brown/.blue.black.brown/.R,100,G,200,B,150/.R=100.G=200.B=150")
	matrix := styles.PathMatrixRequest(label)
	w.arrived(t, w.client.PathMatrix(t.Context(), matrix), matrix,
		"/matrix/;value=blue/;valueExploded=blue/;list=blue,black,brown/;listExploded=blue;listExploded=black;listExploded=brown"+
			"/;object=R,100,G,200,B,150/;R=100;G=200;B=150")

	// Delimiters that are data are escaped, each in its style, and come back.
	odd := []string{"a/b", "c,d", "e;f", "g.h", "i=j", "k%20", "ü"}
	simple.Value, simple.ValueExploded, simple.List, simple.ListExploded = odd[0], odd[5], odd, odd
	label.Value, label.ValueExploded, label.List, label.ListExploded = odd[0], odd[3], odd, []string{"a/b", "c,d", "e;f", "i=j"}
	matrix.Value, matrix.ValueExploded, matrix.List, matrix.ListExploded = odd[2], odd[4], odd, odd
	const list = "a%2Fb,c%2Cd,e%3Bf,g.h,i%3Dj,k%2520,%C3%BC"
	w.arrived(t, w.client.PathSimple(t.Context(), simple), simple,
		"/simple/a%2Fb/k%2520/"+list+"/"+list+"/R,100,G,200,B,150/R=100,G=200,B=150/%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D")
	w.arrived(t, w.client.PathLabel(t.Context(), label), label,
		"/label/.a%2Fb/.g.h/."+list+"/.a%2Fb.c%2Cd.e%3Bf.i%3Dj/.R,100,G,200,B,150/.R=100.G=200.B=150")
	const name = ";listExploded="
	w.arrived(t, w.client.PathMatrix(t.Context(), matrix), matrix,
		"/matrix/;value=e%3Bf/;valueExploded=i%3Dj/;list="+list+"/"+name+strings.ReplaceAll(list, ",", name)+"/;object=R,100,G,200,B,150/;R=100;G=200;B=150")
}

func TestQueryStyles(t *testing.T) {
	w := start(t)
	form := styles.QueryFormRequest{
		Value: value.Some(blue), ValueExploded: value.Some(""), List: colors, ListExploded: colors, Object: &rgb, ObjectExploded: &rgb,
	}
	w.arrived(t, w.client.QueryForm(t.Context(), form), form,
		"/query/form?value=blue&valueExploded=&list=blue,black,brown&listExploded=blue&listExploded=black&listExploded=brown"+
			"&object=R,100,G,200,B,150&R=100&G=200&B=150")
	w.arrived(t, w.client.QueryForm(t.Context(), styles.QueryFormRequest{}), styles.QueryFormRequest{}, "/query/form")

	delimited := styles.QueryDelimitedRequest{
		Spaces: colors, SpacesObject: &rgb, SpacesExploded: colors, Pipes: colors, PipesObject: &rgb, PipesExploded: colors,
	}
	w.arrived(t, w.client.QueryDelimited(t.Context(), delimited), delimited,
		"/query/delimited?spaces=blue%20black%20brown&spacesObject=R%20100%20G%20200%20B%20150"+
			"&spacesExploded=blue&spacesExploded=black&spacesExploded=brown"+
			"&pipes=blue%7Cblack%7Cbrown&pipesObject=R%7C100%7CG%7C200%7CB%7C150&pipesExploded=blue&pipesExploded=black&pipesExploded=brown")

	deep := styles.QueryDeepRequest{Color: rgb, Search: &found}
	w.arrived(t, w.client.QueryDeep(t.Context(), deep), deep,
		"/query/deep?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150&search%5Btext%5D=a%20b&search%5Btags%5D%5B0%5D=x&search%5Btags%5D%5B1%5D=y"+
			"&search%5Bcolour%5D%5BR%5D=100&search%5Bcolour%5D%5BG%5D=200&search%5Bcolour%5D%5BB%5D=150")

	content := styles.QueryContentRequest{JSON: &found, Text: value.Some("a b")}
	w.arrived(t, w.client.QueryContent(t.Context(), content), content, "/query/content?json="+foundJSON+"&text=a%20b")

	// What others may send for the same.
	for target, want := range map[string]any{
		"/query/form?B=150&R=100&G=200&object=B,150,R,100,G,200&list=blue%2Cblack,brown": styles.QueryFormRequest{
			List: []string{"blue,black", "brown"}, Object: &rgb, ObjectExploded: &rgb,
		},
		"/query/form?value=a+b&valueExploded=a%20b&listExploded=":                    styles.QueryFormRequest{Value: value.Some("a b"), ValueExploded: value.Some("a b"), ListExploded: []string{""}},
		"/query/delimited?spaces=blue+black%20brown&pipes=blue|black%7Cbrown":        styles.QueryDelimitedRequest{Spaces: colors, Pipes: colors},
		"/query/deep?color[R]=100&color[G]=200&color%5bB%5d=150":                     styles.QueryDeepRequest{Color: rgb},
		"/query/deep?search[tags]=x&search[tags]=y&color[R]=1&color[G]=2&color[B]=3": styles.QueryDeepRequest{Color: styles.Rgb{R: 1, G: 2, B: 3}, Search: &styles.Search{Tags: []string{"x", "y"}}},
		"/query/content?json=%7B%22text%22:%22a+b%22%7D":                             styles.QueryContentRequest{JSON: &styles.Search{Text: value.Some("a b")}},
	} {
		if status, body := w.by(t, target); status != http.StatusNoContent {
			t.Errorf("%s: %d %s", target, status, body)
			continue
		}
		if diff := cmp.Diff(want, w.taken(), same); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
	for _, target := range []string{
		"/query/deep", "/query/deep?color=blue", "/query/deep?color[R]=1", "/query/deep?color[R]=x&color[G]=2&color[B]=3",
		"/query/form?object=R,100,G", "/query/form?R=100", "/query/delimited?pipesObject=R|x|G|2|B|3", "/query/content?json=%7B",
	} {
		if status, body := w.by(t, target); status != http.StatusBadRequest || !strings.Contains(body, `"violations"`) {
			t.Errorf("%s: %d %s", target, status, body)
		}
	}
}

// With allowReserved the reserved characters stay, but for those that end the value or
// split it, and those that RFC 3986 does not have in a query.
func TestReservedCharacters(t *testing.T) {
	w := start(t)
	const all = ":/?#[]@!$&'()*+,;="
	req := styles.QueryReservedRequest{
		Value: value.Some(all), List: []string{"a/b", "c,d"}, ListExploded: []string{"e?f", "g,h"}, Map: map[string]string{"i:j": "k@l"}, Escaped: value.Some(all),
	}
	w.arrived(t, w.client.QueryReserved(t.Context(), req), req,
		"/query/reserved?value=:/?%23%5B%5D@!$%26'()*%2B,;=&list=a/b,c%2Cd&listExploded=e?f&listExploded=g,h&map=i:j,k@l"+
			"&escaped=%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D")
}

// allowEmptyValue lets a name without a value stand for nothing where the type has no
// empty text.
func TestEmptyValues(t *testing.T) {
	w := start(t)
	for _, target := range []string{"/query/empty?text=&number=", "/query/empty?text&number"} {
		if status, body := w.by(t, target); status != http.StatusNoContent {
			t.Errorf("%s: %d %s", target, status, body)
		}
		if diff := cmp.Diff(any(styles.QueryEmptyRequest{Text: value.Some("")}), w.taken(), same); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
	if status, body := w.by(t, "/query/empty?strict="); status != http.StatusBadRequest || !strings.Contains(body, `"strict"`) {
		t.Errorf("%d %s", status, body)
	}
	req := styles.QueryEmptyRequest{Text: value.Some(""), Number: value.Some[int64](0)}
	w.arrived(t, w.client.QueryEmpty(t.Context(), req), req, "/query/empty?text=&number=0")
}

// The whole query is one value: a form, whose lists and objects are those of a form in a
// body, or JSON.
func TestQuerystrings(t *testing.T) {
	w := start(t)
	form := styles.WholeFormRequest{All: styles.Form{
		Text: "a b", Tags: []string{"x", "y"}, Colour: &rgb, Colours: []styles.Rgb{rgb, {R: 1}}, Sizes: map[string]int64{"s": 1},
	}}
	const rgbJSON = "%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D"
	w.arrived(t, w.client.WholeForm(t.Context(), form), form,
		"/whole/form?text=a%20b&tags=x&tags=y&colour="+rgbJSON+"&colours="+rgbJSON+"&colours=%7B%22R%22%3A1%2C%22G%22%3A0%2C%22B%22%3A0%7D&sizes=%7B%22s%22%3A1%7D")
	// In a body it is the same text, but for the space.
	body := styles.BodyFormRequest{Body: form.All}
	w.arrived(t, w.client.BodyForm(t.Context(), body), body, "/body/form")
	if want := "text=a+b&tags=x&tags=y&colour=" + rgbJSON + "&colours=" + rgbJSON + "&colours=%7B%22R%22%3A1%2C%22G%22%3A0%2C%22B%22%3A0%7D&sizes=%7B%22s%22%3A1%7D"; w.body != want {
		t.Errorf("sent %s\nwant %s", w.body, want)
	}
	bare := styles.WholeFormRequest{All: styles.Form{Text: "a"}}
	w.arrived(t, w.client.WholeForm(t.Context(), bare), bare, "/whole/form?text=a")
	bareBody := styles.BodyFormRequest{Body: bare.All}
	if w.arrived(t, w.client.BodyForm(t.Context(), bareBody), bareBody, "/body/form"); w.body != "text=a" {
		t.Errorf("sent %s", w.body)
	}
	for _, query := range []string{"", "tags=x", "text=a&colour=red", "text=a&colour=%7B%22R%22%3A1%7D", "text=a&text=b", "text=a&colours=1"} {
		if status, body := w.by(t, "/whole/form?"+query); status != http.StatusBadRequest || !strings.Contains(body, `"in":"query"`) {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	json := styles.WholeJSONRequest{All: found}
	w.arrived(t, w.client.WholeJSON(t.Context(), json), json, "/whole/json?"+foundJSON)
	if status, body := w.by(t, "/whole/json?%7B%22tags%22:1%7D"); status != http.StatusBadRequest || !strings.Contains(body, "/tags") {
		t.Errorf("%d %s", status, body)
	}
}

func TestHeaderStyles(t *testing.T) {
	w := start(t)
	req := styles.HeadersRequest{
		XValue: value.Some(blue), XValueExploded: value.Some(blue), XList: colors, XListExploded: colors, XObject: &rgb, XObjectExploded: &rgb,
		XJSON: &found,
	}
	w.reply = &styles.HeadersResponse{
		XValue: value.Some(blue), XList: colors, XListExploded: colors, XObject: &rgb, XObjectExploded: &rgb, XJSON: &found,
	}
	res, err := w.client.Headers(t.Context(), req)
	w.arrived(t, err, req, "/headers")
	want := map[string]string{
		"X-Value": "blue", "X-Value-Exploded": "blue", "X-List": "blue,black,brown", "X-List-Exploded": "blue,black,brown",
		"X-Object": "R,100,G,200,B,150", "X-Object-Exploded": "R=100,G=200,B=150",
		"X-Json": `{"text":"a b","tags":["x","y"],"colour":{"R":100,"G":200,"B":150}}`,
	}
	for name, text := range want {
		if got := w.header.Values(name); len(got) != 1 || got[0] != text {
			t.Errorf("%s: sent %q, want %q", name, got, text)
		}
	}
	if diff := cmp.Diff(w.reply, res, same); diff != "" {
		t.Errorf("the client got something else (-sent +got):\n%s", diff)
	}
	// A list may come in several lines, and with spaces.
	if status, body := w.by(t, "/headers", "X-List: blue, black", "X-List: brown", "X-Object-Exploded: R=100, G=200, B=150"); status != http.StatusNoContent {
		t.Errorf("%d %s", status, body)
	}
	if diff := cmp.Diff(any(styles.HeadersRequest{XList: colors, XObjectExploded: &rgb}), w.taken(), same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCookieStyles(t *testing.T) {
	w := start(t)
	form := styles.CookieFormRequest{
		Value: value.Some(blue), ValueExploded: value.Some(blue), List: colors, ListExploded: colors, Object: &rgb, ObjectExploded: &rgb,
	}
	const cookies = "value=blue; valueExploded=blue; list=blue,black,brown; listExploded=blue; listExploded=black; listExploded=brown" +
		"; object=R,100,G,200,B,150; R=100; G=200; B=150"
	w.arrived(t, w.client.CookieForm(t.Context(), form), form, "/cookies/form")
	if got := w.header.Get("Cookie"); got != cookies {
		t.Errorf("sent %s\nwant %s", got, cookies)
	}
	style := styles.CookieStyleRequest(form)
	w.arrived(t, w.client.CookieStyle(t.Context(), style), style, "/cookies/cookie")
	if got := w.header.Get("Cookie"); got != cookies {
		t.Errorf("sent %s\nwant %s", got, cookies)
	}
	// No escapes, and others' cookies do no harm.
	if status, body := w.by(t, "/cookies/cookie", "Cookie: other=1; value=a%20b; theirs"); status != http.StatusNoContent {
		t.Errorf("%d %s", status, body)
	}
	if diff := cmp.Diff(any(styles.CookieStyleRequest{Value: value.Some("a%20b")}), w.taken(), same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
