package server

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe/debug"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
	"github.com/holdfast-go/holdfast/runtime/server/router"
)

// Debug serves snapshots of the handler, and of the sources given, such as the Core of
// clients that it calls, at /debug/holdfast of the root: see package observe/debug. It is
// off without this option; with it the handler also keeps the latencies of its answers,
// some 2 KB for each operation. Requests for it pass no limit, no shedding and no
// Authenticate. Where not only operators reach the server, leave it off and serve
// debug.Handler(server.Source(handler)) from another address. A path of the document comes
// first.
func Debug(sources ...snapshot.Source) Option {
	return func(s *settings) { s.debug, s.sources = true, append(s.sources, sources...) }
}

// Health answers 200 at /healthz of the root, whatever breakers, limits and shedding do;
// see [debug.Health]. It is off without this option. A path of the document comes first.
func Health() Option {
	return func(s *settings) { s.health = true }
}

// Snapshot is what a handler of New is doing at present: its bulkheads, limits and
// shedding, and the latencies of its answers where it has [Debug]. That of any other
// handler is empty.
func Snapshot(h http.Handler) snapshot.Snapshot {
	s := snapshot.Snapshot{Format: snapshot.Format, Side: snapshot.ServerSide, At: time.Now()}
	if own, ok := h.(*handler); ok {
		s.Name = own.api.Title
		own.shared.snapshot(&s)
		for _, e := range own.mounted {
			if e.seen != nil {
				if seen := e.seen.Snapshot(s.At); seen.Recorded > 0 {
					s.Latencies = append(s.Latencies, snapshot.Latency{Op: e.spec.ID, Histogram: seen})
				}
			}
		}
		slices.SortFunc(s.Latencies, func(a, b snapshot.Latency) int { return strings.Compare(a.Op, b.Op) })
	}
	return s
}

// Source is a handler of New as a source of snapshots.
func Source(h http.Handler) snapshot.Source { return source{h} }

type source struct{ http.Handler }

// Snapshot is that of the handler.
func (s source) Snapshot() snapshot.Snapshot { return Snapshot(s.Handler) }

// snapshot adds what endpoints share.
func (s *shared) snapshot(out *snapshot.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, b := range s.bulkheads {
		out.Bulkheads = append(out.Bulkheads, snapshot.BulkheadOf(name, b))
	}
	for name, l := range s.limiters {
		out.Limits = append(out.Limits, snapshot.LimitOf(limitName(name), l))
	}
	slices.SortFunc(out.Bulkheads, func(a, b snapshot.Bulkhead) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Limits, func(a, b snapshot.Limit) int { return strings.Compare(a.Name, b.Name) })
	if s.shedder == nil {
		return
	}
	load := s.shedder.Load()
	out.Shed = &snapshot.Shed{
		Running: load.Running, Waiting: load.Waiting, Limit: load.Limit,
		Optional: load.Refusing[0].Part, Standard: load.Refusing[1].Part, Critical: load.Refusing[2].Part,
	}
}

// limitName is the name of a limit for people: its parts without those that are empty.
func limitName(name string) string {
	parts := slices.DeleteFunc(strings.Split(name, "\x00"), func(part string) bool { return part == "" })
	return strings.Join(parts, "/")
}

// operators answers what is for operators and not of the document; it is false for all
// else.
func (h *handler) operators(w http.ResponseWriter, r *http.Request) bool {
	var own http.Handler
	switch path := r.URL.Path; {
	case path == debug.Path && h.debug:
		own = debug.Handler(append([]snapshot.Source{Source(h)}, h.sources...)...)
	case path == debug.HealthPath && h.health:
		own = debug.Health()
	default:
		return false
	}
	if path, below := strings.CutPrefix(r.URL.EscapedPath(), h.base); below {
		var m router.Match
		if h.router.Find(&m, r.Method, path, r.URL.RawQuery); m.Found() || m.Allow != "" {
			return false
		}
	}
	own.ServeHTTP(w, r)
	return true
}
