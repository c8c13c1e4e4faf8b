package resilience

import (
	"strings"
	"unicode"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// key is the name of the extension.
const key = "x-resilience"

// reader reads the annotations of one document.
type reader struct {
	checker
	language *language
	read     map[*load.Node]*annotation

	external   bool
	dependency string
	replicas   int
	defaults   *annotation
	policies   map[string]*annotation
	// policyNames are the members of policies, in document order.
	policyNames []load.Member
}

func newReader(list *diag.List) *reader {
	l := readLanguage()
	return &reader{
		checker:  checker{list: list, bad: map[*load.Node]bool{}, presets: l.presets},
		language: l, read: map[*load.Node]*annotation{}, policies: map[string]*annotation{}, replicas: 1,
	}
}

// root reads the extension at the root of the document; n is nil where there is
// none.
func (r *reader) root(n *load.Node, title string) {
	r.dependency = kebab(title)
	if n == nil {
		return
	}
	if !n.Is(load.Object) {
		r.wrongType(n, key, "a mapping with version: 1")
		return
	}
	r.version(n)
	r.literalSecrets(n, key)
	for _, m := range n.Members {
		r.rootKey(m)
	}
	// Policies and defaults may use what stands further down.
	r.rootPresets(n.Get("presets"))
	r.rootPolicies(n.Get("policies"))
	if m, ok := n.Member("defaults"); ok {
		r.defaults = r.annotation(m.Value, key+".defaults")
	}
}

// rootKey reads the small fields of the root and reports those that are unknown or
// not built yet.
func (r *reader) rootKey(m load.Member) {
	path := key + "." + m.Key
	switch m.Key {
	case "version", "defaults", "policies", "presets":
		return
	case "dependency":
		if dependencyName.check(&r.checker, m.Value, path) {
			r.dependency = m.Value.Text
		}
		return
	case "external":
		if (flag{}).check(&r.checker, m.Value, path) {
			r.external, _ = m.Value.Bool()
		}
		return
	case "replicas":
		if (integer{1, manyCalls}).check(&r.checker, m.Value, path) {
			n, _ := m.Value.Int64()
			r.replicas = int(n)
		}
		return
	}
	if skipped(m.Key) {
		return
	}
	if primitiveOf(m.Key) != nil || common[m.Key] != nil || m.Key == "client" || m.Key == "server" {
		r.list.Error(m.Pos(), "resilience-unknown-key", m.Value.Pointer(), "%s: %s may stand only in a policy", key, m.Key).
			Hintf("policies of the whole document stand under %s.defaults", key)
		return
	}
	var known []string
	for _, k := range rootKeys {
		if k.soon && k.name == m.Key {
			r.notYetKey(m, path)
			return
		}
		known = append(known, k.name)
	}
	r.unknownKey(m, key, known)
}

func (r *reader) version(n *load.Node) {
	v := n.Get("version")
	switch {
	case v == nil:
		at, _ := n.Key()
		r.list.Error(at.Pos(), "resilience-version", n.Pointer(), "%s: version is missing", key).Hintf("write version: 1")
	case !v.Is(load.Number):
		r.wrongType(v, key+".version", "the number 1")
	default:
		if number, ok := v.Int64(); !ok || number != 1 {
			written, _ := v.Written()
			r.fail(v, "resilience-version", "%s.version %s is unknown: this holdfast reads version 1", key, cut(written))
		}
	}
}

// rootPresets adds the user's presets to ours.
func (r *reader) rootPresets(n *load.Node) {
	if n == nil {
		return
	}
	path := key + ".presets"
	if !n.Is(load.Object) {
		r.wrongType(n, path, "a mapping")
		return
	}
	var own []load.Member
	for _, m := range n.Members {
		table := r.presets[m.Key]
		switch {
		case skipped(m.Key):
		case m.Key == "cache" || m.Key == "fallback":
			r.notYetKey(m, path+"."+m.Key)
		case table == nil:
			r.unknownKey(m, path, []string{"retry", "breaker", "bulkhead", "rateLimit", "timeout", "cache", "fallback"})
		case !m.Value.Is(load.Object):
			r.wrongType(m.Value, path+"."+m.Key, "a mapping of names to settings")
		default:
			own = append(own, m)
			r.addPresets(table, m.Value, path+"."+m.Key)
		}
	}
	for _, m := range own {
		r.checkPresets(primitiveOf(m.Key), m.Value, path+"."+m.Key)
	}
}

// addPresets makes names known, so that presets may build on each other in any
// order.
func (r *reader) addPresets(table *presets, n *load.Node, path string) {
	for _, m := range n.Members {
		if skipped(m.Key) {
			continue
		}
		if !entryName.fits(m.Key) {
			r.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: key %s: want %s", path, shown(m.Key), entryName.want)
			continue
		}
		table.byName[m.Key] = preset{node: m.Value, key: m}
	}
}

func (r *reader) checkPresets(p *primitive, n *load.Node, path string) {
	for _, m := range n.Members {
		if skipped(m.Key) || !entryName.fits(m.Key) {
			continue
		}
		at := path + "." + m.Key
		switch {
		case p.name == "timeout" && m.Value.Is(load.String):
			if !(duration{}).check(&r.checker, m.Value, at) {
				r.bad[m.Value] = true
			}
		case !m.Value.Is(load.Object):
			r.wrongType(m.Value, at, "a mapping")
			r.bad[m.Value] = true
		default:
			r.settings(p, m.Value, at, bothSides)
			r.presetCircle(p, m, at)
		}
	}
}

// baseOf is the preset that one builds on, "" for none.
func baseOf(n *load.Node) string {
	for _, k := range []string{"preset", "tier"} {
		if s, ok := n.Get(k).Str(); ok {
			return s
		}
	}
	return ""
}

// presetCircle reports presets that build on each other.
func (r *reader) presetCircle(p *primitive, m load.Member, path string) {
	table := r.presets[p.name]
	seen := map[string]bool{m.Key: true}
	names := []string{m.Key}
	for name := baseOf(m.Value); name != ""; name = baseOf(table.byName[name].node) {
		names = append(names, name)
		if name == m.Key {
			r.list.Error(m.Pos(), "resilience-circle", m.Value.Pointer(), "%s builds on itself: %s", path, strings.Join(names, " -> "))
			r.bad[m.Value] = true
			return
		}
		if seen[name] {
			return // a circle further on, which is reported there
		}
		seen[name] = true
	}
}

// rootPolicies reads the named policies, and reports those that use each other in
// a circle.
func (r *reader) rootPolicies(n *load.Node) {
	if n == nil {
		return
	}
	path := key + ".policies"
	if !n.Is(load.Object) {
		r.wrongType(n, path, "a mapping of names to policies")
		return
	}
	for _, m := range n.Members {
		if skipped(m.Key) {
			continue
		}
		if !policyName.fits(m.Key) {
			r.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: key %s: want %s", path, shown(m.Key), policyName.want)
			continue
		}
		r.policies[m.Key] = nil
		r.policyNames = append(r.policyNames, m)
	}
	for _, m := range r.policyNames {
		r.policies[m.Key] = r.annotation(m.Value, path+"."+m.Key)
	}
	for _, m := range r.policyNames {
		r.policyCircle(m)
	}
}

func (r *reader) policyCircle(m load.Member) {
	names := []string{m.Key}
	seen := map[string]bool{m.Key: true}
	for a := r.policies[m.Key]; a != nil && a.use != nil; a = r.policies[a.use.Text] {
		name := a.use.Text
		names = append(names, name)
		if name == m.Key {
			r.list.Error(r.policies[m.Key].use.Pos(), "resilience-circle", r.policies[m.Key].use.Pointer(),
				"%s.policies.%s uses itself: %s", key, m.Key, strings.Join(names, " -> "))
			return
		}
		if seen[name] {
			return
		}
		seen[name] = true
	}
}

// kebab is a title as the name of a dependency: Train Travel API becomes
// train-travel-api. Capitals inside a word are no new word: GitHub is one.
func kebab(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return strings.Join(words, "-")
}
