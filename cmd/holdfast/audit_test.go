package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// flagTests name, for each option of each command, the test that runs the built tool with
// it and looks at what it does.
var flagTests = map[string]string{
	"generate --spec":             "TestSides",
	"generate --out":              "TestSides",
	"generate --package":          "TestSides",
	"generate --config":           "TestOptionsOverConfigFile",
	"generate --client-only":      "TestSides",
	"generate --server-only":      "TestSides",
	"generate --models-only":      "TestSides",
	"generate --runtime":          "TestRuntimeCopies",
	"generate --import-path":      "TestRuntimeCopies",
	"generate --runtime-add":      "TestRuntimeCopies",
	"generate --include":          "TestFilters",
	"generate --exclude":          "TestFilters",
	"generate --strict":           "TestStrict",
	"generate --exact-schemas":    "TestExactSchemas",
	"generate --skip-unsupported": "TestSkipUnsupported",
	"generate --allow-remote":     "TestAllowRemote",
	"generate --check":            "TestCheck",
	"generate --dry-run":          "TestDryRun",
	"generate --json":             "TestJSON",
	"generate --verbose":          "TestVerbose",
	"generate --overlay":          "TestOverlay",
	"explain --overlay":           "TestExplain",
	"explain --operation":         "TestExplain",
	"explain --profile":           "TestExplain",
	"explain --strict":            "TestExplain",
	"explain --json":              "TestExplainJSON",
	"explain --html":              "TestExplainHTML",
	"explain --diff":              "TestExplainDiff",
	"explain --exit-code":         "TestExplainDiff",
	"explain --skip-unsupported":  "TestExplainPartly",
	"explain --allow-remote":      "TestExplainPartly",
	"lint --overlay":              "TestLintFix",
	"lint --severity":             "TestLint",
	"lint --format":               "TestLint",
	"lint --fix":                  "TestLintFix",
	"lint --config":               "TestLintConfigured",
	"lint --remarks":              "TestLintRemarks",
	"lint --include":              "TestLintReads",
	"lint --exclude":              "TestLintReads",
	"lint --strict":               "TestLintReads",
	"lint --exact-schemas":        "TestLintReads",
	"lint --skip-unsupported":     "TestLintReads",
	"lint --allow-remote":         "TestLintReads",
	"schema --dialect":            "TestSchema",
	"lint --rules":                "TestLint",
	"init --spec":                 "TestInitExplainsRealSettings",
	"init --out":                  "TestInit",
	"init --package":              "TestInitExplainsRealSettings",
	"import --out":                "TestImport",
	"import --spec":               "TestImport",
	"demo --spec":                 "TestDemoOfADocument",
	"demo --keep":                 "TestDemoOfTheBookingService",
}

// settingTests are those of the settings of a target in holdfast.yaml.
var settingTests = map[string]string{
	"spec": "TestConfigFileFoundUpwards", "out": "TestConfigFileFoundUpwards", "package": "TestSettingsOfConfigFile",
	"only": "TestSettingsOfConfigFile", "runtime": "TestSettingsOfConfigFile", "importPath": "TestSettingsOfConfigFile",
	"runtimeAdd": "TestSettingsOfConfigFile", "strict": "TestSettingsOfConfigFile", "skipUnsupported": "TestSettingsOfConfigFile",
	"include": "TestSettingsOfConfigFile", "exclude": "TestSettingsOfConfigFile", "allowRemote": "TestSettingsOfConfigFile",
	"overlays": "TestSettingsOfConfigFile", "exactSchemas": "TestSettingsOfConfigFile", "lint": "TestLintConfigured",
}

