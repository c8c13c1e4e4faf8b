package lower

import (
	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// errorf reports a fault at the value n.
func (l *lowerer) errorf(n *load.Node, code, format string, args ...any) *diag.Diagnostic {
	return l.list.Error(n.Pos(), code, n.Pointer(), format, args...)
}

// repairf reports a departure from the standard at the value n and what was
// assumed instead.
func (l *lowerer) repairf(n *load.Node, code, format string, args ...any) *diag.Diagnostic {
	return l.list.Repair(n.Pos(), code, n.Pointer(), format, args...)
}

// warnf warns about the value n, in strict runs too.
func (l *lowerer) warnf(n *load.Node, code, format string, args ...any) *diag.Diagnostic {
	return l.list.Warn(n.Pos(), code, n.Pointer(), format, args...)
}

// notef tells something about the value n.
func (l *lowerer) notef(n *load.Node, code, format string, args ...any) {
	l.list.Note(n.Pos(), code, n.Pointer(), format, args...)
}

// unsupportedf reports a construct that cannot be generated: an error, or with
// SkipUnsupported a warning, and the operation being lowered is left out. The
// caller goes on with whatever stands nearest to what was meant; its result is
// not generated.
func (l *lowerer) unsupportedf(n *load.Node, code, format string, args ...any) *diag.Diagnostic {
	l.unsupported++
	if l.opt.SkipUnsupported {
		return l.warnf(n, code, format, args...)
	}
	return l.errorf(n, code, format, args...)
}

// keyPos is the position of the key that n is the value of, and of n itself when
// it has none: faults of a whole member are shown where the member begins.
func keyPos(n *load.Node) diag.Pos {
	if m, ok := n.Key(); ok {
		return m.Pos()
	}
	return n.Pos()
}
