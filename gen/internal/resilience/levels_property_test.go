package resilience_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// sides are both policies of an operation.
type sides struct {
	Client policy.Client
	Server policy.Server
}

// levelDoc is a document of one operation with these levels; an empty text is an
// empty policy.
type levelDoc struct{ root, tag, item, op string }

func (l levelDoc) text() string {
	or := func(s string) string {
		if s == "" {
			return "{}"
		}
		return s
	}
	root := "version: 1"
	if l.root != "" {
		root += ", " + l.root
	}
	return fmt.Sprintf(`x-resilience: {%s}
tags: [{name: t, x-resilience: %s}]
paths:
  /a/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    x-resilience: %s
    get: {operationId: a, tags: [t], x-resilience: %s, responses: {'204': {description: ok}}}
`, root, or(l.tag), or(l.item), or(l.op))
}

// come is what a document comes to; false where the settings do not fit together.
func come(t *testing.T, doc, profile, variant string, overlays ...string) (sides, bool) {
	e := explain(t, doc, overlays...)
	for _, d := range e.list {
		if d.Severity.String() == "error" {
			return sides{}, false
		}
	}
	v := e.view("a", profile, variant)
	return sides{v.Client, v.Server}, true
}

// Where a level stands says how strong it is, and nothing else.
func TestLevelsAreAlike(t *testing.T) {
	same := func(name string, other func(a, b string) (doc, profile, variant string, overlays []string)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				a, b := "{"+drawPolicy(rt, "a")+"}", "{"+drawPolicy(rt, "b")+"}"
				want, okWant := come(t, levelDoc{item: a, op: b}.text(), "", "")
				doc, profile, variant, overlays := other(a, b)
				if _, ok := come(t, levelDoc{op: a}.text(), "", ""); profile != "" && !ok {
					return // what stands below the profile has to hold without it
				}
				got, okGot := come(t, doc, profile, variant, overlays...)
				if okWant != okGot {
					rt.Fatalf("refused: %t and %t\na: %s\nb: %s", !okWant, !okGot, a, b)
				}
				if d := cmp.Diff(want, got); d != "" {
					rt.Fatalf("a: %s\nb: %s\n%s", a, b, d)
				}
			})
		})
	}
	same("rules, in their order", func(a, b string) (string, string, string, []string) {
		return levelDoc{root: "apply: [{to: {methods: [GET]}, policy: " + a + "}, {to: {operations: [a]}, policy: " + b + "}]"}.text(), "", "", nil
	})
	same("a rule and a tag", func(a, b string) (string, string, string, []string) {
		return levelDoc{root: "apply: [{to: {parameters: [id]}, policy: " + a + "}]", tag: b}.text(), "", "", nil
	})
	same("a tag and a path item", func(a, b string) (string, string, string, []string) {
		return levelDoc{tag: a, item: b}.text(), "", "", nil
	})
	same("an operation and a profile", func(a, b string) (string, string, string, []string) {
		return levelDoc{root: "profiles: {p: {all: " + b + "}}", op: a}.text(), "p", "", nil
	})
	same("all and operations of a profile", func(a, b string) (string, string, string, []string) {
		return levelDoc{root: "profiles: {p: {operations: {a: " + b + "}, all: " + a + "}}"}.text(), "p", "", nil
	})
	same("two overlays", func(a, b string) (string, string, string, []string) {
		over := "  - {target: '$.paths.*.get', update: {x-resilience: %s}}\n"
		return levelDoc{}.text(), "", "", []string{fmt.Sprintf(over, a), fmt.Sprintf(over, b)}
	})
	same("defaults of an overlay", func(a, b string) (string, string, string, []string) {
		return levelDoc{root: "defaults: " + a}.text(), "", "", []string{"  - {target: $, update: {x-resilience: {version: 1, defaults: " + b + "}}}\n"}
	})
	same("a policy that an overlay writes as well", func(a, b string) (string, string, string, []string) {
		return levelDoc{root: "policies: {q: " + a + "}", op: "q"}.text(), "", "",
			[]string{"  - {target: $, update: {x-resilience: {version: 1, policies: {q: " + b + "}}}}\n"}
	})
}

// Levels that are put together first come to the same: (a b) c is a (b c).
func TestLevelsAreAssociative(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := drawPolicy(rt, "a"), drawPolicy(rt, "b"), drawPolicy(rt, "c")
		with := func(use, p string) string {
			if p == "" {
				return "{use: " + use + "}"
			}
			return "{use: " + use + ", " + p + "}"
		}
		want, okWant := come(t, levelDoc{tag: "{" + a + "}", item: "{" + b + "}", op: "{" + c + "}"}.text(), "", "")
		for _, doc := range []levelDoc{
			{root: "policies: {a: {" + a + "}, ab: " + with("a", b) + "}", item: "ab", op: "{" + c + "}"},
			{root: "policies: {b: {" + b + "}}", item: "{" + a + "}", op: with("b", c)},
			{root: "policies: {a: {" + a + "}, ab: " + with("a", b) + ", abc: " + with("ab", c) + "}", op: "abc"},
		} {
			got, ok := come(t, doc.text(), "", "")
			if ok != okWant {
				rt.Fatalf("refused: %t and %t\n%s", !okWant, !ok, doc.text())
			}
			if d := cmp.Diff(want, got); d != "" {
				rt.Fatalf("%s\n%s", doc.text(), d)
			}
		}
	})
}

// A variant is the operation with one more level; the profile stands over it.
func TestVariantIsALevelBelowTheProfile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := drawPolicy(rt, "a"), drawPolicy(rt, "b"), drawPolicy(rt, "c")
		when := "when: {$request.path.id: x}"
		if b != "" {
			when += ", "
		}
		op := "variants: {v: {" + when + b + "}}"
		if a != "" {
			op = a + ", " + op
		}
		doc := levelDoc{root: "profiles: {p: {all: {" + c + "}}}", op: "{" + op + "}"}
		e := explain(t, doc.text())
		for _, d := range e.list {
			if d.Severity.String() == "error" {
				return // settings that do not fit together, or an instance that both share
			}
		}
		v := e.view("a", "p", "v")
		want, ok := come(t, levelDoc{tag: "{" + a + "}", item: "{" + b + "}", op: "{" + c + "}"}.text(), "", "")
		if !ok {
			rt.Fatalf("refused without a variant\n%s", doc.text())
		}
		if d := cmp.Diff(want, sides{v.Client, v.Server}); d != "" {
			rt.Fatalf("%s\n%s", doc.text(), d)
		}
	})
}
