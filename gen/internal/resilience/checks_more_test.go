package resilience_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// What only shows when everything is merged, by the words that the report has to have.
func TestMergedFaults(t *testing.T) {
	for _, tt := range []struct{ method, policy, want string }{
		{"post", "{effect: read, idempotency: true, hedge: true}", "hedge and idempotency exclude each other"},
		{"post", "{hedge: {delay: 50ms}}", "the effect of this one is write"},
		{"query", "{hedge: {delay: p100}}", `"p100" is no percentile`},
		{"query", "{hedge: {delay: soon}}", `"soon" is no duration`},

		{"post", "{fallback: true}", "fallback needs rungs: at least one way out"},
		{"post", "{fallback: []}", "fallback is empty: want at least one"},
		{"post", "{fallback: {after: [404], rungs: [{empty: true}]}}", "fallback.after 404: a fallback is for 5xx"},
		{"post", "{fallback: {after: [4xx], rungs: [{empty: true}]}}", "fallback.after 4xx: a fallback is for 5xx"},
		{"post", "{fallback: {after: [late], rungs: [{empty: true}]}}", `fallback.after[0] "late" is unknown`},
		{"post", "{fallback: [{timeout: 1s}]}", "fallback[0] does not say what it is"},
		{"post", "{fallback: [{server: spare, queue: q}]}", "server and queue exclude each other"},
		{"post", "{fallback: [{queue: q, with: {}}]}", "with is for a rung with operation"},
		{"post", "{fallback: [{empty: false}]}", "must be true"},
		{"post", "{fallback: [{server: spar}]}", `there is no server "spar"`},
		{"post", "{fallback: [{server: 2}]}", `there is no server "2"`},
		{"post", "{fallback: [{operation: readin}]}", "did you mean reading?"},
		{"post", "{fallback: [{operation: a, with: {$response.body#/id: x}}]}", "want a place of the request"},
		{"post", "{fallback: [{operation: a, with: {$request.body#/nix: x}}]}", "the body has nothing at /nix"},
		{"post", "{fallback: [{operation: a, with: {$request.body#/id: $nope}}]}", `"$nope" is no expression`},
		{"query", "{fallback: [{cache: {maxStale: 1m}}]}", "cache is off"},
		{"post", "{fallback: [{server: spare, whenUnknown: true}]}", "the effect of a write may come twice"},
		{"post", "{fallback: [{operation: $sourceDescriptions.other.x}]}", `there is no source "other"`},
		{"post", "{fallback: {preset: lm}}", "did you mean llm?"},

		{"query", "{cache: {scope: public}}", ""}, // no security
		{"query", "{cache: {maxAge: 60}}", "has no unit"},
		{"query", "{cache: {tags: ['a{b']}}", "is no text with expressions in braces"},
		{"query", "{cache: {tags: ['a{$response.body#/nix}']}}", "nothing at /nix"},
		{"query", "{cache: {key: [$response.body#/id]}}", "is not known before the call"},
		{"post", "{cache: personal}", "only invalidates may stand here"},
		{"post", "{cache: true}", "only invalidates may stand here"},
		{"post", "{cache: {maxAge: 1m, invalidates: {reading: {}}}}", "the effect of this operation is write"},
		{"post", "{cache: {invalidates: {readin: {}}}}", "did you mean reading?"},
		{"post", "{cache: {invalidates: {reading: {ident: $request.path.id}}}}", `has no parameter "ident"`},
		{"post", "{cache: {invalidates: {reading: {id: $request.path.nix}}}}", `there is no path parameter "nix"`},

		{"post", "{lock: true}", "lock needs keys: what is locked"},
		{"post", "{lock: {keys: ['x/{$request.body#/nix}']}}", "nothing at /nix"},
		{"post", "{lock: {keys: ['x/{$response.body#/id}']}}", "is not known before the call"},
		{"post", "{lock: {keys: [a], ttl: 1s}}", "lock.ttl 1s is under expected 2s"},
		{"post", "{lock: {keys: [a], heartbeat: 30s}}", "lock.heartbeat 30s is not under ttl 30s"},
		{"post", "{lock: {keys: [a], backend: memory}}", "want redis, redlock or postgres"},

		{"query", "{concurrency: {etag: $request.body#/version}}", "the version of a read stands in its response"},
		{"post", "{concurrency: {etag: $response.body#/version}}", "the version of a write stands in its request"},
		{"post", "{concurrency: {etag: false}}", "must be true"},
		{"post", "{concurrency: {conflict: 410}}", "want 412 or 409"},
		{"post", "{concurrency: {conflict: '409'}}", "must be one of 412 or 409"},
		{"post", "{shed: {target: 1ms}}", "is for the whole server"},
		{"post", "{server: {shed: true}}", "is for the whole server"},
		{"post", "{shed: false}", ""},

		{"post", "{retry: {shrink: {pointer: /id}}}", "what is at /id is no list"},
		{"post", "{retry: {shrink: {pointer: /nix}}}", "the body has nothing at /nix"},
		{"post", "{retry: {shrink: {factor: 0.5}}}", "shrink needs pointer"},
		{"post", "{retry: {shrink: {pointer: /items, factor: 1}}}", "drops nothing"},
		{"post", "{timeout: {adaptive: true, ceiling: 1ms}}", "timeout.ceiling 1ms is under floor 5ms"},

		{"post", "{rateLimit: {algorithm: sliding-window, limit: 9, per: 1s, burst: 9}}", "burst is for token buckets"},
		{"post", "{rateLimit: {algorithm: sliding-window, limit: 9, per: 1s, cost: 10}}", "cost 10 is above limit 9"},
		{"post", "{rateLimit: {plan: {from: $claims.plan, else: fre}}}", "did you mean free?"},
		{"post", "{rateLimit: {plan: {from: $claims.plan}}}", "plan needs else"},
		{"post", "{rateLimit: {limit: 1, plan: {from: $claims.plan, else: free}}}", "limit and plan exclude each other"},
		{"post", "{rateLimit: {tier: free, plan: {from: $claims.plan, else: free}}}", "tier and plan exclude each other"},
		{"post", "{rateLimit: {buckets: {b: {tier: free, plan: {from: $claims.plan, else: free}}}}}", "tier and plan exclude each other"},
		{"post", "{rateLimit: {plan: {from: $claims.plan, else: free}, cost: 11}}", "cost 11 is above burst 10 of the plan else"},
		{"post", "{rateLimit: {plan: {from: $claims.plan, else: free}, at: early}}", "before it is known who calls"},
		{"post", "{client: {rateLimit: {plan: {from: $claims.plan, else: free}}}}", "plan is for servers"},
		{"post", "{rateLimit: {sync: {remaining: X-Left}}}", "sync is for clients"},
		{"post", "{client: {rateLimit: {sync: {as: ms}}}}", "names no header with a number"},
		{"post", "{client: {rateLimit: {trustedProxies: [10.0.0.0/8]}}}", "trustedProxies is for servers"},
		{"post", "{rateLimit: {trustedProxies: [10.0.0.0/99]}}", "want an address or a network"},
		{"post", "{rateLimit: {cost: {estimate: 5, actual: $response.body#/nix}}}", "nothing at /nix"},
		{"post", "{rateLimit: {cost: {estimate: 5}}}", "cost needs actual"},
		{"post", "{rateLimit: {cost: $response.body#/id}}", "is not known before the call"},
		{"post", "{rateLimit: {key: [{function: x}]}}", `unknown key "function"`},

		{"query", "{pages: {}}", "pages needs next: where the next page is named"},
		{"query", "{poll: {}}", "poll needs successCriteria"},
		{"query", "{poll: {successCriteria: [{condition: '$inputs.x == 1'}]}}", "only a saga has inputs and steps"},
		{"post", "{outbox: {aggregate: $request.body#/id}}", "outbox is for webhooks and callbacks"},
		{"post", "{consumer: true}", "consumer is for webhooks and callbacks"},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			got := applyText(t, fieldText(tt.method, tt.policy), resilience.Pending())
			switch {
			case tt.want == "":
				got.clean()
			case !strings.Contains(got.text(), tt.want):
				t.Errorf("want %q, reported:\n%s", tt.want, got.text())
			}
			for _, d := range got.list {
				if d.Pos.Line != 17 {
					t.Errorf("%s: %s", d.Pos, d.Message)
				}
			}
		})
	}
}

