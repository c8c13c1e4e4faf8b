package policyfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

// problemsOf is a file's error as text.
func problemsOf(t *testing.T, text string) string {
	t.Helper()
	_, err := policyfile.Parse("p.json", []byte(text), nil)
	if err == nil {
		return ""
	}
	if _, ok := errors.AsType[*policyfile.Error](err); !ok {
		t.Fatalf("%T", err)
	}
	return err.Error()
}

func TestParseReportsPlaces(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"fine": {text: `{"version": 1, "description": "x", "x-owner": {"a": 1}, "all": {}, "operations": {}, "profiles": {"p": {"all": {}, "operations": {}}}}`},
		"every number": {text: `{"version": 1, "all": {
			"timeout": {"connect": "1s", "attempt": "2s", "total": "none", "idle": "30s", "floor": "5ms", "server": "1m30s", "share": 0.5, "adaptive": true, "ceiling": "1d", "mode": "shadow"},
			"deadline": {"reserve": "0s", "mode": "off"},
			"retry": {"maxAttempts": 3, "baseDelay": "0s", "maxDelay": "1s", "jitter": "equal", "statuses": [503, "5xx"], "never": [501], "errors": ["connect", "tls"],
				"rules": {"busy": {"wait": "1s"}}, "maxRetryAfter": "60s", "planRetryAfter": true, "budget": {"ratio": 0.2, "minPerSecond": 10, "window": "10s"}, "shrink": {"factor": 0.5, "keepFirst": 1}},
			"hedge": {"delay": "p95", "max": 1}, "stream": {"first": "5s", "mode": "off"},
			"breaker": {"window": {"count": 10}, "failureThreshold": 5, "minTime": "1s", "minCalls": 1, "slowCall": "10s", "recovery": "30s", "backoff": 1, "maxRecovery": "5m", "probes": 2, "mode": "enforce"},
			"bulkhead": {"maxConcurrent": 1, "queue": 0, "timeout": "1s", "hold": "none", "onFull": "caller-runs", "adaptive": false},
			"fallback": {"reserve": "1s"},
			"cache": {"maxAge": "0s", "sharedMaxAge": "1s", "cdnMaxAge": "1s", "staleWhileRevalidate": "1s", "staleIfError": "1s", "maxBytes": "1MiB"},
			"rateLimit": {"limit": 1, "per": "1s", "burst": 1, "cost": 0, "refund": ["4xx"], "wait": "0s", "onStoreError": "deny"},
			"idempotency": {"ttl": "72h", "lease": "1m", "maxBody": "1KB", "onStoreError": "allow"},
			"lock": {"ttl": "5s", "heartbeat": "1s", "wait": "0s"}, "shed": {"target": "5ms", "maxInflight": 10, "adaptive": true}, "concurrency": {"mode": "shadow"},
			"criticality": "critical",
			"client": {"rateLimit": {"buckets": {"shared": {"limit": 5}}}, "criticality": "optional", "retry": false},
			"server": {"bulkhead": true, "timeout": {"enabled": false}, "lock": {"expected": "3s"}}}}`},
		"durations": {text: `{"version": 1, "all": {"timeout": "1d12h", "retry": {"budget": false, "maxDelay": "1.5s"}, "hedge": {"delay": "50ms"}}}`},
		"no version": {
			text: "{\n \"all\": {}\n}",
			want: []string{"p.json:1:1: version is missing: want version: 1"},
		},
		"a misspelt version": {
			text: `{"versoin": 1}`,
			want: []string{"p.json:1:2: /versoin: unknown: did you mean version? want one of version, all, operations, profiles"},
		},
		"signs of a terminal": {
			text: `{"version": 1, "all": {"\u001b[31m\n\u202e": 1}}`,
			want: []string{`p.json:1:24: /all/\x1b[31m\n\u202e: unknown: want one of timeout, deadline, idempotency, cache, concurrency, retry, hedge, breaker, bulkhead, fallback, stream, rateLimit, lock, shed, criticality, client, server`},
		},
		"version": {
			text: `{"version": 2}`,
			want: []string{"p.json:1:13: /version: 2 does not fit: want 1"},
		},
		"not an object": {text: `[1]`, want: []string{"p.json:1:1: a list does not fit: want an object"}},
		"empty":         {text: ``, want: []string{"p.json:1:1: not valid JSON: a value is expected"}},
		"syntax":        {text: "{\"version\": 1,\n  \"all\": {}},", want: []string{"p.json:2:13: not valid JSON: text after the value"}},
		"twice":         {text: "{\"version\": 1,\n  \"version\": 1}", want: []string{"p.json:2:3: not valid JSON: two members of one name"}},
		"defaults": {
			text: `{"version": 1, "defaults": {}}`,
			want: []string{"p.json:1:16: /defaults: a policy file cannot change it: defaults stand below what the document writes for an operation, and a program does not know any more what that was: write all"},
		},
		"near miss at the root": {
			text: `{"version": 1, "operation": {}}`,
			want: []string{"p.json:1:16: /operation: unknown: did you mean operations? want one of version, all, operations, profiles"},
		},
		"near misses": {
			text: "{\"version\": 1, \"operations\": {\"getPet\": {\n  \"retyr\": {},\n  \"retry\": {\"maxAttempt\": 3},\n  \"breaker\": {\"mode\": \"shadows\"}}}}",
			want: []string{
				"p.json:2:3: /operations/getPet/retyr: unknown: did you mean retry? want one of timeout, deadline, idempotency, cache, concurrency, retry, hedge, breaker, bulkhead, fallback, stream, rateLimit, lock, shed, criticality, client, server",
				"p.json:3:13: /operations/getPet/retry/maxAttempt: unknown: did you mean maxAttempts? want one of maxAttempts, baseDelay, maxDelay, jitter, statuses, never, errors, rules, maxRetryAfter, planRetryAfter, budget, shrink, mode",
				"p.json:4:23: /operations/getPet/breaker/mode: \"shadows\" does not fit: did you mean shadow? want one of enforce, shadow, off",
			},
		},
		"out of range": {
			text: `{"version": 1, "all": {"retry": {"maxAttempts": 11}, "timeout": {"share": 0}, "breaker": {"backoff": 0.5}}}`,
			want: []string{
				"p.json:1:49: /all/retry/maxAttempts: 11 does not fit: want a whole number from 1 to 10",
				"p.json:1:75: /all/timeout/share: 0 does not fit: want a number above 0 and up to 1",
				"p.json:1:102: /all/breaker/backoff: 0.5 does not fit: want a number from 1 to 100",
			},
		},
		"no unit": {
			text: `{"version": 1, "all": {"timeout": {"attempt": 5, "idle": "0s", "connect": "-1s", "total": "never"}}}`,
			want: []string{
				"p.json:1:47: /all/timeout/attempt: 5 does not fit: want a Go duration such as 5s above zero",
				"p.json:1:58: /all/timeout/idle: \"0s\" does not fit: want a Go duration such as 5s above zero",
				"p.json:1:75: /all/timeout/connect: \"-1s\" does not fit: want a Go duration such as 5s above zero",
				"p.json:1:91: /all/timeout/total: \"never\" does not fit: want a Go duration such as 5s, or none",
			},
		},
		"structure": {
			text: `{"version": 1, "all": {"breaker": {"scope": "host"}, "idempotency": {"header": "X"}, "effect": "read", "retry": {"rules": {"a": {"do": "retry"}}, "safety": "always"}}}`,
			want: []string{
				"p.json:1:36: /all/breaker/scope: a policy file cannot change it: what calls share, and by which key, is decided when code is generated",
				"p.json:1:70: /all/idempotency/header: a policy file cannot change it: both sides of the wire have to agree on it, so it is decided when code is generated",
				"p.json:1:86: /all/effect: a policy file cannot change it: what may be repeated safely is decided when code is generated",
				"p.json:1:130: /all/retry/rules/a/do: a policy file cannot change it: which calls it is about is decided when code is generated",
				"p.json:1:147: /all/retry/safety: a policy file cannot change it: what may be repeated safely is decided when code is generated",
			},
		},
		"presets": {
			text: `{"version": 1, "all": {"retry": "background", "bulkhead": {"tier": "critical"}}, "operations": {"a": "careful", "b": false, "c": {"retry": null}}}`,
			want: []string{
				"p.json:1:33: /all/retry: \"background\": presets are resolved when code is generated: write the numbers",
				"p.json:1:60: /all/bulkhead/tier: a policy file cannot change it: presets are resolved when code is generated: write the numbers",
				"p.json:1:102: /operations/a: \"careful\" does not fit: want an object: presets are resolved when code is generated: write the numbers",
				"p.json:1:118: /operations/b: false does not fit: want an object: write what is to be off by its name, such as retry: false",
				"p.json:1:140: /operations/c/retry: null goes back to the built-in policy, which is done when code is generated: write the numbers",
			},
		},
		"sides": {
			text: `{"version": 1, "all": {"server": {"retry": {}, "lok": {}}, "client": {"lock": {}}}}`,
			want: []string{
				"p.json:1:35: /all/server/retry: it is for the other side of the wire",
				"p.json:1:48: /all/server/lok: unknown: did you mean lock? want one of timeout, deadline, idempotency, cache, concurrency, bulkhead, rateLimit, lock, shed",
				"p.json:1:71: /all/client/lock: it is for the other side of the wire",
			},
		},
		"alternatives": {
			text: `{"version": 1, "all": {"breaker": {"failureThreshold": 5, "failureRate": 0.5}, "timeout": {"headroom": 2}}}`,
			want: []string{
				"p.json:1:35: /all/breaker: failureThreshold and failureRate exclude each other",
				"p.json:1:91: /all/timeout: headroom is a factor on p999, which has to be written next to it",
			},
		},
		"statuses": {
			text: `{"version": 1, "all": {"retry": {"statuses": [503, "6xx"], "never": 501}}}`,
			want: []string{
				"p.json:1:46: /all/retry/statuses: \"6xx\" does not fit: want a list of statuses such as 503 and 5xx",
				"p.json:1:69: /all/retry/never: 501 does not fit: want a list of statuses such as 503 and 5xx",
			},
		},
		"escapes in pointers": {
			text: `{"version": 1, "operations": {"GET /a~b": {"x": 1}}}`,
			want: []string{"p.json:1:44: /operations/GET ~1a~0b/x: unknown: want one of timeout, deadline, idempotency, cache, concurrency, retry, hedge, breaker, bulkhead, fallback, stream, rateLimit, lock, shed, criticality, client, server"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			if text := problemsOf(t, test.text); text != "" {
				got = strings.Split(text, "\n")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHostileFilesAreBounded(t *testing.T) {
	many := `{"version": 1, "all": {` + strings.Repeat(`"a": 1, "b": 2, "c": 3, `, 1) + `"d": 4}}`
	deep := strings.Repeat(`{"all":`, 400) + `1` + strings.Repeat(`}`, 400)
	wide := `{"version": 1, "x-a": [` + strings.Repeat(`1,`, policyfile.MaxNodes) + `1]}`
	for name, text := range map[string]string{
		"many": many, "deep": deep, "deeper": strings.Repeat(`[`, 1<<19), "wide": wide, "large": strings.Repeat(" ", policyfile.MaxBytes+1),
		"not UTF-8": "{\"\xff\": 1}", "long": `{"version": "` + strings.Repeat("x", 1<<19) + `"}`,
	} {
		got := problemsOf(t, text)
		if got == "" || len(got) > 20_000 {
			t.Errorf("%s: %d bytes of problems: %.200s", name, len(got), got)
		}
	}
	var members []string
	for i := range 1000 {
		members = append(members, `"m`+strings.Repeat("i", i)+`": 1`)
	}
	_, err := policyfile.Parse("p", []byte(`{"version": 1, "all": {`+strings.Join(members, ",")+`}}`), nil)
	if e, ok := errors.AsType[*policyfile.Error](err); !ok || len(e.Problems) != 50 {
		t.Errorf("%T with more than 50 problems", err)
	}
}

func TestDecoderThatPanics(t *testing.T) {
	_, err := policyfile.Parse("p", nil, func([]byte) (*policyfile.Node, error) { panic("oops") })
	if err == nil || err.Error() != "policy file p: the decoder panicked: oops" {
		t.Errorf("%v", err)
	}
	if _, err := policyfile.Parse("p", nil, func([]byte) (*policyfile.Node, error) { return nil, nil }); err == nil { //nolint:nilnil // That is the test.
		t.Error("a decoder that gives nothing passes")
	}
}
