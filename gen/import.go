package gen

import (
	"context"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/importer"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
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
// What has no equivalent is a warning, and a comment in the overlay, as is what
// [Generate] refuses because it is not built yet: the overlay can be used as it is. With any
// diagnostic that is an error the overlay is nil, and the error [ErrDocument].
func Import(ctx context.Context, format, path, spec string) ([]byte, []Diagnostic, error) {
	list := &diag.List{}
	text, err := importer.Import(ctx, importer.Options{Format: format, Path: path, Spec: spec, Read: readUpTo, Later: resilience.NotBuilt()}, list)
	if err == nil && list.HasErrors() {
		err = ErrDocument
	}
	if err != nil {
		text = nil
	}
	return text, list.Sorted(), err
}
