package templates

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"text/template"
)

// Go is written by the emitter alone, which quotes and checks what it writes; a
// template can do neither.
func TestNoTemplateWritesGo(t *testing.T) {
	goClause := regexp.MustCompile(`(?m)^\s*package [a-z{]`)
	names, err := fs.Glob(Files, "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(name, ".go") || goClause.Match(data) {
			t.Errorf("%s writes Go", name)
		}
		if _, err := template.New(name).Parse(string(data)); err != nil {
			t.Error(err)
		}
	}
}
