package names

import "github.com/holdfast-go/holdfast/gen/internal/ir"

// PartHeaders is the field for the headers of the parts of a body, where that body is
// the only one of a request or response.
const PartHeaders = "PartHeaders"

// partNames are the names of what holds the headers of the parts of a content.
type partNames struct {
	typ    string              // of a struct with a field for each part
	beside string              // its field among the media types of a body
	fields map[*ir.Part]string // of the struct
	types  map[*ir.Part]string // of the headers of one part
}

// HasPartHeaders reports a content that declares headers of single parts.
func HasPartHeaders(c *ir.Content) bool {
	for _, p := range c.Parts {
		if len(p.Headers) > 0 {
			return true
		}
	}
	return false
}

// nameParts names the types of the headers of single parts, of bodies and responses.
func (t *Table) nameParts(ops []*ir.Operation) {
	var layer []*claim
	for _, op := range ops {
		base := t.ops[op].Base
		if op.Body != nil {
			layer = append(layer, t.partClaims(base, op.Body.Contents)...)
		}
		for _, r := range op.Responses {
			name := t.shared[r.ID]
			if r.Component == "" || name == "" {
				name = t.responses[responseKey{op, r}]
			}
			layer = append(layer, t.partClaims(name, r.Contents)...)
		}
	}
	t.pkg.settle(layer)
}

// partClaims are the types of the contents of one body, whose type or operation is
// called base.
func (t *Table) partClaims(base string, contents []*ir.Content) []*claim {
	var layer []*claim
	for _, c := range contents {
		if t.parts[c] != nil || !HasPartHeaders(c) {
			continue
		}
		n := &partNames{fields: map[*ir.Part]string{}, types: map[*ir.Part]string{}}
		t.parts[c] = n
		word := base
		if len(contents) > 1 {
			word += Media(c.MediaType)
		}
		key := base + "\x00parts\x00" + c.MediaType
		layer = append(layer, &claim{
			key: key, word: base, forms: []string{word + PartHeaders, word + "PartsHeaders"},
			give: func(name string) { n.typ = name },
		})
		s := newScope(&t.conflicts)
		var fields []*claim
		for _, p := range c.Parts {
			if len(p.Headers) == 0 {
				continue
			}
			field := member(p.Field.Name, "")
			field.give = func(name string) { n.fields[p] = name }
			fields = append(fields, field)
			one := word + Exported(p.Field.Name)
			layer = append(layer, &claim{
				key: key + "\x00" + p.Field.Name, word: base, forms: []string{one + "Headers", one + "PartHeaders"},
				give: func(name string) { n.types[p] = name },
			})
			t.namePartHeaders(p)
		}
		s.settle(fields)
	}
	return layer
}

// namePartHeaders names the fields for the headers of one part.
func (t *Table) namePartHeaders(p *ir.Part) {
	s := newScope(&t.conflicts)
	var explicit, layer []*claim
	for _, h := range p.Headers {
		c := member(h.Name, h.GoName)
		c.pos = h.Pos
		c.forms[len(c.forms)-1] = c.forms[0] + "Header"
		c.give = func(name string) { t.partHeaders[h] = name }
		if c.explicit {
			explicit = append(explicit, c)
		} else {
			layer = append(layer, c)
		}
	}
	s.settle(explicit)
	s.settle(layer)
}

// PartsType is the struct with the headers of the parts of a content; empty where none
// has any.
func (t *Table) PartsType(c *ir.Content) string {
	if n := t.parts[c]; n != nil {
		return n.typ
	}
	return ""
}

// PartsField is the field for the headers of parts of one of several media types.
func (t *Table) PartsField(c *ir.Content) string { return t.parts[c].beside }

// PartType is the struct of the headers of one part.
func (t *Table) PartType(c *ir.Content, p *ir.Part) string { return t.parts[c].types[p] }

// PartField is the field for them in the struct of all parts.
func (t *Table) PartField(c *ir.Content, p *ir.Part) string { return t.parts[c].fields[p] }

// PartHeader is the field of one header of a part.
func (t *Table) PartHeader(h *ir.Param) string { return t.partHeaders[h] }
