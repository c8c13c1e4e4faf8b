package resilience_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Critical findings are accepted where a reason is given, at any level.
func TestWaived(t *testing.T) {
	for _, l := range []levels{
		{method: "post", op: "{retry: {safety: always}, waive: {retry-safety-always: the service ignores repeats}}"},
		{method: "post", root: defaults("{waive: {retry-safety-always: known}}"), op: "{retry: {safety: always}}"},
		{op: "{timeout: {mode: off}, waive: {timeout-off: a test}}"},
		{method: "post", op: "{idempotency: {lease: 1s}, waive: {idempotency-lease: measured}}"},
	} {
		applyText(t, l.document()).clean()
	}
	// A stronger level may take the waiver back.
	got := applyText(t, levels{root: defaults("{waive: {timeout-off: known}}"), op: "{client: {timeout: false}, waive: {timeout-off: false}}"}.document())
	if len(got.list) != 1 || got.list[0].Code != "timeout-off" {
		t.Errorf("reported:\n%s", got.text())
	}
	// Reads, idempotent calls and keys need no waiver.
	applyText(t, levels{op: "{retry: {safety: always}}"}.document()).clean()
	applyText(t, levels{method: "post", op: "{retry: {safety: always}, idempotency: true}"}.document()).clean()
	applyText(t, levels{method: "post", op: "{effect: idempotent, retry: {safety: always}}"}.document()).clean()
}

const bodies = `paths:
  /a/{id}:
    post:
      operationId: a
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: q, in: query, schema: {type: string}}
        - {name: X-Tenant, in: header, schema: {type: string}}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                plain: {type: string}
                deep: {type: object, properties: {x: {type: object, properties: {y: {type: integer}}}}}
                list: {type: array, items: {type: object, properties: {z: {type: string}}}}
                pair: {type: array, prefixItems: [{type: string}, {type: object, properties: {w: {type: string}}}], items: false}
                free: {}
                open: {type: object}
                table: {type: object, additionalProperties: {type: object, properties: {v: {type: string}}}}
                shut: {type: object, additionalProperties: false}
                either: {oneOf: [{type: object, required: [l], properties: {l: {type: string}}}, {type: object, required: [r], properties: {r: {type: string}}}]}
                node: {$ref: '#/components/schemas/Node'}
                "odd/~name": {type: string}
      x-resilience: {breaker: {key: [KEY]}}
      responses: {'204': {description: ok}}
components:
  schemas:
    Node: {type: object, properties: {next: {$ref: '#/components/schemas/Node'}, label: {type: string}}}
`

func TestExpressionsAreLookedUp(t *testing.T) {
	for expr, found := range map[string]bool{
		"$request.path.id": true, "$request.path.ID": false, "$request.query.q": true, "$request.query.p": false,
		"$request.header.x-tenant": true, "$request.header.X-Other": false, "$principal": true, "$method": true, "$url": true, "$operation": true,
		"$ip": false, "$claims.sub": false, "$request": true, "$request.body": true, "$request.body#": true, "$request.body#/plain": true,
		"$request.body#/plain/more": false, "$request.body#/plane": false, "$request.body#/deep/x/y": true, "$request.body#/deep/y": false,
		"$request.body#/list/0/z": true, "$request.body#/list/z": false, "$request.body#/list/01/z": false, "$request.body#/list/-1/z": false,
		"$request.body#/pair/0": true, "$request.body#/pair/1/w": true, "$request.body#/pair/2": false,
		"$request.body#/free/any/thing": true, "$request.body#/open/any": true, "$request.body#/table/key/v": true, "$request.body#/table/key/u": false,
		"$request.body#/shut/any": false, "$request.body#/either/l": true, "$request.body#/either/r": true, "$request.body#/either/m": false,
		"$request.body#/node/next/next/next/label": true, "$request.body#/node/next/nix": false, "$request.body#/odd~1~0name": true,
	} {
		text := strings.Replace(bodies, "KEY", "'"+expr+"'", 1)
		got := applyText(t, text)
		if ok := len(got.list) == 0; ok != found {
			t.Errorf("%s: found %t, want %t\n%s", expr, ok, found, got.text())
		}
		for _, d := range got.list {
			if d.Pos.Line != 28 || d.Pos.Col != 38 {
				t.Errorf("%s: at %s", expr, d.Pos)
			}
		}
	}
}

