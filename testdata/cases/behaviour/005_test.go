package api_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c005"
	"cases/kit"
)

type service struct{ gate *api.Gate }

func (s service) GetGate(context.Context) (*api.Gate, error) { return s.gate, nil }

func TestNames(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "StateOpen", src.Type("StateOpen"), "struct")
	kit.Same(t, "State", src.Consts("State"), []kit.Const{{Name: "StateOpenValue", Value: "open"}, {Name: "StateShut", Value: "shut"}})
	kit.Same(t, "Door", src.Consts("Door"), []kit.Const{{Name: "DoorOpen", Value: "open"}, {Name: "DoorShut", Value: "shut"}})
	for _, typ := range []string{"State", "Door"} {
		for _, c := range src.Consts(typ) {
			if !strings.HasPrefix(c.Name, typ) {
				t.Errorf("%s does not begin with its type %s", c.Name, typ)
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	since := time.Date(2024, 5, 14, 2, 43, 39, 0, time.UTC)
	gate := &api.Gate{
		State:  value.Some(api.StateOpenValue),
		Door:   value.Some(api.DoorShut),
		Detail: &api.StateOpen{Since: value.Some(since)},
	}
	url := kit.Serve(t, api.NewHandler(service{gate}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/gates", "").Body,
		`{"state":"open","door":"shut","detail":{"since":"2024-05-14T02:43:39Z"}}`)
	got, err := kit.Client(t, api.New, url).GetGate(t.Context())
	kit.OK(t, err)
	kit.Same(t, "state", got.State, gate.State)
	kit.Same(t, "door", got.Door, gate.Door)
	if at, _ := got.Detail.Since.Get(); !at.Equal(since) {
		t.Errorf("since %v", at)
	}
}
