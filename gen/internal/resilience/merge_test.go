package resilience_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

const (
	second = time.Second
	milli  = time.Millisecond
)

// levels are the annotations of one operation, weakest first; empty ones are not
// written.
type levels struct {
	root, item, op string
	method         string // GET
	params         string
	security       bool
}

func (l levels) document() string {
	var b strings.Builder
	if l.root != "" {
		fmt.Fprintf(&b, "x-resilience: %s\n", l.root)
	}
	if l.security {
		b.WriteString("security: [{key: []}]\ncomponents: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}\n")
	}
	b.WriteString("paths:\n  /a/{id}:\n    parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n")
	if l.item != "" {
		fmt.Fprintf(&b, "    x-resilience: %s\n", l.item)
	}
	method := l.method
	if method == "" {
		method = "get"
	}
	fmt.Fprintf(&b, "    %s:\n      operationId: a\n", method)
	if l.op != "" {
		fmt.Fprintf(&b, "      x-resilience: %s\n", l.op)
	}
	if l.params != "" {
		fmt.Fprintf(&b, "      parameters: %s\n", l.params)
	}
	if method == "post" {
		b.WriteString("      requestBody: {content: {application/json: {schema: {type: object, properties: {id: {type: string}, n: {type: integer}}}}}}\n")
	}
	b.WriteString("      responses: {'204': {description: ok}}\n")
	return b.String()
}

// defaults wraps a policy as the root's defaults.
func defaults(p string) string { return "{version: 1, defaults: " + p + "}" }

func principal() []policy.Expr { return []policy.Expr{{Source: policy.FromPrincipal}} }

