package lower

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// invalidDir holds one folder for each faulty document: spec.yaml, whose header
// says where the fault is and what its report must name, and stderr.txt, the whole
// report of a strict run.
const invalidDir = "../../../testdata/invalid"

// named are the words that each header asks for.
var named = map[string][]string{
	"002-ref-wrong-kind":                      {`want a parameter, "#/components/schemas/Limit" is a schema`},
	"003-ref-bad-pointer":                     {`"#components/schemas/A"`, `"#/"`},
	"004-ref-external-missing-file":           {"./ext/absent.yaml", "no such file"},
	"006-ref-remote-blocked":                  {"https://schemas.invalid/x.yaml", "--allow-remote"},
	"007-ref-cyclic-alias":                    {"A -> B -> A", "spec.yaml:12", "spec.yaml:13"},
	"008-allof-cyclic-self":                   {"Loop", "Mid", "allOf"},
	"010-path-param-undeclared":               {"/a/{id}/b/{sub}", "GET", `"sub"`},
	"011-path-param-not-in-template":          {`"uid"`, "/a", "in: path but not in the template"},
	"012-path-param-not-required":             {`"id"`, "path parameters need required: true"},
	"014-path-unbalanced-brace":               {`"/a/{id"`, "spec.yaml:6:7:"},
	"015-path-duplicate-template":             {"/a/{x}", "/a/{y}", "spec.yaml:6:", "spec.yaml:8:"},
	"016-param-duplicate":                     {`name "q"`, `in "query"`, "declared twice", "spec.yaml:9:"},
	"018-param-schema-and-content":            {`"q"`, "schema and content are exclusive"},
	"019-param-style-wrong-place":             {`"id"`, "style deepObject is not allowed in path (allowed: simple, label, matrix)"},
	"020-param-unknown-in":                    {`"q"`, `"body"`, "use requestBody"},
	"022-array-without-items":                 {"L", "array", "items"},
	"023-required-as-boolean":                 {`"a"`, "P", "required", "list", "boolean"},
	"024-properties-as-list":                  {"P", "properties must be a mapping"},
	"026-default-not-in-enum":                 {"color", "blue", "red", "green"},
	"027-enum-type-mismatch":                  {"N", `"two"`, "index 1", "not an integer"},
	"028-enum-duplicate-values":               {"N", `"a"`, "twice"},
	"030-pattern-broken":                      {"S", "^[a-z$"},
	"031-readonly-and-writeonly":              {"x", "readOnly and writeOnly exclude each other"},
	"032-discriminator-mapping-dangling":      {`"dog"`, "#/components/schemas/Dogg"},
	"034-security-undefined-scheme":           {"GET /a", `"apiKee"`, `did you mean "apiKey"?`},
	"035-security-scheme-incomplete":          {"scheme k", "apiKey needs name and in"},
	"036-responses-missing":                   {"GET /a", "responses is required", "3.0"},
	"038-content-as-list":                     {"requestBody.content of POST /a", "must be a mapping of media types"},
	"039-info-missing":                        {"info is missing at the document root"},
	"040-version-unsupported":                 {`"4.0.0"`, "3.0", "3.1", "3.2"},
	"042-version-unquoted-float":              {`"3.0.3"`, "number 3.0"},
	"043-null-type-in-30":                     {"a", "3.1", "nullable: true"},
	"044-exclusive-number-in-30":              {"a", "exclusiveMinimum must be", "boolean", "3.0"},
	"046-server-variable-default-not-in-enum": {"region", `"mars"`, "[eu, us]"},
	"047-unknown-field":                       {`"respones"`, "GET /a", "did you mean responses?"},
	"048-yaml-duplicate-key":                  {`"get"`, "line 7", "line 8"},
	"050-yaml-unclosed-flow":                  {`{`, "never closed"},
	"051-yaml-undefined-alias":                {"*nope"},
	"052-yaml-root-is-list":                   {"root must be a mapping", "list"},
	"054-ext-go-name-invalid":                 {`x-go-name "9 lives"`, "not an exported Go identifier"},
	"055-ext-enum-varnames-length":            {"N", "x-enum-varnames has 1 entry, enum has 2"},
}