func TestHeaderOfIdempotencyIsThere(t *testing.T) {
	applyText(t, levels{method: "post", op: "{idempotency: {header: X-Key}, breaker: {key: [$request.header.x-key]}}"}.document()).clean()
}

// Values that must not be kept are found at and below a pointer; from stands in
// for the request as the fingerprint.
func TestSecretsInKeys(t *testing.T) {
	const text = `paths:
  /a:
    post:
      operationId: a
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                order: {type: string}
                card: {type: object, properties: {number: {type: string}, cvc: {type: string, writeOnly: true}}}
                login: {type: string, format: password}
      x-resilience: {idempotency: {from: [FROM]}}
      responses: {'204': {description: ok}}
`
	for from, secret := range map[string]string{
		"$request.body#/order": "", "$request.body#/card/number": "", "$request.body#/card/cvc": "cvc", "$request.body#/card": "cvc",
		"$request.body#/login": "login", "$request.body": "cvc and login", "$request": "cvc and login",
	} {
		got := applyText(t, strings.Replace(text, "FROM", from, 1))
		if secret == "" {
			i := got.clean().op("a").Policy.Server.Idempotency
			if i.Fingerprint != policy.FingerprintFrom || len(i.From) != 1 {
				t.Errorf("%s: fingerprint %s of %v", from, i.Fingerprint, i.From)
			}
			continue
		}
		if len(got.list) != 1 || !strings.HasSuffix(got.list[0].Message, ": "+secret) {
			t.Errorf("%s: want %s, got:\n%s", from, secret, got.text())
		}
	}
}

// Instances of their own may have settings of their own.
func TestOwnInstances(t *testing.T) {
	const head = "x-resilience: {version: 1, defaults: {}}\npaths:\n  /a:\n    get: {operationId: a, x-resilience: A, responses: {'204': {description: ok}}}\n" +
		"  /b:\n    get: {operationId: b, x-resilience: B, responses: {'204': {description: ok}}}\n" +
		"webhooks:\n  w:\n    post: {operationId: w, x-resilience: W, responses: {'204': {description: ok}}}\n"
	for _, tt := range []struct {
		name, a, b, w string
		want          string // a part of the one message, empty for none
	}{
		{"the same", "{}", "{}", "{}", ""},
		{"only what may differ", "{breaker: {slowCall: 1s}, bulkhead: {timeout: 3s, hold: 2s}}", "{}", "{}", ""},
		{"other breakers", "{breaker: {preset: database, scope: operation}}", "{breaker: {probes: 3, scope: host}}", "{}", ""},
		{"another dependency", "{dependency: other, breaker: database, bulkhead: critical}", "{}", "{}", ""},
		{"off is no instance", "{breaker: false, bulkhead: false, retry: false}", "{}", "{}", ""},
		{"webhooks go elsewhere", "{}", "{}", "{breaker: database, bulkhead: {maxConcurrent: 3}}", ""},
		{"named bulkheads", "{bulkhead: {name: x, maxConcurrent: 2}}", "{bulkhead: {name: y, maxConcurrent: 3}}", "{}", ""},
		{"sides have their own", "{bulkhead: {maxConcurrent: 128}}", "{server: {bulkhead: {maxConcurrent: 3}}}", "{}", ""},
		{"unnamed limits", "{rateLimit: free}", "{rateLimit: premium}", "{}", ""},
		{"prices of one bucket", "{rateLimit: {buckets: {x: {limit: 9, per: 1s, cost: 2, refund: [404]}}}}", "{rateLimit: {buckets: {x: {limit: 9, per: 1s}}}}", "{}", ""},
		{"one bucket, two limits", "{rateLimit: {buckets: {x: {limit: 9, per: 1s}}}}", "{rateLimit: {buckets: {x: {limit: 8, per: 1s}}}}", "{}", `the bucket "train-travel/x" is shared, and is set otherwise here than by GET /a: burst and limit`},
		{"one bulkhead, two sizes", "{bulkhead: {name: x, maxConcurrent: 2}}", "{bulkhead: {name: x, maxConcurrent: 3}}", "{}", `the bulkhead "train-travel/x" is shared, and is set otherwise here than by GET /a: maxConcurrent`},
		{"one budget, two sizes", "{}", "{retry: {budget: {ratio: 0.5}}}", "{}", `the retry budget "train-travel" is shared, and is set otherwise here than by GET /a: ratio`},
		{"one mode", "{}", "{bulkhead: {mode: shadow}}", "{}", `the bulkhead "train-travel" is shared, and is set otherwise here than by GET /a: mode`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.NewReplacer(": A,", ": "+tt.a+",", ": B,", ": "+tt.b+",", ": W,", ": "+tt.w+",").Replace(head)
			got := applyText(t, text)
			switch {
			case tt.want == "":
				got.clean()
			case len(got.list) != 1 || !strings.Contains(got.list[0].Message, tt.want):
				t.Errorf("want %s, got:\n%s", tt.want, got.text())
			case len(got.list[0].Related) != 1:
				t.Errorf("the other place is not named")
			}
		})
	}
}

