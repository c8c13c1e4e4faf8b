package lower

import (
	"bytes"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// parameter is a lowered parameter with the place where it is listed.
type parameter struct {
	*ir.Param
	node *load.Node // the Parameter Object, after references
	pos  diag.Pos   // of the entry in the list
	used bool       // a path parameter whose name is in the template
}

// key is what makes a parameter unique. Header names have no case.
func (p *parameter) key() [2]string {
	if p.In == "header" {
		return [2]string{p.In, strings.ToLower(p.Name)}
	}
	return [2]string{p.In, p.Name}
}

// pathParameters are the parameters of a path item, its own over those of an item
// that it refers to.
func (l *lowerer) pathParameters(item *pathItem) []*parameter {
	var out []*parameter
	for _, n := range slices.Backward(item.nodes) {
		out = override(out, l.parameterEntries(n, item.key, item.words))
	}
	return out
}

// operationParameters are the parameters of the path item with the operation's
// own over them. Each operation has its own copies of the entries: a template
// binds them.
func (l *lowerer) operationParameters(s *scope) []*parameter {
	base := make([]*parameter, len(s.item.params))
	for i, p := range s.item.params {
		base[i] = &parameter{Param: p.Param, node: p.node, pos: p.pos}
	}
	return override(base, l.parameterEntries(s.node, s.where, s.place))
}

// override puts each of more in the place of the one of base that has its key, or
// at the end.
func override(base, more []*parameter) []*parameter {
	if len(more) == 0 {
		return base
	}
	at := make(map[[2]string]int, len(base)+len(more))
	for i, p := range base {
		at[p.key()] = i
	}
	for _, p := range more {
		if i, ok := at[p.key()]; ok {
			base[i] = p
			continue
		}
		at[p.key()] = len(base)
		base = append(base, p)
	}
	return base
}

// parameterEntries lowers the list parameters of n.
func (l *lowerer) parameterEntries(n *load.Node, what string, place []string) []*parameter {
	list := l.parameterNodes(n, what)
	var out []*parameter
	first := make(map[[2]string]*parameter, len(list))
	for _, entry := range list {
		p := l.parameterEntry(entry, what, place)
		if p == nil {
			continue
		}
		if same := first[p.key()]; same != nil {
			l.duplicateParameter(same, p, entry, what)
			continue
		}
		first[p.key()] = p
		out = append(out, p)
	}
	return out
}

// parameterNodes returns the entries of parameters. A mapping there comes from a
// writer who took the names of the parameters for keys.
func (l *lowerer) parameterNodes(n *load.Node, what string) []*load.Node {
	v := n.Get("parameters")
	if v.Is(load.Object) && !v.Has("$ref") {
		l.repairf(v, "wrong-type", "%s must be a list, got a mapping: its values are taken as the list", fieldOf(what, "parameters"))
		var out []*load.Node
		for _, m := range v.Members {
			out = append(out, m.Value)
		}
		return out
	}
	if list := l.array(n, "parameters", what); list != nil {
		return list.Items
	}
	return nil
}

func (l *lowerer) parameterEntry(entry *load.Node, what string, place []string) *parameter {
	ref := l.follow(entry, parameterObject)
	n := ref.node
	if n == nil {
		return nil
	}
	if !n.Is(load.Object) {
		l.wrongKind(n, fieldOf(what, "a parameter"), load.Object)
		return nil
	}
	if ref.component != "" {
		place = []string{ref.component, "Param"}
	}
	p := l.parameter(n, what, place, ref.component != "")
	if p == nil {
		return nil
	}
	if ref.description != "" {
		own := *p
		own.Doc.Description = ref.description
		p = &own
	}
	return &parameter{Param: p, node: n, pos: entry.Pos()}
}

// duplicateParameter reports a second parameter of one key in one list. The same
// one listed twice does no harm.
func (l *lowerer) duplicateParameter(first, second *parameter, entry *load.Node, what string) {
	if first.node == second.node || bytes.Equal(first.node.JSON(), second.node.JSON()) {
		l.repairf(entry, "param-duplicate", "%s: parameter %q in %s is listed twice: the first is used", what, second.Name, second.In).
			At(first.pos, "first listed here")
		return
	}
	l.errorf(entry, "param-duplicate", "%s: parameter (name %q, in %q) is declared twice", what, second.Name, second.In).
		Hintf("keep one of the two, or rename one").
		At(first.pos, "first declared here")
}

// ignoredHeaders are request headers that a parameter cannot describe: content
// and security do. The standard says that such parameters are to be ignored.
var ignoredHeaders = []string{"accept", "content-type", "authorization"}

// parameter lowers one Parameter Object, once for all its uses. nil: it is faulty
// or to be ignored.
func (l *lowerer) parameter(n *load.Node, what string, place []string, component bool) *ir.Param {
	if p, ok := l.params[n]; ok {
		return p
	}
	l.params[n] = nil
	name := l.text(n, "name", fieldOf(what, "parameter"))
	if name == "" {
		l.errorf(n, "param-name", "%s: a parameter needs a name", what)
		return nil
	}
	label := parameterLabel(what, name, component)
	l.checkFields(n, label, parameterObject)
	in := l.parameterIn(n, label)
	if in == "" {
		return nil
	}
	if in == "header" && slices.Contains(ignoredHeaders, strings.ToLower(name)) {
		l.notef(n, "param-ignored", "%s: OpenAPI ignores header parameters called %s; content types and security schemes say it", label, name)
		return nil
	}
	if in == "header" && !isToken(name) {
		l.repairf(n, "header-name", "%s: %q is no name of a header: ignored", label, name)
		return nil
	}
	if !component {
		place = append(slices.Clip(place), name)
	}
	p := &ir.Param{
		Name: name, In: in, Pos: n.Pos(), GoName: l.goName(n, label), Doc: l.docOf(n, label, target{}),
		Required: l.flag(n, "required", label, false),
	}
	if in == "path" && !p.Required {
		l.errorf(n, "param-required", "%s: path parameters need required: true", label)
	}
	l.parameterValue(p, n, label, place)
	l.params[n] = p
	return p
}

func parameterLabel(what, name string, component bool) string {
	if component {
		return "parameter \"" + name + "\""
	}
	return what + ": parameter \"" + name + "\""
}

// parameterIn reads the place of a parameter.
func (l *lowerer) parameterIn(n *load.Node, label string) string {
	in := l.text(n, "in", label)
	at := n
	if v := n.Get("in"); v != nil {
		at = v
	}
	known := []string{"query", "header", "path", "cookie"}
	if in == "querystring" {
		if l.doc.Version < load.V32 {
			l.repairf(at, "later-field", "%s: in querystring belongs to OpenAPI 3.2, the document is %s: read as there", label, l.doc.VersionText)
		}
		return in
	}
	if slices.Contains(known, in) {
		return in
	}
	if lower := strings.ToLower(in); slices.Contains(known, lower) {
		l.repairf(at, "param-in", "%s: in %q: taken as %q", label, in, lower)
		return lower
	}
	if l.doc.Version >= load.V32 {
		known = append(known, "querystring")
	}
	if !n.Has("in") {
		l.errorf(at, "param-in", "%s: in is missing (one of %s)", label, strings.Join(known, ", "))
		return ""
	}
	d := l.errorf(at, "param-in", "%s: in %q is not one of %s", label, in, strings.Join(known, ", "))
	switch near, ok := diag.Nearest(in, known); {
	case in == "body" || in == "formData":
		d.Hintf("use requestBody: in %q belongs to Swagger 2", in)
	case ok:
		d.Hintf("did you mean %s?", near)
	}
	return ""
}

// querystring checks the rules of in: querystring: once, and not beside in: query.
func (l *lowerer) querystring(list []*parameter, what string) {
	var whole []*parameter
	query := false
	for _, p := range list {
		switch p.In {
		case "querystring":
			whole = append(whole, p)
		case "query":
			query = true
		}
	}
	if len(whole) > 1 {
		l.errorf(whole[1].node, "param-querystring", "%s: only one parameter may be in querystring", what).
			At(whole[0].pos, "the first one")
	}
	if len(whole) > 0 && query {
		l.errorf(whole[0].node, "param-querystring", "%s: a parameter in querystring is the whole query; parameters in query cannot stand beside it", what)
	}
}

// parameterList is the form that the intermediate representation wants.
func (l *lowerer) parameterList(list []*parameter, what string) []*ir.Param {
	l.querystring(list, what)
	out := make([]*ir.Param, len(list))
	for i, p := range list {
		out[i] = p.Param
	}
	return out
}
