package resilience_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// fieldDocument has an operation of each effect, with all that expressions may name.
const fieldDocument = `components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  schemas:
    Thing: {type: object, properties: {id: {type: string}, version: {type: string}, items: {type: array, items: {type: string}}, next: {type: string}, more: {type: boolean}}}
servers: [{url: https://one.example, description: one}, {url: 'https://{zone}.example', description: two, variables: {zone: {default: west}}}]
paths:
  /a/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - {name: q, in: query, schema: {type: string}}
      - {name: X-Tenant, in: header, schema: {type: string}}
    METHOD:
      operationId: a
      x-resilience: POLICY
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
      responses: {'200': {description: ok, headers: {X-Cost: {schema: {type: integer}}}, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}
    get: {operationId: reading, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}}
`

// field is one field of the language with a value of its own and what it comes to.
type field struct {
	path   string
	method string // query reads with a body, post writes
	policy string
	got    func(p ir.Policy) any
	want   any
}

func fieldText(method, text string) string {
	root := "openapi: 3.2.0\ninfo: {title: Train Travel, version: '1'}\nx-resilience: {version: 1, servers: {spare: {url: https://spare.example, query: {v: 2}, auth: key}}, defaults: {shed: false}}\n"
	return root + strings.NewReplacer("METHOD", method, "POLICY", text).Replace(fieldDocument)
}

// ms is a short time that no default has.
const ms7 = 7 * time.Millisecond

var (
	body   = func(pointer string) policy.Expr { return policy.Expr{Source: policy.FromBody, Name: pointer} }
	pathID = policy.Expr{Source: policy.FromPath, Name: "id"}
	caller = policy.Expr{Source: policy.FromPrincipal}
	claim  = policy.Expr{Source: policy.FromClaim, Name: "plan"}
)

func bucketOf(p ir.Policy) *policy.Bucket     { return &p.Server.RateLimit.Buckets[0] }
func clientBucket(p ir.Policy) *policy.Bucket { return &p.Client.RateLimit.Buckets[0] }
func rung(p ir.Policy) policy.Rung            { return p.Client.Fallback.Rungs[0] }

// one is a rate limit around a field.
func one(text string) string { return "{rateLimit: {limit: 9, per: 1m, " + text + "}}" }

// shadowed is the mode of a primitive.
func modeField(path, method, text string, got func(p ir.Policy) policy.Mode) field {
	return field{path + ".mode", method, text, func(p ir.Policy) any { return got(p) }, policy.Shadow}
}

var fieldTable = slices.Concat(timeFields, retryFields, guardFields, limitFields, keyFields, fallbackFields, cacheFields, serverFields)

var timeFields = []field{
	modeField("timeout", "post", "{timeout: {mode: shadow}}", func(p ir.Policy) policy.Mode { return p.Client.Timeout.Mode }),
	{"timeout.connect", "post", "{timeout: {connect: 7ms}}", func(p ir.Policy) any { return p.Client.Timeout.Connect }, ms7},
	{"timeout.attempt", "post", "{timeout: {attempt: 7ms}, deadline: false}", func(p ir.Policy) any { return p.Client.Timeout.Attempt }, ms7},
	{"timeout.total", "post", "{timeout: {total: none}}", func(p ir.Policy) any { return p.Client.Timeout.Total }, policy.None},
	{"timeout.idle", "post", "{timeout: {idle: 7ms}}", func(p ir.Policy) any { return []any{p.Client.Timeout.Idle, p.Server.Timeout.Idle} }, []any{ms7, ms7}},
	{"timeout.floor", "post", "{timeout: {floor: 7ms}}", func(p ir.Policy) any { return p.Client.Timeout.Floor }, ms7},
	{"timeout.server", "post", "{timeout: {server: 7ms}}", func(p ir.Policy) any { return p.Server.Timeout.Handler }, ms7},
	{"timeout.p999", "post", "{timeout: {p999: 10ms}, deadline: false}", func(p ir.Policy) any { return p.Client.Timeout.Attempt }, 12 * time.Millisecond},
	{"timeout.headroom", "post", "{timeout: {p999: 10ms, headroom: 2}, deadline: false}", func(p ir.Policy) any { return p.Client.Timeout.Attempt }, 20 * time.Millisecond},
	{"timeout.adaptive", "post", "{timeout: {adaptive: true}}", func(p ir.Policy) any { return []any{p.Client.Timeout.Adaptive, p.Client.Timeout.Headroom} }, []any{true, 1.2}},
	{"timeout.ceiling", "post", "{timeout: {adaptive: true, ceiling: 7s}}", func(p ir.Policy) any { return p.Client.Timeout.Ceiling }, 7 * time.Second},
	{"timeout.share", "post", "{timeout: {share: 0.25}}", func(p ir.Policy) any { return p.Client.Timeout.Share }, 0.25},

	modeField("deadline", "post", "{deadline: {mode: shadow}}", func(p ir.Policy) policy.Mode { return p.Server.Deadline.Mode }),
	{"deadline.propagate", "post", "{deadline: {propagate: false}}", func(p ir.Policy) any { return p.Client.Deadline }, (*policy.Deadline)(nil)},
	{"deadline.trust", "post", "{deadline: {trust: false}}", func(p ir.Policy) any { return p.Server.Deadline }, (*policy.Deadline)(nil)},
	{"deadline.reserve", "post", "{deadline: {reserve: 7ms}}", func(p ir.Policy) any { return p.Client.Deadline.Reserve }, ms7},
	{"deadline.header", "post", "{deadline: {header: grpc-timeout}}", func(p ir.Policy) any { return p.Client.Deadline.Header }, policy.GRPCTimeout},
}

