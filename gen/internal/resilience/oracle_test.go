package resilience_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// The rules of section 2 once more, as slow and simple as they can be told: a
// primitive is a map from fields to values, or off. The numbers are those of the
// tables in section 7.

// settings is a primitive while the oracle merges: nil is off.
type settings map[string]string

// oracle knows one primitive.
type oracle struct {
	// fields are the defaults of the fields, before any preset.
	fields settings
	// presets are those of section 7, start is the one where none is named.
	presets map[string]settings
	start   string
	// rivals drop each other.
	rivals map[string]string
}

var retryOracle = oracle{
	fields: settings{"maxAttempts": "2", "baseDelay": "500ms", "maxDelay": "2s", "jitter": "full"},
	presets: map[string]settings{
		"user-facing": {"maxAttempts": "2", "baseDelay": "500ms", "maxDelay": "2s"},
		"background":  {"maxAttempts": "5", "baseDelay": "2s", "maxDelay": "60s"},
		"none":        {"maxAttempts": "1"},
	},
	start: "user-facing",
}

var breakerOracle = oracle{
	fields: settings{"window.count": "10", "failureThreshold": "5", "recovery": "30s", "minTime": "0s"},
	presets: map[string]settings{
		"external-api": {"failureThreshold": "5", "recovery": "30s"},
		"database":     {"failureThreshold": "3", "recovery": "15s"},
		"high-traffic": {"failureRate": "0.5", "window.time": "10s", "recovery": "30s"},
	},
	start:  "external-api",
	rivals: map[string]string{"failureThreshold": "failureRate", "failureRate": "failureThreshold", "window.time": "window.count", "window.count": "window.time"},
}

// put lays a field over what is there.
func (o oracle) put(s settings, field, v string) {
	if rival := o.rivals[field]; rival != "" {
		delete(s, rival)
	}
	s[field] = v
}

// reset is the primitive that a preset makes.
func (o oracle) reset(preset string) settings {
	s := maps.Clone(o.fields)
	for _, f := range slices.Sorted(maps.Keys(o.presets[preset])) {
		o.put(s, f, o.presets[preset][f])
	}
	return s
}

// word is what a level says about a primitive.
type word struct {
	kind   string // absent, true, false, null, preset, object
	preset string // of an object it may be empty
	fields [][2]string
}

