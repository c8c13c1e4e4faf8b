package gen

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// standAlone takes out of the policies what only the program that uses them can give: a
// handler of its own, a model that embeds texts, an outbox, a Redis for answers and a
// database for transactions. What is left is played. Policies may share their parts, so
// changed ones are copies.
func standAlone(api *ir.API) {
	clients, servers := policiesOf(api)
	for _, c := range clients {
		c.Fallback = ownRungs(c.Fallback)
		if c.Cache != nil && c.Cache.Store != policy.CacheInMemory {
			local := *c.Cache
			local.Store = policy.CacheInMemory
			c.Cache = &local
		}
		leased(&c.Idempotency)
	}
	for _, s := range servers {
		leased(&s.Idempotency)
	}
}

// ownRungs are the rungs that need nothing from outside; nil when none is left.
func ownRungs(f *policy.Fallback) *policy.Fallback {
	given := func(r policy.Rung) bool {
		return r.Kind == policy.RungHandler || r.Kind == policy.RungSemanticCache || r.Kind == policy.RungQueue
	}
	if f == nil || !slices.ContainsFunc(f.Rungs, given) {
		return f
	}
	own := *f
	own.Rungs = slices.DeleteFunc(slices.Clone(f.Rungs), given)
	if len(own.Rungs) == 0 {
		return nil
	}
	return &own
}

func leased(i **policy.Idempotency) {
	if *i == nil || (*i).Within == policy.WithinLease {
		return
	}
	local := **i
	local.Within = policy.WithinLease
	*i = &local
}
