package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var start = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return start.Add(d) }

// externalAPI has the numbers of the language's default.
var externalAPI = policy.Breaker{
	Window: policy.Window{Count: 10}, FailureThreshold: 5, Recovery: 30 * time.Second,
	Backoff: 1, MaxRecovery: 5 * time.Minute, Probes: 2,
}

// trip opens a breaker of externalAPI.
func trip(t *testing.T, b *breaker.Breaker, now time.Time) {
	t.Helper()
	for range 5 {
		call(t, b, breaker.Failure, now)
	}
	if b.State() != observe.Open {
		t.Fatalf("state %v after 5 failures", b.State())
	}
}

func call(t *testing.T, b *breaker.Breaker, r breaker.Result, now time.Time) {
	t.Helper()
	p, ok := b.Allow(now, time.Time{})
	if !ok {
		t.Fatal("refused")
	}
	b.Done(p, r, now)
}

func noJitter() float64 { return 0 }

func TestOpensProbesCloses(t *testing.T) {
	var changes []observe.BreakerChange
	b := breaker.New(externalAPI, breaker.Options{
		Name: "payments", Random: func() float64 { return 0.5 },
		OnChange: func(c observe.BreakerChange) { changes = append(changes, c) },
	})
	for range 4 {
		call(t, b, breaker.Failure, start)
	}
	if b.State() != observe.Closed {
		t.Fatal("open after 4 of 5 failures")
	}
	call(t, b, breaker.Failure, start)
	until := at(31500 * time.Millisecond) // 30 s and half of 10 %
	if b.State() != observe.Open || !b.RetryAt().Equal(until) {
		t.Fatalf("%v until %v", b.State(), b.RetryAt())
	}
	if _, ok := b.Allow(until.Add(-1), time.Time{}); ok || b.Ready(until.Add(-1)) {
		t.Fatal("let through while open")
	}
	if !b.Ready(until) || b.State() != observe.Open {
		t.Fatal("Ready must not change anything")
	}
	first, ok1 := b.Allow(until, time.Time{})
	second, ok2 := b.Allow(until, time.Time{})
	if !ok1 || !ok2 || !first.Probe() || !second.Probe() || b.State() != observe.HalfOpen {
		t.Fatal("two probes are due")
	}
	if _, ok := b.Allow(until, time.Time{}); ok || b.Ready(until) {
		t.Fatal("thundering herd at half-open")
	}
	b.Done(first, breaker.Success, until)
	if b.State() != observe.HalfOpen {
		t.Fatal("closed by one success")
	}
	b.Done(second, breaker.Success, until)
	if b.State() != observe.Closed || !b.RetryAt().IsZero() {
		t.Fatal("not closed by two")
	}
	want := []observe.BreakerChange{
		{Name: "payments", Group: "payments", From: observe.Closed, To: observe.Open, At: start, Until: until},
		{Name: "payments", Group: "payments", From: observe.Open, To: observe.HalfOpen, At: until},
		{Name: "payments", Group: "payments", From: observe.HalfOpen, To: observe.Closed, At: until},
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Error(diff)
	}
	trip(t, b, until) // the window is empty again: five new failures are needed
}

func TestReopeningBacksOff(t *testing.T) {
	p := externalAPI
	p.Backoff, p.MaxRecovery = 3, 100*time.Second
	b := breaker.New(p, breaker.Options{Random: noJitter})
	trip(t, b, start)
	now := start
	for _, recovery := range []time.Duration{30 * time.Second, 90 * time.Second, 100 * time.Second, 100 * time.Second} {
		if got := b.RetryAt().Sub(now); got != recovery {
			t.Fatalf("open for %v, want %v", got, recovery)
		}
		now = b.RetryAt()
		call(t, b, breaker.Failure, now)
	}
	now = b.RetryAt()
	call(t, b, breaker.Success, now)
	call(t, b, breaker.Success, now)
	trip(t, b, now)
	if got := b.RetryAt().Sub(now); got != 30*time.Second {
		t.Errorf("after it was closed: %v, want 30s again", got)
	}
}

func TestIgnored(t *testing.T) {
	b := breaker.New(externalAPI, breaker.Options{Random: noJitter})
	for range 100 {
		call(t, b, breaker.Ignored, start)
	}
	if b.State() != observe.Closed {
		t.Fatal("cancellations opened the breaker")
	}
	trip(t, b, start)
	now := b.RetryAt()
	for range 10 { // an ignored probe gives its slot back
		call(t, b, breaker.Ignored, now)
	}
	if b.State() != observe.HalfOpen {
		t.Errorf("state %v", b.State())
	}
}

