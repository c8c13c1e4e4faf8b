package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var limitChecks = []func(*view){serverLimits}

func serverLimits(v *view) {
	r := v.v.Server.RateLimit
	if r == nil {
		return
	}
	for i := range r.Buckets {
		b := &r.Buckets[i]
		path, patch := "rateLimit", "rateLimit"
		if b.Name != "" {
			path += ".buckets." + b.Name
			patch += ".buckets." + whole(b.Name)
		}
		spoofableKey(v, b, path, patch)
		spoofableTier(v, b, path)
		memoryReplicas(v, path, patch)
	}
}

// chosenByClient reports whether the client writes a value as it likes. The header of
// an API key is not: a wrong one is refused.
func (v *view) chosenByClient(e policy.Expr) bool {
	if e.Source != policy.FromHeader && e.Source != policy.FromQuery {
		return false
	}
	in := "header"
	if e.Source == policy.FromQuery {
		in = "query"
	}
	return !slices.ContainsFunc(v.in.API.Schemes, func(s *ir.SecurityScheme) bool {
		return s.In == in && strings.EqualFold(s.Param, e.Name) || in == "header" && s.Type != "apiKey" && strings.EqualFold(e.Name, "Authorization")
	})
}

func spoofableKey(v *view, b *policy.Bucket, path, patch string) {
	for _, e := range b.Key {
		if !v.chosenByClient(e) {
			continue
		}
		g := v.found("ratelimit-spoofable-key", v.at(server, path+".key"), fmt.Sprintf("a limit for each value of %s, which the client chooses", e))
		key := []string{"$ip"}
		if v.secured() {
			key = []string{"$principal"}
		}
		v.mend(g, server, patch+".key", key)
		return
	}
}

func spoofableTier(v *view, b *policy.Bucket, path string) {
	if b.Plan == nil || !v.chosenByClient(b.Plan.From) {
		return
	}
	v.found("ratelimit-tier-by-header", v.at(server, path+".plan.from", path+".plan"), fmt.Sprintf("the plan comes from %s, which the client chooses", b.Plan.From))
}

func memoryReplicas(v *view, path, patch string) {
	if v.in.API.Replicas < 2 || v.written(server, path+".onStoreError") {
		return
	}
	at, _ := v.within(server, path)
	g := v.found("ratelimit-memory-replicas", at, fmt.Sprintf("a limit of %d replicas without a word on its shared store", v.in.API.Replicas))
	v.mend(g, server, patch+".onStoreError", "local")
}