// rule is a retry with one rule.
func rule(text string) string { return "{retry: {rules: {r: {" + text + "}}}}" }

func ruleOf(p ir.Policy) policy.RetryRule { return p.Client.Retry.Rules[0] }
func hintOf(p ir.Policy) policy.RetryHint { return p.Client.Retry.Hints[0] }

var retryFields = []field{
	modeField("retry", "post", "{retry: {mode: shadow}}", func(p ir.Policy) policy.Mode { return p.Client.Retry.Mode }),
	{"retry.maxAttempts", "post", "{retry: {maxAttempts: 7}}", func(p ir.Policy) any { return p.Client.Retry.MaxAttempts }, 7},
	{"retry.baseDelay", "post", "{retry: {baseDelay: 7ms}}", func(p ir.Policy) any { return p.Client.Retry.BaseDelay }, ms7},
	{"retry.maxDelay", "post", "{retry: {maxDelay: 7s}}", func(p ir.Policy) any { return p.Client.Retry.MaxDelay }, 7 * time.Second},
	{"retry.jitter", "post", "{retry: {jitter: decorrelated}}", func(p ir.Policy) any { return p.Client.Retry.Jitter }, policy.JitterDecorrelated},
	{"retry.statuses", "post", "{retry: {statuses: [507]}}", func(p ir.Policy) any { return p.Client.Retry.Statuses }, policy.StatusSet(507)},
	{"retry.never", "post", "{retry: {never: [507]}}", func(p ir.Policy) any { return p.Client.Retry.Never }, policy.StatusSet(507)},
	{"retry.errors", "post", "{retry: {errors: [dns, eof]}}", func(p ir.Policy) any { return p.Client.Retry.Errors }, policy.DNSErrors | policy.EOFErrors},
	{"retry.rules.status", "post", rule("do: retry, status: 403"), func(p ir.Policy) any { return ruleOf(p).Statuses }, policy.StatusSet(403)},
	{"retry.rules.header", "post", rule("do: retry, header: {X-Left: 0}"), func(p ir.Policy) any { return ruleOf(p).Header }, []policy.HeaderMatch{{Name: "X-Left", Glob: "0"}}},
	{"retry.rules.body", "post", rule("do: retry, body: {/code: [busy, 7]}"), func(p ir.Policy) any { return ruleOf(p).Body }, []policy.BodyMatch{{Pointer: "/code", Any: []string{"busy", "7"}}}},
	{"retry.rules.error", "post", rule("do: stop, error: tls"), func(p ir.Policy) any { return ruleOf(p).Errors }, policy.TLSErrors},
	{"retry.rules.do", "post", rule("do: fallback, status: 403"), func(p ir.Policy) any { return ruleOf(p).Do }, policy.DoFallback},
	{"retry.rules.wait", "post", rule("do: retry, status: 403, wait: 7ms"), func(p ir.Policy) any { return ruleOf(p).Wait }, ms7},
	{"retry.rules.refused", "post", rule("do: retry, status: 403, refused: true"), func(p ir.Policy) any { return ruleOf(p).Refused }, true},
	{"retry.wait.header", "post", "{retry: {wait: {w: {header: X-Reset}}}}", func(p ir.Policy) any { return hintOf(p).Header }, "X-Reset"},
	{"retry.wait.body", "post", "{retry: {wait: {w: {body: /reset}}}}", func(p ir.Policy) any { return hintOf(p).Pointer }, "/reset"},
	{"retry.wait.as", "post", "{retry: {wait: {w: {body: /reset, as: epoch}}}}", func(p ir.Policy) any { return hintOf(p).As }, policy.HintEpoch},
	{"retry.wait.when", "post", "{retry: {wait: {w: {body: /reset, when: {X-Left: '0'}}}}}", func(p ir.Policy) any { return hintOf(p).When }, []policy.HeaderMatch{{Name: "X-Left", Glob: "0"}}},
	{"retry.maxRetryAfter", "post", "{retry: {maxRetryAfter: 7s}}", func(p ir.Policy) any { return p.Client.Retry.MaxRetryAfter }, 7 * time.Second},
	{"retry.planRetryAfter", "post", "{retry: {planRetryAfter: true}}", func(p ir.Policy) any { return p.Client.Retry.PlanRetryAfter }, true},
	{"retry.budget.ratio", "post", "{dependency: other, retry: {budget: {ratio: 0.7}}}", func(p ir.Policy) any { return p.Client.Retry.Budget.Ratio }, 0.7},
	{"retry.budget.minPerSecond", "post", "{dependency: other, retry: {budget: {minPerSecond: 7}}}", func(p ir.Policy) any { return p.Client.Retry.Budget.MinPerSecond }, 7.0},
	{"retry.budget.window", "post", "{dependency: other, retry: {budget: {window: 7s}}}", func(p ir.Policy) any { return p.Client.Retry.Budget.Window }, 7 * time.Second},
	{"retry.shrink.pointer", "post", "{retry: {shrink: {pointer: /items}}}", func(p ir.Policy) any { return *p.Client.Retry.Shrink }, policy.Shrink{Pointer: "/items", Factor: 0.75, KeepFirst: 1}},
	{"retry.shrink.factor", "post", "{retry: {shrink: {pointer: /items, factor: 0.5}}}", func(p ir.Policy) any { return p.Client.Retry.Shrink.Factor }, 0.5},
	{"retry.shrink.keepFirst", "post", "{retry: {shrink: {pointer: /items, keepFirst: 0}}}", func(p ir.Policy) any { return p.Client.Retry.Shrink.KeepFirst }, 0},
	{"retry.safety", "query", "{retry: {safety: always}}", func(p ir.Policy) any { return p.Client.Retry.Safety }, policy.SafetyAlways},
}

