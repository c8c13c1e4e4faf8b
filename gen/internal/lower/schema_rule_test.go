package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/check/schema"
)

// ruleTexts are the rules of a lowered document by the words of their names, and the
// texts that they begin with. Every text has to be one that the runtime compiles.
func ruleTexts(t *testing.T, got lowered) map[string]string {
	t.Helper()
	texts, out := map[string]string{}, map[string]string{}
	for _, s := range got.API.Schemas {
		texts[s.Name] = s.Text
	}
	if err := schema.NewSet(texts).Err(); err != nil {
		t.Error(err)
	}
	for _, r := range got.API.Rules {
		out[strings.Join(r.Words, " ")] = texts[r.Name]
	}
	return out
}

type ruleTest struct {
	name, version, schemas string
	types                  string
	rules                  map[string]string // words -> text
	says                   []string
}

// As little of a schema as its type leaves open becomes a rule, and nothing of a schema
// that its type says.
func TestRules(t *testing.T) {
	for _, test := range []ruleTest{
		{name: "none where types say it all", schemas: `
			A: {type: object, required: [x], properties: {x: {type: string, minLength: 1, pattern: '^a'}}}
			B: {oneOf: [{type: string}, {type: array, items: {type: integer}, uniqueItems: true}]}
			C: {allOf: [{$ref: '#/components/schemas/A'}, {type: object, properties: {y: {type: integer, maximum: 5}}}], unevaluatedProperties: false}`,
			rules: map[string]string{}},
		{name: "of a type and of a use", schemas: `
			A: {type: object, properties: {x: {type: string, not: {const: no}}}, if: {required: [x]}, then: {minProperties: 2}}
			B: {type: object, properties: {a: {$ref: '#/components/schemas/A', not: {required: [y]}}}}`,
			types: `
			A struct [rule if]
			  x string [rule not]
			B struct
			  a A [rule not]`,
			rules: map[string]string{
				"A": `{"if": {"required": ["x"]}, "then": {"minProperties": 2}}`, "A x": `{"not": {"const": "no"}}`, "B a": `{"not": {"required": ["y"]}}`,
			}},
		{name: "a condition without a consequence is none", schemas: `
			A: {type: object, properties: {x: {type: string}}, if: {required: [x]}}`, rules: map[string]string{}},
		{name: "of 3.0", version: "3.0.3", schemas: `
			A: {type: object, properties: {n: {type: integer}}, not: {properties: {n: {type: integer, nullable: true, minimum: 1, exclusiveMinimum: true}}, required: [n]}}`,
			rules: map[string]string{
				"A": `{"not": {"properties": {"n": {"type": ["null", "integer"], "exclusiveMinimum": 1}}, "required": ["n"]}}`,
			}},
		{name: "what travels one way is the type's matter", schemas: `
			A: {type: object, properties: {x: {type: string}}, anyOf: [{required: [x]}, {not: {type: object, required: [id], properties: {id: {type: string, readOnly: true}}}}]}`,
			rules: map[string]string{
				"A": `{"anyOf": [{"required": ["x"]}, {"not": {"type": "object", "properties": {"id": {"type": "string"}}}}]}`,
			}},
		{name: "also what another part of an allOf describes", schemas: `
			A: {type: object, properties: {x: {type: string}}, not: {allOf: [{required: [id, x]}, {properties: {id: {type: string, readOnly: true}}}]}}`,
			rules: map[string]string{
				"A": `{"not": {"allOf": [{"required": ["x"]}, {"properties": {"id": {"type": "string"}}}]}}`,
			}},
		{name: "references lead to entries", schemas: `
			A: {type: array, items: {type: string}, contains: {$ref: '#/components/schemas/B'}}
			B: {type: string, enum: [a, b]}`,
			rules: map[string]string{"A": `{"contains": {"$ref": "#/components/schemas/B"}}`}},
		{name: "unevaluated of a type is additionalProperties", schemas: `
			A: {type: object, properties: {x: {type: string}}, allOf: [{properties: {y: {type: string}}}], unevaluatedProperties: false}`,
			types: `
			A struct closed
			  y string
			  x string`, rules: map[string]string{}},
		{name: "unevaluated depends on alternatives", schemas: `
			A: {type: object, properties: {x: {type: string}}, anyOf: [{required: [z], properties: {z: {type: string}}}, true], unevaluatedProperties: false}`,
			rules: map[string]string{
				"A": `{"$typed": true, "properties": {"x": true}, "anyOf": [{"properties": {"z": {"type": "string"}}, "required": ["z"]}, true], "unevaluatedProperties": false}`,
			}},
		{name: "unevaluated does not see cousins", schemas: `
			A: {type: object, allOf: [{properties: {x: {type: string}}}, {properties: {y: {type: string}}, unevaluatedProperties: false}]}`,
			rules: map[string]string{"A": `{"$typed": true, "properties": {"y": true}, "unevaluatedProperties": false}`}},
		{name: "a declared member that a pattern matches", schemas: `
			A: {type: object, properties: {xa: {type: string}}, patternProperties: {'^x': {maxLength: 3}}}`,
			rules: map[string]string{"A": `{"properties": {"xa": {"type": "string"}}, "patternProperties": {"^x": {"maxLength": 3}}}`, "A Value": `{"maxLength": 3}`}},
		{name: "equal items of a tuple", schemas: `
			A: {type: array, prefixItems: [{type: string}], uniqueItems: true}`,
			rules: map[string]string{"A": `{"uniqueItems": true}`}},
		{name: "several objects as values", schemas: `
			A: {enum: [{a: 1}, {b: [2.50, null]}]}`,
			rules: map[string]string{"A": `{"enum": [{"a": 1}, {"b": [2.50, null]}]}`}},
		{name: "an alternative that takes all", schemas: `
			A: {oneOf: [{type: string}, {}]}`,
			rules: map[string]string{"A": `{"oneOf": [{"type": "string"}, {}]}`},
			says:  []string{"takes any value"}},
		{name: "keywords of earlier drafts", schemas: `
			A: {type: object, properties: {x: {type: string}}, dependencies: {x: [y], y: {minProperties: 3}}}
			B: {type: array, items: [{type: string}], additionalItems: {type: integer}}`,
			rules: map[string]string{
				"A": `{"dependentRequired": {"x": ["y"]}, "dependentSchemas": {"y": {"minProperties": 3}}}`,
			}, says: []string{"dependencies", "prefixItems", "additionalItems"}},
		{name: "texts of the document stay texts", schemas: "\n\t\t\tA: {type: object, properties: {x: {type: string}}, not: {required: [\"`\\\"}\\n\"]}}",
			rules: map[string]string{"A": "{\"not\": {\"required\": [\"`\\\"}\\n\"]}}"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.version == "" {
				test.version = "3.1.0"
			}
			got := lowerSchemas(t, test.version, test.schemas)
			got.noErrors()
			if test.types != "" {
				got.wantTypes(test.types)
			}
			rules := ruleTexts(t, got)
			for words, want := range test.rules {
				if rules[words] != want {
					t.Errorf("%s:\ngot  %s\nwant %s", words, rules[words], want)
				}
			}
			if len(rules) != len(test.rules) {
				t.Errorf("rules %q", rules)
			}
			for _, words := range test.says {
				got.mentions(words)
			}
			if len(got.list) != len(test.says) {
				t.Errorf("%d reports, want %d: %v", len(got.list), len(test.says), got.list)
			}
		})
	}
}

