package lint

import (
	"fmt"

	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var timeoutChecks = []func(*view){
	timeoutOff, totalNone, handlerAboveCaller, deadlineEnds, attemptAboveTotal, totalShort, notMeasured,
}

func timeoutOff(v *view) {
	const text = "timeout is off on the %s: a call may last for ever"
	if v.v.Client.Timeout == nil && v.written(client, "timeout") {
		v.mend(v.found(catalog.TimeoutOff, v.at(client, "timeout"), fmt.Sprintf(text, "client")), client, "timeout", true)
	}
	if v.v.Server.Timeout == nil && v.written(server, "timeout") {
		v.mend(v.found(catalog.TimeoutOff, v.at(server, "timeout"), fmt.Sprintf(text, "server")), server, "timeout", true)
	}
}

func totalNone(v *view) {
	t := v.v.Client.Timeout
	items, raw := v.streamed()
	if t == nil || t.Total != policy.None || items || raw || !v.written(client, "timeout.total") {
		return
	}
	g := v.found("timeout-total-none", v.at(client, "timeout.total"), "timeout.total is none, and the answer is no stream")
	v.mendHere(g, client, "timeout.total", spanText(t.ComputedTotal(v.v.Client.Retry, v.v.Client.Fallback.Reserves()...)))
}

// tellsDeadline reports whether the server learns how long the caller waits.
func (v *view) tellsDeadline() bool {
	c, s := v.v.Client.Deadline, v.v.Server.Deadline
	return c != nil && c.Propagate && s != nil && s.Trust
}

func handlerAboveCaller(v *view) {
	s, total := v.v.Server.Timeout, v.total()
	if v.in.API.External || s == nil || v.tellsDeadline() || total <= 0 || s.Handler <= total {
		return
	}
	at := v.at(server, "timeout.server", "timeout.attempt")
	if at.pos == v.op.Pos {
		at = v.at(client, "timeout.total", "timeout.attempt", "deadline", "deadline.propagate")
	}
	g := v.found("timeout-above-caller", at,
		fmt.Sprintf("the handler may work %s for a caller that waits %s and does not say so", spanText(s.Handler), spanText(total)))
	v.mendHere(g, client, "deadline.propagate", true)
	v.mendHere(g, server, "deadline.trust", true)
}

func deadlineEnds(v *view) {
	if v.in.API.External || v.callback() || v.tellsDeadline() {
		return
	}
	if d := v.v.Client.Deadline; d == nil || !d.Propagate {
		g := v.found("deadline-not-propagated", v.at(client, "deadline.propagate", "deadline"), "the client sends no deadline")
		v.mend(g, client, "deadline.propagate", true)
	}
	if d := v.v.Server.Deadline; d == nil || !d.Trust {
		g := v.found("deadline-not-propagated", v.at(server, "deadline.trust", "deadline"), "the server does not honour the caller's deadline")
		v.mend(g, server, "deadline.trust", true)
	}
}

func attemptAboveTotal(v *view) {
	t := v.v.Client.Timeout
	if t == nil || t.Total <= 0 || t.Total >= t.Attempt || !v.written(client, "timeout.total") {
		return
	}
	g := v.found("timeout-attempt-above-total", v.at(client, "timeout.total", "timeout.attempt"),
		fmt.Sprintf("timeout.total %s is under attempt %s: a try is cut when the call ends", spanText(t.Total), spanText(t.Attempt)))
	v.mendHere(g, client, "timeout.attempt", spanText(t.Total/2))
}

func totalShort(v *view) {
	t, r := v.v.Client.Timeout, v.v.Client.Retry
	if t == nil || t.Total < t.Attempt || t.Total <= 0 || v.tries() < 2 || !v.repeatable() || !v.written(client, "timeout.total") {
		return
	}
	need := t.ComputedTotal(r, v.v.Client.Fallback.Reserves()...)
	if t.Total >= need {
		return
	}
	g := v.found("timeout-total-short", v.at(client, "timeout.total"),
		fmt.Sprintf("timeout.total %s cannot hold %d tries of %s with their waits, which may take %s",
			spanText(t.Total), v.tries(), spanText(t.Attempt), spanText(need)))
	v.mendHere(g, client, "timeout.total", spanText(need))
}

func notMeasured(v *view) {
	if v.v.Client.Timeout == nil || v.written(client, "timeout.p999") || !v.literal(client, "timeout.attempt") {
		return
	}
	v.found("timeout-not-measured", v.at(client, "timeout.attempt"), "timeout.attempt is written without the p999 that it comes from")
}
