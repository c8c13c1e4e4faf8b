package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// suiteFolder is the public JSON Schema test suite next to the project.
const suiteFolder = "../../../../shared/suites/json-schema/tests/draft2020-12"

type suiteGroup struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

// The evaluator alone gives the verdicts of the suite, where the schemas do not lead
// out of their file. The generator's test has the others.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(suiteFolder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		const missing = "the JSON Schema test suite is not here, nothing was checked"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Log(missing)
		return
	}
	elsewhere := map[string]string{
		"format.json":     "formats are checked, not annotations",
		"vocabulary.json": "$schema means nothing here",
	}
	checked, remote := 0, 0
	for _, file := range files {
		if elsewhere[filepath.Base(file)] != "" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []suiteGroup
		if err := json.Unmarshal(data, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			set, ok := compileForTest(t, g.Schema)
			if !ok {
				remote++
				continue
			}
			if err := set.Err(); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(file), g.Description, err)
				continue
			}
			for _, test := range g.Tests {
				checked++
				var text Text
				text.Start(string(test.Data))
				start := len(test.Data) - len(bytes.TrimLeft(test.Data, " \n"))
				found, end := text.Check(set.Rule("#"), start)
				if (len(found) == 0) != test.Valid || end != len(bytes.TrimRight(test.Data, " \n")) {
					t.Errorf("%s: %s: %s: want valid %v, found %+v", filepath.Base(file), g.Description, test.Description, test.Valid, found)
				}
			}
		}
	}
	t.Logf("%d tests, %d schemas lead to other documents", checked, remote)
	if checked < 1000 {
		t.Errorf("only %d tests", checked)
	}
}

// testCompiler turns a schema with $id, $anchor and $ref into a set: an entry for each
// schema that something refers to, named by the URI of its resource and its pointer.
type testCompiler struct {
	t       *testing.T
	byURI   map[string]any             // resources by URI, schemas by URI#pointer and URI#anchor
	dynamic map[string]map[string]bool // URI -> its dynamic anchors
	texts   map[string]string
	refs    map[string]string // an entry's name -> the URI that it came from
	queue   []string
	remote  bool
}

const testBase = "https://test.example/root"

func compileForTest(t *testing.T, schema json.RawMessage) (*Set, bool) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	c := &testCompiler{t: t, byURI: map[string]any{}, dynamic: map[string]map[string]bool{}, texts: map[string]string{}, refs: map[string]string{}}
	base := testBase
	if m, ok := v.(map[string]any); ok {
		base = resolveForTest(base, m["$id"])
	}
	c.index(v, base, "", true)
	c.write("#", v, base)
	for len(c.queue) > 0 && !c.remote {
		name := c.queue[0]
		c.queue = c.queue[1:]
		uri, _, _ := strings.Cut(name, "#")
		c.write(name, c.byURI[name], uri)
	}
	return NewSet(c.texts), !c.remote
}

func resolveForTest(base string, ref any) string {
	text, ok := ref.(string)
	if !ok {
		return base
	}
	b, err1 := url.Parse(base)
	r, err2 := url.Parse(text)
	if err1 != nil || err2 != nil {
		return base
	}
	return strings.TrimSuffix(b.ResolveReference(r).String(), "#")
}

var testSchemaKeys = map[string]int{ // 1: a schema, 2: a list, 3: a mapping
	"items": 1, "contains": 1, "not": 1, "if": 1, "then": 1, "else": 1, "propertyNames": 1, "additionalProperties": 1,
	"unevaluatedItems": 1, "unevaluatedProperties": 1, "prefixItems": 2, "allOf": 2, "anyOf": 2, "oneOf": 2,
	"properties": 3, "patternProperties": 3, "dependentSchemas": 3, "$defs": 3, "definitions": 3,
}

// eachForTest calls f with each schema right inside of one, and its pointer.
func eachForTest(m map[string]any, f func(v any, pointer string)) {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, key := range slices.Sorted(maps.Keys(m)) {
		switch v := m[key].(type) {
		case map[string]any:
			if testSchemaKeys[key] == 3 {
				for _, name := range slices.Sorted(maps.Keys(v)) {
					f(v[name], "/"+key+"/"+escape.Replace(name))
				}
			} else if testSchemaKeys[key] == 1 {
				f(v, "/"+key)
			}
		case []any:
			if testSchemaKeys[key] == 2 {
				for i := range v {
					f(v[i], "/"+key+"/"+decimal(i))
				}
			}
		case bool:
			if testSchemaKeys[key] == 1 {
				f(v, "/"+key)
			}
		}
	}
}

