package api_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"

	api "cases/c117"
	"cases/kit"
)

func answer(body string) kit.Reply {
	return kit.Reply{Status: 200, Type: "application/json", Body: body}
}

func TestOneValueIsRead(t *testing.T) {
	res, err := kit.Client(t, api.New, kit.Record(t, answer(` {"a":1} `)).URL).Lim(t.Context())
	kit.OK(t, err)
	kit.Same(t, "a", res.A.Or(0), int64(1))
	for _, body := range []string{`{"a":1} trailing`, `{"a":1}{"a":2}`, "\ufeff" + `{"a":1}`, `{"a":1`} {
		res, err := kit.Client(t, api.New, kit.Record(t, answer(body)).URL).Lim(t.Context())
		var bad *client.DecodeError
		if res != nil || !errors.As(err, &bad) {
			t.Errorf("%q: %v, %v", body, res, err)
		}
	}
}

func TestLimit(t *testing.T) {
	big := `{"a":1,"x":"` + strings.Repeat("y", 2000) + `"}`
	sent := kit.Record(t, answer(big))
	_, err := kit.Client(t, api.New, sent.URL).Lim(t.Context())
	kit.OK(t, err)
	_, err = kit.Client(t, api.New, sent.URL, client.BodyLimit(1000)).Lim(t.Context())
	var tooLarge *client.BodyTooLargeError
	if !errors.As(err, &tooLarge) {
		t.Fatal(err)
	}
	kit.Fails(t, err, "1000")
}

// A connection with an unread rest is not used again.
func TestConnectionIsClosedOverTheLimit(t *testing.T) {
	url, connections := kit.ServeCounted(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"a":1,"x":"`+strings.Repeat("y", 1<<20)+`"}`)
	}))
	c := kit.Client(t, api.New, url, client.BodyLimit(1000))
	for range 3 {
		_, err := c.Lim(t.Context())
		kit.Fails(t, err)
	}
	kit.Same(t, "connections", connections(), 3)
}

// zipped answers with a compressed body and counts nothing else.
func zipped(body string) http.Handler {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(b.Bytes())
			return
		}
		_, _ = io.WriteString(w, body)
	})
}

func TestCompressedOnce(t *testing.T) {
	res, err := kit.Client(t, api.New, kit.Serve(t, zipped(`{"a":7}`))).Lim(t.Context())
	kit.OK(t, err)
	kit.Same(t, "a", res.A.Or(0), int64(7))
	// 64 MiB of one letter are 64 KiB on the wire; the limit is on what comes out.
	bomb := `{"a":1,"x":"` + strings.Repeat("y", 64<<20) + `"}`
	_, err = kit.Client(t, api.New, kit.Serve(t, zipped(bomb))).Lim(t.Context())
	var tooLarge *client.BodyTooLargeError
	if !errors.As(err, &tooLarge) {
		t.Fatal(err)
	}
}

func TestErrorBodiesAreBoundToo(t *testing.T) {
	sent := kit.Record(t, kit.Reply{Status: 500, Type: "application/json", Body: `{"x":"` + strings.Repeat("y", 5000) + `"}`})
	_, err := kit.Client(t, api.New, sent.URL, client.BodyLimit(1000), client.Header("X", "y")).Lim(t.Context(), client.NoRetry())
	kit.Fails(t, err, "500")
	if len(err.Error()) > 1000 {
		t.Errorf("%d bytes of error text", len(err.Error()))
	}
}
