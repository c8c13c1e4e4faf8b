package diag

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// schemaChecker checks values against the keywords that the schema of testdata uses.
type schemaChecker struct {
	defs   map[string]any
	faults []string
}

func (c *schemaChecker) faultf(at, format string, args ...any) {
	c.faults = append(c.faults, at+": "+fmt.Sprintf(format, args...))
}

func (c *schemaChecker) check(at string, schema map[string]any, v any) {
	for k, want := range schema {
		switch k {
		case "$ref":
			c.check(at, c.defs[want.(string)].(map[string]any), v)
		case "enum":
			if !slices.Contains(want.([]any), v) {
				c.faultf(at, "%v is none of %v", v, want)
			}
		case "type":
			if got := typeOf(v); got != want && !(want == "integer" && got == "number" && v.(float64) == math.Trunc(v.(float64))) {
				c.faultf(at, "is %s, want %v", got, want)
			}
		case "minimum":
			if v.(float64) < want.(float64) {
				c.faultf(at, "%v is under %v", v, want)
			}
		case "pattern", "minLength", "maxLength":
			c.text(at, k, want, v.(string))
		case "required":
			for _, name := range want.([]any) {
				if _, ok := v.(map[string]any)[name.(string)]; !ok {
					c.faultf(at, "%v is missing", name)
				}
			}
		case "properties":
			c.members(at, schema, v.(map[string]any))
		case "items", "minItems", "maxItems":
			c.list(at, k, want, v.([]any))
		case "additionalProperties", "$defs", "$comment":
		default:
			c.faultf(at, "the test knows no keyword %s", k)
		}
	}
}

func typeOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case float64:
		return "number"
	}
	return "other"
}

func (c *schemaChecker) text(at, keyword string, want any, s string) {
	n := float64(utf8.RuneCountInString(s))
	switch {
	case keyword == "pattern" && !regexp.MustCompile(want.(string)).MatchString(s),
		keyword == "minLength" && n < want.(float64), keyword == "maxLength" && n > want.(float64):
		c.faultf(at, "%q breaks %s %v", s, keyword, want)
	}
}

func (c *schemaChecker) members(at string, schema, v map[string]any) {
	known := schema["properties"].(map[string]any)
	for name, m := range v {
		if s, ok := known[name]; ok {
			c.check(at+"/"+name, s.(map[string]any), m)
		} else if schema["additionalProperties"] == false {
			c.faultf(at, "%s is not known", name)
		}
	}
}

func (c *schemaChecker) list(at, keyword string, want any, v []any) {
	switch keyword {
	case "items":
		for i, item := range v {
			c.check(fmt.Sprintf("%s/%d", at, i), want.(map[string]any), item)
		}
	case "minItems":
		if float64(len(v)) < want.(float64) {
			c.faultf(at, "%d elements", len(v))
		}
	case "maxItems":
		if float64(len(v)) > want.(float64) {
			c.faultf(at, "%d elements", len(v))
		}
	}
}

// sarifOf writes findings and checks the log; it returns its one run.
func sarifOf(t *testing.T, fs []Finding, opt SARIFOptions) map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/sarif.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema, log map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteSARIF(&b, fs, opt); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b.String()), &log); err != nil {
		t.Fatal(err)
	}
	c := &schemaChecker{defs: schema["$defs"].(map[string]any)}
	c.check("", schema, log)
	for _, f := range c.faults {
		t.Error(f)
	}
	if t.Failed() {
		t.Fatal(b.String())
	}
	return log["runs"].([]any)[0].(map[string]any)
}

// at walks down a decoded value by names and indices.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

func TestSARIF(t *testing.T) {
	fs := []Finding{
		finding("critical", "known", Pos{"/src/api dir/a.yaml", 4, 7}, "what"),
		finding("major", "known", Pos{"/src/b.yaml", 2, 1}, "more"),
		finding("info", "unknown", Pos{File: "/elsewhere/c.yaml"}, "odd"),
		finding("minor", "known", Pos{"https://example.com/a b.yaml", 1, 1}, "far"),
	}
	fs[1].Related = []Related{{Pos{"/src/b.yaml", 9, 3}, "there"}}
	run := sarifOf(t, fs, SARIFOptions{
		Dir: "/src", Tool: "holdfast", Version: "v1.2.3", URL: "https://example.com",
		Rules: []SARIFRule{{ID: "known", Tier: "major", Short: "s", Full: "f", Help: "h"}},
	})
	for _, c := range []struct {
		want any
		path []any
	}{
		{"error", []any{"results", 0, "level"}},
		{"warning", []any{"results", 1, "level"}},
		{"note", []any{"results", 2, "level"}},
		{"note", []any{"results", 3, "level"}},
		{"known", []any{"results", 0, "ruleId"}},
		{0.0, []any{"results", 0, "ruleIndex"}},
		{1.0, []any{"results", 2, "ruleIndex"}},
		{"api%20dir/a.yaml", []any{"results", 0, "locations", 0, "physicalLocation", "artifactLocation", "uri"}},
		{"%SRCROOT%", []any{"results", 0, "locations", 0, "physicalLocation", "artifactLocation", "uriBaseId"}},
		{4.0, []any{"results", 0, "locations", 0, "physicalLocation", "region", "startLine"}},
		{7.0, []any{"results", 0, "locations", 0, "physicalLocation", "region", "startColumn"}},
		{"file:///elsewhere/c.yaml", []any{"results", 2, "locations", 0, "physicalLocation", "artifactLocation", "uri"}},
		{"https://example.com/a%20b.yaml", []any{"results", 3, "locations", 0, "physicalLocation", "artifactLocation", "uri"}},
		{1.0, []any{"results", 2, "locations", 0, "physicalLocation", "region", "startLine"}},
		{"there", []any{"results", 1, "relatedLocations", 0, "message", "text"}},
		{"/p", []any{"results", 0, "locations", 0, "logicalLocations", 0, "fullyQualifiedName"}},
		{"unknown", []any{"tool", "driver", "rules", 1, "id"}},
		{"unicodeCodePoints", []any{"columnKind"}},
		{"major", []any{"results", 1, "properties", "severity"}},
	} {
		if got := at(run, c.path...); got != c.want {
			t.Errorf("%v is %v, want %v", c.path, got, c.want)
		}
	}
}

func TestSARIFOfNothing(t *testing.T) {
	run := sarifOf(t, nil, SARIFOptions{Tool: "holdfast"})
	if results, ok := run["results"].([]any); !ok || len(results) != 0 {
		t.Errorf("results are %v, want an empty list", run["results"])
	}
}

// Names of files are URIs that stand for the same file, whatever is in them.
func TestSARIFFiles(t *testing.T) {
	for file, want := range map[string]string{
		"a:b.yaml": "./a:b.yaml", "dir/a:b.yaml": "dir/a:b.yaml", `dir\a.yaml`: "dir/a.yaml", "50%.yaml": "50%25.yaml",
		"ä.yaml": "%C3%A4.yaml", "a#b?c.yaml": "a%23b%3Fc.yaml", "": "-", "C:/x.yaml": "file:///C:/x.yaml", "../up.yaml": "../up.yaml",
	} {
		if got := sarifFile(file).URI; got != want {
			t.Errorf("%q is %q, want %q", file, got, want)
		}
	}
}
