package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/holdfast-go/holdfast/gen"
)

const lintHelp = `Lint reads OpenAPI documents and tells what generates and is still likely to hurt:
calls that may last for ever, retries that repeat an effect or storm a service that
is down, limits that anybody gets around, locks that two hold.

    holdfast lint openapi.yaml
    holdfast lint vendor.yaml --overlay vendor.overlay.yaml
    holdfast lint --overlay vendor.overlay.yaml      # what needs no document

Without a document and an overlay the targets of holdfast.yaml are looked at, with
their key lint: {severity: WORD, waive: {RULE: reason}}.

Each finding is critical (it blocks a release; errors of the document are), major
(to be mended now), minor (to be mended when there is time) or info. All are shown,
and with --remarks what 'holdfast generate' says of the document itself as well.
The exit status is 1 when one has the severity of --severity or a graver one, and
major is the default; 0 when none has; 2 when the options or holdfast.yaml are at
fault.

What is meant is waived where it stands, with the reason:

    x-resilience: {waive: {retry-jitter-none: a single caller}}

--fix FILE writes an overlay that mends what needs no decision of yours; use it with
--overlay. 'holdfast lint --rules' lists the rules.`

// lintOptions are the flags of lint.
type lintOptions struct {
	flags    *pflag.FlagSet
	config   string
	target   gen.Config
	severity string
	format   string
	fix      string
	rules    bool
	remarks  bool
}

func (a *app) lintCommand() *command {
	fs := newFlags("lint")
	o := &lintOptions{flags: fs}
	t := &o.target
	fs.StringArrayVar(&t.Overlays, "overlay", nil, "apply this overlay `FILE` first; repeatable")
	fs.StringVar(&o.severity, "severity", "", "the least `WORD` that fails: critical, major (default), minor, info")
	fs.StringVar(&o.format, "format", gen.LintFormats[0], "the `FORM` of the report: text (default), json, sarif, github")
	fs.StringVar(&o.fix, "fix", "", "write an overlay `FILE` that mends what can be mended")
	fs.StringVar(&o.config, "config", "", "the configuration `FILE` (default: holdfast.yaml here or above)")
	fs.StringArrayVar(&t.Include, "include", nil, "look only at what this `FILTER` matches; repeatable")
	fs.StringArrayVar(&t.Exclude, "exclude", nil, "leave out what this `FILTER` matches; repeatable")
	fs.BoolVar(&t.Strict, "strict", false, "make errors of repaired departures from the standard")
	fs.BoolVar(&t.ExactSchemas, "exact-schemas", false, "read schemas to the letter: one without a type takes any value")
	fs.BoolVar(&t.SkipUnsupported, "skip-unsupported", false, "leave out what is not supported")
	fs.BoolVar(&t.AllowRemote, "allow-remote", false, "read documents over the network where they say so")
	fs.BoolVar(&o.remarks, "remarks", false, "show what generate says of the document itself as well")
	fs.BoolVar(&o.rules, "rules", false, "list the rules and end")
	annotate(fs, "overlay", completesPath, "files")
	annotate(fs, "config", completesPath, "files")
	annotate(fs, "fix", completesPath, "files")
	annotate(fs, "severity", completesWith, gen.LintSeverities()...)
	annotate(fs, "format", completesWith, gen.LintFormats...)
	annotate(fs, "include", completesWith, "tag:", "path:", "operation:")
	annotate(fs, "exclude", completesWith, "tag:", "path:", "operation:")
	return &command{
		name:    "lint",
		args:    "[SPEC…]",
		summary: "find what is likely to hurt in a document's resilience",
		help:    lintHelp,
		flags:   fs,
		run:     func(ctx context.Context, args []string) error { return a.lint(ctx, o, args) },
	}
}

func (a *app) lint(ctx context.Context, o *lintOptions, specs []string) error {
	if o.rules {
		if err := noArguments(specs); err != nil {
			return err
		}
		return a.listRules()
	}
	targets, err := a.lintTargets(o, specs)
	if err != nil {
		return err
	}
	if o.fix != "" && len(targets) > 1 {
		return usagef("--fix writes one overlay for one document, and %d are given", len(targets))
	}
	var all gen.Linted
	for _, t := range targets {
		out, err := a.lintTarget(ctx, t)
		if _, bad := errors.AsType[*gen.ConfigError](err); bad {
			return optionErrors(err)
		}
		if err != nil {
			return err
		}
		all.Findings = append(all.Findings, out.Findings...)
		all.Waived += out.Waived
		all.Remarks += out.Remarks
		all.Failed = all.Failed || out.Failed
		all.Fix, all.Fixed = out.Fix, out.Fixed
	}
	if err := a.writeLint(o, &all); err != nil {
		return err
	}
	if o.fix != "" {
		if err := a.writeFix(o.fix, &all); err != nil {
			return err
		}
	}
	if all.Failed {
		return errReported
	}
	return nil
}

