package worstcase_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/worstcase"
	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/hedge"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

func TestBreaker(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy policy.Breaker
		opens  int
	}{
		{"threshold", policy.Breaker{Window: policy.Window{Count: 10}, FailureThreshold: 5, Recovery: 30 * time.Second}, 5},
		{"threshold over a time", policy.Breaker{Window: policy.Window{Time: 10 * time.Second}, FailureThreshold: 3, Recovery: 30 * time.Second}, 3},
		{"with minTime", policy.Breaker{Window: policy.Window{Count: 10}, FailureThreshold: 5, MinTime: time.Second, Recovery: 30 * time.Second}, 5},
		{"rate", policy.Breaker{Window: policy.Window{Time: 10 * time.Second}, FailureRate: 0.5, MinCalls: 20, Recovery: 30 * time.Second}, 20},
		{"rate over a count", policy.Breaker{Window: policy.Window{Count: 10}, FailureRate: 0.5, MinCalls: 4, Recovery: 30 * time.Second, Backoff: 2, MaxRecovery: 100 * time.Second}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := policy.Client{Effect: policy.Read, Timeout: timeout(time.Second, 0), Breaker: &tt.policy}
			got := worstcase.BreakerOf(&c)
			if got.Opens != tt.opens || got.BlindToHangs {
				t.Fatalf("%+v, want %d", got, tt.opens)
			}
			now := time.Now()
			b := breaker.New(tt.policy, breaker.Options{Random: longest})
			n := 0
			for b.State() == observe.Closed && n < 1000 {
				n++
				permit, _ := b.Allow(now, now.Add(time.Second))
				b.Done(permit, breaker.Failure, now)
			}
			if n != got.Opens {
				t.Errorf("the runtime's opens after %d calls, computed %d", n, got.Opens)
			}
			for opening := 1; opening <= 5; opening++ {
				open := b.RetryAt().Sub(now)
				want := worstcase.OpenFor(&tt.policy, opening)
				if open < want || open > want+want/10 || open > got.LongestOpen {
					t.Errorf("opening %d lasts %v, want %v to %v, at most %v", opening, open, want, want+want/10, got.LongestOpen)
				}
				now = b.RetryAt()
				permit, ok := b.Allow(now, now.Add(time.Second))
				if !ok {
					t.Fatal("no probe")
				}
				b.Done(permit, breaker.Failure, now)
			}
		})
	}
	if worstcase.BreakerOf(&policy.Client{}) != nil {
		t.Error("a breaker out of nothing")
	}
	// 9.2s in all and 9s a try: the second one has 200ms, which prove nothing.
	blind := policy.Client{
		Effect: policy.Read, Timeout: timeout(9*time.Second, 9200*ms), Breaker: &policy.Breaker{Window: policy.Window{Count: 1}, FailureThreshold: 1, Recovery: time.Second},
		Retry: &policy.Retry{MaxAttempts: 2, Errors: policy.AllErrors},
	}
	if !worstcase.BreakerOf(&blind).BlindToHangs {
		t.Error("the breaker learns nothing from calls that hang")
	}
}

// The budget holds the requests of a failing dependency to the computed factor,
// in the long run.
func TestFactorAsTheBudget(t *testing.T) {
	for _, tt := range []struct {
		perSecond, tries int
		ratio, floor     float64
		want             float64
	}{
		{100, 2, 0.2, 10, 1.3},
		{100, 5, 0.2, 10, 1.3},
		{10, 2, 0.2, 10, 2}, // 0.2 + 1 would be more than the one retry that there is
		{1000, 3, 0.1, 0, 1.1},
		{50, 3, 0, 5, 1.1},
	} {
		c := policy.Client{Effect: policy.Read, Timeout: timeout(time.Second, policy.None), Retry: &policy.Retry{
			MaxAttempts: tt.tries, Statuses: policy.StatusSet(503),
			Budget: &policy.Budget{Ratio: tt.ratio, MinPerSecond: tt.floor, Window: 10 * time.Second},
		}}
		load := worstcase.LoadOf(&c)
		if got := load.Factor(float64(tt.perSecond)); math.Abs(got-tt.want) > 1e-9 || load.Requests != tt.tries {
			t.Errorf("%+v: factor %v, %d requests", tt, got, load.Requests)
		}
		begin := time.Now()
		budget := retry.NewBudget(*c.Retry.Budget, begin)
		calls, requests := 0, 0
		const seconds = 300
		for i := range seconds * tt.perSecond {
			now := begin.Add(time.Duration(i) * time.Second / time.Duration(tt.perSecond))
			budget.First(now)
			calls++
			requests++
			for range tt.tries - 1 {
				if budget.Take(now) {
					requests++
				}
			}
		}
		// The bucket is full in the beginning, and the window holds what the last
		// ten seconds have earned.
		slack := (tt.floor + tt.ratio*10*float64(tt.perSecond)) / float64(calls)
		if got := float64(requests) / float64(calls); math.Abs(got-tt.want) > slack+0.01 {
			t.Errorf("%+v: the runtime's budget lets %v through, computed %v", tt, got, tt.want)
		}
	}
	if got := (worstcase.Load{Requests: 3, Ratio: 0.2, Floor: 10}).Factor(math.Inf(1)); got != 1.2 {
		t.Errorf("at any rate: %v, want 1.2", got)
	}
	if got := (worstcase.Load{Requests: 3, Ratio: -1}).Factor(1000); got != 3 {
		t.Errorf("without a budget: %v, want 3", got)
	}
}

