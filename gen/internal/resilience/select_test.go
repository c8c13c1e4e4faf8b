package resilience_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

const selectDoc = `paths:
  /search/{kind}:
    parameters: [{name: kind, in: path, required: true, schema: {type: string}}, {name: cursor, in: query, schema: {type: string}}]
    get: {operationId: searchAll, tags: [read, search], x-internal: true, x-level: 2, x-list: [1, {a: b}], deprecated: true, responses: {'204': {description: ok}}}
    post: {operationId: searchByBody, tags: [search], x-internal: false, responses: {'204': {description: ok}}}
  /search/{kind}/{id}:
    parameters: [{name: kind, in: path, required: true, schema: {type: string}}, {name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getHit, parameters: [{name: limit, in: query, schema: {type: integer}}], responses: {'204': {description: ok}}}
  /things:
    delete: {responses: {'204': {description: ok}}}
webhooks:
  changed:
    post: {operationId: onChange, tags: [search], responses: {'204': {description: ok}}}
`

// selected are the operations that a selector is for, in document order.
func selected(tb testing.TB, to string) (string, explained) {
	tb.Helper()
	e := explain(tb, "x-resilience: {version: 1, apply: [{to: "+to+", policy: {retry: {maxAttempts: 7}}}]}\n"+selectDoc)
	var ids []string
	for _, o := range e.result.Operations {
		if e.tries(o.Name, "") == 7 {
			id := o.Op.ID
			if id == "" {
				id = o.Name
			}
			ids = append(ids, id)
		}
	}
	return strings.Join(ids, " "), e
}

func TestSelectors(t *testing.T) {
	const every = "searchAll searchByBody getHit DELETE /things onChange"
	for to, want := range map[string]string{
		// paths: * stays within a segment, ** does not; webhooks have none.
		`{paths: ["/search/*"]}`:                  "searchAll searchByBody",
		`{paths: ["/search/**"]}`:                 "searchAll searchByBody getHit",
		`{paths: ["**"]}`:                         "searchAll searchByBody getHit DELETE /things",
		`{paths: ["/*/{kind}/{id}", /things]}`:    "getHit DELETE /things",
		`{paths: "/thing*"}`:                      "DELETE /things",
		`{paths: ["/**/{id}"]}`:                   "getHit",
		`{methods: [GET]}`:                        "searchAll getHit",
		`{methods: [get, DELETE]}`:                "searchAll getHit DELETE /things",
		`{tags: [read]}`:                          "searchAll",
		`{tags: [read, search]}`:                  "searchAll searchByBody onChange",
		`{operations: ["search*"]}`:               "searchAll searchByBody",
		`{operations: ["*Body", getHit]}`:         "searchByBody getHit",
		`{operations: ["DELETE /*"]}`:             "DELETE /things",
		`{operations: ["*"]}`:                     every,
		`{parameters: [cursor]}`:                  "searchAll searchByBody",
		`{parameters: [kind, limit]}`:             "getHit", // all of them
		`{where: {x-internal: true}}`:             "searchAll",
		`{where: {x-internal: false}}`:            "searchByBody",
		`{where: {x-internal: null}}`:             "getHit DELETE /things onChange", // not there
		`{where: {x-level: 2.0}}`:                 "searchAll",
		`{where: {x-level: "2"}}`:                 "",
		`{where: {x-list: [1, {a: b}]}}`:          "searchAll",
		`{where: {x-list: [1, {a: c}]}}`:          "",
		`{where: {x-list: [1]}}`:                  "",
		`{where: {deprecated: true, x-level: 2}}`: "searchAll",
		`{where: {operationId: getHit}}`:          "getHit",
		// Every given field must match.
		`{paths: ["/search/*"], methods: [POST]}`:                      "searchByBody",
		`{tags: [search], methods: [POST], operations: ["on*"]}`:       "onChange",
		`{tags: [read], methods: [POST]}`:                              "",
		`{paths: ["**"], where: {x-internal: true}, parameters: kind}`: "searchAll",
	} {
		got, e := selected(t, to)
		if got != want {
			t.Errorf("%s selects %q, want %q", to, got, want)
		}
		if want == "" {
			e.want("x-resilience.apply[0] is for no operation of the document")
		} else {
			e.fine()
		}
	}
}

