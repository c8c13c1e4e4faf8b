package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

var eventChecks = []func(*view){consumers, outboxes, skipped}

func consumers(v *view) {
	at, on := v.within(server, "consumer")
	if !on || v.fields[server]["consumer"].Value == "off" {
		return
	}
	if !v.written(server, "consumer.verify.scheme") && v.callback() {
		v.found("consumer-unverified", at, "the consumer does not verify who sends")
	}
	if !v.written(server, "consumer.dedupe.id") {
		v.found("consumer-no-dedupe", at, "the consumer has no dedupe")
		return
	}
	const week = 7 * 24 * time.Hour
	f := v.fields[server]["consumer.dedupe.ttl"]
	if ttl, ok := spanOf(f.Value); ok && ttl < week {
		v.found("consumer-dedupe-short", v.at(server, "consumer.dedupe.ttl"), "ids are forgotten after "+f.Value)
	}
}

// spanOf reads a duration of the language; the stage before has checked it.
func spanOf(text string) (time.Duration, bool) {
	days, rest, ok := strings.Cut(text, "d")
	if !ok {
		days, rest = "0", text
	}
	if rest == "" {
		rest = "0s"
	}
	d, err := time.ParseDuration(days + "h")
	if err != nil {
		return 0, false
	}
	more, err := time.ParseDuration(rest)
	return 24*d + more, err == nil
}

func outboxes(v *view) {
	at, on := v.within(server, "outbox")
	if !on || v.fields[server]["outbox"].Value == "off" {
		if _, received := v.within(server, "consumer"); v.callback() && !received {
			v.found("webhook-without-outbox", v.here(), "it is sent without an outbox")
		}
		return
	}
	if publisher := v.fields[server]["outbox.publisher"].Value; publisher != "webhook" && publisher != "" || v.written(server, "outbox.sign.scheme") {
		return
	}
	v.found("outbox-unsigned", at, "deliveries are not signed")
}

func skipped(v *view) {
	for path, mend := range map[string]string{"consumer.onPoison": "dead-letter", "outbox.onDead": "park"} {
		if v.fields[server][path].Value == "skip" {
			v.mendHere(v.found("poison-skipped", v.at(server, path), "what fails for good is skipped"), server, path, mend)
		}
	}
}

// roots are the extension's objects at the root: the document's own and those that
// overlays laid over it.
func (r *run) roots() []*load.Node {
	var out []*load.Node
	root := r.in.Doc.Root.Root
	if n := root.Get(load.Annotation); n.Is(load.Object) {
		out = append(out, n)
	}
	for _, m := range r.in.Doc.Layers(root) {
		if m.Value.Is(load.Object) {
			out = append(out, m.Value)
		}
	}
	return out
}

// each visits the entries of a mapping of the roots, but not those that are no object.
func (r *run) each(name string, visit func(m load.Member)) {
	for _, root := range r.roots() {
		for _, m := range entries(root.Get(name)) {
			if m.Value.Is(load.Object) && !strings.HasPrefix(m.Key, "x-") {
				visit(m)
			}
		}
	}
}

// entries are the members of an object, none of anything else.
func entries(n *load.Node) []load.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// elements are those of a list, none of anything else.
func elements(n *load.Node) []*load.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

func memberSpot(m load.Member) spot { return spot{pos: m.Pos(), pointer: m.Value.Pointer()} }

func nodeSpot(n *load.Node) spot { return spot{pos: n.Pos(), pointer: n.Pointer()} }

func sagas(r *run) {
	r.each("sagas", func(m load.Member) {
		if !m.Value.Has("timeout") {
			r.found("saga-no-timeout", memberSpot(m), "the saga "+m.Key+" has no timeout")
		}
		pivot := false
		for _, step := range elements(m.Value.Get("steps")) {
			isPivot, _ := step.Get("pivot").Bool()
			pivot = pivot || isPivot
			if !pivot {
				compensation(r, m.Key, step)
			}
			stepRetry(r, m.Key, step)
		}
	})
}

func stepName(step *load.Node) string {
	if id, ok := step.Get("stepId").Str(); ok {
		return id
	}
	id, _ := step.Get("operationId").Str()
	return id
}

func compensation(r *run, saga string, step *load.Node) {
	c, ok := step.Member("compensate")
	if !ok {
		r.found("saga-no-compensate", nodeSpot(step), fmt.Sprintf("the step %s of the saga %s has no compensate", stepName(step), saga))
		return
	}
	if on, isBool := c.Value.Bool(); isBool && !on {
		r.found("saga-no-compensate", nodeSpot(c.Value), fmt.Sprintf("the step %s of the saga %s is never compensated", stepName(step), saga))
	}
}

