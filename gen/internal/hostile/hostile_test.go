package hostile

import (
	"bytes"
	"fmt"
	"testing"
)

type recorder struct{ said []string }

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

var sink []byte

func TestGuard(t *testing.T) {
	r := &recorder{}
	Guard(r, 1<<10, func() {})
	if len(r.said) != 0 {
		t.Errorf("%v", r.said)
	}
	Guard(r, 0, func() {
		for range 5 {
			sink = make([]byte, 64<<20)
		}
	})
	if want := "an input of 0 bytes made it allocate 320 MB, more than 256 MB"; len(r.said) != 1 || r.said[0] != want {
		t.Errorf("%v, want %s", r.said, want)
	}
	sink = nil
}

func TestMutate(t *testing.T) {
	text := []byte("openapi: 3.1.0\ninfo:\n  title: a\n  version: '1'\npaths: {}\n")
	kept := bytes.Clone(text)
	different := map[string]bool{}
	for seed := range uint64(500) {
		got := Mutate(text, seed)
		if !bytes.Equal(got, Mutate(text, seed)) {
			t.Fatalf("seed %d makes two documents", seed)
		}
		different[string(got)] = true
	}
	if !bytes.Equal(text, kept) {
		t.Error("the document itself was changed")
	}
	if len(different) < 400 {
		t.Errorf("500 seeds make %d documents", len(different))
	}
	if len(Mutate(nil, 0)) == 0 || len(Mutate(make([]byte, 2*maxGrown), 1)) > maxGrown {
		t.Error("the bounds do not hold")
	}
}
