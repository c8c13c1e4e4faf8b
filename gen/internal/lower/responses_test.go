package lower

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func TestResponseHeaders(t *testing.T) {
	got := lowerCase(t, "082-response-headers-typed", Options{})
	got.silent()
	headers := got.response("rh", "200").Headers
	if len(headers) != 5 {
		t.Fatalf("%d headers, want 5", len(headers))
	}
	if h := headers[0]; h.Name != "X-Total" || !h.Required || h.In != "header" || h.Style != "simple" || h.Use.Type.Scalar != ir.Int64 {
		t.Errorf("X-Total: %+v", h)
	}
	if h := headers[2]; h.Use.Type.Kind != ir.KindArray || h.Explode {
		t.Errorf("X-Tags: %+v", h)
	}
	if r := got.response("rh", "204"); len(r.Headers) != 1 || len(r.Contents) != 0 {
		t.Errorf("204: %+v", r)
	}
}

// A response that refers to another is that one, under whatever status it is used.
func TestResponseReferences(t *testing.T) {
	got := lowerCase(t, "088-refs-alias-chain", Options{})
	r := got.response("getA", "410")
	if r.Component != "Missing" || r.ID != "#/components/responses/Missing" || r.Doc.Description != "none" {
		t.Errorf("%+v", r)
	}
	got = lowerCase(t, "090-refs-external-files", Options{})
	if r := got.response("pay", "default"); r.Component != "Fault" || r.ID != "ext/common.yaml#/components/responses/Fault" {
		t.Errorf("%+v", r)
	}
	got = lowerText(t, `
paths:
  /a:
    get:
      operationId: a
      responses:
        '404': {$ref: '#/components/responses/Gone', description: for this one}
        '410': {$ref: '#/components/responses/Gone'}
components:
  responses:
    Gone: {description: gone, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}
`, Options{})
	got.silent()
	a, b := got.response("a", "404"), got.response("a", "410")
	if a.ID != b.ID || a.Contents[0].Use.Type != b.Contents[0].Use.Type {
		t.Error("two uses of one response differ")
	}
	if a.Doc.Description != "for this one" || b.Doc.Description != "gone" {
		t.Errorf("descriptions %q, %q", a.Doc.Description, b.Doc.Description)
	}
}

func TestResponseKeys(t *testing.T) {
	got := lowerText(t, `openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /a:
    get:
      operationId: a
      responses:
        200: {description: ok}
        4xx: {description: a}
        Default: {description: b}
        '700': {description: c}
        '20': {description: d}
        success: {description: e}
        ' 404 ': {description: f}
        '5XX':
        '503': {}
        '504': too late
`, Options{})
	got.noErrors()
	var statuses []string
	for _, r := range got.op("a").Responses {
		statuses = append(statuses, r.Status)
	}
	if want := "[200 4XX default 700 404 5XX 503 504]"; want != sprint(statuses) {
		t.Errorf("statuses %s, want %s", sprint(statuses), want)
	}
	got.says(diag.Warning, `"4xx": taken as 4XX`)
	got.says(diag.Warning, "700", "no status of HTTP")
	got.says(diag.Warning, `"20"`, "ignored")
	got.says(diag.Warning, `"success"`, "ignored")
	got.says(diag.Warning, "response 5XX", "null")
	got.says(diag.Warning, "response 503", "description is missing")
	got.says(diag.Warning, "response 504", "got a string")
	if r := got.response("a", "504"); r.Doc.Description != "too late" {
		t.Errorf("%+v", r)
	}
}

func TestHeadersOfSwagger2(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    get:
      operationId: a
      responses:
        '200':
          description: ok
          headers:
            X-Limit: {type: integer, description: limit}
            Content-Type: {schema: {type: string}}
            x-limit: {schema: {type: string}}
            'X Bad': {schema: {type: string}}
            X-Null:
`, Options{})
	got.noErrors()
	headers := got.response("a", "200").Headers
	if len(headers) != 2 || headers[0].Use.Type.Scalar != ir.Int64 || headers[1].Name != "X-Null" {
		t.Errorf("headers %v", headers)
	}
	got.says(diag.Warning, "X-Limit", "taken as its schema")
	got.says(diag.Warning, "header x-limit is declared twice")
	got.says(diag.Warning, `"X Bad" is no name of a header`)
}

// In 3.2 a response needs no description and may have a summary.
func TestResponse32(t *testing.T) {
	got := lowerText(t, "openapi: 3.2.0\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {'200': {summary: s}}}}}\n", Options{})
	got.silent()
	if r := got.response("a", "200"); r.Doc.Summary != "s" {
		t.Errorf("%+v", r.Doc)
	}
}

func TestLinks(t *testing.T) {
	got := lowerCase(t, "100-callbacks-and-links", Options{})
	if got.says(diag.Warning, "{$request.query.u}", "no function finds the address"); len(got.list) != 1 {
		t.Errorf("%v", got.list) // the operation has no such parameter
	}
	got = lowerText(t, `
paths:
  /a:
    get:
      operationId: getA
      responses:
        '200':
          description: ok
          links:
            good: {operationId: getA, parameters: {a: $response.body#/a}}
            typo: {operationId: getAA}
            both: {operationId: getA, operationRef: '#/paths/~1a/get'}
            none: {description: x}
            ref: {operationRef: '#/paths/~1b/get'}
            elsewhere: {operationRef: 'https://example.com/api.yaml#/paths/~1a/get'}
            list: []
`, Options{})
	got.noErrors()
	got.says(diag.Warning, "link typo", `no operation "getAA"`, "did you mean getA?")
	got.says(diag.Warning, "link both", "exclude each other")
	got.says(diag.Warning, "link none", "needs operationId or operationRef")
	got.says(diag.Warning, "link ref", "leads nowhere")
	got.says(diag.Warning, "link list", "must be a mapping")
	if len(got.list) != 5 {
		t.Errorf("%d reports, want 5: %v", len(got.list), got.list)
	}
}
