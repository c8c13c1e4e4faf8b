package shed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/shed"
	"pgregory.net/rapid"
)

var all = []policy.Criticality{policy.Optional, policy.Standard, policy.Critical}

// The most critical of those that wait runs first, and of equals who came first.
func TestMostCriticalFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shed.New(policy.Shed{Target: time.Second, MaxInflight: 1}, nil)
		first, ok := s.Try(time.Now(), policy.Optional)
		if !ok {
			t.Fatal("an idle server refuses")
		}
		if _, ok := s.Try(time.Now(), policy.Critical); ok {
			t.Fatal("two of one")
		}
		var mu sync.Mutex
		var order []string
		for i, c := range []policy.Criticality{policy.Optional, policy.Standard, policy.Critical, policy.Standard} {
			go func() {
				ticket, err := s.Admit(t.Context(), c, time.Now(), time.Time{})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, fmt.Sprint(c, i))
				mu.Unlock()
				ticket.Release()
			}()
			synctest.Wait()
		}
		if l := s.Load(); l.Running != 1 || l.Waiting != 4 || l.Limit != 1 {
			t.Errorf("%+v", l)
		}
		first.Release()
		synctest.Wait()
		if got := fmt.Sprint(order); got != "[critical 2 standard 1 standard 3 optional 0]" {
			t.Error(got)
		}
	})
}

// In a burst a request waits up to an interval, and no longer than it is told.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shed.New(policy.Shed{MaxInflight: 1}, nil) // a target of 5 ms
		if s.Interval() != 100*time.Millisecond {
			t.Error(s.Interval())
		}
		ticket, _ := s.Try(time.Now(), policy.Standard)
		defer ticket.Release()
		for _, c := range []struct {
			until time.Duration
			want  time.Duration
		}{{0, 100 * time.Millisecond}, {30 * time.Millisecond, 30 * time.Millisecond}, {time.Hour, 5 * time.Millisecond}} {
			now, until := time.Now(), time.Time{}
			if c.until > 0 {
				until = now.Add(c.until)
			}
			// By the third request the delay of whole intervals is above the target.
			if _, err := s.Admit(t.Context(), policy.Standard, now, until); !errors.Is(err, shed.ErrShed) || time.Since(now) != c.want {
				t.Errorf("%v after %s, want %s", err, time.Since(now), c.want)
			}
			time.Sleep(75 * time.Millisecond)
		}
	})
}

func TestObeysTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shed.New(policy.Shed{Target: time.Second, MaxInflight: 1}, nil)
		ticket, _ := s.Try(time.Now(), policy.Standard)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Admit(ctx, policy.Critical, time.Now(), time.Time{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := s.Admit(ctx, policy.Critical, time.Now(), time.Time{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a context that has ended: %v", err)
		}
		ticket.Release()
		if l := s.Load(); l.Running != 0 || l.Waiting != 0 {
			t.Errorf("%+v", l)
		}
	})
}

// A full queue takes a more critical request in the place of the least critical that
// came last.
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shed.New(policy.Shed{Target: time.Second, MaxInflight: 1}, nil)
		ticket, _ := s.Try(time.Now(), policy.Standard)
		defer ticket.Release()
		refused := make(chan int, 20)
		for i := range 16 {
			go func() {
				if _, err := s.Admit(t.Context(), policy.Optional, time.Now(), time.Time{}); err != nil {
					refused <- i
				}
			}()
			synctest.Wait()
		}
		if _, err := s.Admit(t.Context(), policy.Optional, time.Now(), time.Time{}); !errors.Is(err, shed.ErrShed) {
			t.Errorf("the seventeenth: %v", err)
		}
		go func() { _, _ = s.Admit(t.Context(), policy.Standard, time.Now(), time.Time{}) }()
		synctest.Wait()
		if len(refused) != 1 || <-refused != 15 {
			t.Error("the last of the optional ones did not make room")
		}
	})
}

// parts are the refused parts of a hundred requests of each criticality.
func parts(s *shed.Shedder) string {
	var text strings.Builder
	for _, c := range all {
		n := 0
		for range 100 {
			ticket, ok := s.Try(time.Now(), c)
			if ticket.Release(); !ok {
				n++
			}
		}
		fmt.Fprint(&text, n, " ")
	}
	return text.String()
}

// A delay that stands refuses half as many optional requests as there are after one
// interval, all after two, then standard ones, and nine of ten critical ones in the end;
// when it is over, it all comes back in the other order.
func TestStandingQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		delay := 20 * time.Millisecond
		s := shed.New(policy.Shed{Target: 5 * time.Millisecond}, func() time.Duration { return delay })
		for _, want := range []string{
			"50 0 0 ", "100 0 0 ", "100 50 0 ", "100 100 0 ", "100 100 50 ", "100 100 90 ", "100 100 90 ",
		} {
			if got := parts(s); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
			time.Sleep(100 * time.Millisecond)
		}
		delay = 5 * time.Millisecond // as much as is fine
		for _, want := range []string{"100 100 65 ", "100 100 40 ", "100 100 15 ", "100 90 0 ", "100 65 0 "} {
			if got := parts(s); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if got := parts(s); got != "0 0 0 " {
			t.Error(got)
		}
	})
}

