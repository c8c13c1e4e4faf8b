package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fallback"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var errDown = errors.New("down")

// gives is a rung that answers with its name.
func gives(name string) fallback.Rung[string] {
	return fallback.Rung[string]{Name: name, Local: true, Run: func(context.Context, error) (string, error) { return name, nil }}
}

// fails is a rung that does not.
func fails(name string) fallback.Rung[string] {
	return fallback.Rung[string]{Name: name, Local: true, Run: func(context.Context, error) (string, error) { return "", errors.New(name) }}
}

func down(context.Context) (string, error) { return "", errDown }

// Rungs answer in their order, each when the one before failed.
func TestOrder(t *testing.T) {
	c := fallback.Chain[string]{Rungs: []fallback.Rung[string]{fails("a"), gives("b"), gives("c")}}
	v, who, err := c.Do(t.Context(), 0, down)
	if v != "b" || err != nil || who.Rung != "b" || who.Index != 1 || !errors.Is(who.Cause, errDown) {
		t.Errorf("%q, %+v, %v", v, who, err)
	}
	if len(who.Failures) != 1 || who.Failures[0].Error() != "a" {
		t.Errorf("failures %v", who.Failures)
	}
	v, who, err = c.Do(t.Context(), 0, func(context.Context) (string, error) { return "own", nil })
	if v != "own" || err != nil || who.Rung != "" || who.Index != -1 || who.Cause != nil {
		t.Errorf("%q, %+v, %v", v, who, err)
	}
}

// When all fail the error is the call's.
func TestAllFail(t *testing.T) {
	c := fallback.Chain[string]{Rungs: []fallback.Rung[string]{fails("a"), fails("b")}}
	_, who, err := c.Do(t.Context(), 0, down)
	if !errors.Is(err, errDown) || who.Index != -1 || len(who.Failures) != 2 {
		t.Errorf("%+v, %v", who, err)
	}
	var none fallback.Chain[string]
	if _, who, err := none.Do(t.Context(), 0, down); !errors.Is(err, errDown) || who.Index != -1 {
		t.Errorf("the zero chain: %+v, %v", who, err)
	}
}

// The failures of the default of the language, and those that never lead to a rung.
func TestAfter(t *testing.T) {
	status := func(code int) error { return &fault.Error{Kind: fault.Status, Status: code} }
	kind := func(k fault.Kind) error { return &fault.Error{Kind: k} }
	all := policy.AfterTimeout | policy.AfterConnect | policy.AfterBreakerOpen | policy.AfterBulkheadFull | policy.AfterRateLimited
	c := fallback.Chain[string]{After: all, Statuses: policy.StatusSet(429, 404).Range(500, 599)}
	some := fallback.Chain[string]{After: policy.AfterBreakerOpen}
	every := fallback.Chain[string]{}
	for _, tc := range []struct {
		err               error
		all, breaker, any bool
	}{
		{kind(fault.Timeout), true, false, true},
		{kind(fault.Transport), true, false, true},
		{kind(fault.BreakerOpen), true, true, true},
		{kind(fault.BulkheadFull), true, false, true},
		{kind(fault.Discarded), true, false, true},
		{kind(fault.RateLimited), true, false, true},
		{kind(fault.Request), false, false, true},
		{kind(fault.Response), false, false, true},
		{status(429), true, false, true},
		{status(500), true, false, true},
		{status(599), true, false, true},
		{status(400), false, false, false},
		{status(404), false, false, false}, // even where it is listed
		{status(409), false, false, false},
		{kind(fault.Canceled), false, false, false},
		{context.Canceled, false, false, false},
		{context.DeadlineExceeded, true, false, true},
		{errDown, true, false, true},
		{nil, false, false, false},
	} {
		if got := c.Admits(tc.err); got != tc.all {
			t.Errorf("%v with all: %v", tc.err, got)
		}
		if got := some.Admits(tc.err); got != tc.breaker {
			t.Errorf("%v after breaker-open: %v", tc.err, got)
		}
		if got := every.Admits(tc.err); got != tc.any {
			t.Errorf("%v without conditions: %v", tc.err, got)
		}
	}
	picky := fallback.Chain[string]{When: func(err error) bool { return !errors.Is(err, errDown) }}
	if picky.Admits(errDown) || !picky.Admits(errors.New("other")) {
		t.Error("When does not decide")
	}
}

