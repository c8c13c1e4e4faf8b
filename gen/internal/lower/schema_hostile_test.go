package lower

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// checkTypes checks what emit relies on: every use has a type, each declared type a
// name, an ID of its own and a shape that can be written, and no type that is written
// in place leads back to itself.
func checkTypes(t reporter, api *ir.API) {
	c := &typeChecker{t: t, state: map[*ir.Type]int{}, listed: map[*ir.Type]bool{}}
	ids := map[string]bool{}
	for _, ty := range api.Types {
		c.listed[ty] = true
		if !ty.Declared || len(ty.Name) == 0 || ty.ID == "" || !ty.Pos.IsValid() {
			t.Errorf("%s %v: declared %t at %s", ty.ID, ty.Name, ty.Declared, ty.Pos)
		}
		if ids[ty.ID] {
			t.Errorf("two types have the ID %s", ty.ID)
		}
		ids[ty.ID] = true
	}
	for _, ty := range api.Types {
		c.declared(ty)
	}
}

// reporter is what tests of both kinds have.
type reporter interface {
	Errorf(format string, args ...any)
}

type typeChecker struct {
	t      reporter
	state  map[*ir.Type]int // of types in place: 1 on the path, 2 done
	listed map[*ir.Type]bool
}

func (c *typeChecker) declared(ty *ir.Type) {
	switch ty.Kind {
	case ir.KindArray, ir.KindMap:
		c.use(ty, ty.Elem)
	case ir.KindTuple:
		for _, u := range ty.Tuple {
			c.use(ty, u)
		}
	case ir.KindStruct:
		c.fields(ty)
	case ir.KindEnum:
		if len(ty.Enum) == 0 {
			c.t.Errorf("%s: an enum without values", ty.ID)
		}
	case ir.KindUnion:
		c.union(ty)
	case ir.KindAlias:
		c.use(ty, ty.Target)
	}
	for _, p := range ty.Patterns {
		c.use(ty, p.Use)
	}
}

func (c *typeChecker) fields(ty *ir.Type) {
	names := map[string]bool{}
	for _, f := range ty.Fields {
		if names[f.Name] {
			c.t.Errorf("%s: two fields %q", ty.ID, f.Name)
		}
		names[f.Name] = true
		c.use(ty, f.Use)
	}
	if ty.Extra != nil {
		c.use(ty, ty.Extra)
	}
}

func (c *typeChecker) union(ty *ir.Type) {
	u := ty.Union
	if u == nil || len(u.Variants) == 0 {
		c.t.Errorf("%s: a union without variants", ty.ID)
		return
	}
	names, keys := map[string]bool{}, map[string]bool{}
	for _, v := range u.Variants {
		c.use(ty, v.Use)
		name := strings.Join(v.Name, "\x00")
		if name == "" || names[name] {
			c.t.Errorf("%s: variant name %q twice or empty", ty.ID, name)
		}
		names[name] = true
		for _, k := range v.Keys {
			if keys[k] {
				c.t.Errorf("%s: value %q chooses two variants", ty.ID, k)
			}
			keys[k] = true
		}
		if u.Dispatch == ir.ByDiscriminator && len(v.Keys) == 0 || u.Dispatch != ir.ByDiscriminator && len(v.Keys) > 0 {
			c.t.Errorf("%s: %d values choose variant %s", ty.ID, len(v.Keys), name)
		}
	}
}

func (c *typeChecker) use(from *ir.Type, u *ir.Use) {
	if u == nil || u.Type == nil {
		c.t.Errorf("%s: a use without a type", from.ID)
		return
	}
	ty := u.Type
	if ty.Declared {
		if !c.listed[ty] {
			c.t.Errorf("%s: uses %s, which is not among the types", from.ID, ty.ID)
		}
		return
	}
	if c.state[ty] == 1 {
		c.t.Errorf("%s: written in place and made of itself", ty.ID)
	}
	if c.state[ty] != 0 {
		return
	}
	c.state[ty] = 1
	switch ty.Kind {
	case ir.KindStruct, ir.KindEnum, ir.KindUnion, ir.KindTuple, ir.KindAlias:
		if ty.GoType == nil {
			c.t.Errorf("%s: a %s has no declaration", ty.ID, ty.Kind)
		}
	}
	c.declared(ty)
	c.state[ty] = 2
}

