package c010_test

import (
	"testing"

	"example.test/out/c010"
)

func TestSupportGivesWay(t *testing.T) {
	_ = c010.Error{}
	_ = c010.String{}
	_ = c010.ClientModel{}
	_ = c010.Server{}
	_ = c010.Context{}
	_ = c010.Option{}
	round[c010.GetAllOKBody](t, `{"e":{"error":"x"},"c":{"name":"n"}}`)
}
