package resilience

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// ofDocument are the codes of faults that a schema cannot see: they take what
// stands elsewhere in the document, or a grammar: that of conditions.
var ofDocument = []string{"resilience-circle", "resilience-side", "resilience-condition"}

// verdict is what the reader of annotations says about a text by itself, as a level or
// as the root object: the first fault, or nothing.
func verdict(t rapid.TB, text []byte, root bool) string {
	var list diag.List
	file := load.Parse("spec.json", []byte(`{"x-resilience": `+string(text)+`}`), &list)
	if file == nil || list.HasErrors() {
		t.Fatalf("not read: %s\n%v", text, list.Sorted())
	}
	r := newReader(&load.Document{Root: file}, &list)
	r.pending = true
	n := file.Root.Get(key)
	if root {
		r.root([]*load.Node{n}, "A")
		for _, f := range r.flows {
			switch f.Key {
			case "sagas":
				mapping{entryName, sagaObject}.check(&r.checker, f.Value, f.Key)
			case "aggregates":
				mapping{entryName, aggregateObject}.check(&r.checker, f.Value, f.Key)
			case "edge":
				if on, is := f.Value.Bool(); (!is || on) && !f.Value.Is(load.Null) {
					edgeObject.check(&r.checker, f.Value, f.Key)
				}
			}
		}
	} else {
		r.policies["careful"], r.policyNames = nil, []string{"careful"}
		r.level(n, key)
	}
	for _, d := range list.Sorted() {
		if d.Severity == diag.Error && !elsewhere(file, d) {
			return d.Code + ": " + d.Message
		}
	}
	return ""
}

// elsewhere reports whether a fault is one that only the document can tell. A name
// that none can have is wrong in any document.
func elsewhere(file *load.File, d diag.Diagnostic) bool {
	if d.Code == "resilience-unknown-preset" || d.Code == "resilience-unknown-policy" {
		return fitsName(file.Root.At(d.Pointer).Text)
	}
	return slices.Contains(ofDocument, d.Code)
}

// bothSchemas are that of a level and that of the root.
func bothSchemas(tb testing.TB) (level, root *jsonschema.Schema) {
	tb.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(specext.Schema()))
	if err != nil {
		tb.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	const id = schemaID + "x-resilience.schema.json"
	if err := c.AddResource(id, doc); err != nil {
		tb.Fatal(err)
	}
	return c.MustCompile(id + "#/$defs/level"), c.MustCompile(id)
}

// agree compares the two verdicts about a text, and returns them.
func agree(t rapid.TB, text []byte, s *jsonschema.Schema, root bool) (fault string, valid bool) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	refused := s.Validate(v)
	fault = verdict(t, text, root)
	switch {
	case fault == "" && refused != nil:
		t.Fatalf("only the schema refuses %s:\n%v", text, refused)
	case fault != "" && refused == nil:
		t.Fatalf("the schema accepts %s:\n%s", text, fault)
	}
	return fault, refused == nil
}

// What the grammar makes is accepted by both, and after a change the generator and
// editors are of one mind.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	level, root := bothSchemas(t)
	for name, s := range map[string]*jsonschema.Schema{"level": level, "root": root} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := newDrawer(t)
				value := d.level(false)
				if s == root {
					value = d.root()
				}
				tree := encoded(t, value)
				if fault, _ := agree(t, tree, s, s == root); fault != "" {
					t.Fatalf("the grammar makes what is refused: %s\n%s", tree, fault)
				}
				for range 1 + d.r.IntN(2) {
					value = d.changed(value)
				}
				agree(t, encoded(t, value), s, s == root)
			})
		})
	}
}

func encoded(t *rapid.T, v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// oddValues are what is wrong in most places, and right in some.
var oddValues = []any{
	nil, true, false, 0, 1, -1, 2.5, 0.5, 7, 11, 101, 409, 412, 600, 1001, 1_000_001, 1_000_000_001, json.Number("3.0"), json.Number("1e1"),
	"", " ", "a", "*", "**", "A b", "-a", "a/b", "ä", "x-y", "none", "off", "shadow", "full", "ful", "free", "mine", "careful", "5", "0s", "0h0.0m", "5s", "5 s", "-5s", "+5s", "1h1d",
	"1d0", "1dd", "d", ".d", "1..5s", "1e3s", "5m5", "0B", "0.5B", "0.5KB", "1GB", "1 MiB", "MiB", "429", "099", "600", "6xx", "5xX", "5x",
	"$", "$request", "$request.", "$request.path.", "$request.body/a", "$request.body#a", "$request.body#/a~", "$response.body#/a", "$response.header.", "$statusCode",
	"$inputs.", "$inputs.a", "$inputs.a b", "$inputs.a#b", "$steps.a.outputs.b", "$steps.a b.outputs.c", "{$ip}", "{$ip", "$ip}", "{ip}", "{}", "{$response.body#/a}", "{$request.path.}",
	"/", "/a~2", "a/", "p0", "p49", "p50", "p95", "p100", "p990", "p991", "p1000", "p05", "https://a", "ftp://a", "https://", "https://u@a", "https://a?b", "https://a/#c",
	"DE", "de", "next", "10.0.0.0/8", "10.0.0", "timeout", "5xx", "$operation",
	[]any{}, []any{"a"}, []any{"*"}, []any{7}, []any{nil}, []any{"$ip"}, map[string]any{}, map[string]any{"a": 1}, map[string]any{"func": "f"}, map[string]any{"mode": "off"},
	map[string]any{"enabled": false}, map[string]any{"server": "a", "queue": "b"}, map[string]any{"with": map[string]any{"$ip": 1}, "operation": "a"},
}

// oddKeys are keys that stand nowhere, or elsewhere.
var oddKeys = []string{"", "attemptz", "Description", "x-a", "x", "use", "version", "variants", "with", "queue", "limit", "plan", "buckets", "tier", "preset", "mode", "enabled", "when", "client", "shed", "retry", "lock", "a b", "$ip", "p999", "key", "failureRate", "count"}

// changed is a value with one change somewhere in it: each place is as likely.
func (d drawer) changed(v any) any {
	at := d.r.IntN(places(v))
	return d.changedAt(v, &at)
}

// places is how many values there are in one.
func places(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, m := range v {
			n += places(m)
		}
	case []any:
		for _, m := range v {
			n += places(m)
		}
	}
	return n
}

