package bulkhead_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestMoreSlotsGoToTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, Queue: 10, Timeout: policy.None})
		held := take(t, b)
		got := make(chan int, 3)
		slots := make(chan bulkhead.Slot, 3)
		for i := range 3 {
			go func() {
				s, err := b.Acquire(t.Context())
				if err != nil {
					t.Error(err)
				}
				got <- i
				slots <- s
			}()
			synctest.Wait()
		}
		b.SetPolicy(policy.Bulkhead{MaxConcurrent: 3, Queue: 10, Timeout: policy.None})
		synctest.Wait()
		if load := b.Load(); load != (bulkhead.Load{Running: 3, Waiting: 1}) || len(got) != 2 || <-got+<-got != 0+1 {
			t.Fatalf("%+v: want the first two of the queue to run", load)
		}
		held.Release()
		synctest.Wait()
		if load := b.Load(); load != (bulkhead.Load{Running: 3}) {
			t.Fatalf("%+v", load)
		}
		for range 3 {
			(<-slots).Release()
		}
		if load := b.Load(); load != (bulkhead.Load{}) {
			t.Errorf("%+v when all is over", load)
		}
	})
}

func TestFewerSlotsAreTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 3, Queue: 10, Timeout: policy.None})
		held := []bulkhead.Slot{take(t, b), take(t, b), take(t, b)}
		done := make(chan bulkhead.Slot, 1)
		go func() {
			s, err := b.Acquire(t.Context())
			if err != nil {
				t.Error(err)
			}
			done <- s
		}()
		synctest.Wait()
		b.SetPolicy(policy.Bulkhead{MaxConcurrent: 1, Queue: 0, Timeout: policy.None})
		for i, s := range held[:2] {
			s.Release()
			synctest.Wait()
			if load := b.Load(); load != (bulkhead.Load{Running: 2 - i, Waiting: 1}) {
				t.Fatalf("%+v after %d of 3 were given back", load, i+1)
			}
		}
		held[2].Release()
		(<-done).Release()
		if load := b.Load(); load != (bulkhead.Load{}) {
			t.Errorf("%+v when all is over", load)
		}
		first := take(t, b)
		if _, ok := b.Try(); ok {
			t.Error("a second slot of one")
		}
		first.Release()
	})
}

// However the number of slots moves, none is lost and none is invented.
func TestResizingDuringCalls(t *testing.T) {
	const most = 7
	b := bulkhead.New(policy.Bulkhead{MaxConcurrent: most, Queue: 4, Timeout: time.Millisecond})
	var running atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 200 {
				err := b.Do(t.Context(), func(context.Context) error {
					if n := running.Add(1); n > most {
						t.Errorf("%d at once", n)
					}
					running.Add(-1)
					return nil
				})
				if err != nil && !errors.Is(err, fault.ErrBulkheadFull) {
					t.Error(err)
				}
			}
		})
	}
	for i := range 500 {
		b.SetPolicy(policy.Bulkhead{MaxConcurrent: 1 + i%most, Queue: i % 5, Timeout: time.Millisecond, OnFull: policy.OnFull(i % 2)})
	}
	wg.Wait()
	if load := b.Load(); load != (bulkhead.Load{}) {
		t.Errorf("%+v when all is over", load)
	}
}
