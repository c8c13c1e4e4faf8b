package api_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c085"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// service is the method of the operation.
type service func(context.Context) (iter.Seq2[api.LinesOKItem, error], error)

func (s service) Lines(ctx context.Context) (iter.Seq2[api.LinesOKItem, error], error) { return s(ctx) }

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func item(n int64) api.LinesOKItem { return api.LinesOKItem{N: value.Some(n)} }

// items collects what a stream gives until it ends.
func items(s *client.Stream[api.LinesOKItem]) (got []api.LinesOKItem, err error) {
	for v, failed := range s.All() {
		if failed != nil {
			return got, failed
		}
		got = append(got, v)
	}
	return got, nil
}

func TestLinesAreRead(t *testing.T) {
	long := strings.Repeat(" ", 1<<20)
	two := []api.LinesOKItem{item(1), item(2)}
	for _, test := range []struct {
		name, body string
		want       []api.LinesOKItem
	}{
		{"two", "{\"n\":1}\n{\"n\":2}\n", two},
		{"no line feed at the end", "{\"n\":1}\n{\"n\":2}", two},
		{"blank last line", "{\"n\":1}\n{\"n\":2}\n\n", two},
		{"CRLF", "{\"n\":1}\r\n{\"n\":2}\r\n", two},
		{"more than 64 KiB", "{\"n\":1," + long + "\"pad\":\"" + strings.Repeat("x", 200<<10) + "\"}\n{\"n\":2}\n", two},
		{"nothing", "", nil},
	} {
		wire := kit.Record(t, kit.Reply{Status: 200, Type: "application/x-ndjson", Body: test.body})
		s, err := newClient(t, wire.URL).Lines(t.Context())
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got, err := items(s); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v, want %+v", test.name, got, err, test.want)
		}
	}
}

func TestBadLine(t *testing.T) {
	for _, bad := range []string{"{\"n\":", "nope", "{\"n\":\"x\"}", "{\"n\":3}{\"n\":4}"} {
		wire := kit.Record(t, kit.Reply{Status: 200, Type: "application/x-ndjson", Body: "{\"n\":1}\n{\"n\":2}\n" + bad + "\n{\"n\":4}\n"})
		s, err := newClient(t, wire.URL).Lines(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := items(s)
		var failed *fault.Error
		if !reflect.DeepEqual(got, []api.LinesOKItem{item(1), item(2)}) || !errors.As(err, &failed) || failed.Kind != fault.Response {
			t.Errorf("%q: %+v, %v", bad, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%q: %q does not name line 3", bad, err)
		}
	}
}

// The client has an item before the method makes the next one.
func TestLinesArriveOneByOne(t *testing.T) {
	seen := make(chan struct{})
	url := kit.Serve(t, api.NewHandler(service(func(ctx context.Context) (iter.Seq2[api.LinesOKItem, error], error) {
		return func(yield func(api.LinesOKItem, error) bool) {
			for n := int64(1); n <= 3 && yield(item(n), nil); n++ {
				select {
				case <-seen:
				case <-ctx.Done():
					return
				}
			}
		}, nil
	})))
	s, err := newClient(t, url).Lines(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []api.LinesOKItem
	for v, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
		seen <- struct{}{}
	}
	if !reflect.DeepEqual(got, []api.LinesOKItem{item(1), item(2), item(3)}) {
		t.Errorf("items %+v", got)
	}
}

func TestLinesOnTheWire(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service(func(context.Context) (iter.Seq2[api.LinesOKItem, error], error) {
		return func(yield func(api.LinesOKItem, error) bool) {
			_ = yield(item(1), nil) && yield(api.LinesOKItem{}, nil) && yield(item(2), nil)
		}, nil
	})))
	got := kit.Send(t, http.MethodGet, url+"/lines", "")
	if got.Status != 200 || got.Header.Get("Content-Type") != "application/x-ndjson" || got.Body != "{\"n\":1}\n{}\n{\"n\":2}\n" {
		t.Errorf("answer %+v", got)
	}
}
