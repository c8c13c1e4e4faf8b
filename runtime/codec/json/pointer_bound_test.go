package json_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

// A repeated name below a long one, again and again: the violations together are
// not many times the text.
func TestLongNamesAreNotRepeated(t *testing.T) {
	text := `{"` + strings.Repeat("k", 100_000) + `":{` + strings.Repeat(`"a":1,`, 200) + `"a":1}}`
	var v any
	err := json.Decode([]byte(text), &v, json.Any, json.Mode{Strict: true})
	invalid, ok := errors.AsType[*check.Error](err)
	if !ok || len(invalid.Violations) != check.MaxViolations {
		t.Fatalf("got %T", err)
	}
	size := len(err.Error())
	for _, v := range invalid.Violations {
		size += len(v.String())
	}
	if size > len(text) {
		t.Errorf("%d bytes of violations for a text of %d", size, len(text))
	}
}
