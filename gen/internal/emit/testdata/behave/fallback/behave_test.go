package fallback_test

import (
	"testing"

	"example.test/out/fallback"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func refused(t *testing.T, v json.Marshaler) {
	t.Helper()
	if text, err := json.Marshal(v); err == nil {
		t.Errorf("%+v became %s", v, text)
	}
}

// What no key chooses is the fallback's: another value, none, and one that is no text.
func TestFallbackTakesTheRest(t *testing.T) {
	for text, name := range map[string]string{
		`{"name":"a"}`:              "a",
		`{"kind":"dog","name":"b"}`: "b",
		`{"name":"c","kind":"x"}`:   "c",
	} {
		v := read[fallback.Pet](t, text, strict)
		if v.Cat != nil || v.Other == nil || v.Other.Name.Or("") != name {
			t.Errorf("%s: %+v", text, v)
		}
	}
	if v := read[fallback.Pet](t, `{"lives":9,"kind":"cat"}`, strict); v.Cat == nil || v.Other != nil {
		t.Errorf("cat: %+v", v)
	}
	refuse[fallback.Pet](t, `{"kind":"cat"}`, lenient, "/lives")
	refuse[fallback.Pet](t, `{"kind":1}`, lenient, "/kind", "string")
	refuse[fallback.Pet](t, `[]`, lenient, "object")
	round[fallback.Pet](t, `{"name":"a"}`, `{"kind":"dog","name":"b"}`, `{"kind":"Other","name":"b"}`, `{"kind":"cat","lives":9}`)
}

// A fallback that says to be another variant is written as itself.
func TestFallbackIsWrittenAsItself(t *testing.T) {
	write(t, &fallback.Pet{Other: &fallback.Other{Name: value.Some("a")}}, lenient, `{"name":"a"}`)
	write(t, &fallback.Pet{Other: &fallback.Other{Kind: value.Some("cat")}}, lenient, `{"kind":"Other"}`)
	write(t, &fallback.Pet{Other: &fallback.Other{Kind: value.Some("dog")}}, lenient, `{"kind":"dog"}`)
}

// Where the fallback has no member for it, the union keeps the value.
func TestFallbackWithoutTheMember(t *testing.T) {
	round[fallback.Job](t, `{"text":"a"}`, `{"task":"scan","text":"a"}`, `{"task":"Any","text":"a"}`, `{"task":"Print","pages":1}`)
	write(t, &fallback.Job{Print: &fallback.Print{}}, lenient, `{"task":"Print"}`)
	write(t, &fallback.Job{Any: &fallback.Any{}}, lenient, `{}`)
	write(t, &fallback.Job{Any: &fallback.Any{}, Discriminator: "Print"}, lenient, `{"task":"Any"}`)
	refused(t, &fallback.Job{})
}

// The value that a variant is limited to is written, not the first of the mapping.
func TestWrittenKey(t *testing.T) {
	write(t, &fallback.Gear{Bike: &fallback.Bike{}}, lenient, `{"type":"velo"}`)
	write(t, &fallback.Gear{Car: &fallback.Car{}}, lenient, `{"type":"car"}`)
	round[fallback.Gear](t, `{"type":"velo"}`, `{"type":"car","doors":2}`)
}
