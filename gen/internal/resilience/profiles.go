package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// profile is one of the root's. Several root objects may write one: theirs are levels,
// one over the other.
type profile struct {
	name       string
	all        []level
	operations []ofOperation // in the order in which they stand
}

// ofOperation is what a profile says about one operation.
type ofOperation struct {
	id    string
	key   load.Member
	level level
}

// rootProfiles reads the profiles of one root object.
func (r *reader) rootProfiles(n *load.Node, overlay bool) {
	if n == nil {
		return
	}
	path := key + ".profiles"
	if !n.Is(load.Object) {
		r.wrongType(n, path, "a mapping of names to {all, operations}")
		return
	}
	for _, m := range n.Members {
		at := path + "." + m.Key
		switch {
		case skipped(m.Key):
		case !entryName.fits(m.Key):
			r.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: key %s: want %s", path, shown(m.Key), entryName.want)
		case !m.Value.Is(load.Object):
			r.wrongType(m.Value, at, "a mapping with all and operations")
		default:
			r.profile(m, at, overlay)
		}
	}
}

func (r *reader) profile(m load.Member, path string, overlay bool) {
	i := slices.IndexFunc(r.profiles, func(p *profile) bool { return p.name == m.Key })
	if i < 0 {
		i = len(r.profiles)
		r.profiles = append(r.profiles, &profile{name: m.Key})
	}
	p := r.profiles[i]
	lay := func(n *load.Node, at string, all bool) (level, bool) {
		a := r.annotation(n, at)
		return level{name: "profile " + p.name, overlay: overlay, ofProfile: true, ofAll: all, a: a}, a != nil
	}
	for _, f := range m.Value.Members {
		at := path + "." + f.Key
		switch {
		case skipped(f.Key):
		case f.Key == "all":
			if l, ok := lay(f.Value, at, true); ok {
				p.all = append(p.all, l)
			}
		case f.Key == "operations" && f.Value.Is(load.Object):
			for _, o := range f.Value.Members {
				l, ok := lay(o.Value, at+"."+o.Key, false)
				if ok {
					p.operations = append(p.operations, ofOperation{o.Key, o, l})
				}
			}
		case f.Key == "operations":
			r.wrongType(f.Value, at, "a mapping of operationIds to policies")
		default:
			r.unknownKey(f, path, []string{"all", "operations"})
		}
	}
}

// levelsOf are those of a profile for one operation: all, then its own.
func (p *profile) levelsOf(o *operation) []level {
	out := slices.Clone(p.all)
	for _, x := range p.operations {
		if x.id == o.id() {
			out = append(out, x.level)
		}
	}
	return out
}

// unknownOperations reports profiles that name an operation which the document does
// not have. One that this run leaves out is none of those.
func (m *merger) unknownOperations(all []*operation) {
	known := map[string]bool{}
	var names []string
	add := func(id string) {
		if id != "" && !known[id] {
			known[id] = true
			names = append(names, id)
		}
	}
	byRoute := map[string]string{}
	for _, o := range all {
		add(o.id())
		byRoute[o.op.Method+" "+o.op.Path] = o.op.ID
	}
	for _, id := range m.leftOutIDs {
		add(id)
	}
	for _, p := range m.profiles {
		for _, x := range p.operations {
			if known[x.id] {
				continue
			}
			d := m.list.Error(x.key.Pos(), "resilience-unknown-operation", x.key.Value.Pointer(),
				"%s.profiles.%s.operations: the document has no operation %s", key, p.name, shown(x.id))
			if id := byRoute[x.id]; id != "" {
				d.Hintf("it has an operationId: write %s", shown(id))
			} else if near, ok := diag.Nearest(x.id, names); ok {
				d.Hintf("did you mean %s?", near)
			} else {
				d.Hintf("an operation is named by its operationId, or as METHOD /path where it has none")
			}
		}
	}
}

// leftOutOperations notes the operations of the document that are not among those of
// this run, by filter or because this version cannot build them.
func (m *merger) leftOutOperations(all []*operation) {
	here := map[*load.Node]bool{}
	for _, o := range all {
		here[o.node] = true
	}
	root := m.doc.Root.Root
	for _, part := range []string{"paths", "webhooks"} {
		for _, item := range membersIn(root.Get(part)) {
			for _, f := range operationsOf(item.Value) {
				if here[f.Value] {
					continue
				}
				m.leftOut = true
				id, ok := f.Value.Get("operationId").Str()
				if !ok {
					id = strings.ToUpper(f.Key) + " " + item.Key
				}
				m.leftOutIDs = append(m.leftOutIDs, id)
			}
		}
	}
}

// operationsOf are the operations that a Path Item Object holds itself, by method.
func operationsOf(item *load.Node) []load.Member {
	var out []load.Member
	for _, f := range membersIn(item) {
		switch {
		case f.Key == "additionalOperations":
			out = append(out, membersIn(f.Value)...)
		case slices.Contains(methodKeys, f.Key) && f.Value.Is(load.Object):
			out = append(out, f)
		}
	}
	return out
}

func membersIn(n *load.Node) []load.Member {
	if n == nil {
		return nil
	}
	return n.Members
}
