package resilience_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// What a small document can multiply ends with one report.
func TestBounds(t *testing.T) {
	var paths, rules, profiles, variants, chain strings.Builder
	for i := range 10 {
		fmt.Fprintf(&paths, "  /p%d: {get: {operationId: op%d, parameters: [{name: q, in: query, schema: {type: string}}], responses: {'204': {description: ok}}}}\n", i, i)
		fmt.Fprintf(&profiles, "    p%d: {all: {timeout: %ds}}\n", i, i+1)
		fmt.Fprintf(&variants, "v%d: {when: {$request.query.q: a%d}, timeout: %ds}, ", i, i, i+1)
	}
	for i := range 100 {
		fmt.Fprintf(&rules, "    - {to: {methods: [GET]}, policy: {timeout: %ds}}\n", i%100+1)
	}
	for i := range 3000 {
		fmt.Fprintf(&chain, "    c%d: {use: c%d}\n", i, (i+1)%3000)
	}
	root := "x-resilience:\n  version: 1\n%s\npaths:\n" + paths.String()
	for name, c := range map[string]struct {
		text       string
		laid, made int
		want       string
	}{
		"levels":   {"  apply:\n" + rules.String(), 999, 10, "all operations together have more than 999 levels"},                                                                 // 10 x 100
		"policies": {"  defaults: {variants: {" + variants.String() + "}}\n  profiles:\n" + profiles.String(), 1e6, 1209, "all operations together have more than 1209 policies"}, // 10 x 11 x 11
		"circle":   {"  policies:\n" + chain.String(), 1e6, 1e6, "x-resilience.policies.c0 uses itself: c0 -> c1 -> c2 -> c3 -> c4 -> … -> c2996 -> c2997 -> c2998 -> c2999 -> c0"},
	} {
		t.Run(name, func(t *testing.T) {
			list := applyText(t, fmt.Sprintf(root, c.text), resilience.Bounds(c.laid, c.made)).list
			if len(list) != 1 || !strings.Contains(list[0].Message, c.want) {
				t.Errorf("reported: %v\nwant one: %s", list, c.want)
			}
		})
	}
}
