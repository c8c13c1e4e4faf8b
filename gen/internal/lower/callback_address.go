package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// callbackAddress warns of an address of a callback that no function can find in the
// request and the response of its operation: whoever calls back has to know it.
func (l *lowerer) callbackAddress(op *ir.Operation, m load.Member, what string) {
	for _, text := range expressionsIn(m.Key) {
		expr, err := policy.ParseExpr(strings.TrimSpace(text))
		why := "is no expression"
		if err == nil {
			if hasValue(op, expr) {
				continue
			}
			why = "is no single value of the request or of a success"
		}
		l.list.Warn(m.Pos(), "callback-address", m.Value.Pointer(),
			"%s: {%s} %s: no function finds the address, and who calls back has to give it", what, text, why)
		return
	}
}

// expressionsIn are the expressions of an address, in braces or the whole of it.
func expressionsIn(text string) []string {
	if strings.HasPrefix(text, "$") {
		return []string{text}
	}
	var out []string
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			return out
		}
		expr, tail, ok := strings.Cut(rest, "}")
		if !ok {
			return out
		}
		out, text = append(out, expr), tail
	}
}

// hasValue reports whether generated code has the value that an expression names.
func hasValue(op *ir.Operation, e policy.Expr) bool {
	switch e.Source {
	case policy.FromMethod, policy.FromURL, policy.FromStatus:
		return true
	case policy.FromPath:
		return hasParam(op.Params, "path", e.Name)
	case policy.FromQuery:
		return hasParam(op.Params, "query", e.Name)
	case policy.FromHeader:
		return hasParam(op.Params, "header", e.Name)
	case policy.FromBody:
		return op.Body != nil && hasTree(op.Body.Contents)
	case policy.FromResponseHeader, policy.FromResponseBody:
		for _, r := range op.Responses {
			if r.Status != "default" && (r.Status[0] == '4' || r.Status[0] == '5') {
				continue
			}
			if e.Source == policy.FromResponseBody && hasTree(r.Contents) ||
				e.Source == policy.FromResponseHeader && hasParam(r.Headers, "header", e.Name) {
				return true
			}
		}
	}
	return false
}

func hasParam(params []*ir.Param, in, name string) bool {
	for _, p := range params {
		if p.In == in && (p.Name == name || in == "header" && strings.EqualFold(p.Name, name)) && scalar(p.Use) {
			return true
		}
	}
	return false
}

// hasTree reports a body with members that a pointer can lead to: JSON, or fields
// without files.
func hasTree(contents []*ir.Content) bool {
next:
	for _, c := range contents {
		switch c.Kind {
		case ir.ContentJSON:
			return true
		case ir.ContentForm, ir.ContentMultipart:
			for _, p := range c.Parts {
				if p.File {
					continue next
				}
			}
			return c.Use != nil
		}
	}
	return false
}
