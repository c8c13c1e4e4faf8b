package oneway_test

import (
	"testing"

	"example.test/out/oneway"
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

func TestConstraintsHoldWhereTheMemberTravels(t *testing.T) {
	sent := &oneway.Batch{Items: []oneway.Item{{Name: "n", Secret: "long enough"}}}
	if err := check.BodyOf(sent, check.InRequest); err != nil {
		t.Errorf("a request without an id: %v", err)
	}
	answered := &oneway.Batch{Items: []oneway.Item{{ID: "i_1", Name: "n"}}}
	if err := check.BodyOf(answered, check.InResponse); err != nil {
		t.Errorf("a response without a secret: %v", err)
	}
	invalid(t, sent, "/items/0/id")
	invalid(t, answered, "/items/0/secret")
	if err := check.BodyOf(&oneway.Item{ID: "i_1", Name: "n", Secret: "short"}, check.InRequest); err == nil {
		t.Error("a request with a secret that is too short was accepted")
	}
}

func TestTrialsKnowTheDirection(t *testing.T) {
	v := read[oneway.Either](t, `{"name":"n","secret":"long enough"}`, request)
	if v.Item == nil || v.Item.Name != "n" {
		t.Errorf("%+v", v)
	}
	read[oneway.Either](t, `{"id":"i_1","name":"n"}`, response)
	refuse[oneway.Either](t, `{"id":"wrong","name":"n"}`, json.Mode{Strict: true, Direction: json.Response}, "pattern")
}
