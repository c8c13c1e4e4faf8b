package bulkhead_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// wave has n pieces of work want a slot at once, which take that long, and counts those
// that got one.
func wave(t *testing.T, b *bulkhead.Bulkhead, n int, latency time.Duration) (ran int) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			s, err := b.Acquire(t.Context())
			if err != nil {
				if !errors.Is(err, fault.ErrBulkheadFull) {
					t.Error(err)
				}
				return
			}
			mu.Lock()
			ran++
			mu.Unlock()
			time.Sleep(latency)
			s.Release()
		})
	}
	group.Wait()
	return ran
}

// The slots get fewer when the work takes longer than it used to, and come back when it
// does not. Without adaptive they stay.
func TestAdaptive(t *testing.T) {
	for _, adaptive := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 16, OnFull: policy.OnFullAbort, Adaptive: adaptive})
			for range 3 {
				if n := wave(t, b, 16, 10*time.Millisecond); n != 16 {
					t.Fatalf("%d of 16 at the usual latency", n)
				}
			}
			for range 5 {
				wave(t, b, 16, 200*time.Millisecond)
			}
			low := b.Slots()
			// L = 0.5 L + the square root of L is 4, which is where a steep rise leads.
			if adaptive && (low < 4 || low > 6) || !adaptive && low != 16 {
				t.Errorf("%d slots after twenty times the latency", low)
			}
			if n := wave(t, b, 16, time.Millisecond); n != low {
				t.Errorf("%d ran in %d slots", n, low)
			}
			for range 20 {
				wave(t, b, 16, 10*time.Millisecond)
			}
			if b.Slots() != 16 || b.Load() != (bulkhead.Load{}) {
				t.Errorf("%d slots, %+v", b.Slots(), b.Load())
			}
		})
	}
}

// Slots that come back are for those who wait, in their order.
func TestAdaptiveQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 8, Queue: 1000, Timeout: policy.None, Adaptive: true})
		for range 3 {
			wave(t, b, 8, 10*time.Millisecond)
		}
		for range 3 {
			wave(t, b, 8, time.Second)
		}
		low := b.Slots()
		if low >= 8 {
			t.Fatalf("%d slots", low)
		}
		if n := wave(t, b, 200, 10*time.Millisecond); n != 200 || b.Slots() != 8 || b.Load() != (bulkhead.Load{}) {
			t.Errorf("%d ran, %d slots, %+v", n, b.Slots(), b.Load())
		}
	})
}

// A bulkhead becomes adaptive, and stops to be, while work goes on.
func TestBecomesAdaptive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy.Bulkhead{MaxConcurrent: 16, OnFull: policy.OnFullAbort}
		b := bulkhead.New(p)
		s, _ := b.Try()
		p.Adaptive = true
		b.SetPolicy(p)
		time.Sleep(time.Hour)
		s.Release() // took an hour, and was none of its slots
		if b.Slots() != 16 {
			t.Error(b.Slots())
		}
		for range 3 {
			wave(t, b, 16, time.Millisecond)
		}
		for range 5 {
			wave(t, b, 16, time.Second)
		}
		if b.Slots() >= 16 {
			t.Error(b.Slots())
		}
		p.Adaptive = false
		b.SetPolicy(p)
		if n := wave(t, b, 16, time.Millisecond); n != 16 || b.Slots() != 16 {
			t.Errorf("%d of %d", n, b.Slots())
		}
	})
}
