package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/gen"
)

// report tells what became of the targets of one command. Text comes target by
// target; JSON is one object at the end.
type report struct {
	app     *app
	options *generateOptions

	outputs []*gen.Output
	dirs    []string
	extra   []gen.Diagnostic // failures that have no place in a document, for JSON
	failed  bool
	stale   bool
}

// add takes the result of one target. It returns an error only when the command
// has to end here.
func (r *report) add(t gen.Config, out *gen.Output, err error) error {
	if _, ok := errors.AsType[*gen.ConfigError](err); ok {
		return optionErrors(err)
	}
	r.outputs = append(r.outputs, out)
	r.dirs = append(r.dirs, t.Out)
	if err != nil {
		r.failed = true
	}
	if errors.Is(err, gen.ErrStale) {
		r.stale = true
	}
	if r.options.json {
		if err != nil && !errors.Is(err, gen.ErrDocument) && !errors.Is(err, gen.ErrStale) {
			r.extra = append(r.extra, gen.Diagnostic{Code: "output", Message: err.Error()})
		}
		return nil
	}
	return r.text(t, out, err)
}

func (r *report) text(t gen.Config, out *gen.Output, err error) error {
	a := r.app
	if werr := gen.WriteText(a.stderr, out.Diagnostics, a.textOptions()); werr != nil {
		return werr
	}
	switch {
	case errors.Is(err, gen.ErrDocument):
		fmt.Fprintf(a.stderr, "%s: %s; nothing was written\n", gen.Escape(t.Spec), counts(out.Diagnostics))
	case errors.Is(err, gen.ErrStale):
		if _, werr := a.stdout.Write(out.Diff); werr != nil {
			return werr
		}
		fmt.Fprintf(a.stderr, "%s is out of date: run 'holdfast generate' to bring it up to date\n", gen.Escape(t.Out))
	case err != nil:
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(a.stderr, "holdfast generate: %s\n", gen.Escape(strings.TrimRight(line, "\n")))
		}
	case t.DryRun:
		return r.list(t, out)
	case !t.Check:
		return r.summary(t, out)
	}
	return nil
}

// list prints what a dry run would do, unchanged files included.
func (r *report) list(t gen.Config, out *gen.Output) error {
	for _, c := range out.Changes {
		if _, err := fmt.Fprintf(r.app.stdout, "%-6s %s\n", c.Op, shownFile(t, c)); err != nil {
			return err
		}
	}
	return nil
}

// summary says on a terminal what was written; a pipe, such as that of go
// generate, hears nothing when all went well, unless asked for.
func (r *report) summary(t gen.Config, out *gen.Output) error {
	a := r.app
	written, removed := 0, 0
	for _, c := range out.Changes {
		switch c.Op {
		case gen.Create, gen.Update:
			written++
		case gen.Remove:
			removed++
		case gen.Keep:
			continue
		}
		if r.options.verbose {
			fmt.Fprintf(a.stderr, "%-6s %s\n", c.Op, shownFile(t, c))
		}
	}
	if !a.screen.terminal && !r.options.verbose {
		return nil
	}
	text := plural(written, "file") + " written"
	if removed > 0 {
		text += ", " + plural(removed, "file") + " removed"
	}
	if written+removed == 0 {
		text = "up to date"
	}
	_, err := fmt.Fprintf(a.stderr, "%s: %s\n", gen.Escape(t.Out), text)
	return err
}

// finish ends the command: errReported when a target failed.
func (r *report) finish() error {
	if r.options.json {
		if err := gen.WriteJSON(r.app.stdout, r.outputs, r.dirs, r.extra...); err != nil {
			return err
		}
	}
	if r.failed {
		return errReported
	}
	return nil
}

func counts(ds []gen.Diagnostic) string {
	errs, warnings, strict := 0, 0, 0
	for _, d := range ds {
		switch d.Severity {
		case gen.Error:
			errs++
			if d.Repair {
				strict++
			}
		case gen.Warning:
			warnings++
		case gen.Note:
		}
	}
	text := plural(errs, "error")
	switch {
	case strict == 0:
	case strict < errs:
		text += fmt.Sprintf(" (%d for --strict alone)", strict)
	case errs == 1:
		text += " (for --strict alone)"
	default:
		text += " (all for --strict alone)"
	}
	if warnings > 0 {
		text += " and " + plural(warnings, "warning")
	}
	return text
}
