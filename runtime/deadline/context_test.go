package deadline_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
)

func TestContextExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c := deadline.New(t.Context(), begin.Add(time.Second))
		defer c.Cancel()
		if c.Err() != nil || c.Expired() {
			t.Fatal("over at once")
		}
		<-c.Done()
		if got := time.Since(begin); got != time.Second {
			t.Errorf("after %v", got)
		}
		if !errors.Is(c.Err(), context.DeadlineExceeded) || !c.Expired() {
			t.Errorf("Err = %v, Expired = %v", c.Err(), c.Expired())
		}
	})
}

// Nobody waits, so there is no timer; the clock alone tells.
func TestContextExpiresUnwatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := deadline.New(t.Context(), time.Now().Add(time.Second))
		time.Sleep(time.Second - 1)
		if c.Err() != nil {
			t.Error("too early")
		}
		time.Sleep(time.Nanosecond)
		if !errors.Is(c.Err(), context.DeadlineExceeded) || !c.Expired() {
			t.Error("not over")
		}
		select {
		case <-c.Done():
		default:
			t.Error("Done is open after the end")
		}
	})
}

// Who knows that the time is over need not wait for the timer, which a parent that
// ends at the same moment may come before.
func TestContextExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(t.Context())
		c := deadline.New(parent, time.Now().Add(time.Second))
		done := c.Done()
		time.Sleep(time.Second - 1)
		if c.Expire(); c.Err() != nil {
			t.Error("too early")
		}
		time.AfterFunc(1, func() { c.Expire(); cancel() })
		<-done
		synctest.Wait()
		if !errors.Is(c.Err(), context.DeadlineExceeded) || !c.Expired() {
			t.Errorf("Err = %v, Expired = %v", c.Err(), c.Expired())
		}
	})
}

func TestContextCancelAndParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(t.Context())
		watched := deadline.New(parent, time.Now().Add(time.Hour))
		unwatched := deadline.New(parent, time.Now().Add(time.Hour))
		canceled := deadline.New(parent, time.Time{})
		done := watched.Done()
		canceled.Cancel()
		canceled.Cancel()
		if !errors.Is(canceled.Err(), context.Canceled) || canceled.Expired() {
			t.Error("Cancel")
		}
		<-canceled.Done()
		cancel()
		<-done
		for _, c := range []*deadline.Context{watched, unwatched} {
			if !errors.Is(c.Err(), context.Canceled) || c.Expired() {
				t.Errorf("Err = %v, Expired = %v", c.Err(), c.Expired())
			}
		}
		late := deadline.New(parent, time.Time{})
		<-late.Done()
	})
}

func TestContextParentsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		parent, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := deadline.New(parent, begin.Add(time.Minute))
		defer c.Cancel()
		if at, ok := c.Deadline(); !ok || !at.Equal(begin.Add(time.Second)) {
			t.Errorf("Deadline = %v %v", at, ok)
		}
		<-c.Done()
		if !errors.Is(c.Err(), context.DeadlineExceeded) || c.Expired() || time.Since(begin) != time.Second {
			t.Errorf("Err %v, own %v, after %v", c.Err(), c.Expired(), time.Since(begin))
		}
		own := deadline.New(t.Context(), begin.Add(2*time.Second))
		defer own.Cancel()
		if at, ok := own.Deadline(); !ok || !at.Equal(begin.Add(2*time.Second)) {
			t.Errorf("Deadline = %v %v", at, ok)
		}
		if _, ok := deadline.New(t.Context(), time.Time{}).Deadline(); ok {
			t.Error("a deadline from nowhere")
		}
	})
}

// An attempt's timeout must not cut a stream that it has led to.
func TestContextReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c := deadline.New(t.Context(), begin.Add(time.Second))
		defer c.Cancel()
		done := c.Done()
		time.Sleep(900 * time.Millisecond)
		if !c.Reset(time.Time{}) {
			t.Fatal("Reset")
		}
		time.Sleep(time.Hour)
		if c.Err() != nil {
			t.Fatalf("cut: %v", c.Err())
		}
		at := time.Now().Add(time.Minute)
		c.Reset(at)
		<-done
		if !time.Now().Equal(at) || c.Reset(time.Time{}) {
			t.Errorf("at %v, want %v", time.Now(), at)
		}
	})
}

func TestContextOfTheStandardLibraryBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := deadline.New(context.WithValue(t.Context(), ctxKey{}, 1), time.Now().Add(time.Second))
		before := runtime.NumGoroutine()
		child, cancel := context.WithCancel(c)
		defer cancel()
		if n := runtime.NumGoroutine(); n != before {
			t.Errorf("%d goroutines more", n-before)
		}
		stopped, stop := context.WithCancel(c)
		stop()
		<-child.Done()
		if !errors.Is(child.Err(), context.DeadlineExceeded) || child.Value(ctxKey{}) != 1 {
			t.Errorf("child: %v", child.Err())
		}
		if !errors.Is(stopped.Err(), context.Canceled) {
			t.Errorf("stopped: %v", stopped.Err())
		}
		called := make(chan struct{})
		stop2 := c.AfterFunc(func() { close(called) })
		<-called
		if stop2() {
			t.Error("stopped after the end")
		}
	})
}

type ctxKey struct{}

func TestContextAllocates(t *testing.T) {
	ctx := t.Context()
	at := time.Now().Add(time.Hour)
	if n := testing.AllocsPerRun(100, func() {
		c := deadline.New(ctx, at)
		if c.Err() != nil {
			t.Error("over")
		}
		c.Cancel()
	}); n > 1 {
		t.Errorf("%v allocations, want 1 at most", n)
	}
}

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fired := make(chan time.Time, 1)
		i := deadline.NewIdle(time.Second, func() { fired <- time.Now() })
		for range 10 {
			i.Begin()
			time.Sleep(900 * time.Millisecond)
			i.End()
			time.Sleep(5 * time.Second) // the owner's own time
		}
		select {
		case <-fired:
			t.Fatal("fired although no read was long")
		default:
		}
		begin := time.Now()
		i.Begin()
		if got := (<-fired).Sub(begin); got != time.Second {
			t.Errorf("fired after %v", got)
		}
		if !i.Fired() {
			t.Error("Fired")
		}
		i.End()
		i.Stop()

		stopped := deadline.NewIdle(time.Second, func() { t.Error("fired after Stop") })
		stopped.Begin()
		stopped.Stop()
		time.Sleep(time.Minute)
		if stopped.Fired() {
			t.Error("Fired after Stop")
		}
		off := deadline.NewIdle(0, nil)
		off.Begin()
		off.End()
		off.Stop()
		if off.Fired() {
			t.Error("off and fired")
		}
	})
}
