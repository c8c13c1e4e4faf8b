package schema

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// one makes a set of one entry that texts may refer to as "a".
func one(text string) *Rule { return NewSet(map[string]string{"a": text}).Rule("a") }

func checkText(r *Rule, src string) []Finding {
	var t Text
	t.Start(src)
	found, _ := t.Check(r, 0)
	return found
}

// What is told of each keyword: where, which rule, and the words.
func TestFindings(t *testing.T) {
	for _, test := range []struct {
		schema, text string
		want         []Finding
	}{
		{`{"not": {"required": ["a", "b"]}}`, `{"a": 1, "b": 2}`, []Finding{{Rule: "not", Detail: "must not match what its schema excludes"}}},
		{`{"type": ["integer", "null"]}`, `"x"`, []Finding{{Rule: "type", Detail: "must be null or an integer, is a string"}}},
		{`{"type": "integer"}`, `1.0`, nil},
		{`{"type": "integer"}`, `1.5`, []Finding{{Rule: "type", Detail: "must be an integer, is a number"}}},
		{`{"if": {"required": ["a"]}, "then": {"required": ["b"]}}`, `{"a": 1}`, []Finding{{Member: "b", HasMember: true, Rule: "required", Detail: "is missing"}}},
		{`{"if": {"required": ["a"]}, "else": {"maxProperties": 0}}`, `{"b": 1}`, []Finding{{Rule: "maxProperties", Detail: "must have at most 0 properties, has 1"}}},
		{`{"properties": {"a": {"contains": {"const": 1}}}}`, `{"a": [2, 3]}`, []Finding{{Offset: 6, Rule: "contains", Detail: "must hold at least 1 item of the wanted kind, holds 0"}}},
		{`{"contains": {"const": 1}, "minContains": 2, "maxContains": 3}`, `[1, 1.0]`, nil},
		{`{"contains": {"const": 1}, "minContains": 2}`, `[1]`, []Finding{{Rule: "minContains", Detail: "must hold at least 2 items of the wanted kind, holds 1"}}},
		{`{"contains": {"const": 1}, "maxContains": 1}`, `[1, 1e0]`, []Finding{{Rule: "maxContains", Detail: "must hold at most 1 item of the wanted kind, holds 2"}}},
		{`{"propertyNames": {"pattern": "^a"}}`, `{"ab": 1, "b": 2}`, []Finding{{Member: "b", HasMember: true, Rule: "propertyNames", Detail: "is not a name that is allowed here"}}},
		{`{"dependentRequired": {"card": ["name"]}}`, `{"card": 1}`, []Finding{{Member: "name", HasMember: true, Rule: "dependentRequired", Detail: "is missing: it has to be there with card"}}},
		{`{"dependentSchemas": {"card": {"required": ["name"]}}}`, `{"card": 1}`, []Finding{{Member: "name", HasMember: true, Rule: "required", Detail: "is missing"}}},
		{`{"oneOf": [{"minimum": 3}, {"multipleOf": 2}]}`, `4`, []Finding{{Rule: "oneOf", Detail: "matches 2 of the alternatives, must match only one"}}},
		{`{"anyOf": [{"minimum": 3}, {"multipleOf": 2}]}`, `1`, []Finding{{Rule: "anyOf", Detail: "matches none of the alternatives"}}},
		{`{"properties": {"a": true}, "unevaluatedProperties": false}`, `{"a": 1, "b": 2}`, []Finding{{Member: "b", HasMember: true, Rule: "unevaluatedProperties", Detail: "is not a known property"}}},
		{`{"prefixItems": [true], "unevaluatedItems": false}`, `[1, 2]`, []Finding{{Offset: 4, Rule: "unevaluatedItems", Detail: "is one item too many"}}},
		{`{"uniqueItems": true}`, `[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]`, []Finding{{Rule: "uniqueItems", Detail: "items 0 and 1 are equal"}}},
		{`{"minLength": 2, "maxLength": 2}`, `"\ud83d\ude00é"`, nil},
		{`{"maxLength": 1, "pattern": "^a"}`, `"bb"`, []Finding{{Rule: "maxLength", Detail: "must be at most 1 character, is 2"}, {Rule: "pattern", Detail: "must match the pattern ^a"}}},
		{`{"multipleOf": 0.01}`, `19.99`, nil},
		{`{"multipleOf": 0.01, "exclusiveMaximum": 19.995}`, `19.995`, []Finding{{Rule: "exclusiveMaximum", Detail: "must be less than 19.995"}, {Rule: "multipleOf", Detail: "must be a multiple of 0.01"}}},
		{`{"maximum": 1e400}`, `1e401`, []Finding{{Rule: "maximum", Detail: "must be at most 1e400"}}},
		{`{"enum": [{"a": 1}, [2]]}`, `{"a": 1.00}`, nil},
		{`{"enum": [{"a": 1}, [2]]}`, `[3]`, []Finding{{Rule: "enum", Detail: `must be one of {"a":1}, [2]`}}},
		{`false`, `1`, []Finding{{Rule: "not", Detail: "must not be present"}}},
		{`{"additionalProperties": false}`, `{"x": 1}`, []Finding{{Member: "x", HasMember: true, Rule: "additionalProperties", Detail: "is not a known property"}}},
		{`{"format": "email"}`, `"x"`, []Finding{{Rule: "format", Detail: "must be of the format email"}}},
	} {
		got := checkText(one(test.schema), test.text)
		if len(got) != len(test.want) {
			t.Errorf("%s over %s: %+v, want %+v", test.schema, test.text, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s over %s: %+v, want %+v", test.schema, test.text, got[i], test.want[i])
			}
		}
	}
}

