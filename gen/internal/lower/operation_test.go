package lower

import (
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

func TestOperationNames(t *testing.T) {
	got := lowerCase(t, "017-opid-missing", Options{})
	want := map[string][]string{
		"GET /books":                 {"get", "books"},
		"POST /books":                {"post", "books"},
		"GET /books/{book-id}":       {"get", "books", "by", "book-id"},
		"GET /books/{book-id}/pages": {"get", "books", "by", "book-id", "pages"},
	}
	for key, name := range want {
		if op := got.op(key); !slices.Equal(op.Name, name) || op.ID != "" {
			t.Errorf("%s: name %q, id %q", key, op.Name, op.ID)
		}
	}
	got = lowerCase(t, "018-opid-odd-characters", Options{})
	for _, id := range []string{"3gpp-register", "users.get", "users/get-all", "delete", "list all items", "straße"} {
		if op := got.op(id); op.ID != id || !slices.Equal(op.Name, []string{id}) {
			t.Errorf("%s: id %q, name %q", id, op.ID, op.Name)
		}
	}
}

func TestOperationGoName(t *testing.T) {
	got := lowerCase(t, "101-custom-go-names-types", Options{})
	if op := got.op("getPet"); op.GoName != "FetchPet" || op.Params[0].GoName != "PetID" {
		t.Errorf("go names %q, %q", op.GoName, op.Params[0].GoName)
	}
	lowerText(t, `
paths:
  /a: {get: {x-go-name: 'x; panic(1)', responses: {'204': {description: ok}}}}
`, Options{}).says(diag.Error, "GET /a", "not an exported Go identifier")
}

// The second use of an operationId is named by method and path; the first keeps it.
func TestOperationIDTwice(t *testing.T) {
	got := lowerText(t, `
paths:
  /a: {get: {operationId: x, responses: {'204': {description: ok}}}}
  /b/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: x, responses: {'204': {description: ok}}}
  /c: {get: {operationId: '', responses: {'204': {description: ok}}}}
`, Options{})
	got.noErrors()
	if want := []string{"x", "GET /b/{id}", "GET /c"}; !slices.Equal(keys(got.API.Operations), want) {
		t.Errorf("operations %q, want %q", keys(got.API.Operations), want)
	}
	d := got.says(diag.Warning, `operationId "x" is taken`, "first used here")
	if !d.Repair || d.Pos.Line != 8 || len(d.Related) != 1 || d.Related[0].Pos.Line != 5 {
		t.Errorf("repair %t at %s, related %v", d.Repair, d.Pos, d.Related)
	}
}

func TestMethods(t *testing.T) {
	got := lowerCase(t, "120-method-coverage", Options{})
	var methods []string
	for _, op := range got.API.Operations {
		methods = append(methods, op.Method)
	}
	if want := []string{"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"}; !slices.Equal(methods, want) {
		t.Errorf("methods %q, want %q", methods, want)
	}
	if got.op("de").Body == nil {
		t.Error("the body of DELETE is lost")
	}
}

func TestMethods32(t *testing.T) {
	got := lowerText(t, `openapi: 3.2.0
info: {title: t, version: '1'}
paths:
  /a:
    query: {operationId: q, responses: {'200': {description: ok}}}
    additionalOperations:
      COPY: {operationId: c, responses: {'204': {description: ok}}}
      lock: {operationId: l, responses: {'204': {description: ok}}}
      'B D': {operationId: bad}
`, Options{})
	if op := got.op("q"); op.Method != "QUERY" || op.Pointer != "#/paths/~1a/query" {
		t.Errorf("%s %s", op.Method, op.Pointer)
	}
	if op := got.op("c"); op.Method != "COPY" || op.Pointer != "#/paths/~1a/additionalOperations/COPY" {
		t.Errorf("%s %s", op.Method, op.Pointer)
	}
	if op := got.op("l"); op.Method != "lock" {
		t.Errorf("methods are case-sensitive: %s", op.Method)
	}
	got.says(diag.Error, `"B D" is not a method of HTTP`)
	lowerText(t, `
paths:
  /a: {query: {operationId: q, responses: {'200': {description: ok}}}}
`, Options{}).says(diag.Warning, `"query" belongs to OpenAPI 3.2`)
}

func TestMethodCase(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    GET: {operationId: a, responses: {'204': {description: ok}}}
    get: {operationId: b, responses: {'204': {description: ok}}}
`, Options{})
	got.noErrors()
	if want := []string{"a"}; !slices.Equal(keys(got.API.Operations), want) {
		t.Errorf("operations %q", keys(got.API.Operations))
	}
	got.says(diag.Warning, `method "GET": taken as "get"`)
	got.says(diag.Warning, "GET is declared twice")
}

func TestPaths(t *testing.T) {
	got := lowerCase(t, "064-path-custom-verb-and-suffix", Options{})
	want := map[string]string{
		"getJob": "[/jobs/]{id}", "applyJob": "[/jobs/]{id}[:apply]", "purgeJobs": "[/jobs:purge]",
		"getReport": "[/reports/]{name}[.]{ext}", "ping": "[/v]{major}[/ping]",
	}
	for id, text := range want {
		if p := parts(got.op(id)); p != text {
			t.Errorf("%s: %s, want %s", id, p, text)
		}
	}
	got = lowerCase(t, "065-path-param-not-go-identifier", Options{})
	if p := parts(got.op("getLine")); p != "[/o/]{order-id}[/l/]{line.id}[/t/]{type}" {
		t.Error(p)
	}
	got = lowerCase(t, "066-path-trailing-slash-and-root", Options{})
	got.silent()
	if len(got.API.Operations) != 5 {
		t.Errorf("operations %q", keys(got.API.Operations))
	}
}

// Two templates of one shape are one route while their methods differ.
func TestPathsOfOneShape(t *testing.T) {
	got := lowerText(t, `
paths:
  /a/{x}: {get: {parameters: [{name: x, in: path, required: true, schema: {type: string}}], responses: {'204': {description: ok}}}}
  /a/{y}: {put: {parameters: [{name: y, in: path, required: true, schema: {type: string}}], responses: {'204': {description: ok}}}}
`, Options{})
	got.silent()
	if len(got.API.Operations) != 2 {
		t.Errorf("operations %q", keys(got.API.Operations))
	}
}

func TestPathQueryAndFragment(t *testing.T) {
	got := lowerText(t, `
paths:
  /m: {post: {operationId: plain, responses: {'204': {description: ok}}}}
  /m?beta=true: {post: {operationId: beta, responses: {'204': {description: ok}}}}
  /m#other: {post: {operationId: other, responses: {'204': {description: ok}}}}
  /n#x: {post: {operationId: first, responses: {'204': {description: ok}}}}
  /n#y: {post: {operationId: second, responses: {'204': {description: ok}}}}
`, Options{})
	got.noErrors()
	if op := got.op("beta"); op.Path != "/m" || op.PathQuery != "beta=true" || op.Behind != nil {
		t.Errorf("path %q query %q", op.Path, op.PathQuery)
	}
	if op := got.op("other"); op.Path != "/m" || op.Fragment != "other" || op.Behind != got.op("plain") {
		t.Errorf("path %q fragment %q behind %v", op.Path, op.Fragment, op.Behind)
	}
	if op := got.op("first"); op.Behind != nil {
		t.Error("the first operation of a path has requests of its own")
	}
	if op := got.op("second"); op.Behind != got.op("first") {
		t.Error("the second operation stands behind the first")
	}
	got.says(diag.Warning, "POST /m#other", "a server gives every request to that of /m")
	got.says(diag.Warning, "POST /n#x", "left out of the path")
}

func TestQueryWrittenIntoPath(t *testing.T) {
	got := lowerText(t, `
paths:
  /s?q={q}&fixed=1&lost={z}:
    get:
      operationId: s
      parameters:
        - {name: q, in: query, schema: {type: integer}}
      responses: {'204': {description: ok}}
  /t?page={p}:
    get:
      operationId: t
      parameters: [{name: p, in: path, required: true, schema: {type: string}}]
      responses: {'204': {description: ok}}
`, Options{})
	got.noErrors()
	op := got.op("s")
	if op.Path != "/s" || op.PathQuery != "fixed=1" || len(op.Params) != 2 {
		t.Errorf("path %q query %q params %d", op.Path, op.PathQuery, len(op.Params))
	}
	if p := got.param("s", "query", "lost"); p.Required || p.Style != "form" || !p.Explode {
		t.Errorf("%+v", p)
	}
	got.param("t", "query", "page")
	got.says(diag.Warning, `"q" needs no place in the path`)
	got.says(diag.Warning, `parameter "p" stands in the query`)
}

func TestTemplateSpellings(t *testing.T) {
	got := lowerText(t, `
paths:
  /a/{proxy+}: {get: {operationId: a, parameters: [{name: proxy, in: path, required: true, schema: {type: string}}], responses: {'204': {description: ok}}}}
  /b/{petId}: {get: {operationId: b, parameters: [{name: pet_id, in: path, required: true, schema: {type: string}}], responses: {'204': {description: ok}}}}
  c/{id}: {get: {operationId: c, responses: {'204': {description: ok}}}}
`, Options{})
	got.noErrors()
	for id, want := range map[string]string{"a": "[/a/]{proxy}", "b": "[/b/]{pet_id}", "c": "[/c/]{id}"} {
		if p := parts(got.op(id)); p != want {
			t.Errorf("%s: %s, want %s", id, p, want)
		}
		if n := len(got.op(id).Params); n != 1 {
			t.Errorf("%s has %d parameters", id, n)
		}
	}
	got.says(diag.Warning, `{proxy+} of the path is taken as the parameter "proxy"`)
	got.says(diag.Warning, `path "c/{id}" must begin with a slash`)
	if p := got.param("c", "path", "id"); !p.Required || p.Style != "simple" || p.Use == nil {
		t.Errorf("%+v", p)
	}
}

// A name that a template has twice is two parameters.
func TestRepeatedName(t *testing.T) {
	got := lowerText(t, `
paths:
  /a/{id}/b/{id}:
    get: {operationId: a, parameters: [{name: id, in: path, required: true, schema: {type: integer}}], responses: {'204': {description: ok}}}
`, Options{})
	got.noErrors()
	if p := parts(got.op("a")); p != "[/a/]{id}[/b/]{id_2}" {
		t.Error(p)
	}
	if p := got.param("a", "path", "id_2"); !p.Required || p.Use != got.param("a", "path", "id").Use {
		t.Errorf("%+v", p)
	}
	got.says(diag.Warning, "more than once")
}

func TestPathItemRefs(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    $ref: '#/components/pathItems/Shared'
    put: {operationId: own, responses: {'204': {description: ok}}}
  /loop: {$ref: '#/paths/~1loop'}
components:
  pathItems:
    Shared:
      parameters: [{name: q, in: query, schema: {type: string}}]
      get: {operationId: shared, responses: {'204': {description: ok}}}
`, Options{})
	if want := []string{"own", "shared"}; !slices.Equal(keys(got.API.Operations), want) {
		t.Errorf("operations %q, want %q", keys(got.API.Operations), want)
	}
	got.param("own", "query", "q")
	source := got.Sources[got.op("own")]
	if len(source.PathItems) != 2 || source.PathItems[0].Pointer() != "/components/pathItems/Shared" || source.PathItems[1].Pointer() != "/paths/~1a" {
		t.Errorf("path items of the source: %d", len(source.PathItems))
	}
	if source.Operation.Pointer() != "/paths/~1a/put" {
		t.Errorf("source at %s", source.Operation.Pointer())
	}
	got.says(diag.Error, "path item /loop refers to itself")
}

