package gen

import (
	"context"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/emit"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/output"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// pipeline is the generator behind [Run]: load, lower, names, emit. Each stage is a
// function of its inputs; what is wrong with the document goes to list, and a stage
// whose input has errors does not run.
func pipeline(ctx context.Context, cfg Config, list *diag.List) ([]output.File, error) {
	cfg.report("load")
	doc := load.Load(ctx, load.Options{Path: cfg.Spec, AllowRemote: cfg.AllowRemote}, list)
	if doc == nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	cfg.report("lower")
	low := lower.Lower(doc, lower.Options{
		Include: cfg.Include, Exclude: cfg.Exclude, SkipUnsupported: cfg.SkipUnsupported,
	}, list)
	resilience.Apply(doc, low.API, nodesOf(low), list)
	if list.HasErrors() || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	cfg.report("name")
	table := names.New(low.API)
	for _, c := range table.Conflicts() {
		d := list.Error(c.Pos, "name-taken", "", "x-go-name %s is taken", c.Name).Hintf("choose another name")
		if c.Other != (diag.Pos{}) {
			d.At(c.Other, "it is the name of what stands here")
		}
	}
	if list.HasErrors() {
		return nil, nil
	}
	cfg.report("emit")
	neither := !cfg.Client && !cfg.Server
	return emit.Emit(low.API, table, emit.Options{
		Package:  cfg.Package,
		NoClient: !cfg.Client || neither,
		NoServer: !cfg.Server || neither,
	})
}

// nodesOf gives the places of an operation where annotations may stand.
func nodesOf(low *lower.Result) resilience.Nodes {
	return func(op *ir.Operation) (pathItems []*load.Node, operation *load.Node) {
		s := low.Sources[op]
		return s.PathItems, s.Operation
	}
}
