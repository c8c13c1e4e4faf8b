package formats_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/formats"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// same compares values, the private parts of optional ones included.
var same = cmp.Exporter(func(reflect.Type) bool { return true })

// echo gives back what it got.
type echo struct{}

func (echo) SendTexts(_ context.Context, r formats.SendTextsRequest) (*formats.Texts, error) {
	return &r.Body, nil
}

func (echo) QueryTexts(_ context.Context, r formats.QueryTextsRequest) (*formats.Texts, error) {
	return &r.All, nil
}

func (echo) SendNumbers(_ context.Context, r formats.SendNumbersRequest) (*formats.Numbers, error) {
	return &r.Body, nil
}

func (echo) QueryNumbers(_ context.Context, r formats.QueryNumbersRequest) (*formats.Numbers, error) {
	return &r.All, nil
}

func (echo) SendShapes(_ context.Context, r formats.SendShapesRequest) (*formats.Shapes, error) {
	return &r.Body, nil
}

func start(t *testing.T) (string, *formats.Client) {
	t.Helper()
	s := httptest.NewServer(formats.NewHandler(echo{}, server.OnError(nil), server.ValidateResponses()))
	t.Cleanup(s.Close)
	c, err := formats.New(client.BaseURL(s.URL), client.ValidateRequests(), client.Strict())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().CloseIdle)
	return s.URL, c
}

// ask makes a request by hand.
func ask(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
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
	return res.StatusCode, strings.TrimSpace(string(data))
}

// format is what a member takes and what it refuses. Each good value comes back as it was
// sent.
type format struct {
	name string
	good []string
	bad  []string
}

// The texts follow the RFCs that JSON Schema 2020-12 names for its formats. The
// internationalised ones are passed on: a check would need tables of Unicode that the
// standard library does not have.
var texts = []format{
	{"text", []string{"", "ü\n\"", "1"}, nil},
	{"byte", []string{"", "AP8+", "AA=="}, []string{"A", "!!!!"}},
	{"base64url", []string{"AP8-", ""}, []string{"!", "A"}},
	{"encoded", []string{"AP8+"}, []string{"A"}},
	{"encodedURL", []string{"AP8-"}, []string{"!"}},
	{"date-time", []string{"2024-02-29T10:20:30Z", "2024-02-29T10:20:30.123456789+05:30"}, []string{"2024-02-30T00:00:00Z", "2024-02-29", "2024-02-29 10:20:30Z", "now"}},
	{"date", []string{"2024-02-29", "0001-01-01"}, []string{"2023-02-29", "2024-2-1", "20240229"}},
	{"time", []string{"10:20:30Z", "10:20:30.5+01:00"}, []string{"25:00:00Z", "10:20"}},
	{"duration", []string{"PT1H30M", "P1Y2M3DT4H5M6S", "P2W"}, []string{"P", "1h", "PT", "P1"}},
	{"uuid", []string{"11111111-2222-3333-4444-555555555555"}, []string{"11111111222233334444555555555555", "x"}},
	{"ipv4", []string{"192.0.2.1"}, []string{"::1", "192.0.2.256", "1.2.3"}},
	{"ipv6", []string{"2001:db8::1", "::1"}, []string{"192.0.2.1", "2001:db8::g"}},
	{"ip", []string{"192.0.2.1", "::1"}, []string{"localhost"}},
	{"email", []string{"a@example.com", "a.b+c@x.example"}, []string{"nobody", "@example.com"}},
	{"idn-email", []string{"ü@exämple.com"}, nil},
	{"uri", []string{"https://example.com/a?b=c#d", "urn:isbn:1"}, []string{"/a/b", "a b:c"}},
	{"uri-reference", []string{"/a/b", "?x", "https://example.com/"}, []string{"a b", "\\\\x"}},
	{"iri", []string{"https://exämple.com/ü"}, nil},
	{"iri-reference", []string{"/ü"}, nil},
	{"uri-template", []string{"/a/{b}{?c,d}"}, []string{"/a/{b"}},
	{"hostname", []string{"example.com", "a-b"}, []string{"-a", "a_b", "a..b"}},
	{"idn-hostname", []string{"exämple.com"}, nil},
	{"json-pointer", []string{"", "/a/~0b/~1c"}, []string{"a", "/~2"}},
	{"relative-json-pointer", []string{"0", "1/a", "2#"}, []string{"/a", "01"}},
	{"regex", []string{"^a+$", "[a-z]"}, []string{"(", "["}},
	{"password", []string{"hunter2"}, nil},
	{"unheard-of", []string{"anything"}, nil},
}

