package emit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// checkout is the root of the project.
func checkout(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// module is a module of its own that uses the runtime of the checkout. All packages
// of a test stand in one, since each start of the go tool is dear.
type module struct {
	t   *testing.T
	dir string
}

func newModule(t *testing.T) *module {
	t.Helper()
	m := &module{t: t, dir: t.TempDir()}
	root := checkout(t)
	m.write("go.mod", "module example.test/out\n\ngo 1.26.0\n\nrequire github.com/holdfast-go/holdfast v0.0.0\n\n"+
		"replace github.com/holdfast-go/holdfast => "+root+"\n")
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	m.write("go.sum", string(sum))
	return m
}

func (m *module) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// emit writes a document as the package of that name.
func (m *module) emit(api *ir.API, pkg string) {
	m.t.Helper()
	m.add(pkg, generate(m.t, api, pkg))
}

func (m *module) add(pkg string, files []output.File) {
	m.t.Helper()
	for _, f := range files {
		m.write(pkg+"/"+f.Path, string(f.Data))
	}
}

// reporter is what a test and a random test have in common.
type reporter interface {
	Helper()
	Logf(format string, args ...any)
	Fatal(args ...any)
}

// generate is the verified output for a document.
func generate(t reporter, api *ir.API, pkg string) []output.File {
	t.Helper()
	files, err := Emit(api, names.New(api), Options{Package: pkg})
	if err != nil {
		t.Fatal(err)
	}
	ready, err := output.Prepare(files)
	if err != nil {
		for _, f := range files {
			t.Logf("%s:\n%s", f.Path, f.Data)
		}
		t.Fatal(err)
	}
	return ready
}

// run starts the go tool in the module and ends the test where it fails. With
// -trimpath the build cache serves a module that stands in another folder each time.
func (m *module) run(args ...string) {
	m.t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		m.t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
}
