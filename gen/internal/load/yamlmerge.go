package load

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// merger collects what the merge keys of one mapping bring in.
type merger struct {
	taken map[string]bool // keys of the mapping's own and those merged already
}

func (r *yamlReader) newMerger(y *yaml.Node) *merger {
	m := &merger{taken: map[string]bool{}}
	for i := 0; i+1 < len(y.Content); i += 2 {
		k := y.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind == yaml.ScalarNode && k.Tag != "!!merge" {
			m.taken[k.Value] = true
		}
	}
	return m
}

// merge puts the members of the mapping or mappings v, the value of a merge key
// of n, onto the stack: a mapping's own keys come before merged ones, and an
// earlier source before a later one.
func (r *yamlReader) merge(m *merger, n *Node, k, v *yaml.Node, depth int) (int, *fault) {
	line, col := r.at.place(k.Line, k.Column)
	source, height, bad := r.value(v, n, depth+1)
	if bad != nil {
		return 0, bad
	}
	inline := v.Kind != yaml.AliasNode
	switch source.Kind {
	case Object:
		bad = r.mergeFrom(m, n, source, inline)
	case Array:
		// Height one too much: the list itself is not in the tree. Harmless.
		for _, item := range source.Items {
			if item.Kind != Object {
				return 0, badMerge(line, col, item.Kind)
			}
			if bad = r.mergeFrom(m, n, item, inline && item.Parent == source); bad != nil {
				break
			}
		}
	case Null, Bool, Number, String:
		bad = badMerge(line, col, source.Kind)
	}
	return height, bad
}

func badMerge(line, col int32, k Kind) *fault {
	return &fault{
		line: line, col: col, code: "yaml-merge",
		message: fmt.Sprintf(`the merge key "<<" needs a mapping, an alias of one or a list of those, got a %s`, k),
		hint:    `quote the key if "<<" is meant as a name`,
	}
}

// mergeFrom adds the members of source that are not there yet. They are shared,
// not copied, but each costs an entry. What is written inline, directly below the
// merge key, has no place but n.
func (r *yamlReader) mergeFrom(m *merger, n, source *Node, inline bool) *fault {
	r.count += len(source.Members)
	if r.count > r.limit {
		return r.tooMany(n.Line, n.Col)
	}
	for _, member := range source.Members {
		if m.taken[member.Key] {
			continue
		}
		m.taken[member.Key] = true
		if inline && member.Value.Parent == source {
			member.Value.Parent = n
		}
		r.members = append(r.members, member)
	}
	return nil
}