// The odd one out is reported, not the many: here the third.
func TestTheMajorityIsRight(t *testing.T) {
	got := applyText(t, `paths:
  /a: {get: {operationId: a, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, responses: {'204': {description: ok}}}}
  /c: {get: {operationId: c, x-resilience: {breaker: database}, responses: {'204': {description: ok}}}}
`)
	if len(got.list) != 1 || got.list[0].Pos.Line != 6 || got.list[0].Pos.Col != 54 {
		t.Errorf("reported:\n%s", got.text())
	}
}

// A fault of a level above many operations is one report.
func TestOneReport(t *testing.T) {
	var b strings.Builder
	b.WriteString("x-resilience: {version: 1, defaults: {retry: {baseDelay: 5s}}}\npaths:\n")
	for _, name := range []string{"a", "b", "c"} {
		b.WriteString("  /" + name + ": {get: {operationId: " + name + ", responses: {'204': {description: ok}}}}\n")
	}
	got := applyText(t, b.String())
	if len(got.list) != 1 || got.list[0].Pos.Line != 3 || got.list[0].Pos.Col != 58 {
		t.Errorf("reported:\n%s", got.text())
	}
}

// JSON has the same places as YAML.
func TestJSONDocument(t *testing.T) {
	got := applyText(t, `{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"get": {
  "operationId": "a", "x-resilience": {"timeout": 5, "retry": {"maxAtempts": 3}},
  "responses": {"204": {"description": "ok"}}}}}}`)
	want := `spec.yaml:2:51: GET /a: x-resilience.timeout 5 has no unit: want a Go duration such as 5s
spec.yaml:2:64: GET /a: x-resilience.retry: unknown key "maxAtempts"
    hint: did you mean maxAttempts?
`
	if d := cmp.Diff(want, got.text()); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	for _, d := range got.list {
		if !strings.HasPrefix(d.Pointer, "/paths/~1a/get/x-resilience/") {
			t.Errorf("pointer %s", d.Pointer)
		}
	}
}

