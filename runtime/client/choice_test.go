package client_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// send makes one call with an encoder and gives back what the server got: the target,
// the content type and the body.
func send(t *testing.T, encode func(*client.Request)) (string, error) {
	t.Helper()
	got := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			got = r.URL.RequestURI() + " " + r.Header.Get("Content-Type") + " " + string(body)
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	core, err := client.New(&client.API{Title: "t"}, client.BaseURL(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	op := client.Operation[client.None]{
		Spec:   &policy.Spec{ID: "send", Method: http.MethodPost, Path: "/"},
		Encode: func(_ any, b *client.Request) { b.Path("/"); encode(b) },
	}
	err = client.Exec(context.Background(), core, &op, &client.None{}, nil)
	return got, err
}

func TestChoose(t *testing.T) {
	for what, tt := range map[string]struct {
		required bool
		set      []bool
		want     int
		fails    bool
	}{
		"the second":        {true, []bool{false, true}, 1, false},
		"none, required":    {true, []bool{false, false}, -1, true},
		"none, optional":    {false, []bool{false, false}, -1, false},
		"two":               {true, []bool{true, true}, -1, true},
		"two of an option":  {false, []bool{true, true}, -1, true},
		"the only one, yes": {false, []bool{true}, 0, false},
	} {
		chosen := -2
		_, err := send(t, func(b *client.Request) { chosen = b.Choose(tt.required, tt.set...) })
		if chosen != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %d, %v", what, chosen, err)
		}
	}
}

func TestBodiesOfValues(t *testing.T) {
	nobody := (*string)(nil)
	for want, encode := range map[string]func(*client.Request){
		"/ text/plain 7": func(b *client.Request) { b.TextValue("text/plain", param.Int64.Format(7)) },
		"/  ":            func(b *client.Request) { b.TextValue("text/plain", param.Opt(param.String, value.Opt[string]{})) },
		"/ application/json null": func(b *client.Request) {
			client.JSONOrNull(b, "application/json", nobody, json.String)
		},
		`/ application/json "x"`: func(b *client.Request) {
			x := "x"
			client.JSONOrNull(b, "application/json", &x, json.String)
		},
		"/?a%20b%26c  ": func(b *client.Request) { b.WholeQuery(param.TextValue("a b&c")) },
	} {
		if got, err := send(t, encode); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

func numbers(n int, fail error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i+1, nil) {
				return
			}
		}
		if fail != nil {
			yield(0, fail)
		}
	}
}

func TestSequencesAsBodies(t *testing.T) {
	texts := func(yield func(string, error) bool) { _ = yield("a\nb", nil) && yield("c", nil) }
	raw := json.Raw
	objects := func(yield func(value.Raw, error) bool) {
		yield(value.Raw(`{"event":"e","data":{"n":1},"id":"4"}`), nil)
	}
	for want, encode := range map[string]func(*client.Request){
		"/ application/x-ndjson 1\n2\n":                       func(b *client.Request) { client.Lines(b, "application/x-ndjson", numbers(2, nil), json.Int) },
		"/ application/json-seq \x1e1\n\x1e2\n":               func(b *client.Request) { client.Sequence(b, "application/json-seq", numbers(2, nil), json.Int) },
		"/ text/event-stream data: 1\n\ndata: 2\n\n":          func(b *client.Request) { client.Events(b, "text/event-stream", numbers(2, nil), json.Int) },
		"/ text/event-stream data: a\ndata: b\n\ndata: c\n\n": func(b *client.Request) { client.EventText(b, "text/event-stream", texts) },
		"/ application/x-ndjson ":                             func(b *client.Request) { client.Lines(b, "application/x-ndjson", numbers(0, nil), json.Int) },
	} {
		if got, err := send(t, encode); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	got, err := send(t, func(b *client.Request) { client.EventObjects(b, "text/event-stream", objects, raw) })
	if err != nil {
		t.Fatal(err)
	}
	r := stream.NewEventReader(strings.NewReader(strings.TrimPrefix(got, "/ text/event-stream ")), 0)
	if data, err := r.Next(); err != nil || string(data) != `{"n":1}` || r.Event().Name != "e" || r.Event().ID != "4" {
		t.Errorf("%q: %s, %v", got, data, err)
	}
}

func TestSequencesThatFail(t *testing.T) {
	broken := errors.New("broken")
	if _, err := send(t, func(b *client.Request) { client.Lines(b, "application/x-ndjson", numbers(2, broken), json.Int) }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := send(t, func(b *client.Request) { client.Lines[int](b, "application/x-ndjson", nil, json.Int) }); err == nil {
		t.Error("a nil sequence is sent")
	}
}

func TestParts(t *testing.T) {
	got, err := send(t, func(b *client.Request) {
		p := b.Multipart("multipart/form-data")
		multipart.PartList(p, "n", "", []int64{1, 2}, param.Int64)
		multipart.JSONPartList(p, "j", "", []int64{3}, json.Int64)
		multipart.JSONPartPtr[int64](p, "absent", "", nil, json.Int64)
		multipart.PartMap(p, map[string]int64{"y": 5, "x": 4}, param.Int64)
		multipart.JSONPartMap(p, map[string]string{"z": "q"}, json.String)
	})
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, part := range []string{"name=\"n\"\r\n\r\n1\r\n", "name=\"n\"\r\n\r\n2\r\n", "\r\n\r\n3\r\n", "name=\"x\"\r\n\r\n4\r\n", "name=\"y\"\r\n\r\n5\r\n", "\"q\"\r\n"} {
		i := strings.Index(got, part)
		if i <= last {
			t.Errorf("%q is not behind what comes before it in\n%s", part, got)
		}
		last = i
	}
	if strings.Contains(got, "absent") {
		t.Error("an absent part is sent")
	}
}

func TestCallbackAddress(t *testing.T) {
	body := map[string]any{"hook": map[string]any{"url": "https://x.example/in", "n": value.Number("5")}, "list": []any{"a"}, "no": nil}
	codec := json.Map(json.Any)
	for want, pieces := range map[string][]client.Piece{
		"https://x.example/in":          {client.FromBody(&body, codec, "/hook/url")},
		"https://x.example/in?id=7&n=5": {client.FromBody(&body, codec, "/hook/url"), client.Literal("?id="), client.FromParam("id", param.Int64.Format(7)), client.Literal("&n="), client.FromBody(&body, codec, "/hook/n")},
		"a":                             {client.FromBody(&body, codec, "/list/0")},
	} {
		if got, err := client.Address(pieces...); got != want || err != nil {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	for _, p := range []client.Piece{
		client.FromBody(&body, codec, "/gone"), client.FromBody(&body, codec, "/hook"), client.FromBody(&body, codec, "/no"),
		client.FromBody[map[string]any](nil, codec, "/hook"), client.FromParam("id", param.Opt(param.Int64, value.Opt[int64]{})),
	} {
		if got, err := client.Address(client.Literal("x"), p); err == nil {
			t.Errorf("%s", got)
		}
	}
}

// A request's body that breaks a codec's rules is not sent.
func TestTextValueThatCannotBeWritten(t *testing.T) {
	_, err := send(t, func(b *client.Request) { b.TextValue("text/plain", param.InvalidValue("is no text")) })
	var wrong *check.Error
	if !errors.As(err, &wrong) || wrong.Violations[0].In != check.InBody {
		t.Errorf("%v", err)
	}
}
