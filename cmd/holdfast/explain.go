package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/holdfast-go/holdfast/gen"
)

const explainHelp = `Explain prints the policy that holds for each operation of a document: every
setting with the level and the line that it comes from, and what the policy
comes to when the dependency hangs or fails: the time after which a call is over,
its tries, the requests that reach the dependency, when the breaker opens.
Nothing is generated. Operations with equal policies are shown together.

    holdfast explain openapi.yaml
    holdfast explain openapi.yaml --operation 'create*' --profile prod
    holdfast explain openapi.yaml --html report.html
    holdfast explain openapi.yaml --diff HEAD~1

--operation is a glob over operation ids, paths and names such as
"GET /pets/{id}"; in it * stands for any text.

--html writes one page that needs nothing else, to FILE or to standard output.

--diff compares with another version of the document: a file, else a revision of
git, at which the document, its overlays and all files that they refer to are
read; an overlay that was not there yet is left out, and a document that has been
renamed since is named as git names it, HEAD~1:old.yaml. It lists the operations that behave otherwise, each setting as old -> new
and what follows in numbers. With --exit-code the exit status is 1 where there
is a difference.

The members of --json are documented with the types ExplainReport and ExplainDiff
of the package gen; within its "version" members are only added.`

// explainOptions are the flags of explain.
type explainOptions struct {
	flags    *pflag.FlagSet
	config   gen.Config
	sel      gen.ExplainSelection
	json     bool
	html     string // standardOutput, or a path
	diff     string
	exitCode bool
}

// standardOutput is the value of --html without a file.
const standardOutput = "-"

func (a *app) explainCommand() *command {
	fs := newFlags("explain")
	o := &explainOptions{flags: fs}
	fs.StringArrayVar(&o.config.Overlays, "overlay", nil, "apply this overlay `FILE` to the document; repeatable")
	fs.StringArrayVar(&o.sel.Operations, "operation", nil, "show only operations that this `GLOB` fits; repeatable")
	fs.StringVar(&o.sel.Profile, "profile", "", "show what holds under the profile `NAME`")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	fs.StringVar(&o.html, "html", "", "write a page to `FILE` (default: print it)")
	fs.Lookup("html").NoOptDefVal = standardOutput
	fs.StringVar(&o.diff, "diff", "", "compare with another version: a file or a git `REVISION`")
	fs.BoolVar(&o.exitCode, "exit-code", false, "with --diff: exit with 1 where there is a difference")
	fs.BoolVar(&o.config.Strict, "strict", false, "make errors of repaired departures from the standard")
	fs.BoolVar(&o.config.SkipUnsupported, "skip-unsupported", false, "leave out what is not supported, with a warning")
	fs.BoolVar(&o.config.AllowRemote, "allow-remote", false, "read documents over the network where they say so")
	annotate(fs, "overlay", completesPath, "files")
	annotate(fs, "html", completesPath, "files")
	annotate(fs, "diff", completesPath, "files")
	return &command{
		name:    "explain",
		args:    "SPEC",
		summary: "show what policy holds for each operation, and why",
		help:    explainHelp,
		flags:   fs,
		words:   []string{completeFiles},
		run: func(ctx context.Context, args []string) error {
			if err := o.take(args); err != nil {
				return err
			}
			return a.explain(ctx, o)
		},
	}
}

// take reads the arguments: the document, and the file of --html where that stands
// apart from its flag.
func (o *explainOptions) take(args []string) error {
	if o.html == standardOutput && len(args) == 2 {
		file := 1
		if isPage(args[0]) && !isPage(args[1]) {
			file = 0
		}
		o.html = args[file]
		args = []string{args[1-file]}
	}
	switch {
	case len(args) == 0:
		e := usagef("no document is given")
		e.hint = "For example: holdfast explain openapi.yaml"
		return e
	case len(args) > 1:
		return usagef("unexpected argument %q", args[1])
	case o.diff == "" && o.flags.Changed("diff"):
		// An empty variable of a script is no wish for the report without a comparison.
		return usagef("--diff: neither a file nor a revision is named")
	case o.json && o.html != "":
		return usagef("--json and --html exclude each other")
	case o.diff != "" && o.html != "":
		return usagef("a --diff is printed as text or with --json: --html has no form for it")
	case o.exitCode && o.diff == "":
		return usagef("--exit-code belongs to --diff")
	}
	o.config.Spec = args[0]
	return nil
}

func isPage(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".html" || ext == ".htm"
}

