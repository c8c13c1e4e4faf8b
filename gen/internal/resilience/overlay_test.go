package resilience_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// What can be seen in overlays by themselves is reported at their own places.
func TestCheckOverlays(t *testing.T) {
	const first = `  - target: $
    update:
      x-resilience:
        version: 1
        defaults: {retry: {baseDelay: 5s}}
        policies: {one: {use: two}, two: {use: one}, fine: {timeout: 1s}}
        apply: [{to: {method: [GET]}, policy: fine}]
        profiles: {p: {operations: {unknownHere: {retry: {maxAttempts: 20}}}}}
`
	const second = `  - target: $.paths['/a'].get
    update:
      x-resilience: {use: fine, retri: none, breaker: {failureThreshold: 11}}
  - target: $.paths['/b'].get
    update: {x-resilience: {use: theirs, retry: theirs, client: {timeout: false}, idempotency: {from: [$request.body#/unknown]}}}
  - target: $.info
    update: {description: no annotation}
`
	var list diag.List
	var overlays []*load.Overlay
	for i, text := range []string{first, second} {
		o := load.ParseOverlay(fmt.Sprintf("over%d.yaml", i+1), []byte("overlay: 1.0.0\ninfo: {title: o, version: '1'}\nactions:\n"+text), &list)
		if o == nil {
			t.Fatal(list.Sorted())
		}
		overlays = append(overlays, o)
	}
	resilience.CheckOverlays(overlays, &list)
	want := []string{
		"over1.yaml:8:39: error: x-resilience: retry.maxDelay 2s is under baseDelay 5s",
		"over1.yaml:9:31: error: x-resilience.policies.one uses itself: one -> two -> one",
		`over1.yaml:10:23: error: x-resilience.apply[0].to: unknown key "method"`,
		"over1.yaml:11:72: error: x-resilience.profiles.p.operations.unknownHere.retry.maxAttempts 20 is out of range",
		`over2.yaml:6:33: error: x-resilience: unknown key "retri"`,
		"over2.yaml:6:74: error: x-resilience: breaker.failureThreshold 11 cannot be reached in a window of 10 calls",
		"over2.yaml:8:34: warning: x-resilience.use: the overlay has no policy \"theirs\"",
		"over2.yaml:8:49: warning: x-resilience.retry: the overlay has no retry preset theirs",
		"over2.yaml:8:75: error: x-resilience: timeout is off on the client",
	}
	var got []string
	for _, d := range list.Sorted() {
		got = append(got, fmt.Sprintf("%s:%d:%d: %s: %s", filepath.Base(d.Pos.File), d.Pos.Line, d.Pos.Col, d.Severity, d.Message))
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("not reported: %s", want[i])
		case i >= len(want) || !strings.HasPrefix(strings.ReplaceAll(got[i], `preset "theirs"`, "preset theirs"), want[i]):
			t.Errorf("reported: %s", got[i])
		}
	}
	resilience.CheckOverlays(nil, &list)
}

