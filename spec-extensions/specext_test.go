package specext_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// schemas are the root's and that of a level.
type schemas struct{ root, level, policy *jsonschema.Schema }

func compile(t *testing.T) schemas {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(specext.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	const id = "https://github.com/holdfast-go/holdfast/spec-extensions/x-resilience.schema.json"
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	get := func(at string) *jsonschema.Schema {
		s, err := c.Compile(id + at)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return schemas{get(""), get("#/$defs/level"), get("#/$defs/rootLevel")}
}

// parse reads YAML into what a JSON Schema is about.
func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return asJSON(t, v)
}

func asJSON(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The numbers of section 7 of the language.
func TestPresets(t *testing.T) {
	set, err := specext.Load()
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	want := map[string]map[string]m{
		"retry": {
			"user-facing":  {"maxAttempts": 2, "baseDelay": "500ms", "maxDelay": "2s"},
			"background":   {"maxAttempts": 5, "baseDelay": "2s", "maxDelay": "60s"},
			"rate-limited": {"maxAttempts": 3, "baseDelay": "2s", "maxDelay": "120s", "maxRetryAfter": "120s", "planRetryAfter": true},
			"none":         {"maxAttempts": 1},
		},
		"breaker": {
			"llm": {"failureThreshold": 3, "recovery": "60s", "slowCall": "30s"},
			// 10s is the field's own default.
			"external-api": {"failureThreshold": 5, "recovery": "30s"},
			"database":     {"failureThreshold": 3, "recovery": "15s", "slowCall": "5s"},
			"high-traffic": {"window": m{"time": "10s"}, "failureRate": 0.5, "minCalls": 20, "recovery": "30s"},
		},
		"bulkhead": {
			"critical": {"maxConcurrent": 5, "queue": 10, "timeout": "180s", "hold": "180s", "onFull": "queue"},
			"standard": {"maxConcurrent": 8, "queue": 12, "timeout": "120s", "hold": "120s", "onFull": "caller-runs"},
			"optional": {"maxConcurrent": 4, "queue": 6, "timeout": "60s", "hold": "60s", "onFull": "discard"},
		},
		"rateLimit": {
			"free":      {"limit": 60, "per": "1m", "burst": 10},
			"standard":  {"limit": 100, "per": "10s", "burst": 100},
			"premium":   {"limit": 1000, "per": "10s", "burst": 1000},
			"strict":    {"algorithm": "sliding-window", "limit": 100, "per": "1m", "onStoreError": "deny"},
			"unlimited": {},
		},
		"cache": {
			"api":      {"maxAge": "60s", "staleWhileRevalidate": "300s"},
			"static":   {"maxAge": "365d", "immutable": true},
			"personal": {"scope": "private", "maxAge": "0s", "vary": []any{"Cookie", "Authorization"}},
		},
		"fallback": {
			"llm": {"rungs": []any{
				m{"operation": "$operation"}, m{"semanticCache": m{"similarity": 0.85}},
				m{"static": m{"status": 503, "body": m{"type": "about:blank", "title": "Service Unavailable", "status": 503}}},
			}},
		},
		"timeout": {
			"fast": {"attempt": "1s"}, "default": {"attempt": "10s"}, "llm": {"attempt": "60s", "idle": "30s"}, "long": {"attempt": "5m"},
		},
	}
	for primitive, presets := range want {
		got := set.Presets[primitive].Presets
		for name, p := range presets {
			if d := cmp.Diff(p, got[name]); d != "" {
				t.Errorf("%s %s (-want +got):\n%s", primitive, name, d)
			}
		}
		extra := 0
		if primitive == "retry" {
			extra = 1 // llm, which is tested where its rules are read
		}
		if len(got) != len(presets)+extra {
			t.Errorf("%s has %d presets, want %d", primitive, len(got), len(presets)+extra)
		}
	}
	for primitive, name := range map[string]string{"retry": "user-facing", "breaker": "external-api", "rateLimit": "standard", "timeout": "default", "bulkhead": "", "cache": "api", "fallback": ""} {
		if got := set.Presets[primitive].Default; got != name {
			t.Errorf("%s begins with %q, want %q", primitive, got, name)
		}
	}
	wantDefault := m{
		"timeout":  m{"connect": "5s", "attempt": "10s", "idle": "30s", "server": "30s"},
		"deadline": m{"propagate": true, "trust": true, "reserve": "20ms"},
		"client": m{
			"retry": "user-facing", "breaker": m{"preset": "external-api", "minTime": "1s"},
			"bulkhead": m{"maxConcurrent": 128, "queue": 128, "timeout": "1s", "onFull": "queue"},
		},
	}
	if d := cmp.Diff(wantDefault, set.Default); d != "" {
		t.Errorf("the built-in policy (-want +got):\n%s", d)
	}
}

// Our own files are written in the language.
func TestFilesFitTheSchema(t *testing.T) {
	s := compile(t)
	set, err := specext.Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.policy.Validate(asJSON(t, set.Default)); err != nil {
		t.Error(err)
	}
	for primitive, fields := range set.Fields {
		v := map[string]any{primitive: fields}
		if err := s.policy.Validate(asJSON(t, v)); err != nil {
			t.Errorf("fields of %s: %v", primitive, err)
		}
	}
	for primitive, p := range set.Presets {
		for name, preset := range p.Presets {
			v := map[string]any{"client": map[string]any{primitive: preset}}
			if err := s.policy.Validate(asJSON(t, v)); err != nil {
				t.Errorf("%s %s: %v", primitive, name, err)
			}
		}
	}
}

// The annotations of the design's examples hold all of the language.
func TestSchemaAcceptsExamples(t *testing.T) {
	const dir = "../../shared/design/examples"
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Logf("NOT RUN: the examples are not at %s", dir)
		return
	}
	s := compile(t)
	count := 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		annotations(parse(t, string(data)), func(at string, v any) {
			count++
			schema := s.level
			if root, ok := v.(map[string]any); ok && root["version"] != nil {
				schema = s.root
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(path), at, err)
			}
		})
	}
	if count < 30 {
		t.Errorf("only %d annotations", count)
	}
}

