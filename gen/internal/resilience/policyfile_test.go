package resilience

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

// A policy file knows each word of the language: what cannot change in a running
// program is refused with its reason, not as a name that does not exist.
func TestPolicyFilesKnowTheLanguage(t *testing.T) {
	known := func(way ...string) {
		t.Helper()
		text := "null"
		for _, name := range slices.Backward(way) {
			text = fmt.Sprintf("{%q: %s}", name, text)
		}
		_, err := policyfile.Parse("p", []byte(`{"version": 1, `+text[1:]), nil)
		if err != nil && strings.Contains(err.Error(), ": unknown: ") {
			t.Errorf("%v", err)
		}
	}
	for _, p := range primitives {
		known("all", p.name)
		if p.object == nil {
			continue
		}
		for _, f := range p.object.fields {
			known("all", p.name, f.name)
		}
	}
	for _, name := range policyKeys() {
		known("all", name)
	}
	for _, s := range []side{clientSide, serverSide} {
		for _, name := range sideKeys(s) {
			known("all", s.String(), name)
		}
	}
	for _, f := range limitFields {
		known("all", "rateLimit", "buckets", "x", f.name)
	}
	for _, f := range ruleObject.fields {
		known("all", "retry", "rules", "x", f.name)
	}
	for _, k := range rootKeys {
		known(k)
	}
}
