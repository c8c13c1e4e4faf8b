package policy

import (
	"fmt"
	"strings"
)

// Template is text with expressions in it, such as account/{$request.body#/from}.
// The zero Template is empty text.
type Template struct {
	Parts []TemplatePart
}

// TemplatePart is literal text or an expression; one of the two is zero.
type TemplatePart struct {
	Text string
	Expr Expr
}

// IsZero reports whether the template is empty.
func (t Template) IsZero() bool { return len(t.Parts) == 0 }

// String is the template as the language writes it.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Expr.IsZero() {
			b.WriteString(p.Text)
			continue
		}
		b.WriteString("{" + p.Expr.String() + "}")
	}
	return b.String()
}

// ParseTemplate reads text whose expressions stand in braces. A brace in a JSON
// pointer ends the expression: pointers with braces in them cannot be used.
func ParseTemplate(text string) (Template, error) {
	var t Template
	for rest := text; rest != ""; {
		open := strings.IndexAny(rest, "{}")
		if open < 0 {
			open = len(rest)
		}
		if open > 0 {
			t.Parts = append(t.Parts, TemplatePart{Text: rest[:open]})
		}
		if rest = rest[open:]; rest == "" {
			break
		}
		inside, after, ok := strings.Cut(rest[1:], "}")
		if rest[0] == '}' || !ok {
			return Template{}, fmt.Errorf("%q has a brace without its other half", text)
		}
		e, err := ParseExpr(inside)
		if err != nil {
			return Template{}, err
		}
		t.Parts = append(t.Parts, TemplatePart{Expr: e})
		rest = after
	}
	return t, nil
}

// Expand is the text of a call; false when the call lacks one of the values.
func (t Template) Expand(of Lookup) (string, bool) {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Expr.IsZero() {
			b.WriteString(p.Text)
			continue
		}
		v, ok := of.Lookup(p.Expr)
		if !ok {
			return "", false
		}
		b.WriteString(v.Plain())
	}
	return b.String(), true
}
