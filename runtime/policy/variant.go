package policy

import "slices"

// Profile is the policy of an operation under a name that is chosen when the process
// starts: dev, prod. Each field takes the place of the [Spec]'s, which is what holds
// without a profile.
type Profile struct {
	Name string
	// Dependency is empty where it is the operation's.
	Dependency string
	Client     Client
	Server     Server
	Variants   []Variant
}

// Variant is the policy of an operation for requests of a certain form: a stream
// instead of an answer in one piece, say.
type Variant struct {
	Name string
	// When are the conditions, which all have to hold.
	When []Condition
	// Dependency is empty where it is the operation's.
	Dependency string
	Client     Client
	// Server is nil where it is the operation's.
	Server *Server
}

// Condition compares one value of a request.
type Condition struct {
	Expr Expr
	// Value is compared with [Value.Plain]: the characters of a text, a number
	// and a boolean as they are written.
	Value string
	// Absent holds for a request without such a value; JSON's null is none.
	Absent bool
}

// Holds reports whether the request has what the condition asks for.
func (c *Condition) Holds(l Lookup) bool {
	v, ok := l.Lookup(c.Expr)
	if ok && v.JSON && v.Text == "null" {
		ok = false
	}
	if c.Absent || !ok {
		return c.Absent && !ok
	}
	return v.Plain() == c.Value
}

// Holds reports whether all conditions hold.
func (v *Variant) Holds(l Lookup) bool {
	for i := range v.When {
		if !v.When[i].Holds(l) {
			return false
		}
	}
	return true
}

// Choose is the index of the first variant that holds for a request, -1 where none
// does.
func (s *Spec) Choose(l Lookup) int {
	for i := range s.Variants {
		if s.Variants[i].Holds(l) {
			return i
		}
	}
	return -1
}

// Variant is the operation as its variant i has it, without variants and profiles.
func (s *Spec) Variant(i int) *Spec {
	v := &s.Variants[i]
	out := *s
	out.Variants, out.Profiles = nil, nil
	out.Client = v.Client
	if v.Server != nil {
		out.Server = *v.Server
	}
	if v.Dependency != "" {
		out.Dependency = v.Dependency
	}
	return &out
}

// Profile is the operation as a profile has it; the operation itself where the
// profile changes nothing or the name is empty.
func (s *Spec) Profile(name string) *Spec {
	i := slices.IndexFunc(s.Profiles, func(p Profile) bool { return p.Name == name })
	if i < 0 || name == "" {
		return s
	}
	p := &s.Profiles[i]
	out := *s
	out.Client, out.Server, out.Variants, out.Profiles = p.Client, p.Server, p.Variants, nil
	if p.Dependency != "" {
		out.Dependency = p.Dependency
	}
	return &out
}

// ServerVariants reports whether a server has to tell the variants apart.
func (s *Spec) ServerVariants() bool {
	return slices.ContainsFunc(s.Variants, func(v Variant) bool { return v.Server != nil })
}

// String is the condition as the language writes it.
func (c Condition) String() string {
	if c.Absent {
		return c.Expr.String() + ": null"
	}
	return c.Expr.String() + ": " + c.Value
}
