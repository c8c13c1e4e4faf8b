package emit

import (
	"slices"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// clientFuncs are the functions that limits of a client of the group go by, sorted.
func (g *group) clientFuncs() []string {
	var names []string
	for _, o := range g.ops {
		for _, p := range policiesOf(&o.Policy) {
			c, ok := p.(policy.Client)
			if !ok || c.RateLimit == nil {
				continue
			}
			for i := range c.RateLimit.Buckets {
				b := &c.RateLimit.Buckets[i]
				for _, e := range append([]policy.Expr{b.CostFrom}, b.Key...) {
					if e.Source == policy.FromFunc {
						names = append(names, e.Name)
					}
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
