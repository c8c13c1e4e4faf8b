package gen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
)

// suiteFolder holds the public test suite of JSON Schema 2020-12, beside the checkout.
const suiteFolder = "../../shared/suites/json-schema/tests/draft2020-12"

// suiteGroup is one schema of the suite with its instances.
type suiteGroup struct {
	file  string // not.json
	index int    // in the file
	name  string // Go name and path word: Not3

	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []suiteTest     `json:"tests"`

	refused string // why the generator does not take the schema
	pkg     string // package of the module
	valid   []bool // the verdicts of the generated code, as Tests
	detail  []string
}

type suiteTest struct {
	Description string          `json:"description"`
	Data        json.RawMessage `json:"data"`
	Valid       bool            `json:"valid"`
}

// id is how tables name a test: "not.json: forbidden property: property present".
func (g *suiteGroup) id(t int) string {
	return g.file + ": " + g.Description + ": " + g.Tests[t].Description
}

// suiteGroups reads the suite; nil when it is not there.
func suiteGroups(t *testing.T) []*suiteGroup {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.json", "optional/*.json", "optional/format/*.json"} {
		found, err := filepath.Glob(filepath.Join(suiteFolder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		const missing = "the JSON Schema test suite is not here, nothing was checked"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Log(missing)
		return nil
	}
	var all []*suiteGroup
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []*suiteGroup
		if err := json.Unmarshal(data, &groups); err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(suiteFolder, file)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range groups {
			g.file, g.index = filepath.ToSlash(name), i
			word := strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
					return r
				}
				return -1
			}, strings.ToLower(strings.TrimSuffix(g.file, ".json")))
			g.name = strings.ToUpper(word[:1]) + word[1:] + "N" + strconv.Itoa(i)
		}
		all = append(all, groups...)
	}
	return all
}

// document is an OpenAPI document that has the schema of each group as a component,
// and a wrapper with one required member of it: what a type's use is held to counts,
// not only what the type itself says.
func suiteDocument(groups []*suiteGroup) []byte {
	schemas := map[string]any{}
	for _, g := range groups {
		schemas[g.name] = identified(g)
		schemas["In"+g.name] = map[string]any{
			"type": "object", "required": []string{"v"},
			"properties": map[string]any{"v": map[string]any{"$ref": "#/components/schemas/" + g.name}},
		}
	}
	data, err := json.Marshal(map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": "Suite", "version": "1"}, "paths": map[string]any{},
		"components": map[string]any{"schemas": schemas},
	})
	if err != nil {
		panic(err)
	}
	return data
}

// identified is the schema of a group as a resource of its own, so that "#/$defs/a"
// means what it does when the schema stands alone.
func identified(g *suiteGroup) json.RawMessage {
	text := bytes.TrimSpace(g.Schema)
	if text[0] != '{' || bytes.Contains(text, []byte(`"$id"`)) && hasID(text) || len(text) == 2 {
		return text
	}
	id := `{"$id":"https://suite.example/` + g.name + `",`
	return append([]byte(id), text[1:]...)
}

func hasID(text []byte) bool {
	var top map[string]json.RawMessage
	if json.Unmarshal(text, &top) != nil {
		return false
	}
	_, ok := top["$id"]
	return ok
}

// idsOf are the $id texts within a schema: two groups that share one cannot stand in
// one document.
func idsOf(schema json.RawMessage) []string {
	var ids []string
	for _, part := range bytes.Split(schema, []byte(`"$id"`))[1:] {
		rest := bytes.TrimLeft(part, ": \t\n")
		if len(rest) == 0 || rest[0] != '"' {
			continue
		}
		if text, _, ok := bytes.Cut(rest[1:], []byte(`"`)); ok {
			ids = append(ids, string(text))
		}
	}
	return ids
}

// suiteModes are the two ways in which the generator reads schemas.
var suiteModes = []string{"default", "exact"}

// TestSchemaSuite generates the types of every schema of the suite, decodes and
// validates every instance with them, and holds the verdicts to those of the suite, in
// both ways of reading schemas.
func TestSchemaSuite(t *testing.T) {
	if testing.Short() {
		t.Log("short: nothing was generated and compiled")
		return
	}
	groups := suiteGroups(t)
	if groups == nil {
		return
	}
	serveRemotes(t, groups)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	results := map[string][]*suiteGroup{}
	for _, mode := range suiteModes {
		mine := make([]*suiteGroup, len(groups))
		for i, g := range groups {
			c := *g
			mine[i] = &c
		}
		module := t.TempDir()
		writeModule(t, root, module)
		generateSuite(t, module, mode == "exact", mine)
		runSuite(t, module, mine)
		results[mode] = mine
	}
	holdDepartures(t, results)
	holdTable(t, results)
}

// generateSuite writes the packages of the groups that the generator takes.
func generateSuite(t *testing.T, module string, exact bool, groups []*suiteGroup) {
	t.Helper()
	const most = 60 // groups of a package: compiling is quick while they are small
	type batch struct {
		groups []*suiteGroup
		ids    []string
	}
	var batches []*batch
	spec := filepath.Join(module, "one.json")
	for _, g := range groups {
		if g.refused = generateDocument(t, spec, filepath.Join(module, "one"), exact, true, []*suiteGroup{g}); g.refused != "" {
			continue
		}
		ids := idsOf(g.Schema)
		i := slices.IndexFunc(batches, func(b *batch) bool {
			return len(b.groups) < most && !slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(b.ids, id) })
		})
		if i < 0 {
			batches = append(batches, &batch{})
			i = len(batches) - 1
		}
		b := batches[i]
		b.groups, b.ids = append(b.groups, g), append(b.ids, ids...)
		g.pkg = "p" + strconv.Itoa(i)
	}
	for i, b := range batches {
		pkg := "p" + strconv.Itoa(i)
		if why := generateDocument(t, filepath.Join(module, pkg+".json"), filepath.Join(module, pkg), exact, false, b.groups); why != "" {
			t.Fatalf("package %s: %s", pkg, why)
		}
	}
}

// generateDocument generates the types of some groups. The result says why that fails.
func generateDocument(t *testing.T, spec, out string, exact, dry bool, groups []*suiteGroup) string {
	t.Helper()
	if err := os.WriteFile(spec, suiteDocument(groups), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := gen.Run(t.Context(), gen.Config{
		Spec: spec, Out: out, Package: filepath.Base(out), AllowRemote: true, ExactSchemas: exact, DryRun: dry,
	})
	if err == nil {
		return ""
	}
	for _, d := range result.Diagnostics {
		if d.Severity == gen.Error {
			return d.Message
		}
	}
	return err.Error()
}

// runSuite builds one program over all packages and keeps its verdicts.
func runSuite(t *testing.T, module string, groups []*suiteGroup) {
	t.Helper()
	var program, input bytes.Buffer
	var imports, entries strings.Builder
	seen := map[string]bool{}
	for _, g := range groups {
		if g.refused != "" {
			continue
		}
		if !seen[g.pkg] {
			seen[g.pkg] = true
			fmt.Fprintf(&imports, "\t%q\n", "cases/"+g.pkg)
		}
		fmt.Fprintf(&entries, "\t%q: verdict[%s.In%s],\n", g.name, g.pkg, g.name)
		for _, test := range g.Tests {
			var data bytes.Buffer
			if err := json.Compact(&data, test.Data); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&input, "%s {\"v\":%s}\n", g.name, data.String())
		}
	}
	fmt.Fprintf(&program, suiteProgram, imports.String(), entries.String())
	if err := os.WriteFile(filepath.Join(module, "main.go"), program.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := goCommand(module, "run", "-ldflags=-w", ".")
	cmd.Stdin = &input
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	for _, g := range groups {
		if g.refused != "" {
			continue
		}
		for range g.Tests {
			if len(lines) == 0 {
				t.Fatal("the program gave too few verdicts")
			}
			g.valid = append(g.valid, lines[0] == "")
			g.detail = append(g.detail, lines[0])
			lines = lines[1:]
		}
	}
}

// suiteProgram prints a line for each instance: empty when it is valid, else why not.
const suiteProgram = `package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"

%s)

var verdicts = map[string]func([]byte) error{
%s}

func verdict[T any, P interface {
	*T
	json.Unmarshaler
}](data []byte) error {
	v := P(new(T))
	if err := json.UnmarshalMode(data, v, json.Mode{Direction: json.Request, Strict: true}); err != nil {
		return err
	}
	if c, ok := any(v).(check.Validator); ok {
		return check.BodyRead(c, check.InRequest)
	}
	return nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		name, data, _ := bytes.Cut(lines.Bytes(), []byte(" "))
		why := ""
		if err := verdicts[string(name)](data); err != nil {
			why = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(why)
	}
}
`
