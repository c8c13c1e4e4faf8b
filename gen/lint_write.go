package gen

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
)

// LintFormats are what [WriteLint] writes, the default first.
var LintFormats = []string{"text", "json", "sarif", "github"}

// LintSeverities are the weights of findings, gravest first.
func LintSeverities() []string { return catalog.Severities() }

// WriteLint writes findings: "text" for people, with excerpts of the sources; "json"
// as one object of findings and counts; "sarif" as a SARIF 2.1.0 log that names the
// version of the tool; "github" as workflow commands. All text from documents is
// escaped as the format needs it. Files below the current folder are named relative to
// it. An unknown format is an error.
func WriteLint(w io.Writer, format, version string, fs []Finding, opt TextOptions) error {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	o := diag.Options{Color: opt.Color, Width: opt.Width, Dir: dir}
	switch format {
	case "text":
		if opt.Excerpts {
			o.Excerpt = diag.SourceLines(maxExcerpt)
		}
		return diag.WriteFindings(w, fs, o)
	case "json":
		return diag.WriteFindingsJSON(w, fs, o)
	case "github":
		return diag.WriteGitHub(w, fs, o)
	case "sarif":
		return diag.WriteSARIF(w, fs, diag.SARIFOptions{
			Dir: dir, Tool: "holdfast", Version: version, URL: "https://github.com/holdfast-go/holdfast", Rules: sarifRules(),
		})
	}
	return fmt.Errorf("there is no format %q, only %s", format, strings.Join(LintFormats, ", "))
}

func sarifRules() []diag.SARIFRule {
	var out []diag.SARIFRule
	for _, r := range catalog.All() {
		out = append(out, diag.SARIFRule{
			ID: r.ID, Tier: r.Severity.String(), Short: r.Finds, Full: r.Why, Help: r.Mend + "\nSource: " + r.Source,
		})
	}
	return out
}

// LintRule describes a rule of lint.
type LintRule = catalog.Rule

// LintRules are all rules, in the order of the documentation.
func LintRules() []LintRule { return catalog.All() }
