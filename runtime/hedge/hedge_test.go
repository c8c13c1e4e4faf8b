package hedge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/hedge"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// slow answers with its number after the time for it, unless its context ends.
func slow(times ...time.Duration) func(context.Context, int) (int, error) {
	return func(ctx context.Context, n int) (int, error) {
		if err := sleep.For(ctx, times[n-1]); err != nil {
			return 0, err
		}
		return n, nil
	}
}

func TestFirstInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		h := hedge.New(policy.Hedge{Delay: 50 * time.Millisecond, Max: 1}, hedge.Options{})
		begin := time.Now()
		n, err := hedge.Do(t.Context(), h, func(ctx context.Context, n int) (int, error) {
			made.Add(1)
			return slow(49*time.Millisecond)(ctx, n)
		})
		if n != 1 || err != nil || made.Load() != 1 || time.Since(begin) != 49*time.Millisecond {
			t.Errorf("try %d, %v, %d tries after %v", n, err, made.Load(), time.Since(begin))
		}
	})
}

func TestSecondWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []hedge.What
		var mu sync.Mutex
		h := hedge.New(policy.Hedge{Delay: 50 * time.Millisecond, Max: 1}, hedge.Options{
			Name: "getPet", OnEvent: func(_ context.Context, e hedge.Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Name != "getPet" {
					t.Errorf("event of %q", e.Name)
				}
				events = append(events, e.What)
			},
		})
		begin := time.Now()
		var cause error
		n, err := hedge.Do(t.Context(), h, func(ctx context.Context, n int) (int, error) {
			v, err := slow(time.Hour, 10*time.Millisecond)(ctx, n)
			if n == 1 {
				cause = context.Cause(ctx)
			}
			return v, err
		})
		if n != 2 || err != nil || time.Since(begin) != 60*time.Millisecond {
			t.Errorf("try %d, %v after %v", n, err, time.Since(begin))
		}
		if !errors.Is(cause, hedge.ErrLost) {
			t.Errorf("the first was ended by %v", cause)
		}
		slices.Sort(events) // Won and Lost come from two goroutines
		if !slices.Equal(events, []hedge.What{hedge.Started, hedge.Won, hedge.Lost}) {
			t.Errorf("events %v", events)
		}
	})
}

// The first may still win after another one was started.
func TestFirstWinsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hedge.New(policy.Hedge{Delay: 50 * time.Millisecond, Max: 3}, hedge.Options{})
		begin := time.Now()
		r := hedge.Race(t.Context(), h, hedge.Tries[int]{Try: slow(110*time.Millisecond, time.Hour, time.Hour, time.Hour)})
		defer r.Cancel()
		if r.Number != 1 || r.Tries != 3 || r.Err != nil || time.Since(begin) != 110*time.Millisecond {
			t.Errorf("%+v after %v", r, time.Since(begin))
		}
	})
}

func TestMax(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 2}, hedge.Options{})
		r := hedge.Race(t.Context(), h, hedge.Tries[int]{Try: slow(time.Second, time.Minute, time.Minute, 0)})
		r.Cancel()
		if r.Tries != 3 || r.Number != 1 {
			t.Errorf("%d tries, %d won", r.Tries, r.Number)
		}
		h = hedge.New(policy.Hedge{Delay: 10 * time.Millisecond}, hedge.Options{}) // one by default
		r = hedge.Race(t.Context(), h, hedge.Tries[int]{Try: slow(time.Second, time.Minute, 0)})
		r.Cancel()
		if r.Tries != 2 || r.Number != 1 {
			t.Errorf("%d tries, %d won", r.Tries, r.Number)
		}
	})
}

// A nil Hedger is a plain call.
func TestNil(t *testing.T) {
	n, err := hedge.Do(t.Context(), nil, func(_ context.Context, n int) (int, error) { return n, nil })
	if n != 1 || err != nil {
		t.Errorf("try %d, %v", n, err)
	}
	var h *hedge.Hedger
	h.Observe(time.Now(), time.Second)
	if _, ok := h.Delay(time.Now()); ok {
		t.Error("a nil Hedger has a delay")
	}
}

var errBusy = errors.New("busy")

// A failure of the first before its time is up is returned at once; one after that
// waits for the other, which may succeed.
func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name          string
		fails, answer time.Duration // when the first fails, how long the second takes
		want          int
		after         time.Duration
	}{
		{"in time", 20 * time.Millisecond, 0, 0, 20 * time.Millisecond},
		{"late", 70 * time.Millisecond, 100 * time.Millisecond, 2, 150 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := hedge.New(policy.Hedge{Delay: 50 * time.Millisecond, Max: 1}, hedge.Options{})
				begin := time.Now()
				n, err := hedge.Do(t.Context(), h, func(ctx context.Context, n int) (int, error) {
					if n == 1 {
						time.Sleep(tc.fails)
						return 0, errBusy
					}
					return slow(0, tc.answer)(ctx, n)
				})
				if n != tc.want || (err == nil) != (tc.want > 0) || time.Since(begin) != tc.after {
					t.Errorf("try %d, %v after %v", n, err, time.Since(begin))
				}
			})
		})
	}
}

