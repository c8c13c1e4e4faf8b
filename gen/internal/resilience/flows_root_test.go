package resilience_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// flowDocument has what sagas and aggregates name.
const flowDocument = `x-resilience:
  version: 1
  servers: {eu: {url: https://eu.example}}
  sources: {other: other.yaml}
  ROOT
components:
  schemas:
    Order: {type: object, properties: {orderId: {type: string}, sku: {type: string}, pin: {type: string, writeOnly: true}, word: {type: string, format: password}}}
    Stock: {type: object, properties: {id: {type: string}, left: {type: integer}, code: {type: string, format: password}}}
paths:
  /stock/{sku}:
    parameters: [{name: sku, in: path, required: true, schema: {type: string}}]
    post:
      operationId: reserve
      parameters: [{name: If-Match, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {sku: {type: string}, n: {type: integer}}}}}}
      responses: {'201': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Stock'}}}}}
    delete: {operationId: release, responses: {'204': {description: ok}}}
    get: {operationId: stock, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Stock'}}}}}}
`

func rootReport(t *testing.T, root string) string {
	t.Helper()
	return applyText(t, strings.Replace(flowDocument, "ROOT", root, 1), resilience.Pending()).text()
}

// sagaWith is a saga with one step that says more.
func sagaWith(id, step string) string {
	return "sagas: {s: {id: " + id + ", inputs: {$ref: '#/components/schemas/Order'}, timeout: 1h, steps: [" +
		"{stepId: first, operationId: reserve, parameters: [{name: sku, in: path, value: $inputs.sku}], requestBody: {payload: {sku: $inputs.sku, n: 1}}, " +
		"outputs: {rid: $response.body#/id}, successCriteria: [{condition: '$statusCode == 201'}], retry: background, " +
		"compensate: {operationId: release, parameters: [{name: sku, in: path, value: $steps.first.outputs.rid}]}}" + step + "]}}"
}

func TestSagas(t *testing.T) {
	next := func(text string) string { return ", {stepId: second, operationId: reserve, " + text + "}" }
	for _, tt := range []struct{ root, want string }{
		{sagaWith("$inputs.orderId", ""), ""},
		{sagaWith("$inputs.orderId", next("pivot: true, compensate: false")), ""},
		{sagaWith("$inputs.orderId", next("parameters: [{name: sku, value: 'x-{$steps.first.outputs.rid}'}]")), ""},
		{sagaWith("$inputs.orderId", next("outputs: {left: $response.body#/left}, compensate: {operationId: release, parameters: [{name: sku, value: x}]}")), ""},
		{"sagas: false", "x-resilience.sagas must be a mapping"},
		{"sagas: {s: {id: $inputs.x}}", "s needs steps"},
		{"sagas: {s: {id: orderId, steps: [{stepId: a, operationId: stock}]}}", `"orderId" is no expression`},
		{"sagas: {s: {id: $inputs.x, inputs: 7, steps: [{stepId: a, operationId: stock}]}}", "must be a schema"},
		{"sagas: {s: {id: $inputs.x, steps: []}}", "want at least one"},
		{"sagas: {s: {id: $inputs.x, steps: [{stepId: 'a b', operationId: stock}]}}", "want letters, digits, dashes and underscores"},
		{"sagas: {s: {id: $inputs.x, steps: [{operationId: stock}]}}", "needs stepId"},
		{sagaWith("$inputs.orderid", ""), "did you mean orderId?"},
		{sagaWith("$inputs.pin", ""), "it is writeOnly, and the log keeps inputs"},
		{sagaWith("$inputs.word", ""), "it is a password, and the log keeps inputs"},
		{sagaWith("$steps.first.outputs.rid", ""), `there is no step "first" before it`},
		{sagaWith("$inputs.orderId", next("outputs: {code: $response.body#/code}")), "holds what must not be kept"},
		{sagaWith("$inputs.orderId", next("outputs: {x: $response.body#/nix}")), "the body has nothing at /nix"},
		{sagaWith("$inputs.orderId", next("outputs: {x: $response.header.Location}")), `no successful response has the header "Location"`},
		{sagaWith("$inputs.orderId", next("parameters: [{name: sku, in: query, value: 1}]")), `there is no query parameter "sku"`},
		{sagaWith("$inputs.orderId", next("parameters: [{name: sku, value: $steps.first.outputs.id}]")), `the step first has no output "id"`},
		{sagaWith("$inputs.orderId", next("parameters: [{name: sku, value: $response.body#/id}]")), "is not known before the call"},
		{sagaWith("$inputs.orderId", next("parameters: [{name: sku, value: $steps.second.outputs.rid}]")), `there is no step "second" before it`},
		{sagaWith("$inputs.orderId", next("successCriteria: [{condition: '$response.body#/nix == 1'}]")), "the body has nothing at /nix"},
		{sagaWith("$inputs.orderId", next("compensate: {operationId: relase}")), "did you mean release?"},
		{sagaWith("$inputs.orderId", next("compensate: {operationId: release, requestBody: {payload: 1}}")), "DELETE /stock/{sku} has no body"},
		{sagaWith("$inputs.orderId", next("compensate: true")), "must be a mapping"},
		{sagaWith("$inputs.orderId", next("retry: backround")), "did you mean background?"},
		{sagaWith("$inputs.orderId", next("retry: {maxAttempts: 99}")), "maxAttempts 99 is out of range"},
		{sagaWith("$inputs.orderId", next("pivot: true")+", {stepId: third, operationId: stock, pivot: true}"), "a saga has one point of no return"},
		{sagaWith("$inputs.orderId", ", {stepId: first, operationId: stock}"), "is that of a step before"},
		{sagaWith("$inputs.orderId", ", {stepId: second, operationId: $sourceDescriptions.nix.x}"), `there is no source "nix"`},
	} {
		if got := rootReport(t, tt.root); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: want %q, reported:\n%s", tt.root, tt.want, got)
		}
	}
}