func breakerOf(p ir.Policy) policy.Breaker { return *p.Client.Breaker }

var guardFields = []field{
	modeField("breaker", "post", "{breaker: {mode: shadow, scope: operation}}", func(p ir.Policy) policy.Mode { return p.Client.Breaker.Mode }),
	{"breaker.scope", "post", "{breaker: {scope: host}}", func(p ir.Policy) any { return breakerOf(p).Scope }, policy.ScopeHost},
	{"breaker.key", "post", "{breaker: {key: [$request.path.id]}}", func(p ir.Policy) any { return breakerOf(p).Key }, []policy.Expr{pathID}},
	{"breaker.window.count", "post", "{breaker: {scope: operation, window: {count: 70}}}", func(p ir.Policy) any { return breakerOf(p).Window }, policy.Window{Count: 70}},
	{"breaker.window.time", "post", "{breaker: {scope: operation, window: {time: 7s}}}", func(p ir.Policy) any { return breakerOf(p).Window }, policy.Window{Time: 7 * time.Second}},
	{"breaker.failureThreshold", "post", "{breaker: {scope: operation, failureThreshold: 7}}", func(p ir.Policy) any { return breakerOf(p).FailureThreshold }, 7},
	{"breaker.minTime", "post", "{breaker: {scope: operation, minTime: 7s}}", func(p ir.Policy) any { return breakerOf(p).MinTime }, 7 * time.Second},
	{"breaker.failureRate", "post", "{breaker: {scope: operation, window: {time: 7s}, failureRate: 0.7}}", func(p ir.Policy) any { return breakerOf(p).FailureRate }, 0.7},
	{"breaker.minCalls", "post", "{breaker: {scope: operation, window: {time: 7s}, failureRate: 0.7, minCalls: 7}}", func(p ir.Policy) any { return breakerOf(p).MinCalls }, 7},
	{"breaker.slowCall", "post", "{breaker: {slowCall: 7ms}}", func(p ir.Policy) any { return breakerOf(p).SlowCall }, ms7},
	{"breaker.recovery", "post", "{breaker: {scope: operation, recovery: 7s}}", func(p ir.Policy) any { return breakerOf(p).Recovery }, 7 * time.Second},
	{"breaker.backoff", "post", "{breaker: {scope: operation, backoff: 1.5}}", func(p ir.Policy) any { return breakerOf(p).Backoff }, 1.5},
	{"breaker.maxRecovery", "post", "{breaker: {scope: operation, maxRecovery: 7m}}", func(p ir.Policy) any { return breakerOf(p).MaxRecovery }, 7 * time.Minute},
	{"breaker.probes", "post", "{breaker: {scope: operation, probes: 7}}", func(p ir.Policy) any { return breakerOf(p).Probes }, 7},

	modeField("bulkhead", "post", "{bulkhead: {name: x, mode: shadow}}", func(p ir.Policy) policy.Mode { return p.Client.Bulkhead.Mode }),
	{"bulkhead.name", "post", "{bulkhead: {name: x}}", func(p ir.Policy) any { return p.Client.Bulkhead.Name }, "x"},
	{"bulkhead.maxConcurrent", "post", "{server: {bulkhead: {maxConcurrent: 7}}}", func(p ir.Policy) any { return p.Server.Bulkhead.MaxConcurrent }, 7},
	{"bulkhead.queue", "post", "{bulkhead: {name: x, queue: 0}}", func(p ir.Policy) any { return p.Client.Bulkhead.Queue }, 0},
	{"bulkhead.timeout", "post", "{bulkhead: {timeout: 7ms}}", func(p ir.Policy) any { return p.Client.Bulkhead.Timeout }, ms7},
	{"bulkhead.hold", "post", "{bulkhead: {hold: 7ms}}", func(p ir.Policy) any { return p.Client.Bulkhead.Hold }, ms7},
	{"bulkhead.onFull", "post", "{bulkhead: {name: x, onFull: discard}}", func(p ir.Policy) any { return p.Client.Bulkhead.OnFull }, policy.OnFullDiscard},
	{"bulkhead.adaptive", "post", "{bulkhead: {name: x, adaptive: true}}", func(p ir.Policy) any { return p.Client.Bulkhead.Adaptive }, true},
}

