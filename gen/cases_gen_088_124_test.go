package gen_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/holdfast-go/holdfast/gen"
)

// ran generates a document, whatever comes of it. The settings are added to those
// for both sides.
func ran(t *testing.T, text string, set func(*gen.Config)) (out string, result *gen.Output, err error) {
	t.Helper()
	dir := t.TempDir()
	spec := filepath.Join(dir, "openapi.yaml")
	if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := gen.Config{Spec: spec, Out: filepath.Join(dir, "out"), Package: "api", Client: true, Server: true}
	if set != nil {
		set(&cfg)
	}
	result, err = gen.Run(t.Context(), cfg)
	return cfg.Out, result, err
}

// read is all files of a folder by name.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(data)
	}
	return files
}

// says fails the test unless one diagnostic of that weight stands at line:column and
// holds each of the words.
func says(t *testing.T, result *gen.Output, isError bool, at string, words ...string) {
	t.Helper()
	for _, d := range result.Diagnostics {
		if (d.Severity == gen.Error) != isError || !strings.HasSuffix(fmt.Sprint(d.Pos), "openapi.yaml:"+at) {
			continue
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(d.Message, w) }) {
			return
		}
	}
	t.Errorf("nothing at %s names %q: %v", at, words, result.Diagnostics)
}

// place is the line:column of the one text in a document.
func place(t *testing.T, document, text string) string {
	t.Helper()
	before, _, ok := strings.Cut(document, text)
	if !ok || strings.Count(document, text) != 1 {
		t.Fatalf("%q does not stand once", text)
	}
	line := strings.Count(before, "\n") + 1
	return fmt.Sprintf("%d:%d", line, len(before)-strings.LastIndex(before, "\n"))
}

// Case 092: in 3.0 what stands beside a reference is ignored, with a warning there.
func TestCase092Siblings30(t *testing.T) {
	text := strings.Replace(caseText(t, "092"), "openapi: 3.1.0", "openapi: 3.0.3", 1)
	out, result, err := ran(t, text, nil)
	if err != nil {
		t.Fatal(err, result.Diagnostics)
	}
	says(t, result, false, place(t, text, "home: {"), "description", "readOnly")
	says(t, result, false, place(t, text, "work: {"), "deprecated")
	for name, data := range read(t, out) {
		if strings.Contains(data, "where it lives") || strings.Contains(data, "Deprecated:") || strings.Contains(data, "Read-only") {
			t.Errorf("%s has what is to be ignored", name)
		}
	}
}

// Case 092: in 3.1 a type list with "null" beside a reference makes that use nullable.
func TestCase092TypeBesideReference(t *testing.T) {
	text := caseText(t, "092")
	changed := strings.Replace(text, ", deprecated: true", ", type: [object, 'null']", 1)
	if changed == text {
		t.Fatal("the case has changed")
	}
	types := strings.Fields(generated(t, changed)["types.go"])
	if !slices.Contains(types, "value.OptNull[Addr]") || !slices.Contains(types, "*Addr") {
		t.Errorf("work is not nullable, or home is: %s", types)
	}
}

// Case 093: a $dynamicRef without an anchor is a reference like any other, and one that
// leads nowhere is an error where it stands: never is it any.
func TestCase093DynamicReference(t *testing.T) {
	plain, result, err := ran(t, caseText(t, "093"), nil)
	if err != nil {
		t.Fatal(err, result.Diagnostics)
	}
	text := strings.Replace(caseText(t, "093"), "item: {$ref:", "item: {$dynamicRef:", 1)
	dynamic, result, err := ran(t, text, nil)
	if err != nil {
		t.Fatal(err, result.Diagnostics)
	}
	if got, want := read(t, dynamic), read(t, plain); !maps.Equal(got, want) {
		t.Error("the two references do not come to the same")
	}
	text = strings.Replace(text, "$dynamicRef: '#/components/schemas/Box/$defs/Item'", "$dynamicRef: '#nowhere'", 1)
	_, result, err = ran(t, text, nil)
	if !errors.Is(err, gen.ErrDocument) {
		t.Fatal("no error", err)
	}
	says(t, result, true, place(t, text, "'#nowhere'"), "#nowhere")
}

// Case 101: an unknown x-go- extension is a warning, a name that is none an error.
func TestCase101Extensions(t *testing.T) {
	text := caseText(t, "101")
	_, result, err := ran(t, text, nil)
	if err != nil {
		t.Fatal(err, result.Diagnostics)
	}
	says(t, result, false, place(t, text, "x-go-typoo: oops"), "x-go-typoo")
	for _, name := range []string{"'1d'", "'a b'", "func", "'I/D'", "''"} {
		changed := strings.Replace(text, "x-go-name: ID}", "x-go-name: "+name+"}", 1)
		_, result, err := ran(t, changed, nil)
		if !errors.Is(err, gen.ErrDocument) {
			t.Errorf("%s is taken as a name: %v", name, err)
			continue
		}
		says(t, result, true, place(t, changed, name+"}"), "x-go-name")
	}
}

