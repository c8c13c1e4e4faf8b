package client

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
)

// Snapshot is what the client is doing at present: its breakers, bulkheads, budgets,
// limits, latencies, timeouts and cache, for operators and tools; it holds no secrets and
// no keys. Only what calls have used so far is in it. That of a nil or zero Core is empty.
func (c *Core) Snapshot() snapshot.Snapshot {
	now := time.Now()
	if c == nil || c.registry == nil {
		return snapshot.Snapshot{Format: snapshot.Format, Side: snapshot.ClientSide, At: now}
	}
	s := c.registry.Snapshot(now, c.Policies())
	s.Name = c.api.Title
	if c.cache != nil {
		if entries, bytes, ok := c.cache.Stats(); ok {
			s.Cache = &snapshot.Cache{Entries: entries, Bytes: bytes}
		}
	}
	return s
}