// stepRetry finds retries of a step above those of its operation.
func stepRetry(r *run, saga string, step *load.Node) {
	id, _ := step.Get("operationId").Str()
	retry := step.Get("retry")
	if retry == nil || r.stepTries(retry) < 2 {
		return
	}
	i := slices.IndexFunc(r.views, func(v *view) bool { return v.base() && v.op.ID == id })
	if i < 0 {
		return
	}
	n := r.stepTries(retry) * r.views[i].tries()
	if n > mostAttempts {
		r.found("retry-multiplied", nodeSpot(retry), fmt.Sprintf("the step %s of the saga %s makes up to %d tries of %s", stepName(step), saga, n, id))
	}
}

// stepTries are the attempts of a retry as a saga's step writes it.
func (r *run) stepTries(retry *load.Node) int {
	if on, isBool := retry.Bool(); isBool && !on || retry.Is(load.Null) {
		return 1
	}
	name, isName := retry.Str()
	if n, ok := retry.Get("maxAttempts").Int64(); ok {
		return int(n)
	}
	if base, ok := retry.Get("preset").Str(); ok && !isName {
		name = base
	}
	for _, root := range slices.Backward(r.roots()) {
		if n, ok := root.Get("presets").Get("retry").Get(name).Get("maxAttempts").Int64(); ok {
			return int(n)
		}
	}
	return presetTries(name)
}

// presetTries are the attempts of one of our own presets, those of the default one
// for any other name.
func presetTries(name string) int {
	set, err := specext.Load()
	if err != nil {
		return 1 // a fault of the build, which its own test finds
	}
	retry := set.Presets["retry"]
	fields, ok := retry.Presets[name]
	if !ok {
		fields = retry.Presets[retry.Default]
	}
	n, _ := fields["maxAttempts"].(int)
	return max(n, 1)
}

func aggregates(r *run) {
	r.each("aggregates", func(m load.Member) {
		if !m.Value.Has("expectedVersion") {
			r.found("aggregate-no-version", memberSpot(m), "the aggregate "+m.Key+" has no expectedVersion")
		}
		if !m.Value.Has("snapshotEvery") {
			r.found("aggregate-no-snapshots", memberSpot(m), "the aggregate "+m.Key+" has no snapshotEvery")
		}
		for _, e := range entries(m.Value.Get("events")) {
			if !strings.HasPrefix(e.Key, "x-") && e.Key != "description" && !pastTense(e.Key) {
				r.found("event-name-tense", memberSpot(e), "the event "+e.Key+" is not named in the past tense")
			}
		}
	})
}

// irregular are past participles that do not end in -ed.
var irregular = []string{
	"begun", "bought", "broken", "built", "chosen", "cut", "done", "drawn", "fallen", "found", "frozen", "given", "gone", "grown",
	"held", "hit", "kept", "known", "laid", "left", "lent", "lost", "made", "met", "overdrawn", "paid", "put", "read", "rebuilt",
	"reset", "risen", "run", "seen", "sent", "set", "shut", "sold", "spent", "split", "stolen", "sunk", "taken", "thrown", "told",
	"undone", "unfrozen", "withdrawn", "won", "written", "fed", "dealt", "forgotten", "hidden", "shown", "spoken", "begotten", "bound",
}

// pastTense reports whether one of an event's words is a past participle: MoneyDeposited,
// OrderPaidInFull, deposited_v1.
func pastTense(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(w string) bool {
		return len(w) > 3 && strings.HasSuffix(w, "ed") && w != "need" && w != "feed" && w != "seed" && w != "speed" || slices.Contains(irregular, w)
	})
}

func edges(r *run) {
	for _, root := range r.roots() {
		n := root.Get("edge").Get("maxBundle")
		if n == nil {
			continue
		}
		text, _ := n.Str()
		if bytes, ok := sizeOf(text); ok && bytes > 1_048_576 {
			r.found("edge-bundle-large", nodeSpot(n), "edge.maxBundle is "+text)
		}
	}
}

// sizeOf reads a size of the language; the stage before has checked it.
func sizeOf(text string) (int64, bool) {
	units := []struct {
		name string
		of   int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		var n int64
		if _, err := fmt.Sscanf(strings.TrimSpace(number), "%d", &n); err != nil || n < 0 || n > maxAnswer/u.of {
			return 0, false
		}
		return n * u.of, true
	}
	return 0, false
}