// With $typed the types say what is wrong with a value; the rule only says what is left
// over where the rest holds.
func TestTyped(t *testing.T) {
	r := one(`{"$typed": true, "properties": {"a": true}, "anyOf": [{"required": ["b"], "properties": {"b": true}}, {"required": ["c"]}], "unevaluatedProperties": false}`)
	for text, want := range map[string]int{
		`{"a": 1, "b": 1}`:         0,
		`{"a": 1}`:                 0, // the anyOf is another's matter
		`{"a": 1, "c": 1}`:         1,
		`{"a": 1, "b": 1, "z": 1}`: 1,
	} {
		if got := checkText(r, text); len(got) != want {
			t.Errorf("%s: %+v, want %d", text, got, want)
		}
	}
}

// A value is found by where it begins, inside of any other, and nowhere else.
func TestOffsets(t *testing.T) {
	src := `{"a": [1, {"b": "x"}], "c": {}}`
	r := one(`false`)
	for i := range len(src) {
		var text Text
		text.Start(src)
		found, end := text.Check(r, i)
		begins := slices.Contains([]int{0, 6, 7, 10, 16, 28}, i)
		if (len(found) == 1) != begins {
			t.Errorf("offset %d: %+v", i, found)
		}
		if begins && found[0].Offset != i || begins && end <= i {
			t.Errorf("offset %d: %+v to %d", i, found, end)
		}
	}
}