// Values of keywords that are no schemas are mended as others are.
func TestRuleRepairs(t *testing.T) {
	got := lowerSchemas(t, "3.1.0", `
		A: {type: object, properties: {x: {type: string}}, not: [], if: 1, then: {}, dependentRequired: [x], dependentSchemas: {x: 1}, propertyNames: null}
		B: {type: array, items: {type: string}, contains: {const: a}, minContains: -1, maxContains: many}
		C: {type: object, properties: {x: {type: string}}, dependentRequired: {x: [1, y], z: w}}`)
	got.noErrors()
	for _, words := range [][]string{
		{"schema A", "not must be a schema", "list"}, {"schema A", "if must be a schema"}, {"schema A", "dependentRequired must be a mapping"},
		{"schema A", `"x"`, "cannot be a number"}, {"schema A", "propertyNames must be a schema"},
		{"schema B", "minContains must be an integer", "-1"}, {"schema B", "maxContains must be a number"},
		{"schema C", "an entry must be a string"}, {"schema C", `"z"`, "cannot be a string"},
	} {
		got.mentions(words...)
	}
	if rules := ruleTexts(t, got); rules["B"] != `{"contains": {"const": "a"}}` || rules["C"] != `{"dependentRequired": {"x": ["y"]}}` {
		t.Errorf("%q", rules)
	}
}

