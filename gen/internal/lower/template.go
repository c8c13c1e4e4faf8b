package lower

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// template is a path key taken apart.
type template struct {
	path     string // before ? and #, as written
	parts    []ir.PathPart
	query    string      // the fixed part of what follows ?
	expanded []queryPair // parameters written into the query: ?a={b}, {?a,b}
	fragment string      // after #
}

// queryPair is a parameter in the query of a path key.
type queryPair struct {
	key  string // on the wire
	name string // between the braces
}

// templateFault says what is wrong with a path key and where: the offset counts
// runes from its beginning.
type templateFault struct {
	offset int
	text   string
}

// parseTemplate takes a path key apart. Parameters are what stands between
// braces, wherever in a segment: /jobs/{id}:apply, /reports/{name}.{ext}. A key
// may end in a fixed query or a fragment, a habit of some documents whose
// operations share one path. Text is percent-decoded.
func parseTemplate(key string) (template, *templateFault) {
	t := template{path: key}
	if cut := outside(t.path, '#'); cut >= 0 {
		t.path, t.fragment = t.path[:cut], t.path[cut+1:]
	}
	if cut := outside(t.path, '?'); cut >= 0 {
		t.splitQuery(t.path[cut+1:])
		t.path = t.path[:cut]
	}
	if cut := strings.Index(t.path, "{?"); cut >= 0 && strings.HasSuffix(t.path, "}") {
		for name := range strings.SplitSeq(t.path[cut+2:len(t.path)-1], ",") {
			t.expanded = append(t.expanded, queryPair{name, name})
		}
		t.path = t.path[:cut]
	}
	for rest := t.path; rest != ""; {
		open := strings.IndexAny(rest, "{}")
		at := utf8.RuneCountInString(t.path[:len(t.path)-len(rest)+max(open, 0)])
		switch {
		case open < 0:
			t.literal(rest)
			return t, nil
		case rest[open] == '}':
			return t, &templateFault{at, "a } without a {"}
		}
		end := strings.IndexAny(rest[open+1:], "{}/")
		if end < 0 || rest[open+1+end] != '}' {
			return t, &templateFault{at, "the { is never closed"}
		}
		name := rest[open+1 : open+1+end]
		if name == "" {
			return t, &templateFault{at, "a parameter needs a name between { and }"}
		}
		t.literal(rest[:open])
		t.parts = append(t.parts, ir.PathPart{Param: name})
		rest = rest[open+1+end+1:]
	}
	return t, nil
}

// splitQuery tells the fixed pairs of a query from those with a parameter.
func (t *template) splitQuery(query string) {
	var fixed []string
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") && len(value) > 2 {
			t.expanded = append(t.expanded, queryPair{key, value[1 : len(value)-1]})
			continue
		}
		if pair != "" {
			fixed = append(fixed, pair)
		}
	}
	t.query = strings.Join(fixed, "&")
}

// outside returns the index of the first c that is not between braces, or -1.
func outside(s string, c byte) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth = max(depth-1, 0)
		case c:
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// literal adds text. A % that begins no escape stands for itself.
func (t *template) literal(s string) {
	if s == "" {
		return
	}
	if text, err := url.PathUnescape(s); err == nil {
		s = text
	}
	t.parts = append(t.parts, ir.PathPart{Literal: s})
}

// shape is the template without the names of its parameters: two keys of one
// shape match the same requests.
func (t template) shape() string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.Param != "" {
			b.WriteString("{}")
			continue
		}
		// An escaped brace is a brace, not a parameter.
		b.WriteString(strings.NewReplacer("{", "%7B", "}", "%7D").Replace(p.Literal))
	}
	if t.query != "" {
		b.WriteString("?" + t.query)
	}
	return b.String()
}

// names are the parameters in their order, each once.
func (t template) names() []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range t.parts {
		if p.Param != "" && !seen[p.Param] {
			seen[p.Param] = true
			out = append(out, p.Param)
		}
	}
	return out
}

// words name an operation after its path: "books", "by", "book-id", "pages". A
// path that ends in a slash is another path than the one without it, and has
// another name.
func (t template) words() []string {
	var out []string
	for _, p := range t.parts {
		if p.Param != "" {
			out = append(out, "by", p.Param)
			continue
		}
		for word := range strings.SplitSeq(p.Literal, "/") {
			if word = strings.Trim(word, ".:-_~;,= "); word != "" {
				out = append(out, word)
			}
		}
	}
	switch {
	case len(out) == 0:
		out = append(out, "root")
	case strings.HasSuffix(t.path, "/"):
		out = append(out, "slash")
	}
	for _, more := range []string{t.query, t.fragment} {
		if more != "" {
			out = append(out, more)
		}
	}
	return out
}

// bareName is a template parameter without the modifiers that frameworks write
// into the braces: {proxy+}, {path*}, {+path}, {id?}, {id:[0-9]+}, {name=a/*},
// {rest...}.
func bareName(name string) string {
	name = strings.TrimLeft(name, "+#/.;?&*")
	if cut := strings.IndexAny(name, ":="); cut > 0 {
		name = name[:cut]
	}
	return strings.TrimRight(name, "+*?.")
}