// Schemas that lead nowhere, alternatives that nest, and values that nest end within the
// bounds.
func TestBounds(t *testing.T) {
	exponential := map[string]string{}
	for i := range 60 {
		next := strconv.Itoa(i + 1)
		exponential[strconv.Itoa(i)] = `{"oneOf": [{"$ref": "` + next + `"}, {"$ref": "` + next + `"}]}`
	}
	exponential["60"] = `{"minimum": 1}`
	pattern := `"^(a*)(a*)(a*)(a*)(a*)(a*)\\1\\2\\3\\4\\5\\6b"`
	letters := `"` + strings.Repeat("a", 500) + `"`
	for name, test := range map[string]struct {
		rule *Rule
		text string
		want string
	}{
		"a loop":             {NewSet(map[string]string{"a": `{"$ref": "b"}`, "b": `{"allOf": [{"$ref": "a"}]}`}).Rule("a"), `1`, "depth"},
		"its own not":        {NewSet(map[string]string{"a": `{"not": {"$ref": "a"}}`}).Rule("a"), `1`, "depth"},
		"alternatives":       {NewSet(exponential).Rule("0"), `1`, "work"},
		"a deep value":       {one(`{"items": {"$ref": "a"}}`), strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "depth"},
		"many of many":       {one(`{"required": [` + strings.TrimSuffix(strings.Repeat(`"x",`, 20000), ",") + `]}`), `{` + strings.TrimSuffix(strings.Repeat(`"y":1,`, 20000), ",") + `}`, "work"},
		"a pattern":          {one(`{"pattern": ` + pattern + `}`), letters, "work"},
		"not a pattern":      {one(`{"not": {"pattern": ` + pattern + `}}`), letters, "work"},
		"a pattern of names": {one(`{"patternProperties": {` + pattern + `: false}}`), `{` + letters + `: 1}`, "work"},
		"many violations":    {one(`{"items": {"minimum": 1}}`), `[` + strings.TrimSuffix(strings.Repeat(`0,`, 20000), ",") + `]`, "minimum"},
	} {
		start := time.Now()
		got := checkText(test.rule, test.text)
		if len(got) == 0 || got[len(got)-1].Rule != test.want || len(got) > check.MaxViolations+1 {
			t.Errorf("%s: %d findings, want one of %s", name, len(got), test.want)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}

// The work is counted over all rules of a text.
func TestWorkIsShared(t *testing.T) {
	var text Text
	text.Start(`[` + strings.TrimSuffix(strings.Repeat(`0,`, 1000), ",") + `]`)
	r := one(`{"items": {"minimum": 0}}`)
	for range 5000 {
		if found, _ := text.Check(r, 0); len(found) > 0 {
			if found[0].Rule != "work" {
				t.Errorf("%+v", found)
			}
			return
		}
	}
	t.Error("the work has no end")
}

// A set that holdfast would not write is an error, and its rules refuse.
func TestBrokenSets(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                        "no JSON",
		`1`:                        "an object or a boolean",
		`{"type": "text"}`:         `unknown type "text"`,
		`{"$ref": "b"}`:            `no entry "b"`,
		`{"minimum": "1"}`:         "a number",
		`{"minItems": -1}`:         "an integer from 0 up",
		`{"pattern": "("}`:         "(",
		`{"$dynamicRef": ["a"]}`:   "an anchor and an entry",
		`{"$anchor": "x"}`:         `unknown keyword "$anchor"`,
		`{"not": {"$schema": ""}}`: `unknown keyword "$schema"`,
	} {
		set := NewSet(map[string]string{"a": text})
		if err := set.Err(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if got := checkText(set.Rule("a"), `1`); len(got) != 1 || got[0].Rule != "schema" {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if got := checkText(NewSet(nil).Rule("a"), `1`); len(got) != 1 || got[0].Rule != "schema" {
		t.Errorf("no entry: %+v", got)
	}
}

// not is the opposite of its schema, allOf of one is that one, and what holds for a
// schema holds for a reference to it, whatever the schema and the value are.
func TestLogic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, text := drawSchema(t, 3), drawValue(t, 3)
		set := NewSet(map[string]string{
			"a": schema, "ref": `{"$ref": "a"}`, "not": `{"not": {"$ref": "a"}}`, "twice": `{"not": {"not": {"$ref": "a"}}}`,
			"all": `{"allOf": [{"$ref": "a"}, true]}`, "one": `{"oneOf": [{"$ref": "a"}, false]}`,
			"any": `{"anyOf": [false, {"$ref": "a"}]}`, "if": `{"if": {"$ref": "a"}, "else": false}`,
		})
		if err := set.Err(); err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		want := len(checkText(set.Rule("a"), text)) == 0
		for _, name := range []string{"ref", "twice", "all", "one", "any", "if", "not"} {
			if got := len(checkText(set.Rule(name), text)) == 0; got != (want != (name == "not")) {
				t.Fatalf("%s over %s: %v, but %s %v", schema, text, want, name, got)
			}
		}
	})
}

func drawSchema(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{
			`true`, `false`, `{}`, `{"type": "integer"}`, `{"type": ["string", "null"]}`, `{"minimum": 1}`, `{"maxLength": 1}`,
			`{"const": 1}`, `{"required": ["a"]}`, `{"minItems": 1}`, `{"multipleOf": 0.5}`, `{"uniqueItems": true}`,
		}).Draw(t, "leaf")
	}
	sub := func() string { return drawSchema(t, depth-1) }
	switch rapid.IntRange(0, 7).Draw(t, "keyword") {
	case 0:
		return `{"properties": {"a": ` + sub() + `}, "additionalProperties": ` + sub() + `}`
	case 1:
		return `{"prefixItems": [` + sub() + `], "items": ` + sub() + `}`
	case 2:
		return `{"contains": ` + sub() + `, "minContains": ` + decimal(rapid.IntRange(0, 2).Draw(t, "min")) + `}`
	case 3:
		return `{"allOf": [` + sub() + `, ` + sub() + `]}`
	case 4:
		return `{"oneOf": [` + sub() + `, ` + sub() + `], "unevaluatedProperties": ` + sub() + `}`
	case 5:
		return `{"anyOf": [` + sub() + `, ` + sub() + `], "unevaluatedItems": ` + sub() + `}`
	case 6:
		return `{"if": ` + sub() + `, "then": ` + sub() + `}`
	default:
		return drawSchema(t, 0)
	}
}