func integers(prefix string) []format {
	return []format{
		{prefix + "int8", []string{"-128", "127"}, []string{"-129", "128", "1.5"}},
		{prefix + "int16", []string{"-32768", "32767"}, []string{"-32769", "32768"}},
		{prefix + "int32", []string{"-2147483648", "2147483647"}, []string{"-2147483649", "2147483648"}},
		{prefix + "int64", []string{"-9223372036854775808", "9223372036854775807"}, []string{"-9223372036854775809", "9223372036854775808"}},
		{prefix + "uint8", []string{"0", "255"}, []string{"-1", "256"}},
		{prefix + "uint16", []string{"0", "65535"}, []string{"-1", "65536"}},
		{prefix + "uint32", []string{"0", "4294967295"}, []string{"-1", "4294967296"}},
		{prefix + "uint64", []string{"0", "18446744073709551615"}, []string{"-1", "18446744073709551616"}},
	}
}

// numbers are the types that are no texts. Large integers and decimals keep every digit.
func numbers() []format {
	const huge = "123456789012345678901234567890"
	list := []format{
		{"bool", []string{"true", "false"}, []string{"yes"}},
		{"integer", []string{"0", "9007199254740993"}, []string{"1.5", "x"}},
		{"number", []string{"0.1", "-2.5", "1e+300"}, []string{"x"}},
		{"number-float", []string{"0.1", "16777216"}, []string{"1e39"}},
		{"number-double", []string{"0.1", "1e+300"}, []string{"1e309"}},
		{"number-decimal", []string{"1.10", "0.10000000000000000000000000000000000001", huge}, []string{"1,5"}},
		{"number-decimal128", []string{"1.10"}, []string{"x"}},
	}
	for _, name := range []string{"bigint", "big-int", "biginteger", "int128", "int256"} {
		list = append(list, format{"integer-" + name, []string{huge, "-" + huge}, []string{"1.5"}})
	}
	for _, name := range []string{"uint128", "uint256"} {
		list = append(list, format{"integer-" + name, []string{huge}, []string{"1.5"}})
	}
	return append(append(list, integers("integer-")...), integers("number-")...)
}

// formatsOf tries a schema's members one by one, as JSON and in a query; token makes the
// JSON text of a value.
func formatsOf(t *testing.T, url_, path string, list []format, token func(string) string, again func(body string) (string, error)) {
	t.Helper()
	for _, f := range list {
		for _, text := range f.good {
			body := "{" + strconv.Quote(f.name) + ":" + token(text) + "}"
			if status, got := ask(t, http.MethodPost, url_+path, body); status != http.StatusOK || !equalJSON(got, body) {
				t.Errorf("%s: sent %s, got %d %s", f.name, body, status, got)
			}
			if status, got := ask(t, http.MethodGet, url_+path+"?"+f.name+"="+url.QueryEscape(text), ""); status != http.StatusOK || !equalJSON(got, body) {
				t.Errorf("%s in a query: sent %q, got %d %s", f.name, text, status, got)
			}
			if got, err := again(body); err != nil || !equalJSON(got, body) {
				t.Errorf("%s: the client got %s for %s: %v", f.name, got, body, err)
			}
		}
		for _, text := range f.bad {
			body := "{" + strconv.Quote(f.name) + ":" + token(text) + "}"
			if json.Valid([]byte(body)) {
				if status, got := ask(t, http.MethodPost, url_+path, body); status != http.StatusBadRequest || !strings.Contains(got, `"/`+f.name+`"`) {
					t.Errorf("%s: sent %s, got %d %s", f.name, body, status, got)
				}
			}
			if status, got := ask(t, http.MethodGet, url_+path+"?"+f.name+"="+url.QueryEscape(text), ""); status != http.StatusBadRequest || !strings.Contains(got, f.name) {
				t.Errorf("%s in a query: sent %q, got %d %s", f.name, text, status, got)
			}
		}
	}
}

// equalJSON compares texts, for digits count; escapes and spaces do not.
func equalJSON(a, b string) bool {
	read := func(text string) (v any, err error) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		return v, d.Decode(&v)
	}
	x, err := read(a)
	y, err2 := read(b)
	return err == nil && err2 == nil && reflect.DeepEqual(x, y)
}

