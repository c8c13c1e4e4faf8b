package explain

import "strings"

// common is what most operations have: settings that are written once, for all, with
// the others showing only what they have otherwise.
type common struct{ client, server []Field }

// setKey is a setting with where it comes from.
func setKey(f Field) string {
	var b strings.Builder
	text(&b, f.Path, f.Value, f.Source.Level, f.Source.Policy, f.Source.Preset, f.Source.place())
	return b.String()
}

// commonOf are the settings that more than half of all operations have from the same
// place. One policy has nothing in common with others.
func (r *Report) commonOf(groups []*group) common {
	if len(groups) < 2 {
		return common{}
	}
	weights := make([]int, len(r.Policies))
	for _, o := range r.Operations {
		weights[o.Policy]++
	}
	side := func(of func(*Policy) []Field) []Field {
		counts := map[string]int{}
		var order []Field
		for i, p := range r.Policies {
			for _, f := range of(p) {
				k := setKey(f)
				if counts[k] == 0 {
					order = append(order, f)
				}
				counts[k] += weights[i]
			}
		}
		var out []Field
		for _, f := range order {
			if counts[setKey(f)]*2 > len(r.Operations) {
				out = append(out, f)
			}
		}
		return out
	}
	return common{side(func(p *Policy) []Field { return p.Client }), side(func(p *Policy) []Field { return p.Server })}
}

// beyond are the settings that are not what most have. A primitive that lacks one of
// those is there as a whole, for what is not shown would be taken for the same.
func beyond(own, shared []Field) []Field {
	if len(shared) == 0 {
		return own
	}
	ownKeys, ownPaths, sharedKeys := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range own {
		ownKeys[setKey(f)], ownPaths[f.Path] = true, true
	}
	whole := map[string]bool{}
	for _, f := range shared {
		sharedKeys[setKey(f)] = true
		if !ownPaths[f.Path] {
			primitive, _, _ := strings.Cut(f.Path, ".")
			whole[primitive] = true
		}
	}
	var out []Field
	for _, f := range own {
		primitive, _, _ := strings.Cut(f.Path, ".")
		if whole[primitive] || !sharedKeys[setKey(f)] {
			out = append(out, f)
		}
	}
	return out
}
