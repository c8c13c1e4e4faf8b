package lower

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// wantTypes compares the dump of the types with what is due. Lines are compared
// without the indentation that Go source gives them.
func (g lowered) wantTypes(want string) {
	g.t.Helper()
	if diff := cmp.Diff(outdent(want), ir.Dump(g.API)); diff != "" {
		g.t.Errorf("types differ (-want +got):\n%s", diff)
	}
}

func outdent(s string) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\t ") + "\n"
}

// schemaCases are the types of the documents in testdata/cases, as their headers ask
// for them.
var schemaCases = map[string]string{
	"001-enum-sign-and-digits": `
		Reading struct
		  level Level required
		  offset Offset required
		Level enum string
		  "1"
		  "-1"
		  "+1"
		  "10"
		Offset enum int32
		  -1
		  0
		  1`,
	"002-enum-punctuation-only": `
		Rule struct
		  op Op
		Op enum string
		  "="
		  "!="
		  "<"
		  "<="
		  ">"
		  ">="
		  "*"
		  ""`,
	"004-enum-unicode": "Season enum string\n  \"夏\"\n  \"冬\"\n  \"été\"\n  \"e\u0301te\u0301\"\n  \"❄\ufe0f\"",
	"006-enum-null-member": `
		Price struct
		  currency Price.currency? required
		Price.currency enum string inline nullable
		  "eur"
		  "usd"`,
	"008-enum-inline-array-and-params": `
		listShelves.sort.Item enum string inline
		  "created_at"
		  "-created_at"
		listShelves.OK.Body struct inline
		  tags []listShelves.OK.Body.tags.Item
		  meta listShelves.OK.Body.meta
		listShelves.OK.Body.tags.Item enum string inline
		  "sort"
		  "tags"
		listShelves.OK.Body.meta struct inline
		  kind listShelves.OK.Body.meta.kind
		listShelves.OK.Body.meta.kind enum string inline
		  "sort"
		  "kind"`,
	"022-nullable-tristate": `
		Patch struct
		  req string required
		  opt string
		  reqNull string? required
		  optNull string?`,
	"024-null-type-array-31": `
		Room struct
		  number string? required
		  floor int64? required
		  code Room.code required
		  nothing null
		Room.code union anyOf by kind inline
		  Integer: int64
		  String: string`,
	"025-null-anyof-31": `
		Note struct
		  note string?
		  owner Owner?
		Owner struct
		  n string`,
	"026-null-in-arrays-and-maps": `
		Scores struct
		  scores []int32? required
		  labels map string? required
		  free map any required`,
	"029-readonly-writeonly-required": `
		Account struct
		  id string required readOnly
		  createdAt datetime required readOnly
		  email string required
		  password string required writeOnly`,
	"030-allof-sibling-properties": `
		Vehicle struct
		  wheels int64 required
		Truck struct
		  wheels int64 required
		  plate string required
		  cargo string`,
	"032-allof-additional-properties": `
		Left struct
		  a int64
		  extra any
		Right struct
		  b any
		  a any
		  extra int64
		Merged struct
		  a int64
		  b any
		  extra int64`,
	"033-allof-refine-property": `
		Base struct
		  due date?
		  size int64 [min 1]
		Patch struct
		  due date? // null clears the date
		  size int64 [min 1, max 9]`,
	"034-allof-of-scalars": `
		Mode enum string
		  "fast"
		  "slow"
		Size int64 [min 1]
		Cfg struct
		  mode Mode = "fast" // how to run
		  size Size [max 5]`,
	"036-discriminator-implicit-mapping": `
		Kite struct
		  kind string required
		  tail int64 required
		Balloon struct
		  kind string required
		  gas string required
		Toy union oneOf by kind
		  Kite: Kite "Kite" writes "Kite"
		  Balloon: Balloon "b" "Balloon" writes "b"`,
	"037-discriminator-many-keys-one-schema": `
		Ssh struct
		  type Ssh.type required
		  key string
		Ssh.type enum string inline
		  "ssh"
		Web struct
		  type Web.type required
		  port int64
		Web.type enum string inline
		  "apache"
		  "nginx"
		Config union oneOf by type
		  Ssh: Ssh "ssh" writes "ssh"
		  Web: Web "apache" "nginx"`,
	"038-discriminator-enum-and-odd-property": `
		Type enum string
		  "node-a"
		  "node-b"
		NodeA struct
		  @type Type required
		  x int64
		NodeB struct
		  @type Type required
		  y int64
		Node union oneOf by @type
		  NodeA: NodeA "node-a" writes "node-a"
		  NodeB: NodeB "node-b" writes "node-b"`,
	"040-oneof-primitives": `
		Hold union oneOf by kind
		  Boolean: bool
		  String: Hold.String
		  Number: float64
		  Array: []int64
		Hold.String enum string inline
		  "auto"`,
	"041-oneof-no-discriminator-extra-fields": `
		HasFoo struct
		  id string
		  foo string required
		HasBar struct
		  id string
		  bar string required
		Thing union oneOf by trial
		  HasFoo: HasFoo
		  HasBar: HasBar`,
	"042-anyof-overlap": `
		Phone struct
		  phone string required
		Mail struct
		  mail string required
		Contact union anyOf by trial
		  Phone: Phone
		  Mail: Mail`,
	"044-recursive-direct": `
		Person struct
		  name string required
		  parent Person
		  house House
		House struct
		  head Person required`,
	"045-recursive-array-map": `
		Tree struct
		  children []Tree
		  byName map Tree
		  more []Tree
		  nest Nest
		Nest []Nest`,
	"046-recursive-allof-anyof": `
		Leaf struct
		  leaf string required
		Group struct
		  items []Expr required
		Expr union anyOf by trial
		  Leaf: Leaf
		  Group: Group`,
	"048-addprops-false-vs-unset": `
		Closed struct closed
		  a int64
		Open struct
		  a int64`,
	"049-empty-schemas": `
		Bare map any
		Anything any`,
	"050-boolean-schema-31": `
		getB.OK.Body struct inline
		  free any
		  never never
		  list []any`,
	"052-defaults-applied": `
		list.Body struct inline
		  retries int64 = 0
		  mode list.Body.mode = "soft"
		list.Body.mode enum string inline
		  "soft"
		  "hard"`,
	"053-formats-date-time": `
		getLog.OK.Body struct inline
		  at datetime
		  day date`,
	"105-validation-params-and-nesting": `
		v.Body struct inline
		  list []K
		  m map int64 [max 9]
		K struct
		  k string [minLength 1]`,
	"054-formats-numbers": `
		getN.OK.Body struct inline
		  big int64
		  i32 int32
		  u uint64
		  idStr string
		  money string
		  ratio float64`,
	"088-refs-alias-chain": `
		A = B
		B = C
		C string [maxLength 3]`,
	"089-refs-escaped-pointer": `
		getW.OK.Body struct inline
		  id string
		  tag Widget.tag
		Widget struct
		  tag Widget.tag
		Widget.tag enum string inline
		  "new"
		  "old"`,
	"090-refs-external-files": `
		Money string // local type with the same name as the external one
		Receipt struct
		  cents int64 required
		  currency Currency
		  label Money
		  stamp stamp
		Currency enum string
		  "eur"
		  "usd"
		Fault struct
		  code string
		stamp struct
		  at datetime`,
	"092-refs-siblings-31": `
		getS.OK.Body struct inline
		  home Addr readOnly // where it lives
		  work Addr deprecated
		Addr struct
		  street string`,
	"093-defs-and-dynamic-31": `
		Box struct
		  item Box.Item
		Box.Item struct inline
		  sku string required`,
	"094-tuples-prefixitems-31": `
		pt.OK.Body struct inline
		  point pt.OK.Body.point
		  raw bytes
		  age int64 [min> 0]
		  map map any
		pt.OK.Body.point tuple inline closed
		  int64
		  string`,
	"121-bigint-enum-default": `
		N struct
		  n N.n = 9007199254740993
		  lim int64 [max 9007199254740993]
		N.n enum int64 inline
		  9007199254740993
		  1`,
	"124-anyof-inline-same-field": `
		Shirt union anyOf by trial
		  Object: Shirt.Object
		  Object.2: Shirt.Object.2
		Shirt.Object struct inline
		  size string required
		Shirt.Object.2 struct inline
		  size Shirt.Object.2.size required
		Shirt.Object.2.size enum string inline
		  "s"
		  "m"`,
}

