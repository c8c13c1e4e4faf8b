package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c024"
	"cases/kit"
)

type service struct{ room *api.Room }

func (s service) GetRoom(context.Context) (*api.Room, error) { return s.room, nil }

func TestTypes(t *testing.T) {
	fields := kit.Parse(t).FieldTypes("Room")
	kit.Same(t, "fields", fields[:3], []string{"Number value.Null[string]", "Floor value.Null[int64]", "Code RoomCode"})
}

func TestRoundTrip(t *testing.T) {
	seven, text := int64(7), "7"
	for wire, want := range map[string]*api.Room{
		`{"number":null,"floor":null,"code":"7"}`: {Code: api.RoomCode{String: &text}},
		`{"number":"1a","floor":-2,"code":7}`: {
			Number: value.NotNull("1a"), Floor: value.NotNull[int64](-2), Code: api.RoomCode{Integer: &seven},
		},
		`{"number":"","floor":0,"code":7,"nothing":null}`: {
			Number: value.NotNull(""), Floor: value.NotNull[int64](0), Code: api.RoomCode{Integer: &seven},
			Nothing: value.Some(struct{}{}),
		},
	} {
		got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL, client.Strict()).GetRoom(t.Context())
		kit.OK(t, err)
		kit.Same(t, wire, got, want)
		url := kit.Serve(t, api.NewHandler(service{got}))
		kit.Same(t, "encoded again", kit.Send(t, "GET", url+"/room", "").Body, wire)
	}
}

func TestRefused(t *testing.T) {
	for wire, words := range map[string][]string{
		`{"number":null,"floor":null,"code":null}`:               {"/code", "integer", "string"},
		`{"number":null,"floor":null,"code":true}`:               {"/code", "integer", "string"},
		`{"number":null,"floor":null,"code":1.5}`:                {"/code"},
		`{"number":1,"floor":null,"code":1}`:                     {"/number"},
		`{"number":null,"floor":"1","code":1}`:                   {"/floor"},
		`{"number":null,"floor":null,"code":1,"nothing":"null"}`: {"/nothing", "null"},
		`{"number":null,"floor":null,"code":1,"nothing":{}}`:     {"/nothing", "null"},
		`{"code":1}`: {"/number", "/floor"},
	} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetRoom(t.Context())
		kit.Fails(t, err, words...)
	}
}
