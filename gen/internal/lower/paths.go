package lower

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// methods are the fixed fields of a path item that hold operations.
var methods = map[string]string{
	"get": "GET", "put": "PUT", "post": "POST", "delete": "DELETE", "options": "OPTIONS",
	"head": "HEAD", "patch": "PATCH", "trace": "TRACE", "query": "QUERY",
}

// pathItem is one entry of paths, webhooks or a callback.
type pathItem struct {
	key      string       // path, webhook name or expression
	pos      diag.Pos     // of the key
	pointer  string       // "#/paths/~1pets"
	nodes    []*load.Node // the item itself, then those that it refers to
	template template     // of paths
	broken   bool         // the template is no path: what stands below is read for its faults alone
	words    []string     // for the names of types written in it
	servers  []*ir.Server
	params   []*parameter
}

// sources are the nodes, weakest first.
func (p *pathItem) sources() []*load.Node {
	out := slices.Clone(p.nodes)
	slices.Reverse(out)
	return out
}

// method is one operation of a path item before it is lowered.
type method struct {
	name    string // as sent
	key     load.Member
	pointer string
}

// paths lowers every operation of paths.
func (l *lowerer) paths(root *load.Node) {
	paths := l.object(root, "paths", "the document")
	if paths == nil {
		return
	}
	var routes routes
	items := map[*ir.Operation]*pathItem{}
	for _, m := range paths.Members {
		if strings.HasPrefix(m.Key, "x-") {
			continue
		}
		item := l.newPathItem(m, "#/paths/")
		if item == nil {
			continue
		}
		item.broken = !l.pathTemplate(item, m)
		found := l.methods(item)
		if !item.broken {
			routes.add(l, item, found)
		}
		item.servers = l.pathServers(item)
		item.params = l.pathParameters(item)
		for _, meth := range found {
			if op := l.pathOperation(item, meth); op != nil && !item.broken {
				l.api.Operations = append(l.api.Operations, op)
				items[op] = item
			}
		}
		if !item.broken {
			l.unusedPathParameters(item, found)
		}
	}
	l.fragments(items)
}

// maxPathItemRefs bounds the path items that one path is made of: all of them are
// read again for each path that leads to them.
const maxPathItemRefs = 100

// newPathItem reads a path item and those that it refers to.
func (l *lowerer) newPathItem(m load.Member, prefix string) *pathItem {
	item := &pathItem{key: m.Key, pos: m.Pos(), pointer: prefix + load.EscapeToken(m.Key)}
	for at := m.Value; at != nil; {
		if !l.checkPathItem(at, m.Key) {
			return nil
		}
		if slices.Contains(item.nodes, at) {
			l.errorf(at.Get("$ref"), "ref-cycle", "path item %s refers to itself", m.Key)
			return nil
		}
		if item.nodes = append(item.nodes, at); len(item.nodes) > maxPathItemRefs {
			l.errorf(at.Get("$ref"), "ref-cycle", "path item %s: more than %d references lead on from one to the next", m.Key, maxPathItemRefs)
			return nil
		}
		ref := at.Get("$ref")
		if ref == nil {
			break
		}
		if at = l.reference(ref, pathItemObject); at == nil {
			return nil
		}
	}
	return item
}

// checkPathItem checks the fields of a path item. A method in capitals is one
// that was meant.
func (l *lowerer) checkPathItem(n *load.Node, key string) bool {
	if !n.Is(load.Object) {
		l.wrongKind(n, "path item "+key, load.Object)
		return false
	}
	if l.checked[n] {
		return true
	}
	l.checked[n] = true
	fields := objectFields[pathItemObject]
	for _, m := range n.Members {
		if lower := strings.ToLower(m.Key); lower != m.Key && methods[lower] != "" {
			l.list.Repair(m.Pos(), "method-case", m.Value.Pointer(), "%s: method %q: taken as %q", key, m.Key, lower)
			fields = append(slices.Clip(fields), field{name: m.Key})
		}
	}
	l.unknownFields(n, key, fields, nil)
	return true
}

// maxPathParts bounds the parameters and texts of one path.
const maxPathParts = 1000

