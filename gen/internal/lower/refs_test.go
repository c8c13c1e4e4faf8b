package lower

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

func TestReferencesOfTheWrongKind(t *testing.T) {
	tests := map[string]string{
		"responses: {'200': {$ref: '#/components/schemas/S'}}":                                  `want a response, "#/components/schemas/S" is a schema`,
		"requestBody: {$ref: '#/components/responses/R'}":                                       `want a request body, "#/components/responses/R" is a response`,
		"parameters: [{$ref: '#/components/headers/H'}]":                                        `want a parameter, "#/components/headers/H" is a header`,
		"parameters: [{$ref: '#/info/title'}]":                                                  `want a parameter, "#/info/title" is a string`,
		"callbacks: {c: {$ref: '#/components/schemas/S'}}":                                      `want a callback, "#/components/schemas/S" is a schema`,
		"responses: {'200': {description: ok, headers: {X: {$ref: '#/components/schemas/S'}}}}": `want a header, "#/components/schemas/S" is a schema`,
	}
	for field, want := range tests {
		got := lowerText(t, "paths:\n  /a:\n    get:\n      "+field+`
components:
  schemas: {S: {type: string}}
  headers: {H: {schema: {type: string}}}
  responses: {R: {description: ok}}
`, Options{})
		if d := got.says(diag.Error, want); d.Pos.Line != 6 {
			t.Errorf("%s: reported at %s", field, d.Pos)
		}
	}
}

func TestReferenceCycle(t *testing.T) {
	got := lowerText(t, `
paths: {/a: {get: {operationId: a, parameters: [{$ref: '#/components/parameters/A'}]}}}
components:
  parameters:
    A: {$ref: '#/components/parameters/B'}
    B: {$ref: '#/components/parameters/A'}
    C: {$ref: '#/components/parameters/C'}
`, Options{})
	d := got.says(diag.Error, "#/components/parameters/A -> #/components/parameters/B -> #/components/parameters/A")
	if len(d.Related) == 0 {
		t.Error("the report names one place only")
	}
	got.says(diag.Error, "in a circle: #/components/parameters/C -> #/components/parameters/C")
}

// Beside a reference 3.0 ignores everything; from 3.1 on prose overrides.
func TestReferenceSiblings(t *testing.T) {
	doc := `info: {title: t, version: '1'}
paths:
  /a:
    get:
      operationId: a
      parameters: [{$ref: '#/components/parameters/P', description: own, required: true}]
      responses: {'204': {$ref: '#/components/responses/R', description: own}}
components:
  parameters: {P: {name: p, in: query, description: base, schema: {type: string}}}
  responses: {R: {description: base}}
`
	got := lowerText(t, "openapi: 3.0.3\n"+doc, Options{})
	got.noErrors()
	if p := got.param("a", "query", "p"); p.Doc.Description != "base" || p.Required {
		t.Errorf("3.0: %+v", p)
	}
	if d := got.says(diag.Warning, `"description" beside a $ref is ignored`); d.Repair {
		t.Error("the standard says what to do with it: no departure")
	}
	got = lowerText(t, "openapi: 3.1.0\n"+doc, Options{})
	got.noErrors()
	if p := got.param("a", "query", "p"); p.Doc.Description != "own" || p.Required {
		t.Errorf("3.1: %+v", p)
	}
	if r := got.response("a", "204"); r.Doc.Description != "own" {
		t.Errorf("3.1: %+v", r)
	}
	got.says(diag.Warning, `"required" beside a $ref is ignored`)
}

// Documents split over files write references where the standard has none.
func TestReferencesInPlaceOfMappings(t *testing.T) {
	got := lowerText(t, `
paths: {$ref: '#/x-parts/paths'}
x-parts:
  paths:
    /a:
      get:
        operationId: a
        parameters: {$ref: '#/x-parts/parameters'}
        responses:
          $ref: '#/x-parts/responses'
          '200': {description: own, headers: {$ref: '#/x-parts/headers'}, content: {$ref: '#/x-parts/content'}}
  parameters: [{name: q, in: query, schema: {type: string}}]
  responses: {'200': {description: other}, '404': {description: shared}}
  headers: {X-A: {schema: {type: string}}}
  content: {application/json: {schema: {type: string}}}
components:
  responses: {$ref: '#/components/responses'}
`, Options{})
	got.noErrors()
	got.param("a", "query", "q")
	got.response("a", "404")
	r := got.response("a", "200")
	if r.Doc.Description != "own" || len(r.Headers) != 1 || len(r.Contents) != 1 {
		t.Errorf("%+v", r)
	}
	got.says(diag.Warning, "paths: the standard has no reference here", "#/x-parts/paths")
	lowerText(t, "paths: {$ref: '#/info/title'}", Options{}).says(diag.Error, "want a mapping for paths")
	lowerText(t, "paths: {/a: {get: {parameters: {$ref: '#/info'}}}}", Options{}).says(diag.Error, "want a list")
}