// through sends a value with the generated client, as JSON and in a query.
func through[T any](body string, send, query func(T) (*T, error)) (string, error) {
	var v T
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return "", err
	}
	res, err := send(v)
	if err != nil {
		return "", err
	}
	if query != nil {
		other, err := query(v)
		if err != nil {
			return "", err
		}
		if diff := cmp.Diff(res, other, same); diff != "" {
			return "the query gives another value: " + diff, nil
		}
	}
	text, err := json.Marshal(res)
	return string(text), err
}

func TestTexts(t *testing.T) {
	address, c := start(t)
	quoted := func(text string) string {
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	formatsOf(t, address, "/texts", texts, quoted, func(body string) (string, error) {
		return through(body,
			func(v formats.Texts) (*formats.Texts, error) {
				return c.SendTexts(t.Context(), formats.SendTextsRequest{Body: v})
			},
			func(v formats.Texts) (*formats.Texts, error) {
				return c.QueryTexts(t.Context(), formats.QueryTextsRequest{All: v})
			})
	})
}

func TestNumbers(t *testing.T) {
	address, c := start(t)
	formatsOf(t, address, "/numbers", numbers(), func(text string) string { return text }, func(body string) (string, error) {
		return through(body,
			func(v formats.Numbers) (*formats.Numbers, error) {
				return c.SendNumbers(t.Context(), formats.SendNumbersRequest{Body: v})
			},
			func(v formats.Numbers) (*formats.Numbers, error) {
				return c.QueryNumbers(t.Context(), formats.QueryNumbersRequest{All: v})
			})
	})
}

// Every member of the schemas is tried.
func TestMembersAreComplete(t *testing.T) {
	for v, list := range map[reflect.Type][]format{reflect.TypeFor[formats.Texts](): texts, reflect.TypeFor[formats.Numbers](): numbers()} {
		tried := map[string]bool{}
		for _, f := range list {
			tried[f.name] = true
		}
		for field := range v.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); !tried[name] {
				t.Errorf("%s.%s is not tried", v.Name(), name)
			}
		}
		if len(tried) != v.NumField() {
			t.Errorf("%d members of %s are tried, it has %d", len(tried), v.Name(), v.NumField())
		}
	}
}

// The kinds of values that are neither texts nor numbers.
func TestShapes(t *testing.T) {
	address, c := start(t)
	for body, at := range map[string]string{ // where the fault is; empty: there is none
		`{}`: "", `{"any":null}`: "", `{"any":{"a":[1.50,"x"]}}`: "",
		`{"null":null}`: "", `{"null":1}`: "/null",
		`{"nullable":null}`: "", `{"nullable":"x"}`: "", `{"nullable":1}`: "/nullable",
		`{"list":[]}`: "", `{"list":[0,255]}`: "", `{"list":[0,256]}`: "/list/1", `{"list":null}`: "/list",
		`{"table":{}}`: "", `{"table":{"a/b":"2024-02-29"}}`: "", `{"table":{"a/b":"never"}}`: "/table/a~1b",
		`{"open":{"x":{"y":1}}}`: "", `{"open":[]}`: "/open",
		`{"tuple":["a",true]}`: "", `{"tuple":["a"]}`: "/tuple", `{"tuple":["a",true,1]}`: "/tuple/2", `{"tuple":["a",1]}`: "/tuple/1",
		`{"choice":1}`: "", `{"choice":"11111111-2222-3333-4444-555555555555"}`: "", `{"choice":true}`: "/choice", `{"choice":"x"}`: "/choice",
		`{"constant":"fixed"}`: "", `{"constant":"loose"}`: "/constant",
		`{"enumeration":3}`: "", `{"enumeration":4}`: "/enumeration",
		`{"nested":{"nested":{"list":[1]}}}`: "", `{"nested":{"nested":{"list":["x"]}}}`: "/nested/nested/list/0",
	} {
		status, got := ask(t, http.MethodPost, address+"/shapes", body)
		if at != "" {
			if status != http.StatusBadRequest || !strings.Contains(got, strconv.Quote(at)) {
				t.Errorf("sent %s, got %d %s, want a fault at %s", body, status, got, at)
			}
			continue
		}
		if status != http.StatusOK || !equalJSON(got, body) {
			t.Errorf("sent %s, got %d %s", body, status, got)
		}
		back, err := through(body,
			func(v formats.Shapes) (*formats.Shapes, error) {
				return c.SendShapes(t.Context(), formats.SendShapesRequest{Body: v})
			}, nil)
		if err != nil || !equalJSON(back, body) {
			t.Errorf("the client got %s for %s: %v", back, body, err)
		}
	}
}
