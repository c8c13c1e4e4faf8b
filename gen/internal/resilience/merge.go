package resilience

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// weight is that of a level: 0 is the built-in policy, and a stronger level has a
// higher one.
type weight int

// value is a merged value: a scalar or a list is its node, an object or a mapping
// its members in the order in which they came.
type value struct {
	node *load.Node
	// at is where the user wrote what led to it: the node itself, or the name
	// of a preset. It is nil for what is built in.
	at     *load.Node
	weight weight
	// preset is the one that brought it, empty for none.
	preset string
	object bool
	keys   []string
	values []*value
}

// get is the member called name, nil when there is none.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	if i := slices.Index(v.keys, name); i >= 0 {
		return v.values[i]
	}
	return nil
}

func (v *value) put(name string, member *value) {
	if i := slices.Index(v.keys, name); i >= 0 {
		v.values[i] = member
		return
	}
	v.keys = append(v.keys, name)
	v.values = append(v.values, member)
}

func (v *value) drop(name string) {
	if i := slices.Index(v.keys, name); i >= 0 {
		v.keys = slices.Delete(v.keys, i, i+1)
		v.values = slices.Delete(v.values, i, i+1)
	}
}

// slot is a primitive on one side while levels are laid over each other.
type slot struct {
	on     bool
	fields *value
	// at is what last said anything about it, nil for the built-in policy.
	at     *load.Node
	weight weight
	// bare says that false in the place of a whole policy turned it off, above defaults.
	bare bool
}

// merger lays values over each other.
type merger struct {
	*reader
	file *load.File // the document
	// index finds what annotations name.
	index *index
	// preset is the one whose fields are being laid.
	preset string
	// base are the slots of the built-in policy, which null goes back to.
	base func(p *primitive, s side) slot
	// laid and made count levels and policies; full says that they are too many.
	laid, made int
	full       bool
}

// Bounds on what a small document can make: a rule for all operations counts for each
// of them, and so does a variant under each profile. The largest documents that are
// known come to some hundredth of them.
const (
	maxLaid = 1_000_000
	maxMade = 100_000
)

// tooMuch reports, once, levels or policies that are too many to be merged.
func (m *merger) tooMuch() bool {
	what, bound := "levels", m.maxLaid
	if m.made > m.maxMade {
		what, bound = "policies", m.maxMade
	}
	if m.laid <= m.maxLaid && m.made <= m.maxMade || m.full {
		return m.full
	}
	m.full = true
	root := m.doc.Root.Root
	pos := root.Pos()
	if k, ok := root.Member(key); ok {
		pos = k.Pos()
	}
	m.list.Error(pos, "too-many-values", root.Pointer(), "%s: all operations together have more than %d %s", key, bound, what).
		Hintf("levels count for each operation that they are for, and policies for each variant and profile of it")
	return true
}

// lay lays what an annotation says about a primitive over its slot.
func (m *merger) lay(s *slot, p *primitive, at side, n *load.Node, w weight) {
	if m.bad[n] {
		return
	}
	on, isBool := n.Bool()
	switch {
	case n.Is(load.Null):
		*s = m.base(p, at)
		return // its position is that of the built-in policy
	case isBool && !on:
		*s = slot{}
	case isBool:
		if !s.on {
			m.start(s, p, n, w)
		}
	case n.Is(load.String):
		if p.name == "timeout" && startsLikeDuration(n.Text) {
			if !s.on {
				m.start(s, p, n, w)
			}
			m.replace(s.fields, p.object, "attempt", n, n, w)
			break
		}
		m.reset(s, p, n.Text, n, w)
	case n.Is(load.Array):
		if !s.on {
			m.start(s, p, n, w)
		}
		m.replace(s.fields, p.object, p.list, n, n, w)
	case turnsOff(n):
		*s = slot{}
	default:
		m.settings(s, p, n, n, w)
	}
	s.at, s.weight = n, w
}

// turnsOff reports whether settings say that the primitive is off.
func turnsOff(n *load.Node) bool {
	if mode := n.Get("mode"); mode != nil && isOff(mode) {
		return true
	}
	on, ok := n.Get("enabled").Bool()
	return ok && !on
}

