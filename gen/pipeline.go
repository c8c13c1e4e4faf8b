package gen

import (
	"context"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/emit"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// pipeline is the generator behind [Run]: load, lower, names, emit. Each stage is a
// function of its inputs.
func pipeline(ctx context.Context, cfg Config, list *diag.List) ([]output.File, error) {
	api, table, err := understand(ctx, cfg, lower.Options{}, list)
	if api == nil || err != nil {
		return nil, err
	}
	cfg.report("emit")
	neither := !cfg.Client && !cfg.Server
	return emit.Emit(api, table, emit.Options{
		Package:  cfg.Package,
		NoClient: !cfg.Client || neither,
		NoServer: !cfg.Server || neither,
	})
}