func drawValue(t *rapid.T, depth int) string {
	if depth == 0 || rapid.Bool().Draw(t, "scalar") {
		return rapid.SampledFrom([]string{`null`, `true`, `0`, `1`, `1.0`, `2.5`, `""`, `"ab"`, `[]`, `{}`}).Draw(t, "value")
	}
	if rapid.Bool().Draw(t, "array") {
		return `[` + drawValue(t, depth-1) + `, ` + drawValue(t, depth-1) + `]`
	}
	return `{"a": ` + drawValue(t, depth-1) + `, "b": ` + drawValue(t, depth-1) + `}`
}

// No text and no schema makes the evaluator panic or run without end.
func FuzzCheck(f *testing.F) {
	f.Add(`{"properties": {"a": {"$ref": "a"}}, "unevaluatedProperties": false}`, `{"a": {"b": 1}}`)
	f.Add(`{"contains": {"type": "string"}, "unevaluatedItems": {"minimum": 1e5}}`, `["x", 1, [null]]`)
	f.Add(`{"$dynamicRef": ["x", "a"], "$dynamicScope": {"x": "a"}}`, `"\ud800"`)
	f.Add(`{"patternProperties": {"^a": false}, "dependentRequired": {"b": ["c"]}}`, `{"ab": -0e1, "b": true}`)
	f.Fuzz(func(t *testing.T, schema, src string) {
		rule := one(schema)
		var text Text
		text.Start(src)
		for i := range min(len(src), 64) {
			found, end := text.Check(rule, i)
			if len(found) > check.MaxViolations+1 || end > len(src) {
				t.Fatalf("%d findings, end %d", len(found), end)
			}
			for _, f := range found {
				if f.Offset < 0 || f.Offset > len(src) || f.Rule == "" || f.Detail == "" {
					t.Fatalf("%+v", f)
				}
			}
		}
	})
}

// A member is found by its name however that is written, and by no text that only looks
// like it.
func TestMembersByName(t *testing.T) {
	for _, test := range []struct{ name, text string }{
		{`a`, `{"a": 1}`}, {`a`, `{"\u0061": 1}`}, {``, `{"": 1}`}, {"a\"b", `{"a\"b": 1}`}, {`é`, `{"\u00e9": 1}`}, {`a`, `{"ab": 0, "a": 1}`},
	} {
		d, err := parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := (val{doc: d}).get(test.name); !ok || v.text() != "1" {
			t.Errorf("%q is not found in %s", test.name, test.text)
		}
	}
	for _, test := range []struct{ name, text string }{
		{`a`, `{"ab": 1}`}, {`ab`, `{"a": 1}`}, {`a":"b`, `{"a":"b"}`}, {`a": 1, "b`, `{"a": 1, "b": 2}`}, {`\u0061`, `{"\u0061": 1}`},
	} {
		d, err := parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := (val{doc: d}).get(test.name); ok {
			t.Errorf("%q is found in %s", test.name, test.text)
		}
	}
}
