package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c054"
	"cases/kit"
)

const wire = `{"big":9007199254740993,"idStr":"9007199254740993","u":18446744073709551615,"money":"10.10","ratio":0.1}`

// The members are written in the order of the document.
const written = `{"big":9007199254740993,"u":18446744073709551615,"idStr":"9007199254740993","money":"10.10","ratio":0.1}`

type service struct{ n *api.GetNOKBody }

func (s service) GetN(context.Context) (*api.GetNOKBody, error) { return s.n, nil }

func get(t *testing.T, body string) (*api.GetNOKBody, error) {
	t.Helper()
	return kit.Client(t, api.New, kit.Record(t, kit.JSON(body)).URL).GetN(t.Context())
}

func TestRoundTrip(t *testing.T) {
	want := &api.GetNOKBody{
		Big: value.Some[int64](9007199254740993), U: value.Some[uint64](18446744073709551615),
		IDStr: value.Some("9007199254740993"), Money: value.Some("10.10"), Ratio: value.Some(0.1),
	}
	for _, text := range []string{wire, written} {
		got, err := get(t, text)
		kit.OK(t, err)
		kit.Same(t, "numbers", got, want)
		url := kit.Serve(t, api.NewHandler(service{got}))
		kit.Same(t, "encoded again", kit.Send(t, "GET", url+"/n", "").Body, written)
	}
}

func TestRefused(t *testing.T) {
	for text, pointer := range map[string]string{
		`{"big":1.5}`:                 "/big",
		`{"big":"1"}`:                 "/big",
		`{"big":9223372036854775808}`: "/big",
		`{"i32":2147483648}`:          "/i32",
		`{"u":-1}`:                    "/u",
		`{"u":18446744073709551616}`:  "/u",
		`{"idStr":9007199254740993}`:  "/idStr",
		`{"ratio":1e999}`:             "/ratio",
	} {
		_, err := get(t, text)
		kit.Fails(t, err, pointer)
	}
}

// JSON Schema calls 1e3 and 1.0 integers, which the documentation of the codec says.
func TestIntegersWithExponent(t *testing.T) {
	got, err := get(t, `{"big":1e3,"i32":-1.0}`)
	kit.OK(t, err)
	kit.Same(t, "numbers", got, &api.GetNOKBody{Big: value.Some[int64](1000), I32: value.Some[int32](-1)})
}
