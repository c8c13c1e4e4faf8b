package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// bindPath matches the parameters in path of an operation with the names in its
// template, and adds to params those that nobody declared.
func (l *lowerer) bindPath(s *scope, params *[]*parameter) {
	if s.item.broken {
		return // nobody knows what it should name
	}
	t := s.item.template
	s.op.Parts = slices.Clone(t.parts)
	var missing []string
	for _, name := range t.names() {
		if p := pathParameter(*params, name); p != nil {
			p.used = true
			continue
		}
		missing = append(missing, name)
	}
	for _, name := range missing {
		if !l.bindNear(s, *params, name) {
			l.undeclared(s, params, name)
		}
	}
	l.repeated(s, params)
	l.bindQuery(s, params)
	l.notInTemplate(s, *params)
}

// repeated gives each further occurrence of a name in a template a parameter of its
// own: a template may name each only once, and nothing makes two places of a path
// hold one value.
func (l *lowerer) repeated(s *scope, params *[]*parameter) {
	seen := map[string]int{}
	for i := range s.op.Parts {
		name := s.op.Parts[i].Param
		if name == "" {
			continue
		}
		if seen[name]++; seen[name] == 1 {
			continue
		}
		p := pathParameter(*params, name)
		again := *p.Param
		for again.Name = fmt.Sprintf("%s_%d", name, seen[name]); pathParameter(*params, again.Name) != nil; {
			again.Name += "_"
		}
		again.GoName = ""
		l.list.Repair(s.item.pos, "path-parameter", s.node.Pointer(),
			"path %s names {%s} more than once: its place %d is the parameter %q", s.item.key, name, seen[name], again.Name)
		s.op.Parts[i].Param = again.Name
		*params = append(*params, &parameter{Param: &again, node: p.node, pos: p.pos, used: true})
	}
}

func pathParameter(params []*parameter, name string) *parameter {
	for _, p := range params {
		if p.In == "path" && p.Name == name {
			return p
		}
	}
	return nil
}

// bindNear finds a declared parameter that a template means by another spelling:
// with a modifier of some framework in the braces, or in other case.
func (l *lowerer) bindNear(s *scope, params []*parameter, name string) bool {
	bare := bareName(name)
	var found *parameter
	for _, p := range params {
		if p.In != "path" || p.used {
			continue
		}
		if p.Name == bare || plainName(p.Name) == plainName(bare) && plainName(bare) != "" {
			if found != nil {
				return false
			}
			found = p
		}
	}
	if found == nil || slices.Contains(s.item.template.names(), found.Name) {
		return false
	}
	found.used = true
	l.list.Repair(l.namePos(s, name), "path-parameter", s.node.Pointer(),
		"%s: {%s} of the path is taken as the parameter %q", s.where, name, found.Name).
		At(found.pos, "the parameter is declared here")
	rename(s.op, name, found.Name)
	return true
}

// plainName is a name without case and punctuation.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

func rename(op *ir.Operation, from, to string) {
	for i := range op.Parts {
		if op.Parts[i].Param == from {
			op.Parts[i].Param = to
		}
	}
}

// undeclared adds a parameter that a template names and nobody declares.
func (l *lowerer) undeclared(s *scope, params *[]*parameter, name string) {
	declared := name
	if bare := bareName(name); bare != "" && bare != name && pathParameter(*params, bare) == nil {
		declared = bare
		rename(s.op, name, bare)
	}
	l.list.Repair(l.namePos(s, name), "path-parameter", s.node.Pointer(),
		"path %s: operation %s does not declare parameter %q: taken as a string", s.item.key, s.op.Method, declared).
		Hintf("declare it under parameters, in: path and required: true, or take it out of the path")
	*params = append(*params, &parameter{used: true, node: s.node, pos: s.item.pos, Param: &ir.Param{
		Name: declared, In: "path", Pos: s.item.pos, Required: true, Style: "simple", Use: &ir.Use{Type: stringType()},
	}})
}

// namePos is the position of {name} in the key of the path.
func (l *lowerer) namePos(s *scope, name string) diag.Pos {
	before, _, ok := strings.Cut(s.item.key, "{"+name+"}")
	m, isKey := s.item.nodes[0].Key()
	if !ok || !isKey || m.Key != s.item.key {
		return s.item.pos
	}
	return keyColumn(m, len([]rune(before)))
}

// notInTemplate reports parameters in path that the template does not name.
func (l *lowerer) notInTemplate(s *scope, params []*parameter) {
	for _, p := range params {
		if p.In != "path" || p.used || s.item.inherited(p) {
			continue
		}
		l.list.Error(p.pos, "path-parameter", p.node.Pointer(),
			"%s: parameter %q is in: path but not in the template of %s", s.where, p.Name, s.item.key).
			Hintf("put {%s} into the path, or the parameter in another place", clip(p.Name))
	}
}

// inherited reports whether param comes from the path item: such a one is reported
// once for all operations.
func (p *pathItem) inherited(param *parameter) bool {
	return slices.ContainsFunc(p.params, func(q *parameter) bool { return q.node == param.node && q.pos == param.pos })
}

// unusedPathParameters reports parameters in path of the path item itself that
// its template does not name. Without operations nobody binds them.
func (l *lowerer) unusedPathParameters(item *pathItem, found []method) {
	names := item.template.names()
	for _, p := range item.params {
		if p.In != "path" || slices.Contains(names, p.Name) {
			continue
		}
		if len(found) == 0 || slices.ContainsFunc(names, func(n string) bool { return plainName(bareName(n)) == plainName(p.Name) }) {
			continue
		}
		l.list.Error(p.pos, "path-parameter", p.node.Pointer(),
			"parameter %q is in: path but not in the template of %s", p.Name, item.key).
			Hintf("put {%s} into the path, or the parameter in another place", clip(p.Name))
	}
}

// bindQuery makes parameters in query of those that a template has in its query:
// they were written down twice, or declared in the wrong place.
func (l *lowerer) bindQuery(s *scope, params *[]*parameter) {
	s.op.PathQuery = s.item.template.query
	for _, q := range s.item.template.expanded {
		*params = l.queryParameter(s, *params, q)
	}
}

func (l *lowerer) queryParameter(s *scope, params []*parameter, q queryPair) []*parameter {
	at := s.item.nodes[0]
	for _, p := range params {
		if p.In == "query" && (p.Name == q.key || p.Name == q.name) {
			l.list.Repair(s.item.pos, "path-query", at.Pointer(),
				"path %s: the query parameter %q needs no place in the path: left out of it", s.item.key, p.Name)
			return params
		}
	}
	if p := pathParameter(params, q.name); p != nil {
		own := *p.Param
		own.Name, own.In, own.Style, own.Explode = q.key, "query", "form", true
		p.Param, p.used = &own, true
		l.list.Repair(s.item.pos, "path-query", at.Pointer(),
			"path %s: parameter %q stands in the query: taken as in: query", s.item.key, q.name)
		return params
	}
	l.list.Repair(s.item.pos, "path-query", at.Pointer(),
		"path %s: operation %s does not declare the query parameter %q: taken as a string", s.item.key, s.op.Method, q.name)
	return append(params, &parameter{node: s.node, pos: s.item.pos, used: true, Param: &ir.Param{
		Name: q.key, In: "query", Pos: s.item.pos, Style: "form", Explode: true, Use: &ir.Use{Type: stringType()},
	}})
}
