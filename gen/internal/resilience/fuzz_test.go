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
		resilience.Apply(&load.Document{Root: file}, api, func(*ir.Operation) ([]*load.Node, *load.Node) {
			return []*load.Node{item}, node
		}, &list, resilience.Pending())
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
