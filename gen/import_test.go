package gen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// imports imports a file, with an OpenAPI document where the format needs one, and
// returns the overlay and the warnings as text.
func imports(t *testing.T, format, name, text, spec string) (overlay, told, path string) {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path = put(name, text)
	document := ""
	if spec != "" {
		document = put("spec.yaml", spec)
	}
	data, diagnostics, err := Import(t.Context(), format, path, document)
	var b bytes.Buffer
	if werr := WriteText(&b, diagnostics, TextOptions{}); werr != nil {
		t.Fatal(werr)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if document == "" {
		document = path
	}
	put("overlay.yaml", string(data))
	return string(data), b.String(), document
}

// applied are the policies of a document by operation once an overlay beside it
// has been applied, none of which may be wrong.
func applied(t *testing.T, document string) map[string]policy.Client {
	t.Helper()
	list := &diag.List{Strict: true}
	doc := load.Load(t.Context(), load.Options{Path: document, Overlays: []string{filepath.Join(filepath.Dir(document), "overlay.yaml")}}, list)
	if doc == nil {
		t.Fatal(list.Sorted())
	}
	low := lower.Lower(doc, lower.Options{}, list)
	resilience.Apply(doc, low.API, nodesOf(low), list)
	for _, d := range list.Sorted() {
		if d.Severity != diag.Note {
			t.Errorf("%v: %s", d.Pos, d.Message)
		}
	}
	out := map[string]policy.Client{}
	for _, op := range low.API.Operations {
		out[op.ID] = op.Policy.Client
	}
	return out
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// have demands that a text has parts.
func have(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

const paths = `
paths:
  /pets:
    parameters: [{name: cursor, in: query, schema: {type: string}}]
    get:
      operationId: listPets#LIST#
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {items: {type: array, items: {type: object, properties: {id: {type: string}}}}, meta: {type: object, properties: {next: {type: string}}}}}}}}}
    post:
      operationId: addPet#ADD#
      responses: {'201': {description: ok}}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getPet, responses: {'200': {description: ok}}}
    delete: {operationId: dropPet, responses: {'204': {description: gone}}}
`

// withExtensions is a document with extensions in its root and two operations.
func withExtensions(root, list, add string) string {
	text := strings.ReplaceAll(strings.ReplaceAll(paths, "#LIST#", list), "#ADD#", add)
	return "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\nservers: [{url: https://pets.example}]\n" + root + text
}

// The numbers are those of Speakeasy's documentation: milliseconds throughout.
func TestImportSpeakeasy(t *testing.T) {
	t.Parallel()
	_, told, document := imports(t, "speakeasy", "api.yaml", withExtensions(`
x-speakeasy-timeout: 2000
x-speakeasy-retries:
  strategy: backoff
  backoff: {initialInterval: 500, maxInterval: 4000, maxElapsedTime: 10000, exponent: 1.5}
  statusCodes: [5XX, 429, 404]
  retryConnectionErrors: true
`, `
      x-speakeasy-timeout: 1500
      x-speakeasy-pagination: {type: cursor, inputs: [{name: cursor, in: parameters, type: cursor}], outputs: {results: $.items, nextCursor: "$.items[-1].id"}}`, `
      x-speakeasy-retries: {strategy: none}`), "")
	got := applied(t, document)
	pet := got["getPet"]
	same(t, "attempt", pet.Timeout.Attempt, 2*time.Second)
	same(t, "total", pet.Timeout.Total, 12*time.Second) // no try begins after 10s, and one may take 2s
	same(t, "tries", pet.Retry.MaxAttempts, 5)          // waits of 0.5, 1, 2 and 4s are 7.5s; one more is over 10s
	same(t, "base", pet.Retry.BaseDelay, 500*time.Millisecond)
	same(t, "max", pet.Retry.MaxDelay, 4*time.Second)
	same(t, "502", pet.Retry.Statuses.Has(502), true)
	same(t, "429", pet.Retry.Statuses.Has(429), true)
	same(t, "408", pet.Retry.Statuses.Has(408), false)
	same(t, "the rule for 404", pet.Retry.Rules[0].Statuses.Has(404), true)
	same(t, "errors", pet.Retry.Errors.Has(policy.ConnectErrors|policy.TimeoutErrors), true)
	same(t, "attempt of listPets", got["listPets"].Timeout.Attempt, 1500*time.Millisecond)
	same(t, "tries of addPet", got["addPet"].Retry == nil || got["addPet"].Retry.MaxAttempts == 1, true)
	have(t, told, "a factor of 1.5 has no equivalent")
	if strings.Contains(told, "writes are repeated") {
		t.Errorf("the one write has retries of its own, which are off:\n%s", told)
	}
}

func TestImportSpeakeasyPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ extension, want, told string }{
		{
			`{type: cursor, inputs: [{name: cursor, in: parameters, type: cursor}], outputs: {results: $.items, nextCursor: "$.items[-1].id"}}`,
			`# Not built yet, for $.paths['/pets'].get: {pages: {items: "$response.body#/items", next: "$response.body#/items/-1/id", param: "$request.query.cursor"}}`,
			"pages stands in the overlay as a comment (once)",
		},
		{
			`{type: cursor, inputs: [{name: after, in: requestBody, type: cursor}], outputs: {results: $.items, nextCursor: "$['meta'].next"}}`,
			`param: "$request.body#/after"`, "",
		},
		{`{type: url, outputs: {results: $, nextUrl: $.meta.next}}`, `pages: {items: "$response.body", next: "$response.body#/meta/next"}`, ""},
		{`{type: offsetLimit, inputs: [{name: page, in: parameters, type: page}], outputs: {results: $.items}}`, "", "pages by number or offset have no equivalent"},
		{`{type: cursor, outputs: {results: $.items, nextCursor: $.meta.next}}`, "", "no input of the type cursor"},
		{`{type: url, outputs: {results: "$.items[*].x", nextUrl: $.meta.next}}`, "", "names no one place in the response"},
		{`{type: url, outputs: {nextUrl: $.meta.next}}`, "", "pages need outputs.results and outputs.nextUrl"},
	} {
		overlay, told, document := imports(t, "speakeasy", "api.yaml", withExtensions("x-speakeasy-timeout: 1000", "\n      x-speakeasy-pagination: "+c.extension, ""), "")
		have(t, strings.Join(strings.Fields(overlay), " "), c.want)
		have(t, told, c.told)
		applied(t, document) // whatever became a comment
		if c.want == "" && strings.Contains(overlay, "pages:") && !strings.Contains(overlay, "# api.yaml") {
			t.Errorf("pages all the same:\n%s", overlay)
		}
	}
}

// An overlay must have an action; pages alone would make none.
func TestImportOnlyPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "api.yaml")
	text := withExtensions("", "\n      x-speakeasy-pagination: {type: url, outputs: {results: $, nextUrl: $.meta.next}}", "")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	data, diagnostics, err := Import(t.Context(), "speakeasy", path, "")
	if data != nil || !errors.Is(err, ErrDocument) || len(diagnostics) != 1 || diagnostics[0].Pos.Line == 0 {
		t.Fatalf("%q, %v, %v", data, diagnostics, err)
	}
	have(t, diagnostics[0].Message, "pages is all of speakeasy in it that can be imported", "does not act on that yet")
}

