package resilience_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// explained is a document with the result that explain reads.
type explained struct {
	applied
	result *resilience.Result
}

// explain applies a document, and overlays over it.
func explain(tb testing.TB, text string, overlays ...string) explained {
	tb.Helper()
	return explainStrictly(tb, false, text, overlays...)
}

func explainStrictly(tb testing.TB, strict bool, text string, overlays ...string) explained {
	tb.Helper()
	dir := tb.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	if !strings.Contains(text, "openapi:") {
		text = head + text
	}
	opt := load.Options{Path: write("spec.yaml", text)}
	for i, o := range overlays {
		opt.Overlays = append(opt.Overlays, write(fmt.Sprintf("over%d.yaml", i+1), "overlay: 1.1.0\ninfo: {title: o, version: '1'}\nactions:\n"+o))
	}
	list := diag.List{Strict: strict}
	doc := load.Load(context.Background(), opt, &list)
	if doc == nil {
		tb.Fatalf("not loaded: %v", list.Sorted())
	}
	got := lower.Lower(doc, lower.Options{}, &list)
	result := resilience.Apply(doc, got.API, nodes(got), &list, resilience.Pending())
	return explained{applied{t: tb, api: got.API, list: list.Sorted()}, result}
}

// view is the policy of an operation under a profile and a variant.
func (e explained) view(id, profile, variant string) *resilience.View {
	e.t.Helper()
	for _, o := range e.result.Operations {
		if o.Op.ID == id || o.Name == id {
			v := o.View(profile, variant)
			if v == nil {
				e.t.Fatalf("%s has no view of profile %q, variant %q", id, profile, variant)
			}
			return v
		}
	}
	e.t.Fatalf("no operation %q", id)
	return nil
}

// fine fails when anything is reported.
func (e explained) fine() explained {
	e.t.Helper()
	e.clean()
	return e
}

// tries are the client's tries of an operation.
func (e explained) tries(id, profile string) int {
	e.t.Helper()
	r := e.view(id, profile, "").Client.Retry
	if r == nil {
		return 0
	}
	return r.MaxAttempts
}

// want fails unless exactly these texts are reported, in order.
func (e explained) want(texts ...string) {
	e.t.Helper()
	if len(e.list) != len(texts) {
		e.t.Fatalf("%d reports, want %d:\n%s", len(e.list), len(texts), e.text())
	}
	for i, text := range texts {
		d := e.list[i]
		got := fmt.Sprintf("%s:%d:%d: %s [%s]", filepath.Base(d.Pos.File), d.Pos.Line, d.Pos.Col, d.Message, d.Hint)
		if !strings.Contains(got, text) {
			e.t.Errorf("report %d: %s\nwant it to hold %q", i, got, text)
		}
	}
}

// all is a document with every level of the language, each with its own number of
// tries. What is not in keep is left out.
func all(keep ...string) string {
	has := map[string]bool{}
	for _, k := range keep {
		has[k] = true
	}
	at := func(level string, n int) string {
		if !has[level] {
			return "{}"
		}
		return fmt.Sprintf("{retry: {maxAttempts: %d}}", n)
	}
	return fmt.Sprintf(`x-resilience:
  version: 1
  defaults: %s
  apply:
    - {to: {methods: [GET]}, policy: %s}
    - {to: {paths: ["/a"]}, policy: %s}
  profiles: {p: {all: %s, operations: {a: %s}}}
tags: [{name: t, x-resilience: %s}]
paths:
  /a:
    x-resilience: %s
    get:
      operationId: a
      tags: [t]
      x-resilience: %s
      responses: {'204': {description: ok}}
`, at("defaults", 3), at("apply[0]", 4), at("apply[1]", 5), at("profile all", 9), at("profile operations", 10),
		at("tag t", 6), at("path item", 7), at("operation", 8))
}

// From the weakest to the strongest: the list of section 2.
func TestOrderOfLevels(t *testing.T) {
	order := []string{"defaults", "apply[0]", "apply[1]", "tag t", "path item", "operation", "profile all", "profile operations"}
	for n := range len(order) + 1 {
		e := explain(t, all(order[:n]...)).fine()
		want, level, profile := n+2, "built-in", "" // which has 2 tries, by the preset user-facing
		if n > 0 {
			level = order[n-1]
		}
		if strings.HasPrefix(level, "profile") {
			level, profile = "profile p", "p"
		}
		if got := e.tries("a", profile); got != want {
			t.Errorf("with %v there are %d tries, want %d", order[:n], got, want)
		}
		f, ok := e.view("a", profile, "").Field(false, "retry.maxAttempts")
		if !ok || f.Source.Level != level || f.Value != strconv.Itoa(want) {
			t.Errorf("with %v it comes from %+v", order[:n], f)
		}
		if profile != "" && e.tries("a", "") != 8 {
			t.Errorf("the profile is not asked for, and there are %d tries", e.tries("a", ""))
		}
	}
}

