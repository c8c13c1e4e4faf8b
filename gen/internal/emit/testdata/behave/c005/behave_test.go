package c005_test

import (
	"testing"

	"example.test/out/c005"
)

func TestTypesKeepTheirNames(t *testing.T) {
	var detail c005.StateOpen
	_ = detail.Since
	if c005.StateOpenValue != "open" || c005.DoorOpen != "open" || c005.StateShut != "shut" {
		t.Error("constants")
	}
}
