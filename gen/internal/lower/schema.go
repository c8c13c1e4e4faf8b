package lower

import (
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// How a schema becomes a type, in four steps:
//
//  1. own reads the keywords of one schema, once, and mends what can be mended.
//  2. peel finds what carries the content of a place: {allOf: [{$ref: X}], default: 1}
//     is X with a note around it, {allOf: [{$ref: X}, {properties: …}]} is new.
//  3. flatten merges everything that holds at the same time ($ref, allOf, siblings,
//     the same property of several branches) into one shape.
//  4. build turns a shape into an ir.Type.
//
// Types of components are built from a queue, so that a long chain of references
// costs no stack; what is written in place is built at once, bounded by the nesting
// of the document. The names of types and the dispatch of unions wait for finish:
// they depend on types that are not complete earlier.

// schemaState is what the lowering of schemas remembers of one run.
type schemaState struct {
	components []load.Member // the schemas of the root document's components
	keywords   map[*load.Node]*keywords
	steps      map[*load.Node]step       // from a schema to the one that it is written in
	roots      map[*load.Node]*root      // schemas that are written in no other
	same       map[*load.Node]*load.Node // a component that only names a schema of another file, to that schema
	children   map[*load.Node][]*load.Node

	cores  map[*load.Node]*peeled
	shapes map[*load.Node]*shape
	nulls  map[*load.Node]opinion
	kinds  map[*load.Node]typeSet

	types   map[*load.Node]*ir.Type // of one schema
	merged  map[string]*ir.Type     // of several that hold together
	infos   map[*ir.Type]*typeInfo
	order   []*ir.Type // as they were met
	ids     map[*load.Node]int
	shared  map[*load.Node]bool // schemas inside others that a reference leads to
	queue   []*ir.Type
	uses    []*ir.Use
	unions  []*unionWork
	unionOf map[*ir.Type]*unionWork

	names    map[*load.Node][]string
	variants map[*load.Node][]string // names of the variants of a oneOf or anyOf list
	aliases  map[*load.Node]bool     // whether an alias leads back to itself
	combined int                     // see maxCombined
	rules    ruleState
	depth    int
	gaveUp   bool
}

// typeInfo is what build and finish need to know of a type.
type typeInfo struct {
	atoms []atom
	seed  seed
	seq   int
}

// seed says what a type is named after: the place of a schema, or words after the
// name of another type.
type seed struct {
	node    *load.Node
	after   *ir.Type
	words   []string
	variant *load.Node // instead of words: what the variant of a union is called
	id      string     // end of the ID of a type that has no node of its own
}

// Bounds on what a document can make of itself by references. Published documents
// stay far below all of them.
const (
	maxSchemaDepth = 1000      // of references and allOf that lead on without a property between
	maxSchemaTypes = 1_000_000 // one for each schema, at least
	maxMergedTypes = 200_000   // of several schemas, which a document makes many of with few
	maxCombined    = 25_000    // schemas merged for the variants of unions that something stands beside
)

// ready prepares the state. It is cheap after the first call.
func (l *lowerer) ready() {
	s := &l.schemas
	if s.keywords != nil {
		return
	}
	*s = schemaState{
		keywords: map[*load.Node]*keywords{},
		steps:    map[*load.Node]step{},
		roots:    map[*load.Node]*root{},
		same:     map[*load.Node]*load.Node{},
		cores:    map[*load.Node]*peeled{},
		shapes:   map[*load.Node]*shape{},
		nulls:    map[*load.Node]opinion{},
		kinds:    map[*load.Node]typeSet{},
		types:    map[*load.Node]*ir.Type{},
		merged:   map[string]*ir.Type{},
		infos:    map[*ir.Type]*typeInfo{},
		ids:      map[*load.Node]int{},
		shared:   map[*load.Node]bool{},
		names:    map[*load.Node][]string{},
		variants: map[*load.Node][]string{},
		aliases:  map[*load.Node]bool{},
	}
	l.registerComponents()
}

// use lowers the schema at n for one use. place are the words after which a type
// that is written there is named: {"createPet", "Body"}. The type is complete when
// use returns, except for its Name and the dispatch of unions: see finishSchemas.
func (l *lowerer) use(n *load.Node, place []string) *ir.Use {
	if n == nil {
		return &ir.Use{Type: &ir.Type{Kind: ir.KindAny}}
	}
	l.ready()
	l.place(n, place)
	u := l.useOf([]atom{{node: n}}, seed{node: n})
	if l.holdsWhole(n) && !l.isNamed(n) && (l.own(n).target == nil || !l.isNamed(l.own(n).target)) {
		if u.Checks == nil {
			u.Checks = &ir.Checks{}
		}
		u.Checks.Rules = appendRules(u.Checks.Rules, []*ir.Rule{l.rule(l.own(n), partAll)})
	}
	l.drain()
	return u
}

// component lowers components.schemas.NAME. Its type is kept even when nothing uses
// it.
func (l *lowerer) component(n *load.Node, name string) {
	l.ready()
	if name == "$ref" && n.Is(load.String) {
		l.componentsElsewhere(n)
		return
	}
	defer l.drain()
	if c := l.canonical(n); c != n {
		l.typeOf([]atom{{node: c}}, seed{node: c})
		return
	}
	t := l.typeOf([]atom{{node: n}}, seed{node: n})
	if r := l.schemas.roots[n]; r != nil && len(r.words) == 1 && r.words[0] != name {
		l.secondName(n, t, name)
	}
}

// secondName declares a component that is a YAML alias of another: one schema under
// two keys.
func (l *lowerer) secondName(n *load.Node, t *ir.Type, name string) {
	again := &ir.Type{
		ID: l.fileID(n.File) + "#/components/schemas/" + load.EscapeToken(name), Pos: n.Pos(),
		Origin: ir.Component, Declared: true, Kind: ir.KindAlias, Nullable: t.Nullable,
		Target: &ir.Use{Type: t, Nullable: t.Nullable},
	}
	l.remember(again, &typeInfo{seed: seed{words: []string{name}}})
}

// notes is what a schema says about one use of it, beside the type: keywords around
// a reference count, those of the referenced schema only where the standard gives
// them to every use (default, readOnly, writeOnly, format password).
type notes struct {
	Doc                 ir.Doc
	GoName              string // x-go-name written at the use
	Default             *ir.Value
	ReadOnly, WriteOnly bool
	Secret              bool
}

// notes returns the notes of the schema at n. A default that the schema itself does
// not admit is reported and left out.
func (l *lowerer) notes(n *load.Node) notes {
	if n == nil {
		return notes{}
	}
	l.ready()
	return l.notesOf([]*load.Node{n})
}

// useOf is one use of what holds at once in atoms. seed names the type if it is
// new.
func (l *lowerer) useOf(atoms []atom, s seed) *ir.Use {
	p := l.join(atoms)
	core := p.atoms
	if p.rank == rankNone {
		core = atoms[:1] // notes alone: any value
	}
	u := &ir.Use{Type: l.typeOf(core, s), Nullable: l.nullable(atoms)}
	for _, a := range p.around {
		l.tighten(&u.Checks, l.flatten([]atom{a}), core)
	}
	unwrap(u)
	l.schemas.uses = append(l.schemas.uses, u)
	return u
}

// unwrap replaces a type that is written in place and turned out to be another one by
// that one.
func unwrap(u *ir.Use) {
	for t := u.Type; t.Kind == ir.KindAlias && !t.Declared; t = u.Type {
		u.Type, u.Nullable = t.Target.Type, u.Nullable || t.Target.Nullable
		if t.Target.Checks != nil {
			var both ir.Checks
			if u.Checks != nil {
				both = *u.Checks
			}
			mergeChecks(&both, t.Target.Checks)
			u.Checks = &both
		}
	}
}

// drain builds the types that wait.
func (l *lowerer) drain() {
	s := &l.schemas
	for len(s.queue) > 0 {
		t := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		l.build(t)
	}
}

// typeOf is the type of what holds at once in atoms.
func (l *lowerer) typeOf(atoms []atom, s seed) *ir.Type {
	st := &l.schemas
	var key string
	single := len(atoms) == 1 && atoms[0].plain()
	if single {
		if t := st.types[atoms[0].node]; t != nil {
			return t
		}
		s = seed{node: atoms[0].node}
	} else {
		key = l.key(atoms)
		if t := st.merged[key]; t != nil {
			return t
		}
	}
	t := &ir.Type{}
	if single {
		st.types[atoms[0].node] = t
	} else {
		st.merged[key] = t
	}
	l.remember(t, &typeInfo{atoms: atoms, seed: s})
	if len(st.order) > maxSchemaTypes || len(st.merged) > maxMergedTypes {
		l.giveUpf(atoms, "the schemas combine to more than %d types", len(st.order)-1)
		return t
	}
	l.locate(t, atoms, s)
	if single && l.isNamed(atoms[0].node) {
		st.queue = append(st.queue, t)
	} else {
		l.build(t)
	}
	return t
}

func (l *lowerer) remember(t *ir.Type, info *typeInfo) {
	info.seq = len(l.schemas.order)
	l.schemas.infos[t] = info
	l.schemas.order = append(l.schemas.order, t)
}

// locate fills in where a type comes from.
func (l *lowerer) locate(t *ir.Type, atoms []atom, s seed) {
	n := s.node
	if n == nil {
		for _, a := range atoms {
			if a.node != nil {
				n = a.node
				break
			}
		}
	}
	t.Pos = keyPos(n)
	t.Origin = ir.Inline
	switch {
	case s.after != nil:
		t.Pos = s.after.Pos
	case l.isNamed(n):
		t.Origin = ir.Component
	}
}

// giveUpf ends the lowering of schemas of a document that was built to exhaust it.
func (l *lowerer) giveUpf(atoms []atom, format string, args ...any) {
	if l.schemas.gaveUp {
		return
	}
	l.schemas.gaveUp = true
	for _, a := range atoms {
		if a.node != nil {
			l.errorf(a.node, "schema-too-large", format, args...)
			return
		}
	}
}

// deeper counts the steps that lead on without a property between. It is false when
// there are too many.
func (l *lowerer) deeper(n *load.Node) bool {
	if l.schemas.gaveUp {
		return false
	}
	l.schemas.depth++
	if l.schemas.depth > maxSchemaDepth {
		l.schemas.depth--
		l.giveUpf([]atom{{node: n}}, "references and allOf lead on through more than %d schemas", maxSchemaDepth)
		return false
	}
	return true
}

func (l *lowerer) shallower() { l.schemas.depth-- }
