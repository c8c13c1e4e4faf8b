package c088_test

import (
	"testing"

	"example.test/out/c088"
)

func TestAliases(t *testing.T) {
	var a c088.A = "x"
	var c c088.C = a
	_ = c
}