// The merge, case by case. Each edit says how the result differs from the
// built-in policy; its numbers are the language's, worked out by hand.
func TestMerge(t *testing.T) {
	tests := []struct {
		name string
		levels
		edit func(c *policy.Client, s *policy.Server)
	}{
		{"an empty policy", levels{root: defaults("{}"), item: "{}", op: "{}"}, nil},
		{"a description changes nothing", levels{op: "{description: text, x-team: {retry: none}, retry: {description: text}}"}, nil},

		// Timeout.
		{"a duration is the attempt", levels{op: "{timeout: 1s}"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Attempt, s.Timeout.Handler = second, second // the handler's bound follows a written attempt
		}},
		{"a written server bound stays", levels{root: defaults("{timeout: {server: 2500ms}}"), op: "{timeout: 20s}"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Attempt, s.Timeout.Handler = 20*second, 2500*milli
			c.Breaker.SlowCall = 20 * second // 10s, or the attempt where that is longer
		}},
		{"the attempt of the client is not the server's", levels{op: "{client: {timeout: 1s}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Timeout.Attempt = second
		}},
		{"all of a timeout", levels{op: "{timeout: {connect: 1s, attempt: 2s, total: none, idle: 3s, floor: 7ms, server: 4s, share: 0.5}}"}, func(c *policy.Client, s *policy.Server) {
			*c.Timeout = policy.Timeout{Connect: second, Attempt: 2 * second, Total: policy.None, Idle: 3 * second, Floor: 7 * milli, Share: 0.5}
			s.Timeout.Handler, s.Timeout.Idle = 4*second, 3*second
		}},
		{"days and fractions", levels{op: "{timeout: {total: 1d12h, idle: 1.5s}}"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Total, c.Timeout.Idle, s.Timeout.Idle = 36*time.Hour, 1500*milli, 1500*milli
		}},
		{"a measured attempt", levels{op: "{timeout: {p999: 800ms}}"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Attempt, s.Timeout.Handler = 960*milli, 960*milli // x 1.2
		}},
		{"a measured attempt takes the place of a written one, and the other way round", levels{root: defaults("{timeout: 3s}"), item: "{timeout: {p999: 1s, headroom: 2}}", op: "{client: {timeout: 4s}}"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Attempt, s.Timeout.Handler = 4*second, 2*second
		}},
		{"a preset starts a timeout anew", levels{root: defaults("{timeout: {attempt: 3s, total: 9s, server: 1s}}"), op: "{timeout: llm}"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Attempt, s.Timeout.Handler = 60*second, 60*second
			c.Breaker.SlowCall = 60 * second
		}},
		{"null goes back to the built-in", levels{root: defaults("{timeout: 3s, retry: none, rateLimit: free}"), op: "{timeout: null, retry: null, rateLimit: null}"}, nil},
		{"shadow", levels{op: "{timeout: {mode: shadow}, retry: {mode: shadow}, breaker: {mode: shadow}, bulkhead: {mode: shadow}}"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Mode, c.Retry.Mode, c.Breaker.Mode, c.Bulkhead.Mode = policy.Shadow, policy.Shadow, policy.Shadow, policy.Shadow
			s.Timeout.Mode = policy.Shadow
		}},

		// Deadline.
		{"deadline", levels{op: "{deadline: {propagate: true, trust: false, reserve: 0s, header: grpc-timeout}}"}, func(c *policy.Client, s *policy.Server) {
			c.Deadline, s.Deadline = &policy.Deadline{Propagate: true, Header: policy.GRPCTimeout}, nil
		}},
		{"deadline off on one side", levels{op: "{client: {deadline: false}}"}, func(c *policy.Client, _ *policy.Server) { c.Deadline = nil }},

		// On and off.
		{"false is one bare try", levels{root: defaults("{rateLimit: free, timeout: 2s, idempotency: true}"), op: "false"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Attempt, s.Timeout.Handler = 2*second, 2*second
			c.Retry, c.Breaker, c.Bulkhead = nil, nil, nil
		}},
		{"after false a stronger level may turn on again", levels{root: defaults("false"), op: "{retry: true, breaker: {probes: 3}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Bulkhead = nil
			c.Breaker.Probes, c.Breaker.MinTime = 3, 0 // the default preset, not the built-in policy's
		}},
		{"false, and modes that are off", levels{op: "{retry: false, breaker: {mode: off}, bulkhead: {enabled: false}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Retry, c.Breaker, c.Bulkhead = nil, nil, nil
		}},
		{"a mode false is off", levels{op: "{retry: {mode: false}}"}, func(c *policy.Client, _ *policy.Server) { c.Retry = nil }},
		{"true changes nothing where it is on", levels{root: defaults("{retry: {maxAttempts: 4}}"), op: "{retry: true}"}, func(c *policy.Client, _ *policy.Server) { c.Retry.MaxAttempts = 4 }},
		{"true turns on with the default preset", levels{root: defaults("{retry: false, bulkhead: false}"), op: "{retry: true, bulkhead: true}"}, nil},

		// Retry.
		{"fields of a retry", levels{root: defaults("{retry: {maxAttempts: 3, baseDelay: 0s}}"), op: "{retry: {maxDelay: 5s, jitter: none, statuses: [503, 5xx], never: [], errors: [dns, tls], maxRetryAfter: 1d, planRetryAfter: true}}"}, func(c *policy.Client, _ *policy.Server) {
			r := c.Retry
			r.MaxAttempts, r.BaseDelay, r.MaxDelay, r.Jitter = 3, 0, 5*second, policy.JitterNone
			r.Statuses, r.Never = policy.Statuses{}.Range(500, 599), policy.Statuses{}
			r.Errors, r.MaxRetryAfter, r.PlanRetryAfter = policy.DNSErrors|policy.TLSErrors, 24*time.Hour, true
		}},
		{"presets of a retry", levels{root: defaults("{retry: {maxAttempts: 9, jitter: equal}}"), op: "{retry: {preset: background, maxAttempts: 4}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Retry.MaxAttempts, c.Retry.BaseDelay, c.Retry.MaxDelay = 4, 2*second, 60*second
		}},
		{"none is one try", levels{op: "{retry: none}"}, func(c *policy.Client, _ *policy.Server) { c.Retry.MaxAttempts = 1 }},
		{"rate-limited", levels{op: "{retry: rate-limited}"}, func(c *policy.Client, _ *policy.Server) {
			r := c.Retry
			r.MaxAttempts, r.BaseDelay, r.MaxDelay, r.MaxRetryAfter, r.PlanRetryAfter = 3, 2*second, 120*second, 120*second, true
		}},
		{"statuses that never has are left to it", levels{op: "{retry: {never: [503]}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Retry.Never = policy.StatusSet(503)
		}},
		{"the budget", levels{op: "{retry: {budget: {ratio: 0.5, window: 20s}}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Retry.Budget = &policy.Budget{Ratio: 0.5, MinPerSecond: 10, Window: 20 * second}
		}},
		{"the budget off", levels{op: "{retry: {budget: false}}"}, func(c *policy.Client, _ *policy.Server) { c.Retry.Budget = nil }},
		{"the budget off and on again", levels{root: defaults("{retry: {budget: {ratio: 1}}}"), item: "{retry: {budget: false}}", op: "{retry: {budget: {minPerSecond: 1}}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Retry.Budget.MinPerSecond = 1
		}},
		{"rules merge by name, false takes one out", levels{
			root: defaults(`{retry: {rules: {a: {status: 403, header: {X-Left: "0"}, do: retry, wait: 60s}, b: {status: [5xx], do: stop}}}}`),
			op:   `{retry: {rules: {b: false, a: {refused: true, body: {/code: [busy, 7, "*late*"]}}, c: {error: dns, do: stop}}}}`,
		}, func(c *policy.Client, _ *policy.Server) {
			c.Retry.Rules = []policy.RetryRule{
				{
					Name: "a", Statuses: policy.StatusSet(403), Header: []policy.HeaderMatch{{Name: "X-Left", Glob: "0"}},
					Body: []policy.BodyMatch{{Pointer: "/code", Any: []string{"busy", "7", "*late*"}}},
					Do:   policy.DoRetry, Wait: 60 * second, Refused: true,
				},
				{Name: "c", Errors: policy.DNSErrors, Do: policy.DoStop},
			}
		}},
		{"hints", levels{
			root: defaults(`{retry: {wait: {reset: {header: x-reset, as: epoch, when: {x-left: "0"}}}}}`),
			op:   `{retry: {wait: {reset: {body: /after, as: ms}}}}`, // header and body drop each other
		}, func(c *policy.Client, _ *policy.Server) {
			c.Retry.Hints = []policy.RetryHint{{Name: "reset", Pointer: "/after", As: policy.HintMillis, When: []policy.HeaderMatch{{Name: "x-left", Glob: "0"}}}}
		}},

		// Breaker.
		{"the breaker's presets", levels{op: "{breaker: database}"}, func(c *policy.Client, _ *policy.Server) {
			b := c.Breaker
			b.FailureThreshold, b.Recovery, b.SlowCall, b.MinTime = 3, 15*second, 5*second, 0
		}},
		{"a breaker by its rate", levels{op: "{breaker: {preset: high-traffic, scope: host, backoff: 2, maxRecovery: 1m}}"}, func(c *policy.Client, _ *policy.Server) {
			*c.Breaker = policy.Breaker{
				Scope: policy.ScopeHost, Window: policy.Window{Time: 10 * second}, FailureRate: 0.5, MinCalls: 20,
				SlowCall: 10 * second, Recovery: 30 * second, Backoff: 2, MaxRecovery: time.Minute, Probes: 2,
			}
		}},
		{"count and time drop each other", levels{root: defaults("{breaker: {window: {time: 30s}}}"), op: "{breaker: {window: {count: 20}}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Breaker.Window = policy.Window{Count: 20}
		}},
		{"threshold and rate drop each other", levels{root: defaults("{breaker: high-traffic}"), op: "{breaker: {failureThreshold: 8}}"}, func(c *policy.Client, _ *policy.Server) {
			b := c.Breaker
			b.Window, b.FailureThreshold, b.MinTime = policy.Window{Time: 10 * second}, 8, 0
		}},
		{"a breaker for each value", levels{op: "{breaker: {key: [$request.path.id]}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Breaker.Key = []policy.Expr{{Source: policy.FromPath, Name: "id"}}
		}},
		{"scope and key drop each other", levels{root: defaults("{breaker: {key: [$request.path.id]}}"), op: "{breaker: {scope: operation}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Breaker.Scope = policy.ScopeOperation
		}},
		{"slow is what is longer than a try", levels{op: "{client: {timeout: 1m}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Timeout.Attempt, c.Breaker.SlowCall = time.Minute, time.Minute
		}},
		{"unless it is written", levels{op: "{client: {timeout: 1m, breaker: {slowCall: 2s}}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Timeout.Attempt, c.Breaker.SlowCall = time.Minute, 2*second
		}},

		// Bulkhead.
		{"a tier", levels{op: "{bulkhead: {tier: standard, name: slow}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Bulkhead = &policy.Bulkhead{Name: "slow", MaxConcurrent: 8, Queue: 12, Timeout: 120 * second, Hold: 120 * second, OnFull: policy.OnFullCallerRuns}
		}},
		{"a tier by a string", levels{op: "{bulkhead: optional}"}, func(c *policy.Client, _ *policy.Server) {
			c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 4, Queue: 6, Timeout: 60 * second, Hold: 60 * second, OnFull: policy.OnFullDiscard}
		}},
		{"a bulkhead of the server starts from the built-in one", levels{op: "{server: {bulkhead: {maxConcurrent: 20, onFull: abort}}}"}, func(_ *policy.Client, s *policy.Server) {
			s.Bulkhead = &policy.Bulkhead{MaxConcurrent: 20, Queue: 128, Timeout: second, OnFull: policy.OnFullAbort}
		}},
		{"no hold", levels{op: "{bulkhead: {tier: critical, hold: none}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 5, Queue: 10, Timeout: 180 * second}
		}},

		// Rate limit.
		{"a bare limit is the server's", levels{op: "{rateLimit: free}"}, func(_ *policy.Client, s *policy.Server) {
			s.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 60, Per: time.Minute, Burst: 10, Cost: 1, Key: []policy.Expr{{Source: policy.FromIP}}}}}
		}},
		{"behind security it is the principal's", levels{op: "{rateLimit: {limit: 5, per: 1s}}", security: true}, func(_ *policy.Client, s *policy.Server) {
			// Without a burst the limit is the burst.
			s.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 5, Per: second, Burst: 5, Cost: 1, Key: principal(), At: policy.AfterAuth}}}
		}},
		{"an object starts from the default tier", levels{op: "{rateLimit: {cost: 2}}"}, func(_ *policy.Client, s *policy.Server) {
			s.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 100, Per: 10 * second, Burst: 100, Cost: 2, Key: []policy.Expr{{Source: policy.FromIP}}}}}
		}},
		{"a limit drops an inherited burst", levels{root: defaults("{rateLimit: {limit: 5, per: 1s, burst: 2}}"), op: "{rateLimit: {limit: 9}}"}, func(_ *policy.Client, s *policy.Server) {
			s.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 9, Per: second, Burst: 9, Cost: 1, Key: []policy.Expr{{Source: policy.FromIP}}}}}
		}},
		{"unlimited", levels{root: defaults("{rateLimit: free}"), op: "{rateLimit: unlimited}"}, nil},
		{"a client waits for its tokens", levels{op: "{client: {rateLimit: {limit: 5, per: 1s, refund: [304]}}}"}, func(c *policy.Client, _ *policy.Server) {
			c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{
				Limit: 5, Per: second, Burst: 5, Cost: 1, Key: principal(), Wait: policy.None, Refund: policy.StatusSet(304),
			}}}
		}},
		{"buckets merge by name", levels{
			root: defaults("{client: {rateLimit: {buckets: {core: {limit: 50, per: 1s, burst: 9, wait: 0s}, points: {limit: 900, per: 1m, key: []}, third: free}}}}"),
			op:   "{client: {rateLimit: {buckets: {points: {cost: 5}, core: {limit: 20}, third: false}}}}",
		}, func(c *policy.Client, _ *policy.Server) {
			c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{
				{Name: "core", Limit: 20, Per: second, Burst: 20, Cost: 1, Key: principal()},
				{Name: "points", Limit: 900, Per: time.Minute, Burst: 900, Cost: 5, Wait: policy.None},
			}}
		}},
		{"a bucket of a tier", levels{op: "{client: {rateLimit: {buckets: {a: {tier: premium, burst: 7}}}}}"}, func(c *policy.Client, _ *policy.Server) {
			c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Name: "a", Limit: 1000, Per: 10 * second, Burst: 7, Cost: 1, Key: principal(), Wait: policy.None}}}
		}},
		{"buckets and one limit drop each other", levels{root: defaults("{rateLimit: {buckets: {a: free}}}"), op: "{rateLimit: {limit: 3, per: 1s}}"}, func(_ *policy.Client, s *policy.Server) {
			s.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 3, Per: second, Burst: 3, Cost: 1, Key: []policy.Expr{{Source: policy.FromIP}}}}}
		}},

		// Idempotency.
		{"a key of the caller's", levels{op: "{idempotency: true}", method: "post", security: true}, func(c *policy.Client, s *policy.Server) {
			c.Effect = policy.Write
			c.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Required: true}
			s.Idempotency = &policy.Idempotency{
				Header: "Idempotency-Key", Required: true, Scope: policy.Expr{Source: policy.FromPrincipal},
				TTL: 24 * time.Hour, Lease: 35 * second, MaxBody: 1 << 20,
			}
		}},
		{"a derived key", levels{op: "{timeout: {server: 2s}, idempotency: {from: [$request.path.id, $request.body#/n], ttl: 3d, lease: 1m, maxBody: 64KB, quoted: true, fingerprint: from, onStoreError: allow}}", method: "post"}, func(c *policy.Client, s *policy.Server) {
			from := []policy.Expr{{Source: policy.FromPath, Name: "id"}, {Source: policy.FromBody, Name: "/n"}}
			c.Effect = policy.Write
			c.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Quoted: true, Required: true, Key: policy.KeyDerived, From: from}
			s.Timeout.Handler = 2 * second
			s.Idempotency = &policy.Idempotency{ // without security there is nobody to scope by
				Header: "Idempotency-Key", Quoted: true, Required: true, From: from, Fingerprint: policy.FingerprintFrom,
				TTL: 72 * time.Hour, Lease: time.Minute, MaxBody: 64_000, OnStoreError: policy.AllowOnStoreError,
			}
		}},
		{"a documented header implies a key", levels{method: "post", params: "[{name: idempotency-key, in: header, schema: {type: string}}]"}, func(c *policy.Client, _ *policy.Server) {
			c.Effect = policy.Write
			c.Idempotency = &policy.Idempotency{Header: "idempotency-key"}
		}},
		{"which is off where that is written", levels{op: "{idempotency: false}", method: "post", params: "[{name: Idempotency-Key, in: header, schema: {type: string}}]"}, func(c *policy.Client, _ *policy.Server) {
			c.Effect = policy.Write
		}},
		{"an external service gets a key for each call", levels{root: "{version: 1, external: true}", op: "{idempotency: true}", method: "post"}, func(c *policy.Client, s *policy.Server) {
			c.Effect, c.Deadline = policy.Write, nil
			c.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Required: true, Key: policy.KeyPerCall}
			*s = policy.Server{}
		}},

		// Levels and sides.
		{"the stronger level wins", levels{root: defaults("{retry: {maxAttempts: 3, maxDelay: 3s}}"), item: "{retry: {maxAttempts: 4}}", op: "{retry: {maxAttempts: 5}}"}, func(c *policy.Client, _ *policy.Server) {
			c.Retry.MaxAttempts, c.Retry.MaxDelay = 5, 3*second
		}},
		{"a stronger bare field beats a weaker client's", levels{root: defaults("{client: {timeout: {attempt: 3s, idle: 4s}}}"), op: "{timeout: 5s}"}, func(c *policy.Client, s *policy.Server) {
			c.Timeout.Attempt, c.Timeout.Idle, s.Timeout.Handler = 5*second, 4*second, 5*second
		}},
		{"in one level the client's block wins", levels{op: "{client: {timeout: 3s, effect: write, criticality: optional}, timeout: 5s, effect: read, criticality: critical}"}, func(c *policy.Client, s *policy.Server) {
			c.Effect, c.Criticality = policy.Write, policy.Optional
			c.Timeout.Attempt, s.Timeout.Handler = 3*second, 5*second
		}},
		{"a weaker client's effect gives way to a stronger bare one", levels{root: defaults("{client: {effect: write}}"), op: "{effect: idempotent}"}, func(c *policy.Client, _ *policy.Server) {
			c.Effect = policy.Idempotent
		}},
		{"external takes bare fields to the client", levels{root: "{version: 1, external: true, defaults: {rateLimit: {limit: 5, per: 1s}, deadline: {propagate: true}}}", op: "{timeout: 2s}"}, func(c *policy.Client, s *policy.Server) {
			c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 5, Per: second, Burst: 5, Cost: 1, Key: principal(), Wait: policy.None}}}
			c.Timeout.Attempt = 2 * second
			*s = policy.Server{}
		}},
		{"policies use each other", levels{
			root: "{version: 1, policies: {a: {retry: {maxAttempts: 3, maxDelay: 4s}}, b: {use: a, retry: {maxAttempts: 4}, breaker: false}, c: b}}",
			op:   "{use: c, breaker: true}",
		}, func(c *policy.Client, _ *policy.Server) {
			c.Retry.MaxAttempts, c.Retry.MaxDelay = 4, 4*second
			c.Breaker.MinTime = 0
		}},
		{"a level may be the name of a policy", levels{root: "{version: 1, policies: {bare: false}}", op: "bare"}, func(c *policy.Client, _ *policy.Server) {
			c.Retry, c.Breaker, c.Bulkhead = nil, nil, nil
		}},
		{"presets of the user's", levels{
			root: "{version: 1, presets: {retry: {mine: {preset: background, maxAttempts: 7}}, timeout: {quick: 300ms}, bulkhead: {tiny: {maxConcurrent: 1}}, rateLimit: {starter: {limit: 6, per: 1m, burst: 2}}}}",
			op:   "{retry: mine, timeout: quick, bulkhead: tiny, rateLimit: starter}",
		}, func(c *policy.Client, s *policy.Server) {
			c.Retry.MaxAttempts, c.Retry.BaseDelay, c.Retry.MaxDelay = 7, 2*second, 60*second
			c.Timeout.Attempt, s.Timeout.Handler, c.Bulkhead.MaxConcurrent = 300*milli, 300*milli, 1
			s.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 6, Per: time.Minute, Burst: 2, Cost: 1, Key: []policy.Expr{{Source: policy.FromIP}}}}}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := applyText(t, tt.document()).clean().op("a").Policy
			client, server := defaultClient(), defaultServer()
			if tt.edit != nil {
				tt.edit(&client, &server)
			}
			if d := cmp.Diff(client, got.Client); d != "" {
				t.Errorf("client (-want +got):\n%s", d)
			}
			if d := cmp.Diff(server, got.Server); d != "" {
				t.Errorf("server (-want +got):\n%s", d)
			}
		})
	}
}

