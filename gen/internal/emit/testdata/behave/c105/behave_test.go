package c105_test

import (
	"testing"

	"example.test/out/c105"
)

func TestNesting(t *testing.T) {
	invalid(t, read[c105.VBody](t, `{"list":[{"k":""}],"m":{"x":99}}`, request), "/list/0/k", "/m/x")
	invalid(t, read[c105.VBody](t, `{"list":[{}],"m":{"x":9}}`, request))
	invalid(t, read[c105.VBody](t, `{}`, request))
}