func TestCorpusTypes(t *testing.T) {
	for name, path := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			var list diag.List
			doc := load.Load(context.Background(), load.Options{Path: path}, &list)
			if doc == nil {
				t.Fatalf("not loaded: %v", list.Sorted())
			}
			start := time.Now()
			api := Lower(doc, Options{}, &list).API
			t.Logf("%d types in %s", len(api.Types), time.Since(start))
			checkTypes(t, api)
		})
	}
}

// hostileSchemas are documents built to keep a generator busy, or to exhaust it.
func hostileSchemas() map[string]string {
	repeat := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("    " + line(i) + "\n")
		}
		return b.String()
	}
	ref := func(i int) string { return fmt.Sprintf("{$ref: '#/components/schemas/A%d'}", i) }
	return map[string]string{
		"nesting":               "    A: " + strings.Repeat("{items: ", 10_000) + "{}" + strings.Repeat("}", 10_000) + "\n",
		"nesting within bounds": "    A: " + strings.Repeat("{type: object, properties: {x: ", 240) + "{}" + strings.Repeat("}}", 240) + "\n",
		"a chain of aliases":    repeat(20_000, func(i int) string { return fmt.Sprintf("A%d: %s", i, ref(i+1)) }) + "    A20000: {type: string}\n",
		"a ring of aliases":     repeat(20_000, func(i int) string { return fmt.Sprintf("A%d: %s", i, ref((i+1)%20_000)) }),
		"a chain of allOf":      repeat(5_000, func(i int) string { return fmt.Sprintf("A%d: {allOf: [%s, {properties: {p: {}}}]}", i, ref(i+1)) }) + "    A5000: {type: object}\n",
		"a ring of allOf":       repeat(300, func(i int) string { return fmt.Sprintf("A%d: {allOf: [%s, {properties: {p: {}}}]}", i, ref((i+1)%300)) }),
		"a chain of members":    repeat(20_000, func(i int) string { return fmt.Sprintf("A%d: {type: object, properties: {p: %s}}", i, ref(i+1)) }) + "    A20000: {type: string}\n",
		"allOf that doubles":    repeat(400, func(i int) string { return fmt.Sprintf("A%d: {allOf: [%s, %s]}", i, ref(i+1), ref(i+1)) }) + "    A400: {type: object}\n",
		"oneOf that doubles": repeat(60, func(i int) string {
			return fmt.Sprintf("A%d: {properties: {p%d: {}}, oneOf: [%s, {allOf: [%s, {required: [q]}]}]}", i, i, ref(i+1), ref(i+1))
		}) + "    A60: {type: object}\n",
		"unions that multiply": "    A: {allOf: [" + strings.TrimSuffix(strings.Repeat("{oneOf: [{properties: {a: {}}}, {properties: {b: {}}}]}, ", 40), ", ") + "]}\n",
		"merges that multiply": repeat(24, func(i int) string {
			return fmt.Sprintf("A%d: {type: object, properties: {x: {allOf: [%s, %s]}, y: {allOf: [%s, %s]}}}", i, ref((i+1)%24), ref((i+7)%24), ref((i+5)%24), ref((i+11)%24))
		}),
		"many required":              "    A: {type: object, required: [" + strings.TrimSuffix(repeat2(30_000, "r%d, "), ", ") + "]}\n",
		"a large enum":               "    A: {type: string, enum: [" + strings.TrimSuffix(repeat2(60_000, "v%d, "), ", ") + "]}\n",
		"a huge number":              "    A: {type: integer, minimum: 1e999999999, maximum: 1e-999999999, multipleOf: 1e88888888, allOf: [{multipleOf: 3e-77777777}]}\n",
		"references into references": "    A: {properties: {x: {$ref: '#/components/schemas/B/properties/y'}}}\n    B: {properties: {y: {$ref: '#/components/schemas/A/properties/x'}}}\n",
		"recursion in place":         "    A: {type: object, properties: {l: {type: array, items: {$ref: '#/components/schemas/A/properties/l'}}, m: {additionalProperties: {$ref: '#/components/schemas/A/properties/m'}}}}\n",
		"unions of each other":       "    A: {oneOf: [{$ref: '#/components/schemas/B'}, {type: string}]}\n    B: {oneOf: [{$ref: '#/components/schemas/A'}, {type: integer}]}\n",
		"only each other":            "    A: {oneOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}]}\n    B: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/C'}]}\n    C: {anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}\n",
		"parents of each other":      "    A: {discriminator: {propertyName: k}, allOf: [{$ref: '#/components/schemas/B'}]}\n    B: {discriminator: {propertyName: k}, allOf: [{$ref: '#/components/schemas/A'}]}\n",
		"a default of itself":        "    A: {type: object, default: {a: {a: {a: 1}}}, properties: {a: {$ref: '#/components/schemas/A'}}}\n",
	}
}

