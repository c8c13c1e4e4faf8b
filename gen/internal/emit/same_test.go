package emit

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// inline turns a component into a type written in place.
func inline(t *ir.Type) *ir.Type {
	t.Origin = ir.Inline
	t.ID = "#/paths/" + t.Name[0]
	return t
}

func TestEqualTypesAreOne(t *testing.T) {
	d := &document{}
	address := func(name string, doc string) *ir.Type {
		street := needed("street", use(scalar(ir.String)))
		street.Doc.Description = doc
		return inline(d.object(name, street))
	}
	first, second := address("ShipTo", "where to"), address("BillToAddress", "where to")
	address("Other", "another text")
	inline(d.object("Order", field("to", use(first))))
	inline(d.object("OrderAgain", field("to", use(second))))
	inline(d.enum("Color", ir.String, text("red")))
	inline(d.enum("Colour", ir.String, text("red")))
	d.object("Component", field("to", use(second)))
	d.object("Twin", field("to", use(second)))
	self := inline(d.object("Self"))
	self.Fields = []*ir.Field{field("next", use(self))}
	var types string
	for _, f := range generate(t, &d.api, "p") {
		if f.Path == "types.go" {
			types = string(f.Data)
		}
	}
	for _, want := range []string{
		"type ShipTo struct", "type BillToAddress = ShipTo", // the shorter name stands for the longer
		"type Other struct",                           // its field says something else
		"type Order = Twin", "type OrderAgain = Twin", // equal once the types of their fields are; a component stands first
		"type Color string", "type Colour = Color", `ColourRed Color = "red"`, // constants keep their names
		"type Component struct", "type Twin struct", // components are never one
		"type Self struct",
	} {
		if !strings.Contains(types, want) {
			t.Errorf("there is no %q in\n%s", want, types)
		}
	}
}
