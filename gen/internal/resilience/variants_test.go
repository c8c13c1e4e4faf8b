package resilience_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

const variantPaths = `paths:
  /a/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}, {name: watch, in: query, schema: {type: boolean}}]
    post:
      operationId: a
      requestBody: {content: {application/json: {schema: {type: object, properties: {stream: {type: boolean}}}}}}
      responses: {'204': {description: ok}}
      x-resilience: `

func variantDoc(root, op string) string {
	if root == "" {
		root = "{version: 1}"
	}
	return "x-resilience: " + root + "\n" + variantPaths + op + "\n"
}

// Variants merge over the result of all levels, in document order, with the profile on
// top of them.
func TestVariants(t *testing.T) {
	e := explain(t, variantDoc(`{version: 1, external: true,
  policies: {long: {timeout: {attempt: 50s, idle: 40s}}},
  defaults: {timeout: {attempt: 3s}, variants: {
    streamed: {when: {$request.body#/stream: true}, timeout: {total: none, idle: 5s}},
    gone: {when: {$request.query.watch: false}, retry: none}}},
  profiles: {slow: {all: {timeout: {idle: 9s}, variants: {extra: {when: {$request.path.id: x}, retry: {maxAttempts: 9}}}}}}}`,
		`{effect: read, retry: {maxAttempts: 4}, variants: {
        gone: false,
        watch: {when: {$request.query.watch: true, $request.body#/stream: null}, use: long, timeout: {idle: 41s}},
        streamed: {when: {$request.query.watch: 1.50}, retry: {maxAttempts: 2}}}}`)).fine()
	p := e.op("a").Policy
	var names []string
	for _, v := range p.Variants {
		names = append(names, v.Name)
	}
	if d := cmp.Diff([]string{"streamed", "watch"}, names); d != "" {
		t.Fatal(d)
	}
	body := policy.Expr{Source: policy.FromBody, Name: "/stream"}
	query := policy.Expr{Source: policy.FromQuery, Name: "watch"}
	if d := cmp.Diff([]policy.Condition{{Expr: body, Value: "true"}, {Expr: query, Value: "1.50"}}, p.Variants[0].When); d != "" {
		t.Error("conditions merge by expression:", d)
	}
	if d := cmp.Diff([]policy.Condition{{Expr: query, Value: "true"}, {Expr: body, Absent: true}}, p.Variants[1].When); d != "" {
		t.Error(d)
	}
	streamed, watch := p.Variants[0].Client, p.Variants[1].Client
	if x := streamed; x.Timeout.Total != policy.None || x.Timeout.Idle != 5*second || x.Timeout.Attempt != 3*second || x.Retry.MaxAttempts != 2 || x.Effect != policy.Read {
		t.Errorf("streamed: %+v %+v", x.Timeout, x.Retry)
	}
	if x := watch; x.Timeout.Attempt != 50*second || x.Timeout.Idle != 41*second || x.Retry.MaxAttempts != 4 {
		t.Errorf("watch: %+v %+v", x.Timeout, x.Retry)
	}
	if p.Variants[0].Server != nil {
		t.Error("a client's variant changes the server")
	}
	slow := p.Profiles[0]
	if slow.Client.Timeout.Idle != 9*second || slow.Client.Timeout.Total == policy.None {
		t.Errorf("the profile without a variant: %+v", slow.Client.Timeout)
	}
	if x := slow.Variants[0].Client.Timeout; x.Idle != 9*second || x.Total != policy.None {
		t.Errorf("the profile stands on top of the variant: %+v", x)
	}
	if n := len(slow.Variants); n != 3 || slow.Variants[2].Name != "extra" || slow.Variants[2].Client.Retry.MaxAttempts != 9 {
		t.Errorf("the profile's own variant stands on top of the profile: %+v", slow.Variants)
	}
	f, _ := e.view("a", "slow", "streamed").Field(false, "timeout.total")
	if f.Value != "none" || f.Source.Level != "variant streamed" || f.Source.Pos.Line != 6 {
		t.Errorf("timeout.total is %+v", f)
	}
	if f, _ = e.view("a", "slow", "streamed").Field(false, "timeout.idle"); f.Source.Level != "profile slow" {
		t.Errorf("timeout.idle is %+v", f)
	}
	if f, _ = e.view("a", "", "watch").Field(false, "timeout.attempt"); f.Source.Level != "variant watch" || f.Source.Policy != "long" {
		t.Errorf("timeout.attempt is %+v", f)
	}
	words := strings.Join(p.Words, "\n")
	if !strings.Contains(words, `Where $request.query.watch is true and there is no $request.body#/stream: `) {
		t.Errorf("the documentation says nothing about watch:\n%s", words)
	}
}

// A stronger false leaves one bare try, whatever the request is.
func TestFalseDropsVariants(t *testing.T) {
	e := explain(t, variantDoc(`{version: 1, defaults: {variants: {v: {when: {$request.query.watch: true}, retry: none}}}}`, "false")).fine()
	if v := e.op("a").Policy.Variants; len(v) != 0 {
		t.Errorf("variants are left: %+v", v)
	}
}

