package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// shape is everything that holds at once, merged.
type shape struct {
	leaves []leaf // the schemas that it was made of
	done   map[*load.Node]progress

	exact     bool // nothing is inferred: see Options.Exact
	never     bool
	types     typeSet // 0: not said. Never null: see nullable
	typesHard bool    // a schema with more than the type has said so
	nullOnly  bool
	only      typeSet // of an atom without a schema; 0: not said
	format    string

	enum     []*enumItem
	hasEnum  bool
	constant *load.Node

	props    []*propShape
	byName   map[string]*propShape
	required []nameAt
	needs    map[string]bool // the names in required
	extras   []*load.Node
	open     bool
	closed   bool
	closers  []*keywords
	sealers  []*keywords // with unevaluatedProperties
	patterns []patternAt

	items  []*load.Node
	prefix [][]*load.Node
	checks ir.Checks

	unions          []unionRef
	encoding, media string
}

// leaf is one schema without $ref and allOf.
type leaf struct {
	kw   *keywords
	mode atomMode
}

type propShape struct {
	name  string
	nodes []*load.Node
	first load.Member
}

// unionRef is a oneOf or anyOf with several variants.
type unionRef struct {
	kw       *keywords
	anyOf    bool
	variants []*load.Node
}

type progress uint8

const (
	doneOwn progress = 1 << iota
	doneKids
	doneOneOf
	doneAnyOf
)

func (s *shape) has(n *load.Node) bool { return s.done[n]&doneOwn != 0 }

func (s *shape) prop(name string) *propShape { return s.byName[name] }

func (s *shape) requires(name string) bool { return s.needs[name] }

// merger builds a shape.
type merger struct {
	l    *lowerer
	s    *shape
	path []*load.Node // from the outside to the schema that is being read
}

// flatten merges what holds at once.
func (l *lowerer) flatten(atoms []atom) *shape {
	single := len(atoms) == 1 && atoms[0].plain()
	if single {
		if s := l.schemas.shapes[atoms[0].node]; s != nil {
			return s
		}
	}
	m := &merger{l: l, s: &shape{exact: l.opt.Exact, done: map[*load.Node]progress{}, byName: map[string]*propShape{}, needs: map[string]bool{}}}
	for _, a := range atoms {
		m.atom(a)
	}
	m.s.only &^= tNull
	if single {
		l.schemas.shapes[atoms[0].node] = m.s
	}
	return m.s
}

func (m *merger) atom(a atom) {
	if a.node == nil {
		m.s.only = a.only
		return
	}
	if slices.Contains(m.path, a.node) {
		m.cycle(a.node)
		return
	}
	if !m.l.deeper(a.node) {
		return
	}
	defer m.l.shallower()
	kw := m.l.own(a.node)
	m.path = append(m.path, a.node)
	if a.mode&ownOnly == 0 && m.first(a.node, doneKids) {
		m.kids(kw)
	}
	own := m.first(a.node, doneOwn)
	if own {
		m.merge(kw, a.mode)
	}
	mode := m.alternatives(kw, a.mode)
	if own {
		m.s.leaves = append(m.s.leaves, leaf{kw, mode})
	}
	m.path = m.path[:len(m.path)-1]
}

// first reports whether a part of a schema comes up for the first time.
func (m *merger) first(n *load.Node, part progress) bool {
	if m.s.done[n]&part != 0 {
		return false
	}
	m.s.done[n] |= part
	return true
}

func (m *merger) kids(kw *keywords) {
	if kw.target != nil {
		m.atom(atom{node: kw.target})
	}
	for _, n := range kw.allOf {
		m.atom(atom{node: n})
	}
	for _, n := range m.l.singles(kw) {
		m.atom(atom{node: n})
	}
}

// alternatives notes the oneOf and anyOf of a schema. Those that list a schema which
// is being read are the children of a common parent: the one being read has been
// chosen already. The result is mode without what was passed over.
func (m *merger) alternatives(kw *keywords, mode atomMode) atomMode {
	for _, u := range m.l.unionsOf(kw) {
		skip, part := u.skip(), doneOneOf
		if u.anyOf {
			part = doneAnyOf
		}
		switch {
		case mode&skip != 0:
		case m.chosen(u):
			mode |= skip
		case m.first(kw.node, part):
			m.s.unions = append(m.s.unions, u)
		}
	}
	return mode
}

// skip is the mode of an atom that leaves the union out.
func (u unionRef) skip() atomMode {
	if u.anyOf {
		return noAnyOf
	}
	return noOneOf
}

func (m *merger) chosen(u unionRef) bool {
	if len(m.path) < 2 {
		return false
	}
	for _, v := range u.variants {
		if t := m.l.own(v).target; t != nil && slices.Contains(m.path[:len(m.path)-1], t) {
			return true
		}
	}
	return false
}