// Anchors are one annotation in several places; a path item in another file keeps
// its own annotation below that of the item which refers to it.
func TestAnchorsAndFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("item.yaml", "x-resilience: {retry: {maxAttempts: 3, maxDelay: 9s}}\nget: {operationId: b, responses: {'204': {description: ok}}}\n")
	write("spec.yaml", head+`paths:
  /a: {get: {operationId: a, x-resilience: &slow {timeout: 30s}, responses: {'204': {description: ok}}}}
  /b: {$ref: item.yaml, x-resilience: {retry: {maxAttempts: 4}}}
  /c: {get: {operationId: c, x-resilience: *slow, responses: {'204': {description: ok}}}}
`)
	got := applyFile(t, filepath.Join(dir, "spec.yaml")).clean()
	if a, c := got.op("a").Policy.Client, got.op("c").Policy.Client; a.Timeout.Attempt != 30*second || c.Timeout.Attempt != 30*second {
		t.Errorf("%v, %v", a.Timeout, c.Timeout)
	}
	b := got.op("b").Policy
	if r := b.Client.Retry; r.MaxAttempts != 4 || r.MaxDelay != 9*second {
		t.Errorf("%d tries, up to %v", r.MaxAttempts, r.MaxDelay)
	}
	if d := cmp.Diff([]string{"item.yaml#", "#/paths/~1b"}, b.Sources); d != "" {
		t.Errorf("sources (-want +got):\n%s", d)
	}
}

// Webhooks and callbacks take part; what a run leaves out is not even read.
func TestWebhooksAndCallbacks(t *testing.T) {
	got := applyText(t, `x-resilience: {version: 1, defaults: {client: {timeout: 1s}}}
paths:
  /a:
    post:
      operationId: a
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [url], properties: {url: {type: string}}}}}}
      callbacks:
        done:
          '{$request.body#/url}':
            x-resilience: {retry: none}
            post: {operationId: cb, x-resilience: {criticality: optional}, responses: {'204': {description: ok}}}
      responses: {'204': {description: ok}}
webhooks:
  w: {post: {operationId: w, x-resilience: {timeout: 2s}, responses: {'204': {description: ok}}}}
`).clean()
	cb, w := got.op("cb").Policy.Client, got.op("w").Policy.Client
	if cb.Timeout.Attempt != second || cb.Retry.MaxAttempts != 1 || cb.Criticality != policy.Optional {
		t.Errorf("callback %+v", cb)
	}
	if w.Timeout.Attempt != 2*second {
		t.Errorf("webhook %v", w.Timeout.Attempt)
	}
}

// A total that ends before the first try may is said where the stronger of the two is
// written, and is no error.
func TestTotalUnderAttempt(t *testing.T) {
	for _, tt := range []struct {
		levels levels
		want   string // before the hint
	}{
		{levels{op: "{timeout: {attempt: 3s, total: 2s}}"}, "timeout.total 2s is under attempt 3s: a try is cut when the call ends"},
		{levels{root: defaults("{timeout: {attempt: 3s}}"), op: "{timeout: {total: 2s}}"}, "timeout.total 2s is under attempt 3s"},
		{levels{op: "{timeout: {p999: 2s, headroom: 2, total: 3s}}"}, "timeout.total 3s is under attempt 4s"},
		{levels{op: "{timeout: {attempt: 3s, total: 3s}}"}, ""},
		{levels{op: "{timeout: {attempt: 3s, total: none}}"}, ""},
		{levels{op: "{timeout: {total: 2s}}"}, ""}, // of 10s that nobody wrote
	} {
		got := applyText(t, tt.levels.document())
		if tt.want == "" {
			got.clean()
			continue
		}
		if len(got.list) != 1 || got.list[0].Severity != diag.Warning || !strings.Contains(got.list[0].Message, tt.want) || got.list[0].Pos.Line == 0 {
			t.Errorf("%+v: want %q, reported:\n%s", tt.levels, tt.want, got.text())
		}
	}
	got := applyText(t, "paths:\n  /a:\n    get:\n      operationId: a\n      x-resilience: {timeout: {total: 2s, attempt: 3s}}\n      responses: {'204': {description: ok}}\n")
	if want := "spec.yaml:7:39: warning: x-resilience: timeout.total 2s is under attempt 3s: a try is cut when the call ends\n    hint: raise total, or lower attempt to 2s\n"; got.text() != want {
		t.Errorf("got  %s\nwant %s", got.text(), want)
	}
}
