package policyfile

import (
	"slices"
	"strings"
)

// checker checks a file against the grammar, whatever operations there are.
type checker struct{ problems }

// free reports a name that may stand in any object and means nothing.
func free(name string) bool { return name == "description" || strings.HasPrefix(name, "x-") }

func (c *checker) atf(n *Node, pointer, format string, args ...any) {
	c.addf(n.Line, n.Column, pointer, format, args...)
}

// unknown reports a name that does not exist.
func (c *checker) unknown(m *Member, pointer string, known []string) {
	c.addf(m.Line, m.Column, pointer, "unknown%s want one of %s", nearest(m.Name, known), strings.Join(known, ", "))
}

// object reports what is no object.
func (c *checker) object(n *Node, pointer string) bool {
	if n.Kind == Object {
		return true
	}
	c.atf(n, pointer, "%s", wrong(n, "an object"))
	return false
}

// root checks the whole file.
func (c *checker) root(n *Node) {
	if !c.object(n, "") {
		return
	}
	if n.Get("version") == nil && !n.misspells("version") {
		c.atf(n, "", "version is missing: want version: 1")
	}
	for i := range n.Members {
		m := &n.Members[i]
		pointer := below("", m.Name)
		switch m.Name {
		case "version":
			if v, ok := intOf(m.Value); !ok || v != 1 {
				c.atf(m.Value, pointer, "%s", wrong(m.Value, "1"))
			}
		case "profiles":
			c.profiles(m.Value, pointer)
		default:
			if !c.levels(m, pointer) && !free(m.Name) && !c.refused(m, pointer, rootFields) {
				c.unknown(m, pointer, []string{"version", "all", "operations", "profiles"})
			}
		}
	}
}

// misspells reports a member that is nearly a name: it is reported itself.
func (n *Node) misspells(name string) bool {
	for _, m := range n.Members {
		if !slices.Contains([]string{"all", "operations", "profiles"}, m.Name) && !free(m.Name) && didYouMean(m.Name, []string{name}) != "" {
			return true
		}
	}
	return false
}

// levels checks all or operations, and is false for anything else.
func (c *checker) levels(m *Member, pointer string) bool {
	switch m.Name {
	case "all":
		c.policy(m.Value, pointer)
	case "operations":
		if c.object(m.Value, pointer) {
			for i := range m.Value.Members {
				if o := &m.Value.Members[i]; !free(o.Name) {
					c.policy(o.Value, below(pointer, o.Name))
				}
			}
		}
	default:
		return false
	}
	return true
}

func (c *checker) profiles(n *Node, pointer string) {
	if !c.object(n, pointer) {
		return
	}
	for i := range n.Members {
		at := below(pointer, n.Members[i].Name)
		profile := n.Members[i].Value
		if free(n.Members[i].Name) || !c.object(profile, at) {
			continue
		}
		for j := range profile.Members {
			m := &profile.Members[j]
			if at := below(at, m.Name); !c.levels(m, at) && !free(m.Name) {
				c.unknown(m, at, []string{"all", "operations"})
			}
		}
	}
}

// refused reports a field of a list that a file cannot change.
func (c *checker) refused(m *Member, pointer string, list []entry) bool {
	for _, e := range list {
		if e.name == m.Name && e.fixed != "" {
			c.addf(m.Line, m.Column, pointer, "a policy file cannot change it: %s", e.fixed)
			return true
		}
	}
	return false
}

// policy checks one policy.
func (c *checker) policy(n *Node, pointer string) {
	switch n.Kind {
	case Bool:
		c.atf(n, pointer, "%s: write what is to be off by its name, such as retry: false", wrong(n, "an object"))
		return
	case String:
		c.atf(n, pointer, "%s: %s", wrong(n, "an object"), isPreset)
		return
	}
	if !c.object(n, pointer) {
		return
	}
	for i := range n.Members {
		m := &n.Members[i]
		at := below(pointer, m.Name)
		switch m.Name {
		case "client":
			c.block(m.Value, at, clientSide)
		case "server":
			c.block(m.Value, at, serverSide)
		default:
			c.policyField(m, at, bothSides)
		}
	}
}

// block checks a client or server block.
func (c *checker) block(n *Node, pointer string, s side) {
	if !c.object(n, pointer) {
		return
	}
	for i := range n.Members {
		c.policyField(&n.Members[i], below(pointer, n.Members[i].Name), s)
	}
}