// Case 104: the pattern with lookahead is checked like all others.
func TestCase104Lookahead(t *testing.T) {
	text := caseText(t, "104")
	out, result, err := ran(t, text, nil)
	if err != nil || len(result.Diagnostics) != 0 {
		t.Fatal(err, result.Diagnostics)
	}
	if !strings.Contains(read(t, out)["shared.go"], `check.Regexp("^(?=.*[A-Z])(?=.*\\d).{8,}$")`) {
		t.Error("the pattern is not checked")
	}
}

// Case 108: what the operations of a tag need is kept, and nothing else.
func TestCase108Filter(t *testing.T) {
	text := caseText(t, "108")
	out, result, err := ran(t, text, func(c *gen.Config) { c.Include = []string{"tag:a b"} })
	if err != nil {
		t.Fatal(err, result.Diagnostics)
	}
	files := read(t, out)
	if got := slices.Sorted(maps.Values(operations(t, files))); !slices.Equal(got, []string{"AOne", "Both"}) {
		t.Errorf("operations %v", got)
	}
	for name, kept := range map[string]bool{"AOnly": true, "Shared": true, "Deep": true, "BOnly": false, "Orphan": false} {
		if strings.Contains(files["types.go"], "type "+name+" struct") != kept {
			t.Errorf("%s is kept: %v", name, !kept)
		}
	}
	_, result, err = ran(t, text, func(c *gen.Config) { c.Include = []string{"tag:c"} })
	var setting *gen.ConfigError
	if err == nil || !strings.Contains(fmt.Sprint(err, result), `"c"`) && !(errors.As(err, &setting) && strings.Contains(setting.Problem, "c")) {
		t.Errorf("the unknown tag is not named: %v %v", err, result)
	}
}

