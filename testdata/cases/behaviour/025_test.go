package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c025"
	"cases/kit"
)

type service struct {
	note *api.Note
	got  *api.ListNotesRequest
}

func (s service) ListNotes(_ context.Context, req api.ListNotesRequest) (*api.Note, error) {
	*s.got = req
	return s.note, nil
}

func TestNoUnions(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "note", src.FieldTypes("Note"), []string{"Note value.OptNull[string]", "Owner value.OptNull[Owner]"})
	kit.Same(t, "token", src.FieldTypes("ListNotesRequest"), []string{"Token value.Opt[int64]"})
}

func TestToken(t *testing.T) {
	sent := kit.Record(t, kit.JSON(`{}`))
	var got api.ListNotesRequest
	url := kit.Serve(t, api.NewHandler(service{&api.Note{}, &got}))
	for target, req := range map[string]api.ListNotesRequest{
		"/notes":                            {},
		"/notes?token=0":                    {Token: value.Some[int64](0)},
		"/notes?token=9007199254740993":     {Token: value.Some[int64](9007199254740993)},
		"/notes?token=-9223372036854775808": {Token: value.Some[int64](-9223372036854775808)},
	} {
		_, err := kit.Client(t, api.New, sent.URL).ListNotes(t.Context(), req)
		kit.OK(t, err)
		kit.Same(t, "target", sent.Last(t).Target, target)
		_, err = kit.Client(t, api.New, url).ListNotes(t.Context(), req)
		kit.OK(t, err)
		kit.Same(t, "request", got, req)
	}
	kit.Problem(t, kit.Send(t, "GET", url+"/notes?token=null", ""), 400, "token")
}

func TestNote(t *testing.T) {
	for wire, note := range map[string]*api.Note{
		`{}`:                             {},
		`{"note":null,"owner":null}`:     {Note: value.NullOf[string](), Owner: value.NullOf[api.Owner]()},
		`{"note":"a","owner":{"n":"b"}}`: {Note: value.Present("a"), Owner: value.Present(api.Owner{N: value.Some("b")})},
	} {
		url := kit.Serve(t, api.NewHandler(service{note, new(api.ListNotesRequest)}))
		kit.Same(t, "body", kit.Send(t, "GET", url+"/notes", "").Body, wire)
		got, err := kit.Client(t, api.New, url).ListNotes(t.Context(), api.ListNotesRequest{})
		kit.OK(t, err)
		kit.Same(t, wire, got, note)
	}
}