// An answer that security guards may be kept for all only where that is said.
func TestPublicCache(t *testing.T) {
	for text, want := range map[string]bool{
		"{scope: public}": false, "{scope: public, vary: [Authorization]}": true, "{scope: public, sameForAll: true}": true, "{scope: private}": true,
	} {
		doc := strings.Replace(fieldText("query", "{cache: "+text+"}"), "\nservers:", "\nsecurity: [{key: []}]\nservers:", 1)
		got := applyText(t, doc, resilience.Pending())
		if ok := len(got.list) == 0; ok != want {
			t.Errorf("%s: accepted %t, want %t\n%s", text, ok, want, got.text())
		}
	}
}

// The headers that concurrency and idempotency bring are there for expressions.
func TestHeadersThatComeAlong(t *testing.T) {
	for text, want := range map[string]bool{
		"{breaker: {key: [$request.header.if-match]}}":                                               false,
		"{concurrency: true, breaker: {key: [$request.header.if-match]}}":                            true,
		"{concurrency: true, rateLimit: {cost: {estimate: 1, actual: $response.header.etag}}}":       true,
		"{rateLimit: {cost: {estimate: 1, actual: $response.header.etag}}}":                          false,
		"{idempotency: {header: X-Once}, breaker: {key: [$request.header.x-once]}}":                  true,
		"{rateLimit: {cost: {estimate: 1, actual: $response.header.x-cost}}}":                        true,
		"{rateLimit: {limit: 1, per: 1s, cost: {estimate: 1, actual: $response.body#/items/0}}}":     true,
		"{rateLimit: {limit: 1, per: 1s, cost: {estimate: 1, actual: $response.body#/items/-1}}}":    false,
		"{rateLimit: {limit: 1, per: 1s, cost: {estimate: 1, actual: $statusCode}}}":                 true,
		"{server: {rateLimit: {limit: 1, per: 1s, cost: {estimate: 1, actual: $response.body}}}}":    true,
		"{rateLimit: {limit: 1, per: 1s, cost: {estimate: 1, actual: '$response.body#/id/deeper'}}}": false,
	} {
		got := applyText(t, fieldText("post", text), resilience.Pending())
		if ok := len(got.list) == 0; ok != want {
			t.Errorf("%s: accepted %t, want %t\n%s", text, ok, want, got.text())
		}
	}
}

