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
}

// exprs are the expressions of a list.
func (d *decoder) exprs(v *value, path string) []policy.Expr {
	if v == nil {
		return nil
	}
	var out []policy.Expr
	for _, n := range items(v.node) {
		out = append(out, d.expr(v, n, path))
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
	u := use{expr: e, node: n, side: d.at, path: path}
	if v.at != v.node && v.at != nil {
		u.at = v.at
	}
	d.o.uses = append(d.o.uses, u)
	return e
}
