package language_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"
)

// node is what the audit reads of a schema. The schema true or false is the zero node.
type node struct {
	Description string          `json:"description"`
	Ref         string          `json:"$ref"`
	Properties  map[string]node `json:"properties"`
	Additional  *node           `json:"additionalProperties"`
	Items       *node           `json:"items"`
	AnyOf       []node          `json:"anyOf"`
	AllOf       []node          `json:"allOf"`
	Enum        []any           `json:"enum"`
	Const       any             `json:"const"`
	Type        kinds           `json:"type"`
	Not         *node           `json:"not"`
}

// kinds are the types that a schema admits, of which it may write one without a list.
type kinds []string

func (k *kinds) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		*k = kinds{""}
		return json.Unmarshal(text, &(*k)[0])
	}
	return json.Unmarshal(text, (*[]string)(k))
}

func (n *node) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return nil
	}
	type plain node
	return json.Unmarshal(text, (*plain)(n))
}

// pending says that a field is parsed and checked, and refused when something is generated.
func (n node) pending() bool { return strings.Contains(n.Description, "Not supported yet") }

// schema is the written schema of the language.
type schema struct {
	root node
	defs map[string]node
}

// grammar reads it once.
var grammar = sync.OnceValue(func() *schema {
	text, err := os.ReadFile(filepath.Join("..", "..", "spec-extensions", "x-resilience.schema.json"))
	if err != nil {
		panic(err)
	}
	s := &schema{}
	var defs struct {
		Defs map[string]node `json:"$defs"`
	}
	if err := json.Unmarshal(text, &s.root); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(text, &defs); err != nil {
		panic(err)
	}
	s.defs = defs.Defs
	return s
})

// def is a definition with its name. What stands at the root differs from what stands at an
// operation in shed alone, and a bucket is a rate limit among several: each has one name here.
func (s *schema) def(ref string) (name string, n node) {
	name = strings.TrimPrefix(ref, "#/$defs/")
	n = s.defs[name]
	switch name {
	case "rootLevel", "rootVariant", "rootClientSide", "rootServerSide":
		name = strings.ToLower(name[4:5]) + name[5:]
	case "shedOff":
		name = "shed"
	case "limit":
		name = "rateLimit"
	}
	return name, n
}

// object says that a definition has fields, or short forms, of its own.
func (n node) object() bool {
	return n.Properties != nil || slices.ContainsFunc(append(n.AnyOf, n.AllOf...), node.object)
}

// audit collects fields while the schema is walked.
type audit struct {
	*schema
	seen   map[string]bool // references that were entered
	listed map[string]bool
}

// fields are all fields, values and short forms, as "retry.jitter=full".
func (s *schema) fields() []string {
	a := audit{s, map[string]bool{}, map[string]bool{}}
	a.fieldsOf("root", s.root)
	all := make([]string, 0, len(a.listed))
	for field, is := range a.listed {
		if is {
			all = append(all, field)
		}
	}
	slices.Sort(all)
	return all
}

// enter lists the forms and the fields of a definition, once.
func (a *audit) enter(ref, name string, n node) {
	if a.seen[ref] {
		return
	}
	a.seen[ref] = true
	a.forms(name, n)
	a.fieldsOf(name, n)
}

// forms lists what a definition may be other than an object.
func (a *audit) forms(name string, n node) {
	for _, form := range n.Type {
		switch form {
		case "boolean":
			a.listed[name+"=true"] = n.Not == nil || n.Not.Const != true
			a.listed[name+"=false"] = true
		case "string":
			a.listed[name+"=text"] = true
		case "array":
			a.listed[name+"=list"] = true
		}
	}
}

// fieldsOf lists the fields of an object at a path.
func (a *audit) fieldsOf(path string, n node) {
	for name, p := range n.Properties {
		if name != "description" && !p.pending() { // a note for readers has no effect
			a.field(path+"."+name, p)
		}
	}
	for _, part := range append(n.AnyOf, n.AllOf...) {
		if part.Const == false {
			a.listed[path+"=false"] = true
		}
		a.fieldsOf(path, part)
	}
}

