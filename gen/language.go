package gen

import specext "github.com/holdfast-go/holdfast/spec-extensions"

// LanguageVersion is the version of x-resilience that this holdfast reads.
const LanguageVersion = specext.Version

// LanguageFiles are the names of what [LanguageFile] has.
var LanguageFiles = []string{"schema", "openapi", "overlay", "reference"}

// LanguageFile is a file about the x-resilience extension: "schema" is its JSON Schema,
// "openapi" and "overlay" are those of documents and overlays that hold it, "reference" is
// its reference in Markdown. It is nil for any other name; the caller may change it.
func LanguageFile(name string) []byte {
	switch name {
	case "schema":
		return specext.Schema()
	case "openapi":
		return specext.OpenAPISchema()
	case "overlay":
		return specext.OverlaySchema()
	case "reference":
		return specext.Reference()
	}
	return nil
}
