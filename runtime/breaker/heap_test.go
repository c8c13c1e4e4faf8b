//go:build !race

// The race detector allocates otherwise, and slowly.

package breaker_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// TestIdleBreakersAreSmall: a breaker for each of 100,000 keys takes less than 400 bytes
// each, for windows by count and by time.
func TestIdleBreakersAreSmall(t *testing.T) {
	const n = 100_000
	for name, w := range map[string]policy.Window{"count": {Count: 20}, "time": {Time: 10 * time.Second}} {
		list := make([]*breaker.Breaker, n)
		before := heap()
		for i := range list {
			list[i] = breaker.New(policy.Breaker{Window: w, FailureThreshold: 10, Recovery: 30 * time.Second, Probes: 1}, breaker.Options{})
		}
		each := float64(heap()-before) / n
		runtime.KeepAlive(list)
		t.Logf("%s: %.0f B", name, each)
		if each >= 400 {
			t.Errorf("%s: %.0f bytes for each, want less than 400", name, each)
		}
	}
}

// heap is what is in use, without what nobody reaches.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
