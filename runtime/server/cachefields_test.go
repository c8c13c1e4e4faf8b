package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// cached is a server of one operation with a cache that answers with a stream.
func cached(c policy.Cache, body func() io.Reader) http.Handler {
	s := spec("GET", "/")
	s.Client.Effect, s.Server.Cache = policy.Read, &c
	op := &server.Operation[server.Body]{Spec: s, Encode: func(w *server.Response, b server.Body) { w.Stream(200, "text/plain", b) }}
	return server.New(nil, []server.Route{server.HandleEmpty(op, func(context.Context) (server.Body, error) {
		return server.Body{Reader: body()}, nil
	})}, server.OnError(nil))
}

// A stream has no tag, since nobody knows it before it is sent; one that fails at once
// leaves nothing of what was said about it.
func TestCacheOfStreams(t *testing.T) {
	minute := policy.Cache{MaxAge: time.Minute, SharedMaxAge: policy.None, CDNMaxAge: policy.None}
	shadow := minute
	shadow.Mode = policy.Shadow
	never := minute
	never.Scope = policy.CacheNoStore
	for name, c := range map[string]struct {
		policy policy.Cache
		reader io.Reader
		status int
		want   string
	}{
		"a stream":       {minute, strings.NewReader("text"), 200, "private, max-age=60"},
		"a broken one":   {minute, iotest.ErrReader(errors.New("broken")), 500, "no-store"},
		"in shadow":      {shadow, strings.NewReader("text"), 200, ""},
		"kept by nobody": {never, strings.NewReader("text"), 200, "no-store"},
	} {
		w := httptest.NewRecorder()
		cached(c.policy, func() io.Reader { return c.reader }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if h := w.Header(); w.Code != c.status || h.Get("Cache-Control") != c.want || h["Etag"] != nil {
			t.Error(name, w.Code, h)
		}
	}
}
