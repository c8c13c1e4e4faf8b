package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// stream is how answers are read that are sequences of items.
func (d *decoder) stream(effect policy.Effect) *policy.Stream {
	f := d.fields("stream")
	if f == nil {
		return nil
	}
	if d.o.webSocket(d.index.api) {
		d.fault([]*value{d.slotValue("stream")}, "resilience-websocket", "stream is for events and lines over HTTP, and this operation switches to a web socket").
			Hintf("web sockets are not spoken: stream: false")
		return nil
	}
	s := &policy.Stream{
		Mode: f.mode(), First: f.span("first"), Retry: enum(f.word("retry"), policy.StreamRetry.String),
		Resume: d.streamResume(f.get("resume"), effect),
	}
	if p := f.get("error").get("pointer"); p != nil {
		s.Error = p.node.Text
		d.note(use{expr: policy.Expr{Source: policy.FromResponseBody, Name: p.node.Text}, path: "stream.error.pointer", item: true}, p, p.node)
	}
	return s
}

// streamResume is how a stream that broke goes on; nil where it does not.
func (d *decoder) streamResume(v *value, effect policy.Effect) *policy.StreamResume {
	param := v.get("param")
	if param == nil {
		return nil // none, or reported where it is written
	}
	r := &policy.StreamResume{Param: d.expr(param, param.node, "stream.resume.param")}
	from := v.get("from")
	if from != nil {
		text, _ := from.node.Str()
		r.From, _ = policy.ParseExpr(text) // one that is none is reported where it is written
		d.use(from, "stream.resume.from", use{item: true})
	}
	byID := r.Param.Source == policy.FromHeader && strings.EqualFold(r.Param.Name, policy.LastEventID)
	switch {
	case !assignable(r.Param):
		d.fault([]*value{param}, "resilience-expression", "stream.resume.param %s cannot be given a value: want a parameter of the request or a place in its body", shown(param.node.Text))
	case from == nil && !byID:
		d.fault([]*value{param}, "resilience-missing", "stream.resume needs from: where an item has its position")
	case from == nil && !slices.ContainsFunc(successes(d.o.op), sendsEvents):
		d.fault([]*value{param}, "resilience-missing", "stream.resume needs from: where an item has its position; only server sent events have ids of their own")
	case from != nil && r.From.Source != policy.FromResponseBody:
		d.fault([]*value{from}, "resilience-expression", "stream.resume.from %s is no place in an item: want one such as $response.body#/id", shown(from.node.Text))
	case !effect.Repeatable():
		d.fault([]*value{param}, "resilience-conflict", "stream.resume sends the request again, and the effect of this one is %s", effect).
			Hintf("effect: read or effect: idempotent, where that is so; else leave resume out")
	}
	return r
}

// sendsEvents reports whether a response may be server sent events.
func sendsEvents(r *ir.Response) bool {
	return slices.ContainsFunc(r.Contents, func(c *ir.Content) bool { return c.Kind == ir.ContentEvents })
}
