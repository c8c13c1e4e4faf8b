package gen

import (
	"context"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// understand runs the stages that every output begins with: load, lower, the policies
// and the names. What is wrong with the document goes to list, and a stage whose input
// has errors does not run; the result is then nil.
func understand(ctx context.Context, cfg Config, opt lower.Options, list *diag.List) (*ir.API, *names.Table, error) {
	cfg.report("load")
	doc := load.Load(ctx, load.Options{Path: cfg.Spec, Overlays: cfg.Overlays, AllowRemote: cfg.AllowRemote}, list)
	if doc == nil || ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	cfg.report("lower")
	opt.Include, opt.Exclude, opt.SkipUnsupported = cfg.Include, cfg.Exclude, cfg.SkipUnsupported
	opt.Exact = cfg.ExactSchemas
	low := lower.Lower(doc, opt, list)
	resilience.Apply(doc, low.API, nodesOf(low), list, resilience.Waived(cfg.Lint.Waive))
	if list.HasErrors() || ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	cfg.report("name")
	table := names.New(low.API)
	nameConflicts(table, list)
	if list.HasErrors() {
		return nil, nil, nil
	}
	return low.API, table, nil
}

// nameConflicts reports names of the user's that something else has.
func nameConflicts(table *names.Table, list *diag.List) {
	for _, c := range table.Conflicts() {
		d := list.Error(c.Pos, "name-taken", "", "x-go-name %s is taken", c.Name).Hintf("choose another name")
		if c.Other != (diag.Pos{}) {
			d.At(c.Other, "it is the name of what stands here")
		}
	}
}

// nodesOf gives the places of an operation where annotations may stand.
func nodesOf(low *lower.Result) resilience.Nodes {
	return func(op *ir.Operation) (pathItems []*load.Node, operation *load.Node) {
		s := low.Sources[op]
		return s.PathItems, s.Operation
	}
}