// Servers that rungs name come to the API with what they need.
func TestTargets(t *testing.T) {
	got := applyText(t, fieldText("post", "{fallback: [{server: two}, {server: spare}, {server: 0}]}"), resilience.Pending()).clean()
	var names []string
	for _, target := range got.api.Targets {
		names = append(names, target.Name+" "+target.URL+" "+target.Auth)
	}
	if text := strings.Join(names, "; "); text != "spare https://spare.example key; two https://west.example ; one https://one.example " {
		t.Error(text)
	}
	if q := got.api.Targets[0].Query; len(q) != 1 || q[0].Name != "v" || q[0].Value != "2" {
		t.Error(q)
	}
	rungs := got.op("a").Policy.Client.Fallback.Rungs
	if rungs[0].Name != "two" || rungs[1].Name != "spare" || rungs[2].Name != "one" {
		t.Errorf("%+v", rungs)
	}
	for text, want := range map[string]string{
		"{s: {url: 'ftp://x'}}": "want an absolute http or https URL", "{s: {url: 'https://u:p@x'}}": "holds credentials", "{s: {}}": "s needs url",
		"{s: {url: 'https://x', auth: nix}}": `there is no security scheme "nix"`, "{s: {url: 'https://x', port: 1}}": `unknown key "port"`, "[]": "must be a mapping",
	} {
		got := applyText(t, "x-resilience: {version: 1, servers: "+text+"}\n"+oneGet)
		if !strings.Contains(got.text(), want) {
			t.Errorf("%s: want %q, reported:\n%s", text, want, got.text())
		}
	}
	for text, want := range map[string]string{"{a: [1]}": "must be the name of a file", "{a.b: c}": "want a name of letters", "7": "must be a mapping"} {
		got := applyText(t, "x-resilience: {version: 1, sources: "+text+"}\n"+oneGet)
		if !strings.Contains(got.text(), want) {
			t.Errorf("%s: want %q, reported:\n%s", text, want, got.text())
		}
	}
	got = applyText(t, "x-resilience: {version: 1, sources: {other: other.yaml}}\n"+oneGet).clean()
	if got.api.Sources["other"] != "other.yaml" {
		t.Error(got.api.Sources)
	}
}