// planned is a limit by plan.
const planned = "{rateLimit: {plan: {from: $claims.plan, map: {gold: premium, open: unlimited}, else: free}}}"

var (
	free    = policy.Rate{Limit: 60, Per: time.Minute, Burst: 10}
	premium = policy.Rate{Limit: 1000, Per: 10 * time.Second, Burst: 1000}
)

// syncing is a client's limit that follows the server.
func syncing(text string) string {
	return "{client: {rateLimit: {limit: 9, per: 1m, sync: {" + text + "}}}}"
}

var limitFields = []field{
	modeField("rateLimit", "post", one("mode: shadow"), func(p ir.Policy) policy.Mode { return p.Server.RateLimit.Mode }),
	{"rateLimit.algorithm", "post", one("algorithm: sliding-counter"), func(p ir.Policy) any { return bucketOf(p).Rate() }, policy.Rate{Algorithm: policy.SlidingCounter, Limit: 9, Per: time.Minute, Burst: 9}},
	{"rateLimit.limit", "post", "{rateLimit: {limit: 7}}", func(p ir.Policy) any { return bucketOf(p).Rate() }, policy.Rate{Limit: 7, Per: 10 * time.Second, Burst: 7}},
	{"rateLimit.per", "post", "{rateLimit: {per: 7s}}", func(p ir.Policy) any { return bucketOf(p).Per }, 7 * time.Second},
	{"rateLimit.burst", "post", one("burst: 7"), func(p ir.Policy) any { return bucketOf(p).Burst }, 7},
	{"rateLimit.key", "post", one("key: [$request.path.id, {func: who}]"), func(p ir.Policy) any { return bucketOf(p).Key }, []policy.Expr{pathID, {Source: policy.FromFunc, Name: "who"}}},
	{"rateLimit.cost", "post", one("cost: {estimate: {func: guess}, actual: $response.header.X-Cost}"), func(p ir.Policy) any { return []any{bucketOf(p).CostFrom, bucketOf(p).CostActual} },
		[]any{policy.Expr{Source: policy.FromFunc, Name: "guess"}, policy.Expr{Source: policy.FromResponseHeader, Name: "X-Cost"}}},
	{"rateLimit.refund", "post", one("refund: [304]"), func(p ir.Policy) any { return bucketOf(p).Refund }, policy.StatusSet(304)},
	{"rateLimit.wait", "post", "{client: {rateLimit: {wait: 7ms}}}", func(p ir.Policy) any { return clientBucket(p).Wait }, ms7},
	{"rateLimit.onStoreError", "post", one("onStoreError: deny"), func(p ir.Policy) any { return bucketOf(p).OnStoreError }, policy.LimitDeny},
	{"rateLimit.at", "post", one("at: after-auth"), func(p ir.Policy) any { return bucketOf(p).At }, policy.AfterAuth},
	{"rateLimit.plan.from", "post", planned, func(p ir.Policy) any { return []any{bucketOf(p).Plan.From, bucketOf(p).At} }, []any{claim, policy.AfterAuth}},
	{"rateLimit.plan.map", "post", planned, func(p ir.Policy) any { return bucketOf(p).Plan.Tiers }, []policy.PlanTier{{Plan: "gold", Rate: premium}, {Plan: "open"}}},
	{"rateLimit.plan.else", "post", planned, func(p ir.Policy) any { return []any{bucketOf(p).Plan.Else, bucketOf(p).Rate()} }, []any{free, policy.Rate{}}},
	{"rateLimit.sync.remaining", "post", syncing("remaining: X-Left"), func(p ir.Policy) any { return clientBucket(p).Sync.Remaining }, "X-Left"},
	{"rateLimit.sync.reset", "post", syncing("reset: X-Reset"), func(p ir.Policy) any { return clientBucket(p).Sync.Reset }, "X-Reset"},
	{"rateLimit.sync.as", "post", syncing("reset: X-Reset, as: epoch"), func(p ir.Policy) any { return clientBucket(p).Sync.As }, policy.HintEpoch},
	{"rateLimit.sync.bucket", "post", syncing("reset: X-Reset, bucket: X-Resource"), func(p ir.Policy) any { return clientBucket(p).Sync.Bucket }, "X-Resource"},
	{"rateLimit.trustedProxies", "post", one("trustedProxies: [10.0.0.0/8, '::1']"), func(p ir.Policy) any { return bucketOf(p).TrustedProxies }, []string{"10.0.0.0/8", "::1"}},
}