// When all fail the last failure is told, and the ones before are freed.
func TestAllFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 1}, hedge.Options{})
		var freed []int
		r := hedge.Race(t.Context(), h, hedge.Tries[int]{
			Try: func(_ context.Context, n int) (int, error) {
				time.Sleep([]time.Duration{30 * time.Millisecond, 50 * time.Millisecond}[n-1])
				return n, errBusy
			},
			Discard: func(n int, _ error) { freed = append(freed, n) },
		})
		r.Cancel()
		if r.Number != 2 || !errors.Is(r.Err, errBusy) || !slices.Equal(freed, []int{1}) {
			t.Errorf("try %d, %v, freed %v", r.Number, r.Err, freed)
		}
	})
}

type pays int

func (p *pays) Take(time.Time) bool { *p--; return *p >= 0 }

// An empty budget, or a limit without a token, leaves the call as it is.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, refused := pays(1), 0
		o := hedge.Options{Budget: &budget, OnEvent: func(_ context.Context, e hedge.Event) {
			if e.What == hedge.Refused {
				refused++
			}
		}}
		h := hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 1}, o)
		for i, want := range []int{2, 1, 1} {
			n, err := hedge.Do(t.Context(), h, slow(time.Second, 0))
			if n != want || err != nil {
				t.Errorf("call %d: try %d answered, %v", i, n, err)
			}
		}
		if refused != 2 {
			t.Errorf("%d were refused", refused)
		}
		o = hedge.Options{Admit: func(context.Context) bool { return false }}
		h = hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 1}, o)
		if n, err := hedge.Do(t.Context(), h, slow(time.Second, 0)); n != 1 || err != nil {
			t.Errorf("without a token: try %d, %v", n, err)
		}
	})
}

func TestShadow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []hedge.Event
		h := hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 3, Mode: policy.Shadow}, hedge.Options{
			OnEvent: func(_ context.Context, e hedge.Event) { events = append(events, e) },
		})
		n, err := hedge.Do(t.Context(), h, slow(time.Second))
		if n != 1 || err != nil || !slices.Equal(events, []hedge.Event{{What: hedge.Shadowed, Number: 2, After: 10 * time.Millisecond}}) {
			t.Errorf("try %d, %v, events %v", n, err, events)
		}
	})
}

// Nothing is hedged before 100 latencies are known; then the delay is their quantile.
func TestQuantile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hedge.New(policy.Hedge{Quantile: 0.95, Max: 1}, hedge.Options{})
		for i := range hedge.LeastSamples {
			if _, ok := h.Delay(time.Now()); ok {
				t.Fatalf("a delay after %d calls", i)
			}
			d := 10 * time.Millisecond
			if i%10 == 0 {
				d = 100 * time.Millisecond // one in ten: the 95th percentile
			}
			if n, err := hedge.Do(t.Context(), h, slow(d)); n != 1 || err != nil {
				t.Fatalf("try %d, %v", n, err)
			}
		}
		d, ok := h.Delay(time.Now())
		if !ok || d < 96*time.Millisecond || d > 104*time.Millisecond {
			t.Fatalf("the delay is %v, %v", d, ok)
		}
		begin := time.Now()
		if n, err := hedge.Do(t.Context(), h, slow(time.Hour, 0)); n != 2 || err != nil || time.Since(begin) != d {
			t.Errorf("try %d, %v after %v", n, err, time.Since(begin))
		}
	})
}

func TestCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		h := hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 1}, hedge.Options{})
		begin := time.Now()
		_, err := hedge.Do(ctx, h, slow(time.Hour, time.Hour))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 30*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// A panic of any try reaches the caller, and the other tries end.
func TestPanic(t *testing.T) {
	for _, bad := range []int{1, 2} {
		t.Run(strconv.Itoa(bad), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 1}, hedge.Options{})
				defer func() {
					if p := recover(); p != "boom" {
						t.Errorf("recovered %v", p)
					}
				}()
				_, _ = hedge.Do(t.Context(), h, func(ctx context.Context, n int) (int, error) {
					if n == bad {
						time.Sleep(20 * time.Millisecond)
						panic("boom")
					}
					return 0, sleep.For(ctx, time.Hour)
				})
				t.Error("it returned")
			})
		})
	}
}

func TestConcurrent(t *testing.T) {
	h := hedge.New(policy.Hedge{Max: 2}, hedge.Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if n, err := hedge.Do(t.Context(), h, func(_ context.Context, n int) (int, error) { return n, nil }); n < 1 || err != nil {
					t.Errorf("try %d, %v", n, err)
				}
			}
		})
	}
	wg.Wait()
}

func ExampleDo() {
	h := hedge.New(policy.Hedge{Delay: 5 * time.Millisecond, Max: 1}, hedge.Options{})
	answer, err := hedge.Do(context.Background(), h, func(ctx context.Context, number int) (string, error) {
		if number == 1 {
			<-ctx.Done() // this replica hangs
			return "", ctx.Err()
		}
		return "the second replica", nil
	})
	fmt.Println(answer, err)
	// Output: the second replica <nil>
}