// text is the word as YAML.
func (w word) text() string {
	switch w.kind {
	case "preset":
		return w.preset
	case "object":
		var parts []string
		if w.preset != "" {
			parts = append(parts, "preset: "+w.preset)
		}
		for _, f := range w.fields {
			if outer, inner, nested := strings.Cut(f[0], "."); nested {
				parts = append(parts, fmt.Sprintf("%s: {%s: %s}", outer, inner, f[1]))
			} else {
				parts = append(parts, f[0]+": "+f[1])
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return w.kind
}

// lay lays a word over a primitive.
func (o oracle) lay(s, builtIn settings, w word) settings {
	switch w.kind {
	case "", "absent":
		return s
	case "false":
		return nil
	case "null":
		return maps.Clone(builtIn)
	case "true":
		if s == nil {
			return o.reset(o.start)
		}
		return s
	case "preset":
		return o.reset(w.preset)
	}
	if w.preset != "" {
		s = o.reset(w.preset)
	} else if s == nil {
		s = o.reset(o.start)
	}
	s = maps.Clone(s)
	for _, f := range w.fields {
		o.put(s, f[0], f[1])
	}
	return s
}

func (o oracle) draw(t *rapid.T, label string, values map[string][]string) word {
	w := word{kind: rapid.SampledFrom([]string{"absent", "absent", "true", "false", "null", "preset", "object", "object"}).Draw(t, label)}
	if w.kind == "preset" || w.kind == "object" && rapid.Bool().Draw(t, label+" builds on a preset") {
		w.preset = rapid.SampledFrom(slices.Sorted(maps.Keys(o.presets))).Draw(t, label+" preset")
	}
	if w.kind != "object" {
		return w
	}
	taken := map[string]bool{}
	for _, f := range slices.Sorted(maps.Keys(values)) {
		top, _, _ := strings.Cut(f, ".")
		if taken[top] || taken[o.rivals[f]] || rapid.IntRange(0, 2).Draw(t, label+f) != 0 {
			continue
		}
		taken[f], taken[top] = true, true
		w.fields = append(w.fields, [2]string{f, rapid.SampledFrom(values[f]).Draw(t, label+f+" is")})
	}
	return w
}

// said is one level: what stands bare, and what stands in the client's block.
type said struct {
	off          bool // the whole level is false
	bare, client map[string]word
	text         string
}

var oracles = map[string]struct {
	oracle
	values map[string][]string
}{
	"retry":   {retryOracle, map[string][]string{"maxAttempts": {"3", "4", "7"}, "baseDelay": {"1ms", "20ms"}, "maxDelay": {"3s", "90s"}, "jitter": {"equal", "none"}}},
	"breaker": {breakerOracle, map[string][]string{"failureThreshold": {"1", "2"}, "failureRate": {"0.25"}, "window.count": {"20", "40"}, "window.time": {"5s"}, "recovery": {"1s", "8s"}, "minTime": {"4s"}}},
}

func drawLevel(t *rapid.T, label string) said {
	l := said{bare: map[string]word{}, client: map[string]word{}}
	if l.off = rapid.IntRange(0, 12).Draw(t, label+" is off") == 0; l.off {
		l.text = "false"
		return l
	}
	var bare, client []string
	for _, p := range []string{"retry", "breaker"} {
		o := oracles[p]
		if l.bare[p] = o.draw(t, label+p, o.values); l.bare[p].kind != "absent" {
			bare = append(bare, p+": "+l.bare[p].text())
		}
		if l.client[p] = o.draw(t, label+" client "+p, o.values); l.client[p].kind != "absent" {
			client = append(client, p+": "+l.client[p].text())
		}
	}
	if len(client) > 0 {
		bare = append(bare, "client: {"+strings.Join(client, ", ")+"}")
	}
	l.text = "{" + strings.Join(bare, ", ") + "}"
	return l
}

// mergeByOracle is what levels come to, by the oracle.
func mergeByOracle(levels []said) map[string]settings {
	builtIn := map[string]settings{"retry": retryOracle.reset("user-facing"), "breaker": breakerOracle.reset("external-api")}
	builtIn["breaker"]["minTime"] = "1s" // {preset: external-api, minTime: 1s}
	now := maps.Clone(builtIn)
	bare := map[string]bool{} // off as part of a bare try, which a profile's all leaves alone
	for i, l := range levels {
		for p, o := range oracles {
			const defaults, all = 0, 6
			if l.off {
				now[p], bare[p] = nil, i != defaults
				continue
			}
			if i == all && bare[p] {
				continue
			}
			for _, w := range []word{l.bare[p], l.client[p]} {
				bare[p] = bare[p] && (w.kind == "" || w.kind == "absent")
			}
			// Each level is split in two first; client is laid over what stands bare.
			now[p] = o.lay(now[p], builtIn[p], l.bare[p])
			now[p] = o.lay(now[p], builtIn[p], l.client[p])
		}
	}
	return now
}

// Every level of the language, any of them absent: the merge is the oracle's, with a
// profile and without one.
func TestMergeAgreesWithTheOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		names := []string{"defaults", "rule0", "rule1", "tag", "item", "operation", "all", "own"}
		var levels []said
		text := map[string]string{}
		for _, n := range names {
			l := said{text: "{}"}
			if rapid.IntRange(0, 2).Draw(rt, n+" is there") != 0 {
				l = drawLevel(rt, n)
			}
			levels = append(levels, l)
			text[n] = l.text
		}
		doc := fmt.Sprintf(`x-resilience:
  version: 1
  defaults: %s
  apply: [{to: {methods: [GET]}, policy: %s}, {to: {operations: [a]}, policy: %s}]
  profiles: {p: {all: %s, operations: {a: %s}}}
tags: [{name: t, x-resilience: %s}]
paths:
  /a:
    x-resilience: %s
    get: {operationId: a, tags: [t], x-resilience: %s, responses: {'204': {description: ok}}}
`, text["defaults"], text["rule0"], text["rule1"], text["all"], text["own"], text["tag"], text["item"], text["operation"])
		e := explain(t, doc)
		if len(e.list) > 0 {
			// Alternatives that meet in the result may not fit together.
			for _, d := range e.list {
				if d.Code != "resilience-range" {
					rt.Fatalf("%s\n%s", doc, e.text())
				}
			}
			return
		}
		for profile, upTo := range map[string]int{"": 6, "p": 8} {
			want := mergeByOracle(levels[:upTo])
			c := e.view("a", profile, "").Client
			checkRetry(rt, doc, want["retry"], c.Retry)
			checkBreaker(rt, doc, want["breaker"], c.Breaker)
		}
	})
}

func checkRetry(t *rapid.T, doc string, want settings, got *policy.Retry) {
	if (want == nil) != (got == nil) {
		t.Fatalf("%s\nretry is %v, want %v", doc, got, want)
	}
	if got == nil {
		return
	}
	have := settings{
		"maxAttempts": strconv.Itoa(got.MaxAttempts), "baseDelay": got.BaseDelay.String(), "maxDelay": got.MaxDelay.String(), "jitter": got.Jitter.String(),
	}
	compareSettings(t, doc, "retry", want, have)
}

func checkBreaker(t *rapid.T, doc string, want settings, got *policy.Breaker) {
	if (want == nil) != (got == nil) {
		t.Fatalf("%s\nbreaker is %v, want %v", doc, got, want)
	}
	if got == nil {
		return
	}
	have := settings{"recovery": got.Recovery.String(), "minTime": got.MinTime.String()}
	if got.Window.Count > 0 {
		have["window.count"] = strconv.Itoa(got.Window.Count)
	}
	if got.Window.Time > 0 {
		have["window.time"] = got.Window.Time.String()
	}
	if got.FailureRate > 0 {
		have["failureRate"] = fmt.Sprint(got.FailureRate)
	} else {
		have["failureThreshold"] = strconv.Itoa(got.FailureThreshold)
	}
	compareSettings(t, doc, "breaker", want, have)
}

func compareSettings(t *rapid.T, doc, what string, want, have settings) {
	short := func(s settings) settings {
		out := settings{}
		for k, v := range s {
			d, err := time.ParseDuration(v)
			if out[k] = v; err == nil {
				out[k] = d.String() // 60s and 1m0s are one
			}
		}
		return out
	}
	if w, h := short(want), short(have); !maps.Equal(w, h) {
		t.Fatalf("%s\n%s is %v, want %v", doc, what, h, w)
	}
}