// The llm preset has rules for both places in which vendors write the reason.
func TestLLMPreset(t *testing.T) {
	r := applyText(t, levels{op: "{retry: llm}"}.document()).clean().op("a").Policy.Client.Retry
	if r.MaxAttempts != 3 || r.BaseDelay != second || r.MaxDelay != 60*second {
		t.Errorf("%d tries, %v to %v", r.MaxAttempts, r.BaseDelay, r.MaxDelay)
	}
	want := map[policy.Action][]string{
		policy.DoRetry:  {"rate_limit_exceeded", "model_overloaded", "overloaded_error", "server_error"},
		policy.DoStop:   {"invalid_api_key", "content_policy_violation", "invalid_request_error", "model_not_found", "insufficient_quota"},
		policy.DoShrink: {"context_length_exceeded"},
	}
	seen := map[string]bool{}
	for _, rule := range r.Rules {
		if rule.Statuses.Has(529) {
			seen["529"] = rule.Do == policy.DoRetry
			continue
		}
		if len(rule.Body) != 1 {
			t.Fatalf("rule %s has %d conditions on the body", rule.Name, len(rule.Body))
		}
		if d := cmp.Diff(want[rule.Do], rule.Body[0].Any); d != "" {
			t.Errorf("rule %s (-want +got):\n%s", rule.Name, d)
		}
		seen[rule.Body[0].Pointer+" "+rule.Do.String()] = true
	}
	for _, at := range []string{"529", "/error/code retry", "/error/type retry", "/error/code stop", "/error/type stop", "/error/code shrink", "/error/type shrink"} {
		if !seen[at] {
			t.Errorf("no rule for %s", at)
		}
	}
}

