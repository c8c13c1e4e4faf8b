package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/holdfast-go/holdfast/gen"
)

const generateHelp = `Generate writes the Go package for an OpenAPI document. With --spec the options
describe the one target:

    holdfast generate --spec openapi.yaml --out internal/api --package api

Without --spec the targets of holdfast.yaml are generated, looked for in the
current folder and upwards ('holdfast init' writes one). It works the same in a
comment of a Go file:

    //go:generate go tool holdfast generate

Files are written only when everything was rendered and verified: all of a
target or none. Files that holdfast has not written are never touched. Files of
an earlier run that are no longer needed are removed.

An overlay (OpenAPI Overlay 1.0 or 1.1) annotates a document that is not yours:

    holdfast generate --spec github.json --overlay github.overlay.yaml --out github

Several are applied in their order. An x-resilience of an overlay stands above
those below it, field by field.

Filters of --include and --exclude: tag:NAME, path:GLOB, operation:GLOB; a bare
word is a glob over operation ids. In a path * stays within a segment and **
does not. An operation is generated when it matches some --include, or none is
given, and no --exclude.

The exit status is 0 when all is done, 1 when the document, the check or the
output folder is at fault, and 2 when the options or holdfast.yaml are.`

// generateOptions are the flags of generate.
type generateOptions struct {
	flags *pflag.FlagSet

	config                             string
	target                             gen.Config
	clientOnly, serverOnly, modelsOnly bool
	json, verbose                      bool
}

// onlyWithSpec are the flags that describe a target, and so contradict the
// targets of a configuration file.
var onlyWithSpec = []string{
	"out", "package", "client-only", "server-only", "models-only", "runtime",
	"import-path", "runtime-add", "include", "exclude", "overlay",
}

func (a *app) generateCommand() *command {
	fs := newFlags("generate")
	o := &generateOptions{flags: fs}
	t := &o.target
	fs.StringVar(&t.Spec, "spec", "", "the OpenAPI `FILE`, YAML or JSON")
	fs.StringArrayVar(&t.Overlays, "overlay", nil, "apply this overlay `FILE` to it first; repeatable, in order")
	fs.StringVar(&t.Out, "out", "", "the `DIR` of the generated package")
	fs.StringVar(&t.Package, "package", "", "the `NAME` of the package (default: that of the folder)")
	fs.StringVar(&o.config, "config", "", "the configuration `FILE` (default: holdfast.yaml here or above)")
	fs.BoolVar(&o.clientOnly, "client-only", false, "generate no server")
	fs.BoolVar(&o.serverOnly, "server-only", false, "generate no client")
	fs.BoolVar(&o.modelsOnly, "models-only", false, "generate neither client nor server")
	fs.StringVar(&t.Runtime, "runtime", gen.RuntimeModule, "`HOW` the code finds its runtime: module (default) or vendor, a copy below DIR")
	fs.StringVar(&t.ImportPath, "import-path", "", "import `PATH` of DIR, for the vendored runtime (default: from go.mod)")
	fs.StringArrayVar(&t.RuntimeAdd, "runtime-add", nil, "copy this `PACKAGE` of the runtime too; repeatable")
	fs.StringArrayVar(&t.Include, "include", nil, "generate only what this `FILTER` matches; repeatable")
	fs.StringArrayVar(&t.Exclude, "exclude", nil, "leave out what this `FILTER` matches; repeatable")
	fs.BoolVar(&t.Strict, "strict", false, "make errors of repaired departures from the standard")
	fs.BoolVar(&t.ExactSchemas, "exact-schemas", false, "read schemas to the letter: one without a type takes any value")
	fs.BoolVar(&t.SkipUnsupported, "skip-unsupported", false, "leave out what is not supported, with a warning")
	fs.BoolVar(&t.AllowRemote, "allow-remote", false, "read documents over the network where they say so")
	fs.BoolVar(&t.Check, "check", false, "write nothing; fail with a diff if out of date")
	fs.BoolVar(&t.DryRun, "dry-run", false, "write nothing; list what would be written")
	fs.BoolVar(&o.json, "json", false, "print diagnostics and files as JSON")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "list the files that change")
	annotate(fs, "spec", completesPath, "files")
	annotate(fs, "overlay", completesPath, "files")
	annotate(fs, "config", completesPath, "files")
	annotate(fs, "out", completesPath, "dirs")
	annotate(fs, "runtime", completesWith, gen.RuntimeModule, gen.RuntimeVendor)
	annotate(fs, "include", completesWith, "tag:", "path:", "operation:")
	annotate(fs, "exclude", completesWith, "tag:", "path:", "operation:")
	return &command{
		name:    "generate",
		summary: "generate Go code from a document",
		help:    generateHelp,
		flags:   fs,
		run: func(ctx context.Context, args []string) error {
			if err := noArguments(args); err != nil {
				if e, ok := errors.AsType[*usageError](err); ok {
					e.hint = "The document is given with --spec."
				}
				return err
			}
			return a.generate(ctx, o)
		},
	}
}

// generate runs all targets, also after one has failed, so that one run shows
// the faults of all documents. Each target is written completely or not at all.
func (a *app) generate(ctx context.Context, o *generateOptions) error {
	targets, err := a.targets(o)
	if err != nil {
		return err
	}
	r := &report{app: a, options: o}
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		out, err := a.generateTarget(ctx, t, len(targets) > 1)
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err := r.add(t, out, err); err != nil {
			return err
		}
	}
	return r.finish()
}

