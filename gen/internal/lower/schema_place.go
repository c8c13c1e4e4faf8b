package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// step leads from a schema to the one that it is written in.
type step struct {
	parent *load.Node
	kind   stepKind
	word   string // the property, the key in $defs, the keyword of a variant
	index  int
}

type stepKind uint8

const (
	stepProperty stepKind = iota
	stepItem
	stepTuple
	stepValue // additionalProperties, patternProperties
	stepDef
	stepBranch  // of allOf
	stepVariant // of oneOf and anyOf
	stepRule    // of a keyword that no type comes from: not, if, contains
)

// root is a schema that is written in no other schema.
type root struct {
	words  []string
	origin ir.Origin
	guess  bool // named after its pointer until the operation that holds it comes by
}

// step records where n stands. The first place of a YAML alias counts.
func (l *lowerer) step(n *load.Node, s step) {
	if _, ok := l.schemas.steps[n]; !ok && l.schemas.roots[n] == nil && n != s.parent {
		l.schemas.steps[n] = s
	}
}

// place records a schema that stands in a body, a parameter and the like.
func (l *lowerer) place(n *load.Node, words []string) {
	s := &l.schemas
	if r := s.roots[n]; r != nil {
		if r.guess {
			r.words, r.guess = words, false
		}
		return
	}
	if _, ok := s.steps[n]; !ok {
		s.roots[n] = &root{words: words, origin: ir.Inline}
	}
}

// componentMembers are the schemas of the components of the root document, those
// that a $ref in their place includes among them.
func (l *lowerer) componentMembers() []load.Member {
	list := l.doc.Root.Root.Get("components").Get("schemas")
	if !list.Is(load.Object) {
		return nil
	}
	var out []load.Member
	for _, m := range list.Members {
		if m.Key != "$ref" || m.Value.Kind != load.String {
			out = append(out, m)
			continue
		}
		included := l.doc.Resolve(m.Value, m.Value.Text, l.list)
		if !included.Is(load.Object) {
			continue
		}
		for _, inner := range included.Members {
			if !list.Has(inner.Key) {
				out = append(out, inner)
			}
		}
	}
	return out
}

// registerComponents names the components of the root document before any of them
// is lowered. A component that only refers to a schema of another file gives its
// name to that schema.
func (l *lowerer) registerComponents() {
	s := &l.schemas
	s.components = l.componentMembers()
	for _, m := range s.components {
		if s.roots[m.Value] == nil {
			s.roots[m.Value] = &root{words: []string{m.Key}, origin: ir.Component}
		}
	}
	for _, m := range s.components {
		ref, ok := m.Value.Get("$ref").Str()
		if !ok || m.Value.Len() > 1 {
			continue
		}
		target := l.doc.Resolve(m.Value.Get("$ref"), ref, l.list)
		if target == nil || target.Home() == l.doc.Root || s.roots[target] != nil {
			continue
		}
		l.adopt(target)
		if r := s.roots[target]; r != nil && r.origin == ir.Component {
			r.words = []string{m.Key}
			s.same[m.Value] = target
		}
	}
}

// canonical is the schema that n is another place of.
func (l *lowerer) canonical(n *load.Node) *load.Node {
	if c := l.schemas.same[n]; c != nil {
		return c
	}
	return n
}

// isNamed reports whether n has a declaration of its own whatever it is: a component
// or a schema of another file.
func (l *lowerer) isNamed(n *load.Node) bool {
	r := l.schemas.roots[n]
	return r != nil && r.origin == ir.Component
}