// A fallback of a preset asks the operation itself; a list of one's own takes its place.
func TestFallbackPreset(t *testing.T) {
	got := applyText(t, fieldText("post", "{fallback: {preset: llm, reserve: 2s}}"), resilience.Pending()).clean().op("a").Policy.Client.Fallback
	want := []policy.RungKind{policy.RungOperation, policy.RungSemanticCache, policy.RungStatic}
	for i, r := range got.Rungs {
		if r.Kind != want[i] {
			t.Errorf("rung %d is %s, want %s", i, r.Kind, want[i])
		}
	}
	if len(got.Rungs) != 3 || got.Rungs[0].Name != "a" || got.Rungs[1].Similarity != 0.85 || got.Rungs[2].Status != 503 || len(got.Reserves()) != 2 {
		t.Errorf("%+v", got)
	}
	got = applyText(t, fieldText("post", "{fallback: llm, client: {fallback: [{empty: true}]}}"), resilience.Pending()).clean().op("a").Policy.Client.Fallback
	if len(got.Rungs) != 1 || got.Rungs[0].Kind != policy.RungEmpty {
		t.Errorf("%+v", got)
	}
}

// The sum of the remote rungs' times counts in a computed total.
func TestReservesAreInTheTotal(t *testing.T) {
	got := applyText(t, fieldText("post", "{retry: none, breaker: false, bulkhead: false, fallback: [{server: spare, timeout: 3s}, {handler: h}, {empty: true}]}"), resilience.Pending()).clean()
	// 10s of the call itself, 3s of the server, 1s of the handler.
	want := `One try of 10s within 14s; after a failure the server "spare", then the handler "h", then an empty result.`
	if w := got.op("a").Policy.Words; len(w) != 1 || w[0] != want {
		t.Errorf("%q", w)
	}
}

// What is meant for one write and finds nothing to read it with is said once; a default
// that holds for many finds it where it can.
func TestReread(t *testing.T) {
	const document = `openapi: 3.1.0
info: {title: Wiki, version: '1'}
x-resilience: {version: 1, defaults: {concurrency: {etag: true, reread: auto}}}
paths:
  /pages:
    get: {operationId: read, responses: {'204': {description: ok}}}
    put: {operationId: write, responses: {'204': {description: ok}}}
  /logs:
    put:
      operationId: log
      x-resilience: LEVEL
      responses: {'204': {description: ok}}
`
	got := applyText(t, strings.Replace(document, "LEVEL", "{timeout: 1s}", 1)).clean()
	if a, b := got.op("write").Policy.Client.Concurrency.Reread, got.op("log").Policy.Client.Concurrency.Reread; a != "read" || b != "" {
		t.Errorf("read again by %q and %q", a, b)
	}
	got = applyText(t, strings.Replace(document, "LEVEL", "{concurrency: {reread: auto}}", 1))
	if text := got.text(); len(got.list) != 1 || !strings.Contains(text, ":11:") || !strings.Contains(text, "there is no GET /logs") {
		t.Errorf("reported:\n%s", text)
	}
}

// A fault of an anchor is reported once, and says who else has it.
func TestSharedFault(t *testing.T) {
	const head = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\nx-common: &common {timeout: {attempt: 2x}}\npaths:\n"
	const operation = "  /NAME: {get: {operationId: NAME, x-resilience: *common, responses: {'204': {description: ok}}}}\n"
	for count, want := range map[int]string{1: "", 2: "; the same at GET /b", 4: "; the same at GET /b and 2 more"} {
		var doc strings.Builder
		doc.WriteString(head)
		for _, name := range []string{"a", "b", "c", "d"}[:count] {
			doc.WriteString(strings.ReplaceAll(operation, "NAME", name))
		}
		got := applyText(t, doc.String())
		if len(got.list) != 1 || got.list[0].Pos.Line != 3 || !strings.HasPrefix(got.list[0].Message, `GET /a: x-resilience.timeout.attempt "2x"`) || !strings.HasSuffix(got.list[0].Message, want) || strings.Contains(got.list[0].Message, "the same") != (count > 1) {
			t.Errorf("%d operations, want %s, reported:\n%s", count, want, got.text())
		}
	}
}