func (a *app) generateTarget(ctx context.Context, t gen.Config, several bool) (*gen.Output, error) {
	if a.screen.terminal {
		p := newProgress(a.stderr)
		defer p.Close()
		prefix := ""
		if several {
			prefix = gen.Escape(t.Out) + ": "
		}
		t.Reporter = func(stage string) { p.set(prefix + stage) }
	}
	return gen.Run(ctx, t)
}

// targets returns what the options ask for: the target that they describe, or
// those of the configuration file.
func (a *app) targets(o *generateOptions) ([]gen.Config, error) {
	if o.target.Check && o.target.DryRun {
		return nil, usagef("--check and --dry-run exclude each other: both write nothing, a check fails on a difference")
	}
	if o.flags.Changed("spec") {
		if o.flags.Changed("config") {
			return nil, usagef("--spec describes a target and --config names a file with targets: give one of them")
		}
		t, err := o.describedTarget()
		return []gen.Config{t}, err
	}
	for _, name := range onlyWithSpec {
		if f := o.flags.Lookup(name); f != nil && f.Changed {
			e := usagef("--%s belongs to a target that --spec names", name)
			e.hint = "Give --spec FILE too, or set it for a target in " + gen.FileName + "."
			return nil, e
		}
	}
	return a.configuredTargets(o)
}

func (o *generateOptions) describedTarget() (gen.Config, error) {
	t := o.target
	sides := 0
	for _, only := range []bool{o.clientOnly, o.serverOnly, o.modelsOnly} {
		if only {
			sides++
		}
	}
	if sides > 1 {
		return t, usagef("--client-only, --server-only and --models-only exclude each other")
	}
	if t.Out == "" {
		e := usagef("--out is missing: the folder of the generated package")
		e.hint = "For example: holdfast generate --spec " + gen.Escape(t.Spec) + " --out internal/api"
		return t, e
	}
	t.Client = !o.serverOnly && !o.modelsOnly
	t.Server = !o.clientOnly && !o.modelsOnly
	return t, nil
}

func (a *app) configuredTargets(o *generateOptions) ([]gen.Config, error) {
	missing := usagef("no --spec is given, and no %s is in this folder or above it", gen.FileName)
	missing.hint = "Give --spec FILE and --out DIR, or write a configuration file with 'holdfast init'."
	targets, diagnostics, err := targetsOf(o.config, missing, o.adjust)
	if len(diagnostics) == 0 || err != nil {
		return targets, err
	}
	if !o.json {
		return nil, a.badConfig(diagnostics)
	}
	if err := gen.WriteJSON(a.stdout, nil, nil, diagnostics...); err != nil {
		return nil, err
	}
	return nil, errConfigFile
}

// targetsOf reads the targets of a configuration file, of the one here or above where
// none is named; missing is the error when there is none. With diagnostics the file is
// at fault.
func targetsOf(path string, missing *usageError, adjust func(*gen.Config)) ([]gen.Config, []gen.Diagnostic, error) {
	if path == "" {
		found, err := gen.FindFile(".")
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, missing
		}
		if err != nil {
			return nil, nil, err
		}
		path = found
	}
	targets, diagnostics, err := gen.ReadFile(path, adjust)
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	return targets, diagnostics, nil
}

// badConfig tells what is wrong with a configuration file.
func (a *app) badConfig(diagnostics []gen.Diagnostic) error {
	if err := gen.WriteText(a.stderr, diagnostics, a.textOptions()); err != nil {
		return err
	}
	return errConfigFile
}

// adjust lays the flags that go with any target over one of a file.
func (o *generateOptions) adjust(t *gen.Config) {
	t.Strict = t.Strict || o.target.Strict
	t.ExactSchemas = t.ExactSchemas || o.target.ExactSchemas
	t.SkipUnsupported = t.SkipUnsupported || o.target.SkipUnsupported
	t.AllowRemote = t.AllowRemote || o.target.AllowRemote
	t.Check, t.DryRun = o.target.Check, o.target.DryRun
	if o.flags.Changed("strict") {
		t.Strict = o.target.Strict // --strict=false too
	}
}

func (a *app) textOptions() gen.TextOptions {
	return gen.TextOptions{Color: a.screen.color, Excerpts: a.screen.terminal, Width: a.screen.width}
}

// optionErrors turns the errors of settings into ones that name flags.
func optionErrors(err error) error {
	bad, ok := errors.AsType[*gen.ConfigError](err)
	if !ok {
		return err
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var lines []string
		for _, e := range many.Unwrap() {
			if bad, ok := errors.AsType[*gen.ConfigError](e); ok {
				lines = append(lines, flagOf(bad.Setting)+": "+bad.Problem)
			}
		}
		return usagef("%s", strings.Join(lines, "\n"))
	}
	return usagef("%s: %s", flagOf(bad.Setting), bad.Problem)
}

// shownFile is a file of a target as the user writes it.
func shownFile(t gen.Config, c gen.Change) string {
	return filepath.Join(t.Out, filepath.FromSlash(c.Path))
}

// plural: "1 file", "2 files".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
