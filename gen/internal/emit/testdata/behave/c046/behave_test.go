package c046_test

import (
	"testing"

	"example.test/out/c046"
)

func TestExpr(t *testing.T) {
	var items []c046.Expr = new(c046.Group).Items
	_ = items
	round[c046.Expr](t, `{"items":[{"leaf":"a"},{"items":[]}]}`, `{"leaf":"a"}`)
}
