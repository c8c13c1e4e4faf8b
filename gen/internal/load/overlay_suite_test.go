package load

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// overlaySuite is the test suite of the Overlay Specification.
const overlaySuite = "../../../../shared/suites/overlay"

// suiteFiles returns what a pattern finds in the suite. The suite stands beside
// the repository and not in it, so a checkout alone has nothing to test here.
func suiteFiles(t *testing.T, pattern string) []string {
	t.Helper()
	if _, err := os.Stat(overlaySuite); err != nil {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(overlaySuite, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("nothing matches %s: %v", pattern, err)
	}
	return found
}

func TestOverlaySuiteSets(t *testing.T) {
	t.Parallel()
	for _, file := range suiteFiles(t, "compliant-sets/*/overlay.yaml") {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			list := &diag.List{Strict: true}
			d := Load(context.Background(), Options{Path: filepath.Join(dir, "openapi.yaml"), Overlays: []string{file}}, list)
			if d == nil || list.HasErrors() {
				t.Fatalf("faults: %v", list.Sorted())
			}
			want := Parse("output.yaml", readFile(t, filepath.Join(dir, "output.yaml")), list)
			if diff := cmp.Diff(plainValue(want.Root), plainValue(d.Root.Root)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOverlaySuiteDocuments(t *testing.T) {
	t.Parallel()
	for _, file := range suiteFiles(t, "tests/v1.*/*/*.yaml") {
		pass := filepath.Base(filepath.Dir(file)) == "pass"
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(file)))+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			list := &diag.List{Strict: !pass}
			o := ParseOverlay(file, readFile(t, file), list)
			if good := o != nil && !list.HasErrors(); good != pass {
				t.Errorf("valid is %v, want %v: %v", good, pass, list.Sorted())
			}
		})
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// plainValue is a tree as a plain value, numbers as written: the order of members
// does not count.
func plainValue(n *Node) any {
	switch n.Kind {
	case Object:
		m := map[string]any{}
		for _, member := range n.Members {
			m[member.Key] = plainValue(member.Value)
		}
		return m
	case Array:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, plainValue(item))
		}
		return list
	case Null, Bool, Number, String:
	}
	return n.Kind.String() + " " + n.Text
}