func TestHedgesMultiply(t *testing.T) {
	c := policy.Client{Effect: policy.Read, Timeout: timeout(time.Second, 0), Retry: userFacing(), Hedge: &policy.Hedge{Delay: 50 * ms}}
	for _, tt := range []struct{ max, want int }{{0, 4}, {1, 4}, {2, 6}} {
		c.Hedge.Max = tt.max
		if got := worstcase.LoadOf(&c); got.Requests != tt.want {
			t.Errorf("max %d: %+v, want %d", tt.max, got, tt.want)
		}
	}
	c.Hedge.Mode = policy.Shadow
	if got := worstcase.LoadOf(&c); got.Requests != 2 {
		t.Errorf("a shadow sends nothing: %+v", got)
	}
}

// A caller's key is the caller's choice: a call without one is not repeated.
func TestUnkeyed(t *testing.T) {
	c := policy.Client{Timeout: timeout(time.Second, 0), Idempotency: &policy.Idempotency{Header: "Idempotency-Key"}, Retry: userFacing()}
	c.Retry.Statuses = policy.StatusSet(503)
	if got := worstcase.LoadOf(&c); got.Tries != 2 || got.Unkeyed != 1 || got.By.Name != "503" {
		t.Errorf("%+v", got)
	}
	c.Idempotency.Required = true
	if got := worstcase.LoadOf(&c); got.Unkeyed != 0 {
		t.Errorf("%+v", got)
	}
}

// hedging is a dependency that never answers, behind a client that hedges.
type hedging struct{ requests atomic.Int32 }

func (d *hedging) Try(ctx context.Context, a pipeline.Attempt) pipeline.Result {
	result := hedge.Race(ctx, a.Hedger(), hedge.Tries[int]{
		Try: func(ctx context.Context, _ int) (int, error) {
			d.requests.Add(1)
			<-ctx.Done()
			return 0, ctx.Err()
		},
		Admit: a.PayHedge,
	})
	result.Cancel()
	return pipeline.Result{Err: result.Err, Class: retry.Class{Set: policy.TimeoutErrors}}
}

func (d *hedging) Discard(pipeline.Result) {}

// A call that hangs sends as many requests as were computed.
func TestHedgesAsTheRuntime(t *testing.T) {
	for _, tt := range []struct {
		delay     time.Duration
		max, want int
	}{
		{300 * ms, 1, 4},
		{300 * ms, 2, 6},
		{300 * ms, 3, 8},        // at 300, 600 and 900ms of each second
		{300 * ms, 5, 8},        // the fourth would come at 1200ms
		{501 * ms, 2, 4},        // the second would come when the try is over; at 500ms two timers would decide
		{2 * time.Second, 1, 2}, // no try lasts as long
	} {
		synctest.Test(t, func(t *testing.T) {
			c := policy.Client{
				Effect: policy.Read, Timeout: timeout(time.Second, 0), Hedge: &policy.Hedge{Delay: tt.delay, Max: tt.max},
				Retry: &policy.Retry{MaxAttempts: 2, Errors: policy.AllErrors, Jitter: policy.JitterNone},
			}
			if got := worstcase.LoadOf(&c).Requests; got != tt.want {
				t.Errorf("%v, max %d: computed %d, want %d", tt.delay, tt.max, got, tt.want)
			}
			d := &hedging{}
			p := pipeline.NewRegistry(pipeline.Settings{}).Pipeline(&policy.Spec{ID: "op", Client: c})
			_ = p.Do(t.Context(), &pipeline.Call{Replayable: true}, d)
			if got := int(d.requests.Load()); got != tt.want {
				t.Errorf("%v, max %d: the runtime sent %d, want %d", tt.delay, tt.max, got, tt.want)
			}
		})
	}
	// Only reads without a key are hedged.
	c := policy.Client{Effect: policy.Idempotent, Timeout: timeout(time.Second, 0), Hedge: &policy.Hedge{Delay: ms}}
	if got := worstcase.Hedges(&c); got != 0 {
		t.Errorf("%d hedges of what has an effect", got)
	}
}
