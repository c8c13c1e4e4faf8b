package c089_test

import (
	"testing"

	"example.test/out/c089"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestShared(t *testing.T) {
	v := c089.GetWOKBody{Tag: value.Some(c089.WidgetTagNew)}
	w := c089.Widget{Tag: v.Tag}
	write(t, &w, lenient, `{"tag":"new"}`)
}
