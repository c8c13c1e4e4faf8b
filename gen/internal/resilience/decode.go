package resilience

import (
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// span is a duration among the members, zero when it is not there.
func (v *value) span(name string) time.Duration {
	if f := v.get(name); f != nil {
		return span(f.node)
	}
	return 0
}

// count is a whole number among the members.
func (v *value) count(name string) int {
	if f := v.get(name); f != nil {
		n, _ := f.node.Int64()
		return int(n)
	}
	return 0
}

// number is a number among the members.
func (v *value) number(name string) float64 {
	if f := v.get(name); f != nil {
		n, _ := f.node.Float64()
		return n
	}
	return 0
}

// word is a text among the members.
func (v *value) word(name string) string {
	if f := v.get(name); f != nil {
		s, _ := f.node.Str()
		return s
	}
	return ""
}

// flag is a boolean among the members.
func (v *value) flag(name string) bool {
	if f := v.get(name); f != nil {
		b, _ := f.node.Bool()
		return b
	}
	return false
}

// list are the elements of a list among the members.
func (v *value) list(name string) []*load.Node {
	if f := v.get(name); f != nil {
		return items(f.node)
	}
	return nil
}

// written reports whether the user has written the value, directly or by the name
// of a preset that has it.
func (v *value) written() bool { return v != nil && v.weight > 0 }

func (v *value) mode() policy.Mode {
	if v.word("mode") == "shadow" {
		return policy.Shadow
	}
	return policy.Enforce
}

// enum finds the value of a small enumeration by its word; the zero value when
// there is no such word.
func enum[E ~uint8](word string, name func(E) string) E {
	for e := E(0); ; e++ {
		switch name(e) {
		case word:
			return e
		case "unknown":
			return 0
		}
	}
}

// decoder makes the policy of one side of an operation from its slots.
type decoder struct {
	*merger
	o     *operation
	at    side
	slots map[string]*slot
}

// decode makes the policies of an operation and reports what only shows when
// everything is merged.
func (m *merger) decode(o *operation) {
	if m.made++; m.tooMuch() {
		return
	}
	flaky, _ := o.common["flaky"].Bool()
	o.dependency = m.dependencyOf(o)
	o.result = ir.Policy{Dependency: o.dependency, Flaky: flaky, Waive: o.waive}
	c := decoder{m, o, clientSide, o.client}
	o.result.Client = policy.Client{
		Effect: effectOf(o), Criticality: criticalityOf(o),
		Timeout: c.timeout(), Deadline: c.deadline(), Idempotency: c.idempotency(nil),
		Bulkhead: c.bulkhead(), RateLimit: c.rateLimit(),
	}
	o.result.Client.Retry = c.retry(&o.result.Client)
	o.result.Client.Breaker = c.breaker(o.result.Client.Timeout)
	o.result.Client.Hedge = c.hedge(&o.result.Client)
	o.result.Client.Cache, o.result.Client.Concurrency = c.cache(), c.concurrency()
	o.result.Client.Fallback = c.fallback(&o.result.Client)
	s := decoder{m, o, serverSide, o.server}
	o.result.Server = policy.Server{
		Timeout: s.serverTimeout(), Deadline: s.deadline(),
		Bulkhead: s.bulkhead(), RateLimit: s.rateLimit(),
	}
	o.result.Server.Idempotency = s.idempotency(o.result.Server.Timeout)
	o.result.Server.Cache, o.result.Server.Concurrency = s.cache(), s.concurrency()
	o.result.Server.Lock, o.result.Server.Shed = s.lock(), s.shed()
	o.result.Client.Stream = c.stream(o.result.Client.Effect)
	c.clientFlows()
	s.serverFlows()
	o.result.Words = words(o)
}

// fields are the merged settings of a primitive, nil when it is off.
func (d *decoder) fields(name string) *value {
	if s := d.slots[name]; s != nil && s.on {
		return s.fields
	}
	return nil
}

// place is where the user wrote the strongest of the values; the operation where
// all of them are built in.
func (d *decoder) place(values ...*value) (diag.Pos, string) {
	var best *value
	for _, v := range values {
		if v.written() && v.at != nil && (best == nil || v.weight > best.weight) {
			best = v
		}
	}
	if best == nil {
		return d.o.op.Pos, d.o.node.Pointer()
	}
	return best.at.Pos(), best.at.Pointer()
}

// fault reports an error that shows after the merge, at the strongest of the
// values that lead to it. Operations that share a fault share its report, so the
// message names none.
func (d *decoder) fault(values []*value, code, format string, args ...any) *diag.Diagnostic {
	pos, pointer := d.place(values...)
	return d.list.Error(pos, code, pointer, key+": "+format, args...)
}

// timeout is the client's.
func (d *decoder) timeout() *policy.Timeout {
	f := d.fields("timeout")
	if f == nil {
		d.timeoutOff()
		return nil
	}
	t := &policy.Timeout{
		Mode: f.mode(), Connect: f.span("connect"), Attempt: attempt(f), Total: f.span("total"),
		Idle: f.span("idle"), Floor: f.span("floor"), Share: f.number("share"),
		Adaptive: f.flag("adaptive"), Ceiling: f.span("ceiling"),
	}
	if t.Adaptive {
		t.Headroom = f.number("headroom")
	}
	d.totalBelowAttempt(f, t)
	d.neverStarts(f, t)
	if v := f.get("ceiling"); t.Ceiling > 0 && t.Ceiling < t.Floor {
		d.fault([]*value{v, f.get("floor")}, "resilience-range", "timeout.ceiling %s is under floor %s", shortSpan(t.Ceiling), shortSpan(t.Floor))
	}
	return t
}

// totalBelowAttempt warns of a total that no try can reach the end of its own time in.
// It is no error: a try is cut at what is left of the call, and a total that an operation
// sets over the attempt of all others may be meant.
func (d *decoder) totalBelowAttempt(f *value, t *policy.Timeout) {
	total, try := f.get("total"), f.get("attempt")
	if f.span("p999") > 0 {
		try = f.get("p999")
	}
	if t.Total <= 0 || t.Total >= t.Attempt || !total.written() || !try.written() {
		return
	}
	pos, pointer := d.place(total, try)
	d.list.Warn(pos, catalog.TimeoutAttemptAboveTotal, pointer, key+": timeout.total %s is under attempt %s: a try is cut when the call ends",
		shortSpan(t.Total), shortSpan(t.Attempt)).
		Hintf("raise total, or lower attempt to %s", shortSpan(t.Total))
}

// neverStarts reports a time in which no try is begun: each needs its floor, and the
// reserve where a deadline is sent.
func (d *decoder) neverStarts(f *value, t *policy.Timeout) {
	name, left := "attempt", t.Attempt
	if t.Total > 0 && t.Total < left {
		name, left = "total", t.Total
	}
	need, from := t.Floor, "floor "+shortSpan(t.Floor)
	values := []*value{f.get(name), f.get("floor")}
	if name == "attempt" && f.span("p999") > 0 {
		name = "p999 with its headroom"
		values = append(values, f.get("p999"), f.get("headroom"))
	}
	if dl := d.fields("deadline"); dl != nil && dl.mode() == policy.Enforce && dl.flag("propagate") && dl.span("reserve") > 0 {
		need += dl.span("reserve")
		from += " and the deadline's reserve " + shortSpan(dl.span("reserve"))
		values = append(values, dl.get("reserve"))
	}
	if t.Mode == policy.Enforce && left > 0 && left < need {
		d.fault(values, "resilience-range", "timeout.%s %s is less than a try needs to begin, %s: no call would be made", name, shortSpan(left), from)
	}
}

// attempt is the bound on one try: written, or measured with room to spare.
func attempt(f *value) time.Duration {
	if measured := f.span("p999"); measured > 0 {
		scaled := float64(measured) * f.number("headroom")
		const most = float64(1<<63 - 1)
		if scaled >= most {
			return time.Duration(1<<63 - 1)
		}
		return time.Duration(scaled).Round(time.Microsecond)
	}
	return f.span("attempt")
}

// serverTimeout bounds the handler: as written, else as the document bounds a
// try, for nobody waits longer.
func (d *decoder) serverTimeout() *policy.ServerTimeout {
	f := d.fields("timeout")
	if f == nil {
		d.timeoutOff()
		return nil
	}
	handler := f.span("server")
	if !f.get("server").written() && (f.get("attempt").written() || f.get("p999").written()) {
		handler = attempt(f)
	}
	return &policy.ServerTimeout{Mode: f.mode(), Handler: handler, Idle: f.span("idle")}
}

func (d *decoder) deadline() *policy.Deadline {
	f := d.fields("deadline")
	switch {
	case f == nil:
		return nil
	case d.at == clientSide && f.flag("propagate"):
		return &policy.Deadline{
			Mode: f.mode(), Propagate: true, Reserve: f.span("reserve"), Header: enum(f.word("header"), policy.DeadlineHeader.String),
		}
	case d.at == serverSide && f.flag("trust"):
		return &policy.Deadline{Mode: f.mode(), Trust: true}
	}
	return nil
}

func (d *decoder) bulkhead() *policy.Bulkhead {
	f := d.fields("bulkhead")
	if f == nil {
		return nil
	}
	return &policy.Bulkhead{
		Mode: f.mode(), Name: f.word("name"), MaxConcurrent: f.count("maxConcurrent"), Queue: f.count("queue"),
		Timeout: f.span("timeout"), Hold: max(0, f.span("hold")), OnFull: enum(f.word("onFull"), policy.OnFull.String),
		Adaptive: f.flag("adaptive"),
	}
}
