package lint

import (
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

var shapeChecks = []func(*view){streams, getCommand}

// maxSilence is the longest silence of a stream that still tells a broken connection
// in good time.
const maxSilence = 5 * time.Minute

func streams(v *view) {
	items, _ := v.streamed()
	t := v.v.Client.Timeout
	if !items || t == nil {
		return
	}
	if t.Total > 0 && v.written(client, "timeout.total") && !v.toldApart() {
		g := v.found("stream-total", v.at(client, "timeout.total"), "the stream is cut after timeout.total "+spanText(t.Total))
		v.mendHere(g, client, "timeout.total", "none")
	}
	if t.Idle <= 0 || t.Idle > maxSilence {
		g := v.found("stream-no-idle", v.at(client, "timeout.idle"), "the stream may be silent for "+spanText(t.Idle))
		v.mendHere(g, client, "timeout.idle", "30s")
	}
}

// toldApart reports whether variants say what streams and what does not, and this is
// neither.
func (v *view) toldApart() bool {
	return v.v.Variant == "" && slices.ContainsFunc(v.views, func(w *view) bool { return w.op == v.op && w.v.Variant != "" })
}

// reads reports whether the method is one that has no effect.
func (v *view) reads() bool { return slices.Contains([]string{"GET", "HEAD"}, v.op.Method) }

func getCommand(v *view) {
	if !v.reads() || v.v.Client.Effect != policy.Read || v.written(client, "effect") {
		return
	}
	verb := command(v.op)
	if verb == "" {
		return
	}
	g := v.found("get-command", v.here(), "a "+v.op.Method+" that looks like a command: "+verb)
	v.mendHere(g, both, "effect", "write")
	// What only reads may have.
	if v.v.Client.Hedge != nil {
		v.mendHere(g, client, "hedge", false)
	}
	if v.v.Client.Cache != nil {
		v.mendHere(g, client, "cache", false)
	}
	if v.v.Server.Cache != nil {
		v.mendHere(g, server, "cache", false)
	}
}