func TestFirstTagWithAnAnnotation(t *testing.T) {
	doc := func(tags string) string {
		return `tags: [{name: plain}, {name: two, x-resilience: {retry: {maxAttempts: 2}}}, {name: three, x-resilience: {retry: {maxAttempts: 3}}}]
paths: {/a: {get: {operationId: a, tags: ` + tags + `, responses: {'204': {description: ok}}}}}
`
	}
	for tags, want := range map[string]int{
		"[two, three]":        2,
		"[three, two]":        3, // the operation's order counts, not the document's
		"[plain, three, two]": 3, // one that says nothing is not asked
		"[unknown, three]":    3,
	} {
		e := explain(t, doc(tags))
		if got := e.tries("a", ""); got != want {
			t.Errorf("tags %s: %d tries, want %d", tags, got, want)
		}
	}
	e := explain(t, "tags: [{name: unused, x-resilience: {retri: {}}}]\npaths: {}\n")
	e.want("spec.yaml:3:38: tag unused: x-resilience: unknown key \"retri\" [did you mean retry?]")
}

func TestSourcesOfFields(t *testing.T) {
	e := explain(t, `x-resilience:
  version: 1
  presets: {retry: {mine: {preset: background, jitter: equal}}}
  policies: {base: {timeout: {attempt: 3s}}, more: {use: base, retry: {preset: mine, baseDelay: 1s}}}
  defaults: {bulkhead: false}
paths:
  /a:
    get:
      operationId: a
      x-resilience:
        use: more
        timeout: {idle: 9s}
        dependency: other
      responses: {'204': {description: ok}}
`).fine()
	type source struct {
		value, level, policy, preset string
		line, col                    int
	}
	for path, want := range map[string]source{
		"timeout.connect":   {"5s", "built-in", "", "", 0, 0},
		"timeout.attempt":   {"3s", "operation", "base", "", 6, 40},
		"timeout.idle":      {"9s", "operation", "", "", 14, 25},
		"retry.maxAttempts": {"5", "operation", "more", "background", 6, 80},
		"retry.jitter":      {"equal", "operation", "more", "mine", 6, 80},
		"retry.baseDelay":   {"1s", "operation", "more", "", 6, 97},
		"bulkhead":          {"off", "defaults", "", "", 7, 24},
		"breaker.minTime":   {"1s", "built-in", "", "", 0, 0},
		"effect":            {"read", "built-in", "", "", 0, 0},
		"dependency":        {"other", "operation", "", "", 15, 21},
	} {
		f, ok := e.view("a", "", "").Field(false, path)
		s := f.Source
		if got := (source{f.Value, s.Level, s.Policy, s.Preset, s.Pos.Line, s.Pos.Col}); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	// The server reads attempt where nothing is written for it, and none of the
	// client's other bounds.
	f, ok := e.view("a", "", "").Field(true, "timeout.server")
	if !ok || f.Value != "3s" || f.Source.Policy != "base" {
		t.Errorf("timeout.server is %+v", f)
	}
	if f, ok := e.view("a", "", "").Field(true, "timeout.attempt"); ok {
		t.Errorf("the server has %+v", f)
	}
}

func TestProfiles(t *testing.T) {
	e := explain(t, `x-resilience:
  version: 1
  profiles:
    dev: {all: {client: {retry: none}}, operations: {a: {client: {retry: {maxAttempts: 4}}}, "GET /c": {timeout: 1s}}}
    bare: {all: false}
    same: {all: {}}
paths:
  /a: {get: {operationId: a, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, x-resilience: {client: {retry: {maxAttempts: 3}}}, responses: {'204': {description: ok}}}}
  /c: {get: {responses: {'204': {description: ok}}}}
`).fine()
	if d := cmp.Diff([]string{"dev", "bare", "same"}, e.result.Profiles); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(e.result.Profiles, e.api.Profiles); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		id, profile string
		want        int
	}{{"a", "", 2}, {"a", "dev", 4}, {"a", "same", 2}, {"b", "", 3}, {"b", "dev", 1}, {"b", "bare", 0}, {"GET /c", "dev", 1}} {
		if got := e.tries(c.id, c.profile); got != c.want {
			t.Errorf("%s under %q: %d tries, want %d", c.id, c.profile, got, c.want)
		}
	}
	if got := e.view("GET /c", "dev", "").Client.Timeout.Attempt; got != second {
		t.Errorf("an operation without an operationId goes by method and path: %v", got)
	}
	bare := e.view("b", "bare", "")
	if bare.Client.Timeout == nil || bare.Client.Deadline == nil || bare.Client.Breaker != nil || bare.Client.Bulkhead != nil {
		t.Errorf("false keeps the timeout and the deadline alone: %+v", bare.Client)
	}
	// Only profiles that change something are compiled in.
	var names []string
	for _, p := range e.op("b").Policy.Profiles {
		names = append(names, p.Name)
	}
	if d := cmp.Diff([]string{"dev", "bare"}, names); d != "" {
		t.Error(d)
	}
}

