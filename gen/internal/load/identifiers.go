package load

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// identifiers are the names that JSON Schema 2020-12 and OpenAPI 3.2 let a file
// give to its parts.
type identifiers struct {
	anchors map[string][]*Node // $anchor and $dynamicAnchor
	byURI   map[string]*Node   // $id, and $self of a root, as absolute URIs
}

// identifiers finds the names of the file on first use, in one walk.
func (f *File) identifiers() *identifiers {
	if f.ids == nil {
		f.ids = &identifiers{anchors: map[string][]*Node{}, byURI: map[string]*Node{}}
		f.ids.walk(f.Root, f.base())
	}
	return f.ids
}

// base is the URI that the file was found at.
func (f *File) base() *url.URL {
	if f.url != nil {
		return f.url
	}
	return &url.URL{Scheme: "file", Path: filepath.ToSlash(f.Path)}
}

func (ids *identifiers) walk(n *Node, base *url.URL) {
	if n.Kind == Object {
		key := "$id"
		if n.Parent == nil && n.Has("$self") {
			key = "$self"
		}
		if id, ok := n.Get(key).Str(); ok {
			if u, err := url.Parse(id); err == nil {
				base = base.ResolveReference(u)
				ids.add(base, n)
			}
		}
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name, ok := n.Get(key).Str(); ok {
				ids.anchors[name] = append(ids.anchors[name], n)
			}
		}
	}
	// What an alias shares is walked where it stands.
	for i := range n.Members {
		m := &n.Members[i]
		if v := m.Value; v.Parent == n && (v.Kind == Object || v.Kind == Array) && !isValue(n, m.Key) {
			ids.walk(v, base)
		}
	}
	for _, v := range n.Items {
		if v.Parent == n && (v.Kind == Object || v.Kind == Array) {
			ids.walk(v, base)
		}
	}
}

func (ids *identifiers) add(u *url.URL, n *Node) {
	c := *u
	c.Fragment, c.RawFragment = "", ""
	if _, ok := ids.byURI[c.String()]; !ok {
		ids.byURI[c.String()] = n
	}
}

// resource returns the nearest object around n, itself included, that has an
// $id, and the base URI that it sets; the root of the file when there is none.
func resource(n *Node) (*Node, *url.URL) {
	base := n.Home().base()
	var chain []*url.URL
	var nearest *Node
	at := n
	for at.Parent != nil {
		if u := idOf(at, "$id"); u != nil {
			if nearest == nil {
				nearest = at
			}
			chain = append(chain, u)
		}
		at = at.Parent
	}
	for _, key := range []string{"$id", "$self"} {
		if u := idOf(at, key); u != nil {
			chain = append(chain, u)
		}
	}
	for _, id := range slices.Backward(chain) {
		base = base.ResolveReference(id)
	}
	if nearest == nil {
		nearest = n.Home().Root
	}
	return nearest, base
}

func idOf(n *Node, key string) *url.URL {
	if n.Kind != Object {
		return nil
	}
	id, ok := n.Get(key).Str()
	if !ok {
		return nil
	}
	u, err := url.Parse(id)
	if err != nil {
		return nil
	}
	return u
}

// anchor returns the part of the file that has the anchor name, one in the same
// resource as near before all others.
func (f *File) anchor(name string, near *Node) *Node {
	found := f.identifiers().anchors[name]
	if len(found) == 0 {
		return nil
	}
	if near != nil && near.Home() == f {
		own, _ := resource(near)
		for _, n := range found {
			if r, _ := resource(n); r == own {
				return n
			}
		}
	}
	return found[0]
}

// isValue reports whether a member of n is a value that a schema lists or shows, in
// which nothing has a name, and no schema of that name.
func isValue(n *Node, key string) bool {
	switch key {
	case "enum", "const", "default", "example", "examples":
	default:
		return false
	}
	holder, _ := n.Key()
	switch holder.Key {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "schemas", "components", "responses":
		return false
	}
	return true
}

// Mentions reports whether a word stands in the source of a file read so far. It is a
// quick way to know that a keyword is not in use.
func (d *Document) Mentions(word string) bool {
	mentions := func(f *File) bool { return strings.Contains(f.source, word) }
	return slices.ContainsFunc(d.files, mentions) || slices.ContainsFunc(d.overlays, mentions)
}

// ManyAnchors reports whether several schemas of the files read so far have a
// $dynamicAnchor of that name.
func (d *Document) ManyAnchors(name string) bool {
	n := 0
	for _, f := range d.files {
		for _, at := range f.identifiers().anchors[name] {
			if have, _ := at.Get("$dynamicAnchor").Str(); have == name {
				n++
			}
		}
	}
	return n > 1
}

// DynamicAnchors returns the parts with a $dynamicAnchor of the schema resource that n
// stands in, in the order of their names.
func (d *Document) DynamicAnchors(n *Node) []*Node {
	within, _ := resource(n)
	ids := n.Home().identifiers()
	var out []*Node
	for _, name := range slices.Sorted(maps.Keys(ids.anchors)) {
		for _, a := range ids.anchors[name] {
			if at, _ := resource(a); at == within && a.Has("$dynamicAnchor") {
				out = append(out, a)
			}
		}
	}
	return out
}
