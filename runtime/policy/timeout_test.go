package policy_test

import (
	"math"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// The numbers are worked out by hand from
// min(max(5m, A), N*A + sum(n=1..N-1) min(maxDelay, baseDelay*2^(n-1)) + reserves).
func TestComputedTotal(t *testing.T) {
	userFacing := &policy.Retry{MaxAttempts: 2, BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second}
	background := &policy.Retry{MaxAttempts: 5, BaseDelay: 2 * time.Second, MaxDelay: 60 * time.Second}
	limited := &policy.Retry{
		MaxAttempts: 3, BaseDelay: 2 * time.Second, MaxDelay: 120 * time.Second,
		MaxRetryAfter: 120 * time.Second, PlanRetryAfter: true,
	}
	capped := &policy.Retry{MaxAttempts: 5, BaseDelay: time.Second, MaxDelay: 3 * time.Second}
	tests := []struct {
		name     string
		attempt  time.Duration
		retry    *policy.Retry
		reserves []time.Duration
		want     time.Duration
	}{
		{"one try without retry", 10 * time.Second, nil, nil, 10 * time.Second},
		{"zero attempts is one try", 10 * time.Second, &policy.Retry{BaseDelay: time.Second, MaxDelay: time.Second}, nil, 10 * time.Second},
		// 2*10 + 0.5
		{"user-facing", 10 * time.Second, userFacing, nil, 20500 * time.Millisecond},
		// 5*10 + 2 + 4 + 8 + 16
		{"background", 10 * time.Second, background, nil, 80 * time.Second},
		// 5*1 + 1 + 2 + 3 + 3
		{"maxDelay caps the waits", time.Second, capped, nil, 14 * time.Second},
		// 2*10 + 0.5 + 60 + 1
		{"reserves are added", 10 * time.Second, userFacing, []time.Duration{time.Minute, time.Second}, 81500 * time.Millisecond},
		// 3*10 + 120 + 120
		{"planned hints", 10 * time.Second, limited, nil, 270 * time.Second},
		// 2*200 + 0.5 is above five minutes
		{"five minutes at most", 200 * time.Second, userFacing, nil, 5 * time.Minute},
		{"but never under one attempt", 10 * time.Minute, userFacing, nil, 10 * time.Minute},
		{"saturates", math.MaxInt64, userFacing, nil, math.MaxInt64},
		{"no attempt timeout, nothing to compute", 0, userFacing, nil, policy.None},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := policy.Timeout{Attempt: tt.attempt}.ComputedTotal(tt.retry, tt.reserves...)
			if got != tt.want {
				t.Errorf("ComputedTotal = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestEffectiveTotal(t *testing.T) {
	retry := &policy.Retry{MaxAttempts: 2, BaseDelay: time.Second, MaxDelay: time.Second}
	for _, tt := range []struct{ total, want time.Duration }{
		{policy.Computed, 3 * time.Second},
		{policy.None, policy.None},
		{7 * time.Second, 7 * time.Second},
	} {
		got := policy.Timeout{Attempt: time.Second, Total: tt.total}.EffectiveTotal(retry)
		if got != tt.want {
			t.Errorf("total %v: %v, want %v", tt.total, got, tt.want)
		}
	}
}

func TestBackoffSaturates(t *testing.T) {
	r := &policy.Retry{BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second}
	want := []time.Duration{0, 500 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second}
	for n, d := range want {
		if got := r.Backoff(n); got != d {
			t.Errorf("Backoff(%d) = %v, want %v", n, got, d)
		}
	}
	big := &policy.Retry{BaseDelay: 3, MaxDelay: math.MaxInt64}
	for _, n := range []int{61, 62, 63, 64, 1000, math.MaxInt} {
		if got := big.Backoff(n); got <= 0 {
			t.Errorf("Backoff(%d) = %v wrapped", n, got)
		}
	}
	if got := (&policy.Retry{MaxDelay: time.Second}).Backoff(3); got != 0 {
		t.Errorf("no base delay: %v, want 0", got)
	}
}
