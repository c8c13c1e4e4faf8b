package catalog_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
)

// Every rule says all that the documentation has of it, in sentences, under an id of
// its own.
func TestRulesAreComplete(t *testing.T) {
	id := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)
	seen := map[string]bool{}
	for _, r := range catalog.All() {
		if !id.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("%q is no id, or is there twice", r.ID)
		}
		seen[r.ID] = true
		for name, text := range map[string]string{"finds": r.Finds, "why": r.Why, "mend": r.Mend} {
			if !strings.HasSuffix(text, ".") || strings.ContainsAny(text, "\n|") {
				t.Errorf("%s: %s is no sentence: %q", r.ID, name, text)
			}
		}
		if r.Source == "" || strings.HasSuffix(r.Source, ".") {
			t.Errorf("%s: source %q", r.ID, r.Source)
		}
		if r.Refused && r.Severity != catalog.Critical {
			t.Errorf("%s refuses a document and is %s", r.ID, r.Severity)
		}
		if got, ok := catalog.Get(r.ID); !ok || got != r {
			t.Errorf("Get(%q) = %+v, %v", r.ID, got, ok)
		}
	}
}

// The tiers that the advice gives to what it names are those of the rules.
func TestSeverities(t *testing.T) {
	for id, want := range map[string]catalog.Severity{
		"retry-safety-always": catalog.Critical, "timeout-off": catalog.Critical, "fallback-when-unknown": catalog.Critical,
		"idempotency-lease": catalog.Critical, "retry-jitter-none": catalog.Major, "flaky-unprotected": catalog.Major,
		"idempotency-whole-request": catalog.Major, "idempotency-scope-none": catalog.Major, "saga-no-compensate": catalog.Major,
		"retry-attempts": catalog.Minor, "breaker-recovery-short": catalog.Minor, "retry-cannot-act": catalog.Minor,
		"timeout-not-measured": catalog.Minor, "event-name-tense": catalog.Minor, "waiver-unused": catalog.Minor,
		"overkill-single-instance": catalog.Info,
	} {
		if r, ok := catalog.Get(id); !ok || r.Severity != want {
			t.Errorf("%s is %s, want %s", id, r.Severity, want)
		}
	}
	for _, word := range catalog.Severities() {
		if s, ok := catalog.ParseSeverity(word); !ok || s.String() != word {
			t.Errorf("ParseSeverity(%q) = %v, %v", word, s, ok)
		}
	}
	if _, ok := catalog.ParseSeverity("fatal"); ok {
		t.Error("fatal is a severity")
	}
}

// Each anti-pattern is found, or cannot be written.
func TestAntiPatterns(t *testing.T) {
	for _, p := range catalog.AntiPatterns() {
		if len(p.Rules) == 0 && p.Why == "" {
			t.Errorf("%s: neither found nor explained", p.Pattern)
		}
		for _, id := range p.Rules {
			if !catalog.Known(id) {
				t.Errorf("%s: there is no rule %s", p.Pattern, id)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for id, want := range map[string]string{"timeout-of": "timeout-off", "retry-jiter-none": "retry-jitter-none", "xyz": "", "": ""} {
		if got := catalog.Nearest(id); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", id, got, want)
		}
	}
}
