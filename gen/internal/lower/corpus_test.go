package lower

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// corpusDir holds published documents. It stands beside the project and is not
// part of it.
const corpusDir = "../../../../shared/corpus"

// corpus returns the root document of each entry, by name.
func corpus(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(corpusDir, "specs"))
	if err != nil {
		t.Logf("NOT TESTED: no published documents at %s", corpusDir)
		return nil
	}
	out := map[string]string{}
	for _, e := range entries {
		path := filepath.Join(corpusDir, "specs", e.Name())
		if !e.IsDir() {
			out[strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))] = path
			continue
		}
		entry, err := os.ReadFile(filepath.Join(path, "ENTRY"))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = filepath.Join(path, strings.TrimSpace(string(entry)))
	}
	return out
}

// dueOperations reads how many operations each document has under paths.
func dueOperations(t *testing.T) map[string]int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpusDir, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		cols := strings.Split(line, "\t")
		if i == 0 || len(cols) < 8 {
			continue
		}
		n, err := strconv.Atoi(cols[7])
		if err != nil {
			t.Fatalf("index.tsv line %d: %v", i+1, err)
		}
		out[cols[0]] = n
	}
	return out
}

func TestCorpusLowersWithoutErrors(t *testing.T) {
	docs := corpus(t)
	if docs == nil {
		return
	}
	due := dueOperations(t)
	for name, path := range docs {
		t.Run(name, func(t *testing.T) {
			var list diag.List
			doc := load.Load(context.Background(), load.Options{Path: path}, &list)
			if doc == nil {
				t.Fatalf("not loaded: %v", list.Sorted())
			}
			api := Lower(doc, Options{}, &list).API
			codes := map[string]int{}
			for _, d := range list.Sorted() {
				if d.Severity == diag.Error {
					t.Errorf("%s: %s (%s)", d.Pos, d.Message, d.Hint)
				}
				codes[d.Severity.String()+" "+d.Code]++
				if os.Getenv("HOLDFAST_SHOW") != "" {
					t.Logf("%s: %s: %s [%s] %s", d.Pos, d.Severity, d.Message, d.Code, d.Hint)
				}
			}
			t.Logf("%d operations, %d webhooks, %v", len(api.Operations), len(api.Webhooks), codes)
			if len(api.Operations) != due[name] {
				t.Errorf("%d operations, want %d", len(api.Operations), due[name])
			}
			checkOperations(t, api)
		})
	}
}

// checkOperations checks what every lowered operation must hold.
func checkOperations(t *testing.T, api *ir.API) {
	t.Helper()
	keys := map[string]bool{}
	for _, op := range api.Operations {
		if keys[op.Key] {
			t.Errorf("two operations have the key %q", op.Key)
		}
		keys[op.Key] = true
		declared := map[string]bool{}
		for _, p := range op.Params {
			if p.Use == nil || p.Use.Type == nil {
				t.Errorf("%s: parameter %s has no type", op.Key, p.Name)
			}
			if p.In == "path" {
				declared[p.Name] = true
			}
		}
		for _, part := range op.Parts {
			if part.Param != "" && !declared[part.Param] {
				t.Errorf("%s: {%s} of the path has no parameter", op.Key, part.Param)
			}
		}
	}
}
