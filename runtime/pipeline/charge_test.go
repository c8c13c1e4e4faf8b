package pipeline_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// metered is a policy of one bucket that follows the server's numbers.
func metered(change ...func(*policy.Bucket)) policy.Client {
	c := base()
	c.Timeout.Total = time.Hour
	b := policy.Bucket{
		Name: "b", Limit: 1000, Per: time.Second, Burst: 1000, Wait: policy.None,
		Sync: &policy.Sync{Remaining: "X-Left", Reset: "X-Reset"},
	}
	for _, f := range change {
		f(&b)
	}
	c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{b}}
	return c
}

// prices are what requests say that they cost.
type prices struct{ n string }

func (p prices) Lookup(policy.Expr) (policy.Value, bool) { return policy.Value{Text: p.n}, p.n != "" }

// Tries that bring no answer are not taken for ones that are on the way for ever.
func TestEveryTryLands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make1(metered(func(b *policy.Bucket) { b.Wait = 0 }))
		for _, try := range []answer{after(time.Hour, status(200)), status(200), status(204, "X-Left", "soon")} {
			p.Do(t.Context(), &pipeline.Call{Options: pipeline.Options{PerTry: ms}}, serve(try))
		}
		func() {
			defer func() { _ = recover() }()
			p.Do(t.Context(), replayable(), serve(func(context.Context, pipeline.Attempt) pipeline.Result { panic("a bug") }))
		}()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p.Do(ctx, replayable(), serve(status(200)))
		// The server has three left: all of them are granted, and no more.
		p.Do(t.Context(), replayable(), serve(status(200, "X-Left", "3", "X-Reset", "60")))
		for i := range 4 {
			o := p.Do(t.Context(), replayable(), serve(status(200)))
			if limited := o.Fault != nil && o.Fault.Kind == fault.RateLimited; limited != (i == 3) {
				t.Errorf("call %d: %v", i+1, o.Fault)
			}
		}
	})
}

// A retry after a refusal waits for the reset that the server has told with it.
func TestRetryWaitsForTheServersReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(status(429, "X-Left", "0", "X-Reset", "30"), status(200))
		o := run(t.Context(), metered(), replayable(), s)
		if o.Fault != nil || o.Waited != 30*time.Second {
			t.Errorf("%v after a wait of %v", o.Fault, o.Waited)
		}
		wantTimes(t, s, 0, 30*time.Second)
	})
}

// In shadow mode the numbers are followed, and nothing waits for them.
func TestShadowedNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := metered()
		c.RateLimit.Mode = policy.Shadow
		p := make1(c)
		s := serve(status(200, "X-Left", "0", "X-Reset", "30"))
		for range 3 {
			if o := p.Do(t.Context(), replayable(), s); o.Fault != nil {
				t.Error(o.Fault)
			}
		}
		wantTimes(t, s, 0, 0, 0)
	})
}

func TestPrices(t *testing.T) {
	const perSecond = 1000
	for name, tt := range map[string]struct {
		estimate string
		header   string // what the response says
		want     time.Duration
	}{
		// The bucket holds 1000; the second call of 1000 waits for what the first has taken.
		"as estimated":        {"600", "", 600 * ms},
		"no number":           {"much", "", ms},
		"below zero":          {"-5", "", ms},
		"nothing":             {"0", "", 0},
		"less":                {"600", "100", 100 * ms},
		"more":                {"600", "1000", 1000 * ms},
		"free after all":      {"600", "0", 0},
		"more than it holds":  {"1500", "", 1500 * ms},
		"nonsense afterwards": {"600", "-1", 600 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := make1(metered(func(b *policy.Bucket) {
					b.Limit, b.Burst = perSecond, perSecond
					b.CostFrom = policy.Expr{Source: policy.FromFunc, Name: "f"}
					b.CostActual = policy.Expr{Source: policy.FromResponseHeader, Name: "X-Cost"}
				}))
				first := status(200)
				if tt.header != "" {
					first = status(200, "X-Cost", tt.header)
				}
				p.Do(t.Context(), &pipeline.Call{Lookup: prices{tt.estimate}}, serve(first))
				o := p.Do(t.Context(), &pipeline.Call{Lookup: prices{strconv.Itoa(perSecond)}}, serve(status(200)))
				if o.Fault != nil || o.Waited != tt.want {
					t.Errorf("%v after a wait of %v, want %v", o.Fault, o.Waited, tt.want)
				}
			})
		})
	}
}

// A try for which no time is left costs nothing.
func TestTryThatIsNotMadeIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make1(metered(func(b *policy.Bucket) { b.Limit, b.Burst = 1, 1 }))
		ctx, cancel := context.WithTimeout(t.Context(), 2*ms)
		defer cancel()
		if o := p.Do(ctx, replayable(), serve(status(200))); o.Attempts != 0 {
			t.Fatal("a try of less than the floor was made")
		}
		if o := p.Do(t.Context(), replayable(), serve(status(200))); o.Fault != nil || o.Waited != 0 {
			t.Errorf("%v after a wait of %v", o.Fault, o.Waited)
		}
	})
}
