package resilience

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// written is one place where an expression is written, with the operations that it
// comes to.
type written struct {
	use
	operations []*operation
	failed     []*operation
	reason     string // of the first that failed
}

// expressions reports those that name what an operation does not have. One written
// above many operations is one report.
func (m *merger) expressions(all []*operation) {
	type place struct {
		node *load.Node
		path string
		side side
		expr policy.Expr // a text may hold several
	}
	var order []*written
	at := map[place]*written{}
	for _, o := range all {
		for _, u := range o.uses {
			w := at[place{u.node, u.path, u.side, u.expr}]
			if w == nil {
				w = &written{use: u}
				at[place{u.node, u.path, u.side, u.expr}] = w
				order = append(order, w)
			}
			if n := len(w.operations); n > 0 && w.operations[n-1].op == o.op {
				continue // another view of it, which has the same parameters and body
			}
			w.operations = append(w.operations, o)
			if reason := o.resolve(u); reason != "" {
				if len(w.failed) == 0 {
					w.reason = reason
				}
				w.failed = append(w.failed, o)
			}
		}
	}
	for _, w := range order {
		m.report(w)
	}
}

func (m *merger) report(w *written) {
	if len(w.failed) == 0 {
		return
	}
	pos, pointer := w.node.Pos(), w.node.Pointer()
	if w.at != nil {
		pos, pointer = w.at.Pos(), w.at.Pointer()
	}
	if len(w.operations) == 1 {
		m.list.Error(pos, "resilience-expression", pointer, "%s: %s.%s %s: %s",
			w.failed[0].name(), key, w.path, shown(w.expr.String()), w.reason)
		return
	}
	names := make([]string, len(w.failed))
	for i, o := range w.failed {
		names[i] = o.name()
	}
	d := m.list.Error(pos, "resilience-expression", pointer, "%s: %s %s does not resolve in %d of %d operations: %s",
		key, w.path, shown(w.expr.String()), len(w.failed), len(w.operations), several(names))
	if len(w.failed) < len(w.operations) {
		d.Hintf("write it at the operations that have it; in %s %s", w.failed[0].name(), w.reason)
	} else {
		d.Hintf("in %s %s", w.failed[0].name(), w.reason)
	}
}

// resolve says why an operation does not have what an expression names; empty when
// it has.
func (o *operation) resolve(u use) string {
	if u.of != nil && u.of.op != o.op {
		if reason := u.of.resolve(use{expr: u.expr, side: u.side, item: u.item, last: u.last, isList: u.isList}); reason != "" {
			return "in " + u.of.name() + ": " + reason
		}
		return ""
	}
	e := u.expr
	switch e.Source {
	case policy.FromPath:
		return o.parameter("path", e.Name)
	case policy.FromQuery:
		return o.parameter("query", e.Name)
	case policy.FromHeader:
		return o.headerParameter(e.Name)
	case policy.FromBody:
		return o.body(e.Name, u)
	case policy.FromResponseHeader:
		return o.responseHeader(e.Name)
	case policy.FromResponseBody:
		return o.responseBody(e.Name, u)
	case policy.FromIP, policy.FromClaim:
		if u.side == clientSide {
			return "only a server knows it"
		}
	}
	return ""
}

// parameter says why there is no such parameter.
func (o *operation) parameter(in, name string) string {
	var have []string
	for _, p := range o.op.Params {
		if p.In != in {
			continue
		}
		if p.Name == name {
			return ""
		}
		have = append(have, p.Name)
	}
	return missing("there is no "+in+" parameter "+shown(name), name, have)
}

func missing(text, name string, have []string) string {
	if near, ok := diag.Nearest(name, have); ok {
		return text + ", did you mean " + near + "?"
	}
	return text
}

// headerParameter is parameter for headers, whose case counts for nothing. The
// headers of idempotency, streams and concurrency are there as soon as those are on.
func (o *operation) headerParameter(name string) string {
	if o.header(name) != "" {
		return ""
	}
	for _, slots := range []map[string]*slot{o.client, o.server} {
		if s := slots["idempotency"]; s != nil && s.on && strings.EqualFold(s.fields.word("header"), name) {
			return ""
		}
		if s := slots["stream"]; s != nil && s.on && strings.EqualFold(name, policy.LastEventID) {
			return ""
		}
		if s := slots["concurrency"]; s != nil && s.on && (strings.EqualFold(name, "If-Match") || strings.EqualFold(name, "If-None-Match")) {
			return ""
		}
	}
	var have []string
	for _, p := range o.op.Params {
		if p.In == "header" {
			have = append(have, p.Name)
		}
	}
	return missing("there is no header parameter "+shown(name), name, have)
}

// header is the name of a documented header parameter as it is written there;
// empty when there is none.
func (o *operation) header(name string) string {
	for _, p := range o.op.Params {
		if p.In == "header" && strings.EqualFold(p.Name, name) {
			return p.Name
		}
	}
	return ""
}

