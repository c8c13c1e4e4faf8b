package lower

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Departures from the standard are mended, with a warning that tells what was
// assumed.
func TestRepairs(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "words for types", version: "3.0.3", schemas: `
			A:
			  type: object
			  properties:
			    a: {type: int}
			    b: {type: String}
			    c: {type: datetime}
			    d: {type: file}
			    e: {type: any}
			    f: {type: strnig}
			    g: {type: flurb}
			    h: {type: ''}`, want: `
			A struct
			  a int64
			  b string
			  c datetime
			  d binary
			  e any
			  f string
			  g any
			  h any`, says: [][]string{
			{`property "a" of A`, `"int"`, "integer"}, {`property "b"`, `"String"`, "string"},
			{`property "c"`, "date-time"}, {`property "d"`, "binary"}, {`property "e"`, "any"},
			{`property "f"`, `"strnig"`, "taken as string"}, {`property "g"`, `"flurb"`}, {`property "h"`},
		}},
		{name: "what stands where a schema is due", version: "3.0.3", schemas: `
			A: {type: object, properties: {a: null, b: https://example.test/x, c: [1]}}
			B: {type: array, items: [{type: string}, {type: integer}]}`, want: `
			A struct
			  a any
			  b any
			  c any
			B tuple
			  string
			  int64
			  ... any`, says: [][]string{
			{`property "a" of A`, "nothing"}, {`property "b" of A`, "https://example.test/x"}, {`property "c" of A`, "list"},
			{"schema B", "prefixItems"},
		}},
		{name: "forms of required", version: "3.0.3", schemas: `
			A: {type: object, required: b, properties: {a: {type: string, required: true}, b: {type: string}, c: {type: string, required: false}}}`, want: `
			A struct
			  a string required
			  b string required
			  c string`, says: [][]string{
			{"schema A", `"b"`, "list of one"}, {`property "a" of A`, "boolean"}, {`property "c" of A`, "boolean"},
		}},
		{name: "unquoted and quoted values", version: "3.0.3", schemas: `
			A: {type: string, enum: [1, true, x]}
			B: {type: integer, enum: ['1', 2]}
			C: {type: string, default: 5}
			D: {type: integer, default: '5'}
			E: {type: boolean, default: 'true'}
			F: {type: array, items: {type: string}, default: x}
			G: {type: string, minLength: '3'}`, want: `
			A enum string
			  "1"
			  "true"
			  "x"
			B enum int64
			  1
			  2
			C string = "5"
			D int64 = 5
			E bool = true
			F []string = ["x"]
			G string [minLength 3]`, says: [][]string{
			{"schema A", "1 (index 0)", "not a string"}, {"schema A", "true (index 1)"}, {"schema B", `"1" (index 0)`, "not an integer"},
			{"schema C", "default 5"}, {"schema D", `default "5"`}, {"schema E", `default "true"`}, {"schema F", `default "x"`},
			{"schema G", "minLength", "number"},
		}},
		{name: "lengths that no text of a format has", version: "3.0.3", schemas: `
			A: {type: string, format: uuid, minLength: 24, maxLength: 24}
			B: {type: string, format: date-time, maxLength: 19}
			C: {type: string, format: date, minLength: 10}`, want: `
			A string [minLength 24, maxLength 24]
			B string [maxLength 19]
			C date [rule pattern]`, says: [][]string{
			{"schema A", "uuid", "length"}, {"schema B", "date-time", "length"},
		}},
		{name: "defaults that the schema refuses", version: "3.0.3", schemas: `
			A: {type: string, format: date, default: yesterday}
			B: {type: integer, minimum: 1, default: 0}
			C: {type: string, default: null}
			D: {type: array, items: {type: string, enum: [a]}, default: [b]}
			E: {type: object, properties: {n: {type: integer}}, default: {n: x}}
			F: {oneOf: [{type: integer}, {type: boolean}], default: x}
			G: {type: string, maxLength: 2, default: abc}`, want: `
			A date
			B int64 [min 1]
			C string
			D []D.Item
			D.Item enum string inline
			  "a"
			E struct
			  n int64
			F union oneOf by kind
			  Integer: int64
			  Boolean: bool
			G string [maxLength 2]`, says: [][]string{
			{"schema A", `"yesterday"`, "date"}, {"schema B", "default 0", "minimum 1"}, {"schema C", "null"},
			{"schema D", `"b"`, "[a]"}, {"schema E", `member "n"`, "integer"}, {"schema F", "alternatives"}, {"schema G", "maxLength 2"},
		}},
		{name: "a type that fits no listed value", version: "3.0.3", schemas: `
			A: {type: integer, enum: [low, high]}`, want: `
			A enum string
			  "low"
			  "high"`, says: [][]string{{"schema A", "no value", "string"}}},
		{name: "bounds", version: "3.0.3", schemas: `
			A: {type: integer, minimum: 5, maximum: 1}
			B: {type: string, minLength: 5, maxLength: 1}
			C: {type: string, maxLength: -1}
			D: {type: number, multipleOf: 0}
			E: {type: integer, minimum: 1, exclusiveMinimum: true}
			F: {type: integer, exclusiveMaximum: 9}`, want: `
			A int64
			B string
			C string
			D float64
			E int64 [min> 1]
			F int64 [max< 9]`, says: [][]string{
			{"schema A", "minimum 5", "maximum 1"}, {"schema B", "minLength 5"}, {"schema C", "maxLength", "-1"},
			{"schema D", "multipleOf"}, {"schema F", "exclusiveMaximum", "boolean in 3.0"},
		}},
		{name: "flags of 3.0 in 3.1", schemas: `
			A: {type: integer, minimum: 1, exclusiveMinimum: true}`, want: `
			A int64 [min> 1]`, says: [][]string{{"schema A", "exclusiveMinimum", "number from OpenAPI 3.1"}}},
		{name: "keywords of 3.1 in 3.0", version: "3.0.3", schemas: `
			A: {type: object, properties: {k: {type: string, const: x}}, patternProperties: {'^a': {type: string}}}`, want: `
			A struct
			  k string const "x"
			  extra any
			  /^a/ string`, says: [][]string{{`property "k"`, "const needs OpenAPI 3.1"}, {"schema A", "patternProperties"}}},
		{name: "unknown keywords", version: "3.0.3", schemas: `
			A: {type: string, maxLenght: 3, foo: 1, x-foo: 2}`, want: `
			A string`, says: [][]string{{"schema A", `"maxLenght"`, "did you mean maxLength?"}, {"schema A", `"foo"`}}},
		{name: "lists that are not", version: "3.0.3", schemas: `
			A: {allOf: {type: object, properties: {x: {type: string}}}}
			B: {type: string, enum: a}
			C: {oneOf: [], type: string}`, want: `
			A struct
			  x string
			B string
			C string`, says: [][]string{{"schema A", "allOf must be a list"}, {"schema B", "enum must be a list"}, {"schema C", "empty"}}},
		{name: "keywords of which no type comes", schemas: `
			A: {type: object, properties: {x: {type: string}}, if: {required: [x]}, then: {}, else: {}, not: {required: [y]}, dependentRequired: {x: [y]}, propertyNames: {maxLength: 3}}
			B: {type: array, items: {type: string}, contains: {const: a}, minContains: 1, maxContains: 2, unevaluatedItems: false}`, want: `
			A struct [rule not if propertyNames dependent]
			  x string
			B []string [rule contains, rule unevaluated]`},
		{name: "a recursive reference of draft 2019-09", schemas: `
			A: {type: object, $recursiveAnchor: true, properties: {kids: {type: array, items: {$recursiveRef: '#'}}}}`, want: `
			A struct
			  kids []A`, says: [][]string{{"items of A.kids", "$recursiveRef", "reference to A"}}},
	})
}

