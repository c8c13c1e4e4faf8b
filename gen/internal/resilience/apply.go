// Package resilience reads the x-resilience annotations of a document and merges
// them into one policy for each side of each operation.
//
// An annotation is checked by itself where it stands, once, whether or not an
// operation comes to use it; the grammar in grammar.go says what may stand where.
// The annotations that apply to an operation are then laid over each other, from
// the weakest to the strongest, as section 2 of the language has it; what only
// shows in the result is checked there. Each value keeps its node, so every fault
// has a place.
package resilience

import (
	"path"
	"path/filepath"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Nodes gives the nodes of an operation: its Operation Object and the Path Item
// Objects above it, the weakest first.
type Nodes func(op *ir.Operation) (pathItems []*load.Node, operation *load.Node)

// Apply fills in the policies of all operations of the API, those of webhooks and
// callbacks included, and what the extension says about the API as a whole.
// Faults go to list; the policies and the result are only of use when it has no errors.
func Apply(doc *load.Document, api *ir.API, nodes Nodes, list *diag.List, options ...Option) *Result {
	r := newReader(doc, list)
	for _, o := range options {
		o(r)
	}
	r.root(r.annotationsAt(doc.Root.Root), api.Title)
	api.Dependency, api.External, api.Replicas, api.Sources = r.dependency, r.external, r.replicas, r.sourceFiles()
	all := operations(api)
	for _, o := range all {
		o.pathItems, o.node = nodes(o.op)
	}
	r.places(all)
	r.targets(api)
	defer r.tellShared() // when all that have an annotation are known
	m := &merger{reader: r, file: doc.Root, index: newIndex(api, all)}
	m.leftOutOperations(all)
	m.unknownOperations(all)
	result := &Result{}
	for _, p := range m.profiles {
		api.Profiles = append(api.Profiles, p.name)
	}
	result.Profiles = api.Profiles
	var views []*operation
	own := make([][]*operation, len(all))
	for i, o := range all {
		if own[i] = m.merge(o); m.full {
			break
		}
		views = append(views, own[i]...)
	}
	if m.full {
		return result
	}
	m.unmatched()
	m.sameInstances(views)
	for _, v := range own {
		result.Operations = append(result.Operations, operationOf(m.finish(v)))
	}
	m.rootFlows()
	m.expressions(views)
	return result
}

// group says whose instances an operation shares: breakers and bulkheads live in
// a client, and paths, webhooks and callbacks have one each.
type group uint8

const (
	ofPaths group = iota
	ofWebhooks
	ofCallbacks
)

// operation is one operation while its policy is made.
type operation struct {
	op        *ir.Operation
	group     group
	pathItems []*load.Node
	node      *load.Node

	// profile and variant say which of its views this is; both are empty for what
	// holds when nothing else is said.
	profile, variant string
	when             []policy.Condition
	// below is the operation without the profile; nil where this is it.
	below *operation

	client, server map[string]*slot
	common         map[string]*load.Node
	clientCommon   map[string]*load.Node
	// weights are those of the nodes in common and clientCommon.
	weights map[*load.Node]weight
	// unshed says that the operation is never refused under load; nil: it may be.
	unshed *slot
	// levels are those that were laid: weight n is the level n-1.
	levels     []level
	variants   []merged
	waive      map[string]string
	sources    []string
	known      map[string]bool // of the sources
	uses       []use
	result     ir.Policy
	dependency string
}

// name is what messages call an operation: its method and path, with the variant and
// the profile.
func (o *operation) name() string {
	name := o.bareName()
	if o.variant != "" {
		name += ", variant " + o.variant
	}
	if o.profile != "" {
		name += ", profile " + o.profile
	}
	return name
}

func (o *operation) bareName() string {
	switch o.group {
	case ofWebhooks:
		return "webhook " + o.op.Path + ": " + o.op.Method
	case ofCallbacks:
		return "callback " + o.op.Path + ": " + o.op.Method
	}
	return o.op.Method + " " + o.op.Path
}

// operations lists all operations of an API.
func operations(api *ir.API) []*operation {
	var out []*operation
	var add func(ops []*ir.Operation, g group)
	add = func(ops []*ir.Operation, g group) {
		for _, op := range ops {
			out = append(out, &operation{op: op, group: g})
			var callbacks []*ir.Operation
			for _, c := range op.Callbacks {
				callbacks = append(callbacks, c.Operation)
			}
			add(callbacks, ofCallbacks)
		}
	}
	add(api.Operations, ofPaths)
	add(api.Webhooks, ofWebhooks)
	return out
}

func pathItemName(o *operation) string {
	switch o.group {
	case ofWebhooks:
		return "webhook " + o.op.Path
	case ofCallbacks:
		return "callback " + o.op.Path
	}
	return o.op.Path
}

// pointerOf is the pointer of a node, with the name of its file in front where
// that is not the document itself. The folder is left out: output must not depend
// on where the document lies.
func pointerOf(root *load.File, n *load.Node) string {
	if n.File == root {
		return "#" + n.Pointer()
	}
	return path.Base(filepath.ToSlash(n.File.Name)) + "#" + n.Pointer()
}

func (o *operation) source(pointer string) {
	if o.known == nil {
		o.known = map[string]bool{}
	}
	if !o.known[pointer] {
		o.known[pointer] = true
		o.sources = append(o.sources, pointer)
	}
}

// begin lays the built-in policy.
func (m *merger) begin(o *operation) {
	o.client, o.server = map[string]*slot{}, map[string]*slot{}
	o.common, o.clientCommon = map[string]*load.Node{}, map[string]*load.Node{}
	o.weights = map[*load.Node]weight{}
	for _, p := range primitives {
		if p.object == nil {
			continue
		}
		o.client[p.name], o.server[p.name] = &slot{}, &slot{}
	}
	m.base = func(p *primitive, s side) slot { return m.builtIn(o, p, s) }
	for _, p := range primitives {
		if p.object != nil {
			*o.client[p.name] = m.builtIn(o, p, clientSide)
			*o.server[p.name] = m.builtIn(o, p, serverSide)
		}
	}
}

// builtIn is the slot of a primitive in the policy of an operation that nothing
// is said about.
func (m *merger) builtIn(o *operation, p *primitive, at side) slot {
	var s slot
	if n := m.language.defaults.Get(p.name); n != nil && (at == clientSide || !m.external) {
		m.lay(&s, p, at, n, 0)
	}
	block := "client"
	if at == serverSide {
		block = "server"
	}
	if n := m.language.defaults.Get(block).Get(p.name); n != nil {
		m.lay(&s, p, at, n, 0)
	}
	switch {
	case p.name == "deadline" && m.external && s.on:
		// Somebody else's service is told nothing about us.
		s.fields.put("propagate", &value{node: &load.Node{Kind: load.Bool, Text: "false"}})
	case p.name == "idempotency" && at == clientSide:
		m.impliedKey(&s, p, o)
	}
	s.at, s.weight = nil, 0
	return s
}

// impliedKey turns a client's idempotency on where the document has the header: a
// call with a key may be repeated, and one without is not.
func (m *merger) impliedKey(s *slot, p *primitive, o *operation) {
	standard, _ := m.language.fields.At("/idempotency/header").Str()
	header := o.header(standard)
	if header == "" {
		return
	}
	m.empty(s, p)
	s.fields.put("header", &value{node: &load.Node{Kind: load.String, Text: header}})
	s.fields.put("required", &value{node: &load.Node{Kind: load.Bool, Text: "false"}})
}

// layAnnotation lays one annotation over what is there.
func (m *merger) layAnnotation(o *operation, a *annotation, w weight) {
	if a.off {
		m.bareTry(o, a, w)
		return
	}
	for name, n := range a.common {
		o.common[name], o.weights[n] = n, w
		if name == "effect" || name == "criticality" {
			// A stronger bare field beats a weaker client's.
			delete(o.clientCommon, name)
		}
	}
	for name, n := range a.clientCommon {
		o.clientCommon[name], o.weights[n] = n, w
	}
	m.layWaivers(o, a.waive)
	for _, s := range a.bare {
		sides := m.bareSides(s.primitive)
		if sides&clientSide != 0 {
			m.layPrimitive(o, s, clientSide, w)
		}
		if sides&serverSide != 0 {
			m.layPrimitive(o, s, serverSide, w)
		}
	}
	for _, s := range a.client {
		m.layPrimitive(o, s, clientSide, w)
	}
	for _, s := range a.server {
		m.layPrimitive(o, s, serverSide, w)
	}
	o.keepUnshed(w)
}

// layPrimitive lays one primitive of a level. What a profile says about all operations
// does not come to one that was made a bare try: a health check that is neither limited
// nor queued is so in staging as well. The profile can name it in its operations.
func (m *merger) layPrimitive(o *operation, s setting, at side, w weight) {
	slots := o.client
	if at == serverSide {
		slots = o.server
	}
	to := slots[s.primitive.name]
	if to == nil || to.bare && w > 0 && o.levels[w-1].ofAll {
		return
	}
	to.bare = false
	m.lay(to, s.primitive, at, s.node, w)
}

// bareTry is false in the place of a policy: one try with its bounds in time, whatever
// the request is.
func (m *merger) bareTry(o *operation, a *annotation, w weight) {
	o.variants = nil
	for _, slots := range []map[string]*slot{o.client, o.server} {
		for name, s := range slots {
			if name != "timeout" && name != "deadline" {
				*s = slot{at: a.node, weight: w, bare: o.levels[w-1].name != "defaults"}
			}
		}
	}
	o.keepUnshed(w)
}

func (m *merger) layWaivers(o *operation, n *load.Node) {
	if n == nil {
		return
	}
	for _, e := range n.Members {
		if skipped(e.Key) || m.bad[e.Value] {
			continue
		}
		if reason, ok := e.Value.Str(); ok {
			if o.waive == nil {
				o.waive = map[string]string{}
			}
			o.waive[e.Key] = reason
		} else {
			delete(o.waive, e.Key)
		}
	}
}

// dependencyOf is the partition of an operation.
func (m *merger) dependencyOf(o *operation) string {
	if n := o.common["dependency"]; n != nil {
		return n.Text
	}
	return m.dependency
}

// effectOf is whether an operation may be repeated.
func effectOf(o *operation) policy.Effect {
	n := o.common["effect"]
	if own := o.clientCommon["effect"]; own != nil {
		n = own
	}
	word, _ := n.Str()
	for _, e := range []policy.Effect{policy.Write, policy.Idempotent, policy.Read} {
		if e.String() == word {
			return e
		}
	}
	return policy.EffectOf(o.op.Method)
}

func criticalityOf(o *operation) policy.Criticality {
	n := o.common["criticality"]
	if own := o.clientCommon["criticality"]; own != nil {
		n = own
	}
	word, _ := n.Str()
	for _, c := range []policy.Criticality{policy.Critical, policy.Optional} {
		if c.String() == word {
			return c
		}
	}
	return policy.Standard
}
