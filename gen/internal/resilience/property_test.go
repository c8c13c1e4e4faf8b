package resilience_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// choices are values of fields that hold in any combination.
var choices = map[string][]string{
	"timeout":     {"1s", "llm", "null", "{attempt: 2s}", "{total: 90s, idle: 3s}", "{server: 4s}", "{p999: 700ms}", "{share: 0.5, floor: 2ms}", "{preset: long, connect: 1s}"},
	"deadline":    {"true", "false", "null", "{reserve: 5ms}", "{propagate: false}", "{trust: false, header: grpc-timeout}"},
	"retry":       {"true", "false", "null", "background", "none", "{maxAttempts: 4}", "{jitter: equal, statuses: [503]}", "{preset: llm, maxAttempts: 2}", "{budget: false}", "{budget: {ratio: 0.5}}", "{rules: {a: {status: 403, do: retry}}}", "{rules: {a: false}}", "{never: []}"},
	"breaker":     {"true", "false", "null", "database", "high-traffic", "{window: {count: 50}}", "{window: {time: 20s}}", "{failureThreshold: 3}", "{scope: operation}", "{key: [$request.path.id]}", "{slowCall: 3s, probes: 4}"},
	"bulkhead":    {"true", "false", "null", "critical", "{name: own}", "{maxConcurrent: 3, queue: 0}", "{hold: 1s, onFull: abort}"},
	"rateLimit":   {"true", "false", "null", "free", "unlimited", "{limit: 7, per: 1s}", "{tier: premium, burst: 9}", "{buckets: {a: free}}", "{buckets: {a: {limit: 4, per: 1m}, b: premium}}"},
	"idempotency": {"true", "false", "null", "{ttl: 2d}", "{key: per-call}", "{from: [$request.path.id]}", "{scope: $ip, quoted: true}"},
	"hedge":       {"true", "false", "null", "{delay: 50ms}", "{delay: p99, max: 2}"},
	"fallback":    {"false", "null", "llm", "[{empty: true}]", "{rungs: [{handler: h, timeout: 2s}], reserve: 3s}", "{preset: llm, after: [503]}"},
	"cache":       {"true", "false", "null", "static", "personal", "{maxAge: 5s}", "{tags: [a], vary: [Accept]}", "{preset: api, store: redis}"},
	"concurrency": {"true", "false", "null", "{ifMatch: required}", "{conflict: 409}"},
	"lock":        {"false", "null", "{keys: ['a/{$request.path.id}']}", "{keys: [b], expected: 30s}"},
	"effect":      {"read", "idempotent", "write"},
	"criticality": {"critical", "optional"},
}

var fields = []string{"timeout", "deadline", "retry", "breaker", "bulkhead", "rateLimit", "idempotency", "effect", "criticality"}

// allFields are those with which a policy may be refused, depending on what else it says.
var allFields = slices.Concat(fields, []string{"hedge", "fallback", "cache", "concurrency", "lock"})

// notIn are the fields that the block of a side does not have.
var notIn = map[string][]string{
	"client": {"lock"},
	"server": {"retry", "breaker", "effect", "criticality", "hedge", "fallback"},
}

// drawPolicy draws a policy as the fields of a flow mapping.
func drawPolicy(t *rapid.T, label string) string { return drawOf(t, label, fields) }

// drawAny draws one of all primitives.
func drawAny(t *rapid.T, label string) string { return drawOf(t, label, allFields) }

func drawOf(t *rapid.T, label string, fields []string) string {
	var parts []string
	for _, f := range fields {
		if rapid.IntRange(0, 2).Draw(t, label+f) == 0 {
			parts = append(parts, f+": "+rapid.SampledFrom(choices[f]).Draw(t, label+f+" is"))
		}
	}
	for _, side := range []string{"client", "server"} {
		var block []string
		for _, f := range fields {
			if slices.Contains(notIn[side], f) || rapid.IntRange(0, 4).Draw(t, label+side+f) != 0 {
				continue
			}
			block = append(block, f+": "+rapid.SampledFrom(choices[f]).Draw(t, label+side+f+" is"))
		}
		if len(block) > 0 {
			parts = append(parts, side+": {"+strings.Join(block, ", ")+"}")
		}
	}
	return strings.Join(parts, ", ")
}

