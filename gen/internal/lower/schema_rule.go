package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/check/schema"
)

// A Go type says which members there are and of what type, and its rules bound them.
// What JSON Schema says beyond that (not, if, contains, unevaluatedProperties, …) is
// kept as JSON Schema, for runtime/check/schema to run over the text: as little of a
// schema as the types leave open, so that each violation is found once. A $ref becomes
// the name of an entry.

// portion is a set of keywords of one schema.
type portion uint32

const (
	partNot portion = 1 << iota
	partIf
	partContains
	partNames // propertyNames
	partDemands
	partOneOf
	partAnyOf
	partEnum
	partText    // length and pattern
	partBounds  // of numbers, and of the sizes of arrays and objects
	partFormat  // with length and pattern
	partUnique  // uniqueItems
	partItems   // prefixItems, items
	partMembers // properties, patternProperties, additionalProperties
	partRest    // the unevaluated keywords, with what they have to know
	partAll     // everything

	partOutline // not what values are, only which of their members and items are evaluated
)

var partWords = []struct {
	part portion
	name string
}{
	{partNot, "not"}, {partIf, "if"}, {partContains, "contains"}, {partNames, "propertyNames"},
	{partDemands, "dependent"}, {partOneOf, "oneOf"}, {partAnyOf, "anyOf"}, {partEnum, "enum"}, {partText, "pattern"}, {partBounds, "bounds"}, {partFormat, "format"},
	{partUnique, "uniqueItems"}, {partItems, "items"}, {partMembers, "properties"}, {partRest, "unevaluated"},
	{partOutline, "outline"},
}

// entryName is the name of some keywords of a schema among API.Schemas: its pointer,
// and what it is of it.
func (l *lowerer) entryName(n *load.Node, parts portion) string {
	words := []string{l.nodeID(n), "~"} // no pointer has a ~ before a space
	for _, p := range partWords {
		if parts&p.part != 0 {
			words = append(words, p.name)
		}
	}
	if len(words) == 2 {
		return words[0]
	}
	return strings.Join(words, " ")
}

// ruleState is what the writing of rules remembers of one run.
type ruleState struct {
	rules   map[string]*ir.Rule
	about   map[*ir.Rule]entry
	entries map[string]bool
	queue   []entry
	dynamic map[*load.Node]bool // whether a schema leads to a $dynamicRef
	looked  int                 // files looked through for one
	found   bool
}

// entry is a schema that has to be written.
type entry struct {
	node  *load.Node
	parts portion
}

// rule is the rule of some keywords of one schema.
func (l *lowerer) rule(kw *keywords, parts portion) *ir.Rule {
	st := &l.schemas.rules
	name := l.entryName(kw.node, parts)
	if r := st.rules[name]; r != nil {
		return r
	}
	if st.rules == nil {
		st.rules, st.about = map[string]*ir.Rule{}, map[*ir.Rule]entry{}
	}
	r := &ir.Rule{Name: name, Whole: parts == partAll}
	st.rules[name], st.about[r] = r, entry{kw.node, parts}
	return r
}

// rulesOf is rule for what a schema is held to: to the letter the whole of it is, and
// there is nothing beside that.
func (l *lowerer) rulesOf(kw *keywords, parts portion) []*ir.Rule {
	if l.opt.Exact {
		return nil
	}
	return []*ir.Rule{l.rule(kw, parts)}
}

// entry has a schema written, once, and returns its name.
func (l *lowerer) entry(n *load.Node, parts portion) string {
	st := &l.schemas.rules
	name := l.entryName(n, parts)
	if !st.entries[name] {
		if st.entries == nil {
			st.entries = map[string]bool{}
		}
		st.entries[name] = true
		st.queue = append(st.queue, entry{n, parts})
	}
	return name
}

// hold adds keywords of a leaf to the rules of the shape that it is part of.
func (l *lowerer) hold(s *shape, kw *keywords, parts portion) {
	s.checks.Rules = appendRules(s.checks.Rules, l.rulesOf(kw, parts))
}

func appendRules(rules, more []*ir.Rule) []*ir.Rule {
	for _, r := range more {
		if !slices.Contains(rules, r) {
			rules = append(slices.Clip(rules), r)
		}
	}
	return rules
}

