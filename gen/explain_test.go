package gen_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen"
)

const explainFolder = "../testdata/explain"

// shopConfig is the document of testdata/explain, with or without its overlay.
func shopConfig(overlay bool) gen.Config {
	cfg := gen.Config{Spec: "shop.yaml"}
	if overlay {
		cfg.Overlays = []string{"shop.overlay.yaml"}
	}
	return cfg
}

// explained is a report, whose folder is the current one so that no place of this
// checkout stands in it.
func explained(t *testing.T, cfg gen.Config, sel gen.ExplainSelection) *gen.ExplainReport {
	t.Helper()
	e, err := gen.Explain(t.Context(), cfg)
	if err != nil {
		t.Fatalf("%v %+v", err, e.Diagnostics)
	}
	r, err := e.Report(sel)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The text of the whole report, for a document with levels, a policy in use, a
// profile, a variant and an overlay.
func TestExplainText(t *testing.T) {
	t.Chdir(explainFolder)
	var b bytes.Buffer
	if err := explained(t, shopConfig(true), gen.ExplainSelection{}).WriteText(&b, gen.ExplainTextOptions{}); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("report.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("report.txt (-want +got):\n%s", diff)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// The numbers are worked out by hand from the document and the language's defaults.
func TestExplainNumbers(t *testing.T) {
	t.Chdir(explainFolder)
	for _, tt := range []struct {
		name, operation, profile string
		limit, hanging           float64
		tries, requests, opens   int
		note                     string
	}{
		// 2s and 0.5s and 2s of the 9s that are written
		{name: "defaults", operation: "listOrders", limit: 9000, hanging: 4500, tries: 2, requests: 2, opens: 5},
		// 2 + 0.1 + 2 + 0.2 + 2
		{name: "a policy in use", operation: "createOrder", limit: 9000, hanging: 6300, tries: 3, requests: 3, opens: 3},
		{name: "a write", operation: "sendMail", limit: 9000, hanging: 2000, tries: 1, requests: 2, opens: 5, note: "sent once"},
		// 1 + 0.1 + 1 + 0.2 + 1
		{name: "a profile", operation: "createOrder", profile: "prod", limit: 4000, hanging: 3300, tries: 3, requests: 3, opens: 3},
		// 9s less 2s for the mirror; a hedge beside each try
		{name: "hedges and rungs", operation: "search", limit: 9000, hanging: 4500, tries: 2, requests: 4, opens: 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := explained(t, shopConfig(true), gen.ExplainSelection{Operations: []string{tt.operation}, Profile: tt.profile})
			if len(r.Operations) != 1 || len(r.Policies) != 1 {
				t.Fatalf("%d operations, %d policies", len(r.Operations), len(r.Policies))
			}
			w := r.Policies[0].Worst
			if *w.LimitMs != tt.limit || *w.HangingMs != tt.hanging || len(w.Timeline.Attempts) != tt.tries || w.Load.Requests != tt.requests || w.Breaker.OpensAfter != tt.opens {
				t.Errorf("limit %v, hanging %v, %d tries, %d requests, opens after %d", *w.LimitMs, *w.HangingMs, len(w.Timeline.Attempts), w.Load.Requests, w.Breaker.OpensAfter)
			}
			if !strings.Contains(strings.Join(w.Notes, " "), tt.note) {
				t.Errorf("notes %q", w.Notes)
			}
		})
	}
	search := explained(t, shopConfig(true), gen.ExplainSelection{Operations: []string{"search"}}).Policies[0]
	if len(search.Worst.Rungs) != 2 || search.Worst.Rungs[0].EndMs != 6500 || search.Worst.Rungs[1].Kind != "static" {
		t.Errorf("%+v", search.Worst.Rungs)
	}
	if len(search.Variants) != 1 || search.Variants[0].Name != "slow" || *search.Variants[0].Worst.HangingMs != 16500 {
		t.Errorf("%+v", search.Variants)
	}
}

// Each setting names the level and the line that it is from.
func TestExplainSources(t *testing.T) {
	t.Chdir(explainFolder)
	find := func(operation, profile, path string) string {
		t.Helper()
		r := explained(t, shopConfig(true), gen.ExplainSelection{Operations: []string{operation}, Profile: profile})
		for _, f := range r.Policies[0].Client {
			if f.Path == path {
				s := f.Source
				text := f.Value + " from " + s.Level
				if s.Overlay {
					text += " overlay"
				}
				if s.Policy != "" {
					text += " policy " + s.Policy
				}
				if s.Preset != "" {
					text += " preset " + s.Preset
				}
				if s.File != "" {
					text += " " + s.File + ":" + lineOf(t, s.File, s.Line)
				}
				return text
			}
		}
		return "missing"
	}
	for _, tt := range []struct{ operation, profile, path, want string }{
		{"listOrders", "", "timeout.attempt", "2s from defaults shop.yaml:timeout: {attempt: 2s, total: 9s}"},
		{"listOrders", "", "retry.maxAttempts", "2 from built-in preset user-facing"},
		{"listOrders", "", "idempotency", "off from built-in"},
		{"listOrders", "prod", "timeout.attempt", "1s from profile prod shop.yaml:client: {timeout: {attempt: 1s, total: 4s}}"},
		{"createOrder", "", "retry.maxAttempts", "3 from operation policy careful shop.yaml:retry: {maxAttempts: 3, baseDelay: 100ms, maxDelay: 400ms}"},
		{"search", "", "hedge.delay", "50ms from operation overlay shop.overlay.yaml:hedge: {delay: 50ms, max: 1}"},
	} {
		if got := find(tt.operation, tt.profile, tt.path); got != tt.want {
			t.Errorf("%s of %s: %s, want %s", tt.path, tt.operation, got, tt.want)
		}
	}
}

// lineOf is a line of a file.
func lineOf(t *testing.T, file string, line int) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		t.Fatalf("%s has no line %d", file, line)
	}
	return strings.TrimSpace(lines[line-1])
}

