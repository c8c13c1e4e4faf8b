package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

var lockChecks = []func(*view){lockTimes, lockFencing, lockKeys}

func lockTimes(v *view) {
	l, t := v.v.Server.Lock, v.v.Server.Timeout
	if l == nil || t == nil || t.Handler <= 0 {
		return
	}
	within, _ := v.within(server, "lock")
	if l.Heartbeat == 0 && l.TTL < t.Handler {
		at := within
		if v.written(server, "lock.ttl") || v.written(server, "lock.expected") {
			at = v.at(server, "lock.ttl", "lock.expected")
		}
		g := v.found("lock-ttl-short", at, fmt.Sprintf("the lock ends after %s without a heartbeat, and its handler may run %s", spanText(l.TTL), spanText(t.Handler)))
		v.mendHere(g, server, "lock.heartbeat", spanText(l.TTL/3))
	}
	if l.Wait >= t.Handler {
		at := within
		if v.written(server, "lock.wait") {
			at = v.at(server, "lock.wait")
		}
		g := v.found("lock-wait-long", at, fmt.Sprintf("a request may wait %s for the lock, and its handler may run %s", spanText(l.Wait), spanText(t.Handler)))
		v.mendHere(g, server, "lock.wait", spanText(min(t.Handler/2, 5_000_000_000)))
	}
}

func lockFencing(v *view) {
	if l := v.v.Server.Lock; l != nil && !l.Fencing {
		v.mend(v.found("lock-no-fencing", v.at(server, "lock.fencing"), "lock.fencing is off"), server, "lock.fencing", true)
	}
}

// sharedKeys finds one key that two operations lock for values of different things: the
// same parameter behind another segment of the path.
func sharedKeys(r *run) {
	type lock struct {
		v      *view
		behind string
	}
	first := map[string]lock{}
	for _, v := range r.views {
		l := v.v.Server.Lock
		if l == nil || !v.base() {
			continue
		}
		for _, k := range l.Keys {
			behind, only := segmentBefore(v.op.Path, k)
			if !only {
				continue
			}
			have, ok := first[k.String()]
			if !ok {
				first[k.String()] = lock{v, behind}
			} else if have.behind != behind {
				v.found("lock-key-collides", v.at(server, "lock.keys"), "the key "+k.String()+" locks a thing of "+behind+" here and one of "+have.behind+" elsewhere").
					see(have.v.at(server, "lock.keys"), have.v.name+" has it too")
			}
		}
	}
}

// segmentBefore is the literal in front of the one parameter of the path that a key is
// made of; only is false for a key of anything else.
func segmentBefore(path string, k policy.Template) (literal string, only bool) {
	name := ""
	for _, p := range k.Parts {
		switch {
		case p.Expr.IsZero():
		case p.Expr.Source != policy.FromPath || name != "":
			return "", false
		default:
			name = p.Expr.Name
		}
	}
	before, _, found := strings.Cut(path, "{"+name+"}")
	return lastLiteral(before), found && name != ""
}

func lockKeys(v *view) {
	l := v.v.Server.Lock
	if l == nil {
		return
	}
	for _, k := range l.Keys {
		named := slices.ContainsFunc(k.Parts, func(p policy.TemplatePart) bool {
			return strings.ContainsFunc(p.Text, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
		})
		if !named {
			v.found("lock-key-collides", v.at(server, "lock.keys"), "the key "+k.String()+" does not say what it locks")
			return
		}
	}
}
