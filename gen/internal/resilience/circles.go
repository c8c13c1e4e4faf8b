package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// policyCircles reports policies that use themselves, through others or not. Each policy
// is looked at once, so a circle is reported once: at the first of its policies that is
// met.
func (r *reader) policyCircles() {
	done := map[string]bool{}
	onWay := map[string]int{} // places on the way
	var way []string
	var visit func(name string)
	visit = func(name string) {
		onWay[name] = len(way)
		way = append(way, name)
		for _, a := range r.policies[name] {
			if a.use == nil || done[a.use.Text] {
				continue
			}
			used := a.use.Text
			from, circle := onWay[used]
			if !circle {
				visit(used)
				continue
			}
			names := append(slices.Clone(way[from:]), used)
			at := r.useOf(used, names)
			r.list.Error(at.Pos(), "resilience-circle", at.Pointer(), "%s.policies.%s uses itself: %s", key, used, strings.Join(cutWay(names), " -> "))
		}
		way = way[:len(way)-1]
		delete(onWay, name)
		done[name] = true
	}
	for _, name := range r.policyNames {
		if !done[name] {
			visit(name)
		}
	}
}

// cutWay shortens what no message should list in full.
func cutWay(names []string) []string {
	const most = 10
	if len(names) <= most {
		return names
	}
	return slices.Concat(names[:most/2], []string{"…"}, names[len(names)-most/2:])
}

// useOf is where a policy uses the next one of a circle.
func (r *reader) useOf(name string, circle []string) *load.Node {
	for _, a := range r.policies[name] {
		if a.use != nil && len(circle) > 1 && a.use.Text == circle[1] {
			return a.use
		}
	}
	return r.policies[name][0].node
}
