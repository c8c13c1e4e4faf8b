package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// scope is the operation being lowered, as its parts need to know it.
type scope struct {
	op    *ir.Operation
	item  *pathItem
	node  *load.Node
	where string   // "GET /a", for messages
	place []string // words that name types written in it
}

// pathOperation lowers one operation of paths; nil when it is not wanted or had
// to be given up.
func (l *lowerer) pathOperation(item *pathItem, m method) *ir.Operation {
	words := append([]string{strings.ToLower(m.name)}, item.words...)
	s, ok := l.begin(item, m, m.name+" "+item.key, words)
	if !ok {
		return nil
	}
	s.op.Path, s.op.Fragment = item.template.path, item.template.fragment
	if !l.filter.keeps(s.op, item.key) {
		delete(l.sources, s.op)
		return nil
	}
	return l.finish(s, func() {
		params := l.operationParameters(s)
		l.bindPath(s, &params)
		s.op.Params = l.parameterList(params, s.where)
		s.op.Security = l.security
	})
}

// begin reads what names an operation. It is false when the operation cannot be
// read at all.
func (l *lowerer) begin(item *pathItem, m method, where string, words []string) (*scope, bool) {
	n := m.key.Value
	if n.Has("$ref") {
		l.list.Repair(m.key.Pos(), "operation-ref", n.Pointer(),
			"%s: the standard has no reference in the place of an operation: followed", where)
		n = l.follow(n, operationObject).node
	}
	if n == nil || !l.checkFields(n, where, operationObject) {
		return nil, false
	}
	op := &ir.Operation{
		Key: where, Name: words, Pointer: m.pointer, Pos: m.key.Pos(), Method: m.name,
		Doc: l.docOf(n, where, target{}), Tags: l.operationTags(n, where),
	}
	op.GoName = l.goName(n, where)
	l.operationID(op, n, where)
	l.sources[op] = Source{Operation: n, PathItems: item.sources()}
	return &scope{op: op, item: item, node: n, where: where, place: op.Name}, true
}

// finish lowers what all operations have: parameters by the given function, body,
// responses, security, servers, callbacks.
func (l *lowerer) finish(s *scope, parameters func()) *ir.Operation {
	before := l.unsupported
	parameters()
	if s.item.nodes[0].Has("summary") || s.item.nodes[0].Has("description") {
		l.inheritDoc(s)
	}
	s.op.Body = l.body(s)
	s.op.Responses = l.operationResponses(s)
	if own := l.requirements(s.node, s.where); own != nil {
		s.op.Security = own
	}
	if s.op.Servers = l.servers(s.node, s.where); len(s.op.Servers) == 0 {
		s.op.Servers = s.item.servers
	}
	s.op.Callbacks = l.callbacks(s)
	if l.opt.SkipUnsupported && l.unsupported > before {
		l.list.Warn(s.op.Pos, "operation-skipped", s.node.Pointer(), "%s is left out: see the warnings about what it uses", s.where)
		l.forget(s.op)
		return nil
	}
	return s.op
}

// forget drops an operation that is left out, and its callbacks.
func (l *lowerer) forget(op *ir.Operation) {
	delete(l.sources, op)
	for _, c := range op.Callbacks {
		l.forget(c.Operation)
	}
}

// inheritDoc uses the prose of the path item, meant for all its operations, where
// an operation has none.
func (l *lowerer) inheritDoc(s *scope) {
	d := &s.op.Doc
	if d.Summary != "" || d.Description != "" {
		return
	}
	d.Summary = l.prose(s.item.nodes[0], "summary", s.item.key)
	d.Description = l.prose(s.item.nodes[0], "description", s.item.key)
}

func (l *lowerer) operationTags(n *load.Node, where string) []string {
	if v := n.Get("tags"); v == nil || v.Is(load.Object) {
		if v != nil {
			l.repairf(v, "wrong-type", "%s: tags must be a list, got a mapping: ignored", where)
		}
		return nil
	}
	var out []string
	for _, tag := range l.strings(n, "tags", where) {
		out = append(out, tag)
		l.filter.tag(tag)
	}
	return out
}

// operationID reads the operationId. It must be unique in the document; published
// ones repeat some. The first keeps it, another is named by method and path, as
// if it had none: both get the same names whatever else is in the document.
func (l *lowerer) operationID(op *ir.Operation, n *load.Node, where string) {
	v := n.Get("operationId")
	if v == nil {
		return
	}
	id := strings.TrimSpace(l.text(n, "operationId", where))
	if id == "" {
		l.repairf(v, "operation-id", "%s: operationId is empty: named by method and path", where)
		return
	}
	if first, dup := l.operations[id]; dup {
		l.repairf(v, "operation-id", "%s: operationId %q is taken: named by method and path", where, id).
			At(first, "operationId %q is first used here", id)
		return
	}
	l.operations[id] = v.Pos()
	op.ID, op.Key, op.Name = id, id, []string{id}
}
