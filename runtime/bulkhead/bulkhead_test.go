package bulkhead_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func make1(onFull policy.OnFull) *bulkhead.Bulkhead {
	return bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, Queue: 2, Timeout: time.Second, OnFull: onFull})
}

func take(t *testing.T, b *bulkhead.Bulkhead) bulkhead.Slot {
	t.Helper()
	s, ok := b.Try()
	if !ok || !s.Held() {
		t.Fatal("no slot")
	}
	return s
}

func TestQueueIsServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, Queue: 10, Timeout: policy.None})
		held := take(t, b)
		var order []int
		for i := range 10 {
			go func() {
				s, err := b.Acquire(t.Context())
				if err != nil {
					t.Error(err)
				}
				order = append(order, i)
				s.Release()
			}()
			synctest.Wait()
		}
		if got := b.Load(); got != (bulkhead.Load{Running: 1, Waiting: 10}) {
			t.Fatalf("%+v", got)
		}
		held.Release()
		synctest.Wait()
		if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) || b.Load() != (bulkhead.Load{}) {
			t.Errorf("%v, %+v", order, b.Load())
		}
	})
}

func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for onFull, want := range map[policy.OnFull]error{
			policy.OnFullQueue: fault.ErrBulkheadFull, policy.OnFullDiscard: fault.ErrDiscarded,
		} {
			b := make1(onFull)
			held := take(t, b)
			begin := time.Now()
			errs := make(chan error, 2)
			for range 2 {
				go func() {
					_, err := b.Acquire(t.Context())
					errs <- err
				}()
			}
			synctest.Wait()
			if _, err := b.Acquire(t.Context()); !errors.Is(err, want) || time.Since(begin) != 0 {
				t.Errorf("%v, full queue: %v after %v", onFull, err, time.Since(begin))
			}
			for range 2 {
				if err := <-errs; !errors.Is(err, want) || time.Since(begin) != time.Second {
					t.Errorf("%v, waited in vain: %v after %v", onFull, err, time.Since(begin))
				}
			}
			held.Release()
			if b.Load() != (bulkhead.Load{}) {
				t.Errorf("%v: %+v", onFull, b.Load())
			}
		}
		b := make1(policy.OnFullAbort)
		held := take(t, b)
		begin := time.Now()
		if _, err := b.Acquire(t.Context()); !errors.Is(err, fault.ErrBulkheadFull) || time.Since(begin) != 0 {
			t.Errorf("abort: %v after %v", err, time.Since(begin))
		}
		held.Release()
	})
}

func TestCallerRuns(t *testing.T) {
	b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 2, Queue: 0, OnFull: policy.OnFullCallerRuns})
	one, two := take(t, b), take(t, b)
	request := bulkhead.Inbound(t.Context())
	s, err := b.Acquire(request)
	if err != nil || !s.Outside() {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := b.Acquire(request); !errors.Is(err, fault.ErrBulkheadFull) {
		t.Errorf("the second of one request: %v", err)
	}
	other, err := b.Acquire(bulkhead.Inbound(t.Context()))
	if err != nil || !other.Outside() || b.Load() != (bulkhead.Load{Running: 2, Outside: 2}) {
		t.Fatalf("another request: %v, %+v", err, b.Load())
	}
	if _, err := b.Acquire(t.Context()); !errors.Is(err, fault.ErrBulkheadFull) {
		t.Errorf("more than maxConcurrent outside: %v", err)
	}
	s.Release()
	if s, err := b.Acquire(request); err != nil || !s.Outside() {
		t.Errorf("again after the release: %v", err)
	} else {
		s.Release()
	}
	one.Release()
	two.Release()
	other.Release()
	if b.Load() != (bulkhead.Load{}) {
		t.Errorf("%+v", b.Load())
	}
}

