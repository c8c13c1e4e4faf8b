package lower

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestFormatsAreShown holds golden/formats, which tries each format over a connection, to
// the formats that this package knows.
func TestFormatsAreShown(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/specs/formats.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shown := func(kind, format string) {
		t.Helper()
		if !strings.Contains(string(data), "{type: "+kind+", format: "+format+"}") {
			t.Errorf("the %s of format %s is not shown", kind, format)
		}
	}
	for _, format := range slices.Concat(slices.Collect(maps.Keys(textScalars)), slices.Collect(maps.Keys(checkedFormats))) {
		shown("string", format)
	}
	for format := range integerScalars {
		shown("integer", format)
	}
	for format := range numberScalars {
		shown("number", format)
	}
}