func TestLateResults(t *testing.T) {
	b := breaker.New(externalAPI, breaker.Options{Random: noJitter})
	var early []breaker.Permit
	for range 4 {
		p, _ := b.Allow(start, time.Time{})
		early = append(early, p)
	}
	trip(t, b, start)
	now := b.RetryAt()
	probe, _ := b.Allow(now, time.Time{})
	b.Done(early[0], breaker.Success, now)
	b.Done(early[1], breaker.Success, now)
	if b.State() != observe.HalfOpen {
		t.Fatal("results of calls from before closed the breaker")
	}
	b.Done(early[2], breaker.Failure, now)
	if b.State() != observe.HalfOpen {
		t.Fatal("a failure from before opened the breaker again")
	}
	b.Done(probe, breaker.Success, now)
	b.Done(probe, breaker.Success, now)
	if b.State() != observe.HalfOpen {
		t.Fatal("one probe counted twice")
	}
	b.Done(breaker.Permit{}, breaker.Success, now)
	call(t, b, breaker.Success, now)
	if b.State() != observe.Closed {
		t.Fatal("not closed by the second probe")
	}
}

// A hung probe must not block the breaker for good.
func TestHungProbe(t *testing.T) {
	b := breaker.New(externalAPI, breaker.Options{Random: noJitter})
	trip(t, b, start)
	now := b.RetryAt()
	hung, _ := b.Allow(now, now.Add(time.Second))
	_, _ = b.Allow(now, time.Time{}) // without a deadline: one recovery
	if _, ok := b.Allow(now.Add(time.Second-1), time.Time{}); ok {
		t.Fatal("three at once")
	}
	if got := b.RetryAt(); !got.Equal(now.Add(time.Second)) {
		t.Errorf("RetryAt %v", got)
	}
	next, ok := b.Allow(now.Add(time.Second), time.Time{})
	if !ok {
		t.Fatal("the slot of the hung probe is not free")
	}
	b.Done(hung, breaker.Failure, now.Add(2*time.Second))
	if b.State() != observe.HalfOpen {
		t.Fatal("the late result counted")
	}
	b.Done(next, breaker.Success, now.Add(2*time.Second))
	if _, ok := b.Allow(now.Add(30*time.Second), time.Time{}); !ok {
		t.Fatal("the slot of the probe without a deadline is not free after one recovery")
	}
}

func TestMinTime(t *testing.T) {
	p := externalAPI
	p.MinTime = time.Second
	b := breaker.New(p, breaker.Options{Random: noJitter})
	for range 100 {
		call(t, b, breaker.Success, start)
	}
	for i := range 100 { // 100 of 200 in the last second are 5 of 10
		if b.State() != observe.Closed {
			t.Fatalf("open after %d failures among %d calls of one second", i, 100+i)
		}
		call(t, b, breaker.Failure, start)
	}
	if b.State() != observe.Open {
		t.Error("half of the calls failed, and it is closed")
	}

	quiet := breaker.New(p, breaker.Options{Random: noJitter})
	for i := range 5 { // one call in ten seconds
		call(t, quiet, breaker.Success, at(time.Duration(i)*10*time.Second))
	}
	for i := range 5 {
		call(t, quiet, breaker.Failure, at(time.Duration(i+5)*10*time.Second))
	}
	if quiet.State() != observe.Open {
		t.Error("5 of the last 10 calls failed, and it is closed")
	}
}

func TestFailureRate(t *testing.T) {
	p := policy.Breaker{Window: policy.Window{Time: 10 * time.Second}, FailureRate: 0.5, MinCalls: 20, Recovery: 30 * time.Second}
	b := breaker.New(p, breaker.Options{})
	for range 19 {
		call(t, b, breaker.Failure, start)
	}
	if b.State() != observe.Closed {
		t.Fatal("open under minCalls")
	}
	// The twentieth call brings the rate to 19/20, though it is a success.
	call(t, b, breaker.Success, start)
	if b.State() != observe.Open {
		t.Fatal("closed at 19 of 20")
	}
	b = breaker.New(p, breaker.Options{})
	for range 19 {
		call(t, b, breaker.Failure, start)
	}
	call(t, b, breaker.Failure, at(11*time.Second)) // alone in its window
	if b.State() != observe.Closed {
		t.Error("failures older than the window count")
	}
}

