package gen_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
)

// TestCases generates every document of testdata/cases into one module, a package
// each, puts the behaviour test of the case beside it, and runs go vet and go test
// over the module once. The result of each behaviour test is a subtest here, named
// after the case.
func TestCases(t *testing.T) {
	if testing.Short() {
		t.Log("short: the cases are generated but not compiled")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	writeModule(t, root, module)
	copyKit(t, root, module)
	cases := caseFiles(t, root)
	for _, c := range cases {
		t.Run("generate/"+c.name, func(t *testing.T) { c.generate(t, root, module) })
	}
	if testing.Short() {
		return
	}
	vet := goCommand(module, "vet", "./...")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	results := runGoTests(t, module)
	for _, c := range cases {
		if !c.behaves {
			continue
		}
		t.Run("behave/"+c.name, func(t *testing.T) {
			r := results["cases/"+c.pkg()]
			if r == nil {
				t.Fatal("the behaviour test was not run")
			}
			if !r.passed || r.tests == 0 {
				t.Errorf("%d tests ran\n%s", r.tests, r.output.String())
			}
		})
	}
}

// caseFile is one document of testdata/cases.
type caseFile struct {
	name    string // 001-enum-sign-and-digits
	behaves bool   // there is a behaviour test
}

// pkg is the folder and import path of the case in the module: c001.
func (c caseFile) pkg() string { return "c" + c.name[:3] }

func caseFiles(t *testing.T, root string) []caseFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "testdata/cases/*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no cases", err)
	}
	var cases []caseFile
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		_, err := os.Stat(filepath.Join(root, "testdata/cases/behaviour", name[:3]+"_test.go"))
		cases = append(cases, caseFile{name: name, behaves: err == nil})
	}
	return cases
}

func (c caseFile) generate(t *testing.T, root, module string) {
	t.Helper()
	out := filepath.Join(module, c.pkg())
	result, err := gen.Run(t.Context(), gen.Config{
		Spec: filepath.Join(root, "testdata/cases", c.name+".yaml"), Out: out, Package: "api", Client: true, Server: true,
	})
	if err != nil {
		var text bytes.Buffer
		for _, d := range result.Diagnostics {
			fmt.Fprintln(&text, d.Pos, d.Message)
		}
		t.Fatalf("%v\n%s", err, text.String())
	}
	if c.behaves {
		copyFile(t, filepath.Join(root, "testdata/cases/behaviour", c.name[:3]+"_test.go"), filepath.Join(out, "behaviour_test.go"))
	}
}

// writeModule makes a module that takes holdfast from the checkout and needs
// nothing that the checkout does not need.
func writeModule(t *testing.T, root, dir string) {
	t.Helper()
	text := "module cases\n\ngo 1.26\n\nrequire github.com/holdfast-go/holdfast v0.0.0\n\nreplace github.com/holdfast-go/holdfast => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(dir, "go.sum"))
}

// copyKit puts what the behaviour tests share into the module.
func copyKit(t *testing.T, root, module string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "testdata/cases/kit/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("there is no kit", err)
	}
	for _, file := range files {
		copyFile(t, file, filepath.Join(module, "kit", filepath.Base(file)))
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// goCommand is the go command in the module; -trimpath lets the build cache serve
// a module that stands in another folder each time.
func goCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOWORK=off", "GOPROXY=off")
	return cmd
}

// packageResult is what go test said of one package.
type packageResult struct {
	passed bool
	tests  int
	output strings.Builder
}

func runGoTests(t *testing.T, module string) map[string]*packageResult {
	t.Helper()
	// Vetted they are, and a linker that writes nothing for debuggers is done sooner.
	cmd := goCommand(module, "test", "-json", "-shuffle=on", "-timeout=5m", "-vet=off", "-ldflags=-w", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("go test: %v\n%s", err, stderr.String())
	}
	results := map[string]*packageResult{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var event struct {
			Action     string `json:"Action"`
			Package    string `json:"Package"`
			ImportPath string `json:"ImportPath"`
			Test       string `json:"Test"`
			Output     string `json:"Output"`
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue
		}
		name, _, _ := strings.Cut(event.Package, " ")
		if name == "" {
			name, _, _ = strings.Cut(event.ImportPath, " ")
		}
		r := results[name]
		if r == nil {
			r = &packageResult{}
			results[name] = r
		}
		switch {
		case event.Action == "output" || event.Action == "build-output":
			r.output.WriteString(event.Output)
		case event.Action == "run" && event.Test != "":
			r.tests++
		case event.Action == "pass" && event.Test == "":
			r.passed = true
		}
	}
	return results
}