// explain prints a report, a page or a diff.
func (a *app) explain(ctx context.Context, o *explainOptions) error {
	var p *progress
	if a.screen.terminal {
		p = newProgress(a.stderr)
		o.config.Reporter = p.set
	}
	now, err := gen.Explain(ctx, o.config)
	var old *gen.Explanation
	if err == nil && o.diff != "" {
		old, err = o.other(ctx)
	}
	p.Close()
	if old != nil && err != nil {
		if errors.Is(err, gen.ErrDocument) {
			fmt.Fprintf(a.stderr, "In the version to compare with, %s:\n", gen.Escape(o.diff))
		}
		return a.explainFault(o, old, err)
	}
	if err != nil {
		return a.explainFault(o, now, err)
	}
	if err := a.explainWarnings(now); err != nil {
		return err
	}
	if old != nil {
		return a.explainDiff(o, old, now)
	}
	r, err := now.Report(o.sel)
	if err != nil {
		return optionErrors(err)
	}
	switch {
	case o.json:
		return r.WriteJSON(a.stdout)
	case o.html != "":
		return a.explainPage(o, r)
	}
	return r.WriteText(a.stdout, a.explainText())
}

// other is the version to compare with: a file where there is one of that name, else
// a revision.
func (o *explainOptions) other(ctx context.Context) (*gen.Explanation, error) {
	if info, err := os.Stat(o.diff); err == nil && info.Mode().IsRegular() {
		cfg := o.config
		cfg.Spec = o.diff
		return gen.Explain(ctx, cfg)
	}
	return gen.ExplainRevision(ctx, o.config, o.diff)
}

func (a *app) explainDiff(o *explainOptions, old, now *gen.Explanation) error {
	d, err := gen.CompareExplanations(old, now, o.sel)
	if err != nil {
		return optionErrors(err)
	}
	if o.json {
		err = d.WriteJSON(a.stdout)
	} else {
		err = d.WriteText(a.stdout, a.explainText())
	}
	if err == nil && o.exitCode && !d.Empty() {
		return errReported
	}
	return err
}

// explainFault tells why there is nothing to explain.
func (a *app) explainFault(o *explainOptions, e *gen.Explanation, err error) error {
	if !errors.Is(err, gen.ErrDocument) {
		return optionErrors(err)
	}
	if o.json {
		if werr := gen.WriteJSON(a.stdout, nil, nil, e.Diagnostics...); werr != nil {
			return werr
		}
		return errReported
	}
	if werr := gen.WriteText(a.stderr, e.Diagnostics, a.textOptions()); werr != nil {
		return werr
	}
	fmt.Fprintf(a.stderr, "%s: %s; nothing to explain\n", gen.Escape(o.config.Spec), counts(e.Diagnostics))
	return errReported
}

// explainWarnings says that there are some; they are for those who generate from the
// document.
func (a *app) explainWarnings(e *gen.Explanation) error {
	warnings := 0
	for _, d := range e.Diagnostics {
		if d.Severity == gen.Warning {
			warnings++
		}
	}
	if warnings == 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.stderr, "%s about the document, which 'holdfast generate' shows\n", plural(warnings, "warning"))
	return err
}

// explainText is how the standard output, which is not that of the diagnostics,
// takes text.
func (a *app) explainText() gen.ExplainTextOptions {
	f, ok := a.stdout.(*os.File)
	if !ok {
		return gen.ExplainTextOptions{}
	}
	s := screenOf(f, os.Getenv)
	return gen.ExplainTextOptions{Color: s.color, Width: s.width}
}

// pageStart is how our pages begin, and how a file that one may replace does.
const pageStart = "<!doctype html"

// explainPage writes the page. A file that is no page is not replaced: it is most
// likely the document.
func (a *app) explainPage(o *explainOptions, r *gen.ExplainReport) error {
	if o.html == standardOutput {
		return r.WriteHTML(a.stdout)
	}
	if err := replaceable(o.html); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		return err
	}
	if err := os.WriteFile(o.html, page.Bytes(), 0o666); err != nil {
		return err
	}
	if a.screen.terminal {
		_, err := fmt.Fprintf(a.stderr, "%s: written\n", gen.Escape(o.html))
		return err
	}
	return nil
}

// replaceable reports whether a page may be written to a path: there is nothing, or
// a page.
func replaceable(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return usagef("--html: %s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, int64(len(pageStart))))
	if err != nil {
		return err
	}
	if len(head) > 0 && !strings.EqualFold(string(head), pageStart) {
		return usagef("--html: %s is there and no HTML page: it is left as it is", path)
	}
	return nil
}
