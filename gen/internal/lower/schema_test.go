package lower

import (
	"strings"
	"testing"
)

// lowerSchemas lowers a document of that version with nothing but these components.
func lowerSchemas(t *testing.T, version, schemas string) lowered {
	t.Helper()
	var b strings.Builder
	b.WriteString("openapi: " + version + "\ninfo: {title: t, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n")
	for line := range strings.SplitSeq(outdent(schemas), "\n") {
		b.WriteString("    " + line + "\n")
	}
	return lowerText(t, b.String(), Options{})
}

// schemaTest is one table entry: a text without faults, unless says names them.
type schemaTest struct {
	name    string
	version string // 3.1.0 when empty
	schemas string
	want    string
	says    [][]string // words of warnings and notes, one list for each
}

func runSchemas(t *testing.T, tests []schemaTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.version == "" {
				test.version = "3.1.0"
			}
			got := lowerSchemas(t, test.version, test.schemas)
			got.noErrors()
			got.wantTypes(test.want)
			for _, words := range test.says {
				got.mentions(words...)
			}
			if len(got.list) != len(test.says) {
				for _, d := range got.list {
					t.Logf("%s: %s: %s", d.Pos, d.Severity, d.Message)
				}
				t.Errorf("%d reports, want %d", len(got.list), len(test.says))
			}
		})
	}
}

// mentions fails unless a report of any severity contains all words.
func (g lowered) mentions(words ...string) {
	g.t.Helper()
	for _, d := range g.list {
		all := true
		for _, word := range words {
			all = all && strings.Contains(d.Message+" "+d.Hint, word)
		}
		if all {
			return
		}
	}
	g.t.Errorf("no report mentions %q", words)
}

func TestScalars(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "formats of strings", schemas: `
			S:
			  type: object
			  properties:
			    plain: {type: string}
			    bytes: {type: string, format: byte}
			    at: {type: string, format: date-time}
			    day: {type: string, format: date}
			    clock: {type: string, format: time}
			    wait: {type: string, format: duration}
			    id: {type: string, format: uuid}
			    v4: {type: string, format: ipv4}
			    v6: {type: string, format: ipv6}
			    either: {type: string, format: ip}
			    mail: {type: string, format: email}
			    link: {type: string, format: uri}
			    secret: {type: string, format: password}
			    file: {type: string, format: binary}
			    other: {type: string, format: something}
			    number: {type: string, format: decimal}`, want: `
			S struct
			  plain string
			  bytes bytes
			  at datetime
			  day date
			  clock time
			  wait duration
			  id uuid
			  v4 ipv4
			  v6 ipv6
			  either ip
			  mail string [format email]
			  link string [format uri]
			  secret string secret
			  file binary
			  other string
			  number string`},
		{name: "formats of numbers", schemas: `
			N:
			  type: object
			  properties:
			    i: {type: integer}
			    i8: {type: integer, format: int8}
			    i16: {type: integer, format: int16}
			    u8: {type: integer, format: uint8}
			    u32: {type: integer, format: uint32}
			    big: {type: integer, format: bigint}
			    n: {type: number}
			    f: {type: number, format: float}
			    d: {type: number, format: decimal}
			    whole: {type: number, format: int64}
			    b: {type: boolean}`, want: `
			N struct
			  i int64
			  i8 int8
			  i16 int16
			  u8 uint8
			  u32 uint32
			  big bigint
			  n float64
			  f float32
			  d decimal
			  whole int64
			  b bool`},
		{name: "values beyond int64", schemas: `
			N:
			  type: object
			  properties:
			    unsigned: {type: integer, minimum: 0, maximum: 18446744073709551615}
			    javascript: {type: integer, maximum: 9223372036854776000}
			    huge: {type: integer, minimum: -1e30}
			    listed: {type: integer, format: int32, enum: [1, 3000000000]}`, want: `
			N struct
			  unsigned uint64 [min 0, max 18446744073709551615]
			  javascript int64 [max 9223372036854776000]
			  huge bigint [min -1e30]
			  listed N.listed
			N.listed enum int64 inline
			  1
			  3000000000`},
		{name: "content in strings", schemas: `
			C:
			  type: object
			  properties:
			    a: {type: string, contentEncoding: base64, contentMediaType: image/png}
			    b: {type: string, contentEncoding: base64url}
			    c: {type: string, contentMediaType: application/json}
			    d: {type: string, contentMediaType: image/png}`, want: `
			C struct
			  a bytes
			  b bytes
			  c string
			  d binary`},
		{name: "a missing type follows from the keywords", schemas: `
			A: {properties: {x: {format: byte}, y: {contentEncoding: base64}}}
			B: {items: {type: string}}
			C: {enum: [a, b]}
			D: {additionalProperties: {type: integer}}
			E: {enum: [1, x]}
			F: {description: anything}`, want: `
			A struct
			  x bytes
			  y bytes
			B []string
			C enum string
			  "a"
			  "b"
			D map int64
			E union anyOf by kind
			  Integer: E.Integer
			  String: E.String
			E.String enum string inline
			  "x"
			E.Integer enum int64 inline
			  1
			F any // anything`},
		{name: "bounds alone have no type", schemas: `
			A: {properties: {x: {minLength: 1}, y: {format: uuid}, z: {maximum: 3}, w: {format: int32}, l: {uniqueItems: true}}}
			B: {allOf: [{type: string}, {maxLength: 3}]}
			C: {anyOf: [{type: integer}, {minimum: 2}]}
			D: {type: string, oneOf: [{minLength: 2}, {pattern: '^a'}]}`, want: `
			A struct
			  x any [rule pattern]
			  y any [rule format]
			  z any [rule bounds]
			  w any
			  l any [rule uniqueItems]
			B string [maxLength 3]
			C any [rule anyOf]
			D union oneOf by trial
			  String: string [minLength 2]
			  String.2: string [pattern ^a]`},
		{name: "formats that say more than length and pattern", schemas: `
			A: {type: string, format: uuid, minLength: 36}`, want: `
			A uuid [rule pattern]`},
	})
}

