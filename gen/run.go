package gen

import (
	"bytes"
	"context"
	"errors"

	"github.com/holdfast-go/holdfast/gen/internal/bundle"
	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/output"
	"github.com/holdfast-go/holdfast/runtime"
)

// Errors that [Run] returns, to be told apart with errors.Is. Any other error
// is about the output folder or a fault of holdfast itself, and a
// [*ConfigError] is about the settings.
var (
	// ErrDocument says that the document has errors; [Output.Diagnostics]
	// lists them. Nothing was written.
	ErrDocument = errors.New("the document has errors")
	// ErrStale says that a check found a difference; [Output.Diff] shows it.
	ErrStale = errors.New("the generated code is out of date")
)

// Output is what a run has to tell.
type Output struct {
	// Diagnostics are sorted by position, without duplicates. A run that
	// succeeds may have warnings.
	Diagnostics []Diagnostic
	// Changes lists the files of the target, by path, with what was done to
	// each, or would be under Check and DryRun. It is empty when the run did
	// not get that far.
	Changes []Change
	// Diff is the unified diff of a check that found a difference.
	Diff []byte
}

// Change is one file of an [Output]: its path below the output folder, with
// forward slashes, and what was done to it.
type Change = output.Change

// The operations of a [Change].
const (
	Keep   = output.Keep
	Create = output.Create
	Update = output.Update
	Remove = output.Remove
)

// generator makes the files of one target in memory, without reading or writing
// the output folder. It adds what it has to say about the document to the list;
// an error is about anything else, such as a cancelled context.
type generator func(ctx context.Context, cfg Config, list *diag.List) ([]output.File, error)

// Run generates one target. The output folder is changed only when everything
// was rendered and verified, and then completely or not at all. Files there
// that holdfast has not written are never touched: one in the way is an error.
//
// The Output is never nil, whatever the error.
func Run(ctx context.Context, cfg Config) (*Output, error) {
	return run(ctx, cfg, pipeline)
}

func run(ctx context.Context, cfg Config, generate generator) (*Output, error) {
	out := &Output{}
	if err := cfg.complete(); err != nil {
		return out, err
	}
	list := &diag.List{Strict: cfg.Strict}
	files, err := generate(ctx, cfg, list)
	if err == nil && !list.HasErrors() {
		adviseModule(cfg, list)
	}
	out.Diagnostics = list.Sorted()
	if err != nil {
		return out, err
	}
	if list.HasErrors() {
		return out, ErrDocument
	}
	plan, err := arrange(cfg, files)
	if err != nil {
		return out, err
	}
	out.Changes = plan.Changes()
	switch {
	case cfg.Check && plan.Stale():
		var diff bytes.Buffer
		if err := plan.WriteDiff(&diff); err != nil {
			return out, err
		}
		out.Diff = diff.Bytes()
		return out, ErrStale
	case cfg.Check, cfg.DryRun:
		return out, nil
	}
	cfg.report("write")
	return out, plan.Write(ctx)
}

// arrange completes the files and compares them with the output folder.
func arrange(cfg Config, files []output.File) (*output.Plan, error) {
	var err error
	if cfg.Runtime == RuntimeVendor {
		cfg.report("copy the runtime")
		files, err = bundle.Vendor(files, bundle.Options{
			Sources:    runtime.Sources,
			ImportPath: cfg.ImportPath,
			Extra:      cfg.RuntimeAdd,
		})
		if err != nil {
			return nil, err
		}
	}
	cfg.report("format")
	if files, err = output.Prepare(files); err != nil {
		return nil, err
	}
	return output.NewPlan(cfg.Out, files, bundle.Dir)
}

// adviseModule notes that the module around the output folder cannot build the
// generated code yet. Without a go.mod there is nothing to say: the go command
// says it better.
func adviseModule(cfg Config, list *diag.List) {
	if cfg.Runtime != RuntimeModule || cfg.Check {
		return
	}
	file, ok, err := bundle.Requires(cfg.Out)
	if err != nil || ok {
		return
	}
	list.Note(diag.Pos{File: shownPath(file)}, "module-not-required", "",
		"the module does not require %s, which the generated code imports", bundle.Module).
		Hintf("run 'go get %s', or copy the runtime with --runtime vendor", bundle.Module)
}
