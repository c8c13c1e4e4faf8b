package main

import (
	"context"
	"errors"
	"fmt"

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
	ended := false
	end := func() {
		if !ended {
			ended = true
			p.Close()
		}
	}
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
		Report: func(cfg gen.Config, out *gen.Output) error {
			if len(out.Diagnostics) == 0 {
				return nil
			}
			end()
			if err := gen.WriteText(a.stderr, out.Diagnostics, a.textOptions()); err != nil {
				return err
			}
			return nil
		},
	})
	if errors.Is(err, gen.ErrDocument) {
		fmt.Fprintf(a.stderr, "%s: nothing was built\n", gen.Escape(spec))
		return errReported
	}
	return optionErrors(err)
}
