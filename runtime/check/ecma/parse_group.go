package ecma

import (
	"slices"
	"strings"
	"unicode"
)

// group reads a group from its "(". It returns nil for (?i), which is no atom.
func (p *parser) group(depth int) (*node, error) {
	start := p.pos
	if depth == maxGroups {
		return nil, p.unsupported(start, "groups are nested too deeply")
	}
	p.pos++
	n := &node{kind: kindEmpty}
	held := p.flags
	switch {
	case !p.take("?"):
		n = p.capture()
	case p.take(":"):
	case p.take("="):
		n.kind = kindLook
	case p.take("!"):
		n.kind, n.negated = kindLook, true
	case p.take("<="):
		n.kind, n.behind = kindLook, true
	case p.take("<!"):
		n.kind, n.behind, n.negated = kindLook, true, true
	case p.peek(0) == '<', p.peek(0) == 'P' && p.peek(1) == '<':
		if p.take("P") {
			p.note(start, "(?P<name>…) is read as (?<name>…)")
		}
		p.pos++
		name, err := p.groupName(start)
		if err != nil {
			return nil, err
		}
		n = p.capture()
		if err := p.declare(name, n.capture, start); err != nil {
			return nil, err
		}
	default:
		alone, err := p.modifiers(start)
		if err != nil || alone {
			return nil, err // the modifiers hold up to the end of the group around them
		}
	}
	sub, err := p.disjunction(depth + 1)
	if err != nil {
		return nil, err
	}
	p.flags = held
	if !p.take(")") {
		return nil, p.fail(start, "unclosed group")
	}
	if n.kind == kindEmpty {
		return sub, nil
	}
	n.subs = []*node{sub}
	return n, nil
}

func (p *parser) capture() *node {
	p.opened++
	return &node{kind: kindCapture, capture: p.opened}
}

// declare gives a capture its name. Two may share one only when they are in
// different alternatives.
func (p *parser) declare(name string, capture, offset int) error {
	for _, other := range p.names[name] {
		if bothTakePart(other.choices, p.choices) {
			return p.fail(offset, "two groups have the same name")
		}
	}
	p.names[name] = append(p.names[name], named{capture, slices.Clone(p.choices)})
	return nil
}

// groupName reads a name and its ">".
func (p *parser) groupName(start int) (string, error) {
	var name strings.Builder
	for !p.take(">") {
		if p.pos >= len(p.src) {
			return "", p.fail(start, "the name of the group is broken")
		}
		r := p.rune()
		if r == '\\' {
			at := p.pos
			if !p.take("u") {
				return "", p.fail(start, "the name of the group is broken")
			}
			var ok bool
			if r, ok = p.codePoint(); !ok {
				return "", p.fail(at-1, `\u needs four hexadecimal digits`)
			}
		}
		if !isNameStart(r) && (name.Len() == 0 || !isNamePart(r)) {
			return "", p.fail(start, "the name of the group is broken")
		}
		name.WriteRune(r)
	}
	if name.Len() == 0 {
		return "", p.fail(start, "the name of the group is broken")
	}
	return name.String(), nil
}

func isNameStart(r rune) bool {
	return r == '$' || r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start)
}

func isNamePart(r rune) bool {
	return isNameStart(r) || r == 0x200c || r == 0x200d ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

// modifiers reads what follows "(?" in (?i-s:…) up to the colon, or the whole of
// (?i), which is not of ECMA-262 and whose meaning is never in doubt.
func (p *parser) modifiers(start int) (alone bool, err error) {
	f, on := p.flags, true
	seen := ""
	for {
		c := p.peek(0)
		p.pos = min(p.pos+1, len(p.src))
		switch c {
		case 'i', 'm', 's':
			if strings.IndexByte(seen, c) >= 0 {
				return false, p.fail(start, "a modifier of the group is there twice")
			}
			seen += string(c)
			switch c {
			case 'i':
				f.fold = on
			case 'm':
				f.lines = on
			case 's':
				f.newline = on
			}
		case '-':
			if !on {
				return false, p.fail(start, "unknown kind of group")
			}
			on = false
		case ':', ')':
			if seen == "" {
				return false, p.fail(start, "unknown kind of group")
			}
			p.flags = f
			if c == ')' {
				p.note(start, "(?"+seen+") holds up to the end of the group that it stands in")
			}
			return c == ')', nil
		default:
			return false, p.fail(start, "unknown kind of group")
		}
	}
}
