package retry_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"pgregory.net/rapid"
)

var userFacing = policy.Retry{
	MaxAttempts: 2, BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second,
	Statuses: policy.StatusSet(408, 425, 429, 500, 502, 503, 504),
	Never:    policy.StatusSet(405, 406, 428, 431, 501, 505).Range(410, 415),
	Errors:   policy.AllErrors, MaxRetryAfter: time.Minute,
}

func TestDelay(t *testing.T) {
	with := func(j policy.Jitter) *policy.Retry {
		p := userFacing
		p.Jitter = j
		return &p
	}
	const ms = time.Millisecond
	tests := []struct {
		jitter policy.Jitter
		n      int
		before time.Duration
		random float64
		want   time.Duration
	}{
		{policy.JitterFull, 1, 0, 0, 0},
		{policy.JitterFull, 1, 0, 0.5, 250 * ms},
		{policy.JitterFull, 2, 0, 0.5, 500 * ms},
		{policy.JitterFull, 9, 0, 0.5, 1000 * ms},
		{policy.JitterEqual, 1, 0, 0, 250 * ms},
		{policy.JitterEqual, 2, 0, 0.5, 750 * ms},
		{policy.JitterNone, 3, 0, 0.5, 2000 * ms},
		{policy.JitterDecorrelated, 1, 0, 0, 500 * ms},
		{policy.JitterDecorrelated, 1, 0, 0.5, 1000 * ms},
		{policy.JitterDecorrelated, 2, 1000 * ms, 0.2, 1000 * ms},
		{policy.JitterDecorrelated, 2, 1000 * ms, 0.9, 2000 * ms},
		{policy.JitterDecorrelated, 3, math.MaxInt64, 0.9, 2000 * ms},
	}
	for _, tt := range tests {
		if got := retry.Delay(with(tt.jitter), tt.n, tt.before, tt.random); got != tt.want {
			t.Errorf("%v, n=%d, before %v, random %v: %v, want %v", tt.jitter, tt.n, tt.before, tt.random, got, tt.want)
		}
	}
}

func TestDelayStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "base"))
		p := policy.Retry{
			BaseDelay: base, MaxDelay: time.Duration(rapid.Int64Range(int64(base), math.MaxInt64).Draw(t, "max")),
			Jitter: policy.Jitter(rapid.IntRange(0, 3).Draw(t, "jitter")),
		}
		n := rapid.IntRange(1, 100).Draw(t, "n")
		random := rapid.Float64Range(0, 0.999999999).Draw(t, "random")
		before := time.Duration(rapid.Int64Range(0, int64(p.MaxDelay)).Draw(t, "before"))
		d := retry.Delay(&p, n, before, random)
		if d < 0 || d > p.MaxDelay {
			t.Fatalf("%v is not within 0 to %v", d, p.MaxDelay)
		}
		if full := p.Backoff(n); p.Jitter == policy.JitterFull && full > 0 && d >= full {
			t.Fatalf("full jitter %v reaches %v", d, full)
		}
		hint := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "hint"))
		if got := retry.HintDelay(&p, n, hint, random); got < hint {
			t.Fatalf("hint %v became %v", hint, got)
		}
	})
}

func TestHintIsAFloor(t *testing.T) {
	if got := retry.HintDelay(&userFacing, 1, time.Second, 0); got != time.Second {
		t.Errorf("%v", got)
	}
	if got := retry.HintDelay(&userFacing, 1, time.Second, 0.5); got != 1250*time.Millisecond {
		t.Errorf("%v, want 1.25s", got)
	}
	none := userFacing
	none.Jitter = policy.JitterNone
	if got := retry.HintDelay(&none, 1, time.Second, 0.5); got != time.Second {
		t.Errorf("without jitter: %v", got)
	}
}

