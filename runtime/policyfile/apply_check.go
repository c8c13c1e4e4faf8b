package policyfile

import (
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
	a.addf(n.Line, n.Column, pointer, "%s of %s: %s", f.Field, s.ID, f.Message)
}