func TestListenerMayUseTheBreaker(t *testing.T) {
	var b *breaker.Breaker
	var states []observe.BreakerState
	b = breaker.New(externalAPI, breaker.Options{OnChange: func(c observe.BreakerChange) {
		states = append(states, b.State())
		if c.To == observe.Open { // deadlocks where callbacks run under the lock
			p, ok := b.Allow(c.Until, time.Time{})
			if !ok {
				t.Error("refused")
			}
			b.Done(p, breaker.Success, c.Until)
		}
	}})
	for range 5 {
		call(t, b, breaker.Failure, start)
	}
	if len(states) != 2 || b.State() != observe.HalfOpen {
		t.Errorf("%v, %v", states, b.State())
	}
}

func TestConcurrentUse(t *testing.T) {
	p := externalAPI
	p.Recovery = time.Millisecond
	var order []observe.BreakerChange
	b := breaker.New(p, breaker.Options{OnChange: func(c observe.BreakerChange) { order = append(order, c) }})
	var wg sync.WaitGroup
	var tick atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				now := at(time.Duration(tick.Add(1)) * 100 * time.Microsecond)
				if permit, ok := b.Allow(now, now.Add(time.Millisecond)); ok {
					b.Done(permit, breaker.Result((i+g)%3), now)
				}
				b.Ready(now)
			}
		})
	}
	wg.Wait()
	for i, c := range order {
		if i > 0 && c.From != order[i-1].To {
			t.Fatalf("change %d starts from %v after %v", i, c.From, order[i-1].To)
		}
	}
	if len(order) == 0 {
		t.Error("it never opened")
	}
}

func TestDo(t *testing.T) {
	p := externalAPI
	p.FailureThreshold, p.SlowCall = 1, time.Second
	fail := errors.New("fail")
	synctest.Test(t, func(t *testing.T) {
		b := breaker.New(p, breaker.Options{Name: "x", Random: noJitter})
		if err := b.Do(t.Context(), func(context.Context) error { time.Sleep(time.Second); return nil }); err != nil || b.State() != observe.Closed {
			t.Fatalf("%v %v", err, b.State())
		}
		ctx, cancel := context.WithCancel(t.Context())
		err := b.Do(ctx, func(ctx context.Context) error { cancel(); return ctx.Err() })
		if !errors.Is(err, context.Canceled) || b.State() != observe.Closed {
			t.Fatalf("the caller's cancellation: %v, %v", err, b.State())
		}
		if err := b.Do(t.Context(), func(context.Context) error { return fail }); !errors.Is(err, fail) {
			t.Fatal(err)
		}
		err = b.Do(t.Context(), func(context.Context) error { t.Error("called while open"); return nil })
		var f *fault.Error
		if !errors.Is(err, fault.ErrBreakerOpen) || !errors.As(err, &f) || !f.RetryAt.Equal(time.Now().Add(30*time.Second)) || f.Effect != fault.Safe {
			t.Fatalf("%+v", err)
		}

		slow := breaker.New(p, breaker.Options{})
		_ = slow.Do(t.Context(), func(context.Context) error { time.Sleep(time.Second + 1); return nil })
		if slow.State() != observe.Open {
			t.Error("a slow call is no failure")
		}
		panics := breaker.New(p, breaker.Options{})
		func() {
			defer func() { _ = recover() }()
			_ = panics.Do(t.Context(), func(context.Context) error { panic("x") })
		}()
		if panics.State() != observe.Open {
			t.Error("a panic is no failure")
		}
		p.Mode = policy.Shadow
		shadow := breaker.New(p, breaker.Options{})
		for range 5 {
			if err := shadow.Do(t.Context(), func(context.Context) error { return fail }); !errors.Is(err, fail) {
				t.Errorf("shadow refused: %v", err)
			}
		}
		if shadow.State() != observe.Open {
			t.Error("shadow does not count")
		}
	})
}

func TestClosedPathAllocatesNothing(t *testing.T) {
	b := breaker.New(externalAPI, breaker.Options{})
	if n := testing.AllocsPerRun(100, func() {
		p, _ := b.Allow(start, time.Time{})
		b.Done(p, breaker.Success, start)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Three failures among the last ten calls open this breaker for 15 seconds.
func Example() {
	b := breaker.New(policy.Breaker{
		Window: policy.Window{Count: 10}, FailureThreshold: 3, Recovery: 15 * time.Second, Probes: 1,
	}, breaker.Options{Name: "database"})
	query := func(context.Context) error { return errors.New("connection refused") }
	for range 4 {
		err := b.Do(context.Background(), query)
		fmt.Println(b.State(), errors.Is(err, fault.ErrBreakerOpen))
	}
	// Output:
	// closed false
	// closed false
	// open false
	// open true
}
