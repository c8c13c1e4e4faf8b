package gen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/gen"
)

// caseText is the document of the case with that number.
func caseText(t *testing.T, number string) string {
	t.Helper()
	paths, err := filepath.Glob("../testdata/cases/" + number + "-*.yaml")
	if err != nil || len(paths) != 1 {
		t.Fatalf("case %s: %d files, %v", number, len(paths), err)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// inserted is text with more put in front of the one line that begins with before.
func inserted(t *testing.T, text, before, more string) string {
	t.Helper()
	if strings.Count(text, "\n"+before) != 1 {
		t.Fatalf("%q does not stand once", before)
	}
	return strings.Replace(text, "\n"+before, "\n"+more+"\n"+before, 1)
}

// generated are the files that come of a document, by name. The documents of cases
// are without fault, so there may be no diagnostic either.
func generated(t *testing.T, text string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	spec := filepath.Join(dir, "openapi.yaml")
	if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	result, err := gen.Run(t.Context(), gen.Config{Spec: spec, Out: out, Package: "api", Client: true, Server: true, Strict: true})
	if err != nil {
		t.Fatalf("%v: %v", err, result.Diagnostics)
	}
	for _, d := range result.Diagnostics {
		t.Errorf("%v %s", d.Pos, d.Message)
	}
	files := map[string]string{}
	for _, change := range result.Changes {
		data, err := os.ReadFile(filepath.Join(out, change.Path))
		if err != nil {
			t.Fatal(err)
		}
		files[change.Path] = string(data)
	}
	return files
}

// eachDecl calls f with each declaration of the files, in their order.
func eachDecl(t *testing.T, files map[string]string, f func(ast.Decl)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := parser.ParseFile(token.NewFileSet(), name, files[name], 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f(decl)
		}
	}
}

// constants are the values of the exported constants, by type and name.
func constants(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	found := map[string]string{}
	eachDecl(t, files, func(decl ast.Decl) {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			return
		}
		for _, spec := range g.Specs {
			vs := spec.(*ast.ValueSpec)
			typ, ok := vs.Type.(*ast.Ident)
			if !ok {
				continue
			}
			for i, name := range vs.Names {
				found[typ.Name+"."+name.Name] = types.ExprString(vs.Values[i])
			}
		}
	})
	return found
}

// operations are the names of the methods of Client, by method and path, which their
// comments name.
func operations(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for line := range strings.Lines(files["server.go"]) {
		name, route, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "// "), ": ")
		if ok && token.IsExported(name) && token.IsIdentifier(name) && strings.Contains(route, " /") {
			found[strings.TrimSpace(route)] = name
		}
	}
	return found
}

// keeps fails the test unless all of before is in after.
func keeps(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	if len(before) == 0 {
		t.Fatalf("no %s", what)
	}
	for key, value := range before {
		if after[key] != value {
			t.Errorf("%s: %s was %q, is %q", what, key, value, after[key])
		}
	}
}

// TestCasesSameBytes generates each of the first cases several times: case 037, whose
// mapping has several keys for one schema, twenty times.
func TestCasesSameBytes(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range caseFiles(t, root) {
		number, err := strconv.Atoi(c.name[:3])
		if err != nil || number > 54 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			text := caseText(t, c.name[:3])
			first := generated(t, text)
			again := 2
			if number == 37 {
				again = 20
			}
			for range again - 1 {
				next := generated(t, text)
				if len(next) != len(first) {
					t.Fatalf("%d files, then %d", len(first), len(next))
				}
				keeps(t, "files", first, next)
			}
		})
	}
}

// Case 005: an enum more renames no constant of another, not even when it is named
// like one of them.
func TestCase005AnotherEnum(t *testing.T) {
	text := caseText(t, "005")
	before := constants(t, generated(t, text))
	for _, more := range []string{
		"    Window: {type: string, enum: [open, shut]}",
		"    DoorAjar: {type: string, enum: [open, shut]}",
		"    Sta: {type: string, enum: [teOpen, teShut]}",
	} {
		changed := inserted(t, text, "    StateOpen:", more)
		changed = inserted(t, changed, "        detail:", "        more: {$ref: '#/components/schemas/"+
			strings.TrimSpace(strings.SplitN(more, ":", 2)[0])+"'}")
		keeps(t, "constants", before, constants(t, generated(t, changed)))
	}
}

// Case 013: the names that operations give way with do not depend on other operations.
func TestCase013AnotherOperation(t *testing.T) {
	text := caseText(t, "013")
	before := operations(t, generated(t, text))
	changed := inserted(t, text, "  /charts:", "  /a: {post: {operationId: createChartInput, requestBody: {content: "+
		"{application/json: {schema: {type: integer}}}}, responses: {'204': {description: ok}}}}")
	after := generated(t, changed)
	keeps(t, "operations", before, operations(t, after))
	if !strings.Contains(after["params.go"], "type CreateChartInput struct") {
		t.Error("the request of createChart has another name")
	}
}

// Case 017: a path more renames no method.
func TestCase017AnotherPath(t *testing.T) {
	text := caseText(t, "017")
	before := operations(t, generated(t, text))
	if len(before) != 4 {
		t.Errorf("operations %v", before)
	}
	for _, more := range []string{
		"  /books/all: {get: {responses: {'200': {description: ok}}}}",
		"  /books/by/book-id: {get: {responses: {'200': {description: ok}}}}",
		"  /books/by-book-id/pages: {get: {responses: {'200': {description: ok}}}}",
		"  /books/: {get: {responses: {'200': {description: ok}}}}",
		"  /Books: {get: {responses: {'200': {description: ok}}}}",
		"  /: {get: {operationId: getBooksInHand, responses: {'200': {description: ok}}}}",
	} {
		keeps(t, "operations with "+more, before, operations(t, generated(t, inserted(t, text, "  /books:", more))))
	}
}

// Case 044: a member of the type itself is a pointer, required or not.
func TestCase044Required(t *testing.T) {
	text := caseText(t, "044")
	changed := strings.Replace(text, "required: [name]", "required: [name, parent]", 1)
	if changed == text {
		t.Fatal("the case has changed")
	}
	for _, text := range []string{text, changed} {
		var types strings.Builder
		for name, data := range generated(t, text) {
			if strings.HasPrefix(name, "types") {
				types.WriteString(data)
			}
		}
		if fields := strings.Fields(types.String()); !slices.Contains(fields, "*Person") || slices.Index(fields, "*Person") != slices.Index(fields, "Parent")+1 {
			t.Errorf("parent is no *Person in\n%s", types.String())
		}
	}
}

// Case 046: recursion through allOf and anyOf ends within a second.
func TestCase046Ends(t *testing.T) {
	text := caseText(t, "046")
	start := time.Now()
	generated(t, text)
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
}
