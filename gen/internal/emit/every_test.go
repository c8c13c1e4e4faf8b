package emit

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// everything declares each shape in each place that it can stand in.
func everything() *ir.API {
	d := &document{}
	owner := d.object("Owner", needed("name", &ir.Use{Type: scalar(ir.String), Checks: &ir.Checks{MinLength: size(1)}}))
	open := d.object("Open", field("a", use(scalar(ir.Int64))))
	state := d.enum("State", ir.String, text("open"), text("shut"))
	level := d.enum("Level", ir.Int32, num("-1"), num("0"), num("1"))
	ratio := d.enum("Ratio", ir.Float64, num("0.5"), num("1.5"))
	mixed := d.enum("Mixed", ir.String, text("auto"), num("1"))
	only := d.enum("Only", ir.String, text("only"))
	id := d.declare("Ident", &ir.Type{Kind: ir.KindScalar, Scalar: ir.String, Checks: &ir.Checks{MaxLength: size(8)}})
	nest := d.declare("Nest", &ir.Type{Kind: ir.KindArray, Checks: &ir.Checks{MaxItems: size(3)}})
	nest.Elem = use(nest)
	tags := d.declare("Tags", mapOf(use(owner)))
	pair := d.declare("Pair", &ir.Type{Kind: ir.KindTuple, Closed: true, Tuple: []*ir.Use{use(scalar(ir.Int64)), orNull(owner)},
		Checks: &ir.Checks{MinItems: size(2)}})
	long := d.declare("Long", &ir.Type{Kind: ir.KindTuple, Tuple: []*ir.Use{use(id)}, Elem: use(owner)})
	pet := d.declare("Pet", &ir.Type{Kind: ir.KindUnion, Union: &ir.Union{Dispatch: ir.ByKind, Variants: []*ir.Variant{
		{Name: []string{"string"}, Use: use(scalar(ir.String))},
		{Name: []string{"list"}, Use: use(arrayOf(use(owner)))},
		{Name: []string{"Owner"}, Use: use(owner)},
	}}})
	tried := d.declare("Tried", &ir.Type{Kind: ir.KindUnion, Union: &ir.Union{Dispatch: ir.ByTrial, Variants: []*ir.Variant{
		{Name: []string{"Owner"}, Use: use(owner)}, {Name: []string{"State"}, Use: use(state)}, {Name: []string{"any"}, Use: use(anything())},
	}}})
	some := d.declare("Some", &ir.Type{Kind: ir.KindUnion, Union: &ir.Union{AnyOf: true, Dispatch: ir.ByTrial, Variants: []*ir.Variant{
		{Name: []string{"Owner"}, Use: use(owner)}, {Name: []string{"Open"}, Use: use(open)},
	}}})
	loose := d.declare("Loose", &ir.Type{Kind: ir.KindUnion, Union: &ir.Union{AnyOf: true, Dispatch: ir.ByTrial, Variants: []*ir.Variant{
		{Name: []string{"Owner"}, Use: use(owner)}, {Name: []string{"map"}, Use: use(mapOf(use(scalar(ir.Int64))))}, {Name: []string{"Tags"}, Use: use(tags)},
	}}})
	d.enum("Twice", ir.Int64, num("1"), num("1.0"))
	huge := d.enum("Huge", ir.BigInt, num("1"), num("100000000000000000000"))
	huge.Checks = &ir.Checks{Minimum: "1"}
	form := d.object("Form", needed("file", use(&ir.Type{Kind: ir.KindBinary})), field("opt", use(scalar(ir.String))),
		field("many", use(arrayOf(use(&ir.Type{Kind: ir.KindBinary})))), needed("text", use(scalar(ir.String))))
	body := &ir.Content{MediaType: "multipart/form-data", Kind: ir.ContentMultipart, Use: use(form)}
	for _, f := range form.Fields {
		body.Parts = append(body.Parts, &ir.Part{Field: f, File: f.Name != "text", Many: f.Name == "many", Kind: ir.ContentBinary})
	}
	d.api.Operations = []*ir.Operation{{
		ID: "upload", Key: "upload", Name: []string{"upload"}, Method: "POST", Path: "/upload",
		Parts: []ir.PathPart{{Literal: "/upload"}}, Body: &ir.Body{Required: true, Contents: []*ir.Content{body}},
	}}
	foreign := &ir.Type{Kind: ir.KindScalar, Scalar: ir.String, GoType: &ir.GoType{Import: "math/big", Name: "Int"}}
	shapes := map[string]*ir.Type{
		"owner": owner, "state": state, "level": level, "ratio": ratio, "mixed": mixed, "only": only, "id": id, "nest": nest,
		"tags": tags, "pair": pair, "long": long, "pet": pet, "tried": tried, "some": some, "loose": loose, "huge": huge, "form": form, "foreign": foreign,
		"any": anything(), "null": {Kind: ir.KindNull}, "binary": {Kind: ir.KindBinary},
		"array": arrayOf(use(scalar(ir.Int64))), "owners": arrayOf(orNull(owner)), "grid": arrayOf(orNull(arrayOf(orNull(scalar(ir.Int32))))),
		"map": mapOf(use(scalar(ir.String))), "states": mapOf(orNull(state)), "lists": mapOf(use(arrayOf(use(owner)))),
		"const": {Kind: ir.KindScalar, Scalar: ir.String, Const: text("c")},
	}
	for s := ir.String; s <= ir.IP; s++ {
		shapes["scalar"+string(rune('a'+s))] = scalar(s)
	}
	var fields []*ir.Field
	for _, name := range sortedKeys(shapes) {
		fields = append(fields,
			needed(name, use(shapes[name])), field(name+"Opt", use(shapes[name])),
			needed(name+"Null", orNull(shapes[name])), field(name+"OptNull", orNull(shapes[name])))
	}
	fields = append(fields, needed("never", use(&ir.Type{Kind: ir.KindNever})))
	all := d.object("All", fields...)
	all.Extra = use(scalar(ir.String))
	node := d.object("Node")
	node.Fields = []*ir.Field{
		needed("self", use(node)), field("opt", use(node)), needed("null", orNull(node)), field("both", orNull(node)),
		field("list", use(arrayOf(use(node)))), needed("deep", use(mapOf(use(arrayOf(orNull(node)))))),
		needed("owner", use(owner)),
	}
	d.declare("Again", &ir.Type{Kind: ir.KindAlias, Target: use(node)})
	return &d.api
}

func sortedKeys[T any](m map[string]T) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			if out[j] < out[i] {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return out
}

func TestEverythingCompiles(t *testing.T) {
	m := newModule(t)
	m.emit(everything(), "all")
	m.run("vet", "./...")
}
