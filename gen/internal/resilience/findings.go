package resilience

import (
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
)

// Rules of critical findings: they end the run unless they are waived. Their ids and
// texts are in lint's catalog, like those of all rules.
const (
	ruleSafetyAlways = catalog.RetrySafetyAlways
	ruleTimeoutOff   = catalog.TimeoutOff
	ruleLease        = catalog.IdempotencyLease
	ruleWhenUnknown  = catalog.FallbackWhenUnknown
)

// criticalf reports a finding that ends the run unless the operation, or the
// configuration, waives it.
func (d *decoder) criticalf(rule string, values []*value, format string, args ...any) {
	if _, accepted := d.o.waive[rule]; accepted || d.waived[rule] != "" {
		return
	}
	d.fault(values, rule, format, args...).Hintf("if it is meant: waive: {%s: the reason}", rule)
}

// timeoutOff reports a side whose calls may last for ever; both at once where one
// value has turned both off.
func (d *decoder) timeoutOff() {
	s := d.slots["timeout"]
	if s.at == nil {
		return // external: the server is none of ours
	}
	where := d.at
	if c, o := d.o.client["timeout"], d.o.server["timeout"]; c != nil && o != nil && !c.on && !o.on && c.at == o.at {
		if d.at == serverSide {
			return
		}
		where = bothSides
	}
	at := &value{node: s.at, at: s.at, weight: s.weight}
	d.criticalf(ruleTimeoutOff, []*value{at}, "timeout is off on %s: a call may last for ever", where.noun())
}

// noun is the side in a sentence.
func (s side) noun() string {
	if s == bothSides {
		return s.String()
	}
	return "the " + s.String()
}

// handlerTimeout is the built-in bound on a handler.
func (l *language) handlerTimeout() time.Duration { return span(l.fields.At("/timeout/server")) }
