package lower

import (
	"errors"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/check"
)

func (p *schemaReader) repair(n *load.Node, code, format string, args ...any) *diag.Diagnostic {
	return p.l.repairf(n, code, "%s: "+format, append([]any{p.what()}, args...)...)
}

// text reads a keyword whose value is a string.
func (p *schemaReader) text(m load.Member) (string, bool) {
	if s, ok := m.Value.Str(); ok {
		return s, true
	}
	s, ok := m.Value.Written()
	if !ok || m.Value.Kind == load.Null {
		p.repair(m.Value, "wrong-type", "%s must be a string, got %s: ignored", m.Key, nodeKind(m.Value))
		return "", false
	}
	p.repair(m.Value, "wrong-type", "%s must be a string, got the %s %s: taken as text", m.Key, m.Value.KindName(), clip(s))
	return s, true
}

// nodeKind is the kind of a value with its article.
func nodeKind(n *load.Node) string {
	switch {
	case n.Is(load.Null):
		return "null"
	case n.Is(load.Array), n == nil:
		return "a list"
	default:
		return "a " + n.KindName()
	}
}

// flag reads a keyword whose value is a boolean.
func (p *schemaReader) flag(m load.Member) bool {
	if b, ok := m.Value.Bool(); ok {
		return b
	}
	s, ok := m.Value.Written()
	if ok && (strings.EqualFold(s, "true") || strings.EqualFold(s, "false")) {
		p.repair(m.Value, "wrong-type", "%s must be a boolean, got the string %q: taken as that boolean", m.Key, s)
		return strings.EqualFold(s, "true")
	}
	p.repair(m.Value, "wrong-type", "%s must be a boolean, got %s: taken as false", m.Key, nodeKind(m.Value))
	return false
}

// number reads a keyword whose value is a number, as JSON text.
func (p *schemaReader) number(m load.Member) (string, bool) {
	if s, ok := m.Value.Num(); ok {
		return s, true
	}
	if s, ok := m.Value.Str(); ok && isNumber(s) {
		p.repair(m.Value, "wrong-type", "%s must be a number, got the string %q: taken as that number", m.Key, s)
		return s, true
	}
	p.repair(m.Value, "wrong-type", "%s must be a number, got %s: ignored", m.Key, nodeKind(m.Value))
	return "", false
}

func (p *schemaReader) readFlag(m load.Member) {
	v := p.flag(m)
	switch m.Key {
	case "deprecated":
		p.kw.doc.Deprecated = v
	case "readOnly":
		p.kw.readOnly = v
	case "writeOnly":
		p.kw.writeOnly = v
	}
}

func (p *schemaReader) readProse(m load.Member) {
	if m.Value.Kind == load.Null {
		return
	}
	if m.Key == "externalDocs" {
		p.kw.doc.ExternalURL, _ = m.Value.Get("url").Str()
		return
	}
	s, ok := p.text(m)
	if !ok {
		return
	}
	if m.Key == "title" {
		p.kw.doc.Title = s
	} else {
		p.kw.doc.Description = s
	}
}

func (p *schemaReader) readDefault(m load.Member) { p.kw.fallback = m.Value }

func (p *schemaReader) readConst(m load.Member) { p.kw.constant = m.Value }

func (p *schemaReader) readContent(m load.Member) {
	s, ok := p.text(m)
	if !ok {
		return
	}
	if m.Key == "contentEncoding" {
		p.kw.encoding = strings.ToLower(s)
	} else {
		p.kw.media = strings.ToLower(s)
	}
}

// readSize reads minLength and its kin: counts.
func (p *schemaReader) readSize(m load.Member) {
	s, ok := p.number(m)
	if !ok {
		return
	}
	n, ok := smallInt(s)
	if !ok {
		p.repair(m.Value, "bad-size", "%s must be an integer from 0 up, got %s: ignored", m.Key, clip(s))
		return
	}
	c := &p.kw.checks
	switch m.Key {
	case "minLength":
		c.MinLength = &n
	case "maxLength":
		c.MaxLength = &n
	case "minItems":
		c.MinItems = &n
	case "maxItems":
		c.MaxItems = &n
	case "minProperties":
		c.MinProperties = &n
	case "maxProperties":
		c.MaxProperties = &n
	}
}

func (p *schemaReader) readUnique(m load.Member) { p.kw.checks.UniqueItems = p.flag(m) }

func (p *schemaReader) readMultipleOf(m load.Member) {
	s, ok := p.number(m)
	if !ok {
		return
	}
	if d, ok := parseDecimal(s); !ok || d.sign() <= 0 {
		p.repair(m.Value, "bad-size", "multipleOf must be above 0, got %s: ignored", clip(s))
		return
	}
	p.kw.checks.MultipleOf = s
}

func (p *schemaReader) finishBounds() {
	c := &p.kw.checks
	c.Minimum, c.ExclusiveMinimum = p.bound("minimum", "exclusiveMinimum", 1)
	c.Maximum, c.ExclusiveMaximum = p.bound("maximum", "exclusiveMaximum", -1)
	p.checkOrder()
}

