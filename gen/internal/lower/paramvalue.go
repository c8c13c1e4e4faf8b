package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// parameterValue reads how the value of a parameter or header is written: by
// schema and style, or as one media type.
func (l *lowerer) parameterValue(p *ir.Param, n *load.Node, label string, place []string) {
	schema, content := n.Get("schema"), n.Get("content")
	switch {
	case schema != nil && content != nil:
		l.errorf(n, "param-schema-content", "%s: schema and content are exclusive", label).
			Hintf("keep schema, or content where the value is a document such as JSON")
	case content != nil:
		l.parameterContent(p, n, label, place)
		l.parameterStyle(p, n, label)
		return
	case p.In == "querystring":
		l.errorf(n, "param-querystring", "%s: a parameter in querystring needs content", label)
	}
	if schema == nil {
		schema = l.inlineSchema(n, label)
	}
	p.Use = l.textual(l.useInStyle(schema, place))
	l.styled(schema)
	p.Default = l.notes(schema).Default
	l.parameterStyle(p, n, label)
}

// parameterContent reads content: one media type.
func (l *lowerer) parameterContent(p *ir.Param, n *load.Node, label string, place []string) {
	p.Use = &ir.Use{Type: stringType()}
	content := l.object(n, "content", label)
	if content == nil {
		return
	}
	var entries []load.Member
	for _, m := range content.Members {
		if !strings.HasPrefix(m.Key, "x-") {
			entries = append(entries, m)
		}
	}
	if len(entries) != 1 {
		l.errorf(content, "param-content", "%s: content must have exactly one media type, has %d", label, len(entries))
		return
	}
	p.Content = entries[0].Key
	media := l.follow(entries[0].Value, mediaTypeObject).node
	if media == nil || !l.checkFields(media, label+": content", mediaTypeObject) {
		return
	}
	schema := media.Get("schema")
	if schema == nil {
		return
	}
	if enc := media.Get("encoding"); enc != nil {
		l.list.Warn(keyPos(enc), "encoding-ignored", enc.Pointer(),
			"%s: encoding is not used in a parameter: members are written as a form has them by default", label)
	}
	mt := parseMediaType(p.Content)
	if mt.json() || p.In == "querystring" && mt.is("application", "x-www-form-urlencoded") {
		p.Use = l.use(schema, place)
		p.Default = l.notes(schema).Default
		return
	}
	use := l.use(schema, place)
	if k := kindBehind(use); k == ir.KindScalar || k == ir.KindEnum {
		p.Use, p.Default = use, l.notes(schema).Default
		return
	}
	l.opaqueParameter(entries[0], label)
}

// opaqueParameter warns of a parameter that is text of some other language.
func (l *lowerer) opaqueParameter(m load.Member, label string) {
	l.list.Warn(m.Pos(), "media-opaque", m.Value.Pointer(),
		"%s: content %s is passed as text, as the caller has written it", label, m.Key)
}

// swaggerKeywords are those that documents write on a parameter or header itself,
// as Swagger 2 does.
var swaggerKeywords = []string{
	"type", "format", "items", "enum", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "properties",
	"additionalProperties", "allOf", "oneOf", "anyOf", "nullable", "const",
}

// inlineSchema is the schema of a parameter or header that has neither schema nor
// content: the keywords of one that stand on n itself, else a string.
func (l *lowerer) inlineSchema(n *load.Node, label string) *load.Node {
	schema := &load.Node{Kind: load.Object, Line: n.Line, Col: n.Col, File: n.File, Parent: n.Parent}
	for _, m := range n.Members {
		if slices.Contains(swaggerKeywords, m.Key) {
			schema.Members = append(schema.Members, m)
		}
	}
	if len(schema.Members) > 0 {
		l.repairf(n, "param-schema", "%s needs schema or content: the keywords beside its name are taken as its schema", label)
		return schema
	}
	l.repairf(n, "param-schema", "%s needs schema or content: taken as a string", label)
	schema.Members = []load.Member{{
		Key: "type", Line: n.Line, Col: n.Col,
		Value: &load.Node{Kind: load.String, Text: "string", Line: n.Line, Col: n.Col, File: n.File, Parent: schema},
	}}
	return schema
}

