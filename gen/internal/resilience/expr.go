package resilience

import (
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// use is one use of an expression by an operation.
type use struct {
	expr policy.Expr
	node *load.Node // where it is written
	at   *load.Node // what led to it, where that is another place
	side side
	path string
	// of is the operation whose request and response are meant; nil is the one that
	// has the policy.
	of *operation
	// item says that the response's body is one item of a stream.
	item bool
	// last lets -1 stand for the last element of a list.
	last bool
	// isList wants a list at the place.
	isList bool
}

// exprs are the expressions of a list.
func (d *decoder) exprs(v *value, path string) []policy.Expr {
	if v == nil {
		return nil
	}
	var out []policy.Expr
	for _, n := range items(v.node) {
		out = append(out, d.value(v, n, path))
	}
	return out
}

// expr reads one expression of a value and notes its use: what it names is looked
// up when all operations are known.
func (d *decoder) expr(v *value, n *load.Node, path string) policy.Expr {
	text, _ := n.Str()
	e, err := policy.ParseExpr(text)
	if err != nil {
		return policy.Expr{} // reported where it is written
	}
	d.note(use{expr: e, path: path}, v, n)
	return e
}

// note keeps a use of an expression that stands at n within v.
func (d *decoder) note(u use, v *value, n *load.Node) {
	u.node, u.side = n, d.at
	if v.at != v.node && v.at != nil {
		u.at = v.at
	}
	d.o.uses = append(d.o.uses, u)
}

// value reads an expression or the name of a function.
func (d *decoder) value(v *value, n *load.Node, path string) policy.Expr {
	if name, ok := n.Get("func").Str(); ok {
		return policy.Expr{Source: policy.FromFunc, Name: name}
	}
	return d.expr(v, n, path)
}

// template reads text with expressions in it.
func (d *decoder) template(v *value, n *load.Node, path string) policy.Template {
	text, _ := n.Str()
	t, err := policy.ParseTemplate(text)
	if err != nil {
		return policy.Template{} // reported where it is written
	}
	for _, p := range t.Parts {
		if !p.Expr.IsZero() {
			d.note(use{expr: p.Expr, path: path}, v, n)
		}
	}
	return t
}

func (d *decoder) templates(v *value, path string) []policy.Template {
	if v == nil {
		return nil
	}
	var out []policy.Template
	for _, n := range items(v.node) {
		out = append(out, d.template(v, n, path))
	}
	return out
}
