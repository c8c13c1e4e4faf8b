package gen

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// lint reads the key lint of a target: {severity: WORD, waive: {RULE: reason}}.
func (r *fileReader) lint(n *load.Node, to *LintSettings) {
	if n == nil || !r.mapping(n, "lint", "severity", "waive") {
		return
	}
	r.text(n, "severity", &to.Severity)
	if to.Severity != "" && !slices.Contains(catalog.Severities(), to.Severity) {
		at := n.Get("severity")
		r.list.Error(at.Pos(), "config-value", at.Pointer(), "severity must be critical, major, minor or info")
		to.Severity = ""
	}
	waive := n.Get("waive")
	if waive == nil {
		return
	}
	if !waive.Is(load.Object) {
		r.wrongType(waive, "waive", "a mapping of rules to reasons")
		return
	}
	for _, m := range waive.Members {
		reason, ok := m.Value.Str()
		switch {
		case !catalog.Known(m.Key):
			d := r.list.Error(m.Pos(), "config-value", m.Value.Pointer(), "there is no rule %q to waive", shorten(m.Key))
			if near := catalog.Nearest(m.Key); near != "" {
				d.Hintf("did you mean %s?", near)
			}
		case !ok || reason == "":
			r.wrongType(m.Value, "waive."+m.Key, "the reason, as text")
		default:
			if to.Waive == nil {
				to.Waive = map[string]string{}
			}
			to.Waive[m.Key] = reason
		}
	}
}