// cycle reports a schema that contains itself through allOf.
func (m *merger) cycle(n *load.Node) {
	var loop []*load.Node
	for _, n := range m.path[slices.Index(m.path, n):] {
		// A branch goes by the name of the schema that it is written in.
		if step, inside := m.l.schemas.steps[n]; !inside || step.kind != stepBranch {
			loop = append(loop, n)
		}
	}
	if len(loop) == 0 {
		loop = []*load.Node{n}
	}
	loop = rotateToFirst(loop)
	names := make([]string, 0, len(loop)+1)
	for _, n := range loop {
		names = append(names, m.l.short(n, 0))
	}
	names = append(names, names[0])
	d := m.l.list.Error(keyPos(loop[0]), "allof-cycle", loop[0].Pointer(),
		"%s: allOf contains itself: %s", m.l.label(loop[0]), clipList(names, " -> "))
	for _, n := range loop[1:] {
		d.At(keyPos(n), "by way of %s", m.l.short(n, 0))
	}
}

// merge adds the keywords of one schema.
func (m *merger) merge(kw *keywords, mode atomMode) {
	s := m.s
	s.never = s.never || kw.never
	m.mergeTypes(kw)
	if kw.format != "" {
		s.format = kw.format
	}
	if kw.encoding != "" {
		s.encoding = kw.encoding
	}
	if kw.media != "" {
		s.media = kw.media
	}
	if kw.constant != nil {
		s.constant = kw.constant
	}
	m.mergeEnum(kw)
	m.mergeObject(kw)
	m.mergeSeal(kw, mode)
	if kw.items != nil {
		s.items = append(s.items, kw.items)
	}
	for i, n := range kw.prefix {
		if i == len(s.prefix) {
			s.prefix = append(s.prefix, nil)
		}
		s.prefix[i] = append(s.prefix[i], n)
	}
	checks := kw.checks
	if mode&noRules != 0 {
		checks.Rules = nil
	}
	mergeChecks(&s.checks, &checks)
}

func (m *merger) mergeTypes(kw *keywords) {
	s := m.s
	types := kw.types &^ tNull
	hard := m.l.rankOf(kw) == rankHard
	switch {
	case kw.types == tNull:
		s.nullOnly = true
		return
	case types == 0:
		return
	case s.types == 0:
		s.types, s.typesHard = types, hard
		return
	}
	both := s.types.and(types)
	if both == 0 {
		// The later part refines the earlier one, unless it has nothing but the type.
		both = types
		if s.typesHard && !hard {
			both = s.types
		}
		m.l.list.Repair(keyPos(kw.node), "types-cross", kw.node.Pointer(),
			"%s: no value is %s and %s at once: %s taken", m.l.label(kw.node), s.types.article(), types.article(), both)
	}
	s.types, s.typesHard = both, s.typesHard || hard
}

func (m *merger) mergeEnum(kw *keywords) {
	if !kw.hasEnum {
		return
	}
	if !m.s.hasEnum {
		m.s.hasEnum, m.s.enum = true, kw.enum
		return
	}
	theirs := make(map[string]bool, len(kw.enum))
	for _, item := range kw.enum {
		theirs[valueKey(item.value)] = true
	}
	var both []*enumItem
	for _, item := range m.s.enum {
		if theirs[valueKey(item.value)] {
			both = append(both, item)
		}
	}
	if len(both) == 0 && len(kw.enum) > 0 {
		m.l.list.Repair(keyPos(kw.node), "enums-cross", kw.node.Pointer(),
			"%s: no value is in both %s and %s: the latter is taken", m.l.label(kw.node), showEnum(m.s.enum), showEnum(kw.enum))
		both = kw.enum
	}
	m.s.enum = both
}

func (m *merger) mergeObject(kw *keywords) {
	s := m.s
	for _, f := range kw.props {
		p := s.byName[f.name]
		if p == nil {
			p = &propShape{name: f.name, first: f.member}
			s.byName[f.name] = p
			s.props = append(s.props, p)
		}
		if !slices.Contains(p.nodes, f.node) {
			p.nodes = append(p.nodes, f.node)
		}
	}
	for _, r := range kw.required {
		if !s.requires(r.name) {
			s.needs[r.name] = true
			s.required = append(s.required, r)
		}
	}
	if kw.extra != nil {
		s.extras = append(s.extras, kw.extra)
	}
	s.open = s.open || kw.open
	if kw.closed {
		s.closed = true
		s.closers = append(s.closers, kw)
	}
	s.patterns = append(s.patterns, kw.patterns...)
}
