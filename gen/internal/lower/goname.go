package lower

import (
	"go/token"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// goName reads x-go-name: the identifier to use instead of one derived from the
// document. Empty when there is none or it cannot be one.
func (l *lowerer) goName(n *load.Node, what string) string {
	v := n.Get("x-go-name")
	if v == nil {
		return ""
	}
	name, ok := v.Written()
	if !ok {
		l.errorf(v, "go-name", "%s: x-go-name must be a string, got a %s", what, v.KindName())
		return ""
	}
	if !token.IsIdentifier(name) || !token.IsExported(name) {
		l.errorf(v, "go-name", "%s: x-go-name %q is not an exported Go identifier", what, name)
		return ""
	}
	return name
}