// inBuckets are the fields of one of several limits, which are those of one limit.
func inBuckets() []field {
	var out []field
	for _, f := range limitFields {
		name, ok := strings.CutPrefix(f.path, "rateLimit.")
		text, block := f.policy, "rateLimit: {"
		i := strings.Index(text, block)
		if !ok || name == "mode" || i < 0 {
			continue
		}
		i += len(block)
		depth, end := 1, i
		for ; depth > 0; end++ {
			switch text[end] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		inner := text[i : end-1]
		if strings.HasPrefix(inner, "per") || strings.HasPrefix(inner, "wait") {
			inner = "limit: 9, per: 1m, " + inner
			if name == "per" {
				inner = "limit: 9, per: 7s"
			}
		}
		if name == "limit" {
			inner = "limit: 7, per: 10s"
		}
		f.path, f.policy = "rateLimit.buckets."+name, text[:i]+"buckets: {b: {"+inner+"}}"+text[end-1:]
		out = append(out, f)
	}
	return out
}

func keyOf(p ir.Policy) policy.Idempotency   { return *p.Client.Idempotency }
func claimOf(p ir.Policy) policy.Idempotency { return *p.Server.Idempotency }

var keyFields = []field{
	modeField("idempotency", "post", "{idempotency: {mode: shadow}}", func(p ir.Policy) policy.Mode { return claimOf(p).Mode }),
	{"idempotency.header", "post", "{idempotency: {header: X-Key}}", func(p ir.Policy) any { return []string{keyOf(p).Header, claimOf(p).Header} }, []string{"X-Key", "X-Key"}},
	{"idempotency.quoted", "post", "{idempotency: {quoted: true}}", func(p ir.Policy) any { return keyOf(p).Quoted }, true},
	{"idempotency.key", "post", "{idempotency: {key: per-call}}", func(p ir.Policy) any { return keyOf(p).Key }, policy.KeyPerCall},
	{"idempotency.from", "post", "{idempotency: {from: [$request.body#/id]}}", func(p ir.Policy) any { return []any{keyOf(p).Key, keyOf(p).From} }, []any{policy.KeyDerived, []policy.Expr{body("/id")}}},
	{"idempotency.scope", "post", "{idempotency: {scope: $ip}}", func(p ir.Policy) any { return claimOf(p).Scope }, policy.Expr{Source: policy.FromIP}},
	{"idempotency.required", "post", "{idempotency: {required: false}}", func(p ir.Policy) any { return claimOf(p).Required }, false},
	{"idempotency.ttl", "post", "{idempotency: {ttl: 2d}}", func(p ir.Policy) any { return claimOf(p).TTL }, 48 * time.Hour},
	{"idempotency.lease", "post", "{idempotency: {lease: 7m}}", func(p ir.Policy) any { return claimOf(p).Lease }, 7 * time.Minute},
	{"idempotency.within", "post", "{idempotency: {within: transaction}}", func(p ir.Policy) any { return claimOf(p).Within }, policy.WithinTransaction},
	{"idempotency.fingerprint", "post", "{idempotency: {from: [$request.body#/id], fingerprint: from}}", func(p ir.Policy) any { return claimOf(p).Fingerprint }, policy.FingerprintFrom},
	{"idempotency.maxBody", "post", "{idempotency: {maxBody: 7KiB}}", func(p ir.Policy) any { return claimOf(p).MaxBody }, int64(7 << 10)},
	{"idempotency.onStoreError", "post", "{idempotency: {onStoreError: allow}}", func(p ir.Policy) any { return claimOf(p).OnStoreError }, policy.AllowOnStoreError},
}

// out is a fallback with one way out.
func out(text string) string { return "{fallback: [{" + text + "}]}" }

var fallbackFields = []field{
	modeField("hedge", "query", "{hedge: {mode: shadow}}", func(p ir.Policy) policy.Mode { return p.Client.Hedge.Mode }),
	{"hedge.delay", "query", "{hedge: {delay: p999}}", func(p ir.Policy) any { return *p.Client.Hedge }, policy.Hedge{Quantile: 0.999, Max: 1}},
	{"hedge.max", "query", "{hedge: {delay: 7ms, max: 3}}", func(p ir.Policy) any { return *p.Client.Hedge }, policy.Hedge{Delay: ms7, Max: 3}},

	modeField("fallback", "post", "{fallback: {mode: shadow, rungs: [{empty: true}]}}", func(p ir.Policy) policy.Mode { return p.Client.Fallback.Mode }),
	{"fallback.after", "post", "{fallback: {rungs: [{empty: true}], after: [connect, breaker-open, 503]}}", func(p ir.Policy) any { return []any{p.Client.Fallback.After, p.Client.Fallback.Statuses} },
		[]any{policy.AfterConnect | policy.AfterBreakerOpen, policy.StatusSet(503)}},
	{"fallback.reserve", "post", "{fallback: {rungs: [{handler: h}], reserve: 7ms}}", func(p ir.Policy) any { return p.Client.Fallback.Reserves() }, []time.Duration{ms7}},
	{"fallback.rungs.server", "post", out("server: two"), func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungServer, Name: "two"}},
	{"fallback.rungs.operation", "post", out("operation: reading"), func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungOperation, Name: "reading"}},
	{"fallback.rungs.with", "post", out("operation: a, with: {$request.body#/id: {b: [1, x]}, $request.query.q: $request.path.id, $request.header.X-Tenant: false}"), func(p ir.Policy) any { return rung(p).With },
		[]policy.Assignment{
			{To: body("/id"), Value: `{"b":[1,"x"]}`},
			{To: policy.Expr{Source: policy.FromQuery, Name: "q"}, From: pathID},
			{To: policy.Expr{Source: policy.FromHeader, Name: "X-Tenant"}, Value: "false"},
		}},
	{"fallback.rungs.cache.maxStale", "query", "{cache: true, fallback: [{cache: {maxStale: 7ms}}]}", func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungCache, MaxStale: ms7}},
	{"fallback.rungs.semanticCache.similarity", "post", out("semanticCache: {similarity: 0.7}"), func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungSemanticCache, Similarity: 0.7}},
	{"fallback.rungs.handler", "post", out("handler: other"), func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungHandler, Name: "other"}},
	{"fallback.rungs.static.status", "post", out("static: {status: 206}"), func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungStatic, Status: 206}},
	{"fallback.rungs.static.body", "post", out("static: {body: {id: x, items: []}}"), func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungStatic, Status: 200, Body: `{"id":"x","items":[]}`}},
	{"fallback.rungs.empty", "post", out("empty: true"), func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungEmpty}},
	{"fallback.rungs.queue", "post", out("queue: later"), func(p ir.Policy) any { return rung(p) }, policy.Rung{Kind: policy.RungQueue, Name: "later"}},
	{"fallback.rungs.timeout", "post", out("server: spare, timeout: 7ms"), func(p ir.Policy) any { return []any{rung(p).Timeout, p.Client.Fallback.Reserves()} }, []any{ms7, []time.Duration{ms7}}},
	{"fallback.rungs.whenUnknown", "query", out("queue: later, whenUnknown: true"), func(p ir.Policy) any { return rung(p).WhenUnknown }, true},
}

