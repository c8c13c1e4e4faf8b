package lower

import "testing"

func TestUnions(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "what stands beside oneOf holds for each variant", schemas: `
			A: {type: object, required: [a], properties: {a: {type: string}}}
			B: {type: object, required: [b], properties: {b: {type: string}}}
			U:
			  type: object
			  required: [id]
			  properties: {id: {type: integer}}
			  oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]`, want: `
			A struct
			  a string required
			B struct
			  b string required
			U union oneOf by trial
			  A: U.A
			  B: U.B
			U.A struct inline
			  id int64 required
			  a string required
			U.B struct inline
			  id int64 required
			  b string required`},
		{name: "a base that adds nothing leaves the variants alone", schemas: `
			Cat: {type: object, required: [kind], properties: {kind: {type: string}, n: {type: integer}}}
			Dog: {type: object, required: [kind], properties: {kind: {type: string}, m: {type: integer}}}
			Pet:
			  type: object
			  required: [kind]
			  properties: {kind: {type: string, description: which one}}
			  discriminator: {propertyName: kind}
			  oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]`, want: `
			Cat struct
			  kind string required
			  n int64
			Dog struct
			  kind string required
			  m int64
			Pet union oneOf by kind
			  Cat: Cat "Cat" writes "Cat"
			  Dog: Dog "Dog" writes "Dog"`},
		{name: "two unions at once", schemas: `
			U:
			  allOf:
			    - oneOf: [{type: object, required: [a], properties: {a: {type: string}}}, {type: object, required: [b], properties: {b: {type: string}}}]
			    - oneOf: [{type: object, required: [c], properties: {c: {type: string}}}, {type: object, required: [d], properties: {d: {type: string}}}]`, want: `
			U union oneOf by trial
			  Object: U.Object
			  Object.2: U.Object.2
			U.Object union oneOf by trial inline
			  Object: U.Object.Object
			  Object.2: U.Object.Object.2
			U.Object.2 union oneOf by trial inline
			  Object: U.Object.2.Object
			  Object.2: U.Object.2.Object.2
			U.Object.Object struct inline
			  a string required
			  c string required
			U.Object.Object.2 struct inline
			  a string required
			  d string required
			U.Object.2.Object struct inline
			  b string required
			  c string required
			U.Object.2.Object.2 struct inline
			  b string required
			  d string required`},
		{name: "one variant, or one beside null, is no union", schemas: `
			A: {type: object, properties: {x: {type: string}}}
			U:
			  type: object
			  properties:
			    one: {oneOf: [{$ref: '#/components/schemas/A'}], description: the only one}
			    maybe: {anyOf: [{type: object, properties: {y: {type: string}}}, {type: 'null'}]}
			    twice: {anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/A'}]}`, want: `
			A struct
			  x string
			U struct
			  one A // the only one
			  maybe U.maybe?
			  twice A
			U.maybe struct inline nullable
			  y string`},
		{name: "names of variants", schemas: `
			A: {type: object, properties: {x: {type: string}}}
			U:
			  anyOf:
			    - {$ref: '#/components/schemas/A'}
			    - {title: Second one, type: object, properties: {y: {type: string}}}
			    - {type: object, properties: {z: {type: string}}}
			    - {type: array, items: {type: object, properties: {w: {type: string}}}}
			    - {type: integer}`, want: `
			A struct
			  x string
			U union anyOf by trial
			  A: A
			  Second one: U.Second one
			  Object: U.Object
			  Array: []U.Array.Item
			  Integer: int64
			U.Second one struct inline
			  y string
			U.Object struct inline
			  z string
			U.Array.Item struct inline
			  w string`},
		{name: "constants tell variants apart without a discriminator", schemas: `
			A: {type: object, required: [t], properties: {t: {const: a}}}
			B: {type: object, required: [t], properties: {t: {type: string, enum: [b, c]}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, want: `
			A struct
			  t string const "a" required
			B struct
			  t B.t required
			B.t enum string inline
			  "b"
			  "c"
			U union oneOf by t
			  A: A "a" writes "a"
			  B: B "b" "c"`},
		{name: "alternatives that only demand members", schemas: `
			A:
			  type: object
			  properties: {a: {type: string}, b: {type: string}}
			  anyOf: [{required: [a]}, {required: [b]}]`, want: `
			A struct [rule anyOf]
			  a string
			  b string`},
		{name: "any value among the alternatives", schemas: `
			A: {anyOf: [{type: string}, {}]}`, want: `
			A any`},
		{name: "a union of itself", schemas: `
			A: {anyOf: [{$ref: '#/components/schemas/A'}, {type: string}, {type: array, items: {$ref: '#/components/schemas/A'}}]}`, want: `
			A union anyOf by kind
			  String: string
			  Array: []A`, says: [][]string{{"union itself", "ignored"}}},
	})
}

// A oneOf of which an alternative has no value of its own is said to be one, and only
// such a oneOf.
func TestOverlap(t *testing.T) {
	for _, test := range []struct {
		name, schemas string
		want          bool
	}{
		{"the same twice", `
			A: {type: object, required: [x], properties: {x: {type: string}}}
			B: {type: object, required: [x], properties: {x: {type: string}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, true},
		{"one with a member more", `
			A: {type: object, required: [x], properties: {x: {type: string}}}
			B: {type: object, required: [x], properties: {x: {type: string}, y: {type: array, items: {type: integer}}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, true},
		{"one that builds on a part of the other, at depth", `
			Cell: {type: object, properties: {x: {type: string}}}
			View: {allOf: [{$ref: '#/components/schemas/Cell'}, {type: object, properties: {y: {type: string}}}]}
			A: {type: object, properties: {cells: {type: array, items: {$ref: '#/components/schemas/Cell'}}}}
			B: {type: object, properties: {cells: {type: array, items: {$ref: '#/components/schemas/View'}}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, true},
		{"types that lead to themselves", `
			A: {type: object, properties: {next: {$ref: '#/components/schemas/A'}}}
			B: {type: object, properties: {next: {$ref: '#/components/schemas/B'}, y: {type: string}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, true},
		{"each demands a member of its own", `
			A: {type: object, required: [x], properties: {x: {type: string}}}
			B: {type: object, required: [y], properties: {y: {type: string}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, false},
		{"a member of another type", `
			A: {type: object, required: [x], properties: {x: {type: string}}}
			B: {type: object, required: [x], properties: {x: {type: integer}, y: {type: string}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, false},
		{"a member that the other need not have", `
			A: {type: object, required: [x], properties: {x: {type: string}, z: {type: string}}}
			B: {type: object, required: [y], properties: {y: {type: string}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, false},
		{"one that is closed", `
			A: {type: object, required: [x], properties: {x: {type: string}}, additionalProperties: false}
			B: {type: object, required: [x], properties: {x: {type: string}, y: {type: string}}, additionalProperties: false}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, true},
		{"one that is closed, beside one with a member more", `
			A: {type: object, required: [x], properties: {x: {type: string}}, additionalProperties: false}
			B: {type: object, required: [x, y], properties: {x: {type: string}, y: {type: string}}, additionalProperties: false}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, false},
		{"bounds that differ", `
			A: {type: object, required: [x], properties: {x: {type: integer, maximum: 5}}}
			B: {type: object, required: [x], properties: {x: {type: integer, minimum: 6}}}
			U: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, false},
		{"anyOf", `
			A: {type: object, required: [x], properties: {x: {type: string}}}
			B: {type: object, required: [x], properties: {x: {type: string}}}
			U: {anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := lowerSchemas(t, "3.1.0", test.schemas)
			overlap := false
			for _, typ := range got.API.Types {
				overlap = overlap || typ.Union != nil && typ.Union.Overlap
			}
			if overlap != test.want || len(got.list) > 0 != test.want {
				t.Errorf("overlap %v, says %v", overlap, got.list)
			}
			if test.want {
				got.mentions("each value of the alternative", "oneOf")
			}
		})
	}
}

func TestDiscriminators(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "constants instead of names", schemas: `
			A: {type: object, required: [t], properties: {t: {type: string, enum: [text]}}}
			B: {type: object, required: [t], properties: {t: {type: string, const: image}}}
			U:
			  oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]
			  discriminator: {propertyName: t}`, want: `
			A struct
			  t A.t required
			A.t enum string inline
			  "text"
			B struct
			  t string const "image" required
			U union oneOf by t
			  A: A "text" writes "text"
			  B: B "image" writes "image"`},
		{name: "a union within a union", schemas: `
			A: {type: object, required: [t], properties: {t: {const: a}}}
			B: {type: object, required: [t], properties: {t: {const: b}}}
			C: {type: object, required: [t], properties: {t: {const: c}}}
			In:
			  oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]
			  discriminator: {propertyName: t}
			Out:
			  oneOf: [{$ref: '#/components/schemas/In'}, {$ref: '#/components/schemas/C'}]
			  discriminator: {propertyName: t, mapping: {a: '#/components/schemas/A', b: '#/components/schemas/B', c: '#/components/schemas/C'}}`, want: `
			A struct
			  t string const "a" required
			B struct
			  t string const "b" required
			C struct
			  t string const "c" required
			In union oneOf by t
			  A: A "a" writes "a"
			  B: B "b" writes "b"
			Out union oneOf by t
			  In: In "a" "b" "In"
			  C: C "c" writes "c"`},
		{name: "a parent and its children", schemas: `
			Pet:
			  type: object
			  required: [kind]
			  properties: {kind: {type: string}}
			  discriminator: {propertyName: kind, mapping: {c: '#/components/schemas/Cat', dog: Dog}}
			Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {n: {type: integer}}}]}
			Dog: {allOf: [{$ref: '#/components/schemas/Pet'}]}
			Puppy: {allOf: [{$ref: '#/components/schemas/Dog'}, {type: object, properties: {m: {type: integer}}}]}
			Owner: {type: object, properties: {pet: {$ref: '#/components/schemas/Pet'}}}`, want: `
			Pet union oneOf by kind
			  Cat: Cat "c" "Cat" writes "c"
			  Dog: Dog "dog" "Dog" writes "dog"
			  Puppy: Puppy "Puppy" writes "Puppy"
			Cat struct
			  kind string required
			  n int64
			Dog struct
			  kind string required
			Puppy struct
			  kind string required
			  m int64
			Owner struct
			  pet Pet`},
		{name: "a parent that stands for itself, too", schemas: `
			Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind}}
			Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {n: {type: integer}}}]}`, want: `
			Pet union oneOf by kind
			  Pet: Pet.Base "Pet" writes "Pet"
			  Cat: Cat "Cat" writes "Cat"
			Pet.Base struct inline
			  kind string required
			Cat struct
			  kind string required
			  n int64`},
		{name: "a parent that lists its children in oneOf", schemas: `
			Pet:
			  type: object
			  properties: {kind: {type: string}}
			  oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
			  discriminator: {propertyName: kind}
			Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {n: {type: integer}}}]}
			Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {m: {type: integer}}}]}`, want: `
			Pet union oneOf by kind
			  Cat: Cat "Cat" writes "Cat"
			  Dog: Dog "Dog" writes "Dog"
			Cat struct
			  kind string
			  n int64
			Dog struct
			  kind string
			  m int64`},
		{name: "no children", schemas: `
			A: {type: object, properties: {kind: {type: string}}, discriminator: {propertyName: kind}}`, want: `
			A struct
			  kind string`},
		{name: "a fallback", version: "3.2.0", schemas: `
			A: {type: object, properties: {t: {type: string}}}
			B: {type: object, properties: {t: {type: string}}}
			U:
			  oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]
			  discriminator: {propertyName: t, defaultMapping: B}`, want: `
			A struct
			  t string
			B struct
			  t string
			U union oneOf by t
			  A: A "A" writes "A"
			  B: B "B" writes "B" fallback`},
		{name: "a variant that no value chooses", schemas: `
			A: {type: object, properties: {t: {type: string}}}
			U:
			  oneOf: [{$ref: '#/components/schemas/A'}, {type: object, properties: {x: {type: string}}}]
			  discriminator: {propertyName: t}`, want: `
			A struct
			  t string
			U union oneOf by trial
			  A: A
			  Object: U.Object
			U.Object struct inline
			  x string`, says: [][]string{{"schema U", "trial"}}},
		{name: "the form of Swagger 2", version: "3.0.3", schemas: `
			A: {type: object, properties: {t: {type: string}}, discriminator: t}`, want: `
			A struct
			  t string`, says: [][]string{{"schema A", "discriminator", "propertyName"}}},
	})
}

func TestAllOf(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "refined members", schemas: `
			Base:
			  type: object
			  properties:
			    kind: {type: string}
			    n: {type: integer, minimum: 1, multipleOf: 4}
			    list: {type: array, items: {type: string, minLength: 2}}
			    sub: {$ref: '#/components/schemas/Sub'}
			Sub: {type: object, properties: {x: {type: string}}}
			Wide: {allOf: [{$ref: '#/components/schemas/Sub'}, {type: object, properties: {y: {type: string}}}]}
			Child:
			  allOf:
			    - $ref: '#/components/schemas/Base'
			    - type: object
			      required: [n]
			      properties:
			        kind: {type: string, enum: [a, b]}
			        n: {exclusiveMaximum: 100, multipleOf: 6}
			        list: {type: array, maxItems: 3, items: {type: string, maxLength: 5}}
			        sub: {$ref: '#/components/schemas/Wide'}`, want: `
			Base struct
			  kind string
			  n int64 [min 1, multiple 4]
			  list []string [minLength 2]
			  sub Sub
			Sub struct
			  x string
			Wide struct
			  x string
			  y string
			Child struct
			  kind Child.kind
			  n int64 [min 1, max< 100, multiple 12] required
			  list []string [minLength 2, maxLength 5] [maxItems 3]
			  sub Wide
			Child.kind enum string inline
			  "a"
			  "b"`},
		{name: "enums meet", schemas: `
			E: {type: string, enum: [a, b, c]}
			F: {allOf: [{$ref: '#/components/schemas/E'}, {enum: [b, c, d]}]}`, want: `
			E enum string
			  "a"
			  "b"
			  "c"
			F enum string
			  "b"
			  "c"`},
		{name: "a component that only wraps another", schemas: `
			A: {type: object, properties: {x: {type: string}}}
			B: {allOf: [{$ref: '#/components/schemas/A'}], description: the same}
			C: {allOf: [{type: object, properties: {x: {type: string}}}]}`, want: `
			A struct
			  x string
			B = A // the same
			C struct
			  x string`},
		{name: "one base twice, by two ways", schemas: `
			Base: {type: object, properties: {id: {type: string}}}
			L: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {l: {type: string}}}]}
			R: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {r: {type: string}}}]}
			LR: {allOf: [{$ref: '#/components/schemas/L'}, {$ref: '#/components/schemas/R'}]}`, want: `
			Base struct
			  id string
			L struct
			  id string
			  l string
			R struct
			  id string
			  r string
			LR struct
			  id string
			  l string
			  r string`},
		{name: "bounds take the tighter side", schemas: `
			A: {allOf: [{type: number, minimum: 1.5, maximum: 10}, {exclusiveMinimum: 1.50, maximum: 9.99}, {maximum: 1e1}]}
			B: {allOf: [{type: string, minLength: 1, pattern: a}, {minLength: 3, maxLength: 9, pattern: b}]}`, want: `
			A float64 [min> 1.50, max 9.99]
			B string [minLength 3, maxLength 9, pattern a, pattern b]`},
		{name: "integer is a number", schemas: `
			A: {allOf: [{type: number}, {type: integer, format: int32}]}`, want: `
			A int32`},
		{name: "a closed branch", schemas: `
			A: {allOf: [{type: object, additionalProperties: false, properties: {a: {type: string}}}, {properties: {b: {type: string}}}]}`, want: `
			A struct closed
			  a string
			  b string`, says: [][]string{{"schema A", "additionalProperties: false", `"b"`}}},
		{name: "recursion through merged members", schemas: `
			A: {type: object, properties: {next: {$ref: '#/components/schemas/A'}, a: {type: string}}}
			B: {type: object, properties: {next: {$ref: '#/components/schemas/B'}, b: {type: string}}}
			AB: {allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}`, want: `
			A struct
			  next A
			  a string
			B struct
			  next B
			  b string
			AB struct
			  next AB.next
			  a string
			  b string
			AB.next struct inline
			  next AB.next
			  a string
			  b string`},
		{name: "recursion through merged arrays gets a name", schemas: `
			A: {type: array, items: {$ref: '#/components/schemas/A'}}
			B: {type: array, items: {$ref: '#/components/schemas/B'}, uniqueItems: true}
			O: {type: object, properties: {x: {allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}}}`, want: `
			A []A
			B []B [unique]
			O struct
			  x []O.x.Item [unique]
			O.x.Item []O.x.Item inline [unique]`},
	})
}