// adopt finds out where the target of a reference stands, if nothing has led there
// yet: inside a schema, or on its own.
func (l *lowerer) adopt(n *load.Node) {
	s := &l.schemas
	if s.roots[n] != nil {
		return
	}
	if _, ok := s.steps[n]; ok {
		return
	}
	chain := []*load.Node{n}
	for at := n.Parent; at != nil; at = at.Parent {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	tokens := pointerTokens(n)
	// Reading the schemas above n records the steps down to it.
	for i := schemaStart(chain, tokens); i >= 0 && i < len(chain)-1; i++ {
		at := chain[i]
		_, inside := s.steps[at]
		if !inside && s.roots[at] == nil {
			if i > schemaStart(chain, tokens) {
				continue // the mapping under properties, the list under allOf
			}
			l.addRoot(at, tokens[:i])
		}
		if at.Kind == load.Object {
			l.own(at)
		}
	}
	if _, ok := s.steps[n]; !ok && s.roots[n] == nil {
		l.addRoot(n, tokens)
	}
}

// schemaStart is the index in chain of the outermost schema on the way to its end,
// or -1. The OpenAPI structure tells where it is one; in other files the first thing
// that has the form of a schema is.
func schemaStart(chain []*load.Node, tokens []string) int {
	if len(tokens) == 0 {
		return -1
	}
	switch {
	case len(tokens) >= 3 && tokens[0] == "components" && tokens[1] == "schemas":
		return 3
	case tokens[0] == "components" || tokens[0] == "paths" || tokens[0] == "webhooks":
		for i, t := range tokens {
			if i > 1 && (t == "schema" || t == "itemSchema") {
				return i + 1
			}
		}
		return -1
	case (tokens[0] == "$defs" || tokens[0] == "definitions" || tokens[0] == "schemas") && len(tokens) >= 2 && !looksLikeSchema(chain[0]):
		return 2
	}
	for i, n := range chain {
		if looksLikeSchema(n) {
			return i
		}
	}
	return -1
}

func looksLikeSchema(n *load.Node) bool {
	if !n.Is(load.Object) {
		return false
	}
	if t := n.Get("type"); t.Is(load.String) {
		_, ok := typeNamed(t.Text)
		return ok
	}
	for _, key := range []string{"allOf", "oneOf", "anyOf", "enum", "prefixItems"} {
		if n.Get(key).Is(load.Array) {
			return true
		}
	}
	return n.Get("properties").Is(load.Object) && !looksLikeSchema(n.Get("properties"))
}

// addRoot names a schema that stands on its own after its pointer.
func (l *lowerer) addRoot(n *load.Node, tokens []string) {
	r := &root{origin: ir.Component}
	switch {
	case len(tokens) == 0:
		r.words = []string{fileStem(n)}
	case tokens[0] == "paths" || tokens[0] == "webhooks" || tokens[0] == "components" && len(tokens) > 1 && tokens[1] != "schemas":
		r.words, r.origin, r.guess = pointerWords(tokens), ir.Inline, true
	case tokens[0] == "components" && len(tokens) > 2:
		r.words = tokens[2:]
	case len(tokens) > 1 && (tokens[0] == "$defs" || tokens[0] == "definitions" || tokens[0] == "schemas"):
		r.words = tokens[1:]
	default:
		r.words = tokens
	}
	l.schemas.roots[n] = r
}

// pointerWords are the tokens of a pointer that tell one place from another.
func pointerWords(tokens []string) []string {
	var words []string
	for i, t := range tokens {
		switch t {
		case "paths", "webhooks", "components", "content", "schema", "responses", "parameters", "headers", "requestBodies":
			if i != len(tokens)-1 {
				continue
			}
		}
		words = append(words, t)
	}
	return words
}

func pointerTokens(n *load.Node) []string {
	pointer := n.Pointer()
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = load.UnescapeToken(t)
	}
	return tokens
}

// placeWords name the place of a schema that has no name: parameter "limit" of GET /pets.
func (l *lowerer) placeWords(n *load.Node, words []string) string {
	tokens := pointerTokens(n)
	if len(tokens) < 4 || tokens[0] != "paths" {
		return strings.Join(words, " ")
	}
	where, rest := tokens[1], tokens[2:]
	if methods[rest[0]] != "" {
		where, rest = methods[rest[0]]+" "+where, rest[1:]
	}
	switch {
	case len(rest) > 1 && rest[0] == "parameters":
		for n = n.Parent; n != nil; n = n.Parent { // by way of content, if it has that
			if name := n.Get("name"); name.Is(load.String) && n.Has("in") {
				return fmt.Sprintf("parameter %q of %s", name.Text, where)
			}
		}
	case len(rest) > 1 && rest[0] == "callbacks":
		return fmt.Sprintf("callback %s of %s", rest[1], where)
	case rest[0] == "requestBody":
		return "the request body of " + where
	case len(rest) > 3 && rest[0] == "responses" && rest[2] == "headers":
		return fmt.Sprintf("header %s of response %s of %s", rest[3], rest[1], where)
	case len(rest) > 1 && rest[0] == "responses":
		return fmt.Sprintf("response %s of %s", rest[1], where)
	}
	return strings.Join(words, " ")
}

// label names a schema in a message: schema Pet, property "owner" of Pet.
func (l *lowerer) label(n *load.Node) string {
	s, ok := l.schemas.steps[n]
	if !ok {
		r := l.schemas.roots[n]
		switch {
		case r == nil:
			return "the schema"
		case r.origin == ir.Component:
			return "schema " + clip(strings.Join(r.words, "."))
		default:
			return "the schema of " + clip(l.placeWords(n, r.words))
		}
	}
	switch s.kind {
	case stepProperty:
		return fmt.Sprintf("property %q of %s", clip(s.word), l.short(s.parent, 0))
	case stepItem, stepTuple:
		return "the items of " + l.short(s.parent, 0)
	case stepValue:
		return "the values of " + l.short(s.parent, 0)
	case stepVariant:
		return fmt.Sprintf("%s %d of %s", s.word, s.index, l.short(s.parent, 0))
	case stepRule:
		return s.word + " of " + l.short(s.parent, 0)
	case stepDef:
		return fmt.Sprintf("$defs %q of %s", clip(s.word), l.short(s.parent, 0))
	default:
		return l.label(s.parent)
	}
}

// short is the path of a schema: Pet.owner.tags[].
func (l *lowerer) short(n *load.Node, depth int) string {
	s, ok := l.schemas.steps[n]
	if !ok || depth > 8 {
		switch r := l.schemas.roots[n]; {
		case r == nil:
		case depth == 0 && r.origin != ir.Component:
			return clip(l.placeWords(n, r.words))
		default:
			return clip(strings.Join(r.words, "."))
		}
		return "…"
	}
	up := l.short(s.parent, depth+1)
	switch s.kind {
	case stepProperty, stepDef:
		return up + "." + clip(s.word)
	case stepItem, stepTuple:
		return up + "[]"
	case stepValue:
		return up + "{}"
	case stepVariant:
		return up + "." + s.word + strconv.Itoa(s.index)
	default:
		return up
	}
}
