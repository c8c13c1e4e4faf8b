package emit

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// identifiers lists what each part of a document is called.
func identifiers(api *ir.API) string {
	table := names.New(api)
	var lines []string
	add := func(name, format string, args ...any) {
		lines = append(lines, fmt.Sprintf(format, args...)+" = "+name)
	}
	for _, t := range api.Types {
		id := strings.TrimPrefix(t.ID, "#/components/schemas/")
		add(table.Type(t), "type %q", id)
		for _, f := range t.Fields {
			add(table.Field(t, f), "field %q of %q", f.Name, id)
		}
		for _, v := range t.Enum {
			add(table.Const(t, v), "const %s of %q", jsonText(v.Value), id)
		}
	}
	for _, op := range api.Operations {
		o := table.Op(op)
		add(fmt.Sprintf("%s, %s, %s, %s", o.Method, o.Request, o.Response, o.Result), "operation %q", op.Key)
		for _, p := range op.Params {
			add(table.Param(op, p), "%s parameter %q of %q", p.In, p.Name, op.Key)
		}
		for _, r := range op.Responses {
			add(table.Response(op, r), "response %s of %q", r.Status, op.Key)
			for _, h := range r.Headers {
				add(table.Header(r, h), "header %q of %s of %q", h.Name, r.Status, op.Key)
			}
			if r.Component != "" {
				add(table.Shared(r), "response component %q", r.Component)
			}
		}
	}
	for _, s := range api.Schemes {
		add(table.Scheme(s), "scheme %q", s.Name)
	}
	for _, s := range []string{"Client", "Service", "API", "New", "NewHandler", "Unimplemented"} {
		add(table.Support(s), "our %s", s)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// TestWorstNames holds the names of a document that was made of bad ones, and that
// what they stand for compiles.
func TestWorstNames(t *testing.T) {
	api := lowered(t, "../../../testdata/names/worst.yaml")
	want, err := os.ReadFile("../../../testdata/names/worst.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(identifiers(api), "\n")); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	m := newModule(t)
	m.emit(api, "worst")
	m.run("vet", "./...")
}