// The members of the JSON forms are a contract: none may go or change its name, and
// a new one has to be written down here.
func TestExplainJSON(t *testing.T) {
	t.Chdir(explainFolder)
	var b bytes.Buffer
	if err := explained(t, shopConfig(true), gen.ExplainSelection{}).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"dependency", "external", "operations", "operations.file", "operations.id", "operations.line", "operations.method", "operations.name",
		"operations.path", "operations.policy", "operations.tags", "policies", "policies.client", "policies.client.path", "policies.client.source",
		"policies.client.source.column", "policies.client.source.file", "policies.client.source.level", "policies.client.source.line",
		"policies.client.source.overlay", "policies.client.source.pointer", "policies.client.source.policy", "policies.client.source.preset",
		"policies.client.value", "policies.dependency", "policies.server", "policies.variants", "policies.variants.name", "policies.variants.when",
		"policies.worstCase", "policies.worstCase.breaker", "policies.worstCase.breaker.longestOpenMs", "policies.worstCase.breaker.openMaxMs",
		"policies.worstCase.breaker.openMinMs", "policies.worstCase.breaker.opensAfter", "policies.worstCase.breaker.probes",
		"policies.worstCase.breaker.scope", "policies.worstCase.hangingMs", "policies.worstCase.limitMs", "policies.worstCase.load",
		"policies.worstCase.load.budget", "policies.worstCase.load.budget.factors", "policies.worstCase.load.budget.factors.callsPerSecond",
		"policies.worstCase.load.budget.factors.requestsPerCall", "policies.worstCase.load.budget.minPerSecond", "policies.worstCase.load.budget.ratio",
		"policies.worstCase.load.by", "policies.worstCase.load.hedges", "policies.worstCase.load.requests", "policies.worstCase.load.rungRequests",
		"policies.worstCase.load.tries", "policies.worstCase.notes", "policies.worstCase.rungs", "policies.worstCase.rungs.endMs",
		"policies.worstCase.rungs.kind", "policies.worstCase.rungs.name", "policies.worstCase.rungs.startMs", "policies.worstCase.serverMs",
		"policies.worstCase.timeline", "policies.worstCase.timeline.attempts", "policies.worstCase.timeline.attempts.endMs",
		"policies.worstCase.timeline.attempts.endsBy", "policies.worstCase.timeline.attempts.grantedMs", "policies.worstCase.timeline.attempts.number",
		"policies.worstCase.timeline.attempts.startMs", "policies.worstCase.timeline.attempts.waitMs", "policies.worstCase.timeline.endMs",
		"policies.worstCase.timeline.stop", "profiles", "replicas", "spec", "title", "version",
	}
	members := membersOf(t, b.Bytes())
	members = slices.DeleteFunc(members, func(m string) bool {
		return strings.HasPrefix(m, "policies.server.") || strings.HasPrefix(m, "policies.variants.") && strings.Count(m, ".") > 2 ||
			slices.Contains([]string{"policies.variants.client", "policies.variants.server", "policies.variants.dependency", "policies.variants.worstCase"}, m)
	})
	if diff := cmp.Diff(want, members); diff != "" {
		t.Error(diff)
	}
}