func TestSchemaCases(t *testing.T) {
	for name, want := range schemaCases {
		t.Run(name, func(t *testing.T) {
			lowerCase(t, name, Options{}).wantTypes(want)
		})
	}
}

// 101: a type of another package has no declaration, names are taken over, and an
// extension that nothing knows is reported where it stands.
func TestCaseCustomNames(t *testing.T) {
	got := lowerCase(t, "101-custom-go-names-types", Options{})
	got.wantTypes(`
		APIHandler struct
		  id string required as ID
		  total go(math/big.Int)
		  addr go(net/netip.Addr)
		  kind Handler.kind
		Handler.kind enum string inline
		  "a" as KindAlpha
		  "b" as KindBeta`)
	if d := got.says(diag.Warning, "x-go-typoo"); d.Pos.Line != 29 {
		t.Errorf("the extension is reported at %s, want line 29", d.Pos)
	}
}

// 104: every pattern is kept, also one with lookahead.
func TestCasePatterns(t *testing.T) {
	got := lowerCase(t, "104-validation-strings-arrays", Options{})
	got.wantTypes(`
		v.Body struct inline [minProperties 1]
		  pw string [pattern ^(?=.*[A-Z])(?=.*\d).{8,}$]
		  slug string [pattern ^[a-z\/]+$]
		  part string [pattern b]
		  name string [minLength 1, maxLength 2]
		  set []any [minItems 1, maxItems 3, unique]`)
	if found := got.list; len(found) != 0 {
		t.Errorf("there are diagnostics: %v", found)
	}
}

// 092: OpenAPI 3.0 ignores what stands beside a reference, and says so.
func TestReferenceSiblingsIn30(t *testing.T) {
	got := lowerText(t, `
openapi: 3.0.3
info: {title: t, version: '1'}
paths: {}
components:
  schemas:
    Home: {type: object, properties: {addr: {$ref: '#/components/schemas/Addr', description: where, readOnly: true}}}
    Addr: {type: object, properties: {street: {type: string}}}
`, Options{})
	got.wantTypes(`
		Home struct
		  addr Addr
		Addr struct
		  street string`)
	if d := got.says(diag.Warning, `property "addr" of Home`, "description, readOnly", "ignored"); d.Pos.Line != 7 {
		t.Errorf("reported at %s, want line 7", d.Pos)
	}
}
