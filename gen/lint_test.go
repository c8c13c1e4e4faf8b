package gen_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen"
)

// writeTemp writes a document of a test and returns its path.
func writeTemp(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const jitterNone = lintDocs + "/retry-jitter-none/bad.yaml" // major

func TestLintSeverity(t *testing.T) {
	minor, info := lintDocs+"/retry-attempts/bad.yaml", lintDocs+"/aggregate-no-snapshots/bad.yaml"
	for _, c := range []struct {
		spec, severity string
		fails          bool
	}{
		{jitterNone, "", true}, {jitterNone, "critical", false}, {jitterNone, "major", true}, {jitterNone, "info", true},
		{minor, "", false}, {minor, "minor", true}, {info, "minor", false}, {info, "info", true},
		{lintDocs + "/timeout-off/bad.yaml", "critical", true}, {lintDocs + "/retry-jitter-none/good.yaml", "major", false},
	} {
		out := lintFile(t, gen.Config{Spec: c.spec, Lint: gen.LintSettings{Severity: c.severity}})
		if out.Failed != c.fails {
			t.Errorf("%s with %q: failed is %v, want %v", c.spec, c.severity, out.Failed, c.fails)
		}
	}
}

func TestLintSettingsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  gen.Config
		want string
	}{
		"nothing":  {gen.Config{}, "spec: no document given, and no overlay"},
		"severity": {gen.Config{Spec: jitterNone, Lint: gen.LintSettings{Severity: "fatal"}}, `lint: the severity "fatal" is none of critical, major, minor and info`},
		"rule": {gen.Config{Spec: jitterNone, Lint: gen.LintSettings{Waive: map[string]string{"retry-jiter-none": "x"}}},
			`lint: there is no rule "retry-jiter-none" to waive: did you mean retry-jitter-none?`},
		"no reason": {gen.Config{Spec: jitterNone, Lint: gen.LintSettings{Waive: map[string]string{"retry-jitter-none": ""}}},
			"lint: the waiver of retry-jitter-none has no reason"},
		"remote":         {gen.Config{Spec: "https://example.com/a.yaml"}, "spec: https://example.com/a.yaml would be read over the network"},
		"remote overlay": {gen.Config{Overlays: []string{"https://example.com/a.yaml"}, AllowRemote: true}, "overlays: https://example.com/a.yaml would be read over the network"},
	} {
		out, err := gen.Lint(t.Context(), c.cfg)
		if _, ok := errors.AsType[*gen.ConfigError](err); !ok || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if out == nil {
			t.Errorf("%s: no result", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gen.Lint(ctx, gen.Config{Spec: jitterNone}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Errors of a document are critical findings under their own codes, and nothing is said
// about policies that were not made.
func TestLintShowsErrors(t *testing.T) {
	spec := writeTemp(t, "a.yaml", `openapi: 3.1.0
info: {title: A, version: '1'}
paths:
  /a:
    get:
      x-resilience: {retry: {maxAttempts: 20, jitter: none}}
      responses: {'204': {description: ok}}
`)
	out := lintFile(t, gen.Config{Spec: spec})
	if len(out.Findings) != 1 || out.Findings[0].Tier != "critical" || out.Findings[0].Code != "resilience-range" || !out.Failed {
		t.Errorf("found %+v", out.Findings)
	}
	out = lintFile(t, gen.Config{Spec: filepath.Join(t.TempDir(), "absent.yaml")})
	if len(out.Findings) != 1 || out.Findings[0].Tier != "critical" {
		t.Errorf("an absent document: %+v", out.Findings)
	}
}

// What a run refuses, a waiver of the settings accepts for the run as well.
func TestWaiversOfSettingsHoldForRuns(t *testing.T) {
	cfg := gen.Config{Spec: lintDocs + "/timeout-off/bad.yaml", Out: t.TempDir(), Package: "p", Client: true, DryRun: true}
	if _, err := gen.Run(t.Context(), cfg); !errors.Is(err, gen.ErrDocument) {
		t.Errorf("without a waiver: %v, want %v", err, gen.ErrDocument)
	}
	cfg.Lint.Waive = map[string]string{"timeout-off": "calls last for days"}
	if _, err := gen.Run(t.Context(), cfg); err != nil {
		t.Errorf("with one: %v", err)
	}
}

// Overlays alone are checked for what needs no document.
func TestLintOverlaysAlone(t *testing.T) {
	const head = "overlay: 1.0.0\ninfo: {title: T, version: '1'}\nactions:\n"
	good := writeTemp(t, "good.yaml", head+"  - {target: $.paths.*.get, update: {x-resilience: {retry: {maxAttempts: 3}}}}\n")
	if out := lintFile(t, gen.Config{Overlays: []string{good}}); len(out.Findings) != 0 || out.Failed {
		t.Errorf("a good one: %+v", out.Findings)
	}
	storm := writeTemp(t, "storm.yaml", head+"  - {target: $.paths.*.get, update: {x-resilience: {retry: {jitter: none}}}}\n")
	if out := lintFile(t, gen.Config{Overlays: []string{storm}}); len(out.Findings) != 1 || out.Findings[0].Code != "retry-jitter-none" ||
		out.Findings[0].Pos != (gen.Pos{File: storm, Line: 4, Col: 69}) || out.Findings[0].Message != "retry.jitter is none" || out.Fix != nil {
		t.Errorf("one with a finding: %+v", out.Findings)
	}
	bad := writeTemp(t, "bad.yaml", head+"  - target: $.paths.*.get\n    update: {x-resilience: {retry: {maxAtempts: 3}}}\n")
	out := lintFile(t, gen.Config{Overlays: []string{good, bad}})
	if len(out.Findings) != 1 || !out.Failed || out.Findings[0].Pos != (gen.Pos{File: bad, Line: 5, Col: 37}) || out.Findings[0].Hint != "did you mean maxAttempts?" {
		t.Errorf("a bad one: %+v", out.Findings)
	}
	if out := lintFile(t, gen.Config{Overlays: []string{good + ".absent"}}); len(out.Findings) != 1 || out.Findings[0].Tier != "critical" {
		t.Errorf("an absent one: %+v", out.Findings)
	}
}

// Findings about one place are one, which names its operations.
func TestLintJoinsOperations(t *testing.T) {
	found := of(lintFile(t, gen.Config{Spec: jitterNone}), "retry-jitter-none")
	if len(found) != 1 || !strings.HasSuffix(found[0].Message, "(GET /things, PUT /things)") {
		t.Errorf("found %+v", found)
	}
	out := lintFile(t, gen.Config{Spec: jitterNone})
	if strings.Count(string(out.Fix), "target:") != 1 || !strings.Contains(string(out.Fix), `target: "$"`) {
		t.Errorf("one place is mended in several:\n%s", out.Fix)
	}
}

// One word of an overlay that makes many writes of others repeatable is told; the same
// at the operations, one by one, is not.
func TestLintBroadOverlay(t *testing.T) {
	var spec, each strings.Builder
	spec.WriteString("openapi: 3.1.0\ninfo: {title: A, version: '1', description: Send an Idempotency-Key.}\npaths:\n")
	each.WriteString("overlay: 1.1.0\ninfo: {title: T, version: '1'}\nactions:\n")
	for _, p := range []string{"a", "b", "c", "d", "e"} {
		spec.WriteString("  /" + p + ": {post: {operationId: " + p + ", responses: {'204': {description: ok}}}}\n")
		each.WriteString("  - {target: $.paths['/" + p + "'].post, update: {x-resilience: {client: {idempotency: true}}}}\n")
	}
	doc := writeTemp(t, "a.yaml", spec.String())
	all := "overlay: 1.1.0\ninfo: {title: T, version: '1'}\nactions:\n  - target: $\n    update:\n" +
		"      x-resilience: {version: 1, apply: [{to: {methods: [POST]}, policy: {client: {idempotency: true}}}]}\n"
	for _, c := range []struct {
		overlay string
		want    int
	}{{all, 1}, {each.String(), 0}} {
		overlay := writeTemp(t, "o.yaml", c.overlay)
		found := of(lintFile(t, gen.Config{Spec: doc, Overlays: []string{overlay}}), "overlay-broad")
		if len(found) != c.want {
			t.Errorf("%d findings, want %d: %+v", len(found), c.want, found)
		}
		if len(found) == 1 && (found[0].Pos.File != overlay || found[0].Pos.Line != 6) {
			t.Errorf("found at %v", found[0].Pos)
		}
	}
}

// Profiles and variants are looked at as well, say so, and are mended by hand.
func TestLintProfilesAndVariants(t *testing.T) {
	spec := writeTemp(t, "a.yaml", `openapi: 3.1.0
info: {title: A, version: '1'}
x-resilience:
  version: 1
  profiles:
    calm: {all: {retry: {maxAttempts: 9}}}
paths:
  /a:
    get:
      operationId: a
      parameters: [{name: watch, in: query, schema: {type: boolean}}]
      x-resilience: {variants: {watched: {when: {$request.query.watch: true}, retry: {jitter: none}}}}
      responses: {'204': {description: ok}}
`)
	out := lintFile(t, gen.Config{Spec: spec})
	for rule, want := range map[string]struct {
		line int
		ends string
	}{
		"retry-attempts":    {6, "9 attempts (GET /a under profile calm)"},
		"retry-jitter-none": {12, "retry.jitter is none (GET /a as variant watched)"},
	} {
		found := of(out, rule)
		if len(found) != 1 || found[0].Pos.Line != want.line || found[0].Message != want.ends {
			t.Errorf("%s: %+v, want line %d: %s", rule, found, want.line, want.ends)
		}
	}
	if out.Fix != nil {
		t.Errorf("mended:\n%s", out.Fix)
	}
}

// A waiver holds where it stands, and is counted once for a place.
func TestLintWaiverHoldsBelow(t *testing.T) {
	spec := writeTemp(t, "a.yaml", `openapi: 3.1.0
info: {title: A, version: '1'}
x-resilience: {version: 1, defaults: {retry: {jitter: none}}}
paths:
  /a:
    x-resilience: {waive: {retry-jitter-none: one caller}}
    get: {operationId: a, responses: {'204': {description: ok}}}
    put: {operationId: b, responses: {'204': {description: ok}}}
  /c:
    get: {operationId: c, responses: {'204': {description: ok}}}
    put:
      operationId: d
      x-resilience: {waive: {retry-attempts: there are none}}
      responses: {'204': {description: ok}}
`)
	out := lintFile(t, gen.Config{Spec: spec})
	if found := of(out, "retry-jitter-none"); len(found) != 1 || !strings.HasSuffix(found[0].Message, "(GET /c, PUT /c)") || out.Waived != 1 {
		t.Errorf("%d waived, and found %+v", out.Waived, found)
	}
	if found := of(out, "waiver-unused"); len(found) != 1 || found[0].Pos.Line != 13 {
		t.Errorf("unused: %+v", found)
	}
}

// A key that two operations share for different things collides; one that means the
// same thing in both does not.
func TestLintSharedLockKeys(t *testing.T) {
	doc := func(key, path string) string {
		op := func(path, id string) string {
			return "  " + path + ":\n    put:\n      operationId: " + id + "\n      parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n" +
				"      x-resilience: {lock: {keys: ['" + key + "']}}\n      responses: {'204': {description: ok}}\n"
		}
		return "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths:\n" + op("/accounts/{id}", "a") + op(path, "b")
	}
	for _, c := range []struct {
		key, path string
		want      int
	}{
		{"thing/{$request.path.id}", "/orders/{id}", 1}, {"thing/{$request.path.id}", "/accounts/{id}/close", 0},
		{"thing/{$request.path.id}/{$method}", "/orders/{id}", 0},
	} {
		found := of(lintFile(t, gen.Config{Spec: writeTemp(t, "a.yaml", doc(c.key, c.path))}), "lock-key-collides")
		if len(found) != c.want {
			t.Errorf("%s at %s: %+v, want %d", c.key, c.path, found, c.want)
		}
		if len(found) == 1 && (found[0].Pos.Line != 14 || len(found[0].Related) != 1 || found[0].Related[0].Pos.Line != 8) {
			t.Errorf("stands at %v, related %v", found[0].Pos, found[0].Related)
		}
	}
}

// What is not used is told only where the whole document was looked at.
func TestLintOfAPart(t *testing.T) {
	spec := lintDocs + "/policy-unused/bad.yaml"
	if found := of(lintFile(t, gen.Config{Spec: spec, Include: []string{"getThings"}}), "policy-unused"); len(found) > 0 {
		t.Errorf("found in a part: %+v", found)
	}
}

// The settings of lint in a configuration file.
func TestLintInFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, gen.FileName)
	write := func(lint string) ([]gen.Config, []gen.Diagnostic) {
		text := "version: 1\ntargets:\n  - spec: a.yaml\n    out: api\n    lint: " + lint + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		targets, ds, err := gen.ReadFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return targets, ds
	}
	targets, ds := write("{severity: minor, waive: {retry-attempts: a job}}")
	want := gen.LintSettings{Severity: "minor", Waive: map[string]string{"retry-attempts": "a job"}}
	if len(ds) > 0 || len(targets) != 1 {
		t.Fatalf("%d targets, %v", len(targets), ds)
	}
	if d := cmp.Diff(want, targets[0].Lint); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]string{
		"{severity: high}":                "5:22: severity must be critical, major, minor or info",
		"{waive: {retry-atempts: a job}}": "5:20: there is no rule \"retry-atempts\" to waive",
		"{waive: {retry-attempts: 5}}":    "5:36: waive.retry-attempts must be the reason, as text, found number",
		"{waive: [retry-attempts]}":       "5:19: waive must be a mapping of rules to reasons, found list",
		"{level: 5}":                      "5:12: unknown setting \"level\"",
		"minor":                           "5:11: lint must be a mapping with severity, waive, found string",
		"{waive: {retry-attempts: \"\"}}": "5:36: waive.retry-attempts must be the reason, as text, found string",
	} {
		_, ds := write(text)
		if len(ds) != 1 {
			t.Errorf("%s: %d diagnostics: %v", text, len(ds), ds)
			continue
		}
		if got := strings.TrimPrefix(ds[0].Pos.String(), path+":") + ": " + ds[0].Message; got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestWriteLint(t *testing.T) {
	out := lintFile(t, gen.Config{Spec: jitterNone})
	for format, want := range map[string]string{
		"text":   "retry-jitter-none/bad.yaml:3:55: major: retry.jitter is none (GET /things, PUT /things) [retry-jitter-none]\n",
		"json":   `"rule": "retry-jitter-none"`,
		"sarif":  `"version": "v0.0.1"`,
		"github": "::warning file=../testdata/lint/retry-jitter-none/bad.yaml,line=3,col=55,title=major%3A retry-jitter-none::retry.jitter is none",
	} {
		var b strings.Builder
		if err := gen.WriteLint(&b, format, "v0.0.1", out.Findings, gen.TextOptions{Excerpts: true}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %q in\n%s", format, want, b.String())
		}
	}
	var b strings.Builder
	if err := gen.WriteLint(&b, "xml", "", nil, gen.TextOptions{}); err == nil {
		t.Error("xml is a format")
	}
}

// What is flaky is asked for a way out, at an operation and at a variant, unless a stronger
// level says that it is not; a variant waives what is found at it alone.
func TestLintFlaky(t *testing.T) {
	spec := writeTemp(t, "a.yaml", `openapi: 3.1.0
info: {title: A, version: '1'}
components: {parameters: {as: {name: as, in: query, schema: {type: string}}}}
paths:
  /a:
    x-resilience: {flaky: true}
    get:
      operationId: flaky
      parameters: [{$ref: '#/components/parameters/as'}]
      x-resilience: {variants: {calm: {when: {$request.query.as: calm}, flaky: false}}}
      responses: {'204': {description: ok}}
    put:
      operationId: calm
      parameters: [{$ref: '#/components/parameters/as'}]
      x-resilience:
        flaky: false
        variants:
          shaky: {when: {$request.query.as: shaky}, flaky: true}
          known: {when: {$request.query.as: known}, flaky: true, waive: {flaky-unprotected: it is known}}
      responses: {'204': {description: ok}}
`)
	out := lintFile(t, gen.Config{Spec: spec})
	var got []string
	for _, f := range of(out, "flaky-unprotected") {
		got = append(got, f.Message)
	}
	want := []string{"known to be flaky, and without fallback (GET /a)", "known to be flaky, and without fallback (PUT /a as variant shaky)"}
	if !slices.Equal(got, want) || out.Waived != 1 {
		t.Errorf("%d waived, and found %q", out.Waived, got)
	}
}

// A finding about what nobody has written says whose it is.
func TestLintBuiltIn(t *testing.T) {
	const document = `openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /a:
    get: {operationId: a, responses: {'204': {description: ok}}}
    put:
      operationId: b
      x-resilience: {flaky: true, breaker: BREAKER}
      responses: {'204': {description: ok}}
`
	for breaker, want := range map[string]string{
		"{}":                  "(PUT /a); the built-in policy sets breaker.scope",
		"{scope: dependency}": "with others (PUT /a)",
	} {
		found := of(lintFile(t, gen.Config{Spec: writeTemp(t, "a.yaml", strings.Replace(document, "BREAKER", breaker, 1))}), "breaker-scope-wide")
		if len(found) != 1 || !strings.HasSuffix(found[0].Message, want) {
			t.Errorf("%s: %+v, want %s", breaker, found, want)
		}
	}
}
