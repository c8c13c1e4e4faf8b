package gen

import (
	"context"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/importer"
)

// ImportFormats returns the names of the formats that [Import] reads.
func ImportFormats() []string { return importer.Formats() }

// Import returns an overlay with the equivalents in x-resilience of what the file
// path says in another tool's terms. The format is one of [ImportFormats]:
// "speakeasy" and "fern" read their extensions in an OpenAPI document, "apimatic"
// reads code generation settings in a document or a metadata file, and
// "grpc-service-config" the JSON of a service config, whose methods are looked for
// among the operations of the document spec; without one, by their ids.
//
// What has no equivalent is a warning, and a comment in the overlay. With any
// diagnostic that is an error the overlay is nil, and the error [ErrDocument].
func Import(ctx context.Context, format, path, spec string) ([]byte, []Diagnostic, error) {
	list := &diag.List{}
	text, err := importer.Import(ctx, importer.Options{Format: format, Path: path, Spec: spec, Read: readUpTo}, list)
	if err == nil && list.HasErrors() {
		err = ErrDocument
	}
	if err != nil {
		text = nil
	}
	return text, list.Sorted(), err
}
