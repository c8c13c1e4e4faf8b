package importer

import (
	"regexp"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// quotedName writes a name in a JSONPath.
func quotedName(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch r {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if r < 0x20 {
				b.WriteString(`\u00` + string("0123456789abcdef"[r>>4]) + string("0123456789abcdef"[r&15]))
				continue
			}
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// One step of a JSONPath that names one place. The last element is written in
// several ways by people: [-1], [(@.length-1)], [-1:].
var (
	dotName    = regexp.MustCompile(`^\.([A-Za-z_\x{80}-\x{10ffff}][\w\x{80}-\x{10ffff}-]*)`)
	quotedStep = regexp.MustCompile(`^\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]`)
	indexStep  = regexp.MustCompile(`^\[\s*(\d{1,6})\s*\]`)
	lastStep   = regexp.MustCompile(`^\[\s*(?:-1:?|\(\s*@\.length\s*-\s*1\s*\)|@\.length\s*-\s*1)\s*\]`)
)

// bodyOf turns a JSONPath of the body into an expression of the language; the
// whole body is "$". It is false for paths that select more than one place.
func bodyOf(side, path string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(path), "$")
	if !ok {
		return "", false
	}
	var pointer strings.Builder
	for rest != "" {
		var token, match string
		switch {
		case dotName.MatchString(rest):
			m := dotName.FindStringSubmatch(rest)
			match, token = m[0], m[1]
		case quotedStep.MatchString(rest):
			m := quotedStep.FindStringSubmatch(rest)
			match, token = m[0], m[1]+m[2]
			if strings.Contains(token, `\`) {
				return "", false
			}
		case indexStep.MatchString(rest):
			m := indexStep.FindStringSubmatch(rest)
			match, token = m[0], m[1]
		case lastStep.MatchString(rest):
			match, token = lastStep.FindString(rest), "-1"
		default:
			return "", false
		}
		pointer.WriteString("/" + load.EscapeToken(token))
		rest = rest[len(match):]
	}
	if pointer.Len() == 0 {
		return side + ".body", true
	}
	return side + ".body#" + pointer.String(), true
}

// parameter is the expression of the parameter of that name, and whether there is
// one. Parameters of the operation come before those of its path.
func (w *work) parameter(o *operation, name string) (string, bool) {
	for _, list := range []*load.Node{o.node.Get("parameters"), o.item.Get("parameters")} {
		for _, p := range items(list) {
			p = w.followed(p)
			if text, _ := p.Get("name").Str(); text != name {
				continue
			}
			switch in, _ := p.Get("in").Str(); in {
			case "query", "path", "header":
				return "$request." + in + "." + name, true
			}
		}
	}
	return "", false
}

// followed is what a chain of references leads to. References that lead nowhere
// are the generator's to report.
func (w *work) followed(n *load.Node) *load.Node {
	for range 16 {
		ref, ok := n.Get("$ref").Str()
		if !ok {
			break
		}
		n = w.doc.Resolve(n.Get("$ref"), ref, nil)
	}
	return n
}