func TestRepeatable(t *testing.T) {
	p := &policy.Retry{}
	for _, effect := range []policy.Effect{policy.Read, policy.Idempotent} {
		if !retry.Repeatable(p, effect, false, false, false) {
			t.Errorf("%v is not repeated", effect)
		}
	}
	if retry.Repeatable(p, policy.Write, false, false, false) {
		t.Error("a bare write is repeated")
	}
	for i := range 3 {
		if !retry.Repeatable(p, policy.Write, i == 0, i == 1, i == 2) {
			t.Errorf("write, reason %d, is not repeated", i)
		}
	}
	if !retry.Repeatable(&policy.Retry{Safety: policy.SafetyAlways}, policy.Write, false, false, false) {
		t.Error("safety always")
	}
}

func TestDo(t *testing.T) {
	fail := errors.New("fail")
	p := policy.Retry{MaxAttempts: 3, BaseDelay: time.Second, MaxDelay: 10 * time.Second, Jitter: policy.JitterNone}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var at []time.Duration
		err := retry.Do(t.Context(), &p, nil, func(_ context.Context, attempt int) error {
			at = append(at, time.Since(begin))
			if attempt != len(at) {
				t.Errorf("attempt %d is numbered %d", len(at), attempt)
			}
			return fail
		})
		if !errors.Is(err, fail) || fmt.Sprint(at) != "[0s 1s 3s]" {
			t.Errorf("%v at %v, want tries at 0, 1 and 3 s", err, at)
		}

		// Attempts off by one: one try is one try.
		one := policy.Retry{MaxAttempts: 1, BaseDelay: time.Second, MaxDelay: time.Second}
		n := 0
		_ = retry.Do(t.Context(), &one, nil, func(context.Context, int) error { n++; return fail })
		if n != 1 {
			t.Errorf("%d tries for maxAttempts 1", n)
		}

		// A wait that does not fit the deadline is not begun.
		begin = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
		defer cancel()
		if err := retry.Do(ctx, &p, nil, func(context.Context, int) error { return fail }); err != fail || time.Since(begin) != 0 { //nolint:errorlint // Unwrapped is meant.
			t.Errorf("%v after %v", err, time.Since(begin))
		}

		// The sleep obeys the context.
		begin = time.Now()
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(400*time.Millisecond, cancel)
		err = retry.Do(ctx, &p, nil, func(context.Context, int) error { return fail })
		if !errors.Is(err, context.Canceled) || !errors.Is(err, fail) || time.Since(begin) != 400*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}

		// Permanent errors end it, without their mark.
		n = 0
		err = retry.Do(t.Context(), &p, nil, func(context.Context, int) error { n++; return retry.Permanent(fail) })
		if n != 1 || err != fail { //nolint:errorlint // Unwrapped is meant.
			t.Errorf("%d tries, %v", n, err)
		}
		err = retry.Do(t.Context(), &p, nil, func(context.Context, int) error { return fmt.Errorf("x: %w", retry.Permanent(fail)) })
		if !errors.Is(err, fail) {
			t.Errorf("%v", err)
		}
		if retry.Permanent(nil) != nil {
			t.Error("Permanent(nil)")
		}

		// An empty budget leaves the last real error.
		n = 0
		budget := retry.NewBudget(policy.Budget{Window: 10 * time.Second}, time.Now())
		err = retry.Do(t.Context(), &p, budget, func(context.Context, int) error { n++; return fail })
		if n != 1 || !errors.Is(err, fail) {
			t.Errorf("empty budget: %d tries, %v", n, err)
		}
	})
}

// Any function can be repeated; the caller answers for its being harmless.
func ExampleDo() {
	p := policy.Retry{MaxAttempts: 3, BaseDelay: time.Millisecond, MaxDelay: time.Second}
	err := retry.Do(context.Background(), &p, nil, func(_ context.Context, attempt int) error {
		fmt.Println("try", attempt)
		if attempt < 3 {
			return errors.New("busy")
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// try 1
	// try 2
	// try 3
	// <nil>
}
