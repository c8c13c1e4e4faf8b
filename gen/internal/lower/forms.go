package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// formContent lowers a form or multipart body: its schema is an object whose
// members are the fields or parts.
func (l *lowerer) formContent(c *ir.Content, n *load.Node, what string, place []string) {
	schema := n.Get("schema")
	if n.Has("prefixEncoding") || n.Has("itemEncoding") || l.shapeOf(schema) == ir.KindArray {
		l.opaqueForm(c, "parts that have a position instead of a name")
		return
	}
	if schema == nil || l.shapeOf(schema) == ir.KindBinary {
		c.Kind = ir.ContentBinary // the caller writes the whole body
		return
	}
	use := l.use(schema, place)
	switch t := typeBehind(use); {
	case t == nil:
		return // reported with the schema
	case t.Kind == ir.KindStruct:
		c.Use = use
	case t.Kind == ir.KindUnion:
		if merged := l.mergedForm(t, schema, place); merged != nil {
			l.list.Warn(keyPos(schema), "form-union", schema.Pointer(),
				"%s: a form does not tell which alternative it is: the fields of all are one form, and only those that all require are required", what)
			c.Use = &ir.Use{Type: merged}
		}
	case t.Kind == ir.KindMap:
		c.Use = use // fields of any name
		l.unknownEncodings(n, nil, what)
		return
	}
	if c.Use == nil {
		l.opaqueForm(c, "a schema that is no object with fields")
		return
	}
	l.parts(c, n, schema, what, place)
}

func (l *lowerer) opaqueForm(c *ir.Content, why string) {
	c.Kind = ir.ContentBinary
	l.list.Warn(c.Pos, "media-opaque", "", "%s with %s is passed as a stream of bytes, as the caller has written it", c.MediaType, why)
}

// mergedForm makes one struct of a union of structs, nil when it is another union.
func (l *lowerer) mergedForm(union *ir.Type, schema *load.Node, place []string) *ir.Type {
	id := l.nodeID(schema) + "/form"
	for _, t := range l.forms {
		if t.ID == id {
			return t
		}
	}
	if union.Union == nil {
		return nil
	}
	out := &ir.Type{
		ID: id, Pos: schema.Pos(), Name: append(slices.Clone(place), "Form"), Origin: ir.Inline,
		Declared: true, Doc: union.Doc, Kind: ir.KindStruct,
	}
	required := map[string]int{}
	for _, v := range union.Union.Variants {
		t := typeBehind(v.Use)
		if t == nil || t.Kind != ir.KindStruct {
			return nil
		}
		for _, f := range t.Fields {
			if f.Required {
				required[f.Name]++
			}
			same := func(have *ir.Field) bool { return have.Name == f.Name }
			if i := slices.IndexFunc(out.Fields, same); i >= 0 {
				widen(out.Fields[i], f)
				continue
			}
			own := *f
			out.Fields = append(out.Fields, &own)
		}
	}
	for _, f := range out.Fields {
		f.Required = required[f.Name] == len(union.Union.Variants)
	}
	l.forms = append(l.forms, out)
	return out
}

// widen makes have admit what more admits: the member of another alternative.
func widen(have, more *ir.Field) {
	a, b := typeBehind(have.Use), typeBehind(more.Use)
	if have.Use.Type != more.Use.Type || have.Use.Checks != more.Use.Checks {
		have.Use = &ir.Use{Type: wider(a, b, 0), Nullable: have.Use.Nullable || more.Use.Nullable}
	}
	have.Default = nil // those of two alternatives exclude each other
	have.ReadOnly = have.ReadOnly && more.ReadOnly
	have.WriteOnly = have.WriteOnly && more.WriteOnly
	have.Secret = have.Secret || more.Secret
}

// wider is a type that admits what both admit, without their constraints.
func wider(a, b *ir.Type, depth int) *ir.Type {
	switch {
	case a == nil || b == nil:
	case hasScalar(a) && hasScalar(b) && a.Scalar == b.Scalar:
		return &ir.Type{Kind: ir.KindScalar, Scalar: a.Scalar}
	case a.Kind == ir.KindBinary && b.Kind == ir.KindBinary:
		return a
	case a.Kind == ir.KindArray && b.Kind == ir.KindArray && depth < 8:
		return &ir.Type{Kind: ir.KindArray, Elem: &ir.Use{Type: wider(typeBehind(a.Elem), typeBehind(b.Elem), depth+1)}}
	}
	return &ir.Type{Kind: ir.KindAny}
}

func hasScalar(t *ir.Type) bool { return t.Kind == ir.KindScalar || t.Kind == ir.KindEnum }

// parts lowers the fields of a form with their encodings.
func (l *lowerer) parts(c *ir.Content, n, schema *load.Node, what string, place []string) {
	t := typeBehind(c.Use)
	encodings := l.object(n, "encoding", what)
	for _, f := range t.Fields {
		p := &ir.Part{Field: f}
		enc := encodings.Get(f.Name)
		if enc != nil && !l.checkFields(enc, what+": encoding of "+f.Name, encodingObject) {
			enc = nil
		}
		property := l.propertyNode(schema, f.Name, 0)
		l.partKind(p, c, enc, property, what)
		if c.Kind == ir.ContentForm {
			l.partStyle(p, enc, what)
		}
		if headers := enc.Get("headers"); headers != nil && c.Kind == ir.ContentMultipart {
			p.Headers = l.headers(enc, what+": encoding of "+f.Name, append(slices.Clone(place[:len(place)-1]), f.Name))
		}
		c.Parts = append(c.Parts, p)
	}
	if t.Extra != nil {
		l.list.Warn(c.Pos, "form-extra", schema.Pointer(), "%s: only the fields that properties lists are sent, not additional ones", what)
	}
	l.unknownEncodings(n, t, what)
}