// withoutRules is a schema without what only rules say.
func (l *lowerer) withoutRules(kw *keywords) *keywords {
	rest := *kw
	rest.checks.Rules = nil
	if !l.closes(kw) {
		rest.restMembers = nil
	}
	return &rest
}

// keepRules gives a type the rules of its shape, whatever its kind is.
func (l *lowerer) keepRules(t *ir.Type, s *shape) {
	rules := s.checks.Rules
	if n := l.wholeOf(t); n != nil {
		rules = []*ir.Rule{l.rule(l.own(n), partAll)}
	}
	if len(rules) == 0 || t.GoType != nil || t.Kind == ir.KindNever || t.Kind == ir.KindBinary {
		return
	}
	checks := ir.Checks{}
	if t.Checks != nil {
		checks = *t.Checks
	}
	checks.Rules = appendRules(checks.Rules, rules)
	t.Checks = &checks
}

// wholeOf is the schema of a type that is held to all of it; nil: the rules of the
// shape are enough.
func (l *lowerer) wholeOf(t *ir.Type) *load.Node {
	info := l.schemas.infos[t]
	if info == nil || len(info.atoms) != 1 || info.atoms[0].node == nil || t.Origin != ir.Component {
		return nil
	}
	if n := info.atoms[0].node; info.atoms[0].plain() && l.isNamed(n) && l.holdsWhole(n) {
		return n
	}
	return nil
}

// holdsWhole reports whether values are held to the whole schema at n: where schemas
// are read to the letter, and where a $dynamicRef in it may lead out of it.
func (l *lowerer) holdsWhole(n *load.Node) bool {
	if l.opt.Exact {
		return true
	}
	return l.usesDynamic() && l.leadsToDynamic(n)
}

// usesDynamic reports whether a file read so far has a $dynamicRef at all.
func (l *lowerer) usesDynamic() bool {
	st := &l.schemas.rules
	if files := len(l.doc.Files()); l.doc.Version >= load.V31 && st.looked != files {
		st.looked, st.found = files, l.doc.Mentions("$dynamicRef")
	}
	return st.found
}

// leadsToDynamic reports whether a $dynamicRef with several targets stands in the schema
// at n, or in one that it refers to.
func (l *lowerer) leadsToDynamic(n *load.Node) bool {
	st := &l.schemas.rules
	if known, ok := st.dynamic[n]; ok {
		return known
	}
	seen := map[*load.Node]bool{n: true}
	for work := []*load.Node{n}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		kw := l.own(at)
		if kw.dynamic != "" {
			seen = nil
			break
		}
		for _, c := range kw.children() {
			if !seen[c] {
				seen[c] = true
				work = append(work, c)
			}
		}
	}
	if st.dynamic == nil {
		st.dynamic = map[*load.Node]bool{}
	}
	st.dynamic[n] = seen == nil
	for c := range seen {
		st.dynamic[c] = false // all that n leads to was seen
	}
	return seen == nil
}

// children are the schemas that a schema holds or refers to.
func (kw *keywords) children() []*load.Node {
	list := slices.Concat(kw.allOf, kw.oneOf, kw.anyOf, kw.prefix, []*load.Node{
		kw.target, kw.items, kw.extra, kw.not, kw.when, kw.then, kw.other, kw.contains, kw.names, kw.restItems,
		kw.restMembers, kw.dynamicTarget,
	})
	for _, p := range kw.props {
		list = append(list, p.node)
	}
	for _, p := range kw.patterns {
		list = append(list, p.node)
	}
	for _, d := range kw.demands {
		list = append(list, d.node)
	}
	return slices.DeleteFunc(list, func(n *load.Node) bool { return n == nil })
}

// holdMembers adds the parts of an object that its type does not check: a pattern that
// a declared member matches as well, the constraints of values behind a pattern, and
// additionalProperties beside patterns.
func (l *lowerer) holdMembers(s *shape) {
	if len(s.patterns) == 0 {
		return
	}
	for _, leaf := range s.leaves {
		kw := leaf.kw
		if len(kw.patterns) == 0 {
			continue
		}
		if kw.extra != nil || slices.ContainsFunc(kw.patterns, func(p patternAt) bool { return l.constrains(s, p) }) {
			l.hold(s, kw, partMembers)
		}
	}
}

