package gen

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// A demo's times are cut in copies: policies share their parts.
func TestHastenCutsTimesAndNothingElse(t *testing.T) {
	long := policy.Client{
		Timeout: &policy.Timeout{Connect: time.Second, Attempt: 10 * time.Second},
		Retry:   &policy.Retry{MaxAttempts: 4, BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second},
		Breaker: &policy.Breaker{FailureThreshold: 5, Recovery: 30 * time.Second, MaxRecovery: 5 * time.Minute},
	}
	shared := long
	api := &ir.API{Operations: []*ir.Operation{{Policy: ir.Policy{Client: shared}}, {}}}
	if !hasten(api) {
		t.Error("nothing was cut")
	}
	want := policy.Client{
		Timeout: &policy.Timeout{Connect: time.Second, Attempt: 400 * time.Millisecond, Total: 5 * time.Second},
		Retry:   &policy.Retry{MaxAttempts: 4, BaseDelay: 60 * time.Millisecond, MaxDelay: 300 * time.Millisecond},
		Breaker: &policy.Breaker{FailureThreshold: 5, Recovery: time.Second, MaxRecovery: 2 * time.Second},
	}
	if diff := cmp.Diff(want, api.Operations[0].Policy.Client); diff != "" {
		t.Error(diff)
	}
	if long.Timeout.Attempt != 10*time.Second || long.Retry.BaseDelay != 500*time.Millisecond || long.Breaker.Recovery != 30*time.Second {
		t.Error("the shared parts were changed")
	}
	if hasten(api) {
		t.Error("what is short already was cut again")
	}
	endless := &policy.Timeout{Attempt: 200 * time.Millisecond, Total: policy.None}
	api.Operations[0].Policy.Client = policy.Client{Timeout: endless}
	if hasten(api) || endless.Total != policy.None {
		t.Error("a call without a bound got one")
	}
}

// A demo's variants and profiles are as quick.
func TestHastenCutsVariantsAndProfiles(t *testing.T) {
	slow := func() policy.Client { return policy.Client{Timeout: &policy.Timeout{Attempt: time.Minute}} }
	api := &ir.API{Operations: []*ir.Operation{{Policy: ir.Policy{
		Variants: []policy.Variant{{Client: slow()}},
		Profiles: []policy.Profile{{Client: slow(), Variants: []policy.Variant{{Client: slow()}}}},
	}}}}
	if !hasten(api) {
		t.Error("nothing was cut")
	}
	p := api.Operations[0].Policy
	for i, c := range []policy.Client{p.Variants[0].Client, p.Profiles[0].Client, p.Profiles[0].Variants[0].Client} {
		if c.Timeout.Attempt != demoAttempt {
			t.Errorf("policy %d: attempt is %v", i, c.Timeout.Attempt)
		}
	}
}

// A demo has no program around it: what only one can give is taken out of copies.
func TestStandAlone(t *testing.T) {
	fallback := &policy.Fallback{Rungs: []policy.Rung{{Kind: policy.RungHandler, Name: "mine"}, {Kind: policy.RungEmpty}, {Kind: policy.RungSemanticCache}}}
	none := &policy.Fallback{Rungs: []policy.Rung{{Kind: policy.RungQueue, Name: "later"}}}
	key := &policy.Idempotency{Within: policy.WithinTransaction}
	api := &ir.API{Operations: []*ir.Operation{{Policy: ir.Policy{
		Client:   policy.Client{Fallback: fallback, Cache: &policy.Cache{Store: policy.CacheInRedis}},
		Server:   policy.Server{Idempotency: key},
		Profiles: []policy.Profile{{Client: policy.Client{Fallback: none}, Server: policy.Server{Idempotency: key}}},
	}}}}
	standAlone(api)
	p := api.Operations[0].Policy
	if diff := cmp.Diff([]policy.Rung{{Kind: policy.RungEmpty}}, p.Client.Fallback.Rungs); diff != "" {
		t.Error(diff)
	}
	if p.Client.Cache.Store != policy.CacheInMemory || p.Server.Idempotency.Within != policy.WithinLease {
		t.Errorf("store %v, within %v", p.Client.Cache.Store, p.Server.Idempotency.Within)
	}
	if f := p.Profiles[0]; f.Client.Fallback != nil || f.Server.Idempotency.Within != policy.WithinLease {
		t.Errorf("the profile has %v and %v", f.Client.Fallback, f.Server.Idempotency.Within)
	}
	if len(fallback.Rungs) != 3 || key.Within != policy.WithinTransaction {
		t.Error("the shared parts were changed")
	}
}
