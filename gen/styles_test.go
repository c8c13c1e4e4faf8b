package gen_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
)

// TestStylesInEachVersion holds 3.0 and 3.1 to the layouts of parameters that golden/styles
// shows over a connection for 3.2: what the three have in common is the same code.
func TestStylesInEachVersion(t *testing.T) {
	data, err := os.ReadFile("../testdata/specs/styles.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// A cookie's own style and a whole query as one value came with 3.2.
	text, _, _ := strings.Cut(string(data), "  /cookies/cookie:")
	before, whole, _ := strings.Cut(text, "  /whole/form:")
	_, after, _ := strings.Cut(whole, "  /headers:")
	text = before + "  /headers:" + after

	var want map[string]string
	for _, version := range []string{"3.2.0", "3.1.1", "3.1.0", "3.0.4", "3.0.0"} {
		out, result, err := ran(t, strings.Replace(text, "openapi: 3.2.0", "openapi: "+version, 1), nil)
		if err != nil {
			t.Fatal(version, err, result.Diagnostics)
		}
		for _, d := range result.Diagnostics {
			if d.Severity != gen.Note {
				t.Errorf("%s: %v: %s", version, d.Pos, d.Message)
			}
		}
		got := read(t, out)
		if want == nil {
			want = got
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if got[name] != want[name] {
				t.Errorf("%s: %s differs from that of 3.2", version, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", version, len(got), len(want))
		}
	}
}
