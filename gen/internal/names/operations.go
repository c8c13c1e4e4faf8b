package names

import (
	"slices"
	"strings"
	"unicode"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// group is one of the three sets of operations, each with an interface of its own.
type group struct {
	suffix string // tells its operations from those of paths with the same name
	ops    []*ir.Operation
	parent map[*ir.Operation]*ir.Operation // of callbacks: the operation that they belong to
}

// nameOperations names the methods, and the types that an operation needs.
func (t *Table) nameOperations(api *ir.API) {
	callbacks := group{suffix: "Callback", parent: map[*ir.Operation]*ir.Operation{}}
	callbacks.collect(api.Operations)
	callbacks.collect(api.Webhooks)
	groups := []group{{ops: api.Operations}, {suffix: "Webhook", ops: api.Webhooks}, callbacks}

	bases := newScope(&t.conflicts)
	for _, g := range groups {
		t.nameMethods(g, bases)
	}
	t.nameShared(groups)
	for _, g := range groups {
		t.nameWrappers(g.ops)
	}
	for _, g := range groups {
		t.nameParts(g.ops)
	}
	for _, g := range groups {
		t.nameBodies(g)
	}
	for _, g := range groups {
		for _, op := range g.ops {
			t.nameParams(op)
			for _, r := range op.Responses {
				t.nameHeaders(r)
			}
		}
	}
}

// collect finds the callbacks of operations, and those of callbacks.
func (g *group) collect(ops []*ir.Operation) {
	for _, op := range ops {
		for _, cb := range op.Callbacks {
			if cb.Operation == nil || g.parent[cb.Operation] != nil {
				continue
			}
			g.parent[cb.Operation] = op
			g.ops = append(g.ops, cb.Operation)
			g.collect([]*ir.Operation{cb.Operation})
		}
	}
}

// wellKnown are the method names whose signatures go vet insists on, whatever the type:
// an operation must not have them unless x-go-name says so.
var wellKnown = []string{
	"GobDecode", "GobEncode", "MarshalJSON", "MarshalXML", "ReadByte", "ReadRune",
	"UnmarshalJSON", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte",
}

func (t *Table) nameMethods(g group, bases *scope) {
	methods := newScope(&t.conflicts)
	var explicit, layer []*claim
	for _, op := range g.ops {
		c := methodClaim(op, g.parent[op])
		c.give = func(name string) { t.ops[op] = Op{Method: name} }
		if c.explicit {
			explicit = append(explicit, c)
		} else {
			layer = append(layer, c)
		}
	}
	methods.settle(explicit)
	for _, name := range wellKnown {
		if methods.taken[name] == nil {
			methods.reserve(name)
		}
	}
	methods.settle(layer)

	layer = layer[:0]
	for _, op := range g.ops {
		method := t.ops[op].Method
		layer = append(layer, &claim{
			key: operationKey(op, g.parent[op]), word: method, forms: []string{method, method + g.suffix},
			give: func(name string) { t.ops[op] = Op{Method: method, Base: name} },
		})
	}
	bases.settle(layer)
}

// operationKey is what makes an operation's hash: its key, for a callback together
// with that of its owner and the pointer, since callbacks repeat.
func operationKey(op, parent *ir.Operation) string {
	if parent == nil {
		return op.Key
	}
	return parent.Key + "\x00" + op.Key + "\x00" + op.Pointer
}

func methodClaim(op, parent *ir.Operation) *claim {
	word := op.ID
	if word == "" {
		word = plainPath(op.Method, op.Path)
	}
	c := &claim{key: operationKey(op, parent), word: word, pos: op.Pos}
	if op.GoName != "" {
		c.explicit, c.forms = true, []string{op.GoName}
		return c
	}
	name := exported("Op", op.Name)
	c.forms = []string{name}
	if slices.Contains(wellKnown, name) {
		c.forms = append(c.forms, name+"Operation")
	}
	if parent != nil {
		c.forms = append(c.forms, exported("Op", parent.Name)+name)
	}
	if s := Spelled(word); s != name && op.ID != "" {
		c.forms = append(c.forms, s)
	}
	if op.ID == "" {
		if s := exported("Op", []string{strings.ToLower(op.Method), pathWords(op.Path)}); s != name {
			c.forms = append(c.forms, s)
		}
	}
	return c
}

// plainPath is the shorter the plainer a path is written, so that of two operations
// without an ID whose words are equal the plainer one keeps its name when the other
// arrives: /books beside /Books or /books/, {id} beside by/id.
func plainPath(method, path string) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(method))
	for _, r := range path {
		switch {
		case r == '{' || r == '}':
			continue
		case unicode.IsUpper(r):
			b.WriteByte('^')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// pathWords is a path with its parameters told from its literal parts, for two
// operations without an ID whose words are equal.
func pathWords(path string) string {
	return strings.NewReplacer("{", " by ", "}", " ", "_", " underscore ", "-", " dash ").Replace(path)
}

// nameShared names the responses of components.responses.
func (t *Table) nameShared(groups []group) {
	seen := map[string]bool{}
	var layer []*claim
	for _, g := range groups {
		for _, op := range g.ops {
			for _, r := range op.Responses {
				if r.Component == "" || seen[r.ID] {
					continue
				}
				seen[r.ID] = true
				name := Exported(r.Component)
				c := &claim{
					key: r.ID, word: r.Component, pos: r.Pos, away: !strings.HasPrefix(r.ID, "#"),
					forms: []string{name, name + "Response"},
					give:  func(name string) { t.shared[r.ID] = name },
				}
				if s := Spelled(r.Component); s != name {
					c.forms = append(c.forms, s)
				}
				layer = append(layer, c)
			}
		}
	}
	t.pkg.settle(layer)
}

// nameWrappers names the types that belong to single operations.
func (t *Table) nameWrappers(ops []*ir.Operation) {
	var layer []*claim
	add := func(key, word string, give func(string), forms ...string) {
		layer = append(layer, &claim{key: key, word: word, forms: forms, give: give})
	}
	for _, op := range ops {
		base := t.ops[op].Base
		set := func(f func(o *Op, name string)) func(string) {
			return func(name string) {
				o := t.ops[op]
				f(&o, name)
				t.ops[op] = o
			}
		}
		add(base+"\x00request", base, set(func(o *Op, n string) { o.Request = n }), base+"Request", base+"Input")
		add(base+"\x00response", base, set(func(o *Op, n string) { o.Response = n }), base+"Response", base+"Reply")
		add(base+"\x00result", base, set(func(o *Op, n string) { o.Result = n }), base+"Result", base+"Outcome")
		seen := map[*ir.Content]bool{}
		for _, r := range op.Responses {
			name := base + Status(r.Status)
			suffix := "Error"
			if r.Status != "" && (r.Status[0] == '2' || r.Status[0] == '3') {
				suffix = "Response"
			}
			add(name+"\x00status", base, func(n string) { t.responses[responseKey{op, r}] = n }, name, name+suffix)
			for _, c := range r.Contents {
				if seen[c] {
					continue // a shared response under several statuses: the first names it
				}
				seen[c] = true
				media := name + Media(c.MediaType)
				add(name+"\x00"+c.MediaType, base, func(n string) { t.contents[contentKey{op, c}] = n }, media, media+suffix)
			}
		}
		if op.Body != nil {
			for _, c := range op.Body.Contents {
				media := base + Media(c.MediaType) + "Body"
				add(base+"\x00body\x00"+c.MediaType, base, func(n string) { t.contents[contentKey{op, c}] = n }, media, media+"Input")
			}
		}
	}
	t.pkg.settle(layer)
}

// places are where a parameter can be, best first: of two with one name the one in
// the better place keeps it plain.
var places = []string{"path", "query", "header", "cookie", "querystring"}

// nameParams names the fields of the request struct.
func (t *Table) nameParams(op *ir.Operation) {
	s := newScope(&t.conflicts)
	s.reserve(methods...)
	s.reserve("Body")
	if op.Body != nil && len(op.Body.Contents) == 1 && HasPartHeaders(op.Body.Contents[0]) {
		s.reserve(PartHeaders)
	}
	var explicit []*claim
	layers := map[string][]*claim{}
	for _, p := range op.Params {
		c := member(p.Name, p.GoName)
		c.key = p.In + "\x00" + p.Name
		c.pos = p.Pos
		c.give = func(name string) { t.params[paramKey{op, p}] = name }
		if c.explicit {
			explicit = append(explicit, c)
			continue
		}
		in := Exported(p.In)
		c.forms = append([]string{c.forms[0], c.forms[0] + in}, c.forms[1:]...)
		layers[p.In] = append(layers[p.In], c)
	}
	s.settle(explicit)
	for _, in := range places {
		s.settle(layers[in])
		delete(layers, in)
	}
	for _, p := range op.Params {
		s.settle(layers[p.In]) // a place that the list does not have
		delete(layers, p.In)
	}
}

// nameHeaders names the fields of the headers of a response.
func (t *Table) nameHeaders(r *ir.Response) {
	s := newScope(&t.conflicts)
	s.reserve("Body", "ContentType", "StatusCode", "Error", "Respond", "Is", "As", "Unwrap")
	for _, c := range r.Contents {
		if c.Kind == ir.ContentMultipart {
			s.reserve("Close", PartHeaders)
		}
	}
	if len(r.Contents) > 1 {
		t.nameMedia("Body ", r.Contents)
		for _, c := range r.Contents {
			s.reserve(t.media[c])
			if n := t.parts[c]; n != nil {
				s.reserve(n.beside)
			}
		}
	}
	var explicit, layer []*claim
	for _, p := range r.Headers {
		c := member(p.Name, p.GoName)
		c.pos = p.Pos
		c.forms[len(c.forms)-1] = c.forms[0] + "Header"
		c.give = func(name string) { t.headers[headerKey{r, p}] = name }
		if c.explicit {
			explicit = append(explicit, c)
		} else {
			layer = append(layer, c)
		}
	}
	s.settle(explicit)
	s.settle(layer)
}
