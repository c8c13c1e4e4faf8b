package policyfile

import (
	"reflect"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// instance names one breaker, bulkhead, bucket or budget that operations share.
type instance struct {
	block string // client or server
	kind  string // as messages call it
	// primitive is the way to its settings in the language.
	primitive string
	// dependency and name are the partition; the name of a breaker is its scope.
	dependency, name string
}

// String is what messages call it.
func (i instance) String() string {
	if i.dependency == "" {
		return i.kind
	}
	text := i.kind + " " + i.dependency
	if i.name != "" && i.kind != "breaker" {
		text += "/" + i.name
	}
	return text
}

// member is what an operation says about an instance: which of its policies (itself
// or a variant), and the settings that have to agree.
type member struct {
	spec, policy int
	settings     any
}

// agree reports operations that share an instance and do not agree about it any more:
// whoever came first would decide for the others. By the language only slowCall, cost,
// wait, timeout, hold and refund may differ.
func (a *applier) agree(before, after []*policy.Spec, profile string) {
	old, now := members(before), members(after)
	for i, list := range now {
		if !differ(list) || differ(old[i]) {
			continue
		}
		if !a.disagree(i, list, old[i], after, profile, true) {
			a.disagree(i, list, old[i], after, profile, false)
		}
	}
}

// disagree reports the operations that the file has led away from what all had before;
// own looks only at what is written for one operation, which is then to blame.
func (a *applier) disagree(i instance, list, was []member, after []*policy.Spec, profile string, own bool) (found bool) {
	for _, m := range list {
		if len(was) > 0 && reflect.DeepEqual(m.settings, was[0].settings) {
			continue
		}
		layers := a.file.layers(after[m.spec].ID, profile)
		if own {
			layers = slices.DeleteFunc(layers, func(l layer) bool { return !l.own })
		}
		if n, pointer, depth := find(layers, i.block, strings.Split(i.primitive, ".")...); depth > 0 {
			found = true
			a.addf(n.Line, n.Column, pointer,
				"operations share the %s and have to agree about it: write it for all of them alike", i)
		}
	}
	return found
}

func differ(list []member) bool {
	for _, m := range list[min(1, len(list)):] {
		if !reflect.DeepEqual(m.settings, list[0].settings) {
			return true
		}
	}
	return false
}

// members are the shared instances of operations.
func members(specs []*policy.Spec) map[instance][]member {
	all := map[instance][]member{}
	for n, s := range specs {
		addMembers(all, member{spec: n}, s.ID, s.Dependency, &s.Client, &s.Server)
		for i := range s.Variants {
			v := &s.Variants[i]
			dependency := v.Dependency
			if dependency == "" {
				dependency = s.Dependency
			}
			addMembers(all, member{spec: n, policy: i + 1}, s.ID, dependency, &v.Client, v.Server)
		}
	}
	return all
}

// addMembers adds those of one policy; the server may be nil.
func addMembers(all map[instance][]member, m member, id, dependency string, c *policy.Client, s *policy.Server) {
	if dependency == "" {
		dependency = id
	}
	add := func(i instance, settings any) {
		if i.kind != shedding {
			i.dependency = dependency
		}
		m.settings = settings
		all[i] = append(all[i], m)
	}
	clientInstances(c, add)
	limitInstances("client", c.Bulkhead, c.RateLimit, add)
	if s == nil {
		return
	}
	limitInstances("server", s.Bulkhead, s.RateLimit, add)
	if s.Shed != nil {
		add(instance{block: "server", kind: shedding, primitive: "shed"}, *s.Shed)
	}
}

// shedding is one for a server, whatever the dependency.
const shedding = "shedding of the server"

// clientInstances are the breaker and the retry budget.
func clientInstances(c *policy.Client, add func(instance, any)) {
	if b := c.Breaker; b != nil && (b.Scope != policy.ScopeOperation || len(b.Key) > 0) {
		same, name := *b, b.Scope.String()
		if len(b.Key) > 0 {
			name = "key"
		}
		same.SlowCall, same.Scope, same.Key = 0, 0, nil
		add(instance{block: "client", kind: "breaker", primitive: "breaker", name: name}, same)
	}
	if r := c.Retry; r != nil && r.Budget != nil {
		add(instance{block: "client", kind: "retry budget", primitive: "retry.budget"}, *r.Budget)
	}
}

// limitInstances are the bulkhead and the named buckets of a side.
func limitInstances(block string, b *policy.Bulkhead, r *policy.RateLimit, add func(instance, any)) {
	if b != nil {
		same := *b
		same.Timeout, same.Hold, same.Name = 0, 0, ""
		add(instance{block: block, kind: "bulkhead", primitive: "bulkhead", name: b.Name}, same)
	}
	if r == nil {
		return
	}
	for _, bucket := range r.Buckets {
		if bucket.Name == "" {
			continue // the operation's own
		}
		name := bucket.Name
		bucket.Cost, bucket.CostFrom, bucket.CostActual = 0, policy.Expr{}, policy.Expr{}
		bucket.Wait, bucket.Refund = 0, policy.Statuses{}
		add(instance{block: block, kind: "bucket", primitive: "rateLimit.buckets", name: name}, bucket)
	}
}
