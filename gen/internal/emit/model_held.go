package emit

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// What a type cannot say about its values is kept as JSON Schema in a set of the
// package. A decoder runs it over the text that it reads, Validate over the text that
// the value has.

const (
	fileSchemas = "schemas"
	schemaSet   = "schemaSet"
)

// heldRules collects the rules that are in use.
type heldRules struct {
	schemas map[string]*ir.Schema
	names   map[string]string // of a rule: that of its variable
	rules   map[string]*ir.Rule
	used    map[string]bool // schemas
}

func newHeldRules(api *ir.API) *heldRules {
	h := &heldRules{
		schemas: map[string]*ir.Schema{}, names: map[string]string{}, rules: map[string]*ir.Rule{}, used: map[string]bool{},
	}
	for _, s := range api.Schemas {
		h.schemas[s.Name] = s
	}
	taken := map[string]bool{}
	for _, r := range api.Rules {
		name := names.Private("rule", names.Exported(r.Words...))
		if taken[name] {
			sum := sha256.Sum256([]byte(r.Name))
			name += "_" + hex.EncodeToString(sum[:4])
		}
		taken[name] = true
		h.names[r.Name] = name
	}
	return h
}

func hasRules(c *ir.Checks) bool { return c != nil && len(c.Rules) > 0 }

// use notes an entry and those that it refers to.
func (h *heldRules) use(name string) {
	for work := []string{name}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if s := h.schemas[at]; s != nil && !h.used[at] {
			h.used[at] = true
			work = append(work, s.Refs...)
		}
	}
}

// rule is the variable of one rule.
//
//	ruleOrder
func (h *heldRules) rule(r *ir.Rule) *jen.Statement {
	h.rules[r.Name] = r
	h.use(r.Name)
	return jen.Id(h.names[r.Name])
}

// list is the rules of some constraints, as arguments.
func (h *heldRules) list(c *ir.Checks) []jen.Code {
	var out []jen.Code
	for _, r := range c.Rules {
		out = append(out, h.rule(r))
	}
	return out
}

// words are some rules in the name of a shared variable, and tell them apart.
func (h *heldRules) words(c *ir.Checks) string {
	var b strings.Builder
	b.WriteString("Of")
	for _, r := range c.Rules {
		b.WriteString(strings.TrimPrefix(h.names[r.Name], "rule"))
	}
	return b.String()
}

// useCodec is the codec of the values of a use, which may be held to more than its type.
func (e *emitter) useCodec(u *ir.Use) *codec { return e.heldCodec(u.Checks, e.typeCodec(u.Type)) }

// heldCodec is a codec that holds what it reads to rules.
//
//	json.Held(json.String, ruleOrderName)
func (e *emitter) heldCodec(checks *ir.Checks, c *codec) *codec {
	if !hasRules(checks) {
		return c
	}
	words := e.held.words(checks)
	return &codec{e: e, key: "Held" + c.key + words, words: "Held" + c.words + words, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgJSON, "Held").Call(append([]jen.Code{c.expr()}, e.held.list(checks)...)...)
	}}
}

// looseCodec is the codec of a type without the rules of one that has no methods.
func (e *emitter) looseCodec(t *ir.Type) *codec {
	if t.GoType != nil || e.hasMethods(t) || !hasRules(t.Checks) {
		return e.typeCodec(t)
	}
	return e.plainCodec(t)
}

// holds puts the rules of a type before the body of its DecodeJSON.
//
//	d.Hold(ruleOrder)
func (e *emitter) holds(t *ir.Type, body []jen.Code) []jen.Code {
	if !hasRules(t.Checks) {
		return body
	}
	return append([]jen.Code{jen.Id("d").Dot("Hold").Call(e.held.list(t.Checks)...)}, body...)
}

// heldHere is the rules of a type in its Validate.
//
//	json.Hold(c, v, ruleOrder)
func (e *emitter) heldHere(t *ir.Type) []jen.Code {
	if !hasRules(t.Checks) {
		return nil
	}
	args := append([]jen.Code{jen.Id("c"), jen.Id("v")}, e.held.list(t.Checks)...)
	return []jen.Code{jen.Qual(pkgJSON, "Hold").Call(args...)}
}

// held is the rule of constraints that are schemas.
//
//	json.Holds(json.String, ruleOrderName)
func (r *rules) held(c *ir.Checks, t *ir.Type) *rule {
	inner, words := r.e.looseCodec(t), r.e.held.words(c)
	return &rule{key: "Held" + inner.key + words, words: "Held" + inner.words + words, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgJSON, "Holds").Call(append([]jen.Code{inner.expr()}, r.e.held.list(c)...)...)
	}}
}

// schemas writes the set of the schemas in use and their rules.
//
//	var schemaSet = schema.NewSet(map[string]string{
//		"#/components/schemas/Order ~ not": `{"not": {"required": ["a", "b"]}}`,
//	})
//
//	var ruleOrder = schemaSet.Rule("#/components/schemas/Order ~ not")
func (e *emitter) schemas() {
	h := e.held
	if len(h.used) == 0 {
		return
	}
	entries := make([]jen.Code, 0, 2*len(h.used))
	for _, s := range e.api.Schemas {
		if h.used[s.Name] {
			entries = append(entries, jen.Line().Lit(s.Name).Op(":").Add(rawText(s.Text)))
		}
	}
	entries = append(entries, jen.Line())
	e.add(fileSchemas, schemaSet,
		doc("schemaSet holds what the document says of its values beyond what their types can say."),
		jen.Var().Id(schemaSet).Op("=").Qual(pkgSchema, "NewSet").Call(jen.Map(jen.String()).String().Values(entries...)))
	var defs []jen.Code
	for _, name := range slices.SortedFunc(maps.Keys(h.rules), func(a, b string) int { return strings.Compare(h.names[a], h.names[b]) }) {
		maker := "Rule"
		if h.rules[name].Whole {
			maker = "Whole"
		}
		defs = append(defs, jen.Id(h.names[name]).Op("=").Id(schemaSet).Dot(maker).Call(jen.Lit(name)))
	}
	e.add(fileSchemas, schemaSet, jen.Var().Defs(defs...))
}

// rawText is a literal that shows its text as it is, where Go has one.
func rawText(s string) *jen.Statement {
	if strings.ContainsAny(s, "`\r\n") || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '\ufeff' || r == '\ufffd' }) {
		return jen.Lit(s)
	}
	return jen.Op("`" + s + "`")
}