// Operations that a reference leads to have their target where they stand.
func TestImportBehindReferences(t *testing.T) {
	t.Parallel()
	text := withExtensions("components: {pathItems: {p-1: {get: {operationId: there, x-speakeasy-timeout: 1000, responses: {'200': {description: ok}}}}}}", "", "") +
		"  /there: {$ref: '#/components/pathItems/p-1'}\n"
	overlay, _, document := imports(t, "speakeasy", "api.yaml", text, "")
	have(t, overlay, "$.components.pathItems['p-1'].get")
	same(t, "attempt", applied(t, document)["there"].Timeout.Attempt, time.Second)
}

func TestImportFern(t *testing.T) {
	t.Parallel()
	overlay, told, document := imports(t, "fern", "api.yaml", withExtensions(`
x-fern-idempotency-headers: [{header: X-Once, name: once}, {header: X-Until, name: until}]
`, `
      x-fern-retries: {disabled: true}
      x-fern-pagination: {cursor: $request.cursor, next_cursor: $response.meta.next, results: $response.items}`, `
      x-fern-retries: {max-attempts: 12}
      x-fern-idempotent: true`), "")
	got := applied(t, document)
	same(t, "tries of listPets", got["listPets"].Retry == nil || got["listPets"].Retry.MaxAttempts == 1, true)
	add := got["addPet"]
	same(t, "tries of addPet", add.Retry.MaxAttempts, 10)
	same(t, "header", add.Idempotency.Header, "X-Once")
	same(t, "key", add.Idempotency.Key, policy.KeyCaller)
	same(t, "required", add.Idempotency.Required, false)
	have(t, overlay, `items: "$response.body#/items"`, `next: "$response.body#/meta/next"`, `param: "$request.query.cursor"`)
	have(t, told, "X-Until is for the caller to send", "12 tries are more than the ten")
}

