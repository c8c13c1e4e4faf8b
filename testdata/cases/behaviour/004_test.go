package api_test

import (
	"context"
	"go/ast"
	"go/token"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"

	api "cases/c004"
	"cases/kit"
)

var values = []string{"夏", "冬", "\u00e9t\u00e9", "e\u0301te\u0301", "\u2744\ufe0f"}

type service struct{ season api.Season }

func (s service) GetSeason(context.Context) (api.Season, error) { return s.season, nil }

func TestConstants(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "values", src.Values("Season"), values)
	names := map[string]bool{}
	for _, c := range src.Consts("Season") {
		if !ast.IsExported(c.Name) || !token.IsIdentifier(c.Name) || names[c.Name] {
			t.Errorf("%q is not exported, no identifier, or there twice", c.Name)
		}
		names[c.Name] = true
	}
}

func TestEachValue(t *testing.T) {
	for _, text := range values {
		url := kit.Serve(t, api.NewHandler(service{api.Season(text)}))
		kit.Same(t, "body", kit.Send(t, "GET", url+"/seasons", "").Body, `"`+text+`"`)
		got, err := kit.Client(t, api.New, url, client.Strict()).GetSeason(t.Context())
		kit.OK(t, err)
		kit.Same(t, "season", string(got), text)
	}
	mixed := kit.Record(t, kit.JSON(`"e\u0301t\u00e9"`)) // neither of the two
	_, err := kit.Client(t, api.New, mixed.URL, client.Strict()).GetSeason(t.Context())
	kit.Fails(t, err, "must be one of")
}
