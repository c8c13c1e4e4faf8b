package resilience

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// hedge refuses what must not be sent twice.
func (d *decoder) hedge(c *policy.Client) *policy.Hedge {
	f := d.fields("hedge")
	if f == nil {
		return nil
	}
	h := &policy.Hedge{Mode: f.mode(), Max: f.count("max")}
	if text := f.word("delay"); strings.HasPrefix(text, "p") {
		h.Quantile, _ = policy.ParseQuantile(text)
	} else {
		h.Delay = f.span("delay")
	}
	at := []*value{d.slotValue("hedge")}
	switch {
	case c.Effect != policy.Read:
		d.fault(at, "resilience-conflict", "hedge sends a call twice at once, and the effect of this one is %s", c.Effect).
			Hintf("hedge: false, or effect: read where it only reads")
	case c.Idempotency != nil:
		d.fault(at, "resilience-conflict", "hedge and idempotency exclude each other: two requests of one key at once are one in flight and one refused").
			Hintf("write hedge: false or idempotency: false")
	default:
		return h
	}
	return nil
}

// fallback is decoded when the client's cache is.
func (d *decoder) fallback(c *policy.Client) *policy.Fallback {
	f := d.fields("fallback")
	if f == nil {
		return nil
	}
	out := &policy.Fallback{Mode: f.mode(), Reserve: f.span("reserve")}
	for _, n := range f.list("after") {
		written, _ := n.Written()
		if low, high, ok := parseStatuses(written); ok {
			out.Statuses = out.Statuses.Range(low, high)
			d.notForFallback(f.get("after"), n, low, high)
			continue
		}
		for i, word := range failureWords {
			if n.Text == word {
				out.After |= 1 << i
			}
		}
	}
	rungs := d.required(f, "fallback", "rungs", "at least one way out, or false")
	if rungs == nil {
		return nil
	}
	for i, n := range items(rungs.node) {
		out.Rungs = append(out.Rungs, d.rung(rungs, n, "fallback.rungs["+strconv.Itoa(i)+"]", c))
	}
	return out
}

// notForFallback reports statuses of answers that are the caller's own fault: a
// fallback is never for them. 408 and 429 are about the server's state.
func (d *decoder) notForFallback(list *value, n *load.Node, low, high int) {
	if low >= 500 || low == high && (low == 408 || low == 425 || low == 429) {
		return
	}
	d.fault([]*value{d.within(list, n)}, "resilience-conflict", "fallback.after %s: a fallback is for 5xx, 408, 425 and 429, never for other answers", n.Text)
}

// within is the value of a node that stands in the list of another.
func (d *decoder) within(list *value, n *load.Node) *value {
	v := &value{node: n, at: n, weight: list.weight}
	if list.at != list.node {
		v.at = list.at // it came with a preset
	}
	return v
}

func (d *decoder) rung(list *value, n *load.Node, path string, c *policy.Client) policy.Rung {
	r := policy.Rung{Kind: enum(rungKind(n), policy.RungKind.String), WhenUnknown: boolOf(n.Get("whenUnknown"))}
	if t := n.Get("timeout"); t != nil {
		r.Timeout = span(t)
	}
	v := d.within(list, n)
	switch r.Kind {
	case policy.RungServer:
		r.Name = d.serverOf(d.within(list, n.Get("server")), n.Get("server"), path+".server")
	case policy.RungOperation:
		r.Name = d.rungOperation(list, n, path)
		r.With = d.assignments(list, n.Get("with"), path+".with")
	case policy.RungHandler, policy.RungQueue:
		r.Name = n.Get(rungKind(n)).Text
	case policy.RungCache:
		if s := n.At("/cache/maxStale"); s != nil {
			r.MaxStale = span(s)
		}
		if c.Cache == nil {
			d.fault([]*value{v}, "resilience-conflict", "%s takes what the cache has kept, and cache is off", path).
				Hintf("turn it on: cache: {maxAge: 0s} keeps answers and asks each time")
		}
	case policy.RungSemanticCache:
		r.Similarity = similar(n.At("/semanticCache/similarity"), d.similarity())
	case policy.RungStatic:
		r.Status, r.Body = staticAnswer(n.Get("static"))
	}
	if r.WhenUnknown && r.Kind.Repeats() && c.Effect == policy.Write {
		d.criticalf(ruleWhenUnknown, []*value{v}, "%s.whenUnknown: the effect of a write may come twice", path)
	}
	return r
}

func boolOf(n *load.Node) bool {
	b, _ := n.Bool()
	return b
}

// similarity is what the preset llm has, for a rung that does not say it.
func (d *decoder) similarity() float64 {
	for _, n := range items(d.language.presets["fallback"].byName["llm"].node.Get("rungs")) {
		if s, ok := n.At("/semanticCache/similarity").Float64(); ok {
			return s
		}
	}
	return 1
}

func similar(n *load.Node, usual float64) float64 {
	if s, ok := n.Float64(); ok && n.Is(load.Number) {
		return s
	}
	return usual
}

// staticAnswer is a fixed answer; its body is written as JSON.
func staticAnswer(n *load.Node) (status int, body string) {
	status = 200
	if s, ok := n.Get("status").Int64(); ok {
		status = int(s)
	}
	if b := n.Get("body"); b != nil {
		body = string(b.JSON())
	}
	return status, body
}

// itself is the operation of a preset, which knows no other: the one that failed.
const itself = "$operation"

// rungOperation is the key of the operation of a rung, which must have the same
// result.
func (d *decoder) rungOperation(list *value, n *load.Node, path string) string {
	at := n.Get("operation")
	if at.Text == itself {
		return d.o.op.Key
	}
	other := d.operationAt([]*value{d.within(list, at)}, at, path+".operation")
	if other == nil {
		if slices.Contains(d.leftOutIDs, at.Text) {
			d.fault([]*value{d.within(list, at)}, "resilience-unknown-operation", "%s.operation: this run leaves the operation %s out", path, shown(at.Text))
		}
		return at.Text // of another document, if it was not reported
	}
	if !sameResult(d.o.op, other.op) {
		d.fault([]*value{d.within(list, at)}, "resilience-type", "%s.operation: %s has another result than %s", path, other.name(), d.o.name())
	}
	return other.op.Key
}

// operationAt finds the operation that a node names and reports one that is not
// there. Those of other documents are nil as well: what they hold is not known here.
func (d *decoder) operationAt(values []*value, n *load.Node, path string) *operation {
	if d.foreign(n) {
		return nil
	}
	if o := d.index.byID[n.Text]; o != nil || slices.Contains(d.leftOutIDs, n.Text) {
		return o
	}
	report := d.fault(values, "resilience-unknown-operation", "%s: there is no operation %s", path, shown(n.Text))
	if near, ok := diag.Nearest(n.Text, d.index.ids); ok {
		report.Hintf("did you mean %s?", near)
	}
	return nil
}

// assignments are what a rung changes in the request.
func (d *decoder) assignments(list *value, n *load.Node, path string) []policy.Assignment {
	var out []policy.Assignment
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if skipped(m.Key) {
			continue
		}
		to, err := policy.ParseExpr(m.Key)
		if err != nil {
			continue // reported where it is written
		}
		d.note(use{expr: to, path: path}, list, m.Value)
		a := policy.Assignment{To: to}
		if text, ok := m.Value.Str(); ok && strings.HasPrefix(text, "$") {
			a.From = d.expr(list, m.Value, path)
		} else {
			a.Value = string(m.Value.JSON())
		}
		out = append(out, a)
	}
	return out
}