// Seconds, and retries beside the first try, as in APIMatic's documentation.
func TestImportAPIMatic(t *testing.T) {
	t.Parallel()
	const settings = `{"Timeout": 0.5, "Retries": 3, "RetryInterval": 2, "BackOffFactor": 2, "BackoffMax": 30, "RetryOnTimeout": false,
  "StatusCodesToRetry": [503, 413], "RequestMethodsToRetry": ["GET", "PUT"]}`
	document := withExtensions("", "", "\n      x-operation-settings: {forceRetries: true}")
	_, told, path := imports(t, "apimatic", "api.yaml",
		strings.Replace(document, "version: '1'", "version: '1', x-codegen-settings: "+settings, 1), "")
	got := applied(t, path)
	pet := got["getPet"]
	same(t, "attempt", pet.Timeout.Attempt, 500*time.Millisecond)
	same(t, "total", pet.Timeout.Total, 32*time.Second) // waits of 30s in all, and four tries
	same(t, "tries", pet.Retry.MaxAttempts, 4)
	same(t, "base", pet.Retry.BaseDelay, 2*time.Second)
	same(t, "max", pet.Retry.MaxDelay, 8*time.Second) // 2, 4, 8
	same(t, "503", pet.Retry.Statuses.Has(503), true)
	same(t, "500", pet.Retry.Statuses.Has(500), false)
	same(t, "the rule for 413", pet.Retry.Rules[0].Statuses.Has(413), true)
	same(t, "timeouts", pet.Retry.Errors.Has(policy.TimeoutErrors), false)
	same(t, "tries of dropPet", got["dropPet"].Retry == nil || got["dropPet"].Retry.MaxAttempts == 1, true)
	have(t, told, "POST /pets is repeated only with an idempotency key")

	overlay, _, _ := imports(t, "apimatic", "APIMATIC-META.json", `{"ImportSettings": {}, "CodeGenSettings": `+settings+`}`, "")
	have(t, overlay, "timeout: {attempt: 500ms, total: 32s}", "maxAttempts: 4", "methods: [DELETE, OPTIONS, HEAD, TRACE, QUERY]")
}

func TestImportGRPC(t *testing.T) {
	t.Parallel()
	const config = `{
  "loadBalancingConfig": [{"round_robin": {}}],
  "methodConfig": [
    {"name": [{}], "timeout": "20s", "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}},
    {"name": [{"service": "zoo.Pets", "method": "GetPet"}], "timeout": "1.5s", "waitForReady": true, "maxRequestMessageBytes": "1024",
     "retryPolicy": {"maxAttempts": 9, "initialBackoff": "1s", "maxBackoff": "0.5s", "backoffMultiplier": 1.3, "retryableStatusCodes": [14, "ABORTED", "DEADLINE_EXCEEDED"]}},
    {"name": [{"service": "zoo.Pets", "method": "ListPets"}], "hedgingPolicy": {"maxAttempts": 3, "hedgingDelay": "0.05s"}},
    {"name": [{"service": "zoo.Pets", "method": "DropPet"}, {"service": "zoo.Pets", "method": "DorpPet"}], "timeout": "2s"}
  ],
  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}
}`
	_, told, document := imports(t, "grpc-service-config", "config.json", config, withExtensions("", "", ""))
	got := applied(t, document)
	add := got["addPet"] // no config of its own
	same(t, "total of the default", add.Timeout.Total, 20*time.Second)
	same(t, "tries of the default", add.Retry.MaxAttempts, 3)
	same(t, "503", add.Retry.Statuses.Has(503), true)
	same(t, "429", add.Retry.Statuses.Has(429), false)
	same(t, "timeouts of the default", add.Retry.Errors.Has(policy.TimeoutErrors), false)
	same(t, "budget", add.Retry.Budget.Ratio, 0.1)
	pet := got["getPet"]
	same(t, "total", pet.Timeout.Total, 1500*time.Millisecond)
	same(t, "attempt", pet.Timeout.Attempt, 1500*time.Millisecond)
	same(t, "tries", pet.Retry.MaxAttempts, 5) // gRPC's own bound
	same(t, "base", pet.Retry.BaseDelay, time.Second)
	same(t, "504", pet.Retry.Statuses.Has(504), true)
	same(t, "the rule for 409", pet.Retry.Rules[0].Statuses.Has(409), true)
	same(t, "timeouts", pet.Retry.Errors.Has(policy.TimeoutErrors), true)
	list := got["listPets"]
	same(t, "hedges", list.Hedge.Max, 2)
	same(t, "delay", list.Hedge.Delay, 50*time.Millisecond)
	same(t, "the default's timeout", list.Timeout.Total == 20*time.Second, false) // configs do not add up
	drop := got["dropPet"]
	same(t, "total of dropPet", drop.Timeout.Total, 2*time.Second)
	same(t, "tries of dropPet", drop.Retry == nil || drop.Retry.MaxAttempts == 1, true)
	have(t, told, "loadBalancingConfig has no equivalent", "waitForReady has no equivalent", "maxRequestMessageBytes has no equivalent",
		"a factor of 1.3 has no equivalent", "no operation of the document has the id of zoo.Pets/DorpPet", "maxTokens has no equivalent",
		"writes are repeated only with an idempotency key, or with effect: idempotent where a repeat does no harm (POST /pets)")

	overlay, _, _ := imports(t, "grpc-service-config", "config.json", `{"methodConfig": [
  {"name": [{"service": "zoo.Pets"}], "timeout": "3s"}, {"name": [{"service": "zoo.Pets", "method": "GetPet"}], "timeout": "2s"}]}`, "")
	have(t, overlay, `operations: ["Pets_*", "zoo.Pets.*", "zoo.Pets/*"]`, `operations: [GetPet, getPet, Pets_GetPet, "zoo.Pets.GetPet", "zoo.Pets/GetPet"]`)
	if strings.Index(overlay, "Pets_*") > strings.Index(overlay, "Pets_GetPet") {
		t.Errorf("the rule of a service stands over that of a method:\n%s", overlay)
	}
}

