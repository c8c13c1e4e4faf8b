package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// keywords is one schema object as written, without what it refers to: each value
// of the right kind, the forms of 3.0 and 3.1 made one.
type keywords struct {
	node   *load.Node
	always bool       // true, {}, or something that is no schema at all
	never  bool       // false
	target *load.Node // of $ref
	ref    *load.Node // the $ref scalar

	types    typeSet // of type; null is among them only if it was written there
	nullable bool    // nullable: true, or a list of enum values that means it
	format   string

	enum     []*enumItem
	hasEnum  bool
	constant *load.Node

	props    []property
	required []nameAt
	extra    *load.Node // additionalProperties as a schema
	open     bool       // additionalProperties: true
	closed   bool       // additionalProperties: false
	patterns []patternAt

	items  *load.Node
	prefix []*load.Node
	checks ir.Checks

	not, when, then, other   *load.Node // not, if, then, else
	contains, names          *load.Node // contains, propertyNames
	minContains, maxContains *int64
	demands                  []demand   // dependentRequired and dependentSchemas
	restItems, restMembers   *load.Node // the unevaluated keywords, where the types do not say it all
	seals                    sealing    // what unevaluatedProperties comes down to
	dynamic                  string     // the anchor of a $dynamicRef that may lead to several schemas
	dynamicTarget            *load.Node // to which it leads where nothing else has the anchor

	allOf, oneOf, anyOf  []*load.Node
	oneOfNode, anyOfNode *load.Node
	disc                 *discriminator

	encoding, media string

	alt              *alternatives // of oneOf and anyOf; see there
	bareOne, bareAny bool          // the alternatives only demand members

	doc                 ir.Doc
	fallback            *load.Node // default
	readOnly, writeOnly bool
	goName              string
	goType              *ir.GoType
}

type property struct {
	name   string
	node   *load.Node
	member load.Member
}

type nameAt struct {
	name string
	node *load.Node
}

type patternAt struct {
	pattern string
	node    *load.Node
}

// demand is what the presence of a member asks for: further members, or a schema.
type demand struct {
	member string
	names  []string
	node   *load.Node
}

type enumItem struct {
	node   *load.Node
	value  *ir.Value
	goName string
	doc    string
}

// keyword is how one keyword is read.
type keyword struct {
	since load.Version // zero: also in 3.0
	prose bool         // changes nothing that is generated
	read  func(p *schemaReader, m load.Member)
}

// schemaReader reads one schema object.
type schemaReader struct {
	l      *lowerer
	kw     *keywords
	n      *load.Node
	label  string
	listed map[string]*enumItem // of enum, by valueKey
}

func ignore(*schemaReader, load.Member) {}

var schemaKeywords map[string]keyword

