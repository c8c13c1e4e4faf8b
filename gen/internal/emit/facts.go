package emit

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// facts is what the emitters need to know about the types of a document as a whole.
type facts struct {
	// cyclic holds the struct-like types that contain themselves by value, through
	// whatever number of others: a group of them has one number, so a field needs a
	// pointer when its owner and its type have the same.
	cyclic map[*ir.Type]int
	// checked holds the declared types that have, or contain, a constraint.
	checked map[*ir.Type]bool
	// files holds the members of form bodies that are streams of bytes.
	files map[*ir.Type]map[*ir.Field]bool
	// tags holds the keys of variants: type -> discriminator -> the key to write, empty
	// when it has several.
	tags map[*ir.Type]map[string]string
	// counted holds the objects whose number of members is bounded somewhere.
	counted map[*ir.Type]bool
	// same holds the types that are declared as aliases of one that they equal.
	same map[*ir.Type]*ir.Type
}

func newFacts(api *ir.API, table *names.Table) *facts {
	f := &facts{
		cyclic: map[*ir.Type]int{}, checked: map[*ir.Type]bool{},
		files: map[*ir.Type]map[*ir.Field]bool{}, tags: map[*ir.Type]map[string]string{},
	}
	f.findFiles(api)
	f.findTags(api.Types)
	f.findCycles(api.Types)
	f.findChecked(api.Types)
	f.findCounted(api)
	f.findSame(api.Types, table)
	return f
}

// resolve follows aliases to the type that decides about the shape.
func resolve(t *ir.Type) *ir.Type {
	for range 1000 { // lower refuses cyclic aliases; the bound keeps a slip from hanging
		if t.Kind != ir.KindAlias || t.Target == nil || t.GoType != nil {
			break
		}
		t = t.Target.Type
	}
	return t
}

// nullable reports whether a use admits null, by itself or by its type.
func nullable(u *ir.Use) bool {
	if u.Nullable {
		return true
	}
	t := u.Type
	for range 1000 {
		if t.Nullable {
			return true
		}
		if t.Kind != ir.KindAlias || t.Target == nil || t.GoType != nil {
			return false
		}
		if t.Target.Nullable {
			return true
		}
		t = t.Target.Type
	}
	return false
}

// class is how a type behaves as a Go value.
type class uint8

const (
	classScalar class = iota // held by value; needs Opt or Null to be absent
	classStruct              // struct, union, tuple: a nil pointer is its absence
	classList                // array, map, bytes: nil is its absence
	classAny                 // any: nil is null
)

func classOf(t *ir.Type) class {
	t = resolve(t)
	if t.GoType != nil {
		return classScalar
	}
	switch t.Kind {
	case ir.KindStruct, ir.KindUnion, ir.KindTuple:
		return classStruct
	case ir.KindArray, ir.KindMap, ir.KindBinary:
		return classList
	case ir.KindScalar:
		if t.Scalar == ir.Bytes {
			return classList
		}
		return classScalar
	case ir.KindAny:
		return classAny
	default:
		return classScalar
	}
}

// held lists the struct-like types that t holds by value.
func held(t *ir.Type) []*ir.Type {
	var out []*ir.Type
	add := func(u *ir.Use, inline bool) {
		if u != nil && inline && classOf(u.Type) == classStruct {
			out = append(out, resolve(u.Type))
		}
	}
	switch t.Kind {
	case ir.KindStruct:
		for _, f := range t.Fields {
			add(f.Use, f.Required != nullable(f.Use)) // by value, or in an OptNull
		}
	case ir.KindTuple:
		for _, u := range t.Tuple {
			add(u, !nullable(u))
		}
	}
	return out
}

// findCycles numbers the groups of types that hold each other by value (Tarjan's
// strongly connected components, without recursion: documents nest deeply).
func (f *facts) findCycles(types []*ir.Type) {
	s := &scc{index: map[*ir.Type]int{}, low: map[*ir.Type]int{}, on: map[*ir.Type]bool{}}
	for _, t := range types {
		if _, seen := s.index[t]; !seen {
			s.walk(t)
		}
	}
	for i, group := range s.groups {
		for _, t := range group {
			f.cyclic[t] = i + 1
		}
	}
}

type scc struct {
	index, low map[*ir.Type]int
	on         map[*ir.Type]bool
	stack      []*ir.Type
	groups     [][]*ir.Type // only those with a cycle
}

type sccFrame struct {
	t    *ir.Type
	next []*ir.Type
}

func (s *scc) enter(t *ir.Type) sccFrame {
	s.index[t] = len(s.index)
	s.low[t] = s.index[t]
	s.stack = append(s.stack, t)
	s.on[t] = true
	return sccFrame{t: t, next: held(t)}
}

func (s *scc) walk(root *ir.Type) {
	frames := []sccFrame{s.enter(root)}
	for len(frames) > 0 {
		top := &frames[len(frames)-1]
		if len(top.next) > 0 {
			n := top.next[0]
			top.next = top.next[1:]
			if _, seen := s.index[n]; !seen {
				frames = append(frames, s.enter(n))
			} else if s.on[n] {
				s.low[top.t] = min(s.low[top.t], s.index[n])
			}
			continue
		}
		t := top.t
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			up := frames[len(frames)-1].t
			s.low[up] = min(s.low[up], s.low[t])
		}
		if s.low[t] == s.index[t] {
			s.pop(t)
		}
	}
}