// constrains reports whether an entry of patternProperties says more than the decoder
// of its type checks.
func (l *lowerer) constrains(s *shape, p patternAt) bool {
	inner := l.flatten([]atom{{node: p.node}})
	if !checksEmpty(&inner.checks) || len(inner.unions) > 0 || inner.inferred()&(tObject|tArray) != 0 || l.own(p.node).target != nil {
		return true
	}
	name, err := check.Compile(p.pattern)
	return err != nil || slices.ContainsFunc(s.props, func(f *propShape) bool { return name.Match(f.name) })
}

// holdBounds adds the bounds of a shape whose values may be of any type.
func (l *lowerer) holdBounds(s *shape) {
	for _, leaf := range s.leaves {
		var parts portion
		c := &leaf.kw.checks
		if c.Minimum != "" || c.Maximum != "" || c.MultipleOf != "" || c.MinItems != nil || c.MaxItems != nil ||
			c.MinProperties != nil || c.MaxProperties != nil {
			parts |= partBounds
		}
		if c.MinLength != nil || c.MaxLength != nil || len(c.Pattern) > 0 {
			parts |= partText
		}
		if checkedFormat(leaf.kw.format) {
			parts |= partFormat
		}
		if c.UniqueItems {
			parts |= partUnique
		}
		if parts != 0 {
			l.hold(s, leaf.kw, parts)
		}
	}
}

// checkedFormat reports whether texts are held to a format.
func checkedFormat(format string) bool {
	_, typed := textScalars[format]
	_, known := check.ParseFormat(format)
	return known && (typed || checkedFormats[format])
}

// holdItems adds the parts of a tuple that its type does not check: equal items, and
// items of a part without the positions of another one.
func (l *lowerer) holdItems(s *shape) {
	for _, leaf := range s.leaves {
		kw := leaf.kw
		var parts portion
		if kw.checks.UniqueItems {
			parts |= partUnique
		}
		if kw.items != nil && len(kw.prefix) < len(s.prefix) {
			parts |= partItems
		}
		if parts != 0 {
			l.hold(s, kw, parts)
		}
	}
}

// writeRules writes the schemas that the rules need, and hands them to the API.
func (l *lowerer) writeRules() {
	st := &l.schemas.rules
	rules := l.usedRules()
	for _, r := range rules {
		l.entry(st.about[r].node, st.about[r].parts)
	}
	for len(st.queue) > 0 && !l.schemas.gaveUp {
		e := st.queue[0]
		st.queue = st.queue[1:]
		w := &ruleWriter{l: l}
		w.entry(e.node, e.parts)
		l.api.Schemas = append(l.api.Schemas, &ir.Schema{Name: l.entryName(e.node, e.parts), Text: w.b.String(), Refs: w.refs})
	}
	slices.SortFunc(l.api.Schemas, func(a, b *ir.Schema) int { return strings.Compare(a.Name, b.Name) })
	l.nameRules(rules)
}

// usedRules are the rules that types and their uses are held to, by name. Those of
// schemas inside of rules are not: they are written there.
func (l *lowerer) usedRules() []*ir.Rule {
	used := map[string]*ir.Rule{}
	add := func(c *ir.Checks) {
		if c != nil {
			for _, r := range c.Rules {
				used[r.Name] = r
			}
		}
	}
	for _, t := range l.schemas.order {
		add(t.Checks)
		if t.Target != nil {
			add(t.Target.Checks)
		}
	}
	for _, u := range l.schemas.uses {
		add(u.Checks)
	}
	rules := make([]*ir.Rule, 0, len(used))
	for _, name := range slices.Sorted(maps.Keys(used)) {
		rules = append(rules, used[name])
	}
	return rules
}

// nameRules names the rules after the places of their schemas.
func (l *lowerer) nameRules(rules []*ir.Rule) {
	st := &l.schemas.rules
	texts := make(map[string]string, len(l.api.Schemas))
	for _, s := range l.api.Schemas {
		texts[s.Name] = s.Text
	}
	set := schema.NewSet(texts)
	count := map[string]int{}
	for _, r := range rules {
		words := l.nodeName(st.about[r].node, 0)
		if r.Whole {
			words = append(slices.Clone(words), "whole")
		}
		key := joinWords(words)
		if count[key]++; count[key] > 1 {
			words = append(slices.Clone(words), decimalText(count[key]))
		}
		r.Words, r.Set = words, set
		l.api.Rules = append(l.api.Rules, r)
	}
}
