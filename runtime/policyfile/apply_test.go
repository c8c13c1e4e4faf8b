package policyfile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

// getPet is an operation with the numbers of the built-in policy, and a server that
// limits it.
func getPet() *policy.Spec {
	return &policy.Spec{
		ID: "getPet", Method: "GET", Path: "/pets/{petId}", Dependency: "pets",
		Client: policy.Client{
			Effect:   policy.Read,
			Timeout:  &policy.Timeout{Connect: 5 * time.Second, Attempt: 10 * time.Second, Idle: 30 * time.Second, Floor: 5 * time.Millisecond, Share: 1},
			Deadline: &policy.Deadline{Propagate: true, Reserve: 20 * time.Millisecond},
			Retry: &policy.Retry{
				MaxAttempts: 2, BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second, MaxRetryAfter: time.Minute,
				Statuses: policy.StatusSet(408, 425, 429, 500, 502, 503, 504), Never: policy.StatusSet(501), Errors: policy.AllErrors,
				Rules:  []policy.RetryRule{{Name: "busy", Statuses: policy.StatusSet(529)}},
				Budget: &policy.Budget{Ratio: 0.2, MinPerSecond: 10, Window: 10 * time.Second},
			},
			Breaker: &policy.Breaker{
				Window: policy.Window{Count: 10}, FailureThreshold: 5, MinTime: time.Second, SlowCall: 10 * time.Second,
				Recovery: 30 * time.Second, Backoff: 1, MaxRecovery: 5 * time.Minute, Probes: 2,
			},
			Bulkhead: &policy.Bulkhead{MaxConcurrent: 128, Queue: 128, Timeout: time.Second},
			Hedge:    &policy.Hedge{Delay: time.Second, Max: 1},
			Stream:   &policy.Stream{First: 30 * time.Second, Error: "/error"},
			Cache:    &policy.Cache{MaxAge: time.Minute, MaxBytes: 1 << 20},
			Fallback: &policy.Fallback{Rungs: []policy.Rung{{Kind: policy.RungEmpty}}, Reserve: time.Second},
		},
		Server: policy.Server{
			Timeout:  &policy.ServerTimeout{Handler: 30 * time.Second, Idle: 30 * time.Second},
			Deadline: &policy.Deadline{Trust: true},
			RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{{
				Limit: 100, Per: 10 * time.Second, Burst: 100, Cost: 1,
			}}},
			Lock: &policy.Lock{Keys: []policy.Template{{}}, TTL: 30 * time.Second, Wait: 5 * time.Second},
			Shed: &policy.Shed{Target: 5 * time.Millisecond},
		},
	}
}

func createPet() *policy.Spec {
	s := getPet()
	s.ID, s.Method, s.Path = "createPet", "POST", "/pets"
	s.Client.Effect, s.Client.Hedge, s.Client.Cache = policy.Write, nil, nil
	s.Client.Idempotency = &policy.Idempotency{Header: "Idempotency-Key"}
	s.Server.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", TTL: 24 * time.Hour, Lease: 35 * time.Second, MaxBody: 1 << 20}
	s.Server.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Name: "writes", Limit: 10, Per: time.Second, Burst: 10, Cost: 1}}}
	return s
}

