package lower

import (
	"encoding/base64"
	"net/netip"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// fitter checks a value of the document against schemas of the same document.
type fitter struct {
	l      *lowerer
	why    string // it does not fit, or had to be mended
	mended bool
	// tried holds what alternatives made of values: nil while one is being tried, so
	// that unions which lead to each other end, and each is tried once.
	tried map[trial]*ir.Value
}

// trial is one alternative and one value.
type trial struct{ variant, value *load.Node }

func (f *fitter) no(why string) (*ir.Value, bool) {
	f.why = why
	return nil, false
}

// fit returns the value at n as what holds at once in atoms has it.
func (f *fitter) fit(atoms []atom, n *load.Node, depth int) (*ir.Value, bool) {
	const most = 200 // unions that lead on without taking a part of the value
	if depth > most {
		return f.no("is nested too deeply")
	}
	if n.Kind == load.Null {
		if f.l.nullable(atoms) || f.l.jsonTypes(atoms) == 0 {
			return valueOf(n), true
		}
		return f.no("is not allowed")
	}
	s := f.l.flatten(atoms)
	if s.never {
		return f.no("is not allowed")
	}
	for _, u := range s.unions {
		v, ok := f.fitUnion(u, n, depth)
		if !ok || s.inferred() == 0 {
			return v, ok
		}
	}
	types := s.inferred()
	if types == 0 {
		return valueOf(n), true
	}
	v, ok := f.fitType(types, n)
	if !ok {
		return nil, false
	}
	switch v.Kind {
	case ir.ArrayValue:
		return f.fitArray(s, n, depth)
	case ir.ObjectValue:
		return f.fitObject(s, n, depth)
	}
	return f.fitScalar(s, v)
}

func (f *fitter) fitUnion(u unionRef, n *load.Node, depth int) (*ir.Value, bool) {
	if f.tried == nil {
		f.tried = map[trial]*ir.Value{}
	}
	for _, variant := range u.variants {
		key := trial{variant, n}
		v, known := f.tried[key]
		if !known {
			f.tried[key] = nil
			inner := &fitter{l: f.l, tried: f.tried}
			if w, ok := inner.fit([]atom{{node: variant}}, n, depth+1); ok && !inner.mended {
				v = w
			}
			f.tried[key] = v
		}
		if v != nil {
			return v, true
		}
	}
	return f.no("fits none of the alternatives")
}

// fitType returns the value as one of the types. Mistakes that have one obvious
// meaning are mended: unquoted texts, quoted numbers, one value for a list of one.
func (f *fitter) fitType(types typeSet, n *load.Node) (*ir.Value, bool) {
	v, ok := mendScalar(n, types)
	switch {
	case ok:
		if valueType(v) != jsonType(n) && !jsonType(n).within(types) {
			f.mended = true
			f.why = "is not " + types.article()
		}
		return v, true
	case types == tArray && n.Kind != load.Object:
		f.mended = true
		f.why = "is not an array"
		return &ir.Value{Kind: ir.ArrayValue, Items: []*ir.Value{valueOf(n)}}, true
	default:
		return f.no("is not " + types.article())
	}
}

func (f *fitter) fitArray(s *shape, n *load.Node, depth int) (*ir.Value, bool) {
	items := n.Items
	if n.Kind != load.Array {
		items = []*load.Node{n}
	}
	v := &ir.Value{Kind: ir.ArrayValue}
	for i, item := range items {
		nodes := s.items
		if i < len(s.prefix) {
			nodes = s.prefix[i]
		}
		one, ok := valueOf(item), true
		if len(nodes) > 0 {
			one, ok = f.fit(plainAtoms(nodes), item, depth+1)
		}
		if !ok {
			return f.no("has the element " + show(item) + ", which " + f.why)
		}
		v.Items = append(v.Items, one)
	}
	return v, true
}

func (f *fitter) fitObject(s *shape, n *load.Node, depth int) (*ir.Value, bool) {
	v := &ir.Value{Kind: ir.ObjectValue}
	for _, m := range n.Members {
		nodes := s.extras
		if p := s.prop(m.Key); p != nil {
			nodes = p.nodes
		}
		one, ok := valueOf(m.Value), true
		if len(nodes) > 0 {
			one, ok = f.fit(plainAtoms(nodes), m.Value, depth+1)
		}
		if !ok {
			return f.no("has the member " + quote(m.Key) + ", which " + f.why)
		}
		v.Members = append(v.Members, ir.MemberValue{Name: m.Key, Value: one})
	}
	return v, true
}

func (f *fitter) fitScalar(s *shape, v *ir.Value) (*ir.Value, bool) {
	if s.constant != nil && !sameValue(valueOf(s.constant), v) {
		return f.no("is not the only allowed value " + show(s.constant))
	}
	if len(s.enum) > 0 && !s.lists(v) {
		return f.no("is not one of the allowed values " + showEnum(s.enum))
	}
	if why := boundsWhy(&s.checks, v); why != "" {
		return f.no(why)
	}
	if v.Kind == ir.StringValue && !s.hasEnum && s.constant == nil && !textFits(s.format, s.encoding, v.Text) {
		return f.no("is not of format " + clip(s.format))
	}
	return v, true
}

func (s *shape) lists(v *ir.Value) bool {
	key := valueKey(v)
	for _, item := range s.enum {
		if valueKey(item.value) == key {
			return true
		}
	}
	return false
}

// boundsWhy says which bound a value breaks. A server would refuse its own default.
func boundsWhy(c *ir.Checks, v *ir.Value) string {
	switch v.Kind {
	case ir.NumberValue:
		if c.Minimum != "" {
			order := compareNumbers(v.Text, c.Minimum)
			if order < 0 || order == 0 && c.ExclusiveMinimum {
				return "is below the minimum " + clip(c.Minimum)
			}
		}
		if c.Maximum != "" {
			order := compareNumbers(v.Text, c.Maximum)
			if order > 0 || order == 0 && c.ExclusiveMaximum {
				return "is above the maximum " + clip(c.Maximum)
			}
		}
	case ir.StringValue:
		n := int64(utf8.RuneCountInString(v.Text))
		if c.MinLength != nil && n < *c.MinLength {
			return "is shorter than minLength " + decimalText(int(*c.MinLength))
		}
		if c.MaxLength != nil && n > *c.MaxLength {
			return "is longer than maxLength " + decimalText(int(*c.MaxLength))
		}
	}
	return ""
}

// textFits reports whether a text is one of the typed formats that generated code
// has to parse.
func textFits(format, encoding, s string) bool {
	var err error
	switch format {
	case "date-time":
		_, err = value.ParseDateTime(s)
	case "date":
		_, err = value.ParseDate(s)
	case "time":
		_, err = value.ParseTime(s)
	case "duration":
		_, err = value.ParseDuration(s)
	case "uuid":
		_, err = value.ParseUUID(s)
	case "ipv4", "ipv6", "ip":
		var a netip.Addr
		a, err = netip.ParseAddr(s)
		return err == nil && (format == "ip" || a.Is4() == (format == "ipv4"))
	case "byte":
		_, err = base64.StdEncoding.DecodeString(s)
	default:
		if encoding == "base64" {
			_, err = base64.StdEncoding.DecodeString(s)
		}
	}
	return err == nil
}
