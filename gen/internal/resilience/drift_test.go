package resilience

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// The grammar and the schema that editors use know the same fields.
func TestGrammarIsTheSchema(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(specext.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	// at follows keys and, where there is a list, takes its first element.
	at := func(path ...string) map[string]any {
		v := any(schema)
		for _, k := range path {
			if list, ok := v.([]any); ok && len(list) > 0 {
				v = list[0]
			}
			m, _ := v.(map[string]any)
			v = m[k]
		}
		m, _ := v.(map[string]any)
		return m
	}
	compare := func(what string, grammar []string, properties map[string]any, also ...string) {
		t.Helper()
		want := slices.Sorted(maps.Keys(properties))
		got := slices.Clone(append(slices.Clone(grammar), also...))
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-schema +grammar):\n%s", what, d)
		}
	}
	for _, p := range primitives {
		if at("$defs", p.name) == nil {
			t.Errorf("the schema has no %s", p.name)
			continue
		}
		also := []string{"description", "mode", "enabled"}
		if p.presets {
			also = append(also, "preset")
		}
		if p.tier {
			also = append(also, "tier")
		}
		compare(p.name, p.object.names(), at("$defs", p.name, "anyOf", "properties"), also...)
	}
	compare("policy", policyKeys(), at("$defs", "policy", "properties"), "description")
	compare("client", sideKeys(clientSide), at("$defs", "policy", "properties", "client", "properties"), "description")
	compare("server", sideKeys(serverSide), at("$defs", "policy", "properties", "server", "properties"), "description")
	compare("rule", ruleObject.names(), at("$defs", "retryRule", "properties"), "description")
	compare("hint", hintObject.names(), at("$defs", "retryHint", "properties"), "description")
	for what, x := range map[string]struct {
		object *object
		at     []string
	}{
		"limit":     {bucketObject, []string{"limit", "properties"}},
		"plan":      {planObject, []string{"rateLimit", "anyOf", "properties", "plan", "properties"}},
		"sync":      {syncObject, []string{"rateLimit", "anyOf", "properties", "sync", "properties"}},
		"shrink":    {shrinkObject, []string{"retry", "anyOf", "properties", "shrink", "properties"}},
		"rung":      {rungObject, []string{"rung", "properties"}},
		"criterion": {criterionObject, []string{"criterion", "properties"}},
		"parameter": {parameterObject, []string{"parameter", "properties"}},
		"saga":      {sagaObject, []string{"saga", "properties"}},
		"step":      {stepObject, []string{"step", "properties"}},
		"aggregate": {aggregateObject, []string{"aggregate", "properties"}},
		"edge":      {edgeObject, []string{"edge", "properties"}},
		"server":    {serverObject, nil},
	} {
		properties := at(append([]string{"$defs"}, x.at...)...)
		switch what {
		case "limit":
			list, _ := at("$defs", "limit")["anyOf"].([]any)
			properties, _ = list[1].(map[string]any)["properties"].(map[string]any)
		case "server":
			list, _ := at("properties", "servers", "additionalProperties")["anyOf"].([]any)
			properties, _ = list[0].(map[string]any)["properties"].(map[string]any)
		}
		compare(what, append(x.object.names(), x.object.also...), properties, "description")
	}
	compare("root", rootKeys, at("properties"), "description")
}
