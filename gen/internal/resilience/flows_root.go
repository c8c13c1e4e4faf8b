package resilience

import (
	"slices"
	"strconv"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// rootFlows checks the keys of section 9 that stand at the root, and says that this
// version does not act on them.
func (m *merger) rootFlows() {
	for _, f := range m.flows {
		path := key + "." + f.Key
		switch f.Key {
		case "sagas":
			m.sagas(f.Value, path)
		case "aggregates":
			m.aggregates(f.Value, path)
		case "edge":
			m.edge(f.Value, path)
		}
		if !turnedOff(f.Value) {
			m.notYetKey(f, path)
		}
	}
}

var eventObject = &object{
	fields: []field{
		{"schema", schemaShape{}},
		{"version", integer{1, 10_000}},
		{"upcast", mapping{text{"the number of a version", fitsNumber}, entryName}},
	},
}

var aggregateObject = &object{
	fields: []field{
		{"id", expression{}},
		{"commands", mapping{operationName, list{item: entryName}}},
		{"events", mapping{entryName, eventObject}},
		{"expectedVersion", expression{}},
		{"snapshotEvery", integer{1, manySlots}},
		{"projections", mapping{entryName, &object{
			fields: []field{{"events", list{item: entryName, some: true}}, {"serves", list{item: operationName}}},
			needs:  []string{"events"},
		}}},
	},
	needs: []string{"id", "commands", "events"},
}

func fitsNumber(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 1 && strconv.Itoa(n) == s
}

// aggregates checks what keeps its state as events.
func (m *merger) aggregates(n *load.Node, path string) {
	if !(mapping{entryName, aggregateObject}).check(&m.checker, n, path) {
		return
	}
	for _, e := range n.Members {
		if !skipped(e.Key) && e.Value.Is(load.Object) {
			m.aggregate(e.Value, path+"."+e.Key)
		}
	}
}

func (m *merger) aggregate(n *load.Node, path string) {
	var events []string
	for _, e := range n.Get("events").Members {
		if skipped(e.Key) || !e.Value.Is(load.Object) {
			continue
		}
		events = append(events, e.Key)
		m.upcasts(e.Value, path+".events."+e.Key)
	}
	for _, c := range n.Get("commands").Members {
		if c.Value.Is(load.Bool) {
			continue
		}
		at := path + ".commands." + c.Key
		m.knownEvents(c.Value, at, events)
		m.command(c, at, n, path)
	}
	for _, p := range objects(n.Get("projections")) {
		at := path + ".projections." + p.Key
		m.knownEvents(p.Value.Get("events"), at+".events", events)
		for i, s := range items(p.Value.Get("serves")) {
			m.knows(s, at+".serves["+strconv.Itoa(i)+"]")
		}
	}
}

// objects are the entries of a mapping that are objects.
func objects(n *load.Node) []load.Member {
	var out []load.Member
	if n == nil {
		return nil
	}
	for _, e := range n.Members {
		if !skipped(e.Key) && e.Value.Is(load.Object) {
			out = append(out, e)
		}
	}
	return out
}

// command checks an operation that changes an aggregate: it has to have what says
// which one.
func (m *merger) command(c load.Member, at string, n *load.Node, path string) {
	o := m.index.byID[c.Key]
	if o == nil {
		if !slices.Contains(m.leftOutIDs, c.Key) {
			d := m.list.Error(c.Pos(), "resilience-unknown-operation", c.Value.Pointer(), "%s: there is no operation %s", at, shown(c.Key))
			if near, ok := diag.Nearest(c.Key, m.index.ids); ok {
				d.Hintf("did you mean %s?", near)
			}
		}
		return
	}
	for _, name := range []string{"id", "expectedVersion"} {
		v := n.Get(name)
		text, _ := v.Str()
		e, err := policy.ParseExpr(text)
		if v == nil || err != nil {
			continue
		}
		if reason := o.resolve(use{expr: e, side: serverSide}); reason != "" {
			m.fail(v, "resilience-expression", "%s.%s %s: %s: %s", path, name, shown(text), o.name(), reason)
		}
	}
}

// upcasts have to lead from every version before to the present one.
func (m *merger) upcasts(n *load.Node, path string) {
	version := int64(1)
	if v, ok := n.Get("version").Int64(); ok {
		version = v
	}
	for _, u := range items(n.Get("upcast")) {
		for _, e := range u.Members {
			if from, err := strconv.ParseInt(e.Key, 10, 64); err == nil && from >= version {
				m.list.Error(e.Pos(), "resilience-range", e.Value.Pointer(), "%s.upcast: %s is no version before %d", path, e.Key, version)
			}
		}
	}
}

var edgeObject = &object{
	fields: []field{
		{"target", choice{words: []string{"cloudflare", "vercel", "deno"}}},
		{"maxBundle", size{}},
		{"routes", list{item: routeObject}},
		{"auth", &object{
			fields: []field{{"scheme", choice{words: []string{"hmac", "jwt"}}}, {"secret", secretName}},
			needs:  []string{"scheme", "secret"},
		}},
		{"cache", &object{fields: []field{
			{"tiers", list{item: choice{words: []string{"edge", "kv"}}}},
			{"kvTTL", duration{}},
			{"purge", choice{words: []string{"tags"}}},
		}}},
		{"split", &object{
			fields: []field{{"cookie", headerName}, {"weights", mapping{entryName, decimal{low: 0, high: 1e6}}}},
			needs:  []string{"cookie", "weights"},
		}},
		{"state", &object{
			fields: []field{{"binding", entryName}, {"consistency", choice{words: []string{"strong", "eventual"}}}},
			needs:  []string{"binding"},
		}},
		{"onError", choice{words: []string{"origin"}}},
	},
}

var routeObject = &object{
	fields: []field{
		{"path", text{"a path such as /v1/*", fitsPath}},
		{"country", list{item: text{"a country's two letters such as DE", fitsCountry}, some: true}},
		{"server", serverName{}},
		{"mode", choice{words: []string{"redirect", "proxy"}}},
	},
	needs: []string{"path", "server"},
}

func fitsPath(s string) bool { return fitsLine(s) && s[0] == '/' }

// fitsCountry reports whether s has the form of ISO 3166-1 alpha-2.
func fitsCountry(s string) bool {
	return len(s) == 2 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z'
}

// edge checks what runs near the caller.
func (m *merger) edge(n *load.Node, path string) {
	// It is no primitive, which have more ways to be off.
	if on, is := n.Bool(); is && !on || n.Is(load.Null) || !edgeObject.check(&m.checker, n, path) {
		return
	}
	for i, r := range items(n.Get("routes")) {
		at := path + ".routes[" + strconv.Itoa(i) + "].server"
		if t, names := m.index.server(r.Get("server"), m.index.api.Servers); t == nil {
			name, _ := r.Get("server").Written()
			d := m.list.Error(r.Get("server").Pos(), "resilience-server", r.Get("server").Pointer(), noServer, at, shown(name))
			if near, ok := diag.Nearest(name, names); ok {
				d.Hintf("did you mean %s?", near)
			}
		}
	}
	total := 0.0
	for _, w := range items(n.At("/split/weights")) {
		for _, e := range w.Members {
			v, _ := e.Value.Float64()
			total += v
		}
	}
	if w := n.At("/split/weights"); w != nil && total == 0 {
		m.fail(w, "resilience-range", "%s.split.weights are all zero", path)
	}
}

// knownEvents reports names that are none of the events.
func (m *merger) knownEvents(n *load.Node, path string, events []string) {
	for i, e := range items(n) {
		if slices.Contains(events, e.Text) {
			continue
		}
		d := m.list.Error(e.Pos(), "resilience-name", e.Pointer(), "%s[%d]: there is no event %s, %s", path, i, shown(e.Text), holds(events))
		if near, ok := diag.Nearest(e.Text, events); ok {
			d.Hintf("did you mean %s?", near)
		}
	}
}
