package policyfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// OffVariable is the environment variable that names the primitives which are
// switched off in a process, separated by commas: HOLDFAST_OFF=breaker,hedge.
const OffVariable = "HOLDFAST_OFF"

// Off is a set of primitives that are switched off in a process, on both sides and
// for all operations, whatever documents and policy files say. The zero value switches
// nothing off.
type Off struct{ names []string }

// offNames are the primitives that can be switched off.
func offNames() []string {
	var names []string
	for _, p := range primitives {
		if p.fixed == "" {
			names = append(names, p.name)
		}
	}
	slices.Sort(names)
	return names
}

// ParseOff reads names separated by commas; spaces around them and empty parts mean
// nothing. A name that is none is an error with those that there are.
func ParseOff(text string) (Off, error) {
	var off Off
	known := offNames()
	for part := range strings.SplitSeq(text, ",") {
		name := strings.TrimSpace(part)
		switch {
		case name == "":
		case !slices.Contains(known, name):
			return Off{}, fmt.Errorf("%s: there is no primitive %s%s there are %s",
				OffVariable, shown(name), nearest(name, known), strings.Join(known, ", "))
		case !slices.Contains(off.names, name):
			off.names = append(off.names, name)
		}
	}
	return off, nil
}

// IsZero reports whether nothing is switched off.
func (o Off) IsZero() bool { return len(o.names) == 0 }

// String lists the names.
func (o Off) String() string { return strings.Join(o.names, ",") }

// Apply is the operation without what is switched off; s itself where that is
// nothing. It does not change s.
func (o Off) Apply(s *policy.Spec) *policy.Spec {
	if o.IsZero() {
		return s
	}
	out := *s
	o.sides(&out.Client, &out.Server)
	out.Variants = slices.Clone(s.Variants)
	for i := range out.Variants {
		v := &out.Variants[i]
		if v.Server == nil {
			o.sides(&v.Client, &policy.Server{})
			continue
		}
		server := *v.Server
		v.Server = &server
		o.sides(&v.Client, v.Server)
	}
	out.Profiles = nil
	return &out
}

var offNode = &Node{Kind: Bool, Text: "false"}

func (o Off) sides(c *policy.Client, s *policy.Server) {
	a := applier{node: offNode}
	for _, name := range o.names {
		a.client(name, c, c)
		a.server(name, s, s)
	}
}
