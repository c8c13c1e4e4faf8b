package policyfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// find is the deepest node that the levels have on a way of names, in the block of a
// side or bare, with its pointer and how many of the names lead to it. Of equally deep
// ones the strongest is taken.
func find(layers []layer, block string, names ...string) (found *Node, pointer string, depth int) {
	depth = -1
	for _, l := range layers {
		for _, start := range [...]struct {
			node    *Node
			pointer string
		}{{l.node, l.pointer}, {l.node.Get(block), below(l.pointer, block)}} {
			n, at, d := start.node, start.pointer, 0
			for _, name := range names {
				next := n.Get(name)
				if next == nil {
					break
				}
				n, at, d = next, below(at, name), d+1
			}
			if n != nil && d >= depth {
				found, pointer, depth = n, at, d
			}
		}
	}
	return found, pointer, depth
}

// check reports what the file has made wrong about an operation.
func (a *applier) check(before, after *policy.Spec, layers []layer) {
	old := *before
	old.Profiles = nil // nor has after any
	had := map[policy.Fault]bool{}
	for _, f := range old.Check() {
		had[f] = true
	}
	for _, f := range after.Check() {
		if !had[f] {
			a.fault(after, f, layers)
		}
	}
	if leaseTooShort(&after.Server) && !leaseTooShort(&before.Server) {
		a.fault(after, policy.Fault{
			Field:   "server.idempotency.lease",
			Message: "it is under timeout.server, so that a second call would start while the first still works",
		}, layers)
	}
	if field := neverBegins(&after.Client); field != "" && neverBegins(&before.Client) == "" {
		a.fault(after, policy.Fault{
			Field:   field,
			Message: "it is less than a try needs to begin, its floor and the deadline's reserve: no call would be made",
		}, layers)
	}
}

// neverBegins is the bound in whose time no try is begun; empty where they are.
func neverBegins(c *policy.Client) string {
	t := c.Timeout
	if t == nil || t.Mode != policy.Enforce {
		return ""
	}
	need := t.Floor
	if d := c.Deadline; d != nil && d.Mode == policy.Enforce && d.Propagate {
		need += d.Reserve
	}
	switch {
	case t.Total > 0 && t.Total < need:
		return "client.timeout.total"
	case t.Attempt > 0 && t.Attempt < need:
		return "client.timeout.attempt"
	}
	return ""
}

// leaseTooShort is what the language calls critical, since a claim would end before
// the work does.
func leaseTooShort(s *policy.Server) bool {
	return s.Idempotency != nil && s.Timeout != nil && s.Timeout.Mode == policy.Enforce && s.Idempotency.Lease < s.Timeout.Handler
}

// fault reports a setting that does not fit, at the place in the file that is nearest
// to it.
func (a *applier) fault(s *policy.Spec, f policy.Fault, layers []layer) {
	field := f.Field
	if rest, ok := strings.CutPrefix(field, "variants."); ok {
		at := strings.Index(rest, ".client.")
		if i := strings.Index(rest, ".server."); at < 0 || i >= 0 && i < at {
			at = i
		}
		field = rest[at+1:]
	}
	block, path, _ := strings.Cut(field, ".")
	n, pointer, _ := find(layers, block, strings.Split(path, ".")...)
	a.shared(Problem{Line: n.Line, Column: n.Column, Pointer: pointer}, f, s.ID)
}

// shared reports a fault of an operation. One place that is wrong for many operations
// is one problem, which names the first and counts the others.
func (a *applier) shared(at Problem, f policy.Fault, id string) {
	if a.of == nil {
		a.of = map[sharedFault][]string{}
	}
	key := sharedFault{at, f}
	message := func(ids []string) string {
		others := ""
		switch n := len(ids) - 1; {
		case n == 1:
			others = " and 1 other"
		case n > 1:
			others = " and " + strconv.Itoa(n) + " others"
		}
		return f.Field + " of " + ids[0] + others + ": " + f.Message
	}
	ids := a.of[key]
	if slices.Contains(ids, id) {
		return
	}
	a.of[key] = append(ids, id)
	now := at
	now.Message = message(a.of[key])
	if len(ids) > 0 {
		at.Message = message(ids)
		if i := slices.Index(a.list, at); i >= 0 {
			a.list[i] = now
		}
		return
	}
	a.addf(at.Line, at.Column, at.Pointer, "%s", now.Message)
}

// sharedFault is a fault at a place, whichever operations have it.
type sharedFault struct {
	at    Problem
	fault policy.Fault
}
