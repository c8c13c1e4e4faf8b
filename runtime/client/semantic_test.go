package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/semantic"
)

// plane embeds what stands before and after a comma, so that a test says how near two
// texts are: "4,3" and "5,0" have a cosine of 0.8.
func plane(_ context.Context, text string) ([]float32, error) {
	var x, y float32
	_, err := fmt.Sscanf(text, "%f,%f", &x, &y)
	return []float32{x, y}, err
}

// asks is a call that asks a text.
func asks(text string, more ...string) encoder {
	return func(r *client.Request) {
		r.Path("/ask")
		r.Bytes("application/json", fmt.Appendf(nil, `{"prompt": %q%s}`, text, strings.Join(more, "")))
	}
}

// similar is a rung for texts with a cosine of 0.8.
func similar() policy.Rung {
	return policy.Rung{Kind: policy.RungSemanticCache, Similarity: 0.8}
}

func TestSemanticCache(t *testing.T) {
	o := op("POST", "/ask", okJSON, fallsBack(usual(similar())))
	o.Spec.Client.Effect = policy.Idempotent
	o.Spec.Client.Breaker = nil
	down := false
	c := falling(t, []*policy.Spec{o.Spec}, func(_ *http.Request, body string) *http.Response {
		if down {
			return plain(503, `"busy"`)
		}
		return with(plain(200, `"answer"`), "Set-Cookie: a=b", "X-Request-Id: 1", "X-Kept: yes")
	}, client.SemanticCache(semantic.EmbedFunc(plane)))
	if _, err := call(t, c, o, asks("5,0")); err != nil {
		t.Fatal(err)
	}
	down = true
	var meta client.Meta
	for _, tc := range []struct {
		name  string
		ask   encoder
		opts  []client.CallOption
		found bool
	}{
		{"near enough", asks("4,3"), nil, true},
		{"not near enough", asks("3,4"), nil, false},
		{"the same text", asks("5,0"), nil, true},
		{"another parameter", asks("5,0", `, "model": "m"`), nil, false},
		{"another header", asks("5,0"), []client.CallOption{client.CallHeader("X-Tenant", "2")}, false},
		{"another trace", asks("5,0"), []client.CallOption{client.CallHeader("Traceparent", "2")}, true},
		{"without caches", asks("5,0"), []client.CallOption{client.NoCache()}, false},
		{"without a fallback", asks("5,0"), []client.CallOption{client.NoFallback()}, false},
		{"no text", func(r *client.Request) { r.Path("/ask") }, nil, false},
	} {
		meta = client.Meta{}
		v, err := call(t, c, o, tc.ask, append(tc.opts, client.Into(&meta))...)
		if !tc.found {
			if err == nil || meta.Rung != "" || meta.Status != 503 {
				t.Errorf("%s: %v, %v, %+v", tc.name, v, err, meta)
			}
			continue
		}
		if err != nil || v != "answer" || meta.Rung != "semanticCache" || meta.Status != 200 {
			t.Errorf("%s: %v, %v, %+v", tc.name, v, err, meta)
		}
		if meta.Header.Get("X-Kept") != "yes" || meta.Header.Get("Set-Cookie") != "" || meta.RequestID == "1" {
			t.Errorf("%s: %v", tc.name, meta.Header)
		}
	}
}

// What is no success, or none of the service's, is not kept.
func TestSemanticCacheKeepsSuccesses(t *testing.T) {
	o := op("POST", "/ask", okJSON, fallsBack(usual(similar(), policy.Rung{Kind: policy.RungStatic, Body: `"static"`})))
	var embedded []string
	answer := plain(503, `"busy"`)
	c := falling(t, []*policy.Spec{o.Spec}, func(*http.Request, string) *http.Response { return answer },
		client.SemanticCache(semantic.EmbedFunc(func(ctx context.Context, text string) ([]float32, error) {
			embedded = append(embedded, text)
			return plane(ctx, text)
		})))
	for range 2 {
		var meta client.Meta
		if v, err := call(t, c, o, asks("5,0"), client.Into(&meta)); err != nil || v != "static" || meta.Rung != "static" {
			t.Errorf("%v, %v, %+v", v, err, meta)
		}
		answer = plain(503, `"busy"`)
	}
	answer = plain(200, `"kept"`)
	if _, err := call(t, c, o, asks("5,0"), client.NoCache()); err != nil {
		t.Fatal(err)
	}
	answer = plain(503, `"busy"`)
	if v, err := call(t, c, o, asks("5,0")); err != nil || v != "static" {
		t.Errorf("after a call without caches: %v, %v", v, err)
	}
	if len(embedded) != 0 {
		t.Errorf("embedded %v, while nothing was kept", embedded)
	}
}

// The rung's timeout bounds the embedding, and the next rung has its turn.
func TestSemanticCacheIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rung := similar()
		rung.Timeout = 300 * time.Millisecond
		o := op("POST", "/ask", okJSON, fallsBack(usual(rung, policy.Rung{Kind: policy.RungStatic, Body: `"static"`})))
		status := 200
		c := falling(t, []*policy.Spec{o.Spec}, func(*http.Request, string) *http.Response { return plain(status, `"kept"`) },
			client.SemanticCache(semantic.EmbedFunc(func(ctx context.Context, _ string) ([]float32, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})))
		if _, err := call(t, c, o, asks("5,0")); err != nil {
			t.Fatal(err)
		}
		status = 503
		begin := time.Now()
		v, err := call(t, c, o, asks("4,3"))
		if took := time.Since(begin); err != nil || v != "static" || took != 300*time.Millisecond {
			t.Errorf("%v, %v after %v", v, err, took)
		}
	})
}

func TestSemanticCacheNeedsAnEmbedder(t *testing.T) {
	o := op("POST", "/ask", okJSON, fallsBack(usual(similar())))
	api := &client.API{Title: "test", Operations: []*policy.Spec{o.Spec}}
	if _, err := client.New(api, client.BaseURL("http://x.test")); err == nil || !strings.Contains(err.Error(), "client.SemanticCache") {
		t.Errorf("%v", err)
	}
	var none semantic.EmbedFunc
	for name, o := range map[string]client.Option{
		"no embedder":     client.SemanticCache(none),
		"a wrong setting": client.SemanticCache(semantic.EmbedFunc(plane), semantic.TTL(-1)),
	} {
		if _, err := client.New(api, client.BaseURL("http://x.test"), o); err == nil || errors.Is(err, semantic.ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
