package server_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// Documents that give a range of media types, as */*, still get a concrete one.
func TestContentTypesWithinARange(t *testing.T) {
	png := []byte("\x89PNG\x0D\x0A\x1A\x0A")
	for _, test := range []struct {
		name   string
		encode func(*server.Response)
		want   string
		status int
	}{
		{"JSON", func(w *server.Response) { w.JSON(200, "*/*", &Booking{Seats: 1}) }, "application/json", 200},
		{"JSON value", func(w *server.Response) {
			n := int64(1)
			server.JSONValue(w, 200, "application/*", &n, json.Int64)
		}, "application/json", 200},
		{"null", func(w *server.Response) { server.JSONOrNull(w, 200, "*/*", nil, json.Int64) }, "application/json", 200},
		{"JSON as text", func(w *server.Response) { w.JSON(200, "text/*", &Booking{Seats: 1}) }, "application/problem+json", 500},
		{"text", func(w *server.Response) { w.Text(200, "*/*", "a") }, "text/plain; charset=utf-8", 200},
		{"text value", func(w *server.Response) { w.TextValue(200, "text/*", param.IntValue(1)) }, "text/plain; charset=utf-8", 200},
		{"own type", func(w *server.Response) { w.Text(200, w.Type("text/csv", "text/*"), "a") }, "text/csv; charset=utf-8", 200},
		{"no own type", func(w *server.Response) { w.Text(200, w.Type("", "text/csv"), "a") }, "text/csv; charset=utf-8", 200},
		{"own type of another kind", func(w *server.Response) { w.Text(200, w.Type("image/png", "text/*"), "a") }, "application/problem+json", 500},
		{"text in an image", func(w *server.Response) { w.Text(200, "image/*", "a") }, "application/problem+json", 500},
		{"bytes", func(w *server.Response) { w.Bytes(200, "image/*", png) }, "image/png", 200},
		{"other bytes", func(w *server.Response) { w.Bytes(200, "image/*", []byte("a")) }, "application/problem+json", 500},
	} {
		s := start(t, []server.Route{write("/", test.encode)}, new(failures).option())
		r := do(t, "GET", s.URL+"/", "")
		if got := r.Header.Get("Content-Type"); r.StatusCode != test.status || got != test.want {
			t.Errorf("%s: %d %s, want %d %s", test.name, r.StatusCode, got, test.status, test.want)
		}
	}
}
