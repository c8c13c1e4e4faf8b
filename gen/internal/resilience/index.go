package resilience

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// index finds the operations and servers that annotations name.
type index struct {
	byID map[string]*operation
	// ids are all operationIds, and METHOD /path of operations without one.
	ids []string
	// reads are the GETs of paths.
	reads map[string]*operation
	api   *ir.API
}

func newIndex(api *ir.API, all []*operation) *index {
	x := &index{byID: map[string]*operation{}, reads: map[string]*operation{}, api: api}
	for _, o := range all {
		if id := o.id(); x.byID[id] == nil {
			x.byID[id] = o
			x.ids = append(x.ids, id)
		}
		if o.op.Method == get && o.group == ofPaths {
			x.reads[o.op.Path] = o
		}
	}
	return x
}

// serverOf is the server that a rung names; the result is its name among the API's
// targets.
func (d *decoder) serverOf(v *value, n *load.Node, path string) string {
	servers := d.o.op.Servers
	if len(servers) == 0 {
		servers = d.index.api.Servers
	}
	t, names := d.index.server(n, servers)
	if t == nil {
		name, _ := n.Written()
		report := d.fault([]*value{v}, "resilience-server", noServer, path, shown(name))
		if near, ok := diag.Nearest(name, names); ok {
			report.Hintf("did you mean %s?", near)
		}
		return name
	}
	return t.Name
}

const noServer = "%s: there is no server %s, neither under x-resilience.servers nor in the document"

// server finds a server: one of the root's, or one of the document's by name,
// description or place, which becomes a target. Without one, names are those that
// there are.
func (x *index) server(n *load.Node, servers []*ir.Server) (t *ir.Target, names []string) {
	name, _ := n.Written()
	for _, t := range x.api.Targets {
		if t.Name == name && n.Is(load.String) {
			return t, nil
		}
		names = append(names, t.Name)
	}
	for i, s := range servers {
		known := cmp.Or(s.Name, s.Description, strconv.Itoa(i))
		if n.Is(load.String) && (s.Name == name || s.Description == name) || n.Is(load.Number) && strconv.Itoa(i) == name {
			return x.target(&ir.Target{Name: known, URL: filled(s)}), nil
		}
		names = append(names, known)
	}
	return nil, names
}

// target adds a server of the document to those of the API. Operations may have
// servers of their own under one description: each address is a target.
func (x *index) target(t *ir.Target) *ir.Target {
	for _, have := range x.api.Targets {
		if have.URL == t.URL && len(have.Query) == 0 && have.Auth == "" {
			return have
		}
		if have.Name == t.Name {
			t.Name = t.URL
		}
	}
	x.api.Targets = append(x.api.Targets, t)
	return t
}

// filled is a server's URL with the defaults of its variables.
func filled(s *ir.Server) string {
	url := s.URL
	for _, v := range s.Variables {
		url = strings.ReplaceAll(url, "{"+v.Name+"}", v.Default)
	}
	return url
}

// sameResult reports whether the successes of two operations are of one type.
func sameResult(a, b *ir.Operation) bool {
	if a == b {
		return true
	}
	x, y := successUse(a), successUse(b)
	return sameUse(x, y, 0)
}

// successUse is the type of an operation's first success that has a body; nil for
// none.
func successUse(op *ir.Operation) *ir.Use {
	for _, r := range successes(op) {
		for _, c := range r.Contents {
			if c.Use != nil {
				return c.Use
			}
			if c.Item != nil {
				return c.Item
			}
		}
	}
	return nil
}

// sameUse reports whether two uses have one Go type. Inline schemas that look alike
// are types of their own.
func sameUse(a, b *ir.Use, depth int) bool {
	if a == nil || b == nil {
		return a == b
	}
	s, t := a.Type, b.Type
	if s == t {
		return true
	}
	const deepest = 20
	if s == nil || t == nil || s.Kind != t.Kind || s.Format != t.Format || depth > deepest {
		return false
	}
	switch s.Kind {
	case ir.KindArray, ir.KindMap:
		return !s.Declared && !t.Declared && sameUse(s.Elem, t.Elem, depth+1)
	case ir.KindScalar:
		return !s.Declared && !t.Declared && s.Scalar == t.Scalar
	case ir.KindAny, ir.KindNull, ir.KindBinary:
		return true
	}
	return false
}

// successes are the responses of an operation that say that it worked; default is
// one where there is no other.
func successes(op *ir.Operation) []*ir.Response {
	var out, other []*ir.Response
	for _, r := range op.Responses {
		switch {
		case strings.HasPrefix(r.Status, "2"):
			out = append(out, r)
		case r.Status == "default":
			other = append(other, r)
		}
	}
	if len(out) == 0 {
		return other
	}
	return out
}

// get is the method of reads. Its name is written out: only what loads documents uses
// the packages of the network.
const get = "GET"
