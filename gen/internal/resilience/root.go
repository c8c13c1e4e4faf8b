package resilience

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// key is the name of the extension.
const key = "x-resilience"

// reader reads the annotations of one document.
type reader struct {
	checker
	language *language
	doc      *load.Document
	read     map[*load.Node]*annotation
	shared   map[*load.Node]*sharing // those with faults

	external   bool
	dependency string
	replicas   int
	defaults   []level
	rules      []*rule
	profiles   []*profile
	// policies are those of the root by name; where several root objects have one,
	// each stands over the one before.
	policies    map[string][]*annotation
	policyNames []string
	// circles are the presets, behind their primitive, whose circle was reported.
	circles map[string]bool
	// maxLaid and maxMade bound what is merged.
	maxLaid, maxMade int
	// servers and sources are those of the root by name; flows are the root's keys of
	// section 9, which are read when the operations are known.
	servers []load.Member
	sources map[string]*load.Node
	// foreignIDs are the operations of the sources that were read.
	foreignIDs map[*load.Node][]string
	flows      []load.Member
	// leftOut says that this run leaves operations of the document out, with these
	// IDs.
	leftOut    bool
	leftOutIDs []string
}

func newReader(doc *load.Document, list *diag.List) *reader {
	l := readLanguage()
	return &reader{
		checker:  checker{list: list, bad: map[*load.Node]bool{}, presets: l.presets},
		language: l, doc: doc, read: map[*load.Node]*annotation{}, shared: map[*load.Node]*sharing{}, policies: map[string][]*annotation{}, replicas: 1, sources: map[string]*load.Node{}, foreignIDs: map[*load.Node][]string{},
		circles: map[string]bool{}, maxLaid: maxLaid, maxMade: maxMade,
	}
}

// root reads the extension at the root of the document: the document's own object and
// those of overlays, the weakest first.
func (r *reader) root(objects []*load.Node, title string) {
	r.dependency = kebab(title)
	objects = slices.DeleteFunc(objects, func(n *load.Node) bool {
		return !n.Is(load.Object) && !r.wrongType(n, key, "a mapping with version: 1")
	})
	// What is small comes first: external says whose the bare fields are.
	for _, n := range objects {
		r.version(n)
		r.literalSecrets(n, key)
		for _, m := range n.Members {
			r.rootKey(m)
		}
	}
	// Policies and all that follows may use what stands further down.
	var policies []load.Member
	for _, n := range objects {
		r.rootPresets(n.Get("presets"))
	}
	for _, n := range objects {
		r.checkRootPresets(n.Get("presets"))
		policies = append(policies, r.rootPolicyNames(n.Get("policies"))...)
	}
	r.rootPolicies(policies)
	for _, n := range objects {
		r.rootLevels(n, n.File != r.doc.Root)
	}
}

// rootLevels reads what a root object says about operations.
func (r *reader) rootLevels(n *load.Node, overlay bool) {
	if d := n.Get("defaults"); d != nil {
		if a := r.annotation(d, key+".defaults"); a != nil {
			r.defaults = append(r.defaults, level{name: "defaults", overlay: overlay, source: pointerOf(r.doc.Root, d), a: a})
		}
	}
	r.rootApply(n.Get("apply"), overlay)
	r.rootProfiles(n.Get("profiles"), overlay)
}

// rootKey reads the small fields of the root and reports those that are unknown.
func (r *reader) rootKey(m load.Member) {
	path := key + "." + m.Key
	switch m.Key {
	case "version", "defaults", "policies", "presets", "apply", "profiles":
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
	case "servers":
		r.rootServers(m.Value, path)
		return
	case "sources":
		r.rootSources(m.Value, path)
		return
	case "sagas", "aggregates", "edge":
		r.flows = append(r.flows, m)
		return
	}
	r.otherRootKey(m)
}

func (r *reader) otherRootKey(m load.Member) {
	if skipped(m.Key) {
		return
	}
	if primitiveOf(m.Key) != nil || common[m.Key] != nil || m.Key == "variants" || m.Key == "client" || m.Key == "server" {
		r.list.Error(m.Pos(), "resilience-unknown-key", m.Value.Pointer(), "%s: %s may stand only in a policy", key, m.Key).
			Hintf("policies of the whole document stand under %s.defaults", key)
		return
	}
	r.unknownKey(m, key, rootKeys)
}

