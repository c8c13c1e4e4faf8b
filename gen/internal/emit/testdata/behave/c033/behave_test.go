package c033_test

import (
	"testing"

	"example.test/out/c033"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestRefined(t *testing.T) {
	round[c033.Patch](t, `{"due":null,"size":9}`, `{"due":"2024-02-29"}`)
	refuse[c033.Patch](t, `{"due":"2024-02-30"}`, lenient, "/due")
	for size, bad := range map[int64]bool{0: true, 1: false, 9: false, 10: true} {
		v := &c033.Patch{Size: value.Some(size)}
		if bad {
			invalid(t, v, "/size")
		} else {
			invalid(t, v)
		}
	}
}
