package emit

import (
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/sample"
)

// partHeaders are samples of the headers of the parts that the sample of a body has: of a
// list one for each.
func (d *demo) partHeaders(f *bodyForm, body *ir.Value) *ir.Value {
	var out object
	t := resolve(f.Use.Type)
	for _, p := range f.Parts {
		m, ok := d.fieldOf(f, t, p)
		value := memberOf(body, p.Field.Name)
		if !ok || value == nil || len(p.Headers) == 0 {
			continue
		}
		head := d.partHead(p)
		if d.manyParts(p, m) {
			list := &ir.Value{Kind: ir.ArrayValue}
			for range value.Items {
				list.Items = append(list.Items, head)
			}
			head = list
		}
		out.add(d.names.PartField(f.Content, p), head)
	}
	return out.value()
}

// partHead are samples of the headers of one part.
func (d *demo) partHead(p *ir.Part) *ir.Value {
	var out object
	for _, h := range p.Headers {
		if !h.Required && !d.opt.All {
			continue
		}
		if v := sample.Param(h); v != nil && v.Kind != ir.NullValue {
			out.add(d.names.PartHeader(h), d.goValue(h.Use, v))
		}
	}
	return out.value()
}

// memberOf is a member of an object; nil where there is none.
func memberOf(v *ir.Value, name string) *ir.Value {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}