// A server tells variants apart by what it knows before the body.
func TestServerVariants(t *testing.T) {
	e := explain(t, variantDoc("", "{variants: {w: {when: {$request.query.watch: true}, timeout: {server: 5m}}}}")).fine()
	v := e.op("a").Policy.Variants[0]
	if v.Server == nil || v.Server.Timeout.Handler != 300*second {
		t.Errorf("%+v", v)
	}
	e = explain(t, variantDoc("", "{variants: {w: {when: {$request.body#/stream: true}, client: {timeout: {total: none}}}}}")).fine()
	if v := e.op("a").Policy.Variants[0]; v.Server != nil {
		t.Errorf("%+v", v.Server)
	}
	explain(t, variantDoc("", "{variants: {w: {when: {$request.body#/stream: true}, timeout: {attempt: 5m}}}}")).
		want("spec.yaml:11:33: x-resilience: the variant w changes what the server does, which does not know $request.body#/stream when it decides [write what is for the caller in a client block")
	// The first variant that holds is taken, so those before it have to be known too.
	explain(t, variantDoc("", `{variants: {one: {when: {$request.body#/stream: true}, client: {retry: none}},
        two: {when: {$request.query.watch: true}, server: {timeout: {server: 1m}}}}}`)).
		want("spec.yaml:12:9: x-resilience: the variant two changes what the server does, which does not know $request.body#/stream")
}

func TestVariantFaults(t *testing.T) {
	for text, want := range map[string]string{
		"[]":                      "x-resilience.variants must be a mapping of names to policies with when, got a list",
		"{v: 5}":                  "variants.v must be a policy with when, or false, got the number 5",
		"{v: {retry: none}}":      "the variant v has no conditions: want when",
		"{v: {when: {}}}":         "variants.v.when is empty",
		"{v: {when: 5}}":          "variants.v.when must be a mapping of expressions to values",
		"{'a b': {}}":             `key "a b"`,
		"{v: {when: {watch: 1}}}": `"watch" is no expression`,
		"{v: {when: {$request.query.watch: [1]}}}":                             "a text, a number, true, false or null, got a list",
		"{v: {when: {$request.query.watsh: 1}}}":                               "there is no query parameter \"watsh\", did you mean watch?",
		"{v: {when: {$request.body#/streem: 1}}}":                              "the body has nothing at /streem",
		"{v: {when: {$statusCode: 200}}}":                                      "$statusCode\" is not known before the call",
		"{v: {when: {$ip: 127.0.0.1}}}":                                        "only a server knows it",
		"{v: {when: {$request.query.watch: 1}, variants: {}}}":                 "a variant has no variants of its own",
		"{v: {when: {$request.query.watch: 1}, use: nested}}":                  "the variant v uses the policy nested, which has variants",
		"{v: {when: {$request.query.watch: 1}, retri: none}}":                  "unknown key \"retri\" [did you mean retry?]",
		"{v: {when: {$request.query.watch: 1}, retry: {maxDelay: 1ms}}}":       "retry.maxDelay 1ms is under baseDelay 500ms",
		"{v: {when: {$request.query.watch: 1}, bulkhead: {maxConcurrent: 3}}}": "is shared, and is set otherwise here than by POST /a/{id}: maxConcurrent [the variants of an operation share what it has]",
	} {
		doc := variantDoc("{version: 1, policies: {nested: {variants: {n: {when: {$method: GET}}}}}}", "{variants: "+text+"}")
		e := explain(t, doc)
		if got := e.text(); !strings.Contains(strings.ReplaceAll(got, "\n    hint: ", " ["), strings.TrimSuffix(want, "]")) {
			t.Errorf("%s reports\n%s\nwant %s", text, got, want)
		}
	}
}

// The same instance with different settings is an error under each profile.
func TestInstancesUnderProfiles(t *testing.T) {
	doc := func(profile string) string {
		return `x-resilience:
  version: 1
  dependency: d
  profiles:
    p: ` + profile + `
paths:
  /a: {get: {operationId: a, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, responses: {'204': {description: ok}}}}
  /c: {get: {operationId: c, responses: {'204': {description: ok}}}}
`
	}
	explain(t, doc("{all: {client: {bulkhead: {maxConcurrent: 3}}}}")).fine() // all agree
	explain(t, doc("{operations: {a: {client: {bulkhead: {maxConcurrent: 3}}}}}")).
		want(`spec.yaml:7:45: x-resilience: the bulkhead "d" is shared, and is set otherwise here than by GET /b: maxConcurrent`)
	explain(t, doc("{all: {breaker: {recovery: 1s}}, operations: {b: {breaker: {recovery: 2s}}}}")).
		want(`the breaker "d" is shared, and is set otherwise here than by GET /a, profile p: recovery`)
	explain(t, doc("{operations: {a: {breaker: {recovery: 1s, scope: operation}}}}")).fine()
	// A fault without a profile is not reported once more for each.
	e := explain(t, strings.Replace(doc("{all: {timeout: 1s}}"), "operationId: a,", "operationId: a, x-resilience: {breaker: {recovery: 9s}},", 1))
	e.want("is set otherwise here than by GET /b: recovery")
}

// A single try takes nothing from the retry budget: that of its preset says nothing.
func TestBudgetOfOneTry(t *testing.T) {
	e := explain(t, `x-resilience: {version: 1, defaults: {retry: {budget: {ratio: 0.1}}}}
paths:
  /a: {get: {operationId: a, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, x-resilience: {retry: none}, responses: {'204': {description: ok}}}}
`).fine()
	if got := e.op("b").Policy.Client.Retry.Budget.Ratio; got != 0.1 {
		t.Errorf("b has the budget %v, want that of its dependency", got)
	}
	explain(t, `x-resilience: {version: 1, defaults: {retry: {budget: {ratio: 0.1}}}}
paths:
  /a: {get: {operationId: a, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, x-resilience: {retry: {preset: none, budget: {ratio: 0.3}}}, responses: {'204': {description: ok}}}}
  /c: {get: {operationId: c, responses: {'204': {description: ok}}}}
`).want(`the retry budget "train-travel" is shared`)
}