// apply lays a file over operations.
func apply(t *testing.T, text, profile string, specs ...*policy.Spec) ([]*policy.Spec, error) {
	t.Helper()
	f, err := policyfile.Parse("p.json", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f.Apply(specs, profile)
}

func TestApplyChangesWhatIsWritten(t *testing.T) {
	tests := map[string]struct {
		all    string
		change func(*policy.Spec)
	}{
		"a duration is attempt": {`"timeout": "2s"`, func(s *policy.Spec) { s.Client.Timeout.Attempt = 2 * time.Second }},
		"bounds of a client": {`"timeout": {"connect": "1s", "total": "9s", "floor": "1ms", "share": 0.5, "adaptive": true, "ceiling": "8s"}`, func(s *policy.Spec) {
			*s.Client.Timeout = policy.Timeout{Connect: time.Second, Attempt: 10 * time.Second, Total: 9 * time.Second, Idle: 30 * time.Second, Floor: time.Millisecond, Share: 0.5, Adaptive: true, Ceiling: 8 * time.Second, Headroom: 1.2}
		}},
		"no total":               {`"timeout": {"total": "none"}`, func(s *policy.Spec) { s.Client.Timeout.Total = policy.None }},
		"measured":               {`"timeout": {"p999": "5s"}`, func(s *policy.Spec) { s.Client.Timeout.Attempt = 6 * time.Second }},
		"measured with headroom": {`"timeout": {"p999": "2s", "headroom": 2}`, func(s *policy.Spec) { s.Client.Timeout.Attempt = 4 * time.Second }},
		"a server's timeout": {`"timeout": {"server": "20s", "idle": "5s"}`, func(s *policy.Spec) {
			s.Server.Timeout.Handler = 20 * time.Second
			s.Server.Timeout.Idle = 5 * time.Second
			s.Client.Timeout.Idle = 5 * time.Second
		}},
		"slowCall goes along": {`"timeout": "1m"`, func(s *policy.Spec) { s.Client.Timeout.Attempt = time.Minute; s.Client.Breaker.SlowCall = time.Minute }},
		"slowCall as written": {`"timeout": "1m", "breaker": {"slowCall": "10s"}`, func(s *policy.Spec) { s.Client.Timeout.Attempt = time.Minute }},
		"modes of both sides": {`"timeout": {"mode": "shadow"}`, func(s *policy.Spec) { s.Client.Timeout.Mode = policy.Shadow; s.Server.Timeout.Mode = policy.Shadow }},
		"off": {`"retry": false, "hedge": {"mode": "off"}, "breaker": {"enabled": false}, "fallback": "off", "cache": {"mode": false}`, func(s *policy.Spec) {
			s.Client.Retry, s.Client.Hedge, s.Client.Breaker, s.Client.Fallback, s.Client.Cache = nil, nil, nil, nil, nil
		}},
		"off on one side":         {`"client": {"deadline": false}`, func(s *policy.Spec) { s.Client.Deadline = nil }},
		"on is no change":         {`"retry": true, "breaker": {}, "server": {"lock": true}`, func(*policy.Spec) {}},
		"a block beats its level": {`"timeout": {"attempt": "2s"}, "client": {"timeout": {"attempt": "3s"}}`, func(s *policy.Spec) { s.Client.Timeout.Attempt = 3 * time.Second }},
		"retry": {`"retry": {"maxAttempts": 4, "baseDelay": "0s", "maxDelay": "1s", "jitter": "none", "statuses": ["5xx"], "never": [500], "errors": ["connect", "eof"], "rules": {"busy": {"wait": "3s"}}, "maxRetryAfter": "5s", "planRetryAfter": true, "budget": {"ratio": 0.5}}`, func(s *policy.Spec) {
			r := s.Client.Retry
			r.MaxAttempts, r.BaseDelay, r.MaxDelay, r.Jitter = 4, 0, time.Second, policy.JitterNone
			r.Statuses, r.Never = policy.Statuses{}.Range(500, 599), policy.StatusSet(500)
			r.Errors, r.Rules[0].Wait = policy.ConnectErrors|policy.EOFErrors, 3*time.Second
			r.MaxRetryAfter, r.PlanRetryAfter, r.Budget.Ratio = 5*time.Second, true, 0.5
		}},
		"no budget":  {`"retry": {"budget": false}`, func(s *policy.Spec) { s.Client.Retry.Budget = nil }},
		"a quantile": {`"hedge": {"delay": "p999", "max": 2}`, func(s *policy.Spec) { *s.Client.Hedge = policy.Hedge{Quantile: 0.999, Max: 2} }},
		"a stream": {`"stream": {"first": "5s", "mode": "shadow"}`, func(s *policy.Spec) {
			*s.Client.Stream = policy.Stream{Mode: policy.Shadow, First: 5 * time.Second, Error: "/error"}
		}},
		"a ratio": {`"breaker": {"window": {"time": "10s"}, "failureRate": 0.5}`, func(s *policy.Spec) {
			s.Client.Breaker.Window = policy.Window{Time: 10 * time.Second}
			s.Client.Breaker.FailureRate, s.Client.Breaker.MinCalls = 0.5, 20
		}},
		"a breaker": {`"breaker": {"window": {"count": 20}, "failureThreshold": 7, "minTime": "0s", "slowCall": "5s", "recovery": "10s", "backoff": 2, "maxRecovery": "1m", "probes": 3}`, func(s *policy.Spec) {
			*s.Client.Breaker = policy.Breaker{Window: policy.Window{Count: 20}, FailureThreshold: 7, SlowCall: 5 * time.Second, Recovery: 10 * time.Second, Backoff: 2, MaxRecovery: time.Minute, Probes: 3}
		}},
		"a bulkhead": {`"bulkhead": {"maxConcurrent": 8, "queue": 0, "timeout": "10ms", "hold": "1s", "onFull": "abort", "adaptive": true}`, func(s *policy.Spec) {
			*s.Client.Bulkhead = policy.Bulkhead{MaxConcurrent: 8, Timeout: 10 * time.Millisecond, Hold: time.Second, OnFull: policy.OnFullAbort, Adaptive: true}
		}},
		"a cache": {`"cache": {"maxAge": "0s", "staleWhileRevalidate": "5m", "staleIfError": "1h", "maxBytes": "2KiB"}`, func(s *policy.Spec) {
			*s.Client.Cache = policy.Cache{StaleWhileRevalidate: 5 * time.Minute, StaleIfError: time.Hour, MaxBytes: 2048}
		}},
		"a fallback": {`"fallback": {"reserve": "2s"}`, func(s *policy.Spec) { s.Client.Fallback.Reserve = 2 * time.Second }},
		"a limit": {`"rateLimit": {"limit": 50, "cost": 2, "refund": [304]}`, func(s *policy.Spec) {
			b := &s.Server.RateLimit.Buckets[0]
			b.Limit, b.Burst, b.Cost, b.Refund = 50, 50, 2, policy.StatusSet(304)
		}},
		"a burst": {`"rateLimit": {"limit": 50, "burst": 5, "per": "1s"}`, func(s *policy.Spec) {
			b := &s.Server.RateLimit.Buckets[0]
			b.Limit, b.Burst, b.Per = 50, 5, time.Second
		}},
		"a lock": {`"lock": {"expected": "30s", "wait": "0s"}`, func(s *policy.Spec) {
			s.Server.Lock.TTL, s.Server.Lock.Heartbeat, s.Server.Lock.Wait = 3*time.Minute, time.Minute, 0
		}},
		"shedding": {`"shed": {"target": "9ms", "maxInflight": 100, "adaptive": true}`, func(s *policy.Spec) {
			*s.Server.Shed = policy.Shed{Target: 9 * time.Millisecond, MaxInflight: 100, Adaptive: true}
		}},
		"criticality":                      {`"criticality": "optional"`, func(s *policy.Spec) { s.Client.Criticality = policy.Optional }},
		"what is not there is passed over": {`"idempotency": {"ttl": "48h"}, "client": {"rateLimit": {"limit": 5}}, "retry": {"shrink": {"factor": 0.5}, "rules": {"other": {"wait": "1s"}}}, "rateLimit": {"buckets": {"other": {"limit": 1}}}`, func(*policy.Spec) {}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, want := getPet(), getPet()
			test.change(want)
			got, err := apply(t, `{"version": 1, "all": {`+test.all+`}}`, "", before)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got[0]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(getPet(), before); diff != "" {
				t.Errorf("the generated policy was changed:\n%s", diff)
			}
		})
	}
}