// Case 108: a second run writes what has changed, and removes what is no longer made.
func TestCase108Rerun(t *testing.T) {
	dir := t.TempDir()
	spec, out := filepath.Join(dir, "openapi.yaml"), filepath.Join(dir, "out")
	if err := os.WriteFile(spec, []byte(caseText(t, "108")), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(set func(*gen.Config)) map[string]any {
		t.Helper()
		cfg := gen.Config{Spec: spec, Out: out, Package: "api", Client: true, Server: true}
		set(&cfg)
		result, err := gen.Run(t.Context(), cfg)
		if err != nil {
			t.Fatal(err, result.Diagnostics)
		}
		changes := map[string]any{}
		for _, change := range result.Changes {
			changes[change.Path] = change.Op
		}
		return changes
	}
	run(func(*gen.Config) {})
	before := read(t, out)
	stamps := map[string]os.FileInfo{}
	for name := range before {
		stamps[name], _ = os.Stat(filepath.Join(out, name))
	}
	run(func(*gen.Config) {})
	for name, stamp := range stamps {
		if now, err := os.Stat(filepath.Join(out, name)); err != nil || !os.SameFile(stamp, now) || !now.ModTime().Equal(stamp.ModTime()) {
			t.Errorf("%s was written again (%v)", name, err)
		}
	}
	changes := run(func(c *gen.Config) { c.Server = false })
	after := read(t, out)
	for name, op := range changes {
		if text, there := after[name]; there && (text == before[name]) != (op == gen.Keep) || !there && op != gen.Remove {
			t.Errorf("%s is said to be %v", name, op)
		}
	}
	if _, there := after["server.go"]; there {
		t.Error("server.go is still there")
	}
}

// The child of TestCase109FreshProcesses finds its document and folder here.
const caseChildEnv = "HOLDFAST_CASE_CHILD"

// TestCase109Child is what the fresh processes run; elsewhere it has nothing to do.
func TestCase109Child(t *testing.T) {
	spec, out, ok := strings.Cut(os.Getenv(caseChildEnv), "\n")
	if !ok {
		return
	}
	if result, err := gen.Run(t.Context(), gen.Config{Spec: spec, Out: out, Package: "api", Client: true, Server: true}); err != nil {
		t.Fatal(err, result.Diagnostics)
	}
}

// Case 109: fifty processes write the same bytes, on one processor and on sixteen,
// from YAML and from JSON.
func TestCase109FreshProcesses(t *testing.T) {
	dir := t.TempDir()
	text := caseText(t, "109")
	specs := []string{filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.json")}
	for i, data := range []string{text, asJSON(t, text)} {
		if err := os.WriteFile(specs[i], []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first [sha256.Size]byte
	for i := range 50 {
		out := filepath.Join(dir, fmt.Sprint("out", i))
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestCase109Child$")
		cmd.Env = append(os.Environ(), caseChildEnv+"="+specs[i/2%2]+"\n"+out, fmt.Sprint("GOMAXPROCS=", []int{1, 16}[i%2]))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		files := read(t, out)
		var all bytes.Buffer
		for _, name := range slices.Sorted(maps.Keys(files)) {
			all.WriteString(name + "\n" + files[name])
		}
		if strings.Contains(all.String(), dir) {
			t.Fatal("the code has a path of this machine")
		}
		if i == 0 {
			first = sha256.Sum256(all.Bytes())
		} else if sha256.Sum256(all.Bytes()) != first {
			t.Fatalf("run %d has other bytes", i)
		}
	}
}

// asJSON is a YAML document as JSON, its members in the same order.
func asJSON(t *testing.T, text string) string {
	t.Helper()
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	var write func(n *yaml.Node) string
	write = func(n *yaml.Node) string {
		var items []string
		switch n.Kind {
		case yaml.DocumentNode:
			return write(n.Content[0])
		case yaml.MappingNode:
			for i := 0; i < len(n.Content); i += 2 {
				key, _ := json.Marshal(n.Content[i].Value)
				items = append(items, string(key)+":"+write(n.Content[i+1]))
			}
			return "{" + strings.Join(items, ",") + "}"
		case yaml.SequenceNode:
			for _, item := range n.Content {
				items = append(items, write(item))
			}
			return "[" + strings.Join(items, ",") + "]"
		}
		var value any = n.Value
		if n.Tag != "!!str" {
			if err := n.Decode(&value); err != nil {
				t.Fatal(err)
			}
		}
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return write(&node)
}

// Case 109: another order of the document's members gives the same names.
func TestCase109Order(t *testing.T) {
	text := caseText(t, "109")
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	turn(&node)
	turned, err := yaml.Marshal(&node)
	if err != nil {
		t.Fatal(err)
	}
	before, after := declared(t, generated(t, text)), declared(t, generated(t, string(turned)))
	if !slices.Equal(before, after) {
		t.Errorf("names\n%v\nthen\n%v", before, after)
	}
}

// turn gives every mapping the other order.
func turn(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		pairs := slices.Collect(slices.Chunk(slices.Clone(n.Content), 2))
		slices.Reverse(pairs)
		n.Content = slices.Concat(pairs...)
	}
	for _, c := range n.Content {
		turn(c)
	}
}

// declared are the exported names of types, their fields and methods, sorted.
func declared(t *testing.T, files map[string]string) (names []string) {
	t.Helper()
	eachDecl(t, files, func(decl ast.Decl) {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				return
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					names = append(names, n.Name.Name)
				case *ast.Field:
					for _, id := range n.Names {
						names = append(names, id.Name)
					}
				}
				return true
			})
		}
	})
	slices.Sort(names)
	return names
}

// Case 110: the least document gives code without an unused or missing import on each
// choice of sides.
func TestCase110Modes(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	writeModule(t, root, module)
	first := regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.\n`)
	for name, sides := range map[string][2]bool{"all": {true, true}, "client": {true, false}, "server": {false, true}, "models": {}} {
		out := filepath.Join(module, name)
		result, err := gen.Run(t.Context(), gen.Config{
			Spec: filepath.Join(root, "testdata/cases/110-vet-lint-clean.yaml"), Out: out, Package: "api",
			Client: sides[0], Server: sides[1], Strict: true,
		})
		if err != nil || len(result.Diagnostics) != 0 {
			t.Fatal(name, err, result.Diagnostics)
		}
		files := read(t, out)
		if len(files) == 0 {
			t.Errorf("%s: no files", name)
		}
		for file, text := range files {
			if !first.MatchString(text) {
				t.Errorf("%s/%s begins with %.60q", name, file, text)
			}
			if pretty, err := format.Source([]byte(text)); err != nil || string(pretty) != text {
				t.Errorf("%s/%s is not formatted (%v)", name, file, err)
			}
		}
	}
	if testing.Short() {
		return
	}
	for _, command := range []string{"build", "vet"} {
		if said, err := goCommand(module, command, "./...").CombinedOutput(); err != nil || len(said) != 0 {
			t.Errorf("go %s: %v\n%s", command, err, said)
		}
	}
}

// Case 122: each media type that is passed as bytes is a warning where it stands.
func TestCase122Warnings(t *testing.T) {
	text := caseText(t, "122")
	_, result, err := ran(t, text, nil)
	if err != nil || len(result.Diagnostics) != 2 {
		t.Fatal(err, result.Diagnostics)
	}
	says(t, result, false, place(t, text, "application/xml:"), "POST /x", "application/xml")
	says(t, result, false, place(t, text, "application/yaml:"), "POST /x", "application/yaml")
}
