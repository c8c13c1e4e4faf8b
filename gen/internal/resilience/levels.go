package resilience

import (
	"strconv"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// levelsOf are the levels of an operation from the weakest to the strongest, without
// the built-in policy below them and the profile above them.
func (m *merger) levelsOf(o *operation) []level {
	out := append([]level{}, m.defaults...)
	for _, r := range m.rules {
		if !r.matches(o) {
			continue
		}
		r.matched = true
		if r.a != nil {
			out = append(out, level{name: "apply[" + strconv.Itoa(r.index) + "]", overlay: r.overlay, source: pointerOf(m.file, r.node), a: r.a})
		}
	}
	out = append(out, m.tagLevels(o)...)
	for _, item := range o.pathItems {
		out = append(out, m.holderLevels("path item", item, pathItemName(o)+": "+key, pointerOf(m.file, item))...)
	}
	return append(out, m.holderLevels("operation", o.node, o.name()+": "+key, o.op.Pointer)...)
}

// tagLevels are those of the operation's first tag that says anything about
// resilience: a tag that only sorts the documentation does not keep the next one
// from counting.
func (m *merger) tagLevels(o *operation) []level {
	for _, name := range o.op.Tags {
		for _, tag := range items(m.doc.Root.Root.Get("tags")) {
			if text, _ := tag.Get("name").Str(); text != name || !tag.Has(key) && len(m.doc.Layers(tag)) == 0 {
				continue
			}
			return m.holderLevels("tag "+name, tag, "tag "+name+": "+key, pointerOf(m.file, tag))
		}
	}
	return nil
}

// holderLevels are the annotation that stands at a node and those that overlays laid
// over it.
func (m *merger) holderLevels(name string, holder *load.Node, path, source string) []level {
	var out []level
	for _, n := range m.annotationsAt(holder) {
		if a := m.level(n, path); a != nil {
			l := level{name: name, overlay: n.File != holder.File, source: source, a: a}
			if l.overlay {
				l.source = pointerOf(m.file, n)
			}
			out = append(out, l)
		}
	}
	return out
}

// annotationsAt are the values of x-resilience at a node, the weakest first.
func (r *reader) annotationsAt(holder *load.Node) []*load.Node {
	var out []*load.Node
	if n := holder.Get(key); n != nil {
		out = append(out, n)
	}
	for _, m := range r.doc.Layers(holder) {
		out = append(out, m.Value)
	}
	return out
}

// layLevel lays a level and what it uses over what is there.
func (m *merger) layLevel(o *operation, l level) {
	for _, step := range m.chain(l.a) {
		if m.laid++; m.tooMuch() {
			return
		}
		at := l
		at.policy = step.policy
		o.levels = append(o.levels, at)
		m.layAnnotation(o, step.a, weight(len(o.levels)))
		at.a = step.a
		o.layVariants(at)
	}
}

// sourcesOf notes which annotations took part.
func (m *merger) sourcesOf(o *operation, l level) {
	if m.tooMuch() {
		return
	}
	for _, step := range m.chain(l.a) {
		if step.a != l.a {
			o.source(pointerOf(m.file, step.a.node))
		}
	}
	o.source(l.source)
}
