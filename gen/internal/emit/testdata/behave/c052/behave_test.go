package c052_test

import (
	"testing"

	"example.test/out/c052"
)

func TestDefaults(t *testing.T) {
	v := read[c052.ListBody](t, `{}`, request)
	if n, ok := v.Retries.Get(); !ok || n != 0 {
		t.Error("retries has no default")
	}
	if v.Mode.Or("") != c052.ListBodyModeSoft {
		t.Errorf("mode is %q", v.Mode.Or(""))
	}
	if v := read[c052.ListBody](t, `{"retries":3,"mode":"hard"}`, request); v.Retries.Or(0) != 3 || v.Mode.Or("") != c052.ListBodyModeHard {
		t.Errorf("given values: %+v", v)
	}
	write(t, &c052.ListBody{}, lenient, `{}`)
}
