package policy_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// call has two values.
type call map[policy.Expr]policy.Value

func (c call) Lookup(e policy.Expr) (policy.Value, bool) {
	v, ok := c[e]
	return v, ok
}

func TestTemplates(t *testing.T) {
	values := call{
		{Source: policy.FromBody, Name: "/from"}: {Text: `"a\"b"`, JSON: true},
		{Source: policy.FromPath, Name: "id"}:    {Text: "7"},
	}
	for text, want := range map[string]string{
		"account/{$request.body#/from}":          `account/a"b`,
		"{$request.path.id}":                     "7",
		"a{$request.path.id}-{$request.path.id}": "a7-7",
		"plain":                                  "plain",
	} {
		template, err := policy.ParseTemplate(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := template.String(); got != text {
			t.Errorf("%s is written %s", text, got)
		}
		if got, ok := template.Expand(values); !ok || got != want {
			t.Errorf("%s: %q, %t, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"{", "}", "a{$request.path.id", "{}", "{id}", "{$nope}", "{$request.path.id}}", "{{$request.path.id}}"} {
		if template, err := policy.ParseTemplate(text); err == nil {
			t.Errorf("%s is read as %v", text, template)
		}
	}
	missing, err := policy.ParseTemplate("a{$request.query.q}")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := missing.Expand(values); ok {
		t.Errorf("a missing value gives %q", got)
	}
	if zero, err := policy.ParseTemplate(""); err != nil || !zero.IsZero() || zero.String() != "" {
		t.Errorf("%v, %v", zero, err)
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"a/{$request.body#/from}", "{", "}{", "{$ip}{$url}", "ä{$request.body#/~0}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		template, err := policy.ParseTemplate(text)
		if err != nil {
			return
		}
		again, err := policy.ParseTemplate(template.String())
		if err != nil || again.String() != template.String() {
			t.Errorf("%q is written %q: %v", text, template.String(), err)
		}
	})
}

// Section 6 of the language: under 1s 5s, to 10s 30s, to 60s 3m with heartbeat, more 5m
// with heartbeat.
func TestLockTimes(t *testing.T) {
	for _, tt := range []struct {
		expected, ttl time.Duration
		heartbeat     bool
	}{
		{0, 5 * time.Second, false}, {999 * time.Millisecond, 5 * time.Second, false}, {time.Second, 30 * time.Second, false},
		{10 * time.Second, 30 * time.Second, false}, {11 * time.Second, 3 * time.Minute, true}, {time.Minute, 3 * time.Minute, true},
		{time.Minute + 1, 5 * time.Minute, true}, {time.Hour, 5 * time.Minute, true},
	} {
		ttl, heartbeat := policy.LockTimes(tt.expected)
		if ttl != tt.ttl || (heartbeat > 0) != tt.heartbeat || heartbeat*3 > ttl {
			t.Errorf("%v: %v and %v, want %v and a heartbeat %t", tt.expected, ttl, heartbeat, tt.ttl, tt.heartbeat)
		}
	}
}

// Remote rungs take time from the call, each its own timeout or the reserve.
func TestReserves(t *testing.T) {
	f := &policy.Fallback{Reserve: time.Second, Rungs: []policy.Rung{
		{Kind: policy.RungCache}, {Kind: policy.RungServer, Timeout: 3 * time.Second}, {Kind: policy.RungStatic}, {Kind: policy.RungHandler},
		{Kind: policy.RungEmpty}, {Kind: policy.RungQueue}, {Kind: policy.RungOperation}, {Kind: policy.RungSemanticCache},
	}}
	if got, want := f.Reserves(), []time.Duration{3 * time.Second, time.Second, time.Second, time.Second}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	f.Mode = policy.Shadow
	if got := f.Reserves(); got != nil {
		t.Errorf("a fallback that is only watched reserves %v", got)
	}
	if got := (*policy.Fallback)(nil).Reserves(); got != nil {
		t.Errorf("no fallback reserves %v", got)
	}
	var repeats []string
	for k := policy.RungServer; k <= policy.RungQueue; k++ {
		if k.Repeats() {
			repeats = append(repeats, k.String())
		}
	}
	if got := strings.Join(repeats, " "); got != "server operation queue" {
		t.Errorf("%s carry out the effect once more", got)
	}
}

func TestPlans(t *testing.T) {
	p := policy.Plan{Tiers: []policy.PlanTier{{Plan: "gold", Rate: policy.Rate{Limit: 9}}, {Plan: "open"}}, Else: policy.Rate{Limit: 1}}
	for plan, want := range map[string]int{"gold": 9, "open": 0, "": 1, "Gold": 1} {
		if got := p.RateOf(plan).Limit; got != want {
			t.Errorf("%q has %d, want %d", plan, got, want)
		}
	}
}

func TestSetsInWords(t *testing.T) {
	if got := (policy.AfterConnect | policy.AfterRateLimited).String(); got != "connect, rate-limited" {
		t.Error(got)
	}
	if policy.FailureSet(0).Has(0) || !(policy.AfterConnect | policy.AfterTimeout).Has(policy.AfterTimeout) {
		t.Error("Has")
	}
	if got := (policy.Expr{Source: policy.FromFunc, Name: "f"}).String(); got != "func f" {
		t.Error(got)
	}
}

// What is out of range is named by its path in the language.
func TestCheckPrimitives(t *testing.T) {
	limited := func(b policy.Bucket) *policy.Spec {
		return &policy.Spec{Server: policy.Server{RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{b}}}}
	}
	client := func(c policy.Client) *policy.Spec { return &policy.Spec{Client: c} }
	server := func(s policy.Server) *policy.Spec { return &policy.Spec{Server: s} }
	key := []policy.Template{{Parts: []policy.TemplatePart{{Text: "a"}}}}
	for _, tt := range []struct {
		spec *policy.Spec
		want string // fields, sorted; empty for none
	}{
		{client(policy.Client{Stream: &policy.Stream{First: time.Second, Error: "/error", Resume: &policy.StreamResume{
			Param: policy.Expr{Source: policy.FromQuery, Name: "after"}, From: policy.Expr{Source: policy.FromResponseBody, Name: "/id"},
		}}}), ""},
		{client(policy.Client{Stream: &policy.Stream{Resume: &policy.StreamResume{Param: policy.Expr{Source: policy.FromHeader, Name: "last-event-id"}}}}), ""},
		{client(policy.Client{Stream: &policy.Stream{First: -1, Error: "error"}}), "client.stream.error.pointer client.stream.first"},
		{client(policy.Client{Stream: &policy.Stream{Resume: &policy.StreamResume{}}}), "client.stream.resume.from client.stream.resume.param"},
		{client(policy.Client{Stream: &policy.Stream{Resume: &policy.StreamResume{
			Param: policy.Expr{Source: policy.FromHeader, Name: "X-After"}, From: policy.Expr{Source: policy.FromResponseHeader, Name: "X-Last"},
		}}}), "client.stream.resume.from"},
		{client(policy.Client{Effect: policy.Read, Hedge: &policy.Hedge{Delay: time.Second}}), ""},
		{client(policy.Client{Effect: policy.Read, Hedge: &policy.Hedge{}}), "client.hedge.delay"},
		{client(policy.Client{Effect: policy.Read, Hedge: &policy.Hedge{Quantile: 1, Max: -1}}), "client.hedge.delay client.hedge.max"},
		{client(policy.Client{Hedge: &policy.Hedge{Quantile: 0.95}}), "client.hedge"},
		{client(policy.Client{Effect: policy.Read, Hedge: &policy.Hedge{Quantile: 0.95}, Idempotency: &policy.Idempotency{Header: "K"}}), "client.hedge"},
		{client(policy.Client{Fallback: &policy.Fallback{Rungs: []policy.Rung{{Kind: policy.RungStatic, Status: 200, Body: "{}"}}}}), ""},
		{client(policy.Client{Fallback: &policy.Fallback{Reserve: -1, Rungs: []policy.Rung{{}}}}), "client.fallback.reserve client.fallback.rungs"},
		{client(policy.Client{Fallback: &policy.Fallback{Rungs: []policy.Rung{{Kind: policy.RungServer}}}}), "client.fallback.rungs"},
		{client(policy.Client{Fallback: &policy.Fallback{Rungs: []policy.Rung{{Kind: policy.RungStatic, Status: 99}}}}), "client.fallback.rungs.status"},
		{client(policy.Client{Cache: &policy.Cache{MaxAge: -1, MaxBytes: -1, CDNMaxAge: policy.None}}), "client.cache.maxAge client.cache.maxBytes"},
		{client(policy.Client{Retry: &policy.Retry{Shrink: &policy.Shrink{Factor: 1, KeepFirst: -1}}}), "client.retry.shrink.factor client.retry.shrink.keepFirst"},
		{client(policy.Client{Timeout: &policy.Timeout{Adaptive: true, Floor: 2, Ceiling: 1}}), "client.timeout.ceiling"},
		{server(policy.Server{Concurrency: &policy.Concurrency{Conflict: 410}}), "server.concurrency.conflict"},
		{server(policy.Server{Lock: &policy.Lock{Keys: key, TTL: time.Second}, Shed: &policy.Shed{Target: 1}}), ""},
		{server(policy.Server{Lock: &policy.Lock{TTL: 1, Heartbeat: 1}, Shed: &policy.Shed{MaxInflight: -1}}), "server.lock.heartbeat server.lock.keys server.shed.maxInflight server.shed.target"},
		{limited(policy.Bucket{Algorithm: policy.SlidingWindow, Limit: 9, Per: 1, Cost: 9}), ""},
		{limited(policy.Bucket{Algorithm: policy.SlidingWindow, Limit: 9, Per: 1, Cost: 10}), "server.rateLimit.cost"},
		{limited(policy.Bucket{Limit: 9, Per: 1, Burst: 2, Cost: 3}), "server.rateLimit.cost"},
		{limited(policy.Bucket{Limit: 9, Per: 1}), "server.rateLimit.burst"},
		{limited(policy.Bucket{Plan: &policy.Plan{From: policy.Expr{Source: policy.FromIP}}}), ""},
		{limited(policy.Bucket{Plan: &policy.Plan{Else: policy.Rate{Limit: 1}}}), "server.rateLimit.plan.else.burst server.rateLimit.plan.else.per server.rateLimit.plan.from"},
	} {
		var fields []string
		for _, f := range tt.spec.Check() {
			fields = append(fields, f.Field)
		}
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.spec, got, tt.want)
		}
	}
}

func TestParseQuantile(t *testing.T) {
	for text, want := range map[string]float64{
		"p50": 0.5, "p95": 0.95, "p99": 0.99, "p991": 0.991, "p999": 0.999,
		"": 0, "p": 0, "p0": 0, "p9": 0, "p05": 0, "p49": 0, "p42": 0, "p100": 0, "p990": 0, "p9999": 0, "p99.9": 0, "p+95": 0, "95": 0, "P95": 0,
	} {
		if got, ok := policy.ParseQuantile(text); got != want || ok != (want > 0) {
			t.Errorf("%q is %v, %v, want %v", text, got, ok, want)
		}
	}
}
