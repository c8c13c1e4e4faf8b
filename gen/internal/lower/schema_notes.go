package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// gathered is notes before the default is checked.
type gathered struct {
	doc                 ir.Doc
	goName              string
	fallback            *load.Node
	readOnly, writeOnly bool
	secret              bool
	seen                map[*load.Node]bool
}

// notesOf are the notes of several schemas that hold at once, in order: what a later
// one says wins.
func (l *lowerer) notesOf(nodes []*load.Node) notes {
	g := l.gather(nodes)
	return notes{
		Doc: g.doc, GoName: g.goName, Default: l.checkedDefault(nodes, g.fallback),
		ReadOnly: g.readOnly, WriteOnly: g.writeOnly, Secret: g.secret,
	}
}

func (l *lowerer) gather(nodes []*load.Node) *gathered {
	g := &gathered{seen: map[*load.Node]bool{}}
	for _, n := range nodes {
		l.gatherFrom(g, n, false)
	}
	return g
}

// gatherFrom reads n after what it is made of. Behind a reference stands another
// type, whose description is its own.
func (l *lowerer) gatherFrom(g *gathered, n *load.Node, far bool) {
	if g.seen[n] || !l.deeper(n) {
		return
	}
	defer l.shallower()
	g.seen[n] = true
	kw := l.own(n)
	if kw.target != nil {
		l.gatherFrom(g, kw.target, true)
	}
	for _, c := range slices.Concat(kw.allOf, l.singles(kw)) {
		l.gatherFrom(g, c, far)
	}
	if kw.fallback != nil {
		g.fallback = kw.fallback
	}
	g.readOnly = g.readOnly || kw.readOnly
	g.writeOnly = g.writeOnly || kw.writeOnly
	g.secret = g.secret || kw.format == "password"
	if far {
		return
	}
	if kw.goName != "" {
		g.goName = kw.goName
	}
	over(&g.doc.Title, kw.doc.Title)
	over(&g.doc.Description, kw.doc.Description)
	over(&g.doc.ExternalURL, kw.doc.ExternalURL)
	g.doc.Deprecated = g.doc.Deprecated || kw.doc.Deprecated
}

func over(dst *string, src string) {
	if src != "" {
		*dst = src
	}
}

// checkedDefault is the default of what holds at once in nodes; nil when there is
// none, or none that the schemas admit themselves.
func (l *lowerer) checkedDefault(nodes []*load.Node, at *load.Node) *ir.Value {
	if at == nil || l.schemas.gaveUp {
		return nil
	}
	f := &fitter{l: l}
	v, ok := f.fit(plainAtoms(nodes), at, 0)
	owner := at.Parent
	if !ok {
		l.repairf(at, "default", "%s: default %s %s: no default is assumed", l.label(owner), show(at), f.why)
		return nil
	}
	if f.mended {
		l.repairf(at, "default", "%s: default %s %s: taken as %s", l.label(owner), show(at), f.why, showValue(v))
	}
	return v
}
