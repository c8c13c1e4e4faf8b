package resilience

import (
	"errors"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// flowExpr is an expression of section 9: one of a call, or what only a saga has.
type flowExpr struct {
	text string
	call policy.Expr
	// input is the name of $inputs.NAME; step and output are those of
	// $steps.ID.outputs.NAME. A JSON pointer behind them is left out: it leads into a
	// value that is known when the saga runs.
	input        string
	step, output string
}

func parseFlowExpr(text string) (flowExpr, bool) {
	e := flowExpr{text: text}
	if rest, ok := strings.CutPrefix(text, "$inputs."); ok {
		e.input, ok = cutPointer(rest)
		return e, ok
	}
	if rest, ok := strings.CutPrefix(text, "$steps."); ok {
		id, output, found := strings.Cut(rest, ".outputs.")
		e.step = id
		e.output, ok = cutPointer(output)
		return e, found && ok && fitsStep(id)
	}
	var err error
	e.call, err = policy.ParseExpr(text)
	return e, err == nil
}

// cutPointer is a name without the pointer behind it; false where either is broken.
func cutPointer(text string) (string, bool) {
	name, pointer, _ := strings.Cut(text, "#")
	return name, name != "" && fitsLine(name) && !strings.ContainsAny(name, " {}") && fitsPointer(pointer)
}

// fitsStep reports whether s may be the id of a step, by Arazzo's rule.
func fitsStep(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 100
}

// flowExprs are the expressions of a text: the whole of it where it begins with a
// dollar, else those in braces.
func flowExprs(text string) ([]flowExpr, error) {
	if strings.HasPrefix(text, "$") {
		e, ok := parseFlowExpr(text)
		if !ok {
			return nil, errors.New("it is no expression: want one such as $inputs.orderId or $response.body#/id")
		}
		return []flowExpr{e}, nil
	}
	var out []flowExpr
	for {
		_, rest, ok := strings.Cut(text, "{$")
		if !ok {
			return out, nil
		}
		inside, after, ok := strings.Cut(rest, "}")
		if !ok {
			return nil, errors.New("a brace has no other half")
		}
		e, ok := parseFlowExpr("$" + inside)
		if !ok {
			return nil, fmt.Errorf("%s is no expression", shown("$"+inside))
		}
		out = append(out, e)
		text = after
	}
}

// eachFlowText visits the texts of a value.
func eachFlowText(n *load.Node, visit func(n *load.Node)) {
	switch {
	case n == nil:
	case n.Is(load.String):
		visit(n)
	case n.Is(load.Array):
		for _, item := range n.Items {
			eachFlowText(item, visit)
		}
	case n.Is(load.Object):
		for _, m := range n.Members {
			eachFlowText(m.Value, visit)
		}
	}
}
