package c032_test

import (
	"testing"

	"example.test/out/c032"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

func TestExtras(t *testing.T) {
	round[c032.Merged](t, `{"a":1,"b":"x","z":5}`)
	refuse[c032.Merged](t, `{"a":1,"b":"x","z":"no"}`, lenient, "/z")
	clash := &c032.Merged{Extra: map[string]int64{"a": 1}}
	if _, err := json.Marshal(clash); err == nil {
		t.Error("an extra member may have the name of a field")
	}
}
