package lower

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// A misspelled field that changes what is generated is an error; one that only
// people read, or that resembles nothing, is a warning.
func TestUnknownFields(t *testing.T) {
	tests := []struct {
		field    string
		severity diag.Severity
		hint     string
	}{
		{"respones: {}", diag.Error, "did you mean responses?"},
		{"requestbody: {}", diag.Error, "did you mean requestBody?"},
		{"paramters: []", diag.Error, "did you mean parameters?"},
		{"descripton: x", diag.Warning, "did you mean description?"},
		{"tag: x", diag.Warning, "did you mean tags?"},
		{"produces: [a]", diag.Warning, ""},
		{"example: 1", diag.Warning, ""},
	}
	for _, test := range tests {
		got := lowerText(t, "paths:\n  /a:\n    get:\n      operationId: a\n      responses: {'204': {description: ok}}\n      "+test.field+"\n", Options{})
		d := got.says(test.severity, "GET /a: unknown field")
		if d.Pos.Line != 8 || d.Pos.Col != 7 || d.Hint != test.hint {
			t.Errorf("%s: at %s, hint %q", test.field, d.Pos, d.Hint)
		}
	}
}

func TestExtensions(t *testing.T) {
	got := lowerText(t, `
x-anything: {a: 1}
paths:
  x-paths: 1
  /a:
    x-item: 1
    get:
      operationId: a
      x-internal: true
      x-go-nmae: Get
      x-resiliance: {timeout: 1s}
      responses: {x-r: 1, '204': {description: ok, x-y: 1}}
`, Options{})
	got.noErrors()
	got.says(diag.Warning, `"x-go-nmae"`, "did you mean x-go-name?")
	got.says(diag.Warning, `"x-resiliance"`, "did you mean x-resilience?")
	if len(got.list) != 2 {
		t.Errorf("%d reports, want 2", len(got.list))
	}
}

// Fields of a later version are read as there, with a warning.
func TestLaterFields(t *testing.T) {
	got := lowerText(t, `openapi: 3.0.3
info: {title: t, version: '1', summary: s}
webhooks: {hook: {post: {responses: {'204': {description: ok}}}}}
paths: {}
`, Options{})
	got.noErrors()
	got.says(diag.Warning, `"webhooks" belongs to OpenAPI 3.1`)
	got.says(diag.Warning, `"summary" belongs to OpenAPI 3.1`)
	if len(got.API.Webhooks) != 1 {
		t.Errorf("%d webhooks", len(got.API.Webhooks))
	}
}

func TestWrongTypes(t *testing.T) {
	tests := []struct {
		text     string
		severity diag.Severity
		words    []string
	}{
		{"paths: []", diag.Error, []string{"paths must be a mapping, got a list"}},
		{"paths: null\ncomponents: {}", diag.Warning, []string{"paths must be a mapping, got null"}},
		{"paths: {/a: []}", diag.Error, []string{"path item /a must be a mapping"}},
		{"paths: {/a: {get: x}}", diag.Error, []string{"GET /a must be a mapping, got a string"}},
		{"paths: {/a: {get: {tags: pets}}}", diag.Warning, []string{"taken as a list of one"}},
		{"paths: {/a: {get: {tags: {a: b}}}}", diag.Warning, []string{"tags must be a list"}},
		{"paths: {/a: {get: {deprecated: 'true'}}}", diag.Warning, []string{"deprecated must be a boolean"}},
		{"paths: {/a: {get: {description: [a]}}}", diag.Warning, []string{"description must be a string, got a list"}},
		{"paths: {/a: {get: {operationId: 12}}}", diag.Warning, []string{"the number 12: taken as text"}},
		{"paths: {/a: {get: {parameters: {q: {name: q, in: query, schema: {type: string}}}}}}", diag.Warning, []string{"its values are taken as the list"}},
		{"paths: {/a: {get: {parameters: x}}}", diag.Error, []string{"parameters must be a list"}},
		{"paths: {/a: {get: {responses: [x]}}}", diag.Error, []string{"responses must be a mapping"}},
		{"paths: {/a: {get: {requestBody: []}}}", diag.Error, []string{"requestBody must be a mapping"}},
		{"paths: {/a: {get: {externalDocs: x}}}", diag.Warning, []string{"externalDocs must be a mapping"}},
		{"paths: {}\ntags: x", diag.Warning, []string{"tags must be a list"}},
		{"paths: {}\nservers: x", diag.Error, []string{"servers must be a list"}},
		{"paths: {}\ncomponents: x", diag.Error, []string{"components must be a mapping"}},
		{"paths: {}\ncomponents: {responses: []}", diag.Error, []string{"responses must be a mapping"}},
		{"paths: {}\ncomponents: {examples: []}", diag.Warning, []string{"examples must be a mapping"}},
	}
	for _, test := range tests {
		lowerText(t, test.text, Options{}).says(test.severity, test.words...)
	}
}