func cacheOf(p ir.Policy) policy.Cache { return *p.Client.Cache }

var cacheFields = []field{
	modeField("cache", "query", "{cache: {mode: shadow}}", func(p ir.Policy) policy.Mode { return p.Server.Cache.Mode }),
	{"cache.maxAge", "query", "{cache: {maxAge: 0s}}", func(p ir.Policy) any { return cacheOf(p).MaxAge }, time.Duration(0)},
	{"cache.sharedMaxAge", "query", "{cache: {sharedMaxAge: 7s}}", func(p ir.Policy) any { return cacheOf(p).SharedMaxAge }, 7 * time.Second},
	{"cache.cdnMaxAge", "query", "{cache: {cdnMaxAge: 7s}}", func(p ir.Policy) any { return []any{cacheOf(p).CDNMaxAge, cacheOf(p).SharedMaxAge} }, []any{7 * time.Second, policy.None}},
	{"cache.staleWhileRevalidate", "query", "{cache: {staleWhileRevalidate: 7s}}", func(p ir.Policy) any { return cacheOf(p).StaleWhileRevalidate }, 7 * time.Second},
	{"cache.staleIfError", "query", "{cache: {staleIfError: 1d}}", func(p ir.Policy) any { return cacheOf(p).StaleIfError }, 24 * time.Hour},
	{"cache.immutable", "query", "{cache: static}", func(p ir.Policy) any { return []any{cacheOf(p).Immutable, cacheOf(p).MaxAge} }, []any{true, 365 * 24 * time.Hour}},
	{"cache.vary", "query", "{cache: {vary: [accept-language]}}", func(p ir.Policy) any { return cacheOf(p).Vary }, []string{"Accept-Language"}},
	{"cache.scope", "query", "{cache: {scope: public}}", func(p ir.Policy) any { return cacheOf(p).Scope }, policy.CachePublic},
	{"cache.sameForAll", "query", "{cache: {sameForAll: true}}", func(p ir.Policy) any { return cacheOf(p).SameForAll }, true},
	{"cache.tags", "query", "{cache: {tags: ['thing-{$response.body#/id}']}}", func(p ir.Policy) any { return cacheOf(p).Tags },
		[]policy.Template{{Parts: []policy.TemplatePart{{Text: "thing-"}, {Expr: policy.Expr{Source: policy.FromResponseBody, Name: "/id"}}}}}},
	{"cache.invalidates", "post", "{cache: {invalidates: {reading: {id: $request.path.id}}}}", func(p ir.Policy) any { return cacheOf(p) },
		policy.Cache{Scope: policy.CacheNoStore, SharedMaxAge: policy.None, CDNMaxAge: policy.None,
			Invalidates: []policy.Invalidation{{Operation: "reading", Params: []policy.ParamValue{{In: "path", Name: "id", From: pathID}}}}}},
	{"cache.key", "query", "{cache: {key: [$principal]}}", func(p ir.Policy) any { return cacheOf(p).Key }, []policy.Expr{caller}},
	{"cache.store", "query", "{cache: {store: redis}}", func(p ir.Policy) any { return cacheOf(p).Store }, policy.CacheInRedis},
	{"cache.maxBytes", "query", "{cache: {maxBytes: 7MiB}}", func(p ir.Policy) any { return cacheOf(p).MaxBytes }, int64(7 << 20)},
}