func init() { //nolint:gochecknoinits // The readers lead back to the table.
	late := func(read func(*schemaReader, load.Member)) keyword { return keyword{since: load.V31, read: read} }
	lateProse := keyword{since: load.V31, prose: true, read: ignore}
	prose := keyword{prose: true, read: ignore}
	both := func(read func(*schemaReader, load.Member)) keyword { return keyword{read: read} }
	schemaKeywords = map[string]keyword{
		"type": both((*schemaReader).readType), "format": both((*schemaReader).readFormat),
		"nullable":   both((*schemaReader).readNullable),
		"enum":       both(ignore), // once the type is known
		"const":      late((*schemaReader).readConst),
		"default":    both((*schemaReader).readDefault),
		"properties": both((*schemaReader).readProperties), "required": both((*schemaReader).readRequired),
		"additionalProperties": both((*schemaReader).readAdditional),
		"patternProperties":    late((*schemaReader).readPatterns),
		"items":                both((*schemaReader).readItems), "prefixItems": late((*schemaReader).readPrefix),
		"allOf": both((*schemaReader).readAllOf), "oneOf": both((*schemaReader).readOneOf),
		"anyOf": both((*schemaReader).readAnyOf), "discriminator": both((*schemaReader).readDiscriminator),

		// Read together, as in 3.0 two of them are flags of the others.
		"minimum": both(ignore), "maximum": both(ignore),
		"exclusiveMinimum": both(ignore), "exclusiveMaximum": both(ignore),
		"multipleOf": both((*schemaReader).readMultipleOf), "pattern": both((*schemaReader).readPattern),
		"minLength": both((*schemaReader).readSize), "maxLength": both((*schemaReader).readSize),
		"minItems": both((*schemaReader).readSize), "maxItems": both((*schemaReader).readSize),
		"minProperties": both((*schemaReader).readSize), "maxProperties": both((*schemaReader).readSize),
		"uniqueItems": both((*schemaReader).readUnique),

		"not": both((*schemaReader).readLogic), "if": late((*schemaReader).readLogic),
		"then": late((*schemaReader).readLogic), "else": late((*schemaReader).readLogic),
		"contains": late((*schemaReader).readLogic), "propertyNames": late((*schemaReader).readLogic),
		"minContains": late((*schemaReader).readCount), "maxContains": late((*schemaReader).readCount),
		"dependentRequired": late((*schemaReader).readDemands), "dependentSchemas": late((*schemaReader).readDemands),
		"unevaluatedItems":      late((*schemaReader).readLogic),
		"unevaluatedProperties": late((*schemaReader).readLogic),
		"contentEncoding":       late((*schemaReader).readContent), "contentMediaType": late((*schemaReader).readContent),
		"additionalItems": both((*schemaReader).readAfterItems), "dependencies": both((*schemaReader).readDependencies), // of earlier drafts

		"title": both((*schemaReader).readProse), "description": both((*schemaReader).readProse),
		"deprecated": both((*schemaReader).readFlag), "readOnly": both((*schemaReader).readFlag),
		"writeOnly": both((*schemaReader).readFlag), "externalDocs": both((*schemaReader).readProse),
		"example": prose, "xml": prose, "examples": lateProse, "$comment": lateProse, "$schema": lateProse,
		"$id": lateProse, "$anchor": lateProse, "$vocabulary": lateProse, "$dynamicAnchor": lateProse,
		"contentSchema": lateProse, // JSON Schema has it as an annotation
		"$defs":         late((*schemaReader).readDefs), "definitions": both((*schemaReader).readDefs),
		"$dynamicRef": late((*schemaReader).readDynamic), "$recursiveRef": both(ignore), "$recursiveAnchor": lateProse,

		"$ref": both(ignore), // read before the others, like $recursiveRef
	}
}

// schemaExtensions are the extensions that mean something in a schema.
var schemaExtensions = map[string]keyword{
	"x-go-name":           {read: (*schemaReader).readGoName},
	"x-go-type":           {read: (*schemaReader).readGoType},
	"x-go-type-import":    {read: ignore},
	"x-enum-varnames":     {read: ignore},
	"x-enumNames":         {read: ignore},
	"x-enum-descriptions": {read: ignore},
	"x-enumDescriptions":  {read: ignore},
	// Of other generators: what they say is said elsewhere already.
	"x-go-enum-desc":                  {read: ignore},
	"x-go-package":                    {read: ignore},
	"x-go-type-skip-optional-pointer": {read: (*schemaReader).readSkipPointer},
}

var goSchemaExtensions = []string{"x-go-name", "x-go-type", "x-go-type-import"}

// own reads the schema at n, once: its findings are reported once, too.
func (l *lowerer) own(n *load.Node) *keywords {
	if kw := l.schemas.keywords[n]; kw != nil {
		return kw
	}
	kw := &keywords{node: n}
	l.schemas.keywords[n] = kw
	switch n.Kind {
	case load.Object:
		p := &schemaReader{l: l, kw: kw, n: n}
		p.object()
	case load.Bool:
		kw.always, kw.never = n.Text == "true", n.Text == "false"
		if l.doc.Version < load.V31 {
			l.repairf(n, "later-keyword", "%s: a boolean as schema needs OpenAPI 3.1: taken as there", l.label(n))
		}
	default:
		kw.always = true
		l.notSchema(n)
	}
	return kw
}

