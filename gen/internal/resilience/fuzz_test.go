package resilience_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Whatever an annotation holds, nothing panics, every report has its place, and
// what is accepted is in range.
func FuzzApply(f *testing.F) {
	for name, values := range choices {
		for _, v := range values {
			f.Add("{version: 1, defaults: {"+name+": "+v+"}}", "{"+name+": "+v+"}")
		}
	}
	for _, seed := range []string{
		"false", "a", "{use: a}", "{use: a, client: {use: a}}", "&x {a: *x}", "{retry: {rules: {a: {header: {b: false}}}}}",
		"{server: {timeout: 1d}}", "{waive: {timeout-off: why}, timeout: false}", "{breaker: {window: {count: 99999999999999999999}}}",
		"{timeout: 1e9h}", "{timeout: .d}", "{timeout: 1.5.5d}", "{timeout: 5µs}", "{<<: {retry: none}}",
		"{version: 1, policies: {a: {use: b}, b: a}, presets: {retry: {x: {preset: x}}, timeout: {q: 1s, r: {preset: q}}}}",
	} {
		f.Add("{version: 1, policies: {a: {retry: none}}}", seed)
		f.Add(seed, "a")
	}
	for _, x := range append(fieldTable, inBuckets()...) {
		f.Add("{version: 1, defaults: {shed: {target: 1s}}}", x.policy)
	}
	for _, x := range flowFields {
		f.Add("{version: 1}", "{"+x.good+"}")
		f.Add("{version: 1}", "{"+x.bad+"}")
	}
	for _, root := range []string{
		sagaWith("$inputs.orderId", ""), "aggregates: {A: {id: $request.path.id, commands: {a: [E]}, events: {E: {upcast: {1: x}}}}}",
		"edge: {routes: [{path: /a, server: 0}], split: {cookie: a, weights: {x: 1}}}", "servers: {s: {url: 'https://x', query: {a: 1}}}, sources: {a: b}",
		"sagas: {s: {id: $inputs., steps: [{stepId: a, operationId: $sourceDescriptions.a.b, compensate: {operationId: a}}]}}",
	} {
		f.Add("{version: 1, "+root+"}", "{}")
	}
	for _, root := range []string{
		"apply: [{to: {paths: ['/a/*', '**'], methods: [post], operations: ['*'], parameters: id, where: {x-a: [1, {b: null}]}}, policy: a}, {to: {}}, 5]",
		"profiles: {p: {all: {retry: none, variants: {v: {when: {$method: 5}}, w: false}}, operations: {a: false, b: {}}}, 'q r': [], s: 1}",
		"policies: {a: {use: b}, b: {use: c}, c: {use: b}}, defaults: b",
		"defaults: {variants: {v: {when: {$request.path.id: null}, use: a}}}, policies: {a: {variants: {v: {}}}}",
	} {
		f.Add("{version: 1, "+root+"}", "{variants: {v: {when: {$request.body: x}, timeout: {attempt: 5s}}, u: {when: {}}}, x-a: [1, {b: null}]}")
		f.Add("{version: 1, "+root+"}", "{variants: {v: false}, retry: {budget: false}}")
	}
	f.Fuzz(func(t *testing.T, root, op string) {
		if len(root)+len(op) > 4000 || strings.ContainsAny(root+op, "\n\r") {
			return // one line each, so that the document stays one
		}
		var list diag.List
		file := load.Parse("spec.yaml", []byte(head+"x-resilience: "+root+"\npaths:\n  /a/{id}:\n    post:\n      x-resilience: "+op+"\n"), &list)
		if file == nil {
			return
		}
		item := file.Root.At("/paths/~1a~1{id}")
		node := item.Get("post")
		if node == nil {
			return
		}
		operation := &ir.Operation{
			ID: "a", Key: "a", Method: "POST", Path: "/a/{id}", Pos: node.Pos(), Pointer: "#/paths/~1a~1{id}/post",
			Params:    []*ir.Param{{Name: "id", In: "path"}},
			Body:      &ir.Body{Contents: []*ir.Content{{Kind: ir.ContentJSON}}},
			Responses: []*ir.Response{{Status: "200", Contents: []*ir.Content{{Kind: ir.ContentJSON}}}},
		}
		api := &ir.API{Title: "A", Operations: []*ir.Operation{operation}}
		result := resilience.Apply(&load.Document{Root: file}, api, func(*ir.Operation) ([]*load.Node, *load.Node) {
			return []*load.Node{item}, node
		}, &list, resilience.Pending())
		for _, o := range result.Operations {
			for _, v := range o.Views {
				for _, f := range append(v.ClientFields(), v.ServerFields()...) {
					if f.Path == "" || f.Source.Level == "" || f.Source.Level != resilience.BuiltIn && f.Source.Pos.Line < 1 {
						t.Errorf("%s, profile %q, variant %q: %+v", o.Name, v.Profile, v.Variant, f)
					}
				}
			}
		}
		for _, d := range list.Sorted() {
			if d.Pos.Line < 1 || d.Pos.File != "spec.yaml" || d.Message == "" {
				t.Errorf("%s: %s", d.Pos, d.Message)
			}
		}
		if list.HasErrors() {
			return
		}
		spec := policy.Spec{ID: "a", Client: operation.Policy.Client, Server: operation.Policy.Server}
		if err := spec.Validate(); err != nil {
			t.Error(err)
		}
		if len(operation.Policy.Words) == 0 {
			t.Error("no words")
		}
	})
}