// Faults that nothing can be assumed about.
func TestSchemaErrors(t *testing.T) {
	for _, test := range []struct {
		name, version, schemas string
		line                   int
		says                   []string
	}{
		{"a dynamic reference to nothing", "3.1.0", `A: {type: object, properties: {x: {$dynamicRef: '#node'}}}`, 6, []string{`"#node"`, "does not resolve"}},
		{"a discriminator's mapping to nothing", "3.1.0", "A: {type: object}\nU: {oneOf: [{$ref: '#/components/schemas/A'}], discriminator: {propertyName: k, mapping: {a: Aa}}}", 7, []string{"schema U", `"a"`, `"Aa"`}},
		{"a broken pattern of property names", "3.1.0", `A: {type: object, patternProperties: {'(': {type: string}}}`, 6, []string{`"("`, "character 1"}},
		{"a list of types in 3.0", "3.0.3", `A: {type: [string, integer]}`, 6, []string{"schema A", "3.1"}},
		{"a Go type that is not one", "3.1.0", `A: {type: string, x-go-type: 'x; func init() {}'}`, 6, []string{"schema A", "x-go-type"}},
		{"a Go type of no known package", "3.1.0", `A: {type: string, x-go-type: uuid.UUID}`, 6, []string{"schema A", "x-go-type-import"}},
		{"an import path that is none", "3.1.0", `A: {type: string, x-go-type: p.T, x-go-type-import: {path: 'a"; import "os'}}`, 6, []string{"schema A", "import path"}},
		{"a single-variant cycle", "3.1.0", `A: {oneOf: [{$ref: '#/components/schemas/A'}]}`, 6, []string{"schema A", "itself"}},
		{"a cycle by way of a property's place", "3.1.0", `A: {type: object, properties: {x: {$ref: '#/components/schemas/A/properties/x'}}}`, 6, []string{"itself"}},
		{"a cycle of allOf", "3.1.0", "A: {allOf: [{$ref: '#/components/schemas/B'}, {properties: {a: {}}}]}\nB: {allOf: [{$ref: '#/components/schemas/A'}, {properties: {b: {}}}]}", 6, []string{"schema A", "allOf contains itself", "A -> B -> A"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := lowerSchemas(t, test.version, test.schemas)
			errors := 0
			for _, d := range got.list {
				if d.Severity == diag.Error {
					errors++
				}
			}
			if errors != 1 {
				t.Errorf("%d errors, want 1: %v", errors, got.list)
			}
			if d := got.says(diag.Error, test.says...); d.Pos.Line != test.line {
				t.Errorf("reported at %s, want line %d", d.Pos, test.line)
			}
		})
	}
}

// A $ref among the components, or among properties, includes what it refers to.
func TestIncludedByReference(t *testing.T) {
	got := lowerText(t, `
openapi: 3.0.3
info: {title: t, version: '1'}
paths: {}
x-more: {B: {type: string}, C: {type: integer}}
x-members: {m: {type: string}}
components:
  schemas:
    A: {type: object, properties: {b: {$ref: '#/x-more/B'}, $ref: '#/x-members'}}
    $ref: '#/x-more'
`, Options{})
	got.noErrors()
	got.wantTypes(`
		B string
		C int64
		A struct
		  b B
		  m string`)
	got.says(diag.Warning, "components.schemas", "#/x-more", "taken")
	got.says(diag.Warning, "schema A", "#/x-members", "taken")
}