// A write that may have taken effect is not made again.
func TestUnknownEffect(t *testing.T) {
	again := gives("again")
	again.Repeats = true
	forced := gives("forced")
	forced.Repeats, forced.WhenUnknown = true, true
	for _, tc := range []struct {
		effect policy.Effect
		cause  fault.Effect
		rungs  []fallback.Rung[string]
		want   string
	}{
		{policy.Write, fault.Unknown, []fallback.Rung[string]{again, gives("static")}, "static"},
		{policy.Write, fault.Unsafe, []fallback.Rung[string]{again, gives("static")}, "static"},
		{policy.Write, fault.Safe, []fallback.Rung[string]{again, gives("static")}, "again"},
		{policy.Write, fault.Unknown, []fallback.Rung[string]{again, forced}, "forced"},
		{policy.Idempotent, fault.Unknown, []fallback.Rung[string]{again}, "again"},
		{policy.Read, fault.Unknown, []fallback.Rung[string]{again}, "again"},
	} {
		c := fallback.Chain[string]{Effect: tc.effect, Rungs: tc.rungs}
		v, _, err := c.Do(t.Context(), 0, func(context.Context) (string, error) {
			return "", &fault.Error{Kind: fault.Timeout, Effect: tc.cause}
		})
		if v != tc.want || err != nil {
			t.Errorf("%v, %v: %q, %v", tc.effect, tc.cause, v, err)
		}
	}
	// An error that does not tell is taken for the worst.
	c := fallback.Chain[string]{Rungs: []fallback.Rung[string]{again}}
	if _, _, err := c.Do(t.Context(), 0, down); !errors.Is(err, errDown) {
		t.Errorf("%v", err)
	}
}

// The call gets the total less what the remote rungs need; a rung's timeout takes the
// place of the reserve, and local ones need nothing.
func TestReserves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var own, rung time.Duration
		left := func(ctx context.Context) time.Duration {
			end, ok := ctx.Deadline()
			if !ok {
				return -1
			}
			return time.Until(end)
		}
		c := fallback.Chain[string]{Reserve: time.Second, Rungs: []fallback.Rung[string]{
			{Name: "slow", Run: func(ctx context.Context, _ error) (string, error) {
				rung = left(ctx)
				return "", sleep.For(ctx, time.Hour)
			}},
			{Name: "slower", Timeout: 2 * time.Second, Run: func(ctx context.Context, _ error) (string, error) {
				return "", sleep.For(ctx, time.Hour)
			}},
			gives("static"),
		}}
		begin := time.Now()
		v, who, err := c.Do(t.Context(), 10*time.Second, func(ctx context.Context) (string, error) {
			own = left(ctx)
			return "", sleep.For(ctx, time.Hour)
		})
		if own != 7*time.Second || rung != time.Second {
			t.Errorf("the call had %v, its first rung %v", own, rung)
		}
		// The local rung runs although all is spent.
		if v != "static" || err != nil || len(who.Failures) != 2 || time.Since(begin) != 10*time.Second {
			t.Errorf("%q, %+v, %v after %v", v, who, err, time.Since(begin))
		}
		// The caller's deadline counts where it is earlier, and the call keeps half.
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		v, _, err = c.Do(ctx, 10*time.Second, func(ctx context.Context) (string, error) {
			own = left(ctx)
			return "", sleep.For(ctx, time.Hour)
		})
		if v != "static" || err != nil || own != 2*time.Second {
			t.Errorf("%q, %v; the call had %v", v, err, own)
		}
		if _, _, _ = c.Do(t.Context(), 0, func(ctx context.Context) (string, error) {
			own = left(ctx)
			return "", nil
		}); own != -1 {
			t.Errorf("without a bound the call had %v", own)
		}
	})
}

