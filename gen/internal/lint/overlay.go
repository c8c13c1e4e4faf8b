package lint

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// Overlay is an OpenAPI Overlay 1.1 that mends what can be mended, with an action for
// each place; title is that of the document. It is nil when nothing can be.
func (r *Report) Overlay(title string) []byte {
	actions := r.actions()
	if len(actions) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("# Mends what 'holdfast lint' has found. Look through it before you use it:\n# each action says which rules it is for.\n")
	b.WriteString("overlay: 1.1.0\ninfo:\n  title: " + quoted("Resilience fixes for "+title) + "\n  version: 1.0.0\nactions:\n")
	for _, a := range actions {
		b.WriteString("  - target: " + quoted(jsonPath(a.target)) + "\n")
		b.WriteString("    description: " + quoted(strings.Join(a.rules, ", ")) + "\n    update:\n")
		tree := &branch{}
		at := []string{load.Annotation}
		if a.target == nil {
			tree.set([]string{load.Annotation, "version"}, 1)
			at = append(at, "defaults")
		}
		for _, p := range a.patches {
			path := slices.Clone(at)
			switch p.side {
			case client:
				path = append(path, "client")
			case server:
				path = append(path, "server")
			case both:
			}
			for name := range strings.SplitSeq(p.path, ".") {
				path = append(path, strings.ReplaceAll(name, dot, "."))
			}
			tree.set(path, p.value)
		}
		tree.write(&b, "      ")
	}
	return b.Bytes()
}

// action is what an overlay does at one place.
type action struct {
	target  *load.Node
	rules   []string
	patches []patch
}

// actions puts the patches of a place together, in the order of the findings. Of two
// about one setting, or of one about a part of the other, the first stays: findings
// that remain are found again by the next run.
func (r *Report) actions() []*action {
	var out []*action
	index := map[*load.Node]*action{}
	for _, f := range r.Findings {
		for _, p := range f.patches {
			a := index[p.target]
			if a == nil {
				a = &action{target: p.target}
				index[p.target] = a
				out = append(out, a)
			}
			if slices.ContainsFunc(a.patches, func(have patch) bool { return clashes(have, p) }) {
				continue
			}
			a.patches = append(a.patches, p)
			if !slices.Contains(a.rules, p.rule) {
				a.rules = append(a.rules, p.rule)
			}
		}
	}
	return out
}

func clashes(a, b patch) bool {
	if a.side != b.side {
		return false
	}
	return a.path == b.path || strings.HasPrefix(a.path, b.path+".") || strings.HasPrefix(b.path, a.path+".")
}

// jsonPath is the normalized path of RFC 9535 to a node, the root's for nil.
func jsonPath(n *load.Node) string {
	if n == nil {
		return "$"
	}
	var parts []string
	for ; n != nil && n.Parent != nil; n = n.Parent {
		if m, ok := n.Key(); ok {
			parts = append(parts, "["+singleQuoted(m.Key)+"]")
			continue
		}
		parts = append(parts, "["+strconv.Itoa(slices.Index(n.Parent.Items, n))+"]")
	}
	slices.Reverse(parts)
	return "$" + strings.Join(parts, "")
}

// singleQuoted is a name in the quotes of a normalized path.
func singleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < 0x20:
			const digits = "0123456789abcdef"
			b.WriteString(`\u00` + string(digits[r>>4]) + string(digits[r&15]))
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}

// quoted is text as a double-quoted scalar, which JSON and YAML write alike.
func quoted(s string) string {
	data, err := json.Marshal(strings.ToValidUTF8(s, "\ufffd"))
	if err != nil {
		return `""` // no string fails
	}
	return string(data)
}

// branch is a mapping of the overlay, in the order in which it was written.
type branch struct {
	keys   []string
	values []any // a *branch or a scalar
}

// set puts a value at the last of the names, each within the one before.
func (b *branch) set(path []string, v any) {
	for n, name := range path {
		i := slices.Index(b.keys, name)
		if i < 0 {
			i = len(b.keys)
			b.keys, b.values = append(b.keys, name), append(b.values, nil)
		}
		if n == len(path)-1 {
			b.values[i] = v
			return
		}
		sub, ok := b.values[i].(*branch)
		if !ok {
			sub = &branch{}
			b.values[i] = sub
		}
		b = sub
	}
}

func (b *branch) write(to *bytes.Buffer, indent string) {
	for i, k := range b.keys {
		to.WriteString(indent + yamlKey(k) + ":")
		switch v := b.values[i].(type) {
		case *branch:
			to.WriteByte('\n')
			v.write(to, indent+"  ")
		default:
			to.WriteString(" " + yamlValue(v) + "\n")
		}
	}
}

// yamlKey leaves the words of the language without quotes.
func yamlKey(k string) string {
	plain := k != "" && !strings.ContainsFunc(k, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-')
	}) && (k[0] >= 'a' && k[0] <= 'z' || k[0] >= 'A' && k[0] <= 'Z')
	if plain && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(k)) {
		return k
	}
	return quoted(k)
}

func yamlValue(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = yamlValue(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		if _, err := strconv.Atoi(v); err == nil {
			return v // a status
		}
		return quoted(v)
	}
	return "null"
}
