package lower

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func TestParametersOfOneName(t *testing.T) {
	got := lowerCase(t, "020-params-same-name-different-in", Options{})
	for _, in := range []string{"path", "query", "header", "cookie"} {
		got.param("getThing", in, "id")
	}
	if n := len(got.op("getThing").Params); n != 4 {
		t.Errorf("%d parameters, want 4", n)
	}
}

func TestOperationOverridesPathItem(t *testing.T) {
	got := lowerCase(t, "021-params-override-path-level", Options{})
	own, base := got.param("listJobs", "query", "limit"), got.param("dropJobs", "query", "limit")
	if len(got.op("listJobs").Params) != 1 || !own.Required || own.Use.Type.Scalar != ir.String {
		t.Errorf("listJobs: %+v", own)
	}
	if base.Required || base.Use.Type.Kind != ir.KindScalar || base.Use.Type.Scalar != ir.Int64 {
		t.Errorf("dropJobs: %+v", base)
	}
}

func TestStyleDefaults(t *testing.T) {
	type style struct {
		op, in, name, style string
		explode             bool
	}
	check := func(doc string, tests ...style) {
		t.Helper()
		got := lowerCase(t, doc, Options{})
		for _, s := range tests {
			if p := got.param(s.op, s.in, s.name); p.Style != s.style || p.Explode != s.explode {
				t.Errorf("%s %s: style %s explode %t, want %s %t", s.op, s.name, p.Style, p.Explode, s.style, s.explode)
			}
		}
	}
	check("056-query-form-arrays", style{"q", "query", "a", "form", true}, style{"q", "query", "b", "form", false}, style{"q", "query", "c", "form", false})
	check("057-query-space-pipe", style{"d", "query", "s", "spaceDelimited", false}, style{"d", "query", "p", "pipeDelimited", false})
	check("058-query-deepobject", style{"deep", "query", "f", "deepObject", true})
	check("062-path-styles",
		style{"s", "path", "ids", "simple", false}, style{"l", "path", "ids", "label", true},
		style{"m", "path", "ids", "matrix", true}, style{"n", "path", "ids", "matrix", false}, style{"o", "path", "c", "simple", true})
	check("069-header-params", style{"h", "header", "X-Ids", "simple", false})
	check("070-cookie-params", style{"k", "cookie", "sid", "form", true}, style{"k", "cookie", "prefs", "form", false})
}

func TestQueryFlags(t *testing.T) {
	got := lowerCase(t, "061-query-name-and-reserved", Options{})
	if p := got.param("r", "query", "path"); !p.AllowReserved || p.AllowEmpty {
		t.Errorf("path: %+v", p)
	}
	if p := got.param("r", "query", "flag"); p.AllowReserved || !p.AllowEmpty {
		t.Errorf("flag: %+v", p)
	}
	for _, name := range []string{"ids[]", "$top", "a.b"} {
		got.param("r", "query", name)
	}
}

func TestContentParameter(t *testing.T) {
	got := lowerCase(t, "060-query-content-json-param", Options{})
	p := got.param("w", "query", "where")
	if p.Content != "application/json" || p.Use.Type.Kind != ir.KindStruct {
		t.Errorf("%+v", p)
	}
}

// Header parameters called Accept, Content-Type and Authorization are to be ignored.
func TestIgnoredHeaders(t *testing.T) {
	got := lowerCase(t, "069-header-params", Options{})
	if n := len(got.op("h").Params); n != 3 {
		t.Errorf("%d parameters, want 3", n)
	}
	got.says(diag.Note, "Accept")
}