// changedAt changes the value that as many others stand before.
func (d drawer) changedAt(v any, before *int) any {
	*before--
	if *before == -1 {
		return d.other(v)
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out[k] = d.changedAt(v[k], before)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = d.changedAt(v[i], before)
		}
		return out
	}
	return v
}

// other is a value in the place of one: of its kind as a rule.
func (d drawer) other(v any) any {
	if m, ok := v.(map[string]any); ok && !d.chance(6) {
		return d.otherKeys(m)
	}
	if !d.chance(3) {
		if like := slices.DeleteFunc(slices.Clone(oddValues), func(o any) bool { return kindOf(o) != kindOf(v) }); len(like) > 0 {
			return pick(d, like...)
		}
	}
	return pick(d, oddValues...)
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case int, int64, float64, json.Number:
		return "number"
	}
	return ""
}

// otherKeys is an object with one key more, less, or misspelt.
func (d drawer) otherKeys(v map[string]any) map[string]any {
	out := maps.Clone(v)
	keys := slices.Sorted(maps.Keys(v))
	if len(keys) == 0 || d.chance(3) {
		out[d.anyKey()] = pick(d, oddValues...)
		return out
	}
	k := pick(d, keys...)
	switch d.r.IntN(3) {
	case 0:
		delete(out, k)
	case 1: // misspelt
		delete(out, k)
		out[k+"s"] = v[k]
	default: // beside another field of the grammar
		f := pick(d, pick(d, primitives...).object.fields...)
		out[f.name] = d.shape(f.shape)
	}
	return out
}

func (d drawer) anyKey() string {
	if d.chance(3) {
		return pick(d, pick(d, primitives...).object.names()...)
	}
	return pick(d, oddKeys...)
}

// Counterexamples that were found.
func TestSchemaAgreesOn(t *testing.T) {
	level, root := bothSchemas(t)
	for _, x := range []struct {
		text string
		root bool
		ok   bool
	}{
		{`{"timeout": "1d0"}`, false, false},
		{`{"bulkhead": {"tier": "critical", "preset": "standard"}}`, false, false},
		{`""`, false, false},
		{`{"poll": {"parameters": [{"name": "id", "value": "{$ip"}]}}`, false, false},
		{`{"poll": {"parameters": [{"name": "id", "value": "{{$ip}"}]}}`, false, true},
		{`{"rateLimit": {"buckets": {"a": {"tier": "free", "plan": false}}}}`, false, true},
		{`{"retry": {"rules": {"a": {"header": {"x-limit": false}}}}}`, false, true},
		{`{"shed": {"mode": false, "enabled": true}}`, false, true},
		{`{"shed": {"mode": "enforce", "enabled": false}}`, false, false},
		{`{"variants": {"v": {"variants": false}}}`, false, false},
		{`{"fallback": []}`, false, false},
		{`{"timeout": "-5s"}`, false, false},
		{`{"version": 1, "edge": {"mode": "off"}}`, true, false},
		{`{"version": 1, "edge": null}`, true, true},
		{`{"version": 1.0, "profiles": {"dev": false}}`, true, false},
		{`{"version": 1.0, "servers": {"x-eu": {"url": "https://user@a.example"}}}`, true, true},
		{`{"version": 1, "servers": {"eu": {"url": "https://user@a.example"}}}`, true, false},
		{`{"version": 1, "apply": [{"to": {"x-a": 1}, "policy": false}]}`, true, false},
		{`{"version": 1, "profiles": {"v1.2": {"all": {"shed": {}}, "operations": {"get": {"shed": false}}}}}`, true, true},
		{`{"version": 1, "profiles": {"v1.2": {"operations": {"get": {"shed": {}}}}}}`, true, false},
		{`{"version": 2}`, true, false},
	} {
		s := level
		if x.root {
			s = root
		}
		if _, ok := agree(t, []byte(x.text), s, x.root); ok != x.ok {
			t.Errorf("%s: %t, want %t", x.text, ok, x.ok)
		}
	}
}
