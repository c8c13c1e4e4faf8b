package lower

import (
	"bytes"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// contents lowers the media types of a body or response called what. place names
// the types written in them.
func (l *lowerer) contents(content *load.Node, what string, place []string) []*ir.Content {
	var out []*ir.Content
	seen := map[mediaType]load.Member{}
	entries := l.mediaEntries(content, what)
	for _, m := range entries {
		mt := parseMediaType(m.Key)
		if first, dup := seen[mt]; dup {
			l.duplicateMedia(first, m, what)
			continue
		}
		seen[mt] = m
		if c := l.content(m, mt, what, mediaPlace(place, mt, len(entries) == 1)); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// mediaEntries are the media types of a content, without extensions and keys that
// are no media types.
func (l *lowerer) mediaEntries(content *load.Node, what string) []load.Member {
	var out []load.Member
	for _, m := range content.Members {
		if strings.HasPrefix(m.Key, "x-") && !strings.Contains(m.Key, "/") {
			continue
		}
		if mt := parseMediaType(m.Key); !mt.valid() {
			d := l.list.Repair(m.Pos(), "media-type", m.Value.Pointer(),
				"%s: %q is not a media type: its body is passed as bytes", what, m.Key)
			if near, ok := diag.Nearest(m.Key, []string{"application/json", "text/plain", "multipart/form-data"}); ok {
				d.Hintf("did you mean %s?", near)
			}
		}
		out = append(out, m)
	}
	return out
}

// duplicateMedia tells of a media type that differs from an earlier one only in
// its parameters or case. Bodies cannot be told apart by those: the first is used.
// Where both have the same schema nothing is lost.
func (l *lowerer) duplicateMedia(first, second load.Member, what string) {
	if bytes.Equal(first.Value.Get("schema").JSON(), second.Value.Get("schema").JSON()) {
		l.list.Note(second.Pos(), "media-duplicate", second.Value.Pointer(),
			"%s: %s is the same media type as %s, with the same schema: read as that", what, second.Key, first.Key)
		return
	}
	l.list.Warn(second.Pos(), "media-duplicate", second.Value.Pointer(),
		"%s: %s is the same media type as %s: the schema of the first is used", what, second.Key, first.Key).
		At(first.Pos(), "%s is here", first.Key)
}

// mediaPlace adds the media type to the words of a place: application/json, or the
// only media type, needs none.
func mediaPlace(place []string, mt mediaType, only bool) []string {
	if only || mt.is("application", "json") {
		return place
	}
	word := mt.minor
	switch {
	case mt.is("application", "x-www-form-urlencoded"), mt.is("multipart", "form-data"):
		word = "Form"
	case word == "*":
		word = "Any"
	}
	out := append([]string{}, place[:len(place)-1]...)
	return append(out, word, place[len(place)-1])
}

// content lowers one media type.
func (l *lowerer) content(m load.Member, mt mediaType, what string, place []string) *ir.Content {
	c := &ir.Content{MediaType: m.Key, Pos: m.Pos()}
	what = fieldOf(what, m.Key)
	if m.Value.Has("$ref") && l.doc.Version < load.V32 {
		l.list.Repair(m.Pos(), "later-field", m.Value.Pointer(),
			"%s: a reference to a media type belongs to OpenAPI 3.2, the document is %s: read as there", what, l.doc.VersionText)
	}
	n := l.follow(m.Value, mediaTypeObject).node
	if n != nil && n.Kind == load.Null {
		l.list.Repair(m.Pos(), "wrong-type", n.Pointer(), "%s must be a mapping, got null: taken as empty", what)
		n = nil
	} else if n == nil || !l.checkFields(n, what, mediaTypeObject) {
		return nil
	}
	schema, item := n.Get("schema"), n.Get("itemSchema")
	c.Kind = mt.kind(l.shapeOf(schema), schema != nil)
	if c.Kind != ir.ContentForm && c.Kind != ir.ContentMultipart {
		l.ignoredEncoding(n, what)
	}
	switch c.Kind {
	case ir.ContentJSON:
		l.jsonContent(c, n, place)
	case ir.ContentForm, ir.ContentMultipart:
		l.formContent(c, n, what, place)
	case ir.ContentText:
		l.textContent(c, schema, what, place)
	case ir.ContentEvents, ir.ContentLines:
		if schema != nil && item != nil {
			l.list.Warn(keyPos(schema), "media-items", schema.Pointer(),
				"%s: schema is not used beside itemSchema: the body is read item by item", what)
		}
		l.streamContent(c, schema, item, place)
	case ir.ContentXML, ir.ContentBinary:
		l.opaqueContent(c, n, mt, what)
	}
	if item != nil && c.Kind != ir.ContentEvents && c.Kind != ir.ContentLines {
		l.list.Warn(keyPos(item), "media-items", item.Pointer(), "%s: itemSchema is not used: %s is no sequence that can be read item by item", what, m.Key)
	}
	return c
}

func (l *lowerer) jsonContent(c *ir.Content, n *load.Node, place []string) {
	if schema := n.Get("schema"); schema != nil {
		c.Use = l.use(schema, place)
	}
}

// ignoredEncoding warns of encodings of a body that has no fields or parts.
func (l *lowerer) ignoredEncoding(n *load.Node, what string) {
	for _, key := range []string{"encoding", "prefixEncoding", "itemEncoding"} {
		if enc := n.Get(key); enc != nil {
			l.list.Warn(keyPos(enc), "encoding-ignored", enc.Pointer(), "%s: %s is for forms and multipart: ignored", what, key)
		}
	}
}

// textContent lowers a body of text. A schema that is no scalar cannot describe
// it: the text is passed as it is.
func (l *lowerer) textContent(c *ir.Content, schema *load.Node, what string, place []string) {
	if schema == nil {
		return
	}
	switch shape := l.shapeOf(schema); shape {
	case ir.KindScalar, ir.KindEnum:
		c.Use = l.use(schema, place)
	case ir.KindAny:
	default:
		l.list.Warn(c.Pos, "media-opaque", schema.Pointer(), "%s: a body of text is passed as it is: its schema is not used", what)
	}
}

// opaqueContent is a body that is passed as a stream of bytes. One whose schema
// promises more than bytes is worth a warning.
func (l *lowerer) opaqueContent(c *ir.Content, n *load.Node, mt mediaType, what string) {
	schema := n.Get("schema")
	if schema == nil || schema.Len() == 0 {
		return
	}
	switch shape := l.shapeOf(schema); {
	case shape == ir.KindBinary, shape == ir.KindScalar && !mt.xml(), shape == ir.KindAny:
		return
	}
	l.list.Warn(c.Pos, "media-opaque", schema.Pointer(),
		"%s is passed as a stream of bytes with that content type: its schema is not used", what)
}

// shapeOf is the kind of a schema without lowering it: enough of it to tell bytes,
// text and the rest apart.
func (l *lowerer) shapeOf(schema *load.Node) ir.Kind {
	n := l.schemaBehind(schema)
	if n == nil {
		return ir.KindAny
	}
	t := schemaType(n)
	switch {
	case t == "string" || t == "" && (n.Has("format") || n.Has("contentMediaType")):
		if isBinary(n) {
			return ir.KindBinary
		}
		return ir.KindScalar
	case t == "integer" || t == "number" || t == "boolean":
		return ir.KindScalar
	case t == "array":
		return ir.KindArray
	case t == "object" || n.Has("properties"):
		return ir.KindStruct
	case n.Has("enum") || n.Has("const"):
		return ir.KindEnum
	case n.Has("oneOf") || n.Has("anyOf") || n.Has("allOf"):
		return l.composedShape(n)
	case n.Len() == 0 || t == "":
		return ir.KindAny
	default:
		return ir.KindUnion
	}
}

// composedShape is the shape that all branches of a composition share, else that
// of a union. Only scalars matter: a body of text may be any of several.
func (l *lowerer) composedShape(n *load.Node) ir.Kind {
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		list := n.Get(key)
		if !list.Is(load.Array) {
			continue
		}
		for _, branch := range list.Items {
			b := l.schemaBehind(branch)
			switch t := schemaType(b); {
			case t == "string" && key == "allOf" && isBinary(b):
				return ir.KindBinary
			case t != "string" && t != "integer" && t != "number" && t != "boolean" && t != "null":
				return ir.KindUnion
			}
		}
	}
	return ir.KindScalar
}

// schemaBehind follows the references of a schema, silently: the schema half
// reports what is wrong with them.
func (l *lowerer) schemaBehind(n *load.Node) *load.Node {
	for range 100 {
		ref := n.Get("$ref")
		text, ok := ref.Str()
		if !ok {
			return n
		}
		n = l.doc.Resolve(ref, text, l.list)
	}
	return nil
}

// schemaType is the type of a schema; of a list the only one that is not null.
func schemaType(n *load.Node) string {
	t := n.Get("type")
	if s, ok := t.Str(); ok {
		return s
	}
	found := ""
	if t.Is(load.Array) {
		for _, item := range t.Items {
			s, _ := item.Str()
			if s == "null" {
				continue
			}
			if found != "" {
				return "several"
			}
			found = s
		}
	}
	return found
}

// isBinary reports whether a schema of strings means bytes outside JSON: format
// binary, as 3.0 has it, or a content of its own that no encoding turns into text.
func isBinary(n *load.Node) bool {
	if f, _ := n.Get("format").Str(); f == "binary" {
		return true
	}
	media, ok := n.Get("contentMediaType").Str()
	if !ok || n.Has("contentEncoding") || n.Has("contentSchema") {
		return false
	}
	mt := parseMediaType(media)
	return !mt.json() && mt.major != "text"
}
