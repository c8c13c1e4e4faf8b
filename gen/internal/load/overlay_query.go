package load

import (
	"errors"
	"fmt"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
)

// Bounds of a JSONPath. Filters are the only part that runs outside of our own
// walk, which counts its steps; so what can multiply work in a filter is bounded
// beforehand.
const (
	maxQuery    = 16 << 10 // bytes
	maxParens   = 500
	maxFactors  = 8          // wildcards, slices, unions, descents and filters within a filter
	maxSteps    = 40_000_000 // nodes looked at by one query
	maxMatches  = 200_000    // nodes selected by one query
	maxFiltered = 4_000_000  // values that one query's filters are asked about
)

// query is a parsed JSONPath (RFC 9535).
type query struct {
	text     string
	segments []*spec.Segment
	rooted   bool // a filter mentions the root
}

// query parses the JSONPath that the string n holds, nil when it is none.
func (r *overlayReader) query(n *Node) *query {
	if !strings.HasPrefix(n.Text, "$") {
		d := r.list.Error(n.Pos(), "overlay-path", n.Pointer(), "%q is no JSONPath: it must start with $", clip(n.Text))
		if strings.HasPrefix(n.Text, "/") || strings.HasPrefix(n.Text, "#/") {
			d.Hintf("a JSON pointer is written as %s", clip(fromPointer(n.Text)))
		}
		return nil
	}
	q, err := parseQuery(n.Text)
	if err != nil {
		if fixed, ok := bracketNames(n.Text); ok {
			if q, fixedErr := parseQuery(fixed); fixedErr == nil {
				r.list.Repair(n.Pos(), "overlay-path", n.Pointer(), "%q is no JSONPath: after a dot a name has letters, digits and _ only", clip(n.Text)).
					Hintf("write %s; read as that", clip(fixed))
				return q
			}
		}
		why := clip(strings.TrimPrefix(err.Error(), "jsonpath: "))
		if strings.HasPrefix(why, "unexpected eof") {
			why = "it ends before it is complete"
		}
		d := r.list.Error(n.Pos(), "overlay-path", n.Pointer(), "%q is no JSONPath: %s", clip(n.Text), why)
		if strings.HasPrefix(why, "unexpected '") {
			d.Hintf("names with other signs than letters, digits and _ need brackets and quotes: $.paths['/users'].get")
		}
		return nil
	}
	return q
}

func parseQuery(text string) (*query, error) {
	if len(text) > maxQuery {
		return nil, fmt.Errorf("it is longer than %d bytes", maxQuery)
	}
	if depth := strings.Count(text, "(") + strings.Count(text, "["); depth > maxParens {
		return nil, fmt.Errorf("it has more than %d brackets", maxParens) // the parser recurses
	}
	p, err := parsePath(text)
	if err != nil {
		return nil, err
	}
	q := &query{text: text, segments: p.Query().Segments()}
	for _, s := range q.segments {
		for _, sel := range s.Selectors() {
			f, ok := sel.(*spec.FilterSelector)
			if !ok {
				continue
			}
			filter := f.String()
			q.rooted = q.rooted || strings.Contains(unquoted(filter), "$")
			if factors(filter) > maxFactors {
				return nil, fmt.Errorf("the filter %s would take too long: it may hold %d of the signs * ? : , and .. together, and $ with names only", clip(filter), maxFactors)
			}
		}
	}
	return q, nil
}

// parsePath is the library's parser, which is fed with text from outside.
func parsePath(text string) (p *jsonpath.Path, err error) {
	defer func() {
		if recover() != nil {
			p, err = nil, errors.New("it cannot be read")
		}
	}()
	return jsonpath.Parse(text)
}

// factors counts what can multiply the work of a filter, given as the canonical
// text that the parser writes. A query from the root that does not name one node
// would visit the whole document for each candidate and counts as too much.
func factors(filter string) int {
	n := 0
	text := unquoted(strings.TrimPrefix(filter, "?"))
	for i := range len(text) {
		switch text[i] {
		case '*', '?', ':', ',':
			n++
		case '.':
			if strings.HasPrefix(text[i:], "..") {
				n++
			}
		case '$':
			if !singular(text[i+1:]) {
				return maxFactors + 1
			}
		}
	}
	return n
}

// unquoted replaces what stands in quotes by letters, so that signs there do not
// count.
func unquoted(s string) string {
	b := []byte(s)
	var quote byte
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0:
		case c == '\\' && i+1 < len(b):
			b[i], b[i+1] = 'x', 'x'
			i++
		case c == quote:
			quote = 0
		default:
			b[i] = 'x'
		}
	}
	return string(b)
}

// singular reports whether the rest of a query, without quoted text, selects one
// node at most.
func singular(rest string) bool {
	for strings.HasPrefix(rest, "[") {
		end := strings.IndexByte(rest, ']')
		if end < 0 || strings.ContainsAny(rest[1:end], "*?:,[") {
			return false
		}
		rest = rest[end+1:]
	}
	return !strings.HasPrefix(rest, "..")
}

// bracketNames puts names that follow a dot and hold hyphens, such as
// x-resilience, into brackets. Such paths are common in overlays, and in the
// examples of their specification. It is false when there are none.
func bracketNames(s string) (string, bool) {
	var b strings.Builder
	plain, found := unquoted(s), false
	for i := 0; i < len(s); {
		if plain[i] != '.' {
			b.WriteByte(s[i])
			i++
			continue
		}
		dots := 1
		if strings.HasPrefix(plain[i:], "..") {
			dots = 2
		}
		name := plain[i+dots:]
		name = name[:len(name)-len(strings.TrimLeft(name, nameSigns))]
		if strings.Contains(name, "-") && !strings.HasPrefix(name, "-") {
			found = true
			if dots == 2 {
				b.WriteString("..")
			}
			b.WriteString("['" + name + "']")
		} else {
			b.WriteString(s[i : i+dots+len(name)])
		}
		i += dots + len(name)
	}
	return b.String(), found
}

const nameSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// fromPointer writes a JSON pointer as a JSONPath.
func fromPointer(p string) string {
	var b strings.Builder
	b.WriteByte('$')
	for token := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(p, "#"), "/"), "/") {
		token = UnescapeToken(token)
		if _, ok := arrayIndex(token); ok {
			b.WriteString("[" + token + "]")
			continue
		}
		b.WriteString("['" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(token) + "']")
	}
	return b.String()
}