// field lists a field by what it may hold.
func (a *audit) field(path string, n node) {
	if n.Ref != "" {
		a.reference(path, n.Ref)
		return
	}
	alternatives := append(n.AnyOf, n.AllOf...)
	for _, part := range alternatives {
		a.field(path, part)
	}
	switch {
	case n.Properties != nil:
		a.listed[path] = true
		a.fieldsOf(path, n)
	case len(n.Enum) > 0:
		a.values(path, n.Enum)
	case n.Const != nil:
		a.values(path, []any{n.Const})
	case slices.Equal(n.Type, kinds{"boolean"}):
		a.values(path, []any{true, false})
	case len(alternatives) == 0 && n.Items == nil && n.Additional == nil:
		a.listed[path] = true
	}
	if n.Items != nil {
		a.listed[path] = true
		a.field(path, *n.Items)
	}
	if n.Additional != nil {
		a.listed[path] = true
		a.entries(path, *n.Additional)
	}
}

// entries lists what the entries of a map may be. That false takes one out is a rule of
// merging, which holds for all maps and is shown where levels are merged.
func (a *audit) entries(path string, n node) {
	for _, part := range n.AnyOf {
		if part.Const != false {
			a.field(path, part)
		}
	}
	if n.AnyOf == nil {
		a.field(path, n)
	}
}

// values lists the values of a field. To write a primitive says enabled: true, and YAML 1.1
// reads off as false.
func (a *audit) values(path string, values []any) {
	for _, v := range values {
		switch {
		case v == nil, v == true && strings.HasSuffix(path, ".enabled"), v == false && strings.HasSuffix(path, ".mode"):
		default:
			a.listed[fmt.Sprintf("%s=%v", path, v)] = true
		}
	}
}

// reference lists a field that has a definition: a level's primitives are shown by their own
// fields, while client and server name those that they may hold.
func (a *audit) reference(path, ref string) {
	name, n := a.def(ref)
	switch {
	case n.pending():
	case name == "waive", name == "conditions":
		a.listed[path] = true
	case n.object():
		if holder, _, _ := strings.Cut(path, "."); holder != "level" && holder != "variant" || !slices.Contains(n.Type, "null") {
			a.listed[path] = true
		}
		a.enter(ref, name, n)
	case len(n.Enum) > 0:
		a.values(path, n.Enum)
	default:
		a.listed[path] = true
	}
}

// writes are the fields that a document writes, as fields names them.
func (s *schema) writes(text []byte) map[string]bool {
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		panic(err)
	}
	found := map[string]bool{}
	if top, is := document.(map[string]any); is {
		s.note(found, "root", s.root, top["x-resilience"])
		delete(top, "x-resilience")
	}
	s.seek(found, document)
	return found
}

// seek finds the levels of a document.
func (s *schema) seek(found map[string]bool, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			s.seek(found, e)
		}
	case map[string]any:
		for name, e := range v {
			if name == "x-resilience" {
				s.note(found, "level", s.defs["level"], e)
			} else {
				s.seek(found, e)
			}
		}
	}
}

// note adds what a value writes that a schema is for.
func (s *schema) note(found map[string]bool, path string, n node, v any) {
	found[path] = true
	if n.Ref != "" {
		name, target := s.def(n.Ref)
		if target.object() {
			path = name
		}
		s.note(found, path, target, v)
		return
	}
	for _, part := range append(n.AnyOf, n.AllOf...) {
		s.note(found, path, part, v)
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if p, is := n.Properties[name]; is {
				s.note(found, path+"."+name, p, e)
			} else if n.Additional != nil {
				s.note(found, path, *n.Additional, e)
			}
		}
	case []any:
		found[path+"=list"] = true
		for _, e := range v {
			if n.Items != nil {
				s.note(found, path, *n.Items, e)
			}
		}
	case string:
		found[path+"=text"] = true
		found[path+"="+v] = true
	default:
		found[fmt.Sprintf("%s=%v", path, v)] = true
	}
}

// TestTheSchemaIsWalked shows that fields of nested objects, of lists and of maps are found,
// with their values and short forms, and that what is pending is not.
func TestTheSchemaIsWalked(t *testing.T) {
	all := grammar().fields()
	for _, want := range []string{
		"retry.jitter=full", "retryBudget.ratio", "retryRule.do=shrink", "rung.static.status",
		"rateLimit.algorithm=sliding-window", "fallback=list", "timeout=text", "breaker=false",
		"root.presets.breaker", "selector.paths", "profile.operations", "variant.when",
		"clientSide.timeout", "level.effect=read", "idempotency.mode=shadow",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not listed", want)
		}
	}
	for _, field := range all {
		if strings.HasPrefix(field, "saga") || strings.HasPrefix(field, "poll") {
			t.Errorf("%s is listed and is not supported yet", field)
		}
	}
}
