package api_test

import (
	"context"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c089"
	"cases/kit"
)

type service struct{}

var widget = api.GetWOKBody{ID: value.Some("1"), Tag: value.Some(api.WidgetTagNew)}

func (service) GetW(context.Context, api.GetWRequest) (*api.GetWOKBody, error) { return &widget, nil }
func (service) ListW(context.Context) ([]api.GetWOKBody, error) {
	return []api.GetWOKBody{widget, {}}, nil
}

// The reference into the other path is that path's type, defined once; so is the one
// into the properties of Widget.
func TestOneDefinition(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "fields", src.FieldTypes("GetWOKBody"), []string{"ID value.Opt[string]", "Tag value.Opt[WidgetTag]"})
	kit.Same(t, "fields of Widget", src.FieldTypes("Widget"), []string{"Tag value.Opt[WidgetTag]"})
	kit.Same(t, "WidgetTag", src.Type("WidgetTag"), "string")
	kit.Same(t, "values", src.Values("WidgetTag"), []string{"new", "old"})
	var models []string
	for _, name := range src.Types() {
		if strings.Contains(name, "1") || strings.Contains(name, "7B") {
			t.Errorf("%s is made of an escape", name)
		}
		if src.Type(name) == "struct" && src.Fields(name) != nil && src.Fields(name)[0].JSON != "" {
			models = append(models, name)
		}
	}
	kit.Same(t, "structs", models, []string{"GetWOKBody", "Widget"})
}

func TestBothSides(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{}))
	kit.Same(t, "one", kit.Send(t, "GET", url+"/w/1", "").Body, `{"id":"1","tag":"new"}`)
	kit.Same(t, "list", kit.Send(t, "GET", url+"/w", "").Body, `[{"id":"1","tag":"new"},{}]`)
	c := kit.Client(t, api.New, url, client.Strict())
	one, err := c.GetW(t.Context(), api.GetWRequest{ID: "1"})
	kit.OK(t, err)
	list, err := c.ListW(t.Context())
	kit.OK(t, err)
	kit.Same(t, "results", []api.GetWOKBody{*one, {}}, list)

	wrong := kit.Record(t, kit.JSON(`[{"tag":"older"}]`))
	_, err = kit.Client(t, api.New, wrong.URL, client.Strict()).ListW(t.Context())
	kit.Fails(t, err, "/0/tag", `"older"`)
}
