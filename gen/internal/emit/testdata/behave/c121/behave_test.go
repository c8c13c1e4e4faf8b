package c121_test

import (
	"testing"

	"example.test/out/c121"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestExactIntegers(t *testing.T) {
	if c121.NN9007199254740993 != 9007199254740993 {
		t.Error("the constant is rounded")
	}
	if got := read[c121.N](t, `{}`, request).N.Or(0); got != 9007199254740993 {
		t.Errorf("the default is %d", got)
	}
	read[c121.N](t, `{"n":9007199254740993}`, request)
	refuse[c121.N](t, `{"n":9007199254740992}`, request, "/n")
	invalid(t, &c121.N{Lim: value.Some[int64](9007199254740993)})
	invalid(t, &c121.N{Lim: value.Some[int64](9007199254740994)}, "/lim")
}