// membersOf are the paths of all members of a JSON text, sorted.
func membersOf(t *testing.T, data []byte) []string {
	t.Helper()
	var root any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(prefix, x)
			}
		case map[string]any:
			for name, x := range v {
				path := strings.TrimPrefix(prefix+"."+name, ".")
				seen[path] = true
				walk(path, x)
			}
		}
	}
	walk("", root)
	var out []string
	for path := range seen {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

func TestExplainSelection(t *testing.T) {
	t.Chdir(explainFolder)
	e, err := gen.Explain(t.Context(), shopConfig(false))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		globs []string
		want  int
	}{
		{nil, 5},
		{[]string{"*Order*"}, 3},
		{[]string{"GET *"}, 2},
		{[]string{"/orders*"}, 3},
		{[]string{"sendMail", "search"}, 2},
	} {
		r, err := e.Report(gen.ExplainSelection{Operations: tt.globs})
		if err != nil || len(r.Operations) != tt.want {
			t.Errorf("%v: %v, %+v", tt.globs, err, r)
		}
	}
	for _, tt := range []struct {
		sel  gen.ExplainSelection
		want string
	}{
		{gen.ExplainSelection{Operations: []string{"createOrdr"}}, "operation: no operation fits createOrdr: did you mean createOrder?"},
		{gen.ExplainSelection{Profile: "prd"}, "profile: there is no profile prd: did you mean prod?"},
		{gen.ExplainSelection{Profile: "nothing-like-it"}, "profile: there is no profile nothing-like-it: the document has prod"},
	} {
		_, err := e.Report(tt.sel)
		var bad *gen.ConfigError
		if !errors.As(err, &bad) || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

func TestExplainFaults(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "bad.yaml", "openapi: 3.1.0\ninfo: {title: A, version: '1'}\nx-resilience: {version: 1, defaults: {retry: {maxAtempts: 3}}}\npaths: {}\n")
	e, err := gen.Explain(t.Context(), gen.Config{Spec: "bad.yaml"})
	if !errors.Is(err, gen.ErrDocument) || len(e.Diagnostics) == 0 || e.Diagnostics[0].Pos.Line != 3 {
		t.Errorf("%v, %+v", err, e.Diagnostics)
	}
	if _, err := e.Report(gen.ExplainSelection{}); !errors.Is(err, gen.ErrDocument) {
		t.Error(err)
	}
	if e.Profiles() != nil {
		t.Error(e.Profiles())
	}
	var bad *gen.ConfigError
	if _, err := gen.Explain(t.Context(), gen.Config{}); !errors.As(err, &bad) || bad.Setting != "spec" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	write(t, "good.yaml", "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {}\n")
	if _, err := gen.Explain(ctx, gen.Config{Spec: "good.yaml"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
