package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// foreignPrefix begins the name of an operation of another document.
const foreignPrefix = "$sourceDescriptions."

// sourceFiles are the files of the sources by name, nil where there are none.
func (r *reader) sourceFiles() map[string]string {
	if len(r.sources) == 0 {
		return nil
	}
	out := map[string]string{}
	for name, file := range r.sources {
		out[name] = file.Text
	}
	return out
}

// foreign reports whether a node names an operation of another document, and reports
// one that is not there.
func (r *reader) foreign(n *load.Node) bool {
	rest, ok := strings.CutPrefix(n.Text, foreignPrefix)
	if !ok || r.bad[n] {
		return ok
	}
	name, id, _ := strings.Cut(rest, ".")
	source := r.sources[name]
	var what string
	var known []string
	switch {
	case id == "":
		r.bad[n] = true
		r.fail(n, "resilience-unknown-operation", "%s names no operation: want %sNAME.ID", shown(n.Text), foreignPrefix)
		return true
	case source == nil:
		for k := range r.sources {
			known = append(known, k)
		}
		slices.Sort(known)
		what = "there is no source " + shown(name) + " under x-resilience.sources, " + holds(known)
		id = name
	default:
		if known = r.operationsIn(source); known == nil || slices.Contains(known, id) {
			return true
		}
		what = "the source " + name + " has no operation " + shown(id)
	}
	r.bad[n] = true // once
	d := r.list.Error(n.Pos(), "resilience-unknown-operation", n.Pointer(), "%s", what)
	if near, ok := diag.Nearest(id, known); ok {
		d.Hintf("did you mean %s?", near)
	}
	return true
}

// operationsIn are the ids of the operations of a source, which is read when the first
// of them is named; nil where it cannot be read, which is reported at its name, once.
func (r *reader) operationsIn(source *load.Node) []string {
	if ids, done := r.foreignIDs[source]; done {
		return ids
	}
	var ids []string
	// A document that was not loaded, but made, has no other files.
	if r.doc.Version != 0 {
		if root := r.doc.Resolve(source, source.Text, r.list); root != nil {
			ids = []string{}
			for _, part := range []string{"paths", "webhooks"} {
				for _, item := range membersIn(root.Get(part)) {
					for _, f := range operationsOf(item.Value) {
						if id, ok := f.Value.Get("operationId").Str(); ok {
							ids = append(ids, id)
						}
					}
				}
			}
		}
	}
	r.foreignIDs[source] = ids
	return ids
}