// What is wrong is told with its place, and nothing is written.
func TestImportFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, text, want string }{
		{"speakeasy", withExtensions("x-speakeasy-timeout: soon", "", ""), ":4:22: x-speakeasy-timeout must be a number, not negative, got the text \"soon\""},
		{"speakeasy", withExtensions("x-speakeasy-timeout: 1e300", "", ""), "must be a time of at most 30 days"},
		{"speakeasy", withExtensions("x-speakeasy-retries: {strategy: often}", "", ""), ":4:33: strategy must be the strategy backoff or none, got the text \"often\""},
		{"speakeasy", withExtensions("x-speakeasy-retries: {strategy: backoff, statusCodes: [999]}", "", ""), "statusCodes[0] must be a status from 100 to 599, or a range such as 5XX, got the number 999"},
		{"speakeasy", withExtensions("", "", ""), "nothing of speakeasy in it can be imported"},
		{"speakeasy", "a: b", `the field "openapi" is missing`},
		{"fern", withExtensions("", "\n      x-fern-pagination: true", ""), "must be true only where the root has x-fern-pagination"},
		{"fern", withExtensions("", "\n      x-fern-retries: 3", ""), "x-fern-retries must be a mapping with disabled or max-attempts, got the number 3"},
		{"apimatic", "{}", "this is no OpenAPI document, and it has no CodeGenSettings"},
		{"apimatic", `{"CodeGenSettings": {"Retries": -1}}`, "Retries must be a number, not negative, got the number -1"},
		{"grpc-service-config", "{}", "this is no service config"},
		{"grpc-service-config", `{"retryThrottling": {"maxTokens": 5, "tokenRatio": 20}}`, ":1:52: tokenRatio must be a number above 0, at most 10, got the number 20"},
		{"grpc-service-config", `{"methodConfig": [{"name": [{}], "timeout": "1m"}]}`, `must be a duration such as "1.5s"`},
		{"grpc-service-config", `{"methodConfig": [{"name": [{"method": "X"}], "timeout": "1s"}]}`, "must be a mapping with service"},
		{"grpc-service-config", `{"methodConfig": [{"name": [{}], "retryPolicy": {"retryableStatusCodes": ["BUSY"]}}]}`, "must be the name or number of a code of gRPC"},
	} {
		path := filepath.Join(t.TempDir(), "in.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay, diagnostics, err := Import(t.Context(), c.format, path, "")
		var b bytes.Buffer
		if werr := WriteText(&b, diagnostics, TextOptions{}); werr != nil {
			t.Fatal(werr)
		}
		if err == nil || overlay != nil {
			t.Errorf("%s: imported: %s", c.text, overlay)
		}
		have(t, b.String(), c.want)
	}
}