func TestNull(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "every form in 3.0", version: "3.0.3", schemas: `
			O:
			  type: object
			  properties:
			    a: {type: string, nullable: true}
			    b: {nullable: true, allOf: [{$ref: '#/components/schemas/R'}]}
			    c: {allOf: [{$ref: '#/components/schemas/R'}, {nullable: true}]}
			    d: {nullable: true, oneOf: [{type: string}, {type: integer}]}
			    e: {type: string, nullable: true, enum: [x, null]}
			    f: {type: string, nullable: true, enum: [x]}
			    g: {$ref: '#/components/schemas/N'}
			    h: {nullable: true}
			R: {type: object, properties: {x: {type: string}}}
			N: {type: integer, nullable: true}`, want: `
			O struct
			  a string?
			  b R?
			  c R?
			  d O.d?
			  e O.e?
			  f O.f?
			  g N?
			  h any
			O.d union oneOf by kind inline nullable
			  String: string
			  Integer: int64
			O.e enum string inline nullable
			  "x"
			O.f enum string inline nullable
			  "x"
			R struct
			  x string
			N int64 nullable`},
		{name: "every form in 3.1", schemas: `
			O:
			  type: object
			  properties:
			    a: {type: [string, 'null']}
			    b: {anyOf: [{$ref: '#/components/schemas/R'}, {type: 'null'}]}
			    c: {oneOf: [{type: 'null'}, {type: array, items: {type: [integer, 'null']}}]}
			    d: {$ref: '#/components/schemas/R', type: [object, 'null']}
			    e: {enum: [x, null]}
			    f: {oneOf: [{type: string}, {type: integer}, {type: 'null'}]}
			    g: {type: 'null'}
			    h: {const: null}
			    i: {type: [string, integer, 'null']}
			R: {type: object, properties: {x: {type: string}}}`, want: `
			O struct
			  a string?
			  b R?
			  c []int64??
			  d R?
			  e O.e?
			  f O.f?
			  g null
			  h null
			  i O.i?
			O.e enum string inline nullable
			  "x"
			O.f union oneOf by kind inline nullable
			  String: string
			  Integer: int64
			O.i union anyOf by kind inline nullable
			  Integer: int64
			  String: string
			R struct
			  x string`},
		{name: "allOf allows null only if every branch does", version: "3.0.3", schemas: `
			Base: {type: object, properties: {a: {type: string, nullable: true}, b: {type: string, nullable: true}}}
			Both: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {a: {type: string}, b: {type: string, nullable: true}}}]}`, want: `
			Base struct
			  a string?
			  b string?
			Both struct
			  a string
			  b string?`},
		{name: "null listed in an enum of strings", version: "3.0.3", schemas: `
			E: {type: string, enum: [a, null]}`, want: `
			E enum string nullable
			  "a"`, says: [][]string{{"schema E", "enum value null (index 1) is not a string", "allowed"}}},
		{name: "nullable in 3.1 is left from 3.0", schemas: `
			A: {type: object, properties: {x: {type: string, nullable: true}}}`, want: `
			A struct
			  x string?`, says: [][]string{{`property "x" of A`, "nullable", `"null"`}}},
	})
}