// A $dynamicRef is a reference where one schema has the anchor. Where several have it,
// the value has no type, and the schemas that lead there are held to as a whole.
func TestDynamicReferences(t *testing.T) {
	one := lowerSchemas(t, "3.1.0", `
		Tree: {$dynamicAnchor: node, type: object, properties: {kids: {type: array, items: {$dynamicRef: '#node'}}}}`)
	one.noErrors()
	one.wantTypes(`
		Tree struct
		  kids []Tree`)
	two := lowerSchemas(t, "3.1.0", `
		Tree: {$id: 'https://x.example/tree', $dynamicAnchor: node, type: object, properties: {kids: {type: array, items: {$dynamicRef: '#node'}}}}
		Strict: {$id: 'https://x.example/strict', $dynamicAnchor: node, $ref: tree, unevaluatedProperties: false}
		Other: {type: object, properties: {x: {type: string}}}`)
	two.noErrors()
	two.wantTypes(`
		Tree struct [rule whole]
		  kids []any
		Strict struct closed [rule whole]
		  kids []any
		Other struct
		  x string`)
	want := map[string]string{
		"Strict whole": `{"$dynamicScope": {"node": "#/components/schemas/Strict"}, "$ref": "#/components/schemas/Tree", "unevaluatedProperties": false}`,
		"Tree whole":   `{"$dynamicScope": {"node": "#/components/schemas/Tree"}, "type": "object", "properties": {"kids": {"type": "array", "items": {"$dynamicRef": ["node", "#/components/schemas/Tree"]}}}}`,
	}
	rules := ruleTexts(t, two)
	for words, text := range want {
		if rules[words] != text {
			t.Errorf("%s: %s", words, rules[words])
		}
	}
}

// To the letter, a schema without a type says nothing of it, and each component is held
// to all of its schema.
func TestExact(t *testing.T) {
	text := `
paths: {}
components:
  schemas:
    A: {properties: {x: {minimum: 3}}}
    B: {type: object, properties: {y: {items: {type: string}}}}
    C: {enum: []}
`
	got := lowerText(t, text, Options{Exact: true})
	got.noErrors()
	got.wantTypes(`
		A any [rule whole]
		B struct [rule whole]
		  y any
		C never`)
	rules := ruleTexts(t, got)
	if rules["A whole"] != `{"properties": {"x": {"minimum": 3}}}` || rules["B whole"] != `{"type": "object", "properties": {"y": {"items": {"type": "string"}}}}` {
		t.Errorf("%q", rules)
	}
}

// A rule decides about values of the document as it does about those of a message.
func TestRuleAdmits(t *testing.T) {
	got := lowerSchemas(t, "3.1.0", `A: {type: string, not: {pattern: '^x'}}`)
	i := slices.IndexFunc(got.API.Rules, func(r *ir.Rule) bool { return strings.HasSuffix(r.Name, " ~ not") })
	if i < 0 {
		t.Fatal("no rule")
	}
	for text, want := range map[string]bool{"a": true, "xa": false} {
		if got.API.Rules[i].Admits(&ir.Value{Kind: ir.StringValue, Text: text}) != want {
			t.Errorf("%s: %v, want %v", text, !want, want)
		}
	}
}

// Rules of schemas that combine without end, or that are nested deeply, are written in
// bounded time and can be compiled.
func TestRulesOfHostileSchemas(t *testing.T) {
	deep := strings.Repeat("{not: ", 500) + "{}" + strings.Repeat("}", 500)
	got := lowerSchemas(t, "3.1.0", `
		A: {type: object, properties: {x: {type: string}}, not: `+deep+`}
		L: {not: {$ref: '#/components/schemas/L'}}
		M: {type: object, properties: {x: {type: string}}, unevaluatedProperties: false, anyOf: [{$ref: '#/components/schemas/M'}, {type: object, required: [q]}]}`)
	for _, d := range got.list {
		if d.Severity == diag.Error && !strings.Contains(d.Message, "itself") {
			t.Errorf("%s: %s", d.Pos, d.Message)
		}
	}
	ruleTexts(t, got)
}

// The name of an entry is that of one schema, whatever the properties are called.
func TestNamesOfEntries(t *testing.T) {
	got := lowerSchemas(t, "3.1.0", `
		A:
		  type: object
		  properties:
		    a: {type: string, not: {const: x}}
		    'a not': {type: string, not: {const: y}}
		    'a ~ not': {type: string, not: {const: z}}`)
	got.noErrors()
	seen := map[string]bool{}
	for _, s := range got.API.Schemas {
		if seen[s.Name] {
			t.Errorf("%q is there twice", s.Name)
		}
		seen[s.Name] = true
	}
	var texts []string
	for _, text := range ruleTexts(t, got) {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	if want := []string{`{"not": {"const": "x"}}`, `{"not": {"const": "y"}}`, `{"not": {"const": "z"}}`}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}