// notSchema mends what stands where a schema is due.
func (l *lowerer) notSchema(n *load.Node) {
	text, _ := n.Written()
	switch {
	case n.Kind == load.Null:
		l.repairf(n, "wrong-type", "%s: a schema must be a mapping, got nothing: any value is taken", l.label(n))
	case n.Kind == load.String:
		l.repairf(n, "wrong-type", "%s: a schema must be a mapping, got the string %q: any value is taken",
			l.label(n), clip(text))
	default:
		l.repairf(n, "wrong-type", "%s: a schema must be a mapping, got a %s: any value is taken", l.label(n), n.KindName())
	}
}

// object reads all members. A reference comes first: in 3.0 it hides its siblings.
func (p *schemaReader) object() {
	if p.reference() && p.l.doc.Version < load.V31 {
		return
	}
	for _, m := range p.n.Members {
		p.member(m)
	}
	p.finishTypes()
	p.finishBounds()
	p.readEnum()
	p.finishArrays()
	if p.kw.readOnly && p.kw.writeOnly {
		p.l.list.Error(keyPos(p.n), "read-and-write-only", p.n.Pointer(),
			"%s: readOnly and writeOnly exclude each other", p.what()).
			Hintf("readOnly is for responses alone, writeOnly for requests alone: keep one, or neither")
	}
	p.kw.bareOne = p.bare(p.kw.oneOf)
	p.kw.bareAny = p.bare(p.kw.anyOf)
	p.finishRules()
}

func (p *schemaReader) member(m load.Member) {
	rule, ok := schemaKeywords[m.Key]
	switch {
	case ok && rule.since > p.l.doc.Version:
		p.later(m, rule)
		rule.read(p, m)
	case ok:
		rule.read(p, m)
	case strings.HasPrefix(m.Key, "x-"):
		if rule, ok := schemaExtensions[m.Key]; ok {
			rule.read(p, m)
			return
		}
		if strings.HasPrefix(m.Key, "x-go-") || strings.HasPrefix(m.Key, "x-res") {
			p.l.checkExtension(m, p.what(), goSchemaExtensions)
		}
	default:
		p.unknown(m)
	}
}

// later reports a keyword of JSON Schema that 3.0 does not have. It is honoured:
// whoever wrote it meant it.
func (p *schemaReader) later(m load.Member, rule keyword) {
	if rule.prose {
		p.l.list.Note(m.Pos(), "later-keyword", m.Value.Pointer(), "%s: %s needs OpenAPI 3.1", p.what(), m.Key)
		return
	}
	p.l.list.Repair(m.Pos(), "later-keyword", m.Value.Pointer(),
		"%s: %s needs OpenAPI 3.1, the document is %s: taken as there", p.what(), m.Key, p.l.doc.VersionText)
}

// unknown reports a keyword that nothing knows. From 3.1 on JSON Schema allows any,
// as an annotation; a likely misspelling is worth a warning all the same.
func (p *schemaReader) unknown(m load.Member) {
	near, ok := nearestKeyword(m.Key)
	var d *diag.Diagnostic
	switch {
	case p.l.doc.Version < load.V31:
		d = p.l.list.Repair(m.Pos(), "unknown-keyword", m.Value.Pointer(), "%s: unknown keyword %q: ignored", p.what(), clip(m.Key))
	case ok:
		d = p.l.list.Warn(m.Pos(), "unknown-keyword", m.Value.Pointer(), "%s: unknown keyword %q: ignored", p.what(), clip(m.Key))
	default:
		d = p.l.list.Note(m.Pos(), "unknown-keyword", m.Value.Pointer(), "%s: unknown keyword %q: ignored", p.what(), clip(m.Key))
	}
	if ok {
		d.Hintf("did you mean %s?", near)
	}
}

func nearestKeyword(word string) (string, bool) {
	names := make([]string, 0, len(schemaKeywords))
	for name := range schemaKeywords {
		names = append(names, name)
	}
	return diag.Nearest(word, names)
}

// what names the schema in a message.
func (p *schemaReader) what() string {
	if p.label == "" {
		p.label = p.l.label(p.n)
	}
	return p.label
}

// clip keeps a text of the document short enough for a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
