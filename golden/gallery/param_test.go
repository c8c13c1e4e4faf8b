package gallery_test

import (
	"context"
	"encoding"
	"errors"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// same compares requests, the private parts of optional values included.
var same = cmp.Exporter(func(reflect.Type) bool { return true })

func uuid(t *testing.T, text string) value.UUID {
	t.Helper()
	u, err := value.ParseUUID(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func point(x, y int32) gallery.Point { return gallery.Point{X: x, Y: y} }

// The parts of URLs are those of the tables of OpenAPI and RFC 6570.
func TestParametersTravel(t *testing.T) {
	c, svc, w := start(t)
	ctx := context.Background()
	object := point(3, 4)
	call := func(err error, want any, target string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, svc.got, same); diff != "" {
			t.Errorf("the server got something else (-sent +got):\n%s", diff)
		}
		if got := w.target(); target != "" && got != target {
			t.Errorf("sent %s, want %s", got, target)
		}
	}

	simple := gallery.PathSimpleRequest{ID: 5, List: []string{"a/b", "c,d"}, Object: object, Exploded: object}
	_, err := c.PathSimple(ctx, simple)
	call(err, simple, "/path/simple/5/a%2Fb,c%2Cd/x,3,y,4/x=3,y=4")

	label := gallery.PathLabelRequest{ID: "a", List: []int64{3, 4}, Exploded: []int64{3, 4}, Object: object, ObjectExploded: object}
	_, err = c.PathLabel(ctx, label)
	call(err, label, "/path/label/.a/.3,4/.3.4/.x,3,y,4/.x=3.y=4")

	matrix := gallery.PathMatrixRequest{ID: "a", List: []int64{3, 4}, Exploded: []int64{3, 4}, Object: object, ObjectExploded: object}
	_, err = c.PathMatrix(ctx, matrix)
	call(err, matrix, "/path/matrix/;id=a/;list=3,4/;exploded=3;exploded=4/;object=x,3,y,4/;x=3;y=4")

	verb := gallery.PathVerbRequest{ID: "a:b"}
	_, err = c.PathVerb(ctx, verb)
	call(err, verb, "/path/jobs/a%3Ab:run")

	suffix := gallery.PathSuffixRequest{Name: "v1.2", Ext: "json"}
	_, err = c.PathSuffix(ctx, suffix)
	call(err, suffix, "/path/files/v1.2.json")

	spread := gallery.QuerySpreadRequest{Point: &object}
	_, err = c.QuerySpread(ctx, spread)
	call(err, spread, "/query/spread?x=3&y=4")

	whole := gallery.WholeQueryRequest{Q: &object}
	_, err = c.WholeQuery(ctx, whole)
	call(err, whole, "/whole-query?x=3&y=4")

	cookies := gallery.CookiesRequest{Sid: "s1", Prefs: []string{"a", "b"}}
	_, err = c.Cookies(ctx, cookies)
	call(err, cookies, "/cookies")
	if got := w.request.Header.Get("Cookie"); got != "sid=s1; prefs=a,b" {
		t.Errorf("Cookie: %s", got)
	}
}

func TestQueryStyles(t *testing.T) {
	c, svc, w := start(t)
	flat := point(1, 2)
	req := gallery.QueryStylesRequest{
		Form: []string{"x", "y"}, Commas: []string{"p,q", "r"}, Spaces: []string{"a", "bc"}, Pipes: []int64{1, 2},
		Deep:  &gallery.Filter{State: value.Some("open"), Sizes: []int64{1, 2}, Labels: map[string]string{"env": "prod"}},
		Flat:  &flat,
		Where: &gallery.Filter{State: value.Some("x y")},
		Raw:   value.Some("a/b?c"), IDs: []int64{1, 2}, Top: value.Some[int64](5), Colour: value.Some(gallery.ColourRed),
	}
	if _, err := c.QueryStyles(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(req), svc.got, same); diff != "" {
		t.Errorf("the server got something else (-sent +got):\n%s", diff)
	}
	// A comma that is data is escaped, one that delimits is not. OpenAPI leaves open
	// how a deepObject has arrays: ours counts their items.
	want := "/query/styles?form=x&form=y&commas=p%2Cq,r&spaces=a%20bc&pipes=1%7C2" +
		"&deep%5Bstate%5D=open&deep%5Bsizes%5D%5B0%5D=1&deep%5Bsizes%5D%5B1%5D=2&deep%5Blabels%5D%5Benv%5D=prod" +
		"&flat=x,1,y,2&where=%7B%22state%22%3A%22x%20y%22%7D&raw=a/b?c&ids%5B%5D=1&ids%5B%5D=2&%24top=5&colour=red"
	if w.target() != want {
		t.Errorf("sent\n%s, want\n%s", w.target(), want)
	}

	// What is absent is not sent; the server fills the default in.
	if _, err := c.QueryStyles(context.Background(), gallery.QueryStylesRequest{}); err != nil {
		t.Fatal(err)
	}
	filled := gallery.QueryStylesRequest{Top: value.Some[int64](10)}
	if diff := cmp.Diff(any(filled), svc.got, same); diff != "" || w.target() != "/query/styles" {
		t.Errorf("sent %s; the server got (-want +got):\n%s", w.target(), diff)
	}
}

// parse sets a value from its text.
func parse[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](dst *value.Opt[T], text string) error {
	var v T
	err := P(&v).UnmarshalText([]byte(text))
	dst.Set(v)
	return err
}

func TestScalars(t *testing.T) {
	c, svc, w := start(t)
	req := gallery.QueryScalarsRequest{
		Flag: value.Some(false), Small: value.Some[int32](-7), Big: value.Some[int64](9007199254740993), Ratio: value.Some(0.1),
		Exact: value.Some(value.Number("1.10")), At: value.Some(time.Date(2024, 2, 29, 10, 20, 30, 120_000_000, time.FixedZone("", 3600))),
		Day: value.Some(value.Date{Year: 2024, Month: 2, Day: 29}), ID: value.Some(uuid(t, "11111111-2222-3333-4444-555555555555")),
		Blob: []byte{0, 255, 62}, V4: value.Some(netip.MustParseAddr("192.0.2.1")), V6: value.Some(netip.MustParseAddr("2001:db8::1")),
		Link: value.Some("https://example.com/a?b=c#d"), Mail: value.Some("a@example.com"),
	}
	if err := errors.Join(parse(&req.Clock, "10:20:30Z"), parse(&req.Span, "PT1H30M")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.QueryScalars(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(req), svc.got, same); diff != "" {
		t.Errorf("the server got something else (-sent +got):\n%s", diff)
	}
	const want = "/query/scalars?flag=false&small=-7&big=9007199254740993&ratio=0.1&exact=1.10&at=2024-02-29T10%3A20%3A30.12%2B01%3A00" +
		"&day=2024-02-29&clock=10%3A20%3A30Z&span=PT1H30M&id=11111111-2222-3333-4444-555555555555&blob=AP8%2B" +
		"&v4=192.0.2.1&v6=2001%3Adb8%3A%3A1&link=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%23d&mail=a%40example.com"
	if w.target() != want {
		t.Errorf("sent\n%s, want\n%s", w.target(), want)
	}
}

func TestHeaders(t *testing.T) {
	c, svc, w := start(t)
	p := point(1, 2)
	req := gallery.HeadersRequest{XTrace: "t-1", XIDs: []int64{3, 4}, XPoint: &p, XExploded: &p, XJSON: &p}
	res, err := c.Headers(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(req), svc.got, same); diff != "" {
		t.Errorf("the server got something else (-sent +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"X-Trace": "t-1", "X-Ids": "3,4", "X-Point": "x,1,y,2", "X-Exploded": "x=1,y=2", "X-Json": `{"x":1,"y":2}`,
	} {
		if got := w.request.Header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	want := &gallery.HeadersResponse{
		XTotal: 7, XTags: []string{"a", "b"}, SetCookie: []string{"a=1; Path=/", "b=2"},
		Body: gallery.Seen{Values: map[string]string{"a": "b"}},
	}
	if diff := cmp.Diff(want, res, same); diff != "" {
		t.Errorf("the client got something else (-want +got):\n%s", diff)
	}
}

// What cannot be written fails before anything is sent, and names the parameter.
func TestParametersThatCannotBeSent(t *testing.T) {
	c, _, w := start(t, client.ValidateRequests())
	ctx := context.Background()
	tests := map[string]struct {
		err  func() error
		name string
	}{
		"an empty path value": {func() error { _, err := c.PathVerb(ctx, gallery.PathVerbRequest{}); return err }, "id"},
		"a line break in a header": {func() error {
			_, err := c.Headers(ctx, gallery.HeadersRequest{XTrace: "a\r\nb"})
			return err
		}, "X-Trace"},
		"a semicolon in a cookie": {func() error { _, err := c.Cookies(ctx, gallery.CookiesRequest{Sid: "a;b"}); return err }, "sid"},
		"a delimiter in an item": {func() error {
			_, err := c.QueryStyles(ctx, gallery.QueryStylesRequest{Spaces: []string{"b c"}})
			return err
		}, "spaces"},
		"a broken constraint": {func() error {
			_, err := c.QueryScalars(ctx, gallery.QueryScalarsRequest{Mail: value.Some("nobody")})
			return err
		}, "mail"},
	}
	for what, tt := range tests {
		var wrong *check.Error
		if err := tt.err(); !errors.As(err, &wrong) || wrong.Violations[0].Name != tt.name {
			t.Errorf("%s: %v, want a violation of %s", what, err, tt.name)
		}
	}
	if w.request != nil {
		t.Error("something was sent")
	}
}