// merged is the policy that levels lead to.
func merged(t *rapid.T, dir string, l levels) (ir.Policy, bool) {
	path := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(path, []byte(head+l.document()), 0o600); err != nil {
		t.Fatal(err)
	}
	var list diag.List
	doc := load.Load(context.Background(), load.Options{Path: path}, &list)
	got := lower.Lower(doc, lower.Options{}, &list)
	resilience.Apply(doc, got.API, nodes(got), &list, resilience.Pending())
	for _, d := range list.Sorted() {
		// A few combinations are refused for what they add up to.
		if d.Code != "resilience-range" && d.Code != catalog.TimeoutAttemptAboveTotal && d.Code != "resilience-limit" &&
			d.Code != "resilience-conflict" && d.Code != "resilience-missing" && d.Code != "idempotency-lease" {
			t.Fatalf("%s\n%s: %s", l.document(), d.Code, d.Message)
		}
	}
	p := got.API.Operations[0].Policy
	p.Sources = nil
	return p, !list.HasErrors()
}

func checkSame(t *rapid.T, dir string, want, got levels) {
	a, okA := merged(t, dir, want)
	b, okB := merged(t, dir, got)
	if okA != okB {
		t.Fatalf("refused: %t and %t\n%s\n%s", !okA, !okB, want.document(), got.document())
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Fatalf("differs\n%s\n%s\n%s", want.document(), got.document(), d)
	}
}

func TestMergeProperties(t *testing.T) {
	dir := t.TempDir()
	brace := func(s string) string { return "{" + s + "}" }
	t.Run("an empty level changes nothing", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a, b := drawAny(t, "a"), drawAny(t, "b")
			checkSame(t, dir, levels{root: defaults(brace(a)), op: brace(b)}, levels{root: defaults(brace(a)), item: "{}", op: brace(b)})
		})
	})
	t.Run("a level twice is that level once", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := drawAny(t, "a")
			checkSame(t, dir, levels{op: brace(a)}, levels{item: brace(a), op: brace(a)})
		})
	})
	t.Run("it does not matter which levels they are", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a, b := drawAny(t, "a"), drawAny(t, "b")
			checkSame(t, dir, levels{root: defaults(brace(a)), item: brace(b)}, levels{item: brace(a), op: brace(b)})
		})
	})
	t.Run("a used policy is a weaker level", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a, b := drawAny(t, "a"), drawAny(t, "b")
			used := "use: p"
			if b != "" {
				used += ", " + b
			}
			checkSame(t, dir, levels{item: brace(a), op: brace(b)}, levels{root: "{version: 1, policies: {p: {" + a + "}}}", op: brace(used)})
		})
	})
	t.Run("a bare field is the same as its blocks", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := drawAny(t, "a")
			p := rapid.SampledFrom([]string{"timeout", "deadline", "idempotency"}).Draw(t, "field")
			v := rapid.SampledFrom(choices[p]).Draw(t, "value")
			checkSame(t, dir, levels{item: brace(a), op: fmt.Sprintf("{%s: %s}", p, v)},
				levels{item: brace(a), op: fmt.Sprintf("{client: {%s: %s}, server: {%s: %s}}", p, v, p, v)})
		})
	})
	t.Run("the stronger level wins", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := drawAny(t, "a")
			n := rapid.IntRange(1, 10).Draw(t, "n")
			p, _ := merged(t, dir, levels{root: defaults(brace(a)), op: fmt.Sprintf("{retry: {maxAttempts: %d}, client: {timeout: {attempt: %ds}}}", n, n)})
			if p.Client.Retry == nil || p.Client.Retry.MaxAttempts != n || p.Client.Timeout.Attempt != policySeconds(n) {
				t.Fatalf("%+v", p.Client)
			}
		})
	})
	t.Run("what is accepted is in range", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p, ok := merged(t, dir, levels{root: defaults(brace(drawAny(t, "a"))), item: brace(drawAny(t, "b")), op: brace(drawAny(t, "c"))})
			if !ok {
				return
			}
			spec := policy.Spec{ID: "a", Client: p.Client, Server: p.Server}
			if err := spec.Validate(); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func policySeconds(n int) time.Duration { return time.Duration(n) * time.Second }