// pathTemplate parses the key of a path.
func (l *lowerer) pathTemplate(item *pathItem, m load.Member) bool {
	key := m.Key
	if !strings.HasPrefix(key, "/") {
		l.list.Repair(m.Pos(), "path-slash", m.Value.Pointer(), "path %q must begin with a slash: taken as %q", key, "/"+key)
		key = "/" + key
	}
	t, fault := parseTemplate(key)
	if fault != nil {
		pos := keyColumn(m, fault.offset-utf8.RuneCountInString(key)+utf8.RuneCountInString(m.Key))
		l.list.Error(pos, "path-template", m.Value.Pointer(), "path %q: %s", m.Key, fault.text)
		item.template, item.words = template{path: key}, t.words()
		return false
	}
	if len(t.parts) > maxPathParts {
		l.list.Error(m.Pos(), "path-template", m.Value.Pointer(), "a path of more than %d parts", maxPathParts)
		item.template = template{path: key}
		return false
	}
	for i := 1; i < len(t.parts); i++ {
		if t.parts[i].Param != "" && t.parts[i-1].Param != "" {
			l.list.Warn(m.Pos(), "path-template", m.Value.Pointer(),
				"path %q: nothing separates {%s} from {%s}: a server gives the first all but one character",
				m.Key, t.parts[i-1].Param, t.parts[i].Param)
		}
	}
	item.template, item.words = t, t.words()
	return true
}

// maxColumn is the column up to which a place within a key is looked for.
const maxColumn = 2000

// keyColumn is the position of the rune at offset within a key, so far as the key
// stands in the source as it reads: escapes and folded lines leave the position of
// the key itself.
func keyColumn(m load.Member, offset int) diag.Pos {
	pos := m.Pos()
	if m.Value == nil || m.Value.File == nil || offset < 0 {
		return pos
	}
	lines := m.Value.File.Lines()
	// A document on one line would be walked through once for each fault.
	if pos.Line < 1 || pos.Line > len(lines) || pos.Col < 1 || pos.Col > maxColumn {
		return pos
	}
	text := lines[pos.Line-1]
	for range pos.Col - 1 {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	quote := 0
	if strings.HasPrefix(text, "'") || strings.HasPrefix(text, `"`) {
		quote, text = 1, text[1:]
	}
	if strings.HasPrefix(text, m.Key) {
		pos.Col += quote + offset
	}
	return pos
}

// methods lists the operations of a path item in document order, those of the
// item itself before those of an item that it refers to.
func (l *lowerer) methods(item *pathItem) []method {
	var out []method
	add := func(m method) {
		same := func(have method) bool { return have.name == m.name }
		if i := slices.IndexFunc(out, same); i >= 0 {
			l.list.Repair(m.key.Pos(), "method-duplicate", m.key.Value.Pointer(),
				"%s: %s is declared twice: the first is used", item.key, m.name).
				At(out[i].key.Pos(), "first declared here")
			return
		}
		out = append(out, m)
	}
	for _, n := range item.nodes {
		for _, m := range n.Members {
			if name := methods[strings.ToLower(m.Key)]; name != "" {
				add(method{name: name, key: m, pointer: item.pointer + "/" + m.Key})
			}
			if m.Key == "additionalOperations" {
				for _, more := range l.additional(item, n) {
					add(more)
				}
			}
		}
	}
	return out
}

// additional reads additionalOperations, the operations of other methods. A
// method that is not a token of HTTP cannot be sent.
func (l *lowerer) additional(item *pathItem, n *load.Node) []method {
	ops := l.object(n, "additionalOperations", item.key)
	if ops == nil {
		return nil
	}
	var out []method
	for _, m := range ops.Members {
		if strings.HasPrefix(m.Key, "x-") {
			continue
		}
		if !isToken(m.Key) {
			l.list.Error(m.Pos(), "method-name", m.Value.Pointer(), "%s: additionalOperations: %q is not a method of HTTP", item.key, m.Key)
			continue
		}
		name := m.Key
		if fixed := methods[strings.ToLower(m.Key)]; fixed == m.Key {
			l.list.Repair(m.Pos(), "method-name", m.Value.Pointer(),
				"%s: additionalOperations: %s has a field of its own, %q: read as there", item.key, m.Key, strings.ToLower(m.Key))
		}
		out = append(out, method{name: name, key: m, pointer: item.pointer + "/additionalOperations/" + load.EscapeToken(m.Key)})
	}
	return out
}

// isToken reports whether s is a token of RFC 9110, as methods are.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// pathServers are the servers of the path item, its own before referred ones.
func (l *lowerer) pathServers(item *pathItem) []*ir.Server {
	for _, n := range item.nodes {
		if servers := l.servers(n, item.key); len(servers) > 0 {
			return servers
		}
	}
	return nil
}
