package load

import "slices"

// What overlays do to the tree. Parsed nodes may be shared through aliases, so a
// node is copied before it changes wherever another place may hold it.

// maxAdded bounds the values that overlays add to a document, copies of what was
// shared included. Two actions that copy the whole into itself double it, so that
// thirty would not fit into any memory.
const maxAdded = 1 << 20

// Home returns the file in whose tree the node stands: its own File, or for a node
// that an overlay brought in the document that the overlay was applied to. It is
// what references at the node are relative to.
func (n *Node) Home() *File {
	if n == nil {
		return nil
	}
	return n.File.home()
}

func (f *File) home() *File {
	if f != nil && f.into != nil {
		return f.into
	}
	return f
}

// clone copies the tree at n, layers included, to stand at the given depth below
// parent. It is nil when that would be too deep or too much.
func (d *Document) clone(n, parent *Node, depth int) *Node {
	if depth > maxDepth || d.added >= maxAdded {
		return nil
	}
	d.added++
	c := &Node{Kind: n.Kind, Text: n.Text, written: n.written, Line: n.Line, Col: n.Col, File: n.File, Parent: parent}
	if len(n.Members) > 0 {
		c.Members = slices.Clone(n.Members)
	}
	for i := range c.Members {
		v := d.clone(c.Members[i].Value, c, depth+1)
		if v == nil {
			return nil
		}
		c.Members[i].Value = v
	}
	if len(n.Items) > 0 {
		c.Items = make([]*Node, len(n.Items))
	}
	for i, item := range n.Items {
		if c.Items[i] = d.clone(item, c, depth+1); c.Items[i] == nil {
			return nil
		}
	}
	for _, over := range d.layers[n] {
		v := d.clone(over.Value, c, depth+1)
		if v == nil {
			return nil
		}
		d.addLayer(c, over, v)
	}
	c.relink()
	return c
}

// addLayer lays a level over what x-resilience there is at holder. The value is
// the layer's alone.
func (d *Document) addLayer(holder *Node, m Member, value *Node) {
	value.Parent, value.slot = holder, layerSlot
	m.Value = value
	if d.layers == nil {
		d.layers = map[*Node][]Member{}
	}
	d.layers[holder] = append(d.layers[holder], m)
}

// relink records anew where n holds its children, and the index of its members.
func (n *Node) relink() {
	for i := range n.Members {
		n.Members[i].Value.link(n, i)
	}
	for i, item := range n.Items {
		item.link(n, i)
	}
	n.index = nil
	if len(n.Members) >= indexFrom {
		n.index = make(map[string]int32, len(n.Members))
		for i := range n.Members {
			n.index[n.Members[i].Key] = int32(i)
		}
	}
}

// insert adds a member, or replaces the one of its name. The value becomes n's.
func (n *Node) insert(m Member) {
	m.Value.Parent = n
	i := n.find(m.Key)
	if i >= 0 {
		n.Members[i] = m
	} else {
		i = len(n.Members)
		n.Members = append(n.Members, m)
		if n.index != nil || len(n.Members) == indexFrom {
			n.indexMember(m.Key, i)
		}
	}
	m.Value.link(n, i)
}

// drop removes children by their slots.
func (n *Node) drop(slots map[int]bool) {
	var members []Member
	for i, m := range n.Members {
		if !slots[i] {
			members = append(members, m)
		}
	}
	var items []*Node
	for i, item := range n.Items {
		if !slots[i] {
			items = append(items, item)
		}
	}
	n.Members, n.Items = members, items
	n.relink()
}

func (n *Node) indexMember(key string, i int) {
	if n.index != nil {
		n.index[key] = int32(i)
		return
	}
	n.relink()
}

// own returns the node at the end of the steps, made a node that no other place
// holds, as are all on the way to it. It is nil when a copy would be too much, or
// when the steps lead nowhere any more.
func (a *applying) own(steps []step) *Node {
	n := a.doc.Root.Root
	for i, s := range steps {
		if n = a.ownChild(n, s, i+2); n == nil {
			return nil
		}
	}
	return n
}

// ownChild is own for one step down from a node of that kind.
func (a *applying) ownChild(parent *Node, s step, depth int) *Node {
	if s.level > 0 {
		over := a.doc.layers[parent]
		if s.level > len(over) {
			return nil
		}
		return over[s.level-1].Value
	}
	i, child := s.index, parent.Index(s.index)
	if s.index < 0 {
		if i = parent.find(s.key); i >= 0 {
			child = parent.Members[i].Value
		}
	}
	if child == nil || !child.shared && child.Parent == parent {
		return child
	}
	c := a.doc.clone(child, parent, depth)
	if c == nil {
		a.tooMuch()
		return nil
	}
	if child.Parent == parent {
		a.moved = true
	}
	if s.index < 0 {
		parent.Members[i].Value = c
	} else {
		parent.Items[i] = c
	}
	c.link(parent, i)
	return c
}

// settle gives nodes that are shared, and whose first place was taken by a copy,
// another of the places that hold them, so that their pointers name them.
func (a *applying) settle() {
	if a.moved {
		a.rehome(a.doc.Root.Root)
	}
}

func (a *applying) rehome(n *Node) {
	visit := func(v *Node, i int) {
		if v.Parent != n && !a.attached(v) {
			v.Parent, v.slot = n, int32(i)
		}
		if v.Parent == n {
			a.rehome(v)
		}
	}
	for i := range n.Members {
		visit(n.Members[i].Value, i)
	}
	for i, item := range n.Items {
		visit(item, i)
	}
}

// attached reports whether the parents of n, each of which holds the one below,
// lead to the root.
func (a *applying) attached(n *Node) bool {
	for ; n.Parent != nil; n = n.Parent {
		if n.place() < 0 {
			return false
		}
	}
	return n == a.doc.Root.Root
}
