package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// objectType makes a struct of an object with known members, a map of another.
func (l *lowerer) objectType(t *ir.Type, s *shape) {
	t.Checks = checksFor(&s.checks, tObject)
	t.Closed = s.closed
	l.patternProps(t, s)
	l.holdMembers(s)
	extra := l.extra(t, s)
	if len(s.props) == 0 && len(s.required) == 0 && (!s.closed || len(s.patterns) > 0) {
		t.Kind = ir.KindMap
		t.Elem = extra
		if extra == nil {
			t.Elem = anyUse()
		}
		return
	}
	t.Kind, t.Declared, t.Extra = ir.KindStruct, true, extra
	for _, p := range s.props {
		t.Fields = append(t.Fields, l.field(t, s, p))
	}
	l.demandedOnly(t, s)
	l.checkClosers(s)
}

// extra is the use of members that have no field; nil: they are not kept.
func (l *lowerer) extra(t *ir.Type, s *shape) *ir.Use {
	switch {
	case s.closed && len(s.patterns) == 0:
		return nil
	case len(s.extras) > 0 && !s.closed:
		for _, n := range s.extras {
			if l.own(n).never {
				t.Closed = true
				return nil
			}
		}
		if len(s.patterns) > 0 {
			return anyUse() // those that match a pattern need not be of the type
		}
		return l.useOf(plainAtoms(s.extras), seed{after: t, words: []string{"Value"}, id: "/additionalProperties"})
	case s.closed && len(t.Patterns) == 1:
		return t.Patterns[0].Use
	case s.open || len(s.patterns) > 0:
		return anyUse()
	default:
		return nil
	}
}

func (l *lowerer) patternProps(t *ir.Type, s *shape) {
	for _, p := range s.patterns {
		use := l.useOf([]atom{{node: p.node}}, seed{node: p.node})
		t.Patterns = append(t.Patterns, ir.PatternProps{Pattern: p.pattern, Use: use})
	}
}

func (l *lowerer) field(t *ir.Type, s *shape, p *propShape) *ir.Field {
	f := &ir.Field{Name: p.name, Pos: p.first.Pos(), Required: s.requires(p.name)}
	named := seed{node: p.nodes[0]}
	if len(p.nodes) > 1 {
		named = seed{after: t, words: []string{p.name}, id: "/properties/" + load.EscapeToken(p.name)}
	}
	f.Use = l.useOf(plainAtoms(p.nodes), named)
	n := l.notesOf(p.nodes)
	f.Doc, f.GoName, f.Default, f.Secret = n.Doc, n.GoName, n.Default, n.Secret
	f.ReadOnly, f.WriteOnly = n.ReadOnly, n.WriteOnly
	return f
}

// demandedOnly adds the members that are required and described nowhere: they must
// be there, whatever they are.
func (l *lowerer) demandedOnly(t *ir.Type, s *shape) {
	const most = 50 // names beyond are not compared: each is compared with each property
	byCase := map[string][]*ir.Field{}
	for _, f := range t.Fields {
		key := strings.ToLower(f.Name)
		byCase[key] = append(byCase[key], f)
	}
	unknown := 0
	for _, r := range s.required {
		if s.prop(r.name) != nil {
			continue
		}
		if same := byCase[strings.ToLower(r.name)]; len(same) == 1 {
			// Demanding a member that nobody sends would refuse everything that is sent.
			same[0].Required = true
			l.warnf(r.node, "required-unknown", "required names %q, which is no property: %q is taken to be meant",
				clip(r.name), clip(same[0].Name))
			continue
		}
		use := anyUse()
		if t.Extra != nil && len(s.patterns) == 0 {
			use = t.Extra
		}
		t.Fields = append(t.Fields, &ir.Field{Name: r.name, Pos: r.node.Pos(), Use: use, Required: true})
		if unknown++; unknown <= most {
			l.reportDemanded(s, r)
		}
	}
}

func (l *lowerer) reportDemanded(s *shape, r nameAt) {
	names := make([]string, 0, len(s.props))
	for _, p := range s.props {
		if !s.requires(p.name) {
			names = append(names, p.name)
		}
	}
	if near, ok := diag.Nearest(r.name, names); ok {
		l.warnf(r.node, "required-unknown", "required names %q, which is no property: any value is taken there", clip(r.name)).
			Hintf("did you mean %s?", near)
		return
	}
	if s.closed {
		l.warnf(r.node, "required-unknown", "required names %q, which additionalProperties: false forbids", clip(r.name))
		return
	}
	l.notef(r.node, "required-unknown", "required names %q, which is no property: any value is taken there", clip(r.name))
}

// checkClosers reports branches of allOf that forbid the members of the others. By
// the letter nothing would fit such a schema; the merged object is closed instead.
func (l *lowerer) checkClosers(s *shape) {
	for _, kw := range s.closers {
		known := make(map[string]bool, len(kw.props))
		for _, p := range kw.props {
			known[p.name] = true
		}
		for _, p := range s.props {
			if known[p.name] || len(kw.patterns) > 0 {
				continue
			}
			l.list.Warn(keyPos(kw.node), "closed-branch", kw.node.Pointer(),
				"%s: additionalProperties: false would forbid %q of another part of the allOf: taken as closing the whole",
				l.label(kw.node), clip(p.name))
			break
		}
	}
}

// arrayType makes an array, or a tuple when the first elements have schemas of their
// own.
func (l *lowerer) arrayType(t *ir.Type, s *shape) {
	t.Checks = checksFor(&s.checks, tArray)
	t.Kind = ir.KindArray
	t.Elem = l.rest(t, s)
	if len(s.prefix) == 0 {
		return
	}
	t.Kind, t.Declared = ir.KindTuple, true
	l.holdItems(s)
	for i, nodes := range s.prefix {
		t.Tuple = append(t.Tuple, l.useOf(plainAtoms(nodes), seed{
			after: t, words: []string{"Item", decimalText(i + 1)}, id: "/prefixItems/" + decimalText(i),
		}))
	}
	for _, n := range s.items {
		if l.own(n).never {
			t.Elem, t.Closed = nil, true
		}
	}
}

// rest is the use of the elements after those of a tuple: all of them in an array.
func (l *lowerer) rest(t *ir.Type, s *shape) *ir.Use {
	if len(s.items) == 0 {
		return anyUse()
	}
	return l.useOf(plainAtoms(s.items), seed{after: t, words: []string{"Item"}, id: "/items"})
}
