package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
)

// report puts the findings and what the stages before have said together.
func (r *run) report() *Report {
	out := &Report{Waived: len(r.waived)}
	for _, g := range r.groups {
		out.Findings = append(out.Findings, g.finding())
	}
	for _, d := range r.in.Diagnostics {
		rule, known := catalog.Get(d.Code)
		if known && (r.index[place{d.Code, d.Pos}] != nil || r.in.Levels != nil && !rule.Refused) {
			continue // looked for here too, with more to say
		}
		if _, waived := r.in.Waive[d.Code]; known && waived {
			if !r.waived[place{d.Code, d.Pos}] {
				out.Waived++
			}
			continue
		}
		if !known && !r.in.Remarks && d.Severity != diag.Error && !ours(d.Code) {
			out.Remarks++
			continue
		}
		out.Findings = append(out.Findings, faultOf(d, rule, known))
	}
	if r.dropped {
		out.Findings = append(out.Findings, faultOf(diag.Diagnostic{
			Severity: diag.Note, Code: "too-many-diagnostics", Message: "there are more findings, which are not shown",
		}, catalog.Rule{}, false))
	}
	slices.SortStableFunc(out.Findings, func(a, b Finding) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Severity, b.Severity),
			strings.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
	return out
}

// faultOf makes a finding of a diagnostic: an error is critical, since nothing can be
// generated. Repairs, and warnings about annotations and overlays, are minor; what the
// generator has to say about the document beyond that is for information.
func faultOf(d diag.Diagnostic, rule catalog.Rule, known bool) Finding {
	s := catalog.Critical
	switch d.Severity {
	case diag.Warning:
		s = catalog.Info
		if d.Repair || ours(d.Code) {
			s = catalog.Minor
		}
	case diag.Note:
		s = catalog.Info
	case diag.Error:
	}
	f := Finding{Severity: s, Finding: diag.Finding{Diagnostic: d}}
	if known {
		f.Severity, f.Why = rule.Severity, rule.Why
		if d.Hint == "" {
			f.Hint = rule.Mend
		}
	}
	f.Tier, f.Diagnostic.Severity = f.Severity.String(), weightOf(f.Severity)
	return f
}

// ours reports whether a diagnostic is about annotations or overlays.
func ours(code string) bool {
	return strings.HasPrefix(code, "resilience-") || strings.HasPrefix(code, "overlay-")
}

func weightOf(s catalog.Severity) diag.Severity {
	switch s {
	case catalog.Critical:
		return diag.Error
	case catalog.Major:
		return diag.Warning
	case catalog.Minor, catalog.Info:
	}
	return diag.Note
}

// maxNames bounds the operations that a finding names.
const maxNames = 3

func (g *group) finding() Finding {
	f := Finding{Severity: g.rule.Severity, patches: g.patches}
	f.Diagnostic = diag.Diagnostic{
		Pos: g.spot.pos, Pointer: g.spot.pointer, Severity: weightOf(g.rule.Severity), Code: g.rule.ID,
		Message: g.message + ofOperations(g.names), Hint: g.rule.Mend, Related: g.related,
	}
	if g.spot.builtIn != "" {
		f.Message += "; the built-in policy sets " + g.spot.builtIn
	}
	f.Tier, f.Why = g.rule.Severity.String(), g.rule.Why
	return f
}

func ofOperations(names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case len(names) > maxNames:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// see adds another place. It may be called on a finding that was waived.
func (g *group) see(at spot, message string) {
	if g != nil && len(g.related) < 10 {
		g.related = append(g.related, diag.Related{Pos: at.pos, Message: message})
	}
}