// settings lays an object over a slot. at is what the user wrote where that is
// another node.
func (m *merger) settings(s *slot, p *primitive, n, at *load.Node, w weight) {
	if name := m.baseName(p, n); name != nil {
		from := at
		if at == n {
			from = name
		}
		m.reset(s, p, name.Text, from, w)
	} else if !s.on {
		m.start(s, p, at, w)
	}
	for _, f := range n.Members {
		switch {
		case skipped(f.Key) || m.bad[f.Value]:
		case f.Key == "enabled" || f.Key == "preset" && p.presets || f.Key == "tier" && p.tier:
		case f.Key == "mode":
			s.fields.put("mode", &value{node: f.Value, at: below(f.Value, n, at), weight: w, preset: m.preset})
		default:
			m.replace(s.fields, p.object, f.Key, f.Value, below(f.Value, n, at), w)
		}
	}
	m.limitWithoutBurst(s.fields, n)
}

// baseName is the preset that an object names, nil for none.
func (m *merger) baseName(p *primitive, n *load.Node) *load.Node {
	for _, k := range []string{"preset", "tier"} {
		if v := n.Get(k); v.Is(load.String) && !m.bad[v] && (k == "preset" && p.presets || k == "tier" && p.tier) {
			return v
		}
	}
	return nil
}

// start turns a primitive on as it is where nothing is said: the defaults of its
// fields, and its default preset over them.
func (m *merger) start(s *slot, p *primitive, at *load.Node, w weight) {
	if table := m.language.presets[p.name]; table != nil && table.start != "" {
		m.reset(s, p, table.start, at, w)
		return
	}
	m.empty(s, p)
}

// empty is a primitive that is on with the defaults of its fields. A bulkhead has
// none that suit everybody and begins as the built-in policy's.
func (m *merger) empty(s *slot, p *primitive) {
	*s = slot{on: true, fields: &value{object: true}}
	fields := m.language.fields.Get(p.name)
	if p.name == "bulkhead" {
		fields = m.language.defaults.At("/client/bulkhead")
	}
	if fields == nil {
		return
	}
	for _, f := range fields.Members {
		m.replace(s.fields, p.object, f.Key, f.Value, nil, 0)
	}
}

// reset makes a primitive what a preset says. at is what the user wrote.
func (m *merger) reset(s *slot, p *primitive, name string, at *load.Node, w weight) {
	m.empty(s, p)
	outer := m.preset
	for _, l := range m.presetLayers(nil, p, name) {
		n := l.node
		m.preset = l.name
		if n.Is(load.String) {
			m.replace(s.fields, p.object, "attempt", n, at, w)
			continue
		}
		if !n.Is(load.Object) || m.bad[n] {
			continue
		}
		for _, f := range n.Members {
			if skipped(f.Key) || m.bad[f.Value] || f.Key == "enabled" || f.Key == "preset" && p.presets || f.Key == "tier" && p.tier {
				continue
			}
			if f.Key == "mode" {
				s.fields.put("mode", &value{node: f.Value, at: at, weight: w, preset: m.preset})
				continue
			}
			m.replace(s.fields, p.object, f.Key, f.Value, at, w)
		}
		m.limitWithoutBurst(s.fields, n)
	}
	m.preset = outer
}

// presetLayer is what one root object says about a preset.
type presetLayer struct {
	name string
	node *load.Node
}

// maxPresetLayers ends presets that build on each other in a circle, which was
// reported.
const maxPresetLayers = 100

// presetLayers are what a preset is made of, the weakest first: the one that it
// builds on, and the root objects that have it. One that names what it builds on
// starts anew, as it would in an operation.
func (m *merger) presetLayers(above []presetLayer, p *primitive, name string) []presetLayer {
	table := m.language.presets[p.name]
	if table == nil || len(above) >= maxPresetLayers {
		return above
	}
	e := table.byName[name]
	for _, n := range slices.Backward(append([]*load.Node{e.node}, e.over...)) {
		if n == nil {
			break
		}
		above = append([]presetLayer{{name, n}}, above...)
		if base := baseOf(n); base != "" {
			return m.presetLayers(above, p, base)
		}
	}
	return above
}

// limitWithoutBurst drops an inherited burst when a limit is written without one:
// it is the limit then.
func (m *merger) limitWithoutBurst(fields *value, n *load.Node) {
	if n.Has("limit") && !n.Has("burst") {
		fields.drop("burst")
	}
}