// The least delay of an interval counts: one request that did not wait shows that the
// queue does not stand. Queues do not answer for each other.
func TestLeastDelayCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shed.New(policy.Shed{MaxInflight: 10}, nil)
		interval := func(delays ...time.Duration) string {
			for _, d := range delays {
				s.Observe(time.Now(), d)
			}
			ticket, _ := s.Try(time.Now(), policy.Critical) // its own queue has no delay
			ticket.Release()
			time.Sleep(100 * time.Millisecond)
			return parts(s)
		}
		if got := interval(50*time.Millisecond, time.Millisecond, time.Second); got != "0 0 0 " {
			t.Error(got)
		}
		if got := interval(50*time.Millisecond, 6*time.Millisecond); got != "50 0 0 " {
			t.Error(got)
		}
		if got := interval(0); got != "25 0 0 " {
			t.Error(got)
		}
	})
}

// An adaptive limit follows the latency down and up again.
func TestAdaptive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shed.New(policy.Shed{Target: time.Hour, MaxInflight: 40, Adaptive: true}, nil)
		work := func(latency time.Duration) {
			var group sync.WaitGroup
			for range 40 {
				group.Go(func() {
					ticket, err := s.Admit(t.Context(), policy.Standard, time.Now(), time.Time{})
					if err != nil {
						return // the queue shrinks with the limit
					}
					time.Sleep(latency)
					ticket.Release()
				})
			}
			group.Wait()
		}
		work(10 * time.Millisecond)
		if n := s.Load().Limit; n != 40 {
			t.Errorf("%d at the usual latency", n)
		}
		work(100 * time.Millisecond)
		if n := s.Load().Limit; n > 25 {
			t.Errorf("%d at ten times the latency", n)
		}
		for range 10 {
			work(10 * time.Millisecond)
		}
		if n := s.Load().Limit; n != 40 {
			t.Errorf("%d after it", n)
		}
	})
}

func TestSetPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shed.New(policy.Shed{Target: time.Second, MaxInflight: 1}, nil)
		ticket, _ := s.Try(time.Now(), policy.Standard)
		done := make(chan error, 1)
		go func() {
			_, err := s.Admit(t.Context(), policy.Standard, time.Now(), time.Time{})
			done <- err
		}()
		synctest.Wait()
		s.SetPolicy(policy.Shed{MaxInflight: 2})
		if err := <-done; err != nil {
			t.Error(err)
		}
		if got := s.Policy(); got.MaxInflight != 2 || got.Target != shed.DefaultTarget {
			t.Errorf("%+v", got)
		}
		ticket.Release()
	})
}

// Whatever comes, no more than the bound run, and everybody gets an answer.
func TestNeverMoreThanTheBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) {
			most := rapid.IntRange(1, 5).Draw(rt, "most")
			s := shed.New(policy.Shed{MaxInflight: most, Adaptive: rapid.Bool().Draw(rt, "adaptive")}, nil)
			var group sync.WaitGroup
			for range rapid.IntRange(1, 60).Draw(rt, "requests") {
				c := rapid.SampledFrom(all).Draw(rt, "criticality")
				work := time.Duration(rapid.IntRange(0, 50).Draw(rt, "work")) * time.Millisecond
				patience := time.Duration(rapid.IntRange(1, 200).Draw(rt, "patience")) * time.Millisecond
				group.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					ticket, err := s.Admit(ctx, c, time.Now(), time.Time{})
					if err != nil {
						return
					}
					if l := s.Load(); l.Running > most {
						t.Errorf("%d of %d", l.Running, most)
					}
					time.Sleep(work)
					ticket.Release()
				})
				time.Sleep(time.Duration(rapid.IntRange(0, 10).Draw(rt, "pause")) * time.Millisecond)
			}
			group.Wait()
			if l := s.Load(); l.Running != 0 || l.Waiting != 0 {
				t.Errorf("%+v is left", l)
			}
		})
	})
}

func TestSchedulerDelay(t *testing.T) {
	delay := shed.SchedulerDelay()
	if d := delay(); d != 0 {
		t.Errorf("the first is %s", d)
	}
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() { time.Sleep(time.Microsecond) })
	}
	group.Wait()
	if d := delay(); d < 0 || d > time.Minute {
		t.Error(d)
	}
}

// A shedder around any work.
func ExampleShedder_Admit() {
	s := shed.New(policy.Shed{MaxInflight: 100}, shed.SchedulerDelay())
	ticket, err := s.Admit(context.Background(), policy.Standard, time.Now(), time.Time{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ticket.Release()
	fmt.Println("works")
	// Output: works
}