// textual turns what could only be a stream of bytes into text: parameters and
// headers have nothing else.
func (l *lowerer) textual(use *ir.Use) *ir.Use {
	if kindBehind(use) == ir.KindBinary {
		return &ir.Use{Type: stringType(), Nullable: use.Nullable, Checks: use.Checks}
	}
	return use
}

func stringType() *ir.Type { return &ir.Type{Kind: ir.KindScalar, Scalar: ir.String} }

// typeBehind is the type of a use after its aliases, nil when there is none.
func typeBehind(use *ir.Use) *ir.Type {
	for range 1000 { // a cycle of aliases is an error of the schemas
		if use == nil || use.Type == nil {
			return nil
		}
		if use.Type.Kind != ir.KindAlias {
			return use.Type
		}
		use = use.Type.Target
	}
	return nil
}

func kindBehind(use *ir.Use) ir.Kind {
	if t := typeBehind(use); t != nil {
		return t.Kind
	}
	return ir.KindAny
}

// styles are those allowed in each place, the default first.
var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form"},
}

// parameterStyle fills in style, explode and the flags of query parameters.
func (l *lowerer) parameterStyle(p *ir.Param, n *load.Node, label string) {
	if p.In == "querystring" {
		return
	}
	allowed := styles[p.In]
	if p.In == "cookie" && l.doc.Version >= load.V32 {
		allowed = append(slices.Clip(allowed), "cookie")
	}
	p.Style = allowed[0]
	if style := l.text(n, "style", label); style != "" {
		p.Style = l.checkStyle(p, n, label, style, allowed)
	}
	p.Explode = l.flag(n, "explode", label, p.Style == "form" || p.Style == "cookie") || p.Style == "deepObject"
	if p.Content == "" {
		p.AllowReserved = l.flag(n, "allowReserved", label, false)
	}
	p.AllowEmpty = p.In == "query" && l.flag(n, "allowEmptyValue", label, false)
	if scalar(p.Use) && (p.Style == "spaceDelimited" || p.Style == "pipeDelimited") {
		p.Style, p.Explode = "form", true // there is nothing to delimit
	}
}

// checkStyle checks a written style. On a scalar one of another place is harmless:
// there is nothing to separate.
func (l *lowerer) checkStyle(p *ir.Param, n *load.Node, label, style string, allowed []string) string {
	if slices.Contains(allowed, style) {
		return style
	}
	at := n.Get("style")
	for _, known := range allowed {
		if strings.EqualFold(style, known) {
			l.repairf(at, "param-style", "%s: style %q: taken as %s", label, style, known)
			return known
		}
	}
	if scalar(p.Use) && p.Content == "" && knownStyle(style) {
		l.repairf(at, "param-style", "%s: style %s is not allowed in %s (allowed: %s): taken as %s",
			label, style, p.In, strings.Join(allowed, ", "), allowed[0])
		return allowed[0]
	}
	l.errorf(at, "param-style", "%s: style %s is not allowed in %s (allowed: %s)", label, style, p.In, strings.Join(allowed, ", "))
	return allowed[0]
}

func knownStyle(style string) bool {
	for _, list := range styles {
		if slices.Contains(list, style) {
			return true
		}
	}
	return style == "cookie"
}

// scalar reports whether a use has one text: neither list nor members.
func scalar(use *ir.Use) bool {
	switch kindBehind(use) {
	case ir.KindScalar, ir.KindEnum:
		return true
	default:
		return false
	}
}

// useInStyle is use for a value that is written in a style: where the schema has bounds
// and no type, it is of the type that they are about.
func (l *lowerer) useInStyle(schema *load.Node, place []string) *ir.Use {
	use := l.use(schema, place)
	if schema == nil {
		return use
	}
	types := l.flatten([]atom{{node: schema}}).bounded()
	if types == 0 {
		return use
	}
	use = l.useOf([]atom{{node: schema}, {only: types}}, seed{node: schema})
	l.drain()
	return use
}

// styled refuses a schema whose value is written in a style and whose type depends on
// the schemas around it: the text alone does not tell what it is.
func (l *lowerer) styled(schema *load.Node) {
	if schema == nil || !l.usesDynamic() || !l.leadsToDynamic(schema) {
		return
	}
	l.unsupportedf(schema, "dynamic-reference", "%s: a $dynamicRef with several targets has no form in a style", l.label(schema)).
		Hintf("describe the parameter by content instead of schema, as application/json")
}