func (r *reader) version(n *load.Node) {
	v := n.Get("version")
	switch {
	case v == nil:
		pos := n.Pos() // of a layer, which has no key in the document
		if m, ok := n.Key(); ok {
			pos = m.Pos()
		}
		r.list.Error(pos, "resilience-version", n.Pointer(), "%s: version is missing", key).Hintf("write version: %d", specext.Version)
	case !v.Is(load.Number):
		r.wrongType(v, key+".version", fmt.Sprintf("the number %d", specext.Version))
	default:
		if number, ok := v.Int64(); !ok || number != specext.Version {
			written, _ := v.Written()
			r.list.Error(v.Pos(), "resilience-version", v.Pointer(), "%s.version %s is unknown: this holdfast reads version %d", key, cut(written), specext.Version).
				Hintf("write version: %d, or take a holdfast that reads the other: 'holdfast language' says which one reads what", specext.Version)
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
	for _, m := range n.Members {
		table := r.presets[m.Key]
		switch {
		case skipped(m.Key):
		case table == nil:
			r.unknownKey(m, path, []string{"retry", "breaker", "bulkhead", "rateLimit", "timeout", "cache", "fallback"})
		case !m.Value.Is(load.Object):
			r.wrongType(m.Value, path+"."+m.Key, "a mapping of names to settings")
		default:
			r.addPresets(table, m.Value, path+"."+m.Key)
		}
	}
}

// checkRootPresets checks the presets of a root object, when the names of all are
// known.
func (r *reader) checkRootPresets(n *load.Node) {
	for _, m := range membersIn(n) {
		if r.presets[m.Key] != nil && m.Value.Is(load.Object) {
			r.checkPresets(primitiveOf(m.Key), m.Value, key+".presets."+m.Key)
		}
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
		if below := table.byName[m.Key]; below.key.Value != nil {
			// A root object before this one has it: a level over that.
			below.over = append(slices.Clip(below.over), m.Value)
			table.byName[m.Key] = below
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
			r.settings(p, m.Value, at)
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

// presetCircle reports presets that build on each other, a circle once: at the first
// of its presets.
func (r *reader) presetCircle(p *primitive, m load.Member, path string) {
	table := r.presets[p.name]
	seen := map[string]bool{m.Key: true}
	names := []string{m.Key}
	for name := baseOf(m.Value); name != ""; name = table.byName[name].base() {
		names = append(names, name)
		if name == m.Key {
			r.bad[m.Value] = true
			if r.circles[p.name+" "+name] {
				return
			}
			for _, n := range names {
				r.circles[p.name+" "+n] = true
			}
			r.list.Error(m.Pos(), "resilience-circle", m.Value.Pointer(), "%s builds on itself: %s", path, strings.Join(cutWay(names), " -> "))
			return
		}
		if seen[name] {
			return // a circle further on, which is reported there
		}
		seen[name] = true
	}
}

// base is the preset that one builds on, by the strongest of the root objects that
// names one.
func (p preset) base() string {
	for _, n := range slices.Backward(p.over) {
		if name := baseOf(n); name != "" {
			return name
		}
	}
	return baseOf(p.node)
}

// rootPolicyNames notes the names of a root object's policies.
func (r *reader) rootPolicyNames(n *load.Node) []load.Member {
	if n == nil {
		return nil
	}
	path := key + ".policies"
	if !n.Is(load.Object) {
		r.wrongType(n, path, "a mapping of names to policies")
		return nil
	}
	var out []load.Member
	for _, m := range n.Members {
		switch {
		case skipped(m.Key):
		case !policyName.fits(m.Key):
			r.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: key %s: want %s", path, shown(m.Key), policyName.want)
		default:
			if _, known := r.policies[m.Key]; !known {
				r.policies[m.Key] = nil
				r.policyNames = append(r.policyNames, m.Key)
			}
			out = append(out, m)
		}
	}
	return out
}

// rootPolicies reads the named policies of all root objects, and reports those that
// use each other in a circle.
func (r *reader) rootPolicies(all []load.Member) {
	for _, m := range all {
		if a := r.annotation(m.Value, key+".policies."+m.Key); a != nil {
			r.policies[m.Key] = append(r.policies[m.Key], a)
		}
	}
	r.policyCircles()
}

// kebab is a title as the name of a dependency: Train Travel API becomes
// train-travel-api. Capitals inside a word are no new word: GitHub is one.
func kebab(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return strings.Join(words, "-")
}