func TestAggregates(t *testing.T) {
	with := func(text string) string {
		return "aggregates: {Stock: {id: $request.path.sku, commands: {reserve: [Reserved]}, events: {Reserved: {schema: {type: object}, version: 2, upcast: {1: old}}}" + text + "}}"
	}
	for _, tt := range []struct{ root, want string }{
		{with(", expectedVersion: $request.header.If-Match, snapshotEvery: 100, projections: {Left: {events: [Reserved], serves: [stock]}}"), ""},
		{"aggregates: []", "must be a mapping"},
		{"aggregates: {A: {id: $request.path.sku}}", "A needs commands"},
		{with(", snapshotEvery: 0"), "out of range"},
		{with(", projections: {Left: {events: [Reservd]}}"), "did you mean Reserved?"},
		{with(", projections: {Left: {events: [Reserved], serves: [stok]}}"), "did you mean stock?"},
		{"aggregates: {A: {id: $request.path.sku, commands: {reserv: [E]}, events: {E: {}}}}", "did you mean reserve?"},
		{"aggregates: {A: {id: $request.path.sku, commands: {reserve: [F]}, events: {E: {}}}}", `there is no event "F"`},
		{"aggregates: {A: {id: $request.path.id, commands: {reserve: [E]}, events: {E: {}}}}", `there is no path parameter "id"`},
		{"aggregates: {A: {id: $request.path.sku, commands: {reserve: [E]}, events: {E: {version: 2, upcast: {2: x}}}}}", "2 is no version before 2"},
		{"aggregates: {A: {id: $request.path.sku, commands: {reserve: [E]}, events: {E: {version: 2, upcast: {one: x}}}}}", "want the number of a version"},
		{"aggregates: {A: {id: $request.path.sku, commands: {reserve: [E]}, events: {E: {}}, expectedVersion: $request.header.X-No}}", "there is no header parameter"},
	} {
		if got := rootReport(t, tt.root); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: want %q, reported:\n%s", tt.root, tt.want, got)
		}
	}
}

func TestEdge(t *testing.T) {
	for _, tt := range []struct{ root, want string }{
		{"edge: {target: cloudflare, maxBundle: 1MB, routes: [{path: /v1/*, country: [DE, FR], server: eu, mode: proxy}], auth: {scheme: hmac, secret: NAME}, " +
			"cache: {tiers: [edge, kv], kvTTL: 1h, purge: tags}, split: {cookie: ab-bucket, weights: {control: 90, b: 10}}, state: {binding: NAME, consistency: strong}, onError: origin}", ""},
		{"edge: false", ""},
		{"edge: {target: fastly}", "want cloudflare, vercel or deno"},
		{"edge: {maxBundle: 1}", "has no unit"},
		{"edge: {routes: [{path: v1, server: eu}]}", "want a path such as /v1/*"},
		{"edge: {routes: [{path: /v1, server: ue}]}", "there is no server \"ue\""},
		{"edge: {routes: [{path: /v1, server: eu, country: [de]}]}", "want a country's two letters"},
		{"edge: {routes: [{path: /v1}]}", "needs server"},
		{"edge: {auth: {scheme: hmac}}", "needs secret"},
		{"edge: {auth: {scheme: hmac, secret: whsec_0123456789abcdef}}", "what looks like a secret"},
		{"edge: {split: {cookie: a, weights: {a: 0}}}", "are all zero"},
		{"edge: {split: {cookie: a b, weights: {a: 1}}}", "want the name of a header"},
		{"edge: {state: {consistency: strong}}", "needs binding"},
		{"edge: {onError: retry}", "want origin"},
	} {
		if got := rootReport(t, tt.root); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: want %q, reported:\n%s", tt.root, tt.want, got)
		}
	}
}