// bound makes one bound of the two keywords that can state it. tighter is 1 when the
// larger of two bounds is the tighter one.
func (p *schemaReader) bound(key, exclusiveKey string, tighter int) (limit string, exclusive bool) {
	if m, ok := p.n.Member(key); ok {
		limit, _ = p.number(m)
	}
	m, ok := p.n.Member(exclusiveKey)
	if !ok {
		return limit, false
	}
	old := p.l.doc.Version < load.V31
	if m.Value.Kind == load.Bool || m.Value.Is(load.String) && !isNumber(m.Value.Text) {
		if !old {
			p.repair(m.Value, "exclusive-bound", "%s must be a number from OpenAPI 3.1 on, got %s: taken as in 3.0, a flag of %s",
				exclusiveKey, nodeKind(m.Value), key)
		}
		return limit, p.flag(m) && limit != ""
	}
	other, ok := p.number(m)
	if !ok {
		return limit, false
	}
	if old {
		p.repair(m.Value, "exclusive-bound", "%s must be boolean in 3.0, got %s: taken as in 3.1, the bound itself",
			exclusiveKey, clip(other))
	}
	if limit == "" || compareNumbers(other, limit)*tighter >= 0 {
		return other, true
	}
	return limit, false
}

// checkOrder reports bounds that no value satisfies. They are dropped: a schema that
// refuses everything is never what was meant.
func (p *schemaReader) checkOrder() {
	c := &p.kw.checks
	if c.Minimum != "" && c.Maximum != "" {
		order := compareNumbers(c.Minimum, c.Maximum)
		if order > 0 || order == 0 && (c.ExclusiveMinimum || c.ExclusiveMaximum) {
			p.repair(p.n, "bounds-cross", "no number is between minimum %s and maximum %s: bounds ignored", clip(c.Minimum), clip(c.Maximum))
			c.Minimum, c.Maximum, c.ExclusiveMinimum, c.ExclusiveMaximum = "", "", false, false
		}
	}
	p.sizeOrder("Length", &c.MinLength, &c.MaxLength)
	p.sizeOrder("Items", &c.MinItems, &c.MaxItems)
	p.sizeOrder("Properties", &c.MinProperties, &c.MaxProperties)
}

func (p *schemaReader) sizeOrder(what string, low, high **int64) {
	if *low != nil && *high != nil && **low > **high {
		p.repair(p.n, "bounds-cross", "min%s %d is above max%s %d: both ignored", what, **low, what, **high)
		*low, *high = nil, nil
	}
}

// readPattern checks a pattern where it can be shown, not when the generated code
// first runs.
func (p *schemaReader) readPattern(m load.Member) {
	s, ok := p.text(m)
	if ok && p.usablePattern(s, m.Value) {
		p.kw.checks.Pattern = []string{s}
	}
}

func (p *schemaReader) usablePattern(pattern string, at *load.Node) bool {
	compiled, err := check.Compile(pattern)
	if err == nil {
		for _, note := range compiled.Notes() {
			p.l.list.Warn(at.Pos(), "pattern-foreign", at.Pointer(), "%s: pattern %q is not of ECMA-262: %s (character %d)",
				p.what(), clip(pattern), note.Message, runes(pattern, note.Offset)+1)
		}
		return true
	}
	fault, ok := errors.AsType[*check.PatternError](err)
	switch {
	case ok && fault.Unsupported:
		p.l.list.Warn(at.Pos(), "pattern-unsupported", at.Pointer(),
			"%s: pattern %q is not checked: %s (character %d)", p.what(), clip(pattern), fault.Message, runes(pattern, fault.Offset)+1).
			Hintf("patterns are regular expressions of ECMA-262, with its u flag")
	case ok:
		p.l.list.Error(at.Pos(), "pattern-broken", at.Pointer(),
			"%s: pattern %q is broken at character %d: %s", p.what(), clip(pattern), runes(pattern, fault.Offset)+1, fault.Message)
	default:
		p.l.list.Error(at.Pos(), "pattern-broken", at.Pointer(), "%s: pattern %q is broken: %v", p.what(), clip(pattern), err)
	}
	return false
}

// runes is the number of characters in the first n bytes of s.
func runes(s string, n int) int { return len([]rune(s[:min(n, len(s))])) }

// checksEmpty reports whether c says nothing.
func checksEmpty(c *ir.Checks) bool {
	return c.Minimum == "" && c.Maximum == "" && c.MultipleOf == "" && c.MinLength == nil && c.MaxLength == nil &&
		len(c.Pattern) == 0 && c.Format == "" && c.MinItems == nil && c.MaxItems == nil && !c.UniqueItems &&
		c.MinProperties == nil && c.MaxProperties == nil && len(c.Rules) == 0
}

// boundsEmpty reports whether c says nothing that depends on the type of a value.
func boundsEmpty(c *ir.Checks) bool {
	bounds := *c
	bounds.Rules = nil
	return checksEmpty(&bounds)
}