// A remote rung does not start when the time is spent; a local one still does, under a
// context that is alive.
func TestSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ran := false
		c := fallback.Chain[string]{Rungs: []fallback.Rung[string]{
			{Name: "remote", Run: func(context.Context, error) (string, error) { ran = true; return "remote", nil }},
			{Name: "local", Local: true, Run: func(ctx context.Context, _ error) (string, error) { return "local", ctx.Err() }},
		}}
		v, _, err := c.Do(ctx, 0, func(ctx context.Context) (string, error) {
			time.Sleep(2 * time.Second)
			return "", ctx.Err()
		})
		if v != "local" || err != nil || ran {
			t.Errorf("%q, %v, remote %v", v, err, ran)
		}
	})
}

// Who gives up wants no other answer.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := fallback.Chain[string]{Rungs: []fallback.Rung[string]{gives("static")}}
	_, who, err := c.Do(ctx, 0, func(context.Context) (string, error) {
		cancel()
		return "", errDown
	})
	if !errors.Is(err, errDown) || who.Index != -1 {
		t.Errorf("%+v, %v", who, err)
	}
}

func TestShadowAndEvents(t *testing.T) {
	var events []string
	again := gives("again")
	again.Repeats = true
	c := fallback.Chain[string]{
		Name: "getPet", Rungs: []fallback.Rung[string]{again, fails("a"), gives("b")},
		OnEvent: func(_ context.Context, e fallback.Event) { events = append(events, e.Rung+" "+e.What.String()) },
	}
	if v, _, err := c.Do(t.Context(), 0, down); v != "b" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	if want := []string{"again skipped", "a failed", "b answered"}; !slices.Equal(events, want) {
		t.Errorf("events %v", events)
	}
	c.Mode, events = policy.Shadow, nil
	if _, _, err := c.Do(t.Context(), time.Second, down); !errors.Is(err, errDown) {
		t.Errorf("%v", err)
	}
	if want := []string{"again skipped", "a shadowed"}; !slices.Equal(events, want) {
		t.Errorf("events %v", events)
	}
	if c.Reserved(time.Hour) != 0 {
		t.Error("a shadow takes time from the call")
	}
}

// A result may be a failure, and is freed when a rung has answered in its place.
func TestJudge(t *testing.T) {
	var freed []string
	c := fallback.Chain[string]{
		Judge: func(v string) error {
			if v == "bad" {
				return errDown
			}
			return nil
		},
		Discard: func(v string) { freed = append(freed, v) },
	}
	bad := func(context.Context) (string, error) { return "bad", nil }
	if v, _, err := c.Do(t.Context(), 0, bad); v != "bad" || err != nil || freed != nil {
		t.Errorf("%q, %v, freed %v", v, err, freed)
	}
	c.Rungs = []fallback.Rung[string]{gives("good")}
	if v, _, err := c.Do(t.Context(), 0, bad); v != "good" || err != nil || !slices.Equal(freed, []string{"bad"}) {
		t.Errorf("%q, %v, freed %v", v, err, freed)
	}
}

func ExampleChain() {
	c := fallback.Chain[string]{
		Effect: policy.Read,
		Rungs: []fallback.Rung[string]{
			{Name: "replica", Repeats: true, Run: func(context.Context, error) (string, error) {
				return "", errors.New("down as well")
			}},
			{Name: "static", Local: true, Run: func(context.Context, error) (string, error) {
				return "yesterday's rates", nil
			}},
		},
	}
	rates, who, err := c.Do(context.Background(), 5*time.Second, func(context.Context) (string, error) {
		return "", errors.New("connection refused")
	})
	fmt.Println(rates, "from", who.Rung, "because of:", who.Cause, err)
	// Output: yesterday's rates from static because of: connection refused <nil>
}
