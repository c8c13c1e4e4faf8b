package resilience_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// invalidDir holds one folder for each faulty document: spec.yaml, whose header
// says where the fault is, and stderr.txt, the whole report, written by hand.
const invalidDir = "../../../testdata/invalid"

// named are the words that the headers of the cases ask for.
var named = map[string][]string{
	"056-resilience-bad-duration": {"GET /a", "x-resilience.timeout", `"5 parsecs"`, "want a Go duration such as 5s"},
	"058-resilience-unknown-key":  {"GET /a", "x-resilience", `"timout"`, "did you mean timeout?"},
	"059-resilience-wrong-type":   {"GET /a", `there is no policy "fast" under x-resilience.policies, which is empty`},
}

var headerLine = regexp.MustCompile(`^# error at spec\.yaml:(\d+)\n`)

func TestInvalidDocuments(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(invalidDir, "*resilience-*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) < 50 {
		t.Fatalf("only %d cases are there", len(dirs))
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { checkInvalid(t, dir) })
	}
}

func checkInvalid(t *testing.T, dir string) {
	t.Helper()
	spec, err := os.ReadFile(filepath.Join(dir, "spec.yaml"))
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
	got := applyFile(t, filepath.Join(dir, "spec.yaml"))
	at := false
	for _, d := range got.list {
		at = at || d.Pos.Line == line
		if d.Severity != diag.Error {
			t.Errorf("%s: %s: %s", d.Pos, d.Severity, d.Message)
		}
		if d.Code == "" || d.Pos.Col < 1 {
			t.Errorf("%s: code %q", d.Pos, d.Code)
		}
	}
	if !at {
		t.Errorf("nothing is reported at line %d", line)
	}
	text := got.text()
	for _, word := range named[filepath.Base(dir)] {
		if !strings.Contains(text, word) {
			t.Errorf("the report does not name %s", word)
		}
	}
	want, err := os.ReadFile(filepath.Join(dir, "stderr.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text); d != "" {
		t.Errorf("report differs from stderr.txt (-want +got):\n%s", d)
	}
}