func TestParameterDefault(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    get:
      operationId: a
      parameters:
        - {name: limit, in: query, schema: {type: integer, default: 20}}
        - {name: page, in: query, schema: {$ref: '#/components/schemas/Page'}}
      responses: {'204': {description: ok}}
components:
  schemas:
    Page: {type: integer, default: 1}
`, Options{})
	got.silent()
	for name, want := range map[string]string{"limit": "20", "page": "1"} {
		if d := got.param("a", "query", name).Default; d == nil || d.Text != want {
			t.Errorf("default of %s: %+v, want %s", name, d, want)
		}
	}
}

// A shared parameter is lowered once and keeps the name of its component.
func TestSharedParameters(t *testing.T) {
	got := lowerText(t, `
paths:
  /a: {get: {operationId: a, parameters: [{$ref: '#/components/parameters/Sort', description: how}], responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, parameters: [{$ref: '#/components/parameters/Sort'}], responses: {'204': {description: ok}}}}
components:
  parameters:
    Sort: {name: sort, in: query, description: base, schema: {type: string, enum: [up, down]}}
`, Options{})
	got.silent()
	a, b := got.param("a", "query", "sort"), got.param("b", "query", "sort")
	if a.Use.Type != b.Use.Type {
		t.Error("the two uses have different types")
	}
	if name := strings.Join(a.Use.Type.Name, " "); name != "Sort Param" {
		t.Errorf("type named %q", name)
	}
	if a.Doc.Description != "how" || b.Doc.Description != "base" {
		t.Errorf("descriptions %q, %q", a.Doc.Description, b.Doc.Description)
	}
}

func TestParameterRepairs(t *testing.T) {
	got := lowerText(t, `openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /a:
    get:
      operationId: a
      parameters:
        - {name: q, in: Query, type: array, items: {type: string}}
        - {name: none, in: query}
        - {name: s, in: header, style: form, schema: {type: string}}
        - {name: d, in: query, style: DeepObject, schema: {type: object, properties: {a: {type: string}}}}
        - {name: r, in: query, required: 'true', schema: {type: string, format: binary}}
        - {name: twice, in: query, schema: {type: string}}
        - {name: twice, in: query, schema: {type: string}}
        - {name: 'X Y', in: header, schema: {type: string}}
        - {name: sp, in: query, style: spaceDelimited, schema: {type: string}}
      responses: {'204': {description: ok}}
`, Options{})
	for _, d := range got.list {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s", d.Pos, d.Message)
		}
	}
	if p := got.param("a", "query", "q"); p.Use.Type.Kind != ir.KindArray {
		t.Errorf("q: %+v", p.Use.Type)
	}
	if p := got.param("a", "query", "none"); p.Use.Type.Kind != ir.KindScalar || p.Use.Type.Scalar != ir.String {
		t.Errorf("none: %+v", p.Use.Type)
	}
	if p := got.param("a", "header", "s"); p.Style != "simple" {
		t.Errorf("s: %s", p.Style)
	}
	if p := got.param("a", "query", "d"); p.Style != "deepObject" {
		t.Errorf("d: %s", p.Style)
	}
	if p := got.param("a", "query", "r"); !p.Required || p.Use.Type.Kind != ir.KindScalar {
		t.Errorf("r: %+v", p)
	}
	if p := got.param("a", "query", "sp"); p.Style != "form" {
		t.Errorf("sp: %s", p.Style)
	}
	if n := len(got.op("a").Params); n != 7 {
		t.Errorf("%d parameters, want 7", n)
	}
	got.says(diag.Warning, "taken as its schema")
	got.says(diag.Warning, "taken as a string")
	got.says(diag.Warning, "style form is not allowed in header")
	got.says(diag.Warning, `"twice"`, "listed twice")
	got.says(diag.Warning, "no name of a header")
}

func TestParameterErrors(t *testing.T) {
	tests := map[string][]string{
		"{in: query, schema: {type: string}}":                                                {"GET /a", "needs a name"},
		"{name: q, schema: {type: string}}":                                                  {`"q"`, "in is missing"},
		"{name: q, in: querry, schema: {type: string}}":                                      {`"querry"`, "did you mean query?"},
		"{name: q, in: formData, schema: {type: string}}":                                    {"use requestBody"},
		"{name: q, in: query, content: {a/b: {}, c/d: {}}}":                                  {`"q"`, "exactly one media type, has 2"},
		"{name: q, in: cookie, style: matrix, schema: {type: array, items: {type: string}}}": {`"q"`, "style matrix is not allowed in cookie (allowed: form)"},
		"q": {"must be a mapping"},
	}
	for param, words := range tests {
		got := lowerText(t, "paths:\n  /a:\n    get:\n      parameters:\n        - "+param+"\n      responses: {'204': {description: ok}}\n", Options{})
		if d := got.says(diag.Error, words...); d.Pos.Line != 7 {
			t.Errorf("%s: reported at %s", param, d.Pos)
		}
	}
}

func TestQuerystring(t *testing.T) {
	head := "openapi: 3.2.0\ninfo: {title: t, version: '1'}\npaths:\n  /a:\n    get:\n      operationId: a\n      responses: {'204': {description: ok}}\n      parameters:\n"
	whole := "        - {name: q, in: querystring, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}}}}}}\n"
	got := lowerText(t, head+whole, Options{})
	got.silent()
	if p := got.param("a", "querystring", "q"); p.Content != "application/x-www-form-urlencoded" || p.Use.Type.Kind != ir.KindStruct || p.Style != "" {
		t.Errorf("%+v", p)
	}
	lowerText(t, head+whole+"        - {name: b, in: query, schema: {type: string}}\n", Options{}).says(diag.Error, "cannot stand beside it")
	lowerText(t, head+whole+strings.Replace(whole, "name: q", "name: r", 1), Options{}).says(diag.Error, "only one parameter")
	lowerText(t, head+"        - {name: q, in: querystring, schema: {type: string}}\n", Options{}).says(diag.Error, "needs content")
}

func TestCookieStyle(t *testing.T) {
	doc := "info: {title: t, version: '1'}\npaths:\n  /a: {get: {operationId: a, parameters: [{name: c, in: cookie, style: cookie, schema: {type: array, items: {type: string}}}], responses: {'204': {description: ok}}}}\n"
	got := lowerText(t, "openapi: 3.2.0\n"+doc, Options{})
	got.silent()
	if p := got.param("a", "cookie", "c"); p.Style != "cookie" || !p.Explode {
		t.Errorf("%+v", p)
	}
	lowerText(t, "openapi: 3.1.0\n"+doc, Options{}).says(diag.Error, "style cookie is not allowed in cookie")
}

// A parameter of a path item that no template names is reported once, not for each
// operation.
func TestPathItemParameterNotInTemplate(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    parameters:
      - {name: uid, in: path, required: true, schema: {type: string}}
    get: {operationId: a, responses: {'204': {description: ok}}}
    put: {operationId: b, responses: {'204': {description: ok}}}
`, Options{})
	if len(got.list) != 1 {
		t.Errorf("%d reports", len(got.list))
	}
	if d := got.says(diag.Error, `"uid"`, "not in the template of /a"); d.Pos.Line != 7 {
		t.Errorf("reported at %s", d.Pos)
	}
}

// An encoding beside a parameter's content is said to be without effect.
func TestEncodingOfAParameter(t *testing.T) {
	got := lowerText(t, `openapi: 3.2.0
info: {title: t, version: '1'}
paths:
  /a:
    get:
      operationId: a
      parameters:
        - name: q
          in: querystring
          content:
            application/x-www-form-urlencoded:
              schema: {type: object, properties: {a: {type: array, items: {type: string}}}}
              encoding: {a: {style: pipeDelimited}}
      responses: {'204': {description: ok}}
`, Options{})
	if d := got.says(diag.Warning, `parameter "q"`, "encoding is not used"); d.Pos.Line != 13 || d.Pos.Col != 15 {
		t.Errorf("at %v", d.Pos)
	}
}
