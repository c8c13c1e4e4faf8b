package resilience

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// places reports annotations in places where none may stand. Every file that the
// document reaches is walked, but not what is data: examples, defaults, extensions
// of others.
func (r *reader) places(all []*operation) {
	doc := r.doc
	p := placer{reader: r, seen: map[*load.Node]bool{}, holders: map[*load.Node]bool{doc.Root.Root: true}}
	for _, o := range all {
		p.holders[o.node] = true
		for _, item := range o.pathItems {
			p.holders[item] = true
		}
	}
	for _, tag := range items(doc.Root.Root.Get("tags")) {
		p.holders[tag] = true
		// One that no operation has is checked as well.
		name, _ := tag.Get("name").Str()
		for _, n := range r.annotationsAt(tag) {
			r.level(n, "tag "+name+": "+key)
		}
	}
	for _, f := range doc.Files() {
		p.walk(f.Root, true)
	}
}

type placer struct {
	*reader
	seen    map[*load.Node]bool
	holders map[*load.Node]bool // nodes that may have an annotation
}

// data are fields whose value is the user's, whatever it looks like.
var data = []string{"example", "default", "const", "enum", "value"}

// named are fields whose value maps names of the user's to objects: a property may
// be called x-resilience.
var named = []string{
	"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "schemas", "headers", "mapping", "variables",
	"examples", "links", "requestBodies", "securitySchemes", "encoding", "scopes", "mediaTypes",
}

// methodKeys tell a path item.
var methodKeys = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query", "additionalOperations"}

// walk visits a node; its keys are fields unless they are names of the user's.
func (p *placer) walk(n *load.Node, fields bool) {
	if n == nil || p.seen[n] {
		return
	}
	p.seen[n] = true
	for _, m := range p.doc.Layers(n) {
		p.annotation(n, m)
	}
	for _, item := range n.Items {
		p.walk(item, true)
	}
	for _, m := range n.Members {
		switch {
		case !fields:
			p.walk(m.Value, true)
		case m.Key == key:
			p.annotation(n, m)
		case skipped(m.Key) || slices.Contains(data, m.Key):
		case m.Key == "examples" && m.Value.Is(load.Array): // of a schema
		default:
			p.walk(m.Value, !slices.Contains(named, m.Key))
		}
	}
}

// annotation reports one that stands at a node which is no place for it. A path
// item or an operation that this run leaves out is one.
func (p *placer) annotation(holder *load.Node, m load.Member) {
	if p.holders[holder] || holder.Has("responses") {
		return
	}
	if slices.ContainsFunc(methodKeys, func(k string) bool { return holder.Get(k).Is(load.Object) }) {
		return
	}
	where := holder.Pointer()
	if where == "" {
		where = "/"
	}
	p.list.Error(m.Pos(), "resilience-place", m.Value.Pointer(), "%s may not stand in %s", key, where).
		Hintf("it may stand at the root of the document, in a tag, in a path item and in an operation")
}
