package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// mapping is values by names of the user's. false takes a name out again.
type mapping struct {
	key   text
	value shape
}

func (s mapping) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.Object) {
		return c.wrongType(n, path, "a mapping")
	}
	all := true
	for _, m := range n.Members {
		if s.skips(m.Key) {
			continue
		}
		if !s.key.fits(m.Key) {
			c.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: key %s: want %s", path, shown(m.Key), s.key.want)
			c.bad[m.Value] = true
			all = false
			continue
		}
		if v, ok := m.Value.Bool(); ok && !v {
			continue
		}
		if !s.value.check(c, m.Value, path+"."+m.Key) {
			c.bad[m.Value] = true
			all = false
		}
	}
	return all
}

// skips reports whether a key is none of the entries. Where entries are texts, any
// name is one of them: the header x-limit, say.
func (s mapping) skips(name string) bool {
	switch s.value.(type) {
	case literal, list, expression:
		return false
	}
	return skipped(name)
}

// switched is something that true and false turn on and off as well.
type switched struct{ of *object }

func (s switched) check(c *checker, n *load.Node, path string) bool {
	if n.Is(load.Bool) {
		return true
	}
	return s.of.check(c, n, path)
}

// optional is an object that false takes away again.
type optional struct{ of *object }

func (s optional) check(c *checker, n *load.Node, path string) bool {
	if v, ok := n.Bool(); ok && !v {
		return true
	}
	return s.of.check(c, n, path)
}

// pending is a field that is checked as any other, and that this version does not
// act on yet. What turns it off is fine: it is off.
type pending struct{ of shape }

func (s pending) check(c *checker, n *load.Node, path string) bool {
	return s.of.check(c, n, path)
}

// later is a part of the language that this version does not read. What turns
// it off is fine: it is off.
type later struct{}

func (later) check(c *checker, n *load.Node, path string) bool {
	if v, ok := n.Bool(); ok && !v {
		return true
	}
	c.notYet(n, path)
	return false
}

// object is a mapping with known fields.
type object struct {
	fields []field
	// alternatives are groups of fields of which only one may stand: a field
	// that is written drops those of the other groups that were inherited.
	alternatives [][][]string
	// also are keys that somebody else has checked.
	also []string
	// needs are fields without which the others mean nothing; they must stand where
	// the object is written, so it is for objects that are not merged from levels.
	needs []string
}

// field is one of an object's.
type field struct {
	name  string
	shape shape
}

func (o *object) field(name string) (field, bool) {
	for _, f := range o.fields {
		if f.name == name {
			if p, ok := f.shape.(pending); ok {
				f.shape = p.of
			}
			return f, true
		}
	}
	return field{}, false
}

// pending reports whether this version does not act on a field yet.
func (o *object) pending(name string) bool {
	for _, f := range o.fields {
		if f.name == name {
			_, is := f.shape.(pending)
			return is
		}
	}
	return false
}

func (o *object) names() []string {
	names := make([]string, len(o.fields))
	for i, f := range o.fields {
		names[i] = f.name
	}
	return names
}

// rivals are the fields that one excludes.
func (o *object) rivals(name string) []string {
	var out []string
	for _, groups := range o.alternatives {
		at := slices.IndexFunc(groups, func(g []string) bool { return slices.Contains(g, name) })
		for i, g := range groups {
			if at >= 0 && i != at {
				out = append(out, g...)
			}
		}
	}
	return out
}

func (o *object) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.Object) {
		return c.wrongType(n, path, "a mapping")
	}
	all, strange := true, false
	for i, m := range n.Members {
		if skipped(m.Key) || slices.Contains(o.also, m.Key) {
			continue
		}
		f, ok := o.field(m.Key)
		if !ok {
			c.unknownKey(m, path, append(o.names(), o.also...))
			all, strange = false, true
			continue
		}
		if first, clash := o.clash(n.Members[:i], m.Key); clash {
			c.list.Error(m.Pos(), "resilience-conflict", m.Value.Pointer(), "%s: %s and %s exclude each other", path, first.Key, m.Key).
				At(first.Pos(), "%s stands here", first.Key)
			c.bad[m.Value] = true
			all = false
			continue
		}
		if !f.shape.check(c, m.Value, path+"."+m.Key) {
			c.bad[m.Value] = true
			all = false
			continue
		}
		if o.pending(m.Key) && !turnedOff(m.Value) {
			c.notYetKey(m, path+"."+m.Key)
		}
	}
	// What is missing is most likely what has a strange name.
	return (strange || c.needed(o, n, path)) && all
}

// needed reports fields that an object lacks.
func (c *checker) needed(o *object, n *load.Node, path string) bool {
	all := true
	for _, name := range o.needs {
		if !n.Has(name) {
			all = c.fail(n, "resilience-missing", "%s needs %s", path, name)
		}
	}
	return all
}

// clash finds the member that excludes a field.
func (o *object) clash(members []load.Member, name string) (load.Member, bool) {
	for _, rival := range o.rivals(name) {
		for _, m := range members {
			if m.Key == rival {
				return m, true
			}
		}
	}
	return load.Member{}, false
}

// turnedOff reports whether a value turns a thing off.
func turnedOff(n *load.Node) bool {
	v, ok := n.Bool()
	if mode := n.Get("mode"); mode != nil {
		return isOff(mode)
	}
	if on, is := n.Get("enabled").Bool(); is && !on {
		return true
	}
	return ok && !v || n.Is(load.Null)
}

// skipped reports whether a key may stand anywhere and changes nothing.
func skipped(key string) bool { return key == "description" || strings.HasPrefix(key, "x-") }

// isOff reports whether a mode is off. YAML 1.1 reads a bare off as false.
func isOff(n *load.Node) bool {
	if v, ok := n.Bool(); ok {
		return !v
	}
	s, _ := n.Str()
	return s == "off"
}
