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
		if enc := n.Get("encoding"); enc != nil {
			l.list.Warn(keyPos(enc), "encoding-ignored", enc.Pointer(),
				"%s: encoding is ignored: without a schema of fields the body is passed as a stream of bytes", what)
		}
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

// anyParts makes responses of several parts of which the schema names none a stream of
// bytes: any of them may be a file, which no map of values holds.
func (l *lowerer) anyParts(contents []*ir.Content, what string) {
	for _, c := range contents {
		if c.Kind != ir.ContentMultipart || c.Use == nil {
			continue
		}
		t := typeBehind(c.Use)
		if t == nil || t.Kind != ir.KindMap || t.Elem != nil && kindBehind(t.Elem) != ir.KindAny && kindBehind(t.Elem) != ir.KindBinary {
			continue
		}
		c.Kind, c.Use = ir.ContentBinary, nil
		l.list.Warn(c.Pos, "media-opaque", "", "%s: %s with parts that the schema does not name is passed as a stream of bytes", what, c.MediaType)
	}
}

func (l *lowerer) opaqueForm(c *ir.Content, why string) {
	c.Kind = ir.ContentBinary
	l.list.Warn(c.Pos, "media-opaque", "", "%s with %s is passed as a stream of bytes, as the caller has written it", c.MediaType, why)
}

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
		l.partHeaders(p, c, enc, what, append(slices.Clone(place[:len(place)-1]), f.Name))
		c.Parts = append(c.Parts, p)
	}
	l.headersOfFiles(c, encodings, what)
	l.spreadFields(c, encodings, what)
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
	if !text && kind != ir.KindBinary && kind != ir.KindAny && mt.foreign() {
		done := "it is written as JSON"
		if c.Kind == ir.ContentMultipart {
			done = "it is passed as a file of that content type, and its schema is not used"
		}
		l.list.Warn(keyPos(enc.Get("contentType")), "media-opaque", enc.Pointer(), "%s: encoding of %s: an object has no form in %s: %s",
			what, p.Field.Name, mt, done)
	}
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

// foreign reports a content type that an object or a list has no form in.
func (m mediaType) foreign() bool {
	return m.valid() && !m.json() && m.major != "*" && m.minor != "*"
}

// isFile reports whether a part is a file: bytes by its schema, a schema that says
// nothing (from 3.1 on the way to write a file), text whose declared content
// type is neither text nor JSON, or an object in another language than JSON.
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
	case ir.KindEnum, ir.KindNull, ir.KindNever:
		return false
	default:
		return declared.foreign()
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