// unknownEncodings reports encodings of fields that are not there.
func (l *lowerer) unknownEncodings(n *load.Node, t *ir.Type, what string) {
	encodings := n.Get("encoding")
	if !encodings.Is(load.Object) {
		return
	}
	for _, m := range encodings.Members {
		known := t != nil && slices.ContainsFunc(t.Fields, func(f *ir.Field) bool { return f.Name == m.Key })
		if known || strings.HasPrefix(m.Key, "x-") {
			continue
		}
		l.list.Repair(m.Pos(), "encoding-unknown", m.Value.Pointer(), "%s: encoding of %q: the schema has no such property: ignored", what, m.Key)
	}
}

// partKind decides how a field is written: as a file, as text, or as JSON. Arrays
// are one part for each element, of the element's kind.
func (l *lowerer) partKind(p *ir.Part, c *ir.Content, enc, property *load.Node, what string) {
	p.ContentType = l.text(enc, "contentType", what)
	t := typeBehind(p.Field.Use)
	if t != nil && t.Kind == ir.KindArray {
		p.Many = true
		t = typeBehind(t.Elem)
		property = l.schemaBehind(property).Get("items")
	}
	kind := ir.KindAny
	if t != nil {
		kind = t.Kind
	}
	text := kind == ir.KindScalar || kind == ir.KindEnum
	first, _, _ := strings.Cut(p.ContentType, ",") // several are alternatives of one kind
	mt := parseMediaType(first)
	switch {
	case c.Kind == ir.ContentMultipart && l.isFile(kind, t, mt, property):
		p.File, p.Kind = true, ir.ContentBinary
	case p.ContentType != "" && mt.json():
		p.Kind = ir.ContentJSON
	case text || kind == ir.KindBinary:
		p.Kind = ir.ContentText
	default:
		p.Kind = ir.ContentJSON
	}
}

// isFile reports whether a part is a file: bytes by its schema, a schema that says
// nothing (from 3.1 on the way to write a file), or text whose declared content
// type is neither text nor JSON.
func (l *lowerer) isFile(kind ir.Kind, t *ir.Type, declared mediaType, property *load.Node) bool {
	switch kind {
	case ir.KindBinary:
		return true
	case ir.KindScalar:
		if isBinary(l.schemaBehind(property)) {
			return true
		}
		known := declared.valid() && !declared.json() && declared.major != "text" && declared.major != "*"
		return known && t.Scalar == ir.String && !declared.xml()
	case ir.KindAny:
		n := l.schemaBehind(property)
		return l.doc.Version >= load.V31 && schemaType(n) == "" || declared.valid() && !declared.json()
	default:
		return false
	}
}

// partStyle fills in the style of a field of a form. A content type decides over
// the style, and a style that is written decides over the content type that goes
// without saying. Where neither is written 3.0 and 3.1 say form; 3.2 says that an
// object is written as JSON.
func (l *lowerer) partStyle(p *ir.Part, enc *load.Node, what string) {
	written := enc.Has("style") || enc.Has("explode") || enc.Has("allowReserved")
	kind := kindBehind(p.Field.Use)
	object := kind == ir.KindStruct || kind == ir.KindMap
	switch {
	case p.ContentType != "" && p.Kind == ir.ContentJSON && !written:
		return
	case !written && object && l.doc.Version >= load.V32:
		return
	case p.Many && p.Kind == ir.ContentJSON && !written:
		return // elements that no style can write
	}
	p.Style = "form"
	if style := l.text(enc, "style", what); style != "" {
		if !slices.Contains(styles["query"], style) {
			l.errorf(enc.Get("style"), "param-style", "%s: style %s of field %q is not allowed in a form (allowed: %s)",
				what, style, p.Field.Name, strings.Join(styles["query"], ", "))
			style = "form"
		}
		p.Style = style
	}
	p.Explode = l.flag(enc, "explode", what, p.Style == "form") || p.Style == "deepObject"
	p.AllowReserved = l.flag(enc, "allowReserved", what, false)
	if object || p.Many {
		p.Kind = ir.ContentText
	}
}

// propertyNode finds the schema of a member, wherever a composition declares it.
func (l *lowerer) propertyNode(schema *load.Node, name string, depth int) *load.Node {
	n := l.schemaBehind(schema)
	if n == nil || depth > 16 {
		return nil
	}
	if p := n.Get("properties").Get(name); p != nil {
		return p
	}
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		list := n.Get(key)
		if !list.Is(load.Array) {
			continue
		}
		for _, branch := range list.Items {
			if p := l.propertyNode(branch, name, depth+1); p != nil {
				return p
			}
		}
	}
	return nil
}
