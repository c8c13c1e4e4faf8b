package resilience

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Section 9 of the language: what only shows when the levels are merged. Of it, only
// streams have settings in package policy yet.

// clientFlows checks the primitives of section 9 that a client has.
func (d *decoder) clientFlows() {
	d.pages()
	d.poll()
}

// serverFlows checks the primitives of section 9 that a server has.
func (d *decoder) serverFlows() {
	d.outbox()
	d.consumer()
}

// use notes the expression that a field is, when it is written.
func (d *decoder) use(v *value, path string, u use) {
	text := ""
	if v != nil {
		text, _ = v.node.Str()
	}
	if e, err := policy.ParseExpr(text); err == nil && text != "" {
		u.expr, u.path = e, path
		d.note(u, v, v.node)
	}
}

// slotValue is what last said anything about a primitive, for the place of a fault.
func (d *decoder) slotValue(primitive string) *value {
	s := d.slots[primitive]
	return &value{node: s.at, at: s.at, weight: s.weight}
}

// required reports a field that has to be there when a primitive is on, unless it is
// not there because what was written was refused.
func (d *decoder) required(f *value, primitive, field, what string) *value {
	v := f.get(field)
	if v != nil {
		return v
	}
	if at := d.slots[primitive].at; at != nil {
		for _, m := range at.Members {
			if d.bad[m.Value] {
				return nil
			}
		}
	}
	d.fault([]*value{d.slotValue(primitive)}, "resilience-missing", "%s needs %s: %s", primitive, field, what)
	return nil
}

func (d *decoder) pages() {
	f := d.fields("pages")
	if f == nil {
		return
	}
	d.use(d.required(f, "pages", "items", "where the items of a page stand"), "pages.items", use{isList: true})
	d.use(d.required(f, "pages", "next", "where the next page is named"), "pages.next", use{last: true})
	d.use(f.get("more"), "pages.more", use{})
	param := f.get("param")
	d.use(param, "pages.param", use{})
	if param == nil {
		return
	}
	if e, err := policy.ParseExpr(param.node.Text); err == nil && !assignable(e) {
		d.fault([]*value{param}, "resilience-expression", "pages.param %s cannot be given a value: want a parameter of the request or a place in its body", shown(param.node.Text))
	}
}

func (d *decoder) poll() {
	f := d.fields("poll")
	if f == nil {
		return
	}
	polled := d.o
	if v := f.get("operationId"); v != nil {
		if polled = d.operationAt([]*value{v}, v.node, "poll.operationId"); polled == nil {
			return
		}
	}
	d.parametersOf(f.get("parameters"), polled, "poll.parameters")
	d.required(f, "poll", "successCriteria", "when it is done")
	d.criteria(f.get("successCriteria"), polled, "poll.successCriteria")
	d.criteria(f.get("failureCriteria"), polled, "poll.failureCriteria")
	d.use(f.get("result"), "poll.result", use{of: polled})
	if v := f.get("cancel"); v != nil {
		d.operationAt([]*value{v}, v.node, "poll.cancel")
	}
	if first, most := f.get("interval"), f.get("maxInterval"); f.span("maxInterval") < f.span("interval") {
		d.fault([]*value{most, first}, "resilience-range", "poll.maxInterval %s is under interval %s",
			shortSpan(f.span("maxInterval")), shortSpan(f.span("interval")))
	}
}

// parametersOf are those of a polled operation, whose values come from the first call.
func (d *decoder) parametersOf(v *value, of *operation, path string) {
	if v == nil {
		return
	}
	for i, n := range items(v.node) {
		at := path + "[" + strconv.Itoa(i) + "]"
		if reason := of.hasParameter(n); reason != "" {
			d.fault([]*value{d.within(v, n)}, "resilience-expression", "%s: %s: %s", at, of.name(), reason)
		}
		eachFlowText(n.Get("value"), func(text *load.Node) {
			exprs, _ := flowExprs(text.Text)
			for _, e := range exprs {
				d.flowUse(v, text, at+".value", e, nil)
			}
		})
	}
}