func TestSelectorFaults(t *testing.T) {
	const paths = "paths: {/a: {get: {operationId: a, responses: {'204': {description: ok}}}}}\n"
	for rules, want := range map[string][]string{
		"{}":                                    {"x-resilience.apply must be a list of rules, got a mapping"},
		"[5]":                                   {"x-resilience.apply[0] must be a mapping with to and policy, got the number 5"},
		"[{policy: {}}]":                        {"apply[0]: to is missing"},
		"[{to: {methods: [GET]}}]":              {"apply[0]: policy is missing"},
		"[{to: {}, policy: {}}]":                {"apply[0].to is empty"},
		"[{to: [], policy: {}}]":                {"apply[0].to must be a mapping"},
		"[{to: {path: [/a]}, policy: {}}]":      {"unknown key \"path\" [did you mean paths?]"},
		"[{to: {paths: []}, policy: {}}]":       {"apply[0].to.paths is empty"},
		"[{to: {tags: [5]}, policy: {}}]":       {"apply[0].to.tags[0]"},
		"[{to: {where: []}, policy: {}}]":       {"apply[0].to.where must be a mapping"},
		"[{to: {where: {}}, policy: {}}]":       {"apply[0].to.where is empty"},
		"[{to: {methods: [GET]}, polcy: {}}]":   {"unknown key \"polcy\" [did you mean policy?]"},
		"[{to: {methods: [GET]}, policy: nix}]": {"apply[0].policy: there is no policy \"nix\""},
		// What is wrong in a rule that no operation has is reported all the same.
		"[{to: {tags: [no]}, policy: {retry: 5}}]": {"is for no operation", "apply[0].policy.retry must be"},
	} {
		explain(t, "x-resilience: {version: 1, apply: "+rules+"}\n"+paths).want(want...)
	}
	strict := explainStrictly(t, true, "x-resilience: {version: 1, apply: [{to: {tags: [no]}, policy: {}}]}\n"+paths)
	if len(strict.list) != 1 || strict.list[0].Severity.String() != "error" {
		t.Errorf("under --strict a rule for nothing is an error: %s", strict.text())
	}
}

// A policy of a rule may be a policy, a name, {use} or false.
func TestRulePolicies(t *testing.T) {
	for p, want := range map[string]int{
		"{retry: {maxAttempts: 5}}": 5, "named": 4, "{use: named}": 4, "{use: named, retry: {maxAttempts: 6}}": 6, "false": 0, "{}": 3,
	} {
		e := explain(t, "x-resilience: {version: 1, defaults: {retry: {maxAttempts: 3}}, policies: {named: {retry: {maxAttempts: 4}}}, apply: [{to: {methods: [GET]}, policy: "+p+`}]}
paths: {/a: {get: {operationId: a, responses: {'204': {description: ok}}}}}
`).fine()
		if got := e.tries("a", ""); got != want {
			t.Errorf("policy %s: %d tries, want %d", p, got, want)
		}
	}
}

// A glob agrees with its definition: * takes any text that fits, tried out one end
// after the other.
func TestGlobAgreesWithItsDefinition(t *testing.T) {
	var match func(pattern, text string, path bool) bool
	match = func(pattern, text string, path bool) bool {
		if pattern == "" {
			return text == ""
		}
		rest, within := pattern[1:], path
		if path && strings.HasPrefix(pattern, "**") {
			rest, within = pattern[2:], false
		}
		if pattern[0] != '*' {
			return text != "" && text[0] == pattern[0] && match(rest, text[1:], path)
		}
		for n := range len(text) + 1 {
			if (!within || !strings.Contains(text[:n], "/")) && match(rest, text[n:], path) {
				return true
			}
		}
		return false
	}
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("ab/*")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		pattern, text := letters.Draw(t, "pattern"), strings.ReplaceAll(letters.Draw(t, "text"), "*", "a")
		if got, want := resilience.Glob(pattern, text), match(pattern, text, false); got != want {
			t.Fatalf("glob(%q, %q) = %t", pattern, text, got)
		}
		if got, want := resilience.GlobPath(pattern, text), match(pattern, text, true); got != want {
			t.Fatalf("globPath(%q, %q) = %t", pattern, text, got)
		}
	})
}
