package resilience

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// The schema is read as editors read it, and has the fields that are tested from their
// text to the policy: FieldPaths are those that the tables of fields have to have.
func TestSchemaHasTheFieldsThatAreTested(t *testing.T) {
	var whole map[string]any
	if err := json.Unmarshal(specext.Schema(), &whole); err != nil {
		t.Fatal(err)
	}
	defs, _ := whole["$defs"].(map[string]any)
	w := fieldWalker{defs: defs}
	for _, p := range primitives {
		def, _ := defs[p.name].(map[string]any)
		if def == nil {
			t.Errorf("the schema has no %s", p.name)
			continue
		}
		w.walk(p.name, def)
	}
	slices.Sort(w.found)
	if d := cmp.Diff(FieldPaths(), w.found); d != "" {
		t.Errorf("fields (-tested +schema):\n%s", d)
	}
}

// fieldWalker collects the fields of a schema.
type fieldWalker struct {
	defs  map[string]any
	found []string
}

// wholeValues are objects that are tested as the value of one field.
var wholeValues = []string{"function", "cost", "link", "flowValue"}

// walk adds the fields below a path, and reports whether there are any.
func (w *fieldWalker) walk(path string, s map[string]any) bool {
	if name, ok := strings.CutPrefix(text0(s["$ref"]), "#/$defs/"); ok {
		def, _ := w.defs[name].(map[string]any)
		return !slices.Contains(wholeValues, name) && w.walk(path, def)
	}
	some := false
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field, _ := properties[name].(map[string]any)
		top := !strings.Contains(path, ".")
		switch {
		case name == "description", name == "preset", name == "tier", top && name == "enabled":
			continue
		}
		some = true
		if at := path + "." + name; !w.walk(at, field) {
			w.found = append(w.found, at)
		}
	}
	for _, inner := range []string{"items", "additionalProperties"} {
		// A list in the place of a primitive is one of its fields.
		if of, ok := s[inner].(map[string]any); ok && (inner != "items" || strings.Contains(path, ".")) {
			some = w.walk(path, of) || some
		}
	}
	if of, ok := s["anyOf"].([]any); ok {
		for _, x := range of {
			if m, ok := x.(map[string]any); ok {
				some = w.walk(path, m) || some
			}
		}
	}
	return some
}

func text0(v any) string {
	s, _ := v.(string)
	return s
}