// Load is shed by the whole server, so operations that shed have to agree.
func TestShedIsOne(t *testing.T) {
	paths := "paths:\n  /a: {get: {operationId: a, responses: {'204': {description: ok}}}}\n" +
		"  /b: {get: {operationId: b, x-resilience: OP, responses: {'204': {description: ok}}}}\n"
	for _, tt := range []struct{ root, op, want string }{
		{"{version: 1, defaults: {shed: {maxInflight: 7}}}", "{shed: false}", ""},
		{"{version: 1, defaults: {shed: true}}", "{}", ""},
		{"{version: 1, defaults: {use: p}, policies: {p: {shed: {maxInflight: 7}}}}", "{}", ""},
		{"{version: 1, policies: {p: {shed: {maxInflight: 7}}}, defaults: {shed: true}}", "{use: p}", `the load shedding "server" is shared`},
		{"{version: 1, profiles: {x: {all: {shed: {maxInflight: 9}}}}}", "{}", ""},
		{"{version: 1, defaults: {shed: true}, profiles: {x: {all: {shed: {maxInflight: 9}}}}}", "{shed: false}", ""},
		{"{version: 1, external: true, defaults: {shed: true}}", "{}", "shed is for the server, and the service is external"},
		{"{version: 1, external: true}", "{lock: {keys: [a]}}", "lock is for the server, and the service is external"},
		{"{version: 1, profiles: {x: {operations: {a: {shed: {maxInflight: 9}}}}}}", "{}", "is for the whole server"},
	} {
		got := applyText(t, "x-resilience: "+tt.root+"\n"+strings.Replace(paths, "OP", tt.op, 1), resilience.Pending()).text()
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: want %q, reported:\n%s", tt.root, tt.op, tt.want, got)
		}
	}
}

// A profile says how load is shed, and an operation that is never refused stays so.
func TestUnshedUnderProfiles(t *testing.T) {
	got := applyText(t, "x-resilience: {version: 1, defaults: {shed: true}, profiles: {x: {all: {shed: {maxInflight: 9}}}}}\npaths:\n"+
		"  /a: {get: {operationId: a, responses: {'204': {description: ok}}}}\n"+
		"  /b: {get: {operationId: b, x-resilience: {shed: false}, responses: {'204': {description: ok}}}}\n"+
		"  /c: {get: {operationId: c, x-resilience: false, responses: {'204': {description: ok}}}}\n", resilience.Pending()).clean()
	for id, want := range map[string]int{"a": 9, "b": 0, "c": 0} {
		p := got.op(id).Policy
		shed := p.Server.Shed
		if len(p.Profiles) > 0 {
			shed = p.Profiles[0].Server.Shed
		}
		if have := shed != nil; have != (want > 0) || have && shed.MaxInflight != want {
			t.Errorf("%s: %+v, want %d", id, shed, want)
		}
	}
}

// Operations of other documents are looked up where one is named; a source that nobody
// names is not even read.
func TestOtherDocuments(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("other.yaml", head+"x-resilience: {version: 1}\npaths:\n  /x: {delete: {operationId: undo, responses: {'204': {description: ok}}}}\n")
	for _, tt := range []struct{ file, id, want string }{
		{"other.yaml", "undo", ""},
		{"other.yaml", "undoo", `the source other has no operation "undoo"`},
		{"missing.yaml", "undo", "missing.yaml"},
	} {
		root := strings.Replace(flowDocument, "ROOT", sagaWith("$inputs.orderId", ", {stepId: second, operationId: $sourceDescriptions.other."+tt.id+"}"), 1)
		root = strings.Replace(root, "other: other.yaml", "other: "+tt.file+", unused: none.yaml", 1)
		got := applyFile(t, write("spec.yaml", head+root), resilience.Pending()).text()
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: want %q, reported:\n%s", tt.file, tt.id, tt.want, got)
		}
	}
}

func TestWebSocketsAreRefused(t *testing.T) {
	for _, text := range []string{
		"paths:\n  /a: {get: {operationId: a, x-resilience: {stream: {first: 1s}}, responses: {'101': {description: switched}}}}\n",
		"servers: [{url: 'wss://a.example'}]\npaths:\n  /a: {get: {operationId: a, x-resilience: {stream: {first: 1s}}, responses: {'200': {description: ok}}}}\n",
	} {
		if got := applyText(t, text, resilience.Pending()).text(); !strings.Contains(got, "switches to a web socket") {
			t.Errorf("%s", got)
		}
	}
}