// lintTargets are the documents of the command line, the overlays alone, or the
// targets of the configuration file.
func (a *app) lintTargets(o *lintOptions, specs []string) ([]gen.Config, error) {
	if o.severity != "" && !slices.Contains(gen.LintSeverities(), o.severity) {
		return nil, wrongWord("severity", o.severity, gen.LintSeverities())
	}
	if !slices.Contains(gen.LintFormats, o.format) {
		return nil, wrongWord("format", o.format, gen.LintFormats)
	}
	o.target.Lint.Severity, o.target.Lint.Remarks = o.severity, o.remarks
	if len(specs) == 0 && len(o.target.Overlays) > 0 {
		specs = []string{""}
	}
	if len(specs) == 0 {
		return a.configuredLint(o)
	}
	if o.flags.Changed("config") {
		return nil, usagef("--config names a file with targets: give it or a document")
	}
	var targets []gen.Config
	for _, spec := range specs {
		t := o.target
		t.Spec = spec
		targets = append(targets, t)
	}
	return targets, nil
}

func wrongWord(flag, word string, known []string) error {
	e := usagef("--%s cannot be %q: it is one of %s", flag, word, strings.Join(known, ", "))
	if near, ok := gen.Nearest(word, known); ok {
		e.hint = "Did you mean " + near + "?"
	}
	return e
}

func (a *app) configuredLint(o *lintOptions) ([]gen.Config, error) {
	for _, name := range []string{"include", "exclude"} {
		if o.flags.Changed(name) {
			return nil, usagef("--%s belongs to a document that is named too", name)
		}
	}
	missing := usagef("no document is given, and no %s is in this folder or above it", gen.FileName)
	missing.hint = "For example: holdfast lint openapi.yaml"
	targets, diagnostics, err := targetsOf(o.config, missing, o.adjust)
	if len(diagnostics) > 0 && err == nil {
		err = a.badConfig(diagnostics)
	}
	return targets, err
}

// adjust lays the flags that go with any target over one of a file.
func (o *lintOptions) adjust(t *gen.Config) {
	t.Strict = t.Strict || o.target.Strict
	t.ExactSchemas = t.ExactSchemas || o.target.ExactSchemas
	t.SkipUnsupported = t.SkipUnsupported || o.target.SkipUnsupported
	t.AllowRemote = t.AllowRemote || o.target.AllowRemote
	if o.severity != "" {
		t.Lint.Severity = o.severity
	}
	t.Lint.Remarks = o.remarks
}

func (a *app) lintTarget(ctx context.Context, t gen.Config) (*gen.Linted, error) {
	if a.screen.terminal {
		p := newProgress(a.stderr)
		defer p.Close()
		t.Reporter = func(stage string) { p.set(stage) }
	}
	return gen.Lint(ctx, t)
}

// writeLint writes the report to standard output: it is what the command is for.
func (a *app) writeLint(o *lintOptions, out *gen.Linted) error {
	opt := gen.TextOptions{Color: a.output.color, Excerpts: true, Width: a.output.width}
	info, _ := debug.ReadBuildInfo()
	if err := gen.WriteLint(a.stdout, o.format, versionOf(info), out.Findings, opt); err != nil {
		return err
	}
	if o.format != "text" {
		return nil
	}
	_, err := fmt.Fprintln(a.stdout, lintSummary(out))
	return err
}

// lintSummary is the last line of the text: "3 findings: 1 critical, 2 minor; 1 waived".
func lintSummary(out *gen.Linted) string {
	counts := map[string]int{}
	for _, f := range out.Findings {
		counts[f.Tier]++
	}
	var parts []string
	for _, tier := range gen.LintSeverities() {
		if n := counts[tier]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, tier))
		}
	}
	text := plural(len(out.Findings), "finding")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if out.Waived > 0 {
		text += fmt.Sprintf("; %d waived", out.Waived)
	}
	if out.Fixed > 0 {
		text += fmt.Sprintf("; --fix FILE mends %d", out.Fixed)
	}
	if out.Remarks > 0 {
		text += fmt.Sprintf("; --remarks shows %d more about the document itself", out.Remarks)
	}
	return text
}

// writeFix writes the overlay. A file of the same text is left alone, any other that
// lint has not written is not overwritten.
func (a *app) writeFix(path string, out *gen.Linted) error {
	if out.Fix == nil {
		text := "nothing to mend"
		if n := len(out.Findings); n > 0 {
			text = "of " + plural(n, "finding") + ", mend: says what is yours to decide"
		}
		_, err := fmt.Fprintln(a.stderr, text+"; no file was written")
		return err
	}
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(old, out.Fix):
		return nil
	case err == nil && !bytes.HasPrefix(old, out.Fix[:bytes.IndexByte(out.Fix, '\n')]):
		return usagef("%s is there and was not written by lint: give --fix another name", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.WriteFile(path, out.Fix, 0o644); err != nil {
		return err
	}
	text := gen.Escape(path) + " mends " + plural(out.Fixed, "finding")
	if left := len(out.Findings) - out.Fixed; left > 0 {
		text += fmt.Sprintf("; of the other %d, mend: says what is yours to decide", left)
	}
	_, err = fmt.Fprintln(a.stderr, text)
	return err
}

func (a *app) listRules() error {
	for _, r := range gen.LintRules() {
		if _, err := fmt.Fprintf(a.stdout, "%-29s %-8s %s\n", r.ID, r.Severity, r.Finds); err != nil {
			return err
		}
	}
	return nil
}