// annotations finds all values of x-resilience.
func annotations(v any, found func(at string, v any)) {
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, member := range v {
				if k == "x-resilience" {
					found(at, member)
					continue
				}
				walk(at+"/"+k, member)
			}
		case []any:
			for i, item := range v {
				walk(fmt.Sprintf("%s/%d", at, i), item)
			}
		}
	}
	walk("", v)
}

func TestSchemaAccepts(t *testing.T) {
	s := compile(t)
	for _, text := range []string{
		"false", "careful", "{}", "{use: careful, retry: none}", "{description: text, x-team: [1]}",
		"{timeout: 5s}", "{timeout: llm}", "{timeout: {total: none, attempt: 1.5s}}", "{timeout: {idle: 1d12h}}", "{timeout: null}",
		"{retry: {mode: false}}", "{retry: {mode: off, baseDelay: 0s}}", "{retry: {statuses: [429, 5xx]}}",
		"{retry: {rules: {a: {status: [403], header: {X-Left: 0}, body: {/error/code: [busy, 7]}, do: retry, wait: 60s}, b: false}}}",
		"{breaker: {key: [$request.body#/model], window: {time: 10s}}}", "{bulkhead: {tier: critical}}",
		"{rateLimit: {buckets: {a: free, b: {limit: 1, per: 1s}, c: false}}}", "{idempotency: {scope: '', maxBody: 64KiB}}",
		"{fallback: [{cache: {maxStale: 1m}}]}", "{client: {rateLimit: {sync: {remaining: x-left, reset: x-reset, as: epoch}}}}",
		"{waive: {timeout-off: measured, retry-safety-always: false}}", "{variants: {a: {when: {$request.query.q: true}, retry: none}}}",
	} {
		if err := s.level.Validate(parse(t, text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSchemaRejects(t *testing.T) {
	s := compile(t)
	for _, text := range []string{
		"true", "null", "7", "[retry]", "{retries: 3}", "{version: 1}", "{timeout: 5}", "{timeout: -5s}", "{timeout: 5 parsecs}", "{timeout: {attempt: 0s}}",
		"{timeout: {attempt: 5 parsecs}}", "{timeout: {attempt: 5s, p999: 1s}}", "{timeout: {share: 0}}", "{timeout: {share: 1.5}}",
		"{retry: {maxAttempts: 0}}", "{retry: {maxAttempts: 11}}", "{retry: {maxAttempts: 1.5}}", "{retry: {maxAttempts: '3'}}", "{retry: [none]}",
		"{retry: {jitter: ful}}", "{retry: {statuses: [600]}}", "{retry: {statuses: [6xx]}}", "{retry: {mode: on}}", "{retry: {mode: true}}",
		"{retry: {rules: {a: {error: dns, status: 500}}}}", "{retry: {wait: {a: {header: x, body: /y}}}}", "{retry: {rules: {a: {body: {code: x}}}}}",
		"{breaker: {window: {count: 1, time: 1s}}}", "{breaker: {failureThreshold: 1, failureRate: 0.5}}", "{breaker: {failureRate: 0}}",
		"{breaker: {key: []}}", "{breaker: {key: [model]}}", "{breaker: {key: [$response.body#/id]}}", "{breaker: {scope: host, key: [$ip]}}",
		"{bulkhead: {tier: critical, preset: standard}}", "{bulkhead: {maxConcurrent: 0}}", "{bulkhead: {queue: -1}}",
		"{rateLimit: {limit: 1, buckets: {a: free}}}", "{rateLimit: {tier: free, buckets: {a: free}}}", "{rateLimit: {limit: 0}}",
		"{idempotency: {maxBody: 1GB}}", "{idempotency: {maxBody: 1024}}", "{idempotency: {header: 'Idempotency Key'}}", "{idempotency: {from: []}}",
		"{deadline: strict}", "{server: {retry: none}}", "{client: {lock: false}}", "{client: {use: a}}", "{effect: maybe}", "{waive: {timeout-off: ''}}",
		"{fallback: [{server: a, queue: b}]}", "{outbox: {sign: {scheme: standard-webhooks, secret: 'not a name'}}}",
	} {
		if s.level.Validate(parse(t, text)) == nil {
			t.Errorf("accepted as a level: %s", text)
		}
	}
	for _, text := range []string{
		"{}", "false", "{version: 2}", "{version: '1'}", "{version: 1, retry: none}", "{version: 1, replicas: 0}", "{version: 1, external: 'yes'}",
		"{version: 1, presets: {retries: {}}}", "{version: 1, policies: {a: 7}}", "{version: 1, sagas: {a: {id: $inputs.id}}}",
	} {
		if s.root.Validate(parse(t, text)) == nil {
			t.Errorf("accepted as a root: %s", text)
		}
	}
}

// Everything has a description, for that is what editors show.
func TestSchemaDescribes(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(specext.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	defs := schema["$defs"].(map[string]any)
	for name, d := range defs {
		if text, _ := d.(map[string]any)["description"].(string); strings.TrimSpace(text) == "" {
			t.Errorf("$defs/%s has no description", name)
		}
	}
}