// An overlay's annotation is one more level directly above what stood there.
func TestOverlayLevels(t *testing.T) {
	const doc = `x-resilience:
  version: 1
  dependency: first
  replicas: 2
  defaults: {retry: {maxAttempts: 3}, timeout: {attempt: 1s}}
  policies: {p: {retry: {maxAttempts: 4, jitter: equal}}}
  presets: {retry: {mine: {maxAttempts: 6, jitter: none}}}
  apply: [{to: {paths: [/b]}, policy: {retry: {maxAttempts: 5}}}]
  profiles: {prod: {all: {retry: {maxAttempts: 8, jitter: equal}}}}
tags: [{name: t, x-resilience: {timeout: {idle: 1s}}}]
paths:
  /a:
    x-resilience: {timeout: {floor: 1ms}}
    get: {operationId: a, x-resilience: p, responses: {'204': {description: ok}}}
  /b:
    get: {operationId: b, tags: [t], responses: {'204': {description: ok}}}
  /c:
    get: {operationId: c, x-resilience: {retry: mine}, responses: {'204': {description: ok}}}
`
	e := explain(t, doc, `  - target: $
    update:
      x-resilience:
        version: 1
        dependency: second
        defaults: {timeout: {idle: 7s}}
        policies: {p: {retry: {maxAttempts: 9}}}
        presets: {retry: {mine: {maxAttempts: 7}}}
        apply: [{to: {paths: [/b]}, policy: {timeout: {connect: 2s}}}]
        profiles: {prod: {all: {retry: {maxAttempts: 10}}}}
  - target: $.paths['/a']
    update: {x-resilience: {timeout: {floor: 2ms}}}
`, `  - target: $.paths['/a'].get
    update: {x-resilience: {retry: {baseDelay: 100ms}}}
  - target: $.tags[0]
    update: {x-resilience: {timeout: {idle: 3s}}}
`).fine()
	if e.api.Dependency != "second" || e.api.Replicas != 2 {
		t.Errorf("dependency %q, %d replicas: the strongest object that says it wins", e.api.Dependency, e.api.Replicas)
	}
	a, b, c := e.view("a", "", ""), e.view("b", "", ""), e.view("c", "", "")
	if r := a.Client.Retry; r.MaxAttempts != 9 || r.Jitter.String() != "equal" || r.BaseDelay != 100*milli {
		t.Errorf("policy p is the document's and the overlay's, and the operation's over it: %+v", r)
	}
	if x := a.Client.Timeout; x.Attempt != second || x.Idle != 7*second || x.Floor != 2*milli {
		t.Errorf("defaults and path item: %+v", x)
	}
	if x := b.Client; x.Retry.MaxAttempts != 5 || x.Timeout.Connect != 2*second || x.Timeout.Idle != 3*second {
		t.Errorf("apply rules are appended, and the tag's layer is above the tag: %+v %+v", x.Retry, x.Timeout)
	}
	if r := c.Client.Retry; r.MaxAttempts != 7 || r.Jitter.String() != "none" {
		t.Errorf("a preset of one name is level over level: %+v", r)
	}
	if r := e.view("c", "prod", "").Client.Retry; r.MaxAttempts != 10 || r.Jitter.String() != "equal" {
		t.Errorf("a profile of one name is level over level: %+v", r)
	}
	for path, want := range map[string]string{
		"retry.baseDelay":   "operation over2.yaml:5",
		"retry.maxAttempts": "operation over1.yaml:10 by p",
		"timeout.attempt":   "defaults spec.yaml:7",
		"timeout.floor":     "path item over1.yaml:15",
	} {
		f, _ := a.Field(false, path)
		got := fmt.Sprintf("%s %s:%d", f.Source.Level, filepath.Base(f.Source.Pos.File), f.Source.Pos.Line)
		if f.Source.Policy != "" {
			got += " by " + f.Source.Policy
		}
		if got != want {
			t.Errorf("%s comes from %s, want %s", path, got, want)
		}
		if over := strings.Contains(want, "over"); f.Source.Overlay != over && f.Source.Policy == "" {
			t.Errorf("%s: overlay is %t", path, f.Source.Overlay)
		}
	}
}

func TestOverlayFaults(t *testing.T) {
	const doc = "paths: {/a: {get: {operationId: a, responses: {'204': {description: ok}}}}}\n"
	explain(t, doc, "  - {target: $, update: {x-resilience: {replicas: 2}}}\n").
		want("over1.yaml:4:26: x-resilience: version is missing")
	explain(t, doc, "  - {target: $, update: {x-resilience: {version: 1}}}\n", "  - {target: $, update: {x-resilience: {replicas: 2}}}\n").
		want("over2.yaml:4:40: x-resilience: version is missing")
	explain(t, doc, "  - {target: '$.paths.*.get', update: {x-resilience: {timeout: 5}}}\n").
		want("over1.yaml:4:64: ")
	explain(t, doc, "  - {target: '$.paths.*.get.responses', update: {x-resilience: {timeout: 5s}}}\n").
		want("over1.yaml:4:50: x-resilience may not stand in")
}
