package resilience

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// bareSides are the sides that a bare field goes to. Of an external service only the
// client is ours; what only a server has and still is ours (a consumer of its webhooks,
// an outbox for ours) keeps its side.
func (r *reader) bareSides(p *primitive) side {
	if r.external && p.may&clientSide != 0 {
		return clientSide
	}
	return p.bare
}

// onlyOurs reports what stands at an external service and is for its server.
func (r *reader) onlyOurs(p *primitive, m load.Member, path string) {
	if !r.external || p.name != "lock" && p.name != "shed" || turnedOff(m.Value) {
		return
	}
	r.bad[m.Value] = true
	r.list.Error(m.Pos(), "resilience-side", m.Value.Pointer(), "%s is for the server, and the service is external: somebody else's", path)
}

// keepUnshed lets an operation that is never refused stay so: a profile's all says how
// the server sheds load, and not whose requests it refuses.
func (o *operation) keepUnshed(w weight) {
	s := o.server["shed"]
	if s == nil || s.weight != w || int(w) > len(o.levels) || w < 1 {
		return
	}
	level := o.levels[w-1].name
	switch above := level != "defaults" && !strings.HasPrefix(level, "profile "); {
	case above && !s.on:
		kept := *s
		o.unshed = &kept
	case s.on && o.unshed != nil:
		*s = *o.unshed
	}
}
