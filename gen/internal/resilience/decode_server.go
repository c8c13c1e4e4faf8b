package resilience

import (
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func (d *decoder) lock() *policy.Lock {
	f := d.fields("lock")
	if f == nil {
		return nil
	}
	l := &policy.Lock{
		Mode: f.mode(), Keys: d.templates(f.get("keys"), "lock.keys"), Wait: f.span("wait"), Fencing: f.flag("fencing"),
		Backend: enum(f.word("backend"), policy.LockBackend.String),
	}
	expected := f.span("expected")
	l.TTL, l.Heartbeat = policy.LockTimes(expected)
	if ttl := f.get("ttl"); ttl != nil {
		l.TTL, l.Heartbeat = span(ttl.node), 0
		if f.get("heartbeat") == nil && l.TTL < expected {
			d.fault([]*value{ttl, f.get("expected")}, "resilience-range",
				"lock.ttl %s is under expected %s and nothing extends it: the lock would end before the work", shortSpan(l.TTL), shortSpan(expected)).
				Hintf("write heartbeat as well, or a longer ttl")
		}
	}
	if beat := f.get("heartbeat"); beat != nil {
		if l.Heartbeat = span(beat.node); l.Heartbeat >= l.TTL {
			d.fault([]*value{beat, f.get("ttl")}, "resilience-range", "lock.heartbeat %s is not under ttl %s: the lock would end before it",
				shortSpan(l.Heartbeat), shortSpan(l.TTL))
		}
	}
	if d.required(f, "lock", "keys", "what is locked, [\"account/{$request.body#/id}\"] say") == nil {
		return nil
	}
	return l
}

func (d *decoder) shed() *policy.Shed {
	f := d.fields("shed")
	if f == nil {
		return nil
	}
	return &policy.Shed{Mode: f.mode(), Target: f.span("target"), MaxInflight: f.count("maxInflight"), Adaptive: f.flag("adaptive")}
}

func (d *decoder) concurrency() *policy.Concurrency {
	f := d.fields("concurrency")
	if f == nil {
		return nil
	}
	c := &policy.Concurrency{
		Mode: f.mode(), IfMatch: enum(f.word("ifMatch"), policy.IfMatch.String), Conflict: f.count("conflict"),
	}
	effect := effectOf(d.o)
	if v := f.get("etag"); v != nil && v.node.Is(load.String) {
		c.Version = d.expr(v, v.node, "concurrency.etag")
		switch read := effect == policy.Read; {
		case read && !ofResponse(c.Version):
			d.fault([]*value{v}, "resilience-expression", "concurrency.etag %s: the version of a read stands in its response", shown(v.node.Text))
		case !read && ofResponse(c.Version):
			d.fault([]*value{v}, "resilience-expression", "concurrency.etag %s: the version of a write stands in its request", shown(v.node.Text))
		}
	}
	if effect == policy.Read {
		c.IfMatch = policy.IfMatchOptional // of writes alone
		return c
	}
	c.Reread = d.reread(f.get("reread"))
	return c
}

// reread is the operation that reads what this one writes, empty for none.
func (d *decoder) reread(v *value) string {
	if v == nil {
		return ""
	}
	if get := d.index.reads[d.o.op.Path]; get != nil && get.group == d.o.group {
		return get.op.Key
	}
	// What holds for many finds no reading at some of them; what stands at one is meant for it.
	if v.weight > 0 && d.o.levels[v.weight-1].name == "operation" {
		pos, pointer := d.place(v)
		d.list.Warn(pos, "resilience-reread", pointer, key+": concurrency.reread: there is no GET %s, which would read again what is written", d.o.op.Path).
			Hintf("add it to the document, or leave reread out")
	}
	return ""
}