// policyField checks a field of a policy, or of a block of one side.
func (c *checker) policyField(m *Member, pointer string, s side) {
	if free(m.Name) {
		return
	}
	if p := primitiveOf(m.Name); p != nil {
		switch {
		case p.may&s == 0:
			c.addf(m.Line, m.Column, pointer, "it is for the other side of the wire")
		case p.fixed != "":
			c.addf(m.Line, m.Column, pointer, "a policy file cannot change it: %s", p.fixed)
		default:
			c.primitive(p, m.Value, pointer)
		}
		return
	}
	if m.Name == "criticality" && s != serverSide {
		if bad := policyFields[0].fits(m.Value); bad != "" {
			c.atf(m.Value, pointer, "%s", bad)
		}
		return
	}
	if !c.refused(m, pointer, policyFields) {
		c.unknown(m, pointer, policyNames(s))
	}
}

// policyNames are the names that may stand in a policy or in a block.
func policyNames(s side) []string {
	var names []string
	for _, p := range primitives {
		if p.may&s != 0 && p.fixed == "" {
			names = append(names, p.name)
		}
	}
	if s != serverSide {
		names = append(names, "criticality")
	}
	if s == bothSides {
		names = append(names, "client", "server")
	}
	return names
}

// primitive checks the value of a primitive.
func (c *checker) primitive(p *primitive, n *Node, pointer string) {
	switch n.Kind {
	case Bool:
	case Null:
		c.atf(n, pointer, "null goes back to the built-in policy, which is done when code is generated: write the numbers")
	case String:
		_, span := spanOf(n)
		switch {
		case p.duration && span:
			if bad := duration(n); bad != "" {
				c.atf(n, pointer, "%s", bad)
			}
		case n.Text != "off":
			c.atf(n, pointer, "%s: %s", n.found(), isPreset)
		}
	default:
		if c.object(n, pointer) {
			c.fields(n, pointer, p.fields, true)
		}
	}
}

// fields checks the members of an object. Those of a primitive have a mode as well.
func (c *checker) fields(n *Node, pointer string, list []entry, mode bool) {
	for i := range n.Members {
		m := &n.Members[i]
		at := below(pointer, m.Name)
		e := entryOf(list, m.Name)
		switch {
		case free(m.Name):
		case mode && m.Name == "mode":
			if m.Value.Kind != Bool || m.Value.Text != "false" {
				c.fit(m.Value, at, oneOf("enforce", "shadow", "off"))
			}
		case mode && m.Name == "enabled":
			c.fit(m.Value, at, flag)
		case mode && (m.Name == "preset" || m.Name == "tier"):
			c.addf(m.Line, m.Column, at, "a policy file cannot change it: %s", isPreset)
		case e == nil:
			c.unknown(m, at, changeable(list, mode))
		case e.fixed != "":
			c.addf(m.Line, m.Column, at, "a policy file cannot change it: %s", e.fixed)
		case e.off && m.Value.Kind == Bool:
		case e.fields != nil:
			if c.object(m.Value, at) {
				c.fields(m.Value, at, e.fields, false)
			}
		case e.entries != nil:
			c.entries(m.Value, at, e.entries)
		default:
			c.fit(m.Value, at, e.fits)
		}
	}
	c.alternatives(n, pointer)
}

// exclusive are fields of one object of which a file may write one.
var exclusive = [][2]string{
	{"count", "time"}, {"failureThreshold", "failureRate"}, {"attempt", "p999"}, {"limit", "buckets"}, {"expected", "ttl"},
}

func (c *checker) alternatives(n *Node, pointer string) {
	for _, pair := range exclusive {
		if n.Get(pair[0]) != nil && n.Get(pair[1]) != nil {
			c.atf(n, pointer, "%s and %s exclude each other", pair[0], pair[1])
		}
	}
	if n.Get("headroom") != nil && n.Get("p999") == nil {
		c.atf(n, pointer, "headroom is a factor on p999, which has to be written next to it")
	}
}

// entries checks a map with names of the document's own.
func (c *checker) entries(n *Node, pointer string, list []entry) {
	if !c.object(n, pointer) {
		return
	}
	for i := range n.Members {
		if m := &n.Members[i]; !free(m.Name) && c.object(m.Value, below(pointer, m.Name)) {
			c.fields(m.Value, below(pointer, m.Name), list, false)
		}
	}
}

func (c *checker) fit(n *Node, pointer string, fits func(*Node) string) {
	if bad := fits(n); bad != "" {
		c.atf(n, pointer, "%s", bad)
	}
}

func entryOf(list []entry, name string) *entry {
	for i := range list {
		if list[i].name == name {
			return &list[i]
		}
	}
	return nil
}

// changeable are the names of a list that a file may use.
func changeable(list []entry, mode bool) []string {
	var names []string
	for _, e := range list {
		if e.fixed == "" {
			names = append(names, e.name)
		}
	}
	if mode {
		names = append(names, "mode")
	}
	return names
}
