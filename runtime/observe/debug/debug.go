// Package debug serves snapshots of clients and servers, for operators and tools, and an
// endpoint for health checks. Generated servers have both as options, server.Debug and
// server.Health; the handlers here are for any other mux.
package debug

import (
	"net/http"
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
)

// Paths at which generated servers have these handlers.
const (
	Path       = "/debug/holdfast"
	HealthPath = "/healthz"
)

// MaxBytes bounds what Handler answers with. Where the snapshots are longer, their buckets
// are left out, and where that does not do, all but the name of what does not fit.
const MaxBytes = 4 << 20

// Handler answers GET and HEAD with the present snapshots of its sources, in their order:
//
//	{"format":1,"snapshots":[…]}
//
// whose members package snapshot describes. There are no secrets and no keys in it, but
// names of operations and how busy they are: it belongs on an address that only operators
// reach, or behind a check of theirs. Nil sources are left out.
func Handler(sources ...snapshot.Source) http.Handler { return handler{sources, MaxBytes} }

type handler struct {
	sources []snapshot.Source
	limit   int
}

// ServeHTTP answers with the snapshots.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !readOnly(w, r) {
		return
	}
	body := h.body()
	head := w.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // who has asked may be gone
	}
}

// body is the answer, within the limit.
func (h handler) body() []byte {
	const end = "]}\n"
	out := strconv.AppendInt([]byte(`{"format":`), snapshot.Format, 10)
	out = append(out, `,"snapshots":[`...)
	first := true
	for _, source := range h.sources {
		if source == nil {
			continue
		}
		s := source.Snapshot()
		for _, form := range []func() snapshot.Snapshot{
			func() snapshot.Snapshot { return s }, s.WithoutBuckets, func() snapshot.Snapshot { return bare(s) },
		} {
			text := form().String()
			if len(out)+len(",")+len(text)+len(end) > h.limit {
				continue
			}
			if !first {
				out = append(out, ',')
			}
			out, first = append(out, text...), false
			break
		}
	}
	return append(out, end...)
}

// bare is what is told of a snapshot that is too long even without its buckets.
func bare(s snapshot.Snapshot) snapshot.Snapshot {
	return snapshot.Snapshot{Format: s.Format, Name: s.Name, Side: s.Side, At: s.At, Truncated: true}
}

// Health answers GET and HEAD with 200 whatever the state of breakers and limits: the
// process serves. A health check that fails while a dependency is down would have all
// instances restarted, or taken out at once, for a fault that is not theirs.
func Health() http.Handler { return http.HandlerFunc(health) }

func health(w http.ResponseWriter, r *http.Request) {
	if !readOnly(w, r) {
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if r.Method == http.MethodGet {
		_, _ = w.Write([]byte("ok\n")) // who has asked may be gone
	}
}

// readOnly refuses what is no reading, and keeps answers out of caches and frames.
func readOnly(w http.ResponseWriter, r *http.Request) bool {
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	head.Set("Allow", "GET, HEAD")
	w.WriteHeader(http.StatusMethodNotAllowed)
	return false
}
