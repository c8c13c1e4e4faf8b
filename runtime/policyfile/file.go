package policyfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// File is a policy file that has been read and checked. It is immutable.
type File struct {
	name string
	root *Node
}

// Parse reads and checks a file; name is what messages call it. A nil decode is
// [JSON]. The error is an [*Error].
func Parse(name string, data []byte, decode Decoder) (*File, error) {
	if decode == nil {
		decode = JSON
	}
	if len(data) > MaxBytes {
		return nil, &Error{File: name, Problems: []Problem{{Message: "the file is larger than 1 MiB"}}}
	}
	root, err := guarded(decode, data)
	if err != nil {
		if at, ok := errors.AsType[*SyntaxError](err); ok {
			return nil, &Error{File: name, Problems: []Problem{{Line: at.Line, Column: at.Column, Message: at.Message}}}
		}
		return nil, &Error{File: name, Err: err}
	}
	if root == nil {
		root = &Node{Line: 1, Column: 1, Text: "null"}
	}
	var c checker
	c.root(root)
	if err := c.err(name); err != nil {
		return nil, err
	}
	return &File{name: name, root: root}, nil
}

// guarded keeps a decoder that panics from ending the call that looked at the file.
func guarded(decode Decoder, data []byte) (n *Node, err error) {
	defer func() {
		if v := recover(); v != nil {
			n, err = nil, fmt.Errorf("the decoder panicked: %v", v)
		}
	}()
	return decode(data)
}

// layer is one level of a file for one operation.
type layer struct {
	node    *Node
	pointer string
	// own says that it is written for this operation, which then has to have what
	// it changes.
	own bool
}

// layers are the levels of an operation, the weakest first.
func (f *File) layers(id, profile string) []layer {
	var out []layer
	add := func(n *Node, pointer string) {
		if all := n.Get("all"); all != nil {
			out = append(out, layer{all, pointer + "/all", false})
		}
		if own := n.Get("operations").Get(id); own != nil && !free(id) {
			out = append(out, layer{own, below(pointer+"/operations", id), true})
		}
	}
	add(f.root, "")
	if profile != "" && !free(profile) {
		if n := f.root.Get("profiles").Get(profile); n != nil {
			add(n, below("/profiles", profile))
		}
	}
	return out
}

// Apply lays the file over operations, and is their policies in the same order: the
// given ones where the file says nothing about them. The profile is the one that the
// process runs under, whose policies the operations already are; empty for none. None
// of the arguments is changed, and the results share what the file leaves as it is.
//
// The error is an [*Error] with all that does not fit: operations that do not exist,
// settings of primitives that an operation does not have, values that
// [policy.Spec.Check] refuses, and calls that share a breaker, bulkhead, bucket or budget but
// would not agree about it any more.
func (f *File) Apply(specs []*policy.Spec, profile string) ([]*policy.Spec, error) {
	a := applier{file: f}
	a.known(specs)
	out := make([]*policy.Spec, len(specs))
	for i, s := range specs {
		out[i] = a.spec(s, profile)
	}
	a.agree(specs, out, profile)
	if err := a.err(f.name); err != nil {
		return nil, err
	}
	return out, nil
}

// applier lays a file over operations.
type applier struct {
	problems
	file *File
	// Of the field that is being laid on:
	layer   layer
	pointer string
	node    *Node
	hit     bool // somebody has it
	// of are the operations that share a fault.
	of map[sharedFault][]string
}

// known reports operations that do not exist, in all profiles.
func (a *applier) known(specs []*policy.Spec) {
	ids := make(map[string]bool, len(specs))
	for _, s := range specs {
		ids[s.ID] = true
	}
	look := func(n *Node, pointer string) {
		list := n.Get("operations")
		if list == nil {
			return
		}
		for i := range list.Members {
			m := &list.Members[i]
			if !ids[m.Name] && !free(m.Name) {
				a.addf(m.Line, m.Column, below(pointer+"/operations", m.Name), "there is no such operation%s",
					didYouMean(m.Name, slices.Sorted(maps.Keys(ids))))
			}
		}
	}
	look(a.file.root, "")
	if list := a.file.root.Get("profiles"); list != nil {
		for i := range list.Members {
			look(list.Members[i].Value, below("/profiles", list.Members[i].Name))
		}
	}
}

// spec lays the file over one operation.
func (a *applier) spec(s *policy.Spec, profile string) *policy.Spec {
	layers := a.file.layers(s.ID, profile)
	if len(layers) == 0 {
		return s
	}
	out := *s
	a.sides(&out.Client, &out.Server, layers, true)
	out.Variants, out.Profiles = slices.Clone(s.Variants), nil
	for i := range out.Variants {
		v := &out.Variants[i]
		var server *policy.Server
		if v.Server != nil {
			copied := *v.Server
			v.Server, server = &copied, &copied
		}
		a.sides(&v.Client, server, layers, false)
	}
	a.check(s, &out, layers)
	return &out
}

// sides lays the levels over both sides of an operation or of one of its variants;
// the server is nil for a variant that has none of its own. What does not fit is
// reported for the operation itself.
func (a *applier) sides(c *policy.Client, s *policy.Server, layers []layer, report bool) {
	base := policies{*c, policy.Server{}}
	if s != nil {
		base.server = *s
	}
	for _, l := range layers {
		a.layer = l
		for i := range l.node.Members {
			m := &l.node.Members[i]
			if p := primitiveOf(m.Name); p != nil {
				a.lay(m, below(l.pointer, m.Name), p.bare, c, s, &base, report)
			} else if m.Name == "criticality" {
				c.Criticality = wordOf(m.Value, policy.Criticality.String)
			}
		}
		for _, b := range [...]struct {
			name string
			side side
		}{{"client", clientSide}, {"server", serverSide}} {
			block := l.node.Get(b.name)
			if block == nil {
				continue
			}
			for i := range block.Members {
				m := &block.Members[i]
				if primitiveOf(m.Name) != nil {
					a.lay(m, below(below(l.pointer, b.name), m.Name), b.side, c, s, &base, report)
				} else if m.Name == "criticality" {
					c.Criticality = wordOf(m.Value, policy.Criticality.String)
				}
			}
		}
	}
	keepSlowCall(c, &base.client, layers)
}

// policies are both sides of an operation as generated.
type policies struct {
	client policy.Client
	server policy.Server
}

// lay lays one primitive over the sides that it goes to.
func (a *applier) lay(m *Member, pointer string, to side, c *policy.Client, s *policy.Server, base *policies, report bool) {
	a.node, a.pointer, a.hit = m.Value, pointer, false
	before := len(a.list)
	if to&clientSide != 0 {
		a.client(m.Name, c, &base.client)
	}
	if to&serverSide != 0 && s != nil {
		a.server(m.Name, s, &base.server)
	}
	switch {
	case !report:
		a.list = a.list[:min(before, len(a.list))]
	case !a.hit && a.layer.own && !turnsOff(m.Value):
		a.addf(m.Line, m.Column, pointer, "the operation has no %s: a policy file changes what is there", m.Name)
	}
}
