package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// webhooks lowers the requests that the API sends to addresses agreed on outside
// the document. Their key is a name, not a path.
func (l *lowerer) webhooks(root *load.Node) {
	hooks := l.object(root, "webhooks", "the document")
	if hooks == nil {
		return
	}
	for _, m := range hooks.Members {
		if strings.HasPrefix(m.Key, "x-") {
			continue
		}
		item := l.newPathItem(m, "#/webhooks/")
		if item == nil {
			continue
		}
		item.words = []string{m.Key}
		item.servers = l.pathServers(item)
		item.params = l.pathParameters(item)
		for _, meth := range l.methods(item) {
			if op := l.incoming(item, meth, "webhook "+m.Key); op != nil {
				l.api.Webhooks = append(l.api.Webhooks, op)
			}
		}
	}
}

// incoming lowers an operation of a webhook or callback. POST is what nearly all of
// them are, so only another method becomes part of the name. Filters choose
// webhooks, while callbacks belong to their operation. The security of the document
// is about its callers; these requests go the other way, and only their own counts.
func (l *lowerer) incoming(item *pathItem, m method, what string) *ir.Operation {
	words := slices.Clone(item.words)
	if m.name != "POST" {
		words = append([]string{strings.ToLower(m.name)}, words...)
	}
	s, ok := l.begin(item, m, what+": "+m.name, words)
	if !ok {
		return nil
	}
	s.op.Path = item.key
	if len(l.callbackStack) == 0 && !l.filter.keeps(s.op, item.key) {
		delete(l.sources, s.op)
		return nil
	}
	return l.finish(s, func() {
		params := l.operationParameters(s)
		s.op.Params = l.withoutPath(s, params)
	})
}

// withoutPath drops parameters in path: there is no template that could name them.
func (l *lowerer) withoutPath(s *scope, params []*parameter) []*ir.Param {
	kept := slices.DeleteFunc(slices.Clone(params), func(p *parameter) bool {
		if p.In != "path" {
			return false
		}
		l.list.Repair(p.pos, "path-parameter", p.node.Pointer(),
			"%s: parameter %q is in: path, but the address is agreed on outside the document: ignored", s.where, p.Name)
		return true
	})
	return l.parameterList(kept, s.where)
}

// callbacks lowers the callbacks of an operation.
func (l *lowerer) callbacks(s *scope) []*ir.Callback {
	callbacks := l.object(s.node, "callbacks", s.where)
	if callbacks == nil {
		return nil
	}
	var out []*ir.Callback
	for _, m := range callbacks.Members {
		if !strings.HasPrefix(m.Key, "x-") {
			out = append(out, l.callback(s, m)...)
		}
	}
	return out
}

// callback lowers one callback: its expressions, each with a path item.
func (l *lowerer) callback(s *scope, m load.Member) []*ir.Callback {
	what := s.where + ": callback " + m.Key
	n := l.follow(m.Value, callbackObject).node
	if n == nil {
		return nil
	}
	if !n.Is(load.Object) {
		l.wrongKind(n, what, load.Object)
		return nil
	}
	if !l.enterCallback(n, what) {
		return nil
	}
	defer func() { l.callbackStack = l.callbackStack[:len(l.callbackStack)-1] }()
	var expressions []load.Member
	for _, e := range n.Members {
		if !strings.HasPrefix(e.Key, "x-") {
			expressions = append(expressions, e)
		}
	}
	var out []*ir.Callback
	for _, e := range expressions {
		item := l.newPathItem(e, s.op.Pointer+"/callbacks/"+load.EscapeToken(m.Key)+"/")
		if item == nil {
			continue
		}
		l.callbackAddress(s.op, e, what)
		item.words = append(slices.Clone(s.place), m.Key)
		if len(expressions) > 1 {
			item.words = append(item.words, e.Key)
		}
		item.servers = l.pathServers(item)
		item.params = l.pathParameters(item)
		for _, meth := range l.methods(item) {
			if op := l.incoming(item, meth, what+" "+e.Key); op != nil {
				out = append(out, &ir.Callback{Name: m.Key, Expression: e.Key, Operation: op})
			}
		}
	}
	return out
}

// maxCallbacks bounds a document whose callbacks hold callbacks by reference,
// again and again.
const maxCallbacks = 10_000

// enterCallback guards against callbacks that lead back to themselves through the
// operations in them.
func (l *lowerer) enterCallback(n *load.Node, what string) bool {
	if slices.Contains(l.callbackStack, n) {
		l.errorf(n, "callback-cycle", "%s leads back to itself", what)
		return false
	}
	if l.callbackCount++; l.callbackCount > maxCallbacks {
		l.errorf(n, "callback-count", "more than %d callbacks", maxCallbacks)
		return false
	}
	l.callbackStack = append(l.callbackStack, n)
	return true
}