func TestAPI(t *testing.T) {
	got := applyText(t, "x-resilience: {version: 1, dependency: pay/eu, external: true, replicas: 4}\n"+
		"paths:\n  /a:\n    get: {operationId: a, x-resilience: {dependency: other, flaky: true, waive: {retry-attempts: known}}, responses: {'204': {description: ok}}}\n").clean()
	if got.api.Dependency != "pay/eu" || !got.api.External || got.api.Replicas != 4 {
		t.Errorf("dependency %q, external %t, replicas %d", got.api.Dependency, got.api.External, got.api.Replicas)
	}
	p := got.op("a").Policy
	if p.Dependency != "other" || !p.Flaky || p.Waive["retry-attempts"] != "known" {
		t.Errorf("dependency %q, flaky %t, waive %v", p.Dependency, p.Flaky, p.Waive)
	}
}

func TestDependencyFromTitle(t *testing.T) {
	for title, want := range map[string]string{
		"Train Travel API": "train-travel-api", "GitHub v3 REST API": "github-v3-rest-api", "  Pay!  (EU) ": "pay-eu",
		"swagger": "swagger", "Übersicht 2": "übersicht-2", "": "", "???": "",
	} {
		got := applyText(t, fmt.Sprintf("openapi: 3.1.0\ninfo: {title: %q, version: '1'}\n%s", title, oneGet))
		if got.api.Dependency != want {
			t.Errorf("%q: got %q, want %q", title, got.api.Dependency, want)
		}
	}
}

func TestSources(t *testing.T) {
	got := applyText(t, levels{
		root: "{version: 1, defaults: {retry: true}, policies: {a: {retry: none}, b: {use: a}}}", item: "b", op: "{timeout: 3s}",
	}.document()).clean()
	want := []string{"#/x-resilience/defaults", "#/x-resilience/policies/a", "#/x-resilience/policies/b", "#/paths/~1a~1{id}", "#/paths/~1a~1{id}/get"}
	if d := cmp.Diff(want, got.op("a").Policy.Sources); d != "" {
		t.Errorf("sources (-want +got):\n%s", d)
	}
}
