package resilience

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// frozen is what documents of one version may rely on.
type frozen struct {
	// Fields are the fields of objects by path.
	Fields map[string]frozenField `yaml:"fields"`
	// Required are the fields that an object cannot be without.
	Required map[string][]string `yaml:"required"`
	// Defaults and Presets are the values that stand for what nobody writes.
	Defaults map[string]string `yaml:"defaults"`
	Presets  map[string]string `yaml:"presets"`
}

// frozenField is what a field takes.
type frozenField struct {
	Takes string   `yaml:"takes,omitempty"`
	Words []string `yaml:"words,flow,omitempty"`
	Low   *float64 `yaml:"low,omitempty"`
	High  *float64 `yaml:"high,omitempty"`
}

// A document of a version means the same for ever: fields, words, presets are only
// added, ranges only grow, and what stands for things that nobody writes is the same.
// HOLDFAST_RECORD=1 notes what is new, and changes nothing that was noted.
func TestVersionOnlyGrows(t *testing.T) {
	path := filepath.Join(extensions, "reference", fmt.Sprintf("version%d.yaml", specext.Version))
	data, err := os.ReadFile(path)
	record := os.Getenv("HOLDFAST_RECORD") != ""
	if err != nil && !record {
		t.Fatal(err)
	}
	var old frozen
	if err := yaml.Unmarshal(data, &old); err != nil {
		t.Fatal(err)
	}
	now := present(readGlossary(t))
	for _, fault := range old.broken(now) {
		t.Errorf("%s, and documents of version %d rely on it", fault, specext.Version)
	}
	grown := old.grown(now)
	if !record {
		if len(grown) > 0 {
			t.Errorf("new in version %d, noted by HOLDFAST_RECORD=1 go test ./gen/internal/resilience -run TestVersionOnlyGrows: %v", specext.Version, grown)
		}
		return
	}
	if t.Failed() || len(grown) == 0 {
		return
	}
	out, err := yaml.Marshal(now)
	if err != nil {
		t.Fatal(err)
	}
	head := "# What documents of this version rely on; TestVersionOnlyGrows adds to it.\n"
	if err := os.WriteFile(path, append([]byte(head), out...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// present is the language as it is.
func present(g *glossary) frozen {
	f := frozen{Fields: map[string]frozenField{}, Required: map[string][]string{}, Defaults: map[string]string{}, Presets: map[string]string{}}
	for _, p := range primitives {
		f.object(g, p.name, p.object)
	}
	for o, name := range objectNames {
		f.object(g, name, o)
	}
	f.object(g, "rung", rungObject)
	f.object(g, "limit", bucketObject)
	f.object(g, "criterion", criterionObject)
	for name, s := range common {
		if _, own := s.(waivers); !own {
			f.Fields["policy."+name] = f.field(g, s)
		}
	}
	for _, name := range rootKeys {
		f.Fields["root."+name] = frozenField{Takes: "its own"}
	}
	for part, fields := range g.set.Fields {
		for name, v := range fields {
			f.Defaults[part+"."+name] = plainValue(v)
		}
	}
	for primitive, presets := range ownLanguage().presets {
		for name, p := range presets.byName {
			f.Presets[primitive+"."+name] = flowText(p.node)
		}
		f.Defaults[primitive] = presets.start
	}
	f.Defaults["policy"] = plainValue(g.set.Default)
	return f
}

func (f frozen) object(g *glossary, path string, o *object) {
	if len(o.needs) > 0 {
		f.Required[path] = o.needs
	}
	for _, x := range o.fields {
		at := path + "." + x.name
		if inner := innerObject(built(x.shape)); inner != nil && objectNames[inner] == "" && !isNamed(inner) {
			f.object(g, at, inner)
		}
		f.Fields[at] = f.field(g, x.shape)
	}
}

// built is a shape without the mark that this version does not act on it.
func built(s shape) shape {
	if p, ok := s.(pending); ok {
		return p.of
	}
	return s
}

func (f frozen) field(g *glossary, s shape) frozenField {
	switch s := built(s).(type) {
	case choice:
		words := append(slices.Clone(s.words), s.soon...)
		slices.Sort(words)
		return frozenField{Words: words}
	case integer:
		low, high := float64(s.low), float64(s.high)
		return frozenField{Low: &low, High: &high}
	case decimal:
		return frozenField{Low: &s.low, High: &s.high}
	}
	return frozenField{Takes: referencer{g}.takes(built(s))}
}

// broken are the things that were there and are not what they were.
func (f frozen) broken(now frozen) []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(f.Fields)) {
		was := f.Fields[path]
		is, ok := now.Fields[path]
		switch {
		case !ok:
			out = append(out, path+" is gone")
		case was.Takes != is.Takes:
			out = append(out, fmt.Sprintf("%s took %q and takes %q (where that is no less, write it into the record)", path, was.Takes, is.Takes))
		case was.Low != nil && (is.Low == nil || *is.Low > *was.Low || *is.High < *was.High):
			out = append(out, path+" has a smaller range")
		}
		for _, w := range was.Words {
			if !slices.Contains(is.Words, w) {
				out = append(out, path+" does not take "+w)
			}
		}
	}
	for path, needs := range now.Required {
		for _, n := range needs {
			if _, old := f.Fields[path+"."+n]; old && !slices.Contains(f.Required[path], n) {
				out = append(out, path+" needs "+n)
			}
		}
	}
	for what, maps := range map[string][2]map[string]string{"default": {f.Defaults, now.Defaults}, "preset": {f.Presets, now.Presets}} {
		for path, was := range maps[0] {
			if is, ok := maps[1][path]; !ok || is != was {
				out = append(out, fmt.Sprintf("the %s %s was %s and is %s", what, path, was, is))
			}
		}
	}
	slices.Sort(out)
	return out
}

// grown are the things that were not there.
func (f frozen) grown(now frozen) []string {
	var out []string
	for path, is := range now.Fields {
		was, ok := f.Fields[path]
		if !ok || len(was.Words) != len(is.Words) || was.Low != nil && is.Low != nil && (*was.Low != *is.Low || *was.High != *is.High) {
			out = append(out, path)
		}
	}
	for _, maps := range [][2]map[string]string{{f.Defaults, now.Defaults}, {f.Presets, now.Presets}} {
		for path := range maps[1] {
			if _, ok := maps[0][path]; !ok {
				out = append(out, path)
			}
		}
	}
	slices.Sort(out)
	return out
}

// What the rule refuses, and what it lets pass.
func TestVersionRule(t *testing.T) {
	number := func(low, high float64) frozenField { return frozenField{Low: &low, High: &high} }
	was := frozen{
		Fields:   map[string]frozenField{"a.n": number(1, 10), "a.w": {Words: []string{"x", "y"}}, "a.t": {Takes: "size"}},
		Defaults: map[string]string{"a.n": "2"}, Presets: map[string]string{"a.fast": "{n: 1}"},
	}
	change := func(edit func(f *frozen)) frozen {
		f := frozen{
			Fields: maps.Clone(was.Fields), Required: map[string][]string{}, Defaults: maps.Clone(was.Defaults), Presets: maps.Clone(was.Presets),
		}
		edit(&f)
		return f
	}
	for name, x := range map[string]struct {
		edit func(f *frozen)
		ok   bool
	}{
		"nothing":              {func(*frozen) {}, true},
		"a new field":          {func(f *frozen) { f.Fields["a.new"] = frozenField{Takes: "size"} }, true},
		"a new word":           {func(f *frozen) { f.Fields["a.w"] = frozenField{Words: []string{"x", "y", "z"}} }, true},
		"a wider range":        {func(f *frozen) { f.Fields["a.n"] = number(0, 20) }, true},
		"a new preset":         {func(f *frozen) { f.Presets["a.slow"] = "{n: 9}" }, true},
		"a new needed field":   {func(f *frozen) { f.Required["b"] = []string{"new"} }, true},
		"a field less":         {func(f *frozen) { delete(f.Fields, "a.t") }, false},
		"a word less":          {func(f *frozen) { f.Fields["a.w"] = frozenField{Words: []string{"x"}} }, false},
		"a smaller range":      {func(f *frozen) { f.Fields["a.n"] = number(1, 9) }, false},
		"another type":         {func(f *frozen) { f.Fields["a.t"] = frozenField{Takes: "duration"} }, false},
		"an old field needed":  {func(f *frozen) { f.Required["a"] = []string{"t"} }, false},
		"another default":      {func(f *frozen) { f.Defaults["a.n"] = "3" }, false},
		"another preset":       {func(f *frozen) { f.Presets["a.fast"] = "{n: 2}" }, false},
		"a preset that is not": {func(f *frozen) { delete(f.Presets, "a.fast") }, false},
	} {
		if faults := was.broken(change(x.edit)); (len(faults) == 0) != x.ok {
			t.Errorf("%s: %v", name, faults)
		}
	}
}
