package resilience

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// annotation is one policy as it is written: a level, or one of the root's
// policies. It has been checked; what is wrong in it is left out.
type annotation struct {
	node *load.Node
	// off is false in the place of a policy: one bare try.
	off bool
	// use is the policy that this one is laid over; nil: none.
	use *load.Node
	// common are the fields of the operation as a whole.
	common map[string]*load.Node
	waive  *load.Node
	// bare and blocks are the primitives, in document order.
	bare   []setting
	client []setting
	server []setting
	// clientCommon are effect and criticality in the client's block.
	clientCommon map[string]*load.Node
	// variants are what requests of a certain form get, in document order.
	variants []variant
}

// setting is what an annotation says about one primitive.
type setting struct {
	primitive *primitive
	node      *load.Node
}

// annotation reads a policy at a node whose path leads the messages. The result is
// nil for what is none.
func (r *reader) annotation(n *load.Node, path string) *annotation {
	if a, ok := r.read[n]; ok {
		return a
	}
	a := r.parse(n, path)
	r.read[n] = a
	return a
}

// level is the annotation of a path item or an operation.
func (r *reader) level(n *load.Node, path string) *annotation {
	if _, done := r.read[n]; done {
		if s := r.shared[n]; s != nil {
			s.add(path)
		}
		return r.annotation(n, path)
	}
	before := r.list.Len()
	r.literalSecrets(n, path)
	a := r.annotation(n, path)
	if faults := r.list.Since(before); len(faults) > 0 {
		r.shared[n] = &sharing{faults: slices.Clone(faults), at: map[string]bool{path: true}}
	}
	return a
}

// sharing are the places that have an annotation with faults: a YAML anchor stands for
// several.
type sharing struct {
	faults []*diag.Diagnostic
	at     map[string]bool
	second string // of the places, by their order in the document
}

func (s *sharing) add(path string) {
	if !s.at[path] && s.second == "" {
		s.second = path
	}
	s.at[path] = true
}

// tellShared says of each fault, which names the first place that has it, where else it is.
func (r *reader) tellShared() {
	for _, s := range r.shared {
		others := len(s.at) - 1
		if others == 0 {
			continue
		}
		text := "; the same at " + strings.TrimSuffix(s.second, ": "+key)
		if others > 1 {
			text += " and " + strconv.Itoa(others-1) + " more"
		}
		for _, d := range s.faults {
			d.Message += text
		}
	}
}

func newAnnotation(n *load.Node) *annotation {
	return &annotation{node: n, common: map[string]*load.Node{}, clientCommon: map[string]*load.Node{}}
}

func (r *reader) parse(n *load.Node, path string) *annotation {
	a := newAnnotation(n)
	off, isBool := n.Bool()
	switch {
	case n.Is(load.String):
		if !r.policyExists(n, path) {
			return nil
		}
		a.use = n
		return a
	case isBool && !off:
		a.off = true
		return a
	case !n.Is(load.Object):
		r.wrongType(n, path, "a policy, the name of one, or false")
		return nil
	}
	for _, m := range n.Members {
		r.member(a, m, path)
	}
	return a
}

// member reads one key of a policy.
func (r *reader) member(a *annotation, m load.Member, path string) {
	at := path + "." + m.Key
	switch {
	case skipped(m.Key):
	case m.Key == "client":
		r.block(a, m, at, clientSide)
	case m.Key == "server":
		r.block(a, m, at, serverSide)
	case m.Key == "variants":
		r.variants(a, m, at)
	case primitiveOf(m.Key) != nil:
		p := primitiveOf(m.Key)
		r.onlyOurs(p, m, at)
		r.primitive(p, m, at, r.bareSides(p))
		a.bare = append(a.bare, setting{p, m.Value})
	case common[m.Key] == nil:
		r.unknownPolicyKey(m, path)
	case common[m.Key] == later{}:
		r.notYetKey(m, at)
	case !common[m.Key].check(&r.checker, m.Value, at):
		r.bad[m.Value] = true
	case m.Key == "use":
		if r.policyExists(m.Value, at) {
			a.use = m.Value
		}
	case m.Key == "waive":
		a.waive = m.Value
	default:
		a.common[m.Key] = m.Value
	}
}

// unknownPolicyKey reports a key that no policy has; one that only the root has
// is named as such.
func (r *reader) unknownPolicyKey(m load.Member, path string) {
	if slices.Contains(rootKeys, m.Key) {
		r.list.Error(m.Pos(), "resilience-unknown-key", m.Value.Pointer(), "%s: %s may stand only in the x-resilience at the root of the document", path, m.Key)
		r.bad[m.Value] = true
		return
	}
	r.unknownKey(m, path, policyKeys())
}

