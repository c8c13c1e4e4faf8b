package load

import (
	"slices"
	"strings"
)

// update merges u into one selected node, by the sort of node that it is.
func (a *applying) update(m match, u *Node) {
	t := a.own(m.steps)
	if t == nil {
		return
	}
	depth := len(m.steps) + 1
	switch t.Kind {
	case Object:
		if u.Kind != Object {
			a.mismatch(t, u, "a mapping is merged with a mapping")
			return
		}
		a.merge(t, u, m.steps)
	case Array:
		a.concat(t, u, depth)
	case Null, Bool, Number, String:
		a.replace(m, u, depth)
	}
}

// mismatch reports an update that does not fit what it meets.
func (a *applying) mismatch(t, u *Node, rule string) {
	// What copy brings has its place in the document; the fault is the action's.
	at := u
	if a.action.Copy != nil {
		at = a.action.Copy
	}
	a.refuse(at, "overlay-mismatch", "%s cannot be merged with the %s at %s: %s", kindFound(u), t.Kind, clip(placeName(t)), rule).
		At(t.Pos(), "what it meets").
		Hintf("to replace it, remove it by an action of its own and add the new value to what holds it")
}

func placeName(n *Node) string {
	if p := n.Pointer(); p != "" {
		return p
	}
	return "the root"
}

// merge merges the mapping u into t, which stands at the end of the steps.
func (a *applying) merge(t, u *Node, steps []step) {
	annotated := holds(steps)
	for _, m := range u.Members {
		if annotated && m.Key == Annotation {
			a.annotate(t, u, m, len(steps)+2)
		} else {
			a.property(t, m, steps)
		}
		if a.failed {
			return
		}
	}
}

// annotate lays an x-resilience of u over what stands at t, and with a copy the
// levels over it too.
func (a *applying) annotate(t, u *Node, m Member, depth int) {
	for _, m := range append([]Member{m}, a.doc.layers[u]...) {
		v := a.doc.clone(m.Value, t, depth)
		if v == nil {
			a.tooMuch()
			return
		}
		if !t.Has(Annotation) {
			m.Value = v
			t.insert(m)
			continue
		}
		a.doc.addLayer(t, m, v)
	}
}

// property merges one member into the mapping t.
func (a *applying) property(t *Node, m Member, steps []step) {
	depth := len(steps) + 2
	here := step{key: m.Key, index: -1}
	if !t.Has(m.Key) {
		a.put(t, m, depth)
		return
	}
	old := a.ownChild(t, here, depth)
	if old == nil {
		return
	}
	switch u := m.Value; {
	case old.Kind == Object && u.Kind == Object:
		a.merge(old, u, append(slices.Clip(steps), here))
	case old.Kind == Array && u.Kind == Array:
		a.add(old, u.Items, depth)
	case old.Kind < Array && u.Kind < Array:
		a.put(t, m, depth)
	case u.Kind == Null && u.Text == "":
		// A key with nothing behind it, as in the examples of the standard, adds
		// nothing; a null that is written out does not fit.
	default:
		a.mismatch(old, u, "mappings merge with mappings, lists with lists and single values with single values")
	}
}

// put sets a member of t to a copy.
func (a *applying) put(t *Node, m Member, depth int) {
	v := a.doc.clone(m.Value, t, depth)
	if v == nil {
		a.tooMuch()
		return
	}
	m.Value = v
	t.insert(m)
}

// add appends copies of items to the list t.
func (a *applying) add(t *Node, items []*Node, depth int) {
	for _, item := range items {
		v := a.doc.clone(item, t, depth+1)
		if v == nil {
			a.tooMuch()
			return
		}
		t.Items = append(t.Items, v)
		v.link(t, len(t.Items)-1)
	}
}

// concat adds u to the selected list t: its items when it is a list, else itself.
func (a *applying) concat(t, u *Node, depth int) {
	if u.Kind != Array {
		a.add(t, []*Node{u}, depth)
		return
	}
	if a.o.Version < Overlay11 {
		// By the letter of 1.0 the list is one entry, but no list of OpenAPI has
		// lists for entries, and all tools read it so.
		a.list.Repair(u.Pos(), "overlay-list", u.Pointer(), "in Overlay 1.0 an update of a list is one entry; its entries are added as 1.1 has it").
			Hintf("write overlay: 1.1.0")
	}
	a.add(t, u.Items, depth)
}

// replace puts a single value in the place of another.
func (a *applying) replace(m match, u *Node, depth int) {
	target := a.action.Target
	if a.o.Version < Overlay11 {
		a.list.Repair(target.Pos(), "overlay-target", target.Pointer(), "Overlay 1.0 updates mappings and lists only, this target is a %s; replaced as 1.1 has it", m.node.Kind).
			Hintf("write overlay: 1.1.0, or select the mapping that holds it")
	}
	if u.Kind >= Array {
		a.mismatch(m.node, u, "a single value is replaced by a single value")
		return
	}
	if len(m.steps) == 0 {
		a.refuse(target, "overlay-target", "the whole document cannot be replaced")
		return
	}
	last := m.steps[len(m.steps)-1]
	holder := a.own(m.steps[:len(m.steps)-1])
	v := a.doc.clone(u, holder, depth)
	switch {
	case holder == nil:
	case v == nil:
		a.tooMuch()
	case last.level > 0:
		v.slot = layerSlot
		a.doc.layers[holder][last.level-1] = Member{Key: Annotation, Line: v.Line, Col: v.Col, Value: v}
	case last.index >= 0:
		holder.Items[last.index] = v
		v.link(holder, last.index)
	default:
		// The overlay has no key of that name: the value's place is the nearest.
		holder.insert(Member{Key: last.key, Line: v.Line, Col: v.Col, Value: v})
	}
}

// Annotations returns the x-resilience members that an overlay may lay over a
// document: those within its updates where they can be read without one. An
// x-resilience in an example or a schema cannot be told apart from them.
func (o *Overlay) Annotations() []Member {
	var found []Member
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, m := range n.Members {
			switch {
			case m.Key == Annotation:
				found = append(found, m)
			case !strings.HasPrefix(m.Key, "x-") && m.Key != "example" && m.Key != "examples" && m.Key != "default" && m.Key != "properties":
				walk(m.Value)
			}
		}
		for _, item := range n.Items {
			walk(item)
		}
	}
	for i := range o.Actions {
		if u := o.Actions[i].Update; u != nil && !o.Actions[i].Remove {
			walk(u)
		}
	}
	return found
}