// A slot that is handed to a waiter who has just gone must not be lost.
func TestNoSlotLostOnAbandonedWaits(t *testing.T) {
	b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 2, Queue: 50, Timeout: policy.None})
	var wg sync.WaitGroup
	var running, most, done atomic.Int64
	for range 40 {
		wg.Go(func() {
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel() // races with the hand-over
				s, err := b.Acquire(ctx)
				if err != nil {
					continue
				}
				n := running.Add(1)
				for {
					old := most.Load()
					if n <= old || most.CompareAndSwap(old, n) {
						break
					}
				}
				done.Add(1)
				if rand.IntN(3) == 0 {
					time.Sleep(time.Microsecond)
				}
				running.Add(-1)
				s.Release()
			}
		})
	}
	wg.Wait()
	if b.Load() != (bulkhead.Load{}) || most.Load() > 2 {
		t.Errorf("%+v, %d at once", b.Load(), most.Load())
	}
	take(t, b).Release()
	if done.Load() == 0 {
		t.Error("nothing ran")
	}
}

// Entries whose time is over are dropped when their turn comes; the slot goes to
// the one behind them.
func TestDropsEntriesThatCannotMeetTheirDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, Queue: 10})
		held := take(t, b)
		now := time.Now()
		results := make(chan string, 2)
		go func() {
			_, err := b.AcquireUntil(t.Context(), now, now.Add(time.Second))
			results <- fmt.Sprint("short ", err, time.Since(now))
		}()
		synctest.Wait()
		go func() {
			s, err := b.AcquireUntil(t.Context(), now, now.Add(3*time.Second))
			results <- fmt.Sprint("long ", err, time.Since(now))
			s.Release()
		}()
		time.Sleep(2 * time.Second)
		held.Release()
		got := []string{<-results, <-results}
		if want := []string{"short bulkhead full 1s", "long <nil> 2s"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		// The slot is free in the very moment in which the time is over.
		held = take(t, b)
		now = time.Now()
		time.AfterFunc(time.Second, held.Release)
		if _, err := b.AcquireUntil(t.Context(), now, now.Add(time.Second)); !errors.Is(err, fault.ErrBulkheadFull) {
			t.Errorf("late slot: %v", err)
		}
		synctest.Wait()
		held = take(t, b)
		if _, err := b.AcquireUntil(t.Context(), now, now); !errors.Is(err, fault.ErrBulkheadFull) || b.Load().Waiting != 0 {
			t.Errorf("no time at all: %v", err)
		}
		held.Release()
	})
}

func TestContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := make1(policy.OnFullQueue)
		held := take(t, b)
		begin := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if _, err := b.Acquire(ctx); !errors.Is(err, context.Canceled) || time.Since(begin) != 100*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if _, err := b.AcquireUntil(ctx, time.Now(), time.Time{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that has ended: %v", err)
		}
		held.Release()
		bulkhead.Slot{}.Release()
		if b.Load() != (bulkhead.Load{}) {
			t.Errorf("%+v", b.Load())
		}
	})
}

func TestDoHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, Hold: time.Second})
		err := b.Do(t.Context(), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		if !errors.Is(err, context.DeadlineExceeded) || b.Load() != (bulkhead.Load{}) {
			t.Errorf("%v, %+v", err, b.Load())
		}
		func() {
			defer func() { _ = recover() }()
			_ = b.Do(t.Context(), func(context.Context) error { panic("x") })
		}()
		if b.Load() != (bulkhead.Load{}) {
			t.Errorf("a panic keeps its slot: %+v", b.Load())
		}
	})
}

// In shadow mode a full bulkhead refuses nobody, and bounds nothing.
func TestDoInShadowMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, Hold: time.Second, Mode: policy.Shadow})
		err := b.Do(t.Context(), func(ctx context.Context) error {
			if _, bounded := ctx.Deadline(); bounded {
				t.Error("the work is bounded")
			}
			return b.Do(ctx, func(context.Context) error { return nil })
		})
		if err != nil || b.Load() != (bulkhead.Load{}) {
			t.Errorf("%v, %+v", err, b.Load())
		}
	})
}

func TestFreePathAllocatesNothing(t *testing.T) {
	b := make1(policy.OnFullQueue)
	if n := testing.AllocsPerRun(100, func() {
		s, err := b.Acquire(context.Background())
		if err != nil {
			t.Error(err)
		}
		s.Release()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// One runs, nobody may wait, the second is refused.
func ExampleBulkhead_Do() {
	b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1})
	err := b.Do(context.Background(), func(ctx context.Context) error {
		return b.Do(ctx, func(context.Context) error { return nil })
	})
	fmt.Println(err)
	// Output: bulkhead full
}
