package api_test

import (
	"context"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c092"
	"cases/kit"
)

type service struct{ body *api.GetSOKBody }

func (s service) GetS(context.Context) (*api.GetSOKBody, error) { return s.body, nil }

// What stands beside a reference says something of that use only.
func TestSiblings(t *testing.T) {
	src := kit.Parse(t)
	fields := src.Fields("GetSOKBody")
	kit.Same(t, "fields", src.FieldTypes("GetSOKBody"), []string{"Home *Addr", "Work *Addr"})
	for i, words := range [][]string{{"where it lives", "Read-only"}, {"Deprecated: "}} {
		for _, word := range words {
			if !strings.Contains(fields[i].Doc, word) {
				t.Errorf("the comment of %s does not say %q: %s", fields[i].Name, word, fields[i].Doc)
			}
			for _, other := range []string{fields[1-i].Doc, src.Doc("Addr"), src.Fields("Addr")[0].Doc} {
				if strings.Contains(other, word) {
					t.Errorf("%q stands elsewhere: %s", word, other)
				}
			}
		}
	}
}

func TestBothSides(t *testing.T) {
	body := &api.GetSOKBody{Home: &api.Addr{Street: value.Some("a")}, Work: &api.Addr{Street: value.Some("b")}}
	const wire = `{"home":{"street":"a"},"work":{"street":"b"}}`
	url := kit.Serve(t, api.NewHandler(service{body}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/s", "").Body, wire)
	got, err := kit.Client(t, api.New, url, client.Strict()).GetS(t.Context())
	kit.OK(t, err)
	kit.Same(t, "result", got, body)
}
