package load

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/theory/jsonpath/spec"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// applying is one overlay at work on a document.
type applying struct {
	doc    *Document
	list   *diag.List
	o      *Overlay
	action *Action
	moved  bool // a copy has taken the place of a node that is shared
	failed bool // the action at work has been refused
}

// overlay reads the overlay at path and applies it to the root file.
func (d *Document) overlay(path string, list *diag.List) {
	loc := rootLocation(path)
	f, bad := d.read(loc, list)
	if bad != nil {
		list.Error(diag.Pos{File: loc.name}, bad.code, "", "cannot read the overlay: %s", bad.message).Hint = bad.hint
	}
	if f == nil {
		return
	}
	d.overlays = append(d.overlays, f)
	if o := readOverlay(f, list); o != nil {
		d.apply(o, list)
	}
}

// apply carries out the actions of an overlay, each upon the result of the last.
// An action that cannot be carried out is an error and leaves out what it cannot
// do.
func (d *Document) apply(o *Overlay, list *diag.List) {
	o.File.into = d.Root
	a := &applying{doc: d, list: list, o: o}
	a.extends()
	for i := range o.Actions {
		if d.ctx.Err() != nil {
			return
		}
		a.action, a.failed = &o.Actions[i], false
		a.run()
	}
	a.settle()
}

// extends notes that the overlay names another document than the one it is
// applied to. A copy elsewhere under the same name is common and meant.
func (a *applying) extends() {
	n := a.o.Extends
	if n == nil || n.Text == "" {
		return
	}
	base := func(p string) string {
		p, _, _ = strings.Cut(filepath.ToSlash(p), "?")
		return p[strings.LastIndexByte(p, '/')+1:]
	}
	if named := base(n.Text); named != base(a.doc.Root.Name) {
		a.list.Note(n.Pos(), "overlay-extends", n.Pointer(), "the overlay says that it is for %s; it is applied to %s",
			clip(shownRef(n.Text)), clip(a.doc.Root.Name))
	}
}

// refuse reports an error of the action at work.
func (a *applying) refuse(at *Node, code, format string, args ...any) *diag.Diagnostic {
	a.failed = true
	return a.list.Error(at.Pos(), code, at.Pointer(), format, args...)
}

func (a *applying) tooMuch() {
	if !a.failed {
		a.refuse(a.action.Target, "too-many-values", "the document becomes too large by this action: overlays add more than %d values, or values more than %d levels deep", maxAdded, maxDepth)
	}
}

// selects returns what a query of the action selects.
func (a *applying) selects(q *query, at *Node) ([]match, bool) {
	found, err := a.doc.find(q)
	if err != nil {
		a.refuse(at, "overlay-path", "%s cannot be followed: %v", clip(q.text), err)
		return nil, false
	}
	return found, true
}

func (a *applying) run() {
	act := a.action
	if !act.Remove && act.Update == nil && act.Copy == nil {
		return
	}
	found, ok := a.selects(act.target, act.Target)
	if !ok {
		return
	}
	if len(found) == 0 {
		a.nothing()
		return
	}
	if act.Remove {
		a.remove(found)
		return
	}
	found = strongest(found)
	source := act.Update
	if act.Copy != nil {
		if source = a.copied(); source == nil {
			return
		}
	}
	if !a.alike(found) {
		return
	}
	for _, m := range found {
		a.update(m, source)
		if a.failed {
			return // one report for an action that does not fit
		}
	}
}

