package emit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// played is the generated part of the demo of a document, verified.
func played(t *testing.T, api *ir.API, opt DemoOptions) *Demo {
	t.Helper()
	d, err := WriteDemo(api, names.New(api), opt)
	if err != nil {
		t.Fatal(err)
	}
	if d.Files, err = output.Prepare(d.Files); err != nil {
		t.Fatal(err)
	}
	return d
}

// kinds are the small documents that are played: one of each kind of body, result and
// credential, for which the demo has code of its own. A test of package gen calls all.
const kinds = "029 036 042 062 072 073 074 077 078 080 082 084 085 086 097 112"

// TestCasesArePlayed lets the generated client of small documents call its generated
// server with samples, both as strict as they can be, so that a sample which the document
// does not admit fails.
func TestCasesArePlayed(t *testing.T) {
	var paths []string
	for kind := range strings.FieldsSeq(kinds) {
		found, err := filepath.Glob("../../../testdata/cases/" + kind + "-*.yaml")
		if err != nil || len(found) != 1 {
			t.Fatalf("case %s: %q, %v", kind, found, err)
		}
		paths = append(paths, found...)
	}
	paths = append(paths, "testdata/demo/more.yaml")
	m := newModule(t)
	m.copyPlay()
	var imports, table bytes.Buffer
	for i, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		api := loweredWith(t, path, lower.Options{OwnTypes: true})
		pkg := fmt.Sprintf("c%d", i)
		for _, f := range generate(t, api, "api") {
			m.write(pkg+"/api/"+f.Path, string(f.Data))
		}
		d := played(t, api, DemoOptions{
			Package: "calls", API: "example.test/out/" + pkg + "/api", Play: "example.test/out/play",
		})
		for _, f := range d.Files {
			m.write(pkg+"/calls/"+f.Path, string(f.Data))
		}
		if len(d.Left) > 0 {
			t.Errorf("%s: not called: %v", name, d.Left)
		}
		fmt.Fprintf(&imports, "\t%s \"example.test/out/%s/calls\"\n", pkg, pkg)
		fmt.Fprintf(&table, "\t{%q, %s.Handler, %s.New},\n", name, pkg, pkg)
	}
	test, err := os.ReadFile("testdata/demo/play_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(test), "\t// IMPORTS\n", imports.String(), 1)
	m.write("play_test.go", strings.Replace(text, "\t// CASES\n", table.String(), 1))
	m.run("test", ".")
	m.run("vet", "./.../calls", "./play")
}

// copyPlay copies the hand-written package that calls use.
func (m *module) copyPlay() {
	m.t.Helper()
	const dir = "../../demo/_program/play"
	files, err := os.ReadDir(dir)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			m.t.Fatal(err)
		}
		m.write("play/"+f.Name(), string(data))
	}
}
