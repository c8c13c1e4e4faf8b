package debug

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
)

// fixed is a source that always tells the same.
type fixed snapshot.Snapshot

// Snapshot is itself.
func (f fixed) Snapshot() snapshot.Snapshot { return snapshot.Snapshot(f) }

func ask(h http.Handler, method string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, Path, nil))
	return w
}

// big has so many operations and buckets.
func big(ops, buckets int) fixed {
	s := snapshot.Snapshot{Format: snapshot.Format, Name: "big", Side: snapshot.ClientSide}
	for i := range ops {
		l := snapshot.Latency{Op: fmt.Sprint("operation", i)}
		for range buckets {
			l.Histogram.Buckets = append(l.Histogram.Buckets, latency.Bucket{UpTo: time.Second, Count: 1})
		}
		s.Latencies = append(s.Latencies, l)
	}
	return fixed(s)
}

func TestHandler(t *testing.T) {
	h := Handler(fixed{Name: "a", Format: snapshot.Format}, nil, fixed{Name: "b"})
	w := ask(h, http.MethodGet)
	var read struct {
		Format    int `json:"format"`
		Snapshots []struct {
			Name string `json:"name"`
		} `json:"snapshots"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &read); err != nil {
		t.Fatal(err, w.Body)
	}
	if read.Format != snapshot.Format || len(read.Snapshots) != 2 || read.Snapshots[0].Name != "a" || read.Snapshots[1].Name != "b" {
		t.Errorf("%s", w.Body)
	}
	if head := w.Header(); w.Code != http.StatusOK || head.Get("Content-Type") != "application/json" || head.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", w.Code, head)
	}
	if w := ask(h, http.MethodHead); w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: %d %q %v", w.Code, w.Body, w.Header())
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		for _, h := range []http.Handler{h, Health()} {
			if w := ask(h, method); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" || w.Body.Len() > 0 {
				t.Errorf("%s: %d %v %q", method, w.Code, w.Header(), w.Body)
			}
		}
	}
}

// The answer never is longer than the limit, and always JSON; the buckets go first.
func TestHandlerIsBounded(t *testing.T) {
	for _, c := range []struct {
		limit     int
		source    fixed
		truncated bool
		latencies int
	}{
		{1 << 20, big(10, 10), false, 10},
		{2000, big(10, 100), true, 10},
		{300, big(10, 100), true, 0},
	} {
		body := handler{[]snapshot.Source{c.source}, c.limit}.body()
		var read struct {
			Snapshots []struct {
				Name      string `json:"name"`
				Truncated bool   `json:"truncated"`
				Latencies []any  `json:"latencies"`
			} `json:"snapshots"`
		}
		if err := json.Unmarshal(body, &read); err != nil || len(body) > c.limit {
			t.Errorf("limit %d: %d bytes, %v", c.limit, len(body), err)
			continue
		}
		if s := read.Snapshots; len(s) != 1 || s[0].Name != "big" || s[0].Truncated != c.truncated || len(s[0].Latencies) != c.latencies {
			t.Errorf("limit %d: %s", c.limit, body)
		}
	}
	if body := (handler{[]snapshot.Source{big(1, 1)}, 50}).body(); !json.Valid(body) || len(body) > 50 {
		t.Errorf("%s", body)
	}
	if c := big(1, 3); len(c.Snapshot().WithoutBuckets().Latencies[0].Histogram.Buckets) != 0 || len(c.Latencies[0].Histogram.Buckets) != 3 {
		t.Error("WithoutBuckets changes what it is called on, or nothing")
	}
}

func TestHealth(t *testing.T) {
	if w := ask(Health(), http.MethodGet); w.Code != http.StatusOK || w.Body.String() != "ok\n" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if w := ask(Health(), http.MethodHead); w.Code != http.StatusOK || w.Body.Len() > 0 {
		t.Errorf("HEAD: %d %q", w.Code, w.Body)
	}
}

func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle(Path, Handler( /* client.Core(), server.Source(handler) */ ))
	mux.Handle(HealthPath, Health())
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Path, nil))
	fmt.Println(strings.TrimSpace(w.Body.String()))
	// Output: {"format":1,"snapshots":[]}
}