// locked is a lock with one more field.
func locked(text string) string { return "{lock: {keys: ['a/{$request.path.id}'], " + text + "}}" }

var serverFields = []field{
	modeField("lock", "post", locked("mode: shadow"), func(p ir.Policy) policy.Mode { return p.Server.Lock.Mode }),
	{"lock.keys", "post", locked(""), func(p ir.Policy) any { return p.Server.Lock },
		&policy.Lock{Keys: []policy.Template{{Parts: []policy.TemplatePart{{Text: "a/"}, {Expr: pathID}}}}, TTL: 30 * time.Second, Wait: 5 * time.Second, Fencing: true}},
	{"lock.expected", "post", locked("expected: 30s"), func(p ir.Policy) any { return []any{p.Server.Lock.TTL, p.Server.Lock.Heartbeat} }, []any{3 * time.Minute, time.Minute}},
	{"lock.ttl", "post", locked("ttl: 7s"), func(p ir.Policy) any { return []any{p.Server.Lock.TTL, p.Server.Lock.Heartbeat} }, []any{7 * time.Second, time.Duration(0)}},
	{"lock.heartbeat", "post", locked("heartbeat: 7s"), func(p ir.Policy) any { return p.Server.Lock.Heartbeat }, 7 * time.Second},
	{"lock.wait", "post", locked("wait: 0s"), func(p ir.Policy) any { return p.Server.Lock.Wait }, time.Duration(0)},
	{"lock.fencing", "post", locked("fencing: false"), func(p ir.Policy) any { return p.Server.Lock.Fencing }, false},
	{"lock.backend", "post", locked("backend: postgres"), func(p ir.Policy) any { return p.Server.Lock.Backend }, policy.LockPostgres},

	modeField("concurrency", "post", "{concurrency: {mode: shadow}}", func(p ir.Policy) policy.Mode { return p.Server.Concurrency.Mode }),
	{"concurrency.etag", "post", "{concurrency: {etag: $request.body#/version}}", func(p ir.Policy) any { return p.Client.Concurrency.Version }, body("/version")},
	{"concurrency.ifMatch", "post", "{concurrency: {ifMatch: required}}", func(p ir.Policy) any { return p.Server.Concurrency.IfMatch }, policy.IfMatchRequired},
	{"concurrency.conflict", "post", "{concurrency: {conflict: 409}}", func(p ir.Policy) any { return p.Server.Concurrency.Conflict }, 409},
	{"concurrency.reread", "post", "{concurrency: {reread: auto}}", func(p ir.Policy) any { return p.Client.Concurrency.Reread }, "reading"},
}

