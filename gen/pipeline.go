package gen

import (
	"context"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// pipeline is the generator behind [Run]: load, lower, names, emit.
func pipeline(ctx context.Context, cfg Config, list *diag.List) ([]output.File, error) {
	cfg.report("load")
	load.Load(ctx, load.Options{Path: cfg.Spec, AllowRemote: cfg.AllowRemote}, list)
	return nil, ctx.Err()
}