// block reads a client or server block.
func (r *reader) block(a *annotation, m load.Member, path string, s side) {
	if !m.Value.Is(load.Object) {
		r.wrongType(m.Value, path, "a mapping")
		return
	}
	for _, f := range m.Value.Members {
		at := path + "." + f.Key
		p := primitiveOf(f.Key)
		known := slices.Contains(sideKeys(s), f.Key)
		switch {
		case skipped(f.Key):
		case p != nil && known:
			r.primitive(p, f, at, s)
			if s == clientSide {
				a.client = append(a.client, setting{p, f.Value})
			} else {
				a.server = append(a.server, setting{p, f.Value})
			}
		case p != nil:
			r.list.Error(f.Pos(), "resilience-unknown-key", f.Value.Pointer(), "%s: %s is not for the %s", path, f.Key, s).
				Hintf("known here: %s", strings.Join(sideKeys(s), ", "))
			r.bad[f.Value] = true
		case known:
			if common[f.Key].check(&r.checker, f.Value, at) {
				a.clientCommon[f.Key] = f.Value
			}
		default:
			r.unknownKey(f, path, sideKeys(s))
		}
	}
}

// policyExists reports whether a node names one of the root's policies.
func (r *reader) policyExists(n *load.Node, path string) bool {
	if _, ok := r.policies[n.Text]; ok {
		return true
	}
	r.bad[n] = true
	if r.alone {
		r.list.Warn(n.Pos(), "resilience-unknown-policy", n.Pointer(),
			"%s: the overlay has no policy %s: the document has to have it", path, shown(n.Text))
		return false
	}
	names := r.policyNames
	d := r.list.Error(n.Pos(), "resilience-unknown-policy", n.Pointer(), "%s: there is no policy %s under x-resilience.policies, %s", path, shown(n.Text), holds(names))
	if near, ok := diag.Nearest(n.Text, names); ok {
		d.Hintf("did you mean %s?", near)
	}
	return false
}

func holds(names []string) string {
	if len(names) == 0 {
		return "which is empty"
	}
	return "which holds " + several(names)
}

// layer is one of the annotations that a level is made of.
type layer struct {
	// policy is the name of the root's policy that it is; empty for the level itself.
	policy string
	a      *annotation
}

// maxChain bounds the annotations of one level: policies of several root objects that
// use each other grow fast.
const maxChain = 10_000

// chain is an annotation with those that it uses, weakest first. A policy that
// several root objects write is that of each, one over the other.
func (r *reader) chain(a *annotation) []layer {
	return r.chainBelow(nil, a, "", map[string]bool{})
}

func (r *reader) chainBelow(out []layer, a *annotation, name string, seen map[string]bool) []layer {
	if len(out) >= maxChain {
		return out
	}
	if a.use != nil && !seen[a.use.Text] {
		used := a.use.Text
		seen[used] = true // a circle was reported; here it must only end
		for _, p := range r.policies[used] {
			out = r.chainBelow(out, p, used, seen)
		}
		delete(seen, used)
	}
	return append(out, layer{name, a})
}

// waivers are findings that are accepted, each with a reason.
type waivers struct{}

func (waivers) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.Object) {
		return c.wrongType(n, path, "a mapping of rules to reasons")
	}
	all := true
	for _, m := range n.Members {
		ok := true
		off, isBool := m.Value.Bool()
		reason, isText := m.Value.Str()
		switch {
		case skipped(m.Key):
		case !fitsRule(m.Key):
			c.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: key %s: want the id of a rule, in small letters with dashes", path, shown(m.Key))
			ok = false
		case !catalog.Known(m.Key):
			ok = c.unknownRule(m, path)
		case isBool && !off:
		case !isText:
			ok = c.wrongType(m.Value, path+"."+m.Key, "the reason, as text")
		case strings.TrimSpace(reason) == "":
			ok = c.fail(m.Value, "resilience-text", "%s.%s is empty: want the reason", path, m.Key)
		}
		if !ok {
			c.bad[m.Value] = true
			all = false
		}
	}
	return all
}

func fitsRule(id string) bool {
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return id != "" && len(id) <= 100
}

// unknownRule reports a waiver of a rule that there is not.
func (c *checker) unknownRule(m load.Member, path string) bool {
	d := c.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: there is no rule %s", path, shown(m.Key))
	if near := catalog.Nearest(m.Key); near != "" {
		d.Hintf("did you mean %s?", near)
	} else {
		d.Hintf("'holdfast lint --rules' lists them")
	}
	return false
}