func repeat2(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// longest is far more than any document takes, on a machine that does much else too:
// what doubles with each level of a document takes hours.
const longest = 2 * time.Minute

// Nothing that a document says ends in a panic, takes long or takes all memory.
func TestHostileSchemas(t *testing.T) {
	for name, schemas := range hostileSchemas() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			lowerFuzzed(t, "paths: {}\ncomponents:\n  schemas:\n"+schemas)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; took > longest || mb > 2000 {
				t.Errorf("took %s and allocated %d MB", took, mb)
			}
		})
	}
}

// lowerFuzzed lowers a document in each version and checks the result when there are
// no errors.
func lowerFuzzed(t *testing.T, text string) {
	t.Helper()
	for _, version := range []string{"3.0.3", "3.2.0"} {
		path := filepath.Join(t.TempDir(), "spec.yaml")
		doc := "openapi: " + version + "\ninfo: {title: t, version: '1'}\n" + text
		if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		var list diag.List
		if doc := load.Load(context.Background(), load.Options{Path: path}, &list); doc != nil {
			api := Lower(doc, Options{}, &list).API
			ir.Dump(api)
			if !list.HasErrors() {
				checkTypes(t, api)
			}
		}
		list.Sorted()
	}
}

func FuzzLower(f *testing.F) {
	for _, seed := range []string{
		"A: {type: object, required: [a], properties: {a: {$ref: '#/components/schemas/B'}}}\nB: {anyOf: [{type: 'null'}, {type: string, enum: [x, y]}]}",
		"A: {allOf: [{$ref: '#/components/schemas/B'}, {properties: {b: {minimum: 3}}}]}\nB: {properties: {b: {type: integer, maximum: 9}}, additionalProperties: false}",
		"A: {oneOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}], discriminator: {propertyName: k, mapping: {x: B}}}\nB: {properties: {k: {const: x}}}\nC: {type: array, prefixItems: [{}, false], items: true}",
		"A: {discriminator: {propertyName: k}, properties: {k: {type: string}}}\nB: {allOf: [{$ref: '#/components/schemas/A'}]}",
		"A: &a {type: [string, integer, 'null'], enum: [1, a, null], default: 1}\nB: *a\nC: {$ref: '#/components/schemas/A', description: d}",
		"A: {items: {$ref: '#/components/schemas/A/items'}, type: array}\nB: {patternProperties: {'^a(': {}}, x-go-type: big.Int}",
		"A: {oneOf: [{$ref: '#/components/schemas/A'}, {allOf: [{$ref: '#/components/schemas/A'}]}]}\n$ref: '#/components/schemas'",
		"A: {type: string, format: date, default: x, nullable: true, minLength: '3', exclusiveMinimum: true}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, schemas string) {
		var b strings.Builder
		b.WriteString("paths: {}\ncomponents:\n  schemas:\n")
		for line := range strings.SplitSeq(schemas, "\n") {
			b.WriteString("    " + line + "\n")
		}
		lowerFuzzed(t, b.String())
	})
}
