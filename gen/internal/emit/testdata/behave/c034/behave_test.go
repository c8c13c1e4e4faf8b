package c034_test

import (
	"testing"

	"example.test/out/c034"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestScalarsKeepTheirType(t *testing.T) {
	var mode value.Opt[c034.Mode] = read[c034.Cfg](t, `{}`, strict).Mode
	if mode.Or("") != c034.ModeFast {
		t.Errorf("the default is %q", mode.Or(""))
	}
	if got := read[c034.Cfg](t, `{"mode":"slow"}`, strict).Mode.Or(""); got != c034.ModeSlow {
		t.Errorf("mode %q", got)
	}
	var size value.Opt[int64]
	for n, bad := range map[int64]bool{0: true, 1: false, 5: false, 6: true} {
		size.Set(n)
		if v := (&c034.Cfg{Size: size}); bad {
			invalid(t, v, "/size")
		} else {
			invalid(t, v)
		}
	}
}