// shedFields stand in defaults: load is shed by the whole server.
var shedFields = []field{
	modeField("shed", "", "{mode: shadow}", func(p ir.Policy) policy.Mode { return p.Server.Shed.Mode }),
	{"shed.target", "", "{target: 7ms}", func(p ir.Policy) any { return *p.Server.Shed }, policy.Shed{Target: ms7}},
	{"shed.maxInflight", "", "{maxInflight: 7}", func(p ir.Policy) any { return *p.Server.Shed }, policy.Shed{Target: 5 * time.Millisecond, MaxInflight: 7}},
	{"shed.adaptive", "", "{adaptive: true}", func(p ir.Policy) any { return p.Server.Shed.Adaptive }, true},
}

// Each field of each primitive that has settings comes to what it says; the test fails
// where the grammar has one that stands in no table.
func TestFields(t *testing.T) {
	tested := map[string]bool{}
	for _, f := range slices.Concat(fieldTable, inBuckets(), streamFields) {
		tested[f.path] = true
		t.Run(f.path, func(t *testing.T) {
			got := applyText(t, fieldText(f.method, f.policy), resilience.Pending()).clean()
			if d := cmp.Diff(f.want, f.got(got.op("a").Policy)); d != "" {
				t.Errorf("%s (-want +got):\n%s", f.policy, d)
			}
		})
	}
	for _, f := range shedFields {
		tested[f.path] = true
		t.Run(f.path, func(t *testing.T) {
			text := strings.Replace(fieldText("post", "{}"), "{shed: false}", "{shed: "+f.policy+"}", 1)
			got := applyText(t, text, resilience.Pending()).clean()
			if d := cmp.Diff(f.want, f.got(got.op("a").Policy)); d != "" {
				t.Errorf("%s (-want +got):\n%s", f.policy, d)
			}
		})
	}
	for path := range flowFields {
		tested[path] = true
	}
	for _, path := range resilience.FieldPaths() {
		if !tested[path] {
			t.Errorf("no row for %s", path)
		}
	}
}
