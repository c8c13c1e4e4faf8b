package api_test

import (
	"context"
	"errors"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"

	api "cases/c088"
	"cases/kit"
)

type service struct {
	a   api.A
	err error
}

func (s service) GetA(context.Context) (api.A, error) { return s.a, s.err }

func TestAliases(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "A", src.Type("A"), "= B")
	kit.Same(t, "B", src.Type("B"), "= C")
	kit.Same(t, "C", src.Type("C"), "= string")
	// One text is a value of each: the JSON cannot differ.
	var c api.C = "abc"
	var b api.B = c
	url := kit.Serve(t, api.NewHandler(service{a: b}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/a", "").Body, `"abc"`)
	got, err := kit.Client(t, api.New, url, client.Strict()).GetA(t.Context())
	kit.OK(t, err)
	kit.Same(t, "result", got, "abc")
}

func TestBoundOfCHoldsForA(t *testing.T) {
	for wire, ok := range map[string]bool{`""`: true, `"abc"`: true, `"äöü"`: true, `"abcd"`: false} {
		url := kit.Record(t, kit.JSON(wire)).URL
		if _, err := kit.Client(t, api.New, url, client.Strict()).GetA(t.Context()); ok {
			kit.OK(t, err)
		} else {
			kit.Fails(t, err, "3")
		}
		_, err := kit.Client(t, api.New, url).GetA(t.Context())
		kit.OK(t, err)
	}
}

func TestGoneIsMissing(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{err: &api.Missing{}}))
	answer := kit.Send(t, "GET", url+"/a", "")
	kit.Same(t, "status", answer.Status, 410)
	kit.Same(t, "body", answer.Body, "")
	_, err := kit.Client(t, api.New, url).GetA(t.Context())
	var missing *api.Missing
	if !errors.As(err, &missing) {
		t.Fatal(err)
	}
	kit.Fails(t, missing, "410", "none")
	kit.Same(t, "type Gone", kit.Parse(t).Type("Gone"), "")
}
