package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/holdfast-go/holdfast/gen"
	"github.com/holdfast-go/holdfast/gen/demo"
)

const demoHelp = `Demo shows what a generated client does when its service fails. It generates a
client and a server with samples, builds both, lets the server be slow, busy and
gone as a script has it, and prints what comes of each call: tries, waits, the
state of the breaker, and that a write that was sent twice had one effect.

Without --spec a small booking service is played. Of any other document each
operation that a sample can be made of is called.

The go command has to be there. Nothing is read from a network. The code stays,
to be looked at: in the folder that --keep names, or in a temporary one.`

func (a *app) demoCommand() *command {
	fs := newFlags("demo")
	spec := fs.String("spec", "", "the OpenAPI `FILE` to play (default: a booking service)")
	keep := fs.String("keep", "", "the `DIR` for the code (default: a temporary folder that stays)")
	annotate(fs, "spec", completesPath, "files")
	annotate(fs, "keep", completesPath, "dirs")
	return &command{
		name:    "demo",
		summary: "watch a client survive a failing service",
		help:    demoHelp,
		flags:   fs,
		run: func(ctx context.Context, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			return a.demo(ctx, *spec, *keep)
		},
	}
}

// demo plays, with a progress line on a terminal until the play begins.
func (a *app) demo(ctx context.Context, spec, keep string) error {
	var p *progress
	if a.screen.terminal {
		p = newProgress(a.stderr)
	}
	end := sync.OnceFunc(p.Close)
	defer end()
	err := demo.Run(ctx, demo.Options{
		Spec: spec, Keep: keep, Stdout: a.stdout, Stderr: a.stderr,
		Progress: func(text string) {
			if text == "" {
				end()
				return
			}
			p.set(text)
		},
		Report: func(out *gen.Output) error {
			end()
			return a.demoReport(out)
		},
	})
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.stderr, "holdfast demo: interrupted")
		return errReported
	}
	if errors.Is(err, gen.ErrDocument) {
		fmt.Fprintf(a.stderr, "%s: nothing was built\n", gen.Escape(spec))
		return errReported
	}
	return optionErrors(err)
}

// demoReport shows the errors of a document. Its warnings are for those who generate from
// it; whoever looks on hears that there are some.
func (a *app) demoReport(out *gen.Output) error {
	var faults []gen.Diagnostic
	warnings := 0
	for _, d := range out.Diagnostics {
		switch d.Severity {
		case gen.Error:
			faults = append(faults, d)
		case gen.Warning:
			warnings++
		case gen.Note:
		}
	}
	if err := gen.WriteText(a.stderr, faults, a.textOptions()); err != nil {
		return err
	}
	if len(faults) == 0 && warnings > 0 {
		_, err := fmt.Fprintf(a.stderr, "%s about the document, which 'holdfast generate' shows\n", plural(warnings, "warning"))
		return err
	}
	return nil
}
