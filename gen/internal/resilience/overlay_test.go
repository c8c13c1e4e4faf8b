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
		"over1.yaml:9:48: error: x-resilience.policies.two uses itself: two -> one -> two",
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