func (s *scc) pop(t *ir.Type) {
	var group []*ir.Type
	for {
		n := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		s.on[n] = false
		group = append(group, n)
		if n == t {
			break
		}
	}
	if len(group) > 1 {
		s.groups = append(s.groups, group)
		return
	}
	if slices.Contains(held(t), t) {
		s.groups = append(s.groups, group)
	}
}

// recursive reports whether a field of owner needs a pointer to hold t.
func (f *facts) recursive(owner, t *ir.Type) bool {
	n := f.cyclic[owner]
	return n != 0 && n == f.cyclic[resolve(t)]
}

// findChecked finds the declared types that have something to validate: first those
// with constraints of their own, then, until nothing changes, those that hold one.
func (f *facts) findChecked(types []*ir.Type) {
	for changed := true; changed; {
		changed = false
		for _, t := range types {
			if t.Declared && !f.checked[t] && f.constrained(t) {
				f.checked[t] = true
				changed = true
			}
		}
	}
}

// constrained reports whether a type's own declaration has something to validate.
func (f *facts) constrained(t *ir.Type) bool {
	if t.GoType != nil {
		return false
	}
	if hasChecks(t.Checks) {
		return true
	}
	return slices.ContainsFunc(parts(t), f.needsCheck)
}

// needsCheck reports whether the value of a use has something to validate.
func (f *facts) needsCheck(u *ir.Use) bool {
	if u == nil {
		return false
	}
	for range 1000 {
		t := u.Type
		switch {
		case t.GoType != nil:
			return false
		case hasChecks(u.Checks) || hasChecks(t.Checks) || f.checked[t]:
			return true
		case t.Kind == ir.KindAlias && t.Target != nil:
			u = t.Target
			continue
		case t.Declared:
			return false
		case t.Kind == ir.KindArray || t.Kind == ir.KindMap:
			if t.Elem == nil {
				return false
			}
			u = t.Elem
			continue
		}
		return f.constrained(t)
	}
	return false
}

// parts lists the uses that a type's declaration contains.
func parts(t *ir.Type) []*ir.Use {
	var out []*ir.Use
	for _, f := range t.Fields {
		out = append(out, f.Use)
	}
	out = append(out, t.Tuple...)
	out = append(out, t.Elem, t.Extra)
	for _, p := range t.Patterns {
		out = append(out, p.Use)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			out = append(out, v.Use)
		}
	}
	if t.Kind == ir.KindAlias {
		out = append(out, t.Target)
	}
	return out
}

func hasChecks(c *ir.Checks) bool {
	return c != nil && (c.Minimum != "" || c.Maximum != "" || c.MultipleOf != "" ||
		c.MinLength != nil || c.MaxLength != nil || len(c.Pattern) > 0 || c.Format != "" ||
		c.MinItems != nil || c.MaxItems != nil || c.UniqueItems ||
		c.MinProperties != nil || c.MaxProperties != nil || len(c.Rules) > 0)
}

// findFiles finds the parts of forms that stream.
func (f *facts) findFiles(api *ir.API) {
	for _, ops := range [][]*ir.Operation{api.Operations, api.Webhooks} {
		for _, op := range ops {
			eachContent(op, f.contentFiles)
		}
	}
}

func (f *facts) contentFiles(c *ir.Content) {
	if c.Use == nil {
		return
	}
	t := resolve(c.Use.Type)
	for _, p := range c.Parts {
		if !p.File {
			continue
		}
		if f.files[t] == nil {
			f.files[t] = map[*ir.Field]bool{}
		}
		f.files[t][p.Field] = true
	}
}

// findTags finds the key that stands for each variant of a discriminated union.
func (f *facts) findTags(types []*ir.Type) {
	for _, t := range types {
		u := t.Union
		if u == nil || u.Dispatch != ir.ByDiscriminator {
			continue
		}
		for _, v := range u.Variants {
			target := resolve(v.Use.Type)
			key := v.Write
			if v == u.Fallback && !requires(target, u.Property) {
				key = "" // without the member it reads back as the same
			}
			if f.tags[target] == nil {
				f.tags[target] = map[string]string{}
			}
			if have, ok := f.tags[target][u.Property]; ok && have != key {
				key = ""
			}
			f.tags[target][u.Property] = key
		}
	}
}

// requires reports whether an object has a required member of that name.
func requires(t *ir.Type, name string) bool {
	for _, f := range t.Fields {
		if f.Name == name {
			return f.Required
		}
	}
	return false
}

// tag is the key that stands in for an unset discriminator of t.
func (f *facts) tag(t *ir.Type, field *ir.Field) (string, bool) {
	key := f.tags[t][field.Name]
	return key, key != "" && isText(field.Use)
}

// isText reports whether a use is a string that can hold any key.
func isText(u *ir.Use) bool {
	t := resolve(u.Type)
	return t.GoType == nil && t.Const == nil && !nullable(u) && t.Scalar == ir.String &&
		(t.Kind == ir.KindScalar || t.Kind == ir.KindEnum && !isMixed(t))
}

// eachContent calls f with each body and response of an operation and its callbacks.
func eachContent(op *ir.Operation, f func(*ir.Content)) {
	if op.Body != nil {
		for _, c := range op.Body.Contents {
			f(c)
		}
	}
	for _, r := range op.Responses {
		for _, c := range r.Contents {
			f(c)
		}
	}
	for _, cb := range op.Callbacks {
		if cb.Operation != nil {
			eachContent(cb.Operation, f)
		}
	}
}
