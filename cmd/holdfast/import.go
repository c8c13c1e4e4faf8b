package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen"
)

const importHelp = `Import reads what another tool knows of retries, timeouts and pages, and writes
an overlay with the same in x-resilience:

    holdfast import speakeasy openapi.yaml --out resilience.overlay.yaml
    holdfast generate --spec openapi.yaml --overlay resilience.overlay.yaml --out api

    speakeasy             x-speakeasy-retries, -timeout and -pagination of FILE, an
                          OpenAPI document
    fern                  x-fern-retries, -idempotent and -pagination of FILE, an
                          OpenAPI document
    apimatic              x-codegen-settings of FILE, an OpenAPI document, or the
                          CodeGenSettings of FILE, a metadata file
    grpc-service-config   the methodConfig and retryThrottling of FILE, the JSON of
                          a service config; operations are found by their ids, those
                          of the document that --spec names where it is given

What has no equivalent is told as a warning, with its place, and stands in the
overlay as a comment, as do pages, which are not built yet.`

func (a *app) importCommand() *command {
	fs := newFlags("import")
	out := fs.String("out", "", "write the overlay to this `FILE`, which must not exist (default: stdout)")
	spec := fs.String("spec", "", "the OpenAPI `FILE` with the operations of a gRPC service config")
	annotate(fs, "out", completesPath, "files")
	annotate(fs, "spec", completesPath, "files")
	return &command{
		name:    "import",
		args:    "FORMAT FILE",
		summary: "turn another tool's settings into an overlay",
		help:    importHelp,
		flags:   fs,
		words:   append(gen.ImportFormats(), completeFiles),
		run: func(ctx context.Context, args []string) error {
			if err := importArguments(args, *spec); err != nil {
				return err
			}
			return a.importFile(ctx, args[0], args[1], *spec, *out)
		},
	}
}

func importArguments(args []string, spec string) error {
	formats := gen.ImportFormats()
	switch {
	case len(args) == 0 || len(args) > 2:
		e := usagef("a format and a file are needed, found %s", plural(len(args), "argument"))
		e.hint = "For example: holdfast import speakeasy openapi.yaml"
		return e
	case !slices.Contains(formats, args[0]):
		e := usagef("unknown format %q", args[0])
		if near, ok := gen.Nearest(args[0], formats); ok {
			e.hint = "Did you mean " + near + "?"
		} else {
			e.hint = "The formats are " + strings.Join(formats, ", ") + "."
		}
		return e
	case len(args) == 1:
		return usagef("no file is given to import from")
	case spec != "" && args[0] != "grpc-service-config":
		return usagef("--spec goes with grpc-service-config: the others are read in their own document")
	}
	return nil
}

func (a *app) importFile(ctx context.Context, format, file, spec, out string) error {
	overlay, diagnostics, err := gen.Import(ctx, format, file, spec)
	if werr := gen.WriteText(a.stderr, diagnostics, a.textOptions()); werr != nil {
		return werr
	}
	switch {
	case errors.Is(err, gen.ErrDocument):
		fmt.Fprintf(a.stderr, "%s: %s; nothing was written\n", gen.Escape(file), counts(diagnostics))
		return errReported
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file", file)
	case err != nil:
		return err
	case out == "":
		_, err = a.stdout.Write(overlay)
		return err
	}
	if err := writeNew(out, overlay); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s is there already and stays as it is: move it away, or give another name", out)
		}
		return err
	}
	if spec == "" && format != "grpc-service-config" {
		spec = file // the policies stood in the document itself
	}
	_, err = fmt.Fprintf(a.stdout, "Wrote %s; next:\n\n    holdfast generate --spec %s --overlay %s --out internal/api\n", out, word(spec), word(out))
	return err
}

// word is a name of a file as a shell takes it for one word; what is not known yet is FILE.
func word(name string) string {
	if name == "" {
		return "FILE"
	}
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