// testNames are the tests of this folder.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// TestEveryOptionHasATest finds options and settings that were added without one.
func TestEveryOptionHasATest(t *testing.T) {
	flags := maps.Clone(flagTests)
	for _, c := range (&app{}).commands() {
		c.flags.VisitAll(func(f *pflag.Flag) {
			name := c.name + " --" + f.Name
			if flags[name] == "" {
				t.Errorf("%s has no test", name)
			}
			delete(flags, name)
		})
	}
	for name := range flags {
		t.Errorf("%s is no option", name)
	}

	dir := t.TempDir()
	put(t, dir, "holdfast.yaml", "targets: [x]\n")
	_, list, _ := strings.Cut(holdfast(t, dir, "generate").stderr, "a mapping with ")
	list, _, _ = strings.Cut(list, ", found")
	settings := strings.Split(list, ", ")
	for _, name := range settings {
		if settingTests[name] == "" {
			t.Errorf("the setting %s has no test", name)
		}
	}
	if len(settings) != len(settingTests) {
		t.Errorf("%d settings, tests of %d", len(settings), len(settingTests))
	}

	names := testNames(t)
	for _, test := range append(slices.Collect(maps.Values(flagTests)), slices.Collect(maps.Values(settingTests))...) {
		if !names[test] {
			t.Errorf("there is no test %s", test)
		}
	}
}

// Each command explains itself, in three ways that say the same.
func TestHelpOfEachCommand(t *testing.T) {
	dir := t.TempDir()
	for _, c := range (&app{}).commands() {
		if c.hidden {
			continue
		}
		want := holdfast(t, dir, "help", c.name)
		want.want(t, 0, "Usage:\n\n    holdfast "+c.name, "")
		c.flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(want.stdout, "--"+f.Name) {
				t.Errorf("the help of %s does not speak of --%s", c.name, f.Name)
			}
		})
		for _, flag := range []string{"--help", "-h"} {
			if got := holdfast(t, dir, c.name, flag); got != want {
				t.Errorf("%s %s: %+v, want %+v", c.name, flag, got, want)
			}
		}
		if c.raw {
			continue
		}
		holdfast(t, dir, c.name, "--no-such-option").want(t, 2, "", "unknown option --no-such-option")
	}
}

// What a check and a dry run find is told as JSON as well, and changes nothing.
func TestJSONWithoutWriting(t *testing.T) {
	dir := project(t, map[string]string{
		"api.yaml":    "file a.go var A int\nfile new.go var N int\n",
		"out/a.go":    header + "package out\n\nvar Old int\n",
		"out/gone.go": header + "package out\n",
	})
	before := tree(t, dir)
	for flag, code := range map[string]int{"--check": 1, "--dry-run": 0} {
		r := holdfast(t, dir, "generate", "--spec", "api.yaml", "--out", "out", "--json", flag)
		var got struct {
			Files []struct {
				Path string `json:"path"`
				Op   string `json:"op"`
			} `json:"files"`
		}
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != code || r.stderr != "" {
			t.Errorf("%s: %v, %+v", flag, err, r)
		}
		var files []string
		for _, f := range got.Files {
			files = append(files, f.Op+" "+f.Path)
		}
		if want := []string{"update out/a.go", "remove out/gone.go", "create out/new.go"}; !slices.Equal(files, want) {
			t.Errorf("%s: %q, want %q", flag, files, want)
		}
	}
	if after := tree(t, dir); !maps.Equal(before, after) {
		t.Error("something was written")
	}
}

// A document may have schemas alone, or webhooks alone; what is generated of it builds.
func TestDocumentsOfOneKind(t *testing.T) {
	const schemas = "components: {schemas: {Order: {type: object, properties: {id: {type: string}}}}}\n"
	const hooks = "webhooks: {shipped: {post: {operationId: shipped, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}, responses: {'204': {description: taken}}}}}\n"
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := project(t, map[string]string{"go.mod": userModule(t, root)})
	for name, tt := range map[string]struct{ text, has string }{
		"schemas":  {schemas, "type Order struct"},
		"webhooks": {schemas + hooks, "func NewWebhookHandler("},
	} {
		put(t, dir, name+".yaml", "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n"+tt.text)
		shipped(t, dir, "generate", "--spec", name+".yaml", "--out", name).want(t, 0, "", "")
		if files := tree(t, filepath.Join(dir, name)); !declares(files, tt.has) {
			t.Errorf("%s: %v", name, slices.Sorted(maps.Keys(files)))
		}
	}
	start{}.must(t, dir, "go vet ./schemas ./webhooks")
}
