package lower

import (
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern, s string
		path, want bool
	}{
		{"/pets/*", "/pets/{id}", true, true},
		{"/pets/*", "/pets/{id}/toys", true, false},
		{"/pets/**", "/pets/{id}/toys", true, true},
		{"/pets/**", "/pets", true, false},
		{"**", "/any/thing", true, true},
		{"/*/toys", "/pets/toys", true, true},
		{"/p?ts", "/pets", true, true},
		{"/a?b", "/a/b", true, false},
		{"get*", "getPet", false, true},
		{"get*", "listPets", false, false},
		{"users.*", "users.admin/get", false, true},
		{"*", "", false, true},
		{"", "", false, true},
		{"a*b*c", "aXXbYYc", false, true},
		{"a*b*c", "aXXbYY", false, false},
		{"ü*", "über", false, true},
	}
	for _, test := range tests {
		if got := glob(test.pattern, test.s, test.path); got != test.want {
			t.Errorf("glob(%q, %q, %t) = %t", test.pattern, test.s, test.path, got)
		}
	}
}

// keptTypes are the names of the component types that are in the result.
func keptTypes(g lowered) []string {
	var out []string
	for _, typ := range g.API.Types {
		if len(typ.Name) == 1 {
			out = append(out, typ.Name[0])
		}
	}
	slices.Sort(out)
	return out
}

func TestFilterByTagPrunesSchemas(t *testing.T) {
	got := lowerCase(t, "108-tags-filter-prune", Options{Include: []string{"tag:a b"}})
	if want := []string{"aOne", "both"}; !slices.Equal(keys(got.API.Operations), want) {
		t.Errorf("operations %q, want %q", keys(got.API.Operations), want)
	}
	if want := []string{"AOnly", "Deep", "Shared"}; !slices.Equal(keptTypes(got), want) {
		t.Errorf("types %q, want %q", keptTypes(got), want)
	}
}

func TestWithoutFilterEverythingStays(t *testing.T) {
	got := lowerCase(t, "108-tags-filter-prune", Options{})
	if len(got.API.Operations) != 4 {
		t.Errorf("operations %q", keys(got.API.Operations))
	}
	if want := []string{"AOnly", "BOnly", "Deep", "Orphan", "Shared"}; !slices.Equal(keptTypes(got), want) {
		t.Errorf("types %q, want %q", keptTypes(got), want)
	}
}

func TestFilterKinds(t *testing.T) {
	tests := []struct {
		include, exclude, want []string
	}{
		{include: []string{"path:/1"}, want: []string{"aOne"}},
		{include: []string{"path:/*"}, exclude: []string{"tag:b"}, want: []string{"aOne", "untagged"}},
		{include: []string{"operation:*One"}, want: []string{"aOne", "bOne"}},
		{include: []string{"b*"}, want: []string{"both", "bOne"}},
		{exclude: []string{"untagged", "tag:a b"}, want: []string{"bOne"}},
	}
	for _, test := range tests {
		got := lowerCase(t, "108-tags-filter-prune", Options{Include: test.include, Exclude: test.exclude})
		if !slices.Equal(keys(got.API.Operations), test.want) {
			t.Errorf("include %q exclude %q: %q, want %q", test.include, test.exclude, keys(got.API.Operations), test.want)
		}
		if len(got.Sources) != len(test.want) {
			t.Errorf("include %q: %d sources for %d operations", test.include, len(got.Sources), len(test.want))
		}
	}
}

func TestFilterOfNothing(t *testing.T) {
	text := `
tags: [{name: pets}]
paths:
  /a: {get: {operationId: a, tags: [dogs], responses: {'204': {description: ok}}}}
`
	got := lowerText(t, text, Options{Include: []string{"tag:dog", "a"}})
	if d := got.says(diag.Error, `no tag "dog"`, `did you mean "dogs"?`); d.Pos.File == "" {
		t.Error("the report names no file")
	}
	lowerText(t, text, Options{Include: []string{"tag:pets"}}).says(diag.Warning, "tag:pets matches no operation")
	lowerText(t, text, Options{Exclude: []string{"path:/b"}}).says(diag.Warning, "path:/b matches no operation")
	lowerText(t, text, Options{Include: []string{"tags:pets"}}).says(diag.Warning, "tags:pets matches no operation", `did you mean "tag:pets"?`)
	lowerText(t, `paths: {/a: {get: {operationId: listPets, responses: {'204': {description: ok}}}}}`, Options{Include: []string{"listPet"}}).
		says(diag.Warning, "matches no operation", `did you mean "listPets"?`)
	lowerText(t, text, Options{Exclude: []string{"tag:"}}).says(diag.Error, "selects nothing")
}

// Schemas reached by headers, parameters of path items, nested references and
// mappings of bare names stay; what only an example mentions does not.
func TestReachability(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    parameters: [{name: p, in: query, schema: {$ref: '#/components/schemas/InPathItem'}}]
    get:
      operationId: a
      responses:
        '200':
          description: ok
          headers: {X-H: {schema: {$ref: '#/components/schemas/InHeader'}}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Root'}
              example: {$ref: '#/components/schemas/OnlyExample'}
  /b: {get: {operationId: b, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Other'}}}}}}}
components:
  schemas:
    InPathItem: {type: string, enum: [a]}
    InHeader: {type: string, enum: [a]}
    Root:
      type: object
      required: [kind]
      properties:
        kind: {type: string}
        default: {$ref: '#/components/schemas/PropertyCalledDefault'}
      discriminator: {propertyName: kind, mapping: {bare: Bare}}
    Bare: {allOf: [{$ref: '#/components/schemas/Root'}, {type: object, properties: {x: {$ref: '#/components/schemas/Nested'}}}]}
    Child: {allOf: [{$ref: '#/components/schemas/Root'}]}
    Nested: {type: object, properties: {n: {type: string}}}
    PropertyCalledDefault: {type: object, properties: {n: {type: string}}}
    OnlyExample: {type: object, properties: {n: {type: string}}}
    Other: {type: object, properties: {n: {type: string}}}
`, Options{Include: []string{"a"}})
	got.noErrors()
	want := []string{"Bare", "Child", "InHeader", "InPathItem", "Nested", "PropertyCalledDefault", "Root"}
	if !slices.Equal(keptTypes(got), want) {
		t.Errorf("types %q, want %q", keptTypes(got), want)
	}
}
