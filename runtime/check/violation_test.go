package check_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// Names come from the other side, and each violation repeats those on its way: one
// long name must not make an answer many times the message.
func TestPointersAreBounded(t *testing.T) {
	for name, want := range map[string]string{
		strings.Repeat("k", 256):       "/" + strings.Repeat("k", 256),
		strings.Repeat("k", 257):       "/" + strings.Repeat("k", 256) + "…",
		"k" + strings.Repeat("é", 200): "/k" + strings.Repeat("é", 127) + "…",
		strings.Repeat("/", 1000):      "/" + strings.Repeat("~1", 256) + "…",
	} {
		if got := string(check.AppendPointer(nil, name)); got != want {
			t.Errorf("%.20s: got %s", name, got)
		}
	}
	var c check.Checker
	for range 900 {
		c.Enter(strings.Repeat("k", 1000))
	}
	if got := c.Pointer(); len(got) > 5<<10 || !strings.HasSuffix(got, "…/…") {
		t.Errorf("got %d bytes, the end of which is %q", len(got), got[len(got)-10:])
	}
}
