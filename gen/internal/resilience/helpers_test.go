package resilience_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// applied is a document with its policies and what was reported.
type applied struct {
	t    testing.TB
	api  *ir.API
	list []diag.Diagnostic
}

// applyFile reads, lowers and annotates the document at path.
func applyFile(tb testing.TB, path string, options ...resilience.Option) applied {
	tb.Helper()
	var list diag.List
	doc := load.Load(context.Background(), load.Options{Path: path}, &list)
	if doc == nil {
		tb.Fatalf("not loaded: %v", list.Sorted())
	}
	got := lower.Lower(doc, lower.Options{}, &list)
	resilience.Apply(doc, got.API, nodes(got), &list, options...)
	return applied{t: tb, api: got.API, list: list.Sorted()}
}

func nodes(got *lower.Result) resilience.Nodes {
	return func(op *ir.Operation) ([]*load.Node, *load.Node) {
		s := got.Sources[op]
		return s.PathItems, s.Operation
	}
}

// head is what a test's text is put under.
const head = "openapi: 3.1.0\ninfo: {title: Train Travel, version: '1'}\n"

// applyText is applyFile for a text; without the field openapi it gets the head.
func applyText(tb testing.TB, text string, options ...resilience.Option) applied {
	tb.Helper()
	if !strings.Contains(text, "openapi") {
		text = head + text
	}
	path := filepath.Join(tb.TempDir(), "spec.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return applyFile(tb, path, options...)
}

// op is the operation called id.
func (a applied) op(id string) *ir.Operation {
	a.t.Helper()
	var all []*ir.Operation
	for _, op := range append(append(all, a.api.Operations...), a.api.Webhooks...) {
		all = append(all, op)
		for _, c := range op.Callbacks {
			all = append(all, c.Operation)
		}
	}
	for _, op := range all {
		if op.ID == id {
			return op
		}
	}
	a.t.Fatalf("no operation %q", id)
	return nil
}

// clean fails when anything is reported.
func (a applied) clean() applied {
	a.t.Helper()
	if len(a.list) > 0 {
		a.t.Fatalf("reported:\n%s", a.text())
	}
	return a
}

// text is the report as a user sees it, without the folder.
func (a applied) text() string {
	a.t.Helper()
	var b bytes.Buffer
	list := make([]diag.Diagnostic, len(a.list))
	for i, d := range a.list {
		d.Pos.File = filepath.Base(d.Pos.File)
		related := make([]diag.Related, len(d.Related))
		for j, r := range d.Related {
			r.Pos.File = filepath.Base(r.Pos.File)
			related[j] = r
		}
		d.Related = related
		list[i] = d
	}
	if err := diag.WriteText(&b, list, diag.Options{}); err != nil {
		a.t.Fatal(err)
	}
	return b.String()
}