// repaired are the cases that only a strict run refuses.
var repaired = map[string]bool{
	"010-path-param-undeclared": true, "022-array-without-items": true, "023-required-as-boolean": true,
	"026-default-not-in-enum": true, "027-enum-type-mismatch": true, "028-enum-duplicate-values": true,
	"034-security-undefined-scheme": true, "044-exclusive-number-in-30": true,
}

// ofResilience marks the cases whose fault is in an x-resilience annotation, which
// this package does not read.
const ofResilience = "resilience-"

var headerLine = regexp.MustCompile(`^# error at spec\.yaml:(\d+)\n`)

// lowerFile loads and lowers the file at path and returns what it reports.
func lowerFile(t *testing.T, path string, strict bool) []diag.Diagnostic {
	t.Helper()
	list := diag.List{Strict: strict}
	if doc := load.Load(context.Background(), load.Options{Path: path}, &list); doc != nil {
		Lower(doc, Options{}, &list)
	}
	return list.Sorted()
}

func TestInvalidCases(t *testing.T) {
	dirs, err := os.ReadDir(invalidDir)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(invalidDir)
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	for _, dir := range dirs {
		words, ok := named[dir.Name()]
		if !ok {
			if !strings.Contains(dir.Name(), ofResilience) {
				t.Errorf("no expectation for %s", dir.Name())
			}
			continue
		}
		met++
		t.Run(dir.Name(), func(t *testing.T) {
			t.Chdir(filepath.Join(root, dir.Name()))
			checkInvalid(t, dir.Name(), words)
		})
	}
	if met != len(named) {
		t.Errorf("%d of %d cases are there", met, len(named))
	}
}

func checkInvalid(t *testing.T, name string, words []string) {
	t.Helper()
	spec, err := os.ReadFile("spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	header := headerLine.FindSubmatch(spec)
	if header == nil {
		t.Fatal("the header does not say where the fault is")
	}
	line, err := strconv.Atoi(string(header[1]))
	if err != nil {
		t.Fatal(err)
	}
	strict := lowerFile(t, "spec.yaml", true)
	if len(strict) == 0 {
		t.Fatal("nothing is reported")
	}
	if first := strict[0]; first.Severity != diag.Error || first.Pos.File != "spec.yaml" || first.Pos.Line != line || first.Pos.Col < 1 {
		t.Errorf("first report is %s at %s, want an error at spec.yaml:%d", first.Severity, first.Pos, line)
	}
	var out bytes.Buffer
	if err := diag.WriteText(&out, strict, diag.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, word := range words {
		if !strings.Contains(out.String(), word) {
			t.Errorf("the report does not name %s:\n%s", word, out.String())
		}
	}
	checkGolden(t, out.Bytes())
	checkLenient(t, repaired[name], line)
}

// checkLenient checks the run without --strict: the same, or for what is repaired a
// warning at the same line and no error.
func checkLenient(t *testing.T, mended bool, line int) {
	t.Helper()
	atLine, failed := false, false
	for _, d := range lowerFile(t, "spec.yaml", false) {
		failed = failed || d.Severity == diag.Error
		atLine = atLine || d.Pos.Line == line && d.Severity == diag.Warning && d.Repair
	}
	if failed == mended {
		t.Errorf("without --strict: an error is reported: %t, want %t", failed, !mended)
	}
	if mended && !atLine {
		t.Errorf("without --strict: no warning at line %d", line)
	}
}

// checkGolden compares a report with stderr.txt.
func checkGolden(t *testing.T, got []byte) {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	got = bytes.ReplaceAll(got, []byte(wd), []byte("$DIR"))
	if os.Getenv("HOLDFAST_RECORD") != "" {
		if err := os.WriteFile("stderr.txt", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("stderr.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("report differs from stderr.txt (-want +got):\n%s", diff)
	}
}
