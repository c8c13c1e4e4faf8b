package gen

import (
	"context"
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/lint"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// LintSettings are those of [Lint] in a [Config].
type LintSettings struct {
	// Severity is the least one that fails a run: critical, major, minor or info.
	// Empty: major, as critical findings block a release and major ones are due
	// now.
	Severity string
	// Waive accepts findings everywhere, by the id of the rule, each with the
	// reason. It holds for [Run] as well, which refuses some findings.
	Waive map[string]string
	// Remarks makes findings of what [Run] says of the document itself as well, such
	// as a schema that is not used; [Linted.Remarks] counts them otherwise.
	Remarks bool
}

// A Finding is what lint has to tell about one place.
type Finding = diag.Finding

// Linted is what [Lint] has found. It is plain data and read-only.
type Linted struct {
	// Findings are sorted by position. Those with the tier "critical" include the
	// errors of the document.
	Findings []Finding
	// Waived counts the findings that the document or the settings accept.
	Waived int
	// Remarks counts the warnings about the document itself that were left out.
	Remarks int
	// Fix is an OpenAPI Overlay that mends what can be mended; nil when nothing
	// can. Fixed counts the findings that it mends.
	Fix   []byte
	Fixed int
	// Failed says that a finding has the severity of the settings or a graver one.
	Failed bool
}

// Lint reads a document and looks for what generates and is still likely to hurt. Of
// cfg it takes what reading takes (Spec, Overlays, Strict, ExactSchemas,
// SkipUnsupported, Include, Exclude, AllowRemote, Reporter) and Lint. Without a Spec it
// looks at the overlays alone, for all that needs no document. What the language has
// and this version does not act on yet is looked at all the same.
//
// The result is never nil. The error is a [*ConfigError] for wrong settings, or that
// of the context; a document with errors is no error here but has critical findings.
func Lint(ctx context.Context, cfg Config) (*Linted, error) {
	if err := cfg.completeLint(); err != nil {
		return &Linted{}, err
	}
	if cfg.Spec == "" {
		return lintOverlays(ctx, cfg)
	}
	list := &diag.List{Strict: cfg.Strict}
	in, err := lintInput(ctx, cfg, list)
	if err != nil {
		return &Linted{}, err
	}
	return linted(cfg, in), nil
}

func linted(cfg Config, in lint.Input) *Linted {
	in.Waive, in.Remarks = cfg.Lint.Waive, cfg.Lint.Remarks
	cfg.report("lint")
	report := lint.Run(in)
	out := &Linted{Waived: report.Waived, Remarks: report.Remarks}
	for i := range report.Findings {
		out.Findings = append(out.Findings, report.Findings[i].Finding)
		if report.Findings[i].Fixable() {
			out.Fixed++
		}
	}
	title := ""
	if in.API != nil && !in.Alone {
		title = in.API.Title
	}
	out.Fix = report.Overlay(title)
	threshold, _ := catalog.ParseSeverity(cfg.Lint.Severity)
	worst, found := report.Worst()
	out.Failed = found && worst <= threshold
	return out
}

// lintInput runs the stages that lint builds on. With errors other than those that are
// findings themselves there are no policies to look at.
func lintInput(ctx context.Context, cfg Config, list *diag.List) (lint.Input, error) {
	var in lint.Input
	cfg.report("load")
	doc := load.Load(ctx, load.Options{Path: cfg.Spec, Overlays: cfg.Overlays, AllowRemote: cfg.AllowRemote}, list)
	if doc != nil && ctx.Err() == nil {
		cfg.report("lower")
		low := lower.Lower(doc, lower.Options{
			Include: cfg.Include, Exclude: cfg.Exclude, SkipUnsupported: cfg.SkipUnsupported, Exact: cfg.ExactSchemas,
		}, list)
		levels := resilience.Apply(doc, low.API, nodesOf(low), list, resilience.Pending(), resilience.Waived(cfg.Lint.Waive))
		in = lint.Input{Doc: doc, API: low.API, Nodes: nodesOf(low), Partial: len(cfg.Include)+len(cfg.Exclude) > 0}
		if !broken(list) {
			nameConflicts(names.New(low.API), list)
			in.Levels = levels
		}
	}
	in.Diagnostics = list.Sorted()
	return in, ctx.Err()
}

// broken reports whether a list has errors beyond the findings that end a run.
func broken(list *diag.List) bool {
	return slices.ContainsFunc(list.Sorted(), func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && !catalog.Known(d.Code)
	})
}

// lintOverlays looks at overlays whose documents are not at hand.
func lintOverlays(ctx context.Context, cfg Config) (*Linted, error) {
	cfg.report("load")
	list := &diag.List{Strict: cfg.Strict}
	var overlays []*load.Overlay
	for _, name := range cfg.Overlays {
		data, err := readUpTo(name, maxExcerpt)
		if err != nil {
			list.Error(diag.Pos{File: name}, "file-read", "", "cannot read the overlay: %v", err)
			continue
		}
		if o := load.ParseOverlay(name, data, list); o != nil {
			overlays = append(overlays, o)
		}
	}
	if ctx.Err() != nil {
		return &Linted{}, ctx.Err()
	}
	in := lint.Input{Alone: true}
	levels := resilience.CheckOverlays(overlays, list, resilience.Pending(), resilience.Waived(cfg.Lint.Waive))
	if !broken(list) {
		in.Levels = levels
	}
	in.Diagnostics = list.Sorted()
	return linted(cfg, in), nil
}

// completeLint checks the settings that Lint takes.
func (c *Config) completeLint() error {
	if c.Spec == "" && len(c.Overlays) == 0 {
		return configErrorf("spec", "no document given, and no overlay")
	}
	if i := slices.IndexFunc(c.Overlays, isURL); c.Spec == "" && i >= 0 {
		return configErrorf("overlays", "%s would be read over the network: without a document an overlay has to be a file", c.Overlays[i])
	}
	probe := Config{Spec: c.Spec, Overlays: c.Overlays, AllowRemote: c.AllowRemote, Lint: c.Lint, Out: ".", Package: "p"}
	if probe.Spec == "" {
		probe.Spec = "-" // overlays alone
	}
	if err := probe.complete(); err != nil {
		return err
	}
	c.Lint = probe.Lint
	return nil
}

// completeLintSettings fills in the severity and checks the waivers.
func (c *Config) completeLintSettings() error {
	if c.Lint.Severity == "" {
		c.Lint.Severity = catalog.Major.String()
	}
	if _, ok := catalog.ParseSeverity(c.Lint.Severity); !ok {
		return configErrorf("lint", "the severity %q is none of critical, major, minor and info", c.Lint.Severity)
	}
	for id, reason := range c.Lint.Waive {
		near := catalog.Nearest(id)
		switch {
		case catalog.Known(id) && reason == "":
			return configErrorf("lint", "the waiver of %s has no reason", id)
		case catalog.Known(id):
		case near != "":
			return configErrorf("lint", "there is no rule %q to waive: did you mean %s?", id, near)
		default:
			return configErrorf("lint", "there is no rule %q to waive", id)
		}
	}
	return nil
}