// replace lays one field of an object over the inherited one.
func (m *merger) replace(into *value, o *object, name string, n, at *load.Node, w weight) {
	f, ok := o.field(name)
	if !ok {
		return
	}
	for _, rival := range o.rivals(name) {
		into.drop(rival)
	}
	if merged := m.over(into.get(name), f.shape, n, at, w); merged != nil {
		into.put(name, merged)
	}
}

// over lays a value over an inherited one, nil for none.
func (m *merger) over(old *value, sh shape, n, at *load.Node, w weight) *value {
	switch sh := sh.(type) {
	case later:
		return nil
	case *object:
		return m.overObject(old, sh, n, at, w)
	case bucketShape:
		return m.overBucket(old, n, at, w)
	case switched:
		return m.overSwitched(old, sh, n, at, w)
	case optional:
		if on, isBool := n.Bool(); isBool && !on {
			return &value{node: n, at: at, weight: w, preset: m.preset}
		}
		return m.overObject(old, sh.of, n, at, w)
	case mapping:
		return m.overMapping(old, sh, n, at, w)
	}
	return &value{node: n, at: at, weight: w, preset: m.preset}
}

func (m *merger) overObject(old *value, o *object, n, at *load.Node, w weight) *value {
	v := old
	if v == nil || !v.object {
		v = &value{object: true}
	}
	v.node, v.at, v.weight = n, at, w
	for _, f := range n.Members {
		if skipped(f.Key) || m.bad[f.Value] {
			continue
		}
		m.replace(v, o, f.Key, f.Value, below(f.Value, n, at), w)
	}
	m.limitWithoutBurst(v, n)
	return v
}

// below is what the user wrote for a member of n: the member itself where n is
// what was written.
func below(member, n, at *load.Node) *load.Node {
	if at == n {
		return member
	}
	return at
}

// overBucket lays one of several limits. A tier starts it anew.
func (m *merger) overBucket(old *value, n, at *load.Node, w weight) *value {
	limit := primitiveOf("rateLimit")
	name := n
	if n.Is(load.Object) {
		name = m.baseName(limit, n)
	}
	if name != nil {
		var s slot
		m.reset(&s, limit, name.Text, below(name, n, at), w)
		old = s.fields
	} else if old == nil {
		var s slot
		m.empty(&s, limit)
		old = s.fields
	}
	if !n.Is(load.Object) {
		old.node, old.at, old.weight = n, at, w
		return old
	}
	return m.overObject(old, bucketObject, n, at, w)
}

// overSwitched lays the budget: true and false turn it on and off.
func (m *merger) overSwitched(old *value, sh switched, n, at *load.Node, w weight) *value {
	on, isBool := n.Bool()
	if isBool && !on {
		return &value{node: n, at: at, weight: w}
	}
	if old == nil || !old.object {
		fields := m.language.fields.At("/retry/budget")
		old = m.overObject(nil, sh.of, fields, nil, 0)
	}
	if isBool {
		return old
	}
	return m.overObject(old, sh.of, n, at, w)
}

func (m *merger) overMapping(old *value, sh mapping, n, at *load.Node, w weight) *value {
	v := old
	if v == nil || !v.object {
		v = &value{object: true}
	}
	v.node, v.at, v.weight = n, at, w
	for _, e := range n.Members {
		if m.bad[e.Value] || sh.skips(e.Key) {
			continue
		}
		if on, isBool := e.Value.Bool(); isBool && !on {
			m.remove(v, sh, e)
			continue
		}
		if merged := m.over(v.get(e.Key), sh.value, e.Value, below(e.Value, n, at), w); merged != nil {
			v.put(e.Key, merged)
		}
	}
	return v
}

// remove takes an entry out of a mapping. Where values are texts, a false that
// takes nothing out was most likely meant as the text.
func (m *merger) remove(v *value, sh mapping, e load.Member) {
	_, isText := sh.value.(literal)
	_, isTexts := sh.value.(list)
	if (isText || isTexts) && v.get(e.Key) == nil {
		m.list.Error(e.Value.Pos(), "resilience-type", e.Value.Pointer(), "false takes an entry out, and there is no %s to take out", shown(e.Key)).
			Hintf(`write "false" for the text`)
		v.put(e.Key, &value{node: e.Value, at: e.Value}) // as it was meant, so that nothing follows from its lack
		return
	}
	v.drop(e.Key)
}