func TestDocumentHead(t *testing.T) {
	got := lowerText(t, `openapi: 3.2.0
$self: https://example.com/api.yaml
info: {title: T, version: 1.0, description: D, license: {name: MIT}, contact: {email: a@example.com}}
paths: {}
`, Options{})
	got.noErrors()
	a := got.API
	if a.OpenAPI != "3.2.0" || a.Self != "https://example.com/api.yaml" || a.Title != "T" || a.Description != "D" {
		t.Errorf("%+v", a)
	}
	// The text as written, not the number.
	if a.Version != "1.0" {
		t.Errorf("version %q", a.Version)
	}
	got.says(diag.Warning, "info: version must be a string, got the number 1.0")
	lowerText(t, "openapi: 3.0.0\ninfo: {title: t, version: '1'}\n", Options{}).says(diag.Warning, "nothing to generate")
	lowerText(t, "openapi: 3.0.0\ninfo: {title: t, version: '1'}\ncomponents: {}\n", Options{}).says(diag.Warning, "paths is missing")
	lowerText(t, "components: {}\n", Options{}).silent()
}

func TestTags(t *testing.T) {
	got := lowerText(t, `openapi: 3.2.0
info: {title: t, version: '1'}
paths: {}
tags:
  - {name: a, summary: A, kind: nav, externalDocs: {url: 'https://example.com'}}
  - {name: b, parent: a}
  - {name: c, parent: lost}
  - {name: d, parent: e}
  - {name: e, parent: d}
  - {name: a}
  - {description: nameless}
`, Options{})
	got.noErrors()
	if len(got.API.Tags) != 5 {
		t.Fatalf("%d tags", len(got.API.Tags))
	}
	a, b, c := got.API.Tags[0], got.API.Tags[1], got.API.Tags[2]
	if a.Name != "a" || a.Kind != "nav" || a.Doc.Summary != "A" || a.Doc.ExternalURL != "https://example.com" {
		t.Errorf("%+v", a)
	}
	if b.Parent != "a" || c.Parent != "" {
		t.Errorf("parents %q, %q", b.Parent, c.Parent)
	}
	got.says(diag.Warning, `tag "c": parent "lost" is not declared`)
	got.says(diag.Warning, "form a circle")
	got.says(diag.Warning, `tag "a" is declared twice`)
	got.says(diag.Warning, "a tag needs a name")
}

// Components that nothing uses are checked, and their types are not declared.
func TestUnusedComponents(t *testing.T) {
	got := lowerText(t, `
paths: {}
components:
  parameters:
    P: {name: p, in: nowhere, schema: {type: string, enum: [a]}}
    Q: {name: q, in: query, schema: {type: string, enum: [a]}}
  responses:
    R: {description: ok, contents: {}}
  requestBodies:
    B: {$ref: '#/components/requestBodies/C'}
    C: {$ref: '#/components/requestBodies/B'}
  examples:
    E: {value: {$ref: '#/nowhere'}}
`, Options{})
	got.says(diag.Error, "parameter P", `in "nowhere"`)
	got.says(diag.Warning, "response R", `"contents"`, "did you mean content?")
	got.says(diag.Error, "in a circle", "#/components/requestBodies/B")
	if len(got.API.Types) != 0 {
		t.Errorf("%d types", len(got.API.Types))
	}
}