func TestApplyOrder(t *testing.T) {
	text := `{"version": 1,
		"all": {"retry": {"maxAttempts": 3, "maxDelay": "3s"}},
		"operations": {"getPet": {"retry": {"maxAttempts": 4}}},
		"profiles": {
			"prod": {"all": {"retry": {"maxAttempts": 5}}, "operations": {"createPet": {"retry": {"maxAttempts": 6}}}},
			"dev": {"all": {"retry": false}}}}`
	for profile, want := range map[string][2]int{"": {4, 3}, "prod": {5, 6}, "other": {4, 3}} {
		got, err := apply(t, text, profile, getPet(), createPet())
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range got {
			if s.Client.Retry.MaxAttempts != want[i] || s.Client.Retry.MaxDelay != 3*time.Second {
				t.Errorf("profile %q: %s makes %d tries, want %d", profile, s.ID, s.Client.Retry.MaxAttempts, want[i])
			}
		}
	}
	got, err := apply(t, text, "dev", getPet())
	if err == nil || !strings.Contains(err.Error(), `/profiles/prod/operations/createPet: there is no such operation`) {
		t.Errorf("%v, %v", got, err)
	}
}

// A name that means nothing in the language means nothing here, even where an operation,
// a profile, a bucket or a rule is called so: what stands under it is not checked.
func TestFreeNamesMeanNothing(t *testing.T) {
	s := getPet()
	s.ID = "x-op"
	s.Client.Retry.Rules[0].Name = "description"
	s.Server.RateLimit.Buckets[0].Name = "x-bucket"
	const text = `{"version": 1, "operations": {"x-op": {"retry": {"maxAttempts": 99}}}, "profiles": {"x-p": {"all": 5}},
		"all": {"retry": {"rules": {"description": {"wait": 5}}}, "rateLimit": {"buckets": {"x-bucket": 7}}}}`
	got, err := apply(t, text, "x-p", s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, got[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a file turns off and a stronger level of it names again is as it was generated.
func TestOffAndOnAgain(t *testing.T) {
	got, err := apply(t, `{"version": 1, "all": {"retry": false}, "operations": {"getPet": {"retry": {"maxAttempts": 3}}}}`, "", getPet(), createPet())
	if err != nil {
		t.Fatal(err)
	}
	want := getPet().Client.Retry
	want.MaxAttempts = 3
	if diff := cmp.Diff(want, got[0].Client.Retry); diff != "" || got[1].Client.Retry != nil {
		t.Errorf("%s%v", diff, got[1].Client.Retry)
	}
}

func TestApplyReachesVariants(t *testing.T) {
	s := getPet()
	streamed := getPet()
	streamed.Client.Timeout.Attempt = time.Hour
	streamed.Client.Retry = nil
	s.Variants = []policy.Variant{{Name: "stream", Client: streamed.Client, Server: &streamed.Server}, {Name: "plain", Client: getPet().Client}}
	got, err := apply(t, `{"version": 1, "operations": {"getPet": {"timeout": {"idle": "9s"}, "retry": {"maxAttempts": 3}, "lock": {"wait": "1s"}}}}`, "", s)
	if err != nil {
		t.Fatal(err)
	}
	v := got[0].Variants
	if v[0].Client.Timeout.Idle != 9*time.Second || v[0].Client.Timeout.Attempt != time.Hour || v[0].Client.Retry != nil || v[0].Server.Lock.Wait != time.Second {
		t.Errorf("%+v", v[0])
	}
	if v[1].Client.Retry.MaxAttempts != 3 || v[1].Server != nil {
		t.Errorf("%+v", v[1])
	}
	if s.Variants[0].Client.Timeout.Idle != 30*time.Second || s.Variants[0].Server.Lock.Wait != 5*time.Second {
		t.Error("the generated variants were changed")
	}
}

func TestApplyRefuses(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"an unknown operation": {
			`{"version": 1, "operations": {"getPets": {}}}`,
			`p.json:1:31: /operations/getPets: there is no such operation: did you mean getPet?`,
		},
		"what the operation does not have": {
			`{"version": 1, "operations": {"createPet": {"hedge": {"max": 1}, "cache": true}, "getPet": {"client": {"rateLimit": {"limit": 1}}, "retry": {"shrink": {"factor": 0.5}, "rules": {"bussy": {"wait": "1s"}}}}}}`,
			`p.json:1:45: /operations/createPet/hedge: the operation has no hedge: a policy file changes what is there
p.json:1:66: /operations/createPet/cache: the operation has no cache: a policy file changes what is there
p.json:1:104: /operations/getPet/client/rateLimit: the operation has no rateLimit: a policy file changes what is there
p.json:1:152: /operations/getPet/retry/shrink: the operation has no shrink: a policy file changes what is there
p.json:1:179: /operations/getPet/retry/rules/bussy: the operation has no such rule: did you mean busy?`,
		},
		"limits with names": {
			`{"version": 1, "operations": {"createPet": {"rateLimit": {"limit": 1}}, "getPet": {"rateLimit": {"buckets": {"writes": {"limit": 5}}}}}}`,
			`p.json:1:59: /operations/createPet/rateLimit/limit: the operation's limits have names: write buckets
p.json:1:110: /operations/getPet/rateLimit/buckets/writes: the operation has no such bucket`,
		},
		"values that do not fit the rest": {
			`{"version": 1, "operations": {"getPet": {"client": {"retry": {"maxDelay": "100ms"}}, "rateLimit": {"cost": 101}}}}`,
			`p.json:1:75: /operations/getPet/client/retry/maxDelay: client.retry.maxDelay of getPet: 100ms is below baseDelay 500ms
p.json:1:108: /operations/getPet/rateLimit/cost: server.rateLimit.cost of getPet: 101 is above burst 100 and could never be paid`,
		},
		"one place for all operations": {
			`{"version": 1, "all": {"client": {"timeout": {"attempt": "20ms"}}}}`,
			`p.json:1:58: /all/client/timeout/attempt: client.timeout.attempt of getPet and 1 other: it is less than a try needs to begin, its floor and the deadline's reserve: no call would be made`,
		},
		"a status that is never retried": {
			`{"version": 1, "operations": {"getPet": {"retry": {"statuses": [503, 501, 404]}}}}`,
			`p.json:1:70: /operations/getPet/retry/statuses: 501 is in never, which holds
p.json:1:75: /operations/getPet/retry/statuses: 404 is in never, which holds`,
		},
		"a lease under the timeout": {
			`{"version": 1, "operations": {"createPet": {"timeout": {"server": "60s"}}}}`,
			`p.json:1:44: /operations/createPet: server.idempotency.lease of createPet: it is under timeout.server, so that a second call would start while the first still works`,
		},
		"a breaker that is shared": {
			`{"version": 1, "operations": {"getPet": {"breaker": {"failureThreshold": 3}}}}`,
			`p.json:1:53: /operations/getPet/breaker: operations share the breaker pets and have to agree about it: write it for all of them alike`,
		},
		"a budget that is shared": {
			`{"version": 1, "operations": {"getPet": {"retry": {"budget": {"ratio": 0.5}}}}}`,
			`p.json:1:62: /operations/getPet/retry/budget: operations share the retry budget pets and have to agree about it: write it for all of them alike`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := apply(t, test.text, "", getPet(), createPet())
			if err == nil {
				t.Fatal("it is taken")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What the language lets differ may differ, and what all change alike agrees.
func TestSharedInstancesMayBeChangedAlike(t *testing.T) {
	for _, text := range []string{
		`{"version": 1, "all": {"breaker": {"failureThreshold": 3}, "bulkhead": {"maxConcurrent": 9}, "retry": {"budget": {"ratio": 0.5}}, "shed": {"target": "1ms"}}}`,
		`{"version": 1, "operations": {"getPet": {"breaker": {"slowCall": "3s"}, "bulkhead": {"timeout": "5s", "hold": "9s"}}}}`,
		`{"version": 1, "operations": {"getPet": {"breaker": {"probes": 3}}, "createPet": {"breaker": {"probes": 3}}}}`,
		`{"version": 1, "operations": {"getPet": {"breaker": false}}}`,
		`{"version": 1, "operations": {"createPet": {"rateLimit": {"buckets": {"writes": {"limit": 5}}}}}}`,
	} {
		if _, err := apply(t, text, "", getPet(), createPet()); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

func TestOff(t *testing.T) {
	off, err := policyfile.ParseOff(" breaker,hedge,, breaker,lock ")
	if err != nil || off.String() != "breaker,hedge,lock" {
		t.Fatalf("%v, %v", off, err)
	}
	before, want := getPet(), getPet()
	want.Client.Breaker, want.Client.Hedge, want.Server.Lock = nil, nil, nil
	if diff := cmp.Diff(want, off.Apply(before)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(getPet(), before); diff != "" {
		t.Errorf("the generated policy was changed:\n%s", diff)
	}
	if none, err := policyfile.ParseOff(""); err != nil || none.Apply(before) != before {
		t.Errorf("nothing switches something off: %v", err)
	}
	_, err = policyfile.ParseOff("braker")
	const message = `HOLDFAST_OFF: there is no primitive "braker": did you mean breaker? there are breaker, bulkhead, cache, concurrency, deadline, fallback, hedge, idempotency, lock, rateLimit, retry, shed, stream, timeout`
	if err == nil || err.Error() != message {
		t.Errorf("%v", err)
	}
}
