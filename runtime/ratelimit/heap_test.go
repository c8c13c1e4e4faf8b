//go:build !race

// The race detector allocates otherwise, and slowly.

package ratelimit_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// TestKeysAreSmall: a key in use takes 64 bytes or less beside its own characters, on
// average over sizes of the tables, which grow by doubling; one that is idle takes none
// once its bucket is full.
func TestKeysAreSmall(t *testing.T) {
	for _, n := range []int{100_000, 1_000_000} {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = "user-" + strconv.Itoa(i)
		}
		before := heap()
		l := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Hour, Burst: 10}, 2*n)
		now := time.Now()
		for _, k := range keys {
			if !l.AllowAt(now, k, 1) {
				t.Fatal("refused")
			}
		}
		each := float64(heap()-before) / float64(n)
		t.Logf("%d keys: %.1f B each", n, each)
		if l.Keys() != n || each > 64 {
			t.Errorf("%d of %d keys are held, %.1f bytes for each, want 64 or less", l.Keys(), n, each)
		}
		runtime.KeepAlive(l)
		runtime.KeepAlive(keys)
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