// nothing reports a target that selects nothing, and what may have been meant.
func (a *applying) nothing() {
	at := a.action.Target
	d := a.list.Repair(at.Pos(), "overlay-no-match", at.Pointer(), "%s matches nothing in the document", clip(a.action.target.text))
	n := a.doc.Root.Root
	for _, seg := range a.action.target.segments {
		if len(seg.Selectors()) != 1 || seg.IsDescendant() {
			return
		}
		name, ok := seg.Selectors()[0].(spec.Name)
		if !ok {
			return
		}
		next := n.Get(string(name))
		if next != nil {
			n = next
			continue
		}
		if ref, ok := n.Get("$ref").Str(); ok {
			d.Hintf("%s is a reference to %s: what it leads to has a place of its own, and another file is not reached", clip(placeName(n)), shownRef(ref))
			return
		}
		place := n.Pointer()
		if place == "" {
			place = "the document"
		}
		var keys []string
		for _, m := range n.Members {
			keys = append(keys, m.Key)
		}
		if near, ok := diag.Nearest(string(name), keys); ok {
			d.Hintf("%s has no %q: did you mean %q?", clip(place), clip(string(name)), clip(near))
		} else {
			d.Hintf("%s has no %q", clip(place), clip(string(name)))
		}
		return
	}
}

// copied returns a copy of the node that the action copies, as it stood before
// the action.
func (a *applying) copied() *Node {
	at := a.action.Copy
	found, ok := a.selects(a.action.source, at)
	if !ok {
		return nil
	}
	if found = strongest(found); len(found) != 1 {
		a.refuse(at, "overlay-copy", "copy must select one node, %s selects %d", clip(at.Text), len(found))
		return nil
	}
	c := a.doc.clone(found[0].node, nil, 1)
	if c == nil {
		a.tooMuch()
	}
	return c
}

// remove takes the selected nodes out of what holds them. Of the levels of an
// x-resilience, the strongest that is selected goes with all below it.
func (a *applying) remove(found []match) {
	gone := map[*Node]map[int]bool{}
	levels := map[*Node]int{}
	for _, m := range found {
		if len(m.steps) == 0 {
			a.refuse(a.action.Target, "overlay-target", "the whole document cannot be removed")
			return
		}
		last := m.steps[len(m.steps)-1]
		holder := a.own(m.steps[:len(m.steps)-1])
		if a.failed {
			return
		}
		if holder == nil {
			continue
		}
		if len(a.doc.layers[holder]) > 0 && last.key == Annotation {
			levels[holder] = max(levels[holder], last.level)
			continue
		}
		if gone[holder] == nil {
			gone[holder] = map[int]bool{}
		}
		gone[holder][a.slot(holder, last, m.node)] = true
	}
	for holder, slots := range gone {
		holder.drop(slots)
	}
	for holder, level := range levels {
		a.dropLevels(holder, level)
	}
}

// slot is where holder has what the step leads to.
func (a *applying) slot(holder *Node, s step, n *Node) int {
	if s.index < 0 {
		return holder.find(s.key)
	}
	if a.o.Version < Overlay11 && n.Kind < Array {
		at := a.action.Target
		a.list.Repair(at.Pos(), "overlay-target", at.Pointer(), "Overlay 1.0 removes no single value of a list; removed as 1.1 has it").
			Hintf("write overlay: 1.1.0")
	}
	return s.index
}

// dropLevels removes an x-resilience up to the given level, 0 being the holder's
// own. The weakest that stays becomes the holder's own.
func (a *applying) dropLevels(holder *Node, level int) {
	rest := a.doc.layers[holder][level:]
	delete(a.doc.layers, holder)
	if len(rest) == 0 {
		holder.drop(map[int]bool{holder.find(Annotation): true})
		return
	}
	holder.insert(rest[0])
	for _, m := range rest[1:] {
		a.doc.addLayer(holder, m, m.Value)
	}
}

// alike demands that an update or copy finds nodes of one sort.
func (a *applying) alike(found []match) bool {
	sorts := map[string]bool{}
	for _, m := range found {
		sorts[sortOf(m.node)] = true
	}
	if len(sorts) > 1 {
		names := slices.Sorted(maps.Keys(sorts))
		a.refuse(a.action.Target, "overlay-target", "the target selects %s at once; they must be all of one sort", strings.Join(names, " and ")).
			Hintf("select fewer, or write an action for each sort")
		return false
	}
	return true
}

func sortOf(n *Node) string {
	switch n.Kind {
	case Object:
		return "mappings"
	case Array:
		return "lists"
	case Null, Bool, Number, String:
	}
	return "single values"
}
