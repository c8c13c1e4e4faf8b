package lower

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// casesDir holds small valid documents whose headers say what must come of them.
const casesDir = "../../../testdata/cases"

// lowered is a lowered document with what was reported.
type lowered struct {
	*Result
	t    *testing.T
	list []diag.Diagnostic
}

// lowerCase lowers a document of casesDir, which must be free of faults.
func lowerCase(t *testing.T, name string, opt Options) lowered {
	t.Helper()
	got := lowerPath(t, filepath.Join(casesDir, name+".yaml"), opt)
	got.noErrors()
	return got
}

// lowerText lowers a document given as text. A text without the field openapi gets
// the head of a 3.1 document.
func lowerText(t *testing.T, text string, opt Options) lowered {
	t.Helper()
	if !strings.Contains(text, "openapi:") {
		text = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n" + text
	}
	path := filepath.Join(t.TempDir(), "spec.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return lowerPath(t, path, opt)
}

func lowerPath(t *testing.T, path string, opt Options) lowered {
	t.Helper()
	var list diag.List
	doc := load.Load(context.Background(), load.Options{Path: path}, &list)
	if doc == nil {
		t.Fatalf("not loaded: %v", list.Sorted())
	}
	got := lowered{Result: Lower(doc, opt, &list), t: t}
	got.list = list.Sorted()
	return got
}

func (g lowered) noErrors() {
	g.t.Helper()
	for _, d := range g.list {
		if d.Severity == diag.Error {
			g.t.Errorf("%s: %s", d.Pos, d.Message)
		}
	}
}

// silent fails when anything at all is reported.
func (g lowered) silent() {
	g.t.Helper()
	for _, d := range g.list {
		g.t.Errorf("%s: %s: %s", d.Pos, d.Severity, d.Message)
	}
}

// says fails unless a report of that severity contains all words.
func (g lowered) says(severity diag.Severity, words ...string) diag.Diagnostic {
	g.t.Helper()
next:
	for _, d := range g.list {
		all := []string{d.Message, d.Hint}
		for _, r := range d.Related {
			all = append(all, r.Message)
		}
		text := strings.Join(all, " ")
		for _, word := range words {
			if !strings.Contains(text, word) {
				continue next
			}
		}
		if d.Severity == severity {
			return d
		}
	}
	var all []string
	for _, d := range g.list {
		all = append(all, fmt.Sprintf("%s: %s: %s", d.Pos, d.Severity, d.Message))
	}
	g.t.Errorf("no %s says %q; there is:\n%s", severity, words, strings.Join(all, "\n"))
	return diag.Diagnostic{}
}

// op returns the operation whose Key is key.
func (g lowered) op(key string) *ir.Operation {
	g.t.Helper()
	for _, op := range g.API.Operations {
		if op.Key == key {
			return op
		}
	}
	g.t.Fatalf("no operation %q", key)
	return nil
}

func (g lowered) param(op, in, name string) *ir.Param {
	g.t.Helper()
	for _, p := range g.op(op).Params {
		if p.In == in && p.Name == name {
			return p
		}
	}
	g.t.Fatalf("%s has no parameter %s in %s", op, name, in)
	return nil
}

func (g lowered) response(op, status string) *ir.Response {
	g.t.Helper()
	for _, r := range g.op(op).Responses {
		if r.Status == status {
			return r
		}
	}
	g.t.Fatalf("%s has no response %s", op, status)
	return nil
}

// parts writes a path template as text: literals as they are, parameters in braces.
func parts(op *ir.Operation) string {
	var b strings.Builder
	for _, p := range op.Parts {
		if p.Param != "" {
			b.WriteString("{" + p.Param + "}")
			continue
		}
		b.WriteString("[" + p.Literal + "]")
	}
	return b.String()
}

func keys(ops []*ir.Operation) []string {
	out := make([]string, len(ops))
	for i, op := range ops {
		out[i] = op.Key
	}
	return out
}