func TestProfileFaults(t *testing.T) {
	const paths = "paths: {/a: {get: {operationId: getThing, responses: {'204': {description: ok}}}}}\n"
	for text, want := range map[string]string{
		"{p: {operations: {getThings: {}}}}": `has no operation "getThings" [did you mean getThing?]`,
		"{p: {operations: {zzz: {}}}}":       "or as METHOD /path where it has none",
		"{p: {operation: {}}}":               "unknown key \"operation\" [did you mean operations?]",
		"{p: []}":                            "must be a mapping with all and operations, got a list",
		"{p: {operations: []}}":              "must be a mapping of operationIds to policies, got a list",
		"[]":                                 "must be a mapping of names to {all, operations}, got a list",
		"{'p q': {}}":                        `key "p q"`,
		"{p: {all: nothing}}":                "there is no policy \"nothing\"",
	} {
		explain(t, "x-resilience: {version: 1, profiles: "+text+"}\n"+paths).want(want)
	}
}

// What a run leaves out is no operation that is not there.
func TestOperationsLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spec.yaml")
	text := head + `x-resilience:
  version: 1
  apply: [{to: {operations: [b]}, policy: {retry: none}}]
  profiles: {p: {operations: {b: {retry: none}, "PUT /c": {retry: none}, a: {retry: none}}}}
paths:
  /a: {get: {operationId: a, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, responses: {'204': {description: ok}}}}
  /c: {put: {responses: {'204': {description: ok}}}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var list diag.List
	doc := load.Load(context.Background(), load.Options{Path: path}, &list)
	got := lower.Lower(doc, lower.Options{Include: []string{"operation:a"}}, &list)
	if n := len(got.API.Operations); n != 1 {
		t.Fatalf("%d operations are left: %v", n, list.Sorted())
	}
	result := resilience.Apply(doc, got.API, nodes(got), &list)
	for _, d := range list.Sorted() {
		t.Errorf("reported: %s", d.Message)
	}
	if got := result.Operations[0].View("p", "").Client.Retry.MaxAttempts; got != 1 {
		t.Errorf("%d tries", got)
	}
}

// Profiles, rules and tags reach webhooks and callbacks like all operations.
func TestLevelsOfWebhooksAndCallbacks(t *testing.T) {
	e := explain(t, `x-resilience:
  version: 1
  apply: [{to: {methods: [POST]}, policy: {timeout: {attempt: 3s}}}]
  profiles: {p: {all: {timeout: {idle: 4s}}, operations: {hooked: {retry: none}}}}
tags: [{name: t, x-resilience: {timeout: {connect: 1s}}}]
paths:
  /a:
    get:
      operationId: a
      responses: {'204': {description: ok}}
      callbacks: {done: {'{$request.query.url}': {post: {operationId: called, tags: [t], responses: {'204': {description: ok}}}}}}
      parameters: [{name: url, in: query, schema: {type: string}}]
webhooks:
  hook: {post: {operationId: hooked, tags: [t], responses: {'204': {description: ok}}}}
`).fine()
	for _, id := range []string{"called", "hooked"} {
		x := e.view(id, "p", "").Client.Timeout
		if x.Attempt != 3*second || x.Idle != 4*second || x.Connect != second {
			t.Errorf("%s: %+v", id, x)
		}
	}
	if got := e.tries("hooked", "p"); got != 1 {
		t.Errorf("hooked: %d tries", got)
	}
}
