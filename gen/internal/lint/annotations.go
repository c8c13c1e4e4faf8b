package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// levels are all annotations of a document but those of the root: of tags, path items
// and operations, each with what overlays laid over it.
func (r *run) levels() []*load.Node {
	var out []*load.Node
	seen := map[*load.Node]bool{}
	holder := func(n *load.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if a := n.Get(load.Annotation); a != nil {
			out = append(out, a)
		}
		for _, m := range r.in.Doc.Layers(n) {
			out = append(out, m.Value)
		}
	}
	for _, tag := range elements(r.in.Doc.Root.Root.Get("tags")) {
		holder(tag)
	}
	for _, o := range r.in.Levels.Operations {
		items, op := r.in.Nodes(o.Op)
		for _, item := range items {
			holder(item)
		}
		holder(op)
	}
	return out
}

// policiesOf are the policies that a root object holds, with the mappings and lists
// that they stand in taken apart.
func policiesOf(root *load.Node) []*load.Node {
	var out []*load.Node
	if n := root.Get("defaults"); n != nil {
		out = append(out, n)
	}
	for _, rule := range elements(root.Get("apply")) {
		if n := rule.Get("policy"); n != nil {
			out = append(out, n)
		}
	}
	for _, m := range entries(root.Get("policies")) {
		out = append(out, m.Value)
	}
	for _, p := range entries(root.Get("profiles")) {
		if n := p.Value.Get("all"); n != nil {
			out = append(out, n)
		}
		for _, m := range entries(p.Value.Get("operations")) {
			out = append(out, m.Value)
		}
	}
	return out
}

// policies are all policies that the document writes, wherever they stand.
func (r *run) policies() []*load.Node {
	out := r.levels()
	for _, root := range r.roots() {
		out = append(out, policiesOf(root)...)
	}
	for _, n := range slices.Clone(out) {
		for _, m := range entries(n.Get("variants")) {
			out = append(out, m.Value)
		}
	}
	return out
}

func unusedPolicies(r *run) {
	used := map[string]bool{}
	for _, n := range r.policies() {
		if name, ok := n.Str(); ok {
			used[name] = true
		}
		if name, ok := n.Get("use").Str(); ok {
			used[name] = true
		}
	}
	r.each("policies", func(m load.Member) {
		if !used[m.Key] {
			r.found("policy-unused", memberSpot(m), "the policy "+m.Key+" is used by nothing")
		}
	})
}

func unusedPresets(r *run) {
	used := map[acceptance]bool{} // primitive and name
	for _, n := range r.policies() {
		namesBelow(n, "", used)
	}
	for _, root := range r.roots() {
		for _, m := range entries(root.Get("sagas")) {
			namesBelow(m.Value, "", used)
		}
		for _, m := range entries(root.Get("presets")) {
			namesBelow(m.Value, m.Key, used)
		}
	}
	r.each("presets", func(kind load.Member) {
		for _, m := range kind.Value.Members {
			if !strings.HasPrefix(m.Key, "x-") && m.Key != "description" && !used[acceptance{kind.Key, m.Key}] {
				r.found("preset-unused", memberSpot(m), "the "+kind.Key+" preset "+m.Key+" is used by nothing")
			}
		}
	})
}

// presetKinds are the primitives that have presets.
var presetKinds = []string{"retry", "breaker", "bulkhead", "rateLimit", "timeout", "cache", "fallback"}

// namesBelow collects the texts that stand somewhere below a primitive, each of which
// may name a preset of it: as its value, as preset or tier, as a bucket or a plan.
func namesBelow(n *load.Node, kind string, used map[acceptance]bool) {
	if text, ok := n.Str(); ok && kind != "" {
		used[acceptance{kind, text}] = true
	}
	for _, item := range elements(n) {
		namesBelow(item, kind, used)
	}
	for _, m := range entries(n) {
		below := kind
		if slices.Contains(presetKinds, m.Key) {
			below = m.Key
		}
		namesBelow(m.Value, below, used)
	}
}

// rootWaiver is the reason of a waiver for the document as a whole: that of the root's
// defaults.
func (r *run) rootWaiver(rule string) (reason string, ok bool) {
	for _, root := range r.roots() {
		n := root.Get("defaults").Get("waive").Get(rule)
		if n == nil {
			continue
		}
		reason, ok = n.Str()
	}
	return reason, ok
}

// unusedWaivers comes last: by then every finding has met its waiver.
func unusedWaivers(r *run) {
	for _, n := range r.policies() {
		for _, m := range entries(n.Get("waive")) {
			reason, ok := m.Value.Str()
			if !ok || r.accepted[acceptance{m.Key, reason}] || !catalog.Known(m.Key) || m.Key == "waiver-unused" {
				continue
			}
			r.found("waiver-unused", memberSpot(m), "there is no finding of "+m.Key+" to accept")
		}
	}
}

// manyWrites is from where on one word is said about too many operations of others.
const manyWrites = 5

// broadLevels finds what makes many writes repeatable at once although nobody of ours
// wrote their server.
func broadLevels(r *run) {
	counts := map[diag.Pos]int{}
	spots := map[diag.Pos]spot{}
	var order []diag.Pos
	note := func(at spot) {
		if at.source.Level == "operation" || !at.source.Overlay && !r.in.API.External {
			return
		}
		if counts[at.pos]++; counts[at.pos] == 1 {
			order, spots[at.pos] = append(order, at.pos), at
		}
	}
	for _, v := range r.views {
		c := &v.v.Client
		if !v.base() || c.Effect != policy.Write {
			continue
		}
		if at, on := v.within(client, "idempotency"); on && c.Idempotency != nil {
			note(at)
		}
		if c.Retry != nil && c.Retry.Safety == policy.SafetyAlways {
			note(v.at(client, "retry.safety"))
		}
	}
	for _, pos := range order {
		if n := counts[pos]; n >= manyWrites {
			r.found("overlay-broad", spots[pos], fmt.Sprintf("one word makes %d writes of %s repeatable", n, r.in.API.Dependency))
		}
	}
}

// overkill names each pattern for several instances once, where there is one.
func overkill(r *run) {
	if r.in.API.Replicas > 1 {
		return
	}
	seen := map[string]bool{}
	note := func(at spot, what string) {
		if !seen[what] {
			seen[what] = true
			r.found("overkill-single-instance", at, what+" for a single instance")
		}
	}
	for _, v := range r.views {
		if v.v.Server.Lock != nil {
			at, _ := v.within(server, "lock")
			note(at, "a distributed lock")
		}
		if at, on := v.within(server, "outbox"); on && v.fields[server]["outbox"].Value != "off" {
			note(at, "an outbox")
		}
		if c := v.v.Client.Cache; c != nil && c.Store == policy.CacheInRedis {
			note(v.at(client, "cache.store"), "a shared cache")
		}
	}
	r.each("sagas", func(m load.Member) { note(memberSpot(m), "a saga") })
	r.each("aggregates", func(m load.Member) { note(memberSpot(m), "event sourcing") })
}
