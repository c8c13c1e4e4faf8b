package resilience

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// CheckOverlays reports what can be seen to be wrong with the annotations of overlays
// without the document that they are for: keys, types, ranges, presets, policies that
// use each other in a circle, settings that do not fit together. What expressions and
// names of operations lead to takes the document. A policy or a preset that no overlay
// has is a warning, since the document may have it.
//
// The overlays are those of one run, in their order. The result has an operation for
// each annotation, with what the annotation comes to for a GET that nothing is known
// of: only its settings that somebody has written say anything.
func CheckOverlays(overlays []*load.Overlay, list *diag.List, options ...Option) *Result {
	result := &Result{}
	var roots, levels []*load.Node
	for _, o := range overlays {
		for _, m := range o.Annotations() {
			if ofRoot(o, m.Value) {
				roots = append(roots, m.Value)
			} else {
				levels = append(levels, m.Value)
			}
		}
	}
	if len(roots)+len(levels) == 0 {
		return result
	}
	r := newReader(&load.Document{Root: overlays[0].File}, list)
	for _, o := range options {
		o(r)
	}
	r.alone = true
	r.root(roots, "")
	api := &ir.API{}
	m := &merger{reader: r, file: overlays[0].File, index: newIndex(api, nil)}
	for _, n := range levels {
		if a := m.level(n, key); a != nil {
			m.mergeAlone(result, level{name: "operation", a: a})
		}
	}
	for _, name := range m.policyNames {
		for _, a := range m.policies[name] {
			m.mergeAlone(result, level{name: "policy", a: a})
		}
	}
	for _, rule := range m.rules {
		if rule.a != nil {
			m.mergeAlone(result, level{name: "apply", a: rule.a})
		}
	}
	for _, p := range m.profiles {
		for _, l := range p.all {
			m.mergeAlone(result, l)
		}
		for _, o := range p.operations {
			m.mergeAlone(result, o.level)
		}
	}
	return result
}

// ofRoot reports whether an annotation of an overlay is for the root of the document:
// the target is the root, or it has what only the root's must have.
func ofRoot(o *load.Overlay, n *load.Node) bool {
	if n.Has("version") {
		return true
	}
	for i := range o.Actions {
		a := &o.Actions[i]
		if text, _ := a.Target.Str(); text == "$" && a.Update != nil && a.Update.Get(key) == n {
			return true
		}
	}
	return false
}

// ofSettings are the codes of faults that settings have by themselves, whatever the
// operation is like.
var ofSettings = []string{
	"resilience-range", "resilience-limit", "resilience-rule", "resilience-missing", "resilience-variant", ruleTimeoutOff, ruleLease,
}

// mergeAlone lays a level over the defaults for an operation that nothing is known of,
// and reports what its settings come to.
func (m *merger) mergeAlone(result *Result, l level) {
	o := &operation{op: &ir.Operation{Method: "GET", Path: "/", Pos: l.a.node.Pos()}, node: l.a.node}
	var found diag.List
	outer := m.list
	m.list = &found
	m.begin(o)
	for _, l := range append(slices.Clip(m.defaults), l) {
		m.layLevel(o, l)
	}
	m.decode(o)
	result.Operations = append(result.Operations, operationOf(append([]*operation{o}, m.variantViews(o, nil)...)))
	m.list = outer
	for _, d := range found.Sorted() {
		if slices.Contains(ofSettings, d.Code) {
			outer.Add(d)
		}
	}
}