func TestOperationRef(t *testing.T) {
	got := lowerText(t, `
paths:
  /a: {get: {$ref: '#/x-ops/A'}}
x-ops:
  A: {operationId: a, responses: {'204': {description: ok}}}
`, Options{})
	got.noErrors()
	got.op("a")
	got.says(diag.Warning, "no reference in the place of an operation")
}

func TestSkipUnsupported(t *testing.T) {
	text := `
paths:
  /a: {get: {operationId: a, parameters: [{name: q, in: query, schema: {$ref: '#/components/schemas/A'}}], responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, responses: {'204': {description: ok}}}}
components:
  schemas:
    A: {$dynamicAnchor: x, type: array, items: {$dynamicRef: '#x'}}
    B: {$id: b, $dynamicAnchor: x, type: string}
`
	lowerText(t, text, Options{}).says(diag.Error, "$dynamicRef")
	got := lowerText(t, text, Options{SkipUnsupported: true})
	got.noErrors()
	if want := []string{"b"}; !slices.Equal(keys(got.API.Operations), want) {
		t.Errorf("operations %q, want %q", keys(got.API.Operations), want)
	}
	got.says(diag.Warning, "GET /a is left out")
	if len(got.Sources) != 1 {
		t.Errorf("%d sources", len(got.Sources))
	}
}

// Operations of a path item share its prose only where they have none.
func TestPathItemProse(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    summary: for all
    get: {operationId: a, responses: {'204': {description: ok}}}
    put: {operationId: b, description: own, deprecated: true, responses: {'204': {description: ok}}}
`, Options{})
	got.silent()
	if d := got.op("a").Doc; d.Summary != "for all" {
		t.Errorf("%+v", d)
	}
	if d := got.op("b").Doc; d.Summary != "" || d.Description != "own" || !d.Deprecated {
		t.Errorf("%+v", d)
	}
}

// A response is optional since 3.1, and required before.
func TestResponsesMissing(t *testing.T) {
	lowerText(t, "paths: {/a: {get: {operationId: a}}}", Options{}).silent()
	lowerText(t, "paths: {/a: {get: {operationId: a, responses: {}}}}", Options{}).says(diag.Warning, "responses is empty")
}
