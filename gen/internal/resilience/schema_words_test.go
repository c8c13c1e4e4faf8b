package resilience

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// extensions is where the files of the language are.
const extensions = "../../../spec-extensions"

// glossary says what each part of the language means.
type glossary struct {
	t     testing.TB
	parts map[string]*describedPart
	set   *specext.Set
	// used are the entries that something of the grammar has asked for.
	used map[string]bool
}

// describedPart is one object of the language.
type describedPart struct {
	About  string                    `yaml:"about"`
	Fields map[string]describedField `yaml:"fields"`
}

// describedField is one field: a sentence, or that with what else there is to say.
type describedField struct {
	About string `yaml:"about"`
	// Default is the default in words, where presets/fields.yaml does not have it.
	Default string `yaml:"default"`
	// Example is a value in YAML.
	Example string `yaml:"example"`
	// Deprecated says what to write instead, and is empty for what is not deprecated.
	Deprecated string `yaml:"deprecated"`
}

func (f *describedField) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&f.About)
	}
	type plain describedField
	return n.Decode((*plain)(f))
}

func readGlossary(tb testing.TB) *glossary {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(extensions, "reference", "fields.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	g := &glossary{t: tb, used: map[string]bool{}}
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	d.KnownFields(true)
	if err := d.Decode(&g.parts); err != nil {
		tb.Fatal(err)
	}
	if g.set, err = specext.Load(); err != nil {
		tb.Fatal(err)
	}
	return g
}

// about is what a part of the language is.
func (g *glossary) about(part string) string {
	g.used[part] = true
	p := g.parts[part]
	if p == nil || p.About == "" {
		g.t.Errorf("reference/fields.yaml says nothing about %s", part)
		return ""
	}
	return p.About
}

// field is what is said about a field of a part; those of an object within a part are
// named by a path: verify.scheme.
func (g *glossary) field(part, name string) describedField {
	if part == "rateLimit" && name != "buckets" {
		part = "limit" // of which a rate limit without buckets is one
	}
	g.used[part+"."+name] = true
	p := g.parts[part]
	if p == nil || p.Fields[name].About == "" {
		g.t.Errorf("reference/fields.yaml says nothing about the field %s of %s", name, part)
		return describedField{}
	}
	return p.Fields[name]
}

// unused are the entries that are about nothing in the grammar.
func (g *glossary) unused() []string {
	var out []string
	for part, p := range g.parts {
		for name := range p.Fields {
			if !g.used[part+"."+name] {
				out = append(out, part+"."+name)
			}
		}
		if !g.used[part] && p.About != "" {
			out = append(out, part)
		}
	}
	slices.Sort(out)
	return out
}

// fieldDefaults are where presets/fields.yaml has the defaults of a part that is no
// primitive.
var fieldDefaults = map[string][]string{
	"limit": {"rateLimit"}, "retryBudget": {"retry", "budget"}, "breakerWindow": {"breaker", "window"},
}

// value is the default of a field as presets/fields.yaml has it.
func (g *glossary) value(part, name string) (any, bool) {
	path := fieldDefaults[part]
	if path == nil {
		path = []string{part}
	}
	v := any(g.set.Fields[path[0]])
	for _, k := range append(slices.Clone(path[1:]), name) {
		switch m := v.(type) {
		case map[string]any:
			v = m[k]
		default:
			return nil, false
		}
	}
	return v, v != nil
}

// defaultOf is the default of a field in words; empty where it has none to name.
func (g *glossary) defaultOf(part, name string) string {
	if f := g.field(part, name); f.Default != "" {
		return f.Default
	}
	v, ok := g.value(part, name)
	if !ok {
		return ""
	}
	return plainValue(v)
}

// plainValue writes a value as the reference does.
func plainValue(v any) string {
	switch v := v.(type) {
	case []any:
		words := make([]string, len(v))
		for i, item := range v {
			words[i] = plainValue(item)
		}
		return strings.Join(words, ", ")
	case map[string]any:
		return strings.ReplaceAll(strings.TrimSpace(flow(v)), "\n", " ")
	}
	return fmt.Sprint(v)
}

// flow writes a value as YAML in flow style.
func flow(v any) string {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		panic(err)
	}
	n.Style = yaml.FlowStyle
	out, err := yaml.Marshal(&n)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// notBuilt are the words for what this version does not act on yet.
const notBuilt = "Not supported yet."

// pendingValue reports whether a value of a shape is one that this version does not
// act on yet, where the grammar has no marker to look at.
func pendingValue(s shape, text string) bool {
	var list diag.List
	file := load.Parse("value.yaml", []byte(text), &list)
	if file == nil {
		panic(text)
	}
	c := &checker{list: &list, bad: map[*load.Node]bool{}, presets: ownLanguage().presets}
	s.check(c, file.Root, "value")
	return hasCode(&list, "resilience-unsupported")
}

// pendingRoot reports whether this version does not act on a key of the root yet.
func pendingRoot(name string) bool {
	var list diag.List
	file := load.Parse("spec.yaml", []byte("x-resilience: {version: 1, "+name+": {}}\n"), &list)
	Apply(&load.Document{Root: file}, &ir.API{}, nil, &list)
	return hasCode(&list, "resilience-unsupported")
}

func hasCode(list *diag.List, code string) bool {
	return slices.ContainsFunc(list.Sorted(), func(d diag.Diagnostic) bool { return d.Code == code })
}
