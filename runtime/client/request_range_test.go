package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Documents that give a range of media types, as */*, still get a concrete one.
func TestMediaTypesWithinARange(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	for _, test := range []struct {
		name   string
		encode encoder
		want   string // empty: it is refused
	}{
		{"JSON", func(r *client.Request) { r.JSON("*/*", &Booking{ID: "1"}) }, "application/json"},
		{"JSON value", func(r *client.Request) {
			n := int64(1)
			client.JSONValue(r, "application/*", &n, json.Int64)
		}, "application/json"},
		{"null", func(r *client.Request) { client.JSONOrNull(r, "*/*", nil, json.Int64) }, "application/json"},
		{"JSON as an image", func(r *client.Request) { r.JSON("image/*", &Booking{ID: "1"}) }, ""},
		{"text", func(r *client.Request) { r.Text("*/*", "a") }, "text/plain"},
		{"text value", func(r *client.Request) { r.TextValue("text/*", param.IntValue(1)) }, "text/plain"},
		{"exact", func(r *client.Request) { r.Text("text/csv", "a") }, "text/csv"},
		{"text in an image", func(r *client.Request) { r.Text("image/*", "a") }, ""},
	} {
		before := len(s.all())
		_, err := call(t, c, op("POST", "/", noContent), func(r *client.Request) { r.Path("/"); test.encode(r) })
		all := s.all()
		switch {
		case test.want == "":
			if err == nil || !strings.Contains(err.Error(), "needs a content type") || len(all) != before {
				t.Errorf("%s: %v", test.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		default:
			if got := all[len(all)-1].header.Get("Content-Type"); got != test.want {
				t.Errorf("%s: %q, want %q", test.name, got, test.want)
			}
		}
	}
}
