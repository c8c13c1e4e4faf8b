package ir

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDump(t *testing.T) {
	one, nine := int64(1), int64(9)
	text := &Type{Kind: KindScalar}
	tags := &Type{
		Name: []string{"Pet", "tags"}, Origin: Inline, Declared: true, Kind: KindEnum, Open: true,
		Enum: []*EnumValue{{Value: &Value{Kind: StringValue, Text: "a"}, GoName: "First", Doc: "one"}},
	}
	pet := &Type{
		Name: []string{"Pet"}, Declared: true, Kind: KindStruct, Closed: true, Doc: Doc{Description: "a\npet"},
		Checks: &Checks{MinProperties: &one},
		Fields: []*Field{
			{Name: "id", Use: &Use{Type: &Type{Kind: KindScalar, Scalar: Int64, Checks: &Checks{Minimum: "1", Maximum: "9", ExclusiveMaximum: true}}}, Required: true, ReadOnly: true},
			{Name: "tags", Use: &Use{Type: &Type{Kind: KindArray, Elem: &Use{Type: tags}}, Nullable: true}, GoName: "Labels", Default: &Value{Kind: ArrayValue}},
			{Name: "m", Use: &Use{Type: &Type{Kind: KindMap, Elem: &Use{Type: text, Nullable: true}}, Checks: &Checks{MaxProperties: &nine}}},
			{Name: "g", Use: &Use{Type: &Type{GoType: &GoType{Import: "math/big", Name: "Int"}}}},
			{Name: "no", Use: nil},
		},
	}
	shape := &Type{Name: []string{"Shape"}, GoName: "Figure", Declared: true, Kind: KindUnion, Nullable: true}
	circle := &Variant{Name: []string{"Pet"}, Use: &Use{Type: pet}, Keys: []string{"a", "b"}, Write: "a"}
	shape.Union = &Union{Variants: []*Variant{circle}, Property: "kind", Fallback: circle}
	api := &API{Types: []*Type{pet, tags, shape, {
		Name: []string{"Again"}, Declared: true, Kind: KindAlias, Target: &Use{Type: pet, Nullable: true},
		Default: &Value{Kind: ObjectValue, Members: []MemberValue{{Name: "a", Value: &Value{}}}},
	}}}
	want := `Pet struct closed [minProperties 1] // a pet
  id int64 [min 1, max< 9] required readOnly
  tags []Pet.tags? as Labels = []
  m map string? [maxProperties 9]
  g go(math/big.Int)
  no none
Pet.tags enum string inline open
  "a" as First // one
Figure union oneOf by kind nullable
  Pet: Pet "a" "b" writes "a" fallback
Again = Pet? = {"a":null}
`
	if diff := cmp.Diff(want, Dump(api)); diff != "" {
		t.Errorf("dump differs (-want +got):\n%s", diff)
	}
	if got := FindType(api, "Figure"); got != shape {
		t.Errorf("FindType found %v", got)
	}
	if got := FindType(api, "Shape"); got != nil {
		t.Errorf("FindType found %v by a name that a Go name replaces", got)
	}
}

func TestDumpOfRecursiveTypesEnds(t *testing.T) {
	list := &Type{Kind: KindArray}
	list.Elem = &Use{Type: list}
	if got := DumpUse(list.Elem); len(got) > 1000 {
		t.Errorf("%d bytes", len(got))
	}
}