// hasParameter says why an operation does not have the parameter of a node.
func (o *operation) hasParameter(n *load.Node) string {
	name, _ := n.Get("name").Str()
	in, _ := n.Get("in").Str()
	var have []string
	for _, p := range o.op.Params {
		same := p.Name == name || p.In == "header" && strings.EqualFold(p.Name, name)
		if same && (in == "" || p.In == in) {
			return ""
		}
		have = append(have, p.Name)
	}
	if (in == "" || in == "header") && o.headerParameter(name) == "" {
		return ""
	}
	what := "parameter "
	if in != "" {
		what = in + " parameter "
	}
	return missing("there is no "+what+shown(name), name, have)
}

// flowUse notes an expression of a flow that belongs to one operation: inputs and
// steps are a saga's alone.
func (d *decoder) flowUse(v *value, n *load.Node, path string, e flowExpr, of *operation) {
	if e.call.IsZero() {
		d.fault([]*value{d.within(v, n)}, "resilience-expression", "%s %s: only a saga has inputs and steps", path, shown(e.text))
		return
	}
	d.note(use{expr: e.call, path: path, of: of}, v, n)
}

// criteria read the response of an operation.
func (d *decoder) criteria(v *value, of *operation, path string) {
	if v == nil {
		return
	}
	for i, n := range items(v.node) {
		at := path + "[" + strconv.Itoa(i) + "]"
		for _, e := range criterionExprs(n) {
			d.flowUse(v, n.Get("condition"), at+".condition", e, of)
		}
	}
}

// criterionExprs are the expressions of one criterion.
func criterionExprs(n *load.Node) []flowExpr {
	if kind, _ := n.Get("type").Str(); kind == "regex" {
		if e, ok := parseFlowExpr(n.Get("context").Text); ok {
			return []flowExpr{e}
		}
		return nil
	}
	text, _ := n.Get("condition").Str()
	exprs, err := parseCondition(text)
	if err != nil {
		return nil // reported where it is written
	}
	return exprs
}

// webSocket reports whether an operation leaves HTTP: by its address, or by an answer
// 101 that names the protocol.
func (o *operation) webSocket(api *ir.API) bool {
	servers := o.op.Servers
	if len(servers) == 0 {
		servers = api.Servers
	}
	for _, s := range servers {
		if strings.HasPrefix(s.URL, "ws://") || strings.HasPrefix(s.URL, "wss://") {
			return true
		}
	}
	return slices.ContainsFunc(o.op.Responses, func(r *ir.Response) bool { return r.Status == "101" })
}

func (d *decoder) outbox() {
	f := d.fields("outbox")
	if f == nil {
		return
	}
	d.onlyEvents("outbox")
	d.use(d.required(f, "outbox", "aggregate", "whose events are sent in order"), "outbox.aggregate", use{})
	if d.slots["consumer"].on {
		d.fault([]*value{d.slotValue("consumer")}, "resilience-conflict", "outbox sends and consumer receives: an operation has one of the two")
	}
}

func (d *decoder) consumer() {
	f := d.fields("consumer")
	if f == nil {
		return
	}
	d.onlyEvents("consumer")
	d.use(f.get("dedupe").get("id"), "consumer.dedupe.id", use{})
	d.use(f.get("order").get("by"), "consumer.order.by", use{})
	d.use(f.get("order").get("seq"), "consumer.order.seq", use{})
}

// onlyEvents reports what is for webhooks and callbacks at an operation of a path.
func (d *decoder) onlyEvents(primitive string) {
	if d.o.group != ofPaths {
		return
	}
	d.fault([]*value{d.slotValue(primitive)}, "resilience-place", "%s is for webhooks and callbacks, and this is an operation of a path", primitive)
}

// knows reports whether there is an operation with an id, in this document or, as far
// as one can tell, in another one.
func (m *merger) knows(n *load.Node, path string) *operation {
	if m.foreign(n) {
		return nil
	}
	if o := m.index.byID[n.Text]; o != nil || slices.Contains(m.leftOutIDs, n.Text) {
		return o
	}
	d := m.list.Error(n.Pos(), "resilience-unknown-operation", n.Pointer(), "%s: there is no operation %s", path, shown(n.Text))
	if near, ok := diag.Nearest(n.Text, m.index.ids); ok {
		d.Hintf("did you mean %s?", near)
	}
	return nil
}
