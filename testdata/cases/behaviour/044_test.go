package api_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	api "cases/c044"
	"cases/kit"
)

type service struct{ person *api.Person }

func (s service) GetPerson(context.Context) (*api.Person, error) { return s.person, nil }

func TestTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "Person", src.FieldTypes("Person"), []string{"Name string", "Parent *Person", "House *House"})
	kit.Same(t, "House", src.FieldTypes("House"), []string{"Head Person"})
}

// people are depth persons, one in the other.
func people(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(`{"name":"` + strconv.Itoa(i) + `"`)
		if i < depth-1 {
			b.WriteString(`,"parent":`)
		}
	}
	return b.String() + strings.Repeat("}", depth)
}

func TestDepth(t *testing.T) {
	const depth = 1000
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(people(depth))).URL).GetPerson(t.Context())
	kit.OK(t, err)
	n := 0
	for p := got; p != nil; p = p.Parent {
		kit.Same(t, "name", p.Name, strconv.Itoa(n))
		n++
	}
	kit.Same(t, "depth", n, depth)
	url := kit.Serve(t, api.NewHandler(service{got}))
	kit.Same(t, "encoded again", kit.Send(t, "GET", url+"/people", "").Body, people(depth))

	_, err = kit.Client(t, api.New, kit.Record(t, kit.JSON(people(200_000))).URL).GetPerson(t.Context())
	kit.Fails(t, err, "nested")
}

func TestEachOther(t *testing.T) {
	const wire = `{"name":"a","house":{"head":{"name":"b","house":{"head":{"name":"c"}}}}}`
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetPerson(t.Context())
	kit.OK(t, err)
	kit.Same(t, "person", got, &api.Person{
		Name: "a", House: &api.House{Head: api.Person{Name: "b", House: &api.House{Head: api.Person{Name: "c"}}}},
	})
	_, err = kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"name":"a","house":{"head":{}}}`)).URL).GetPerson(t.Context())
	kit.Fails(t, err, "/house/head/name")
}

// A value that contains itself has no end; it is an error and no overflow of the stack.
func TestCycle(t *testing.T) {
	person := &api.Person{Name: "a"}
	person.Parent = person
	url := kit.Serve(t, api.NewHandler(service{person}))
	kit.Problem(t, kit.Send(t, "GET", url+"/people", ""), 500)
}