func TestEnumsAndConstants(t *testing.T) {
	runSchemas(t, []schemaTest{
		{name: "names and descriptions", version: "3.0.3", schemas: `
			A: {type: string, enum: [a, b], x-enum-varnames: [First, Second], x-enum-descriptions: [one, two]}
			B: {type: integer, enum: [1, 2], x-enumNames: [One, Two], x-enumDescriptions: {'1': eins, '2': zwei}}
			C: {type: string, nullable: true, enum: [a, null, b], x-enum-varnames: [OnlyA, OnlyB]}`, want: `
			A enum string
			  "a" as First // one
			  "b" as Second // two
			B enum int64
			  1 as One // eins
			  2 as Two // zwei
			C enum string nullable
			  "a" as OnlyA
			  "b" as OnlyB`},
		{name: "a name that Go cannot take", version: "3.0.3", schemas: `
			A: {type: string, enum: [a, b], x-enum-varnames: [First, 2nd]}`, want: `
			A enum string
			  "a" as First
			  "b"`, says: [][]string{{"schema A", `"2nd"`, "not an exported Go identifier"}}},
		{name: "const", schemas: `
			A:
			  type: object
			  required: [kind]
			  properties:
			    kind: {const: cat}
			    n: {const: 1.5}
			    on: {type: boolean, enum: [true]}
			    flag: {type: boolean, enum: [true, false]}
			    o: {const: {a: 1}}`, want: `
			A struct
			  kind string const "cat" required
			  n float64 const 1.5
			  on bool const true
			  flag bool
			  o map any const {"a":1}`},
		{name: "a string beside its known values is an open enum", schemas: `
			Model: {anyOf: [{type: string}, {type: string, enum: [m-1, m-2]}, {type: string, const: m-3}]}
			Size: {oneOf: [{type: string, enum: [s, m]}, {type: string, enum: [l]}]}
			Input: {anyOf: [{type: string}, {type: string, enum: [x]}, {type: array, items: {type: string}}]}
			Plain: {anyOf: [{type: string}, {type: string, format: date}]}
			Number: {anyOf: [{type: integer}, {type: number}]}`, want: `
			Model enum string open
			  "m-1"
			  "m-2"
			  "m-3"
			Size enum string
			  "s"
			  "m"
			  "l"
			Input union anyOf by kind
			  String: Input.String
			  Array: []string
			Input.String enum string inline open
			  "x"
			Plain string
			Number float64`},
		{name: "exact numbers", schemas: `
			A: {type: integer, enum: [9007199254740993, 9007199254740992]}
			B: {type: number, enum: [1.10, 1e400]}`, want: `
			A enum int64
			  9007199254740993
			  9007199254740992
			B enum float64
			  1.10
			  1e400`},
	})
}
