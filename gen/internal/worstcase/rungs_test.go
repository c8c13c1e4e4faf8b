package worstcase_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/worstcase"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// The tries get the total less the reserves of the remote rungs; a rung's timeout
// takes the place of the reserve, and local rungs take no time.
func TestRungs(t *testing.T) {
	c := policy.Client{
		Effect: policy.Read, Timeout: timeout(3*time.Second, 10*time.Second), Retry: userFacing(),
		Fallback: &policy.Fallback{After: policy.AfterTimeout, Reserve: time.Second, Rungs: []policy.Rung{
			{Kind: policy.RungServer, Name: "eu", Timeout: 2 * time.Second},
			{Kind: policy.RungOperation, Name: "getOld"},
			{Kind: policy.RungStatic},
		}},
	}
	line := worstcase.Play(&c, false, worstcase.Hang, worstcase.Longest)
	// 3 + 0.5 + 3 fit the 7 that are left of 10
	if line.End != 6500*ms-1 || len(line.Attempts) != 2 {
		t.Errorf("%d tries until %v", len(line.Attempts), line.End)
	}
	want := []worstcase.Rung{
		{Kind: policy.RungServer, Name: "eu", Start: line.End, End: line.End + 2*time.Second},
		{Kind: policy.RungOperation, Name: "getOld", Start: line.End + 2*time.Second, End: line.End + 3*time.Second},
		{Kind: policy.RungStatic, Start: line.End + 3*time.Second, End: line.End + 3*time.Second},
	}
	if diff := cmp.Diff(want, worstcase.Rungs(&c, line)); diff != "" {
		t.Error(diff)
	}
	// A computed total has the reserves on top: 3 + 0.5 + 3, and 2 + 1.
	c.Timeout.Total = policy.Computed
	if got := worstcase.BoundOf(&c, false); got.Limit != 9500*ms || got.Hanging != 6500*ms-1 {
		t.Errorf("%+v", got)
	}
	if got := worstcase.LoadOf(&c); got.Requests != 2 || got.Rungs != 2 {
		t.Errorf("%+v", got)
	}
	// A write may have taken effect: it is not carried out once more elsewhere.
	c.Effect, c.Timeout.Total = policy.Write, 10*time.Second
	rungs := worstcase.Rungs(&c, worstcase.Play(&c, false, worstcase.Hang, worstcase.Longest))
	if !rungs[0].Skipped || !rungs[1].Skipped || rungs[2].Skipped || rungs[2].Start != 3*time.Second {
		t.Errorf("%+v", rungs)
	}
	c.Fallback.After = policy.AfterBreakerOpen
	if worstcase.Rungs(&c, line) != nil {
		t.Error("a fallback for other failures only")
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