func (c *testCompiler) index(v any, base, pointer string, root bool) {
	m, ok := v.(map[string]any)
	if ok && !root {
		if _, has := m["$id"]; has {
			c.byURI[base+"#"+pointer] = v // also from the outer resource
			base, pointer = resolveForTest(base, m["$id"]), ""
		}
	}
	c.byURI[base+"#"+pointer] = v
	if pointer == "" {
		c.byURI[base] = v
	}
	if !ok {
		return
	}
	if name, ok := m["$anchor"].(string); ok {
		c.byURI[base+"#"+name] = v
	}
	if name, ok := m["$dynamicAnchor"].(string); ok {
		c.byURI[base+"#"+name] = v
		if c.dynamic[base] == nil {
			c.dynamic[base] = map[string]bool{}
		}
		c.dynamic[base][name] = true
	}
	eachForTest(m, func(v any, at string) {
		if inner, ok := v.(map[string]any); ok && inner["$id"] != nil {
			// Pointers of the outer resource lead through the inner one.
			c.alias(inner, base, pointer+at)
		}
		c.index(v, base, pointer+at, false)
	})
}

func (c *testCompiler) alias(m map[string]any, base, pointer string) {
	eachForTest(m, func(v any, at string) {
		c.byURI[base+"#"+pointer+at] = v
		c.refs[base+"#"+pointer+at] = resolveForTest(base, m["$id"]) + "#" + at
		if inner, ok := v.(map[string]any); ok {
			c.alias(inner, base, pointer+at)
		}
	})
}

// entry is the name of the entry for a reference.
func (c *testCompiler) entry(base, ref string) string {
	uri := resolveForTest(base, ref)
	doc, fragment, _ := strings.Cut(uri, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	name := doc + "#" + fragment
	if _, ok := c.byURI[name]; !ok {
		c.remote = true
		return name
	}
	if other := c.refs[name]; other != "" {
		name = other
	}
	if _, ok := c.byURI[name]; !ok {
		c.remote = true
	}
	if _, done := c.texts[name]; !done {
		c.texts[name] = "true"
		c.queue = append(c.queue, name)
	}
	return name
}

func (c *testCompiler) write(name string, v any, base string) {
	text, err := json.Marshal(c.convert(v, base, true))
	if err != nil {
		c.t.Fatal(err)
	}
	c.texts[name] = string(text)
}

// convert writes a schema in the form of a set.
func (c *testCompiler) convert(v any, base string, root bool) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if id, has := m["$id"]; has && !root {
		return map[string]any{"$ref": c.entry(base, id.(string))}
	}
	if id, has := m["$id"]; has {
		base = resolveForTest(base, id)
	}
	out := map[string]any{}
	if root && len(c.dynamic[base]) > 0 {
		scope := map[string]any{}
		for name := range c.dynamic[base] {
			scope[name] = c.entry(base, "#"+name)
		}
		out["$dynamicScope"] = scope
	}
	for key, v := range m {
		switch {
		case key == "$ref":
			out["$ref"] = c.entry(base, v.(string))
		case key == "$dynamicRef":
			c.convertDynamic(out, base, v.(string))
		case key == "$defs" || key == "definitions" || strings.HasPrefix(key, "$"):
		case testSchemaKeys[key] == 1:
			out[key] = c.convert(v, base, false)
		case testSchemaKeys[key] == 2:
			list := []any{}
			for _, item := range v.([]any) {
				list = append(list, c.convert(item, base, false))
			}
			out[key] = list
		case testSchemaKeys[key] == 3:
			inner := map[string]any{}
			for name, v := range v.(map[string]any) {
				inner[name] = c.convert(v, base, false)
			}
			out[key] = inner
		case (&compiler{}).knows(key):
			out[key] = v
		}
	}
	return out
}

func (c *testCompiler) convertDynamic(out map[string]any, base, ref string) {
	name := c.entry(base, ref)
	_, fragment, _ := strings.Cut(ref, "#")
	target, _ := c.byURI[name].(map[string]any)
	if target["$dynamicAnchor"] == fragment {
		out["$dynamicRef"] = []any{fragment, name}
		return
	}
	if out["$ref"] == nil {
		out["$ref"] = name
	}
}

// knows reports whether a keyword has no schemas inside and is one of a set's.
func (c *compiler) knows(key string) bool {
	return slices.Contains([]string{
		"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
		"minProperties", "maxProperties", "required", "dependentRequired",
	}, key)
}
