package lower

import (
	"testing"
)

func TestObjects(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "additional properties", schemas: `
			A: {type: object, properties: {x: {type: string}}}
			B: {type: object, properties: {x: {type: string}}, additionalProperties: true}
			C: {type: object, properties: {x: {type: string}}, additionalProperties: {type: integer}}
			D: {type: object, properties: {x: {type: string}}, additionalProperties: false}
			E: {type: object}
			F: {type: object, additionalProperties: {$ref: '#/components/schemas/A'}}
			G: {type: object, additionalProperties: false}
			H: {type: object, properties: {x: {type: string}}, unevaluatedProperties: false}
			I: {type: object, additionalProperties: {type: object, properties: {y: {type: string}}}}`, want: `
			A struct
			  x string
			B struct
			  x string
			  extra any
			C struct
			  x string
			  extra int64
			D struct closed
			  x string
			E map any
			F map A
			G struct closed
			H struct closed
			  x string
			I map I.Value
			I.Value struct inline
			  y string`},
		{name: "pattern properties", schemas: `
			A: {type: object, properties: {x: {type: string}}, patternProperties: {'^n-': {type: integer}}}
			B: {type: object, patternProperties: {'^n-': {type: integer}}, additionalProperties: false}
			C: {type: object, patternProperties: {'^n-': {type: integer}}}`, want: `
			A struct
			  x string
			  extra any
			  /^n-/ int64
			B map int64 closed
			  /^n-/ int64
			C map any
			  /^n-/ int64`},
		{name: "required without a property", schemas: `
			A: {type: object, required: [there, b], properties: {b: {type: string}}}
			B: {type: object, required: [k], additionalProperties: {type: integer}}`, want: `
			A struct
			  b string required
			  there any required
			B struct
			  k int64 required
			  extra int64`, says: [][]string{{`"there"`, "no property"}, {`"k"`, "no property"}}},
		{name: "required in another case", schemas: `
			A: {type: object, required: [name], properties: {Name: {type: string}}}`, want: `
			A struct
			  Name string required`, says: [][]string{{`"name"`, `"Name"`, "meant"}}},
		{name: "tuples", schemas: `
			A: {type: array, prefixItems: [{type: string}, {type: object, properties: {x: {type: integer}}}]}
			B: {type: array, prefixItems: [{type: string}], items: {type: integer}}
			C: {type: array, prefixItems: [{type: string}], items: false, minItems: 1}`, want: `
			A tuple
			  string
			  A.Item.2
			  ... any
			A.Item.2 struct inline
			  x int64
			B tuple
			  string
			  ... int64
			C tuple closed [minItems 1]
			  string`},
		{name: "names of nested types", schemas: `
			A:
			  type: object
			  properties:
			    list: {type: array, items: {type: array, items: {type: object, properties: {x: {type: string}}}}}
			    map: {type: object, additionalProperties: {type: string, enum: [a]}}`, want: `
			A struct
			  list [][]A.list.Item.Item
			  map map A.map.Value
			A.list.Item.Item struct inline
			  x string
			A.map.Value enum string inline
			  "a"`},
	})
}

func TestReferences(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "anchors and definitions", schemas: `
			A:
			  type: object
			  properties: {x: {$ref: '#there'}, y: {$ref: '#/components/schemas/A/$defs/D'}}
			  $defs:
			    D: {type: string, enum: [a]}
			    E: {$anchor: there, type: object, properties: {z: {type: string}}}`, want: `
			A struct
			  x A.E
			  y A.D
			A.D enum string inline
			  "a"
			A.E struct inline
			  z string`},
		{name: "places inside other schemas are shared", schemas: `
			A: {type: object, properties: {list: {type: array, items: {type: string}}, n: {type: integer}, o: {type: object, properties: {x: {type: string}}}}}
			B: {type: object, properties: {l: {$ref: '#/components/schemas/A/properties/list'}, n: {$ref: '#/components/schemas/A/properties/n'}, o: {$ref: '#/components/schemas/A/properties/o'}, i: {$ref: '#/components/schemas/A/properties/list/items'}}}`, want: `
			A struct
			  list A.list
			  n int64
			  o A.o
			A.list []string inline
			A.o struct inline
			  x string
			B struct
			  l A.list
			  n int64
			  o A.o
			  i string`},
		{name: "arrays in place that contain themselves", schemas: `
			A: {type: object, properties: {l: {type: array, items: {$ref: '#/components/schemas/A/properties/l'}}}}`, want: `
			A struct
			  l A.l
			A.l []A.l inline`},
		{name: "one schema under two keys", schemas: `
			A: &a {type: object, properties: {x: {type: string}}}
			B: *a`, want: `
			A struct
			  x string
			B = A`},
		{name: "bounds beside a reference", schemas: `
			S: {type: string, maxLength: 9}
			L: {type: array, items: {$ref: '#/components/schemas/S'}}
			A: {type: object, properties: {s: {$ref: '#/components/schemas/S', minLength: 2}, l: {$ref: '#/components/schemas/L', maxItems: 3}}}
			N: {$ref: '#/components/schemas/S', pattern: '^a'}`, want: `
			S string [maxLength 9]
			L []S
			A struct
			  s S [minLength 2]
			  l L [maxItems 3]
			N = S [pattern ^a]`},
		{name: "members beside a reference", schemas: `
			S: {type: object, properties: {x: {type: string}}}
			T: {$ref: '#/components/schemas/S', properties: {y: {type: string}}, required: [x]}`, want: `
			S struct
			  x string
			T struct
			  x string required
			  y string`},
		{name: "what a referenced schema says of every use", schemas: `
			S: {type: string, default: d, readOnly: true, description: of S}
			A: {type: object, properties: {s: {$ref: '#/components/schemas/S'}, t: {$ref: '#/components/schemas/S', default: e, description: of t}}}`, want: `
			S string readOnly = "d" // of S
			A struct
			  s S readOnly = "d"
			  t S readOnly = "e" // of t`},
	})
}
