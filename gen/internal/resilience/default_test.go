package resilience_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// The built-in policy, by section 7 of the language and the defaults of fields of
// section 6, written out by hand.

const oneGet = "paths:\n  /a:\n    get: {operationId: a, responses: {'204': {description: ok}}}\n"

func defaultTimeout() *policy.Timeout {
	return &policy.Timeout{
		Connect: 5 * time.Second, Attempt: 10 * time.Second, Idle: 30 * time.Second,
		Floor: 5 * time.Millisecond, Share: 1,
	}
}

func defaultRetry() *policy.Retry {
	return &policy.Retry{
		MaxAttempts: 2, BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second,
		Statuses:      policy.StatusSet(408, 425, 429, 500, 502, 503, 504),
		Never:         policy.StatusSet(405, 406, 410, 411, 412, 413, 414, 415, 428, 431, 501, 505),
		Errors:        policy.AllErrors,
		MaxRetryAfter: 60 * time.Second,
		Budget:        &policy.Budget{Ratio: 0.2, MinPerSecond: 10, Window: 10 * time.Second},
	}
}

func defaultBreaker() *policy.Breaker {
	return &policy.Breaker{
		Window: policy.Window{Count: 10}, FailureThreshold: 5, MinTime: time.Second,
		SlowCall: 10 * time.Second, Recovery: 30 * time.Second, Backoff: 1, MaxRecovery: 5 * time.Minute, Probes: 2,
	}
}

func defaultBulkhead() *policy.Bulkhead {
	return &policy.Bulkhead{MaxConcurrent: 128, Queue: 128, Timeout: time.Second}
}

func defaultClient() policy.Client {
	return policy.Client{
		Effect: policy.Read, Timeout: defaultTimeout(),
		Deadline: &policy.Deadline{Propagate: true, Reserve: 20 * time.Millisecond},
		Retry:    defaultRetry(), Breaker: defaultBreaker(), Bulkhead: defaultBulkhead(),
	}
}

func defaultServer() policy.Server {
	return policy.Server{
		Timeout:  &policy.ServerTimeout{Handler: 30 * time.Second, Idle: 30 * time.Second},
		Deadline: &policy.Deadline{Trust: true},
	}
}

func TestNothingIsWritten(t *testing.T) {
	got := applyText(t, oneGet).clean()
	p := got.op("a").Policy
	if d := cmp.Diff(defaultClient(), p.Client); d != "" {
		t.Errorf("client (-want +got):\n%s", d)
	}
	if d := cmp.Diff(defaultServer(), p.Server); d != "" {
		t.Errorf("server (-want +got):\n%s", d)
	}
	if got.api.Dependency != "train-travel" || got.api.External || got.api.Replicas != 1 || p.Dependency != "train-travel" {
		t.Errorf("dependency %q, external %t, replicas %d", got.api.Dependency, got.api.External, got.api.Replicas)
	}
	if len(p.Sources) != 0 {
		t.Errorf("sources %q", p.Sources)
	}
}

func TestExternalWithoutMore(t *testing.T) {
	got := applyText(t, "x-resilience: {version: 1, external: true}\n"+oneGet).clean()
	p := got.op("a").Policy
	want := defaultClient()
	want.Deadline = nil // no deadline headers
	if d := cmp.Diff(want, p.Client); d != "" {
		t.Errorf("client (-want +got):\n%s", d)
	}
	if d := cmp.Diff(policy.Server{}, p.Server); d != "" {
		t.Errorf("server (-want +got):\n%s", d)
	}
}