// body says why the request's body has nothing at a pointer.
func (o *operation) body(pointer string, u use) string {
	b := o.op.Body
	if b == nil {
		return "the request has no body"
	}
	return inContents(b.Contents, pointer, u)
}

// inContents says why no content of a body has anything at a pointer.
func inContents(contents []*ir.Content, pointer string, u use) string {
	if pointer == "" && !u.isList {
		return ""
	}
	isJSON, reached := false, false
	for _, c := range contents {
		use := c.Use
		switch {
		case u.item && c.Item != nil:
			use = c.Item
		case c.Kind != ir.ContentJSON:
			continue
		}
		isJSON = true
		w := walker{last: u.last}
		if !w.reaches(use, tokens(pointer)) {
			continue
		}
		if reached = true; !u.isList || w.lists() {
			return ""
		}
	}
	at := "the body"
	if pointer != "" {
		at = "what is at " + pointer
	}
	switch {
	case !isJSON:
		return "the body is no JSON, so no pointer leads into it"
	case reached:
		return at + " is no list"
	}
	return "the body has nothing at " + pointer
}

// tokens are the unescaped tokens of a pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(pointer[1:], "/")
	for i := range list {
		list[i] = load.UnescapeToken(list[i])
	}
	return list
}

// walker follows pointers through types, which may contain themselves.
type walker struct {
	seen map[step]bool
	// found are the members that the pointer ends at, for what is secret about
	// them.
	found []*ir.Field
	ends  []*ir.Use
	// last lets -1 stand for the last element of a list.
	last bool
}

type step struct {
	typ  *ir.Type
	left int
}

// reaches reports whether a pointer leads to something that the schema knows of,
// or may know of: a schema without properties says nothing about what is in it.
func (w *walker) reaches(u *ir.Use, rest []string) bool {
	if u == nil || u.Type == nil {
		return true
	}
	if len(rest) == 0 {
		w.ends = append(w.ends, u)
		return true
	}
	t := u.Type
	if w.seen == nil {
		w.seen = map[step]bool{}
	}
	if w.seen[step{t, len(rest)}] {
		return false
	}
	w.seen[step{t, len(rest)}] = true
	switch t.Kind {
	case ir.KindAny:
		return true
	case ir.KindAlias:
		return w.reaches(t.Target, rest)
	case ir.KindUnion:
		one := false
		for _, v := range t.Union.Variants {
			one = w.reaches(v.Use, rest) || one // all, for what is secret in any
		}
		return one
	case ir.KindStruct:
		return w.member(t, rest)
	case ir.KindMap:
		return w.reaches(t.Elem, rest[1:])
	case ir.KindArray, ir.KindTuple:
		return w.element(t, rest)
	}
	return false
}

func (w *walker) member(t *ir.Type, rest []string) bool {
	for _, f := range t.Fields {
		if f.Name == rest[0] {
			if len(rest) == 1 {
				w.found = append(w.found, f)
			}
			return w.reaches(f.Use, rest[1:])
		}
	}
	for _, p := range t.Patterns {
		if w.reaches(p.Use, rest[1:]) {
			return true
		}
	}
	if t.Extra != nil {
		return w.reaches(t.Extra, rest[1:])
	}
	return len(t.Fields) == 0 && !t.Closed
}

func (w *walker) element(t *ir.Type, rest []string) bool {
	if w.last && rest[0] == "-1" {
		return t.Elem != nil && w.reaches(t.Elem, rest[1:])
	}
	index := 0
	for _, c := range rest[0] {
		if c < '0' || c > '9' || index > 1e6 {
			return false
		}
		index = index*10 + int(c-'0')
	}
	switch {
	case rest[0] == "" || len(rest[0]) > 1 && rest[0][0] == '0':
		return false
	case index < len(t.Tuple):
		return w.reaches(t.Tuple[index], rest[1:])
	case t.Kind == ir.KindTuple && t.Elem == nil:
		return !t.Closed
	}
	return w.reaches(t.Elem, rest[1:])
}

// lists reports whether something that the pointer ends at is, or may be, a list.
func (w *walker) lists() bool {
	for _, u := range w.ends {
		if mayBeList(u, 0) {
			return true
		}
	}
	return len(w.ends) == 0
}

func mayBeList(u *ir.Use, depth int) bool {
	const deepest = 20
	if u == nil || u.Type == nil || depth > deepest {
		return true
	}
	switch t := u.Type; t.Kind {
	case ir.KindArray, ir.KindTuple, ir.KindAny:
		return true
	case ir.KindAlias:
		return mayBeList(t.Target, depth+1)
	case ir.KindUnion:
		for _, v := range t.Union.Variants {
			if mayBeList(v.Use, depth+1) {
				return true
			}
		}
	}
	return false
}
