package notes_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/notes"
	codec "github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// same compares values, the private parts of optional ones included.
var same = cmp.Exporter(func(reflect.Type) bool { return true })

// A program may put the types into whatever it writes with encoding/json.
func TestEncodingJSON(t *testing.T) {
	full := notes.Note{
		Text: "milk <2%>", State: value.Some(notes.StateDone), Due: value.Present(value.Date{Year: 2024, Month: 2, Day: 29}), Tags: []string{"a", "b"},
		ID: value.UUID{15: 1}, CreatedAt: time.Date(2024, 2, 29, 10, 0, 0, 500_000_000, time.UTC),
	}
	const fullText = `{"text":"milk <2%>","state":"done","due":"2024-02-29","tags":["a","b"],"id":"00000000-0000-0000-0000-000000000001","createdAt":"2024-02-29T10:00:00.5Z"}`
	for name, tt := range map[string]struct {
		v    any
		into any
		text string
	}{
		"all members":  {full, new(notes.Note), fullText},
		"few members":  {notes.NoteDraft{Text: "x", State: value.Some(notes.StateOpen)}, new(notes.NoteDraft), `{"text":"x","state":"open"}`},
		"null":         {notes.NoteDraft{Text: "x", State: value.Some(notes.StateOpen), Due: value.NullOf[value.Date]()}, new(notes.NoteDraft), `{"text":"x","state":"open","due":null}`},
		"empty array":  {notes.NoteDraft{State: value.Some(notes.StateOpen), Tags: []string{}}, new(notes.NoteDraft), `{"text":"","state":"open","tags":[]}`},
		"in a slice":   {[]notes.Note{full}, new([]notes.Note), "[" + fullText + "]"},
		"in a map":     {map[string]notes.Note{"k": full}, new(map[string]notes.Note), `{"k":` + fullText + "}"},
		"enum":         {notes.StateDropped, new(notes.State), `"dropped"`},
		"no member":    {notes.Problem{}, new(notes.Problem), `{}`},
		"zero members": {notes.Problem{Title: value.Some(""), Status: value.Some[int32](0)}, new(notes.Problem), `{"title":"","status":0}`},
		"in a struct":  {struct{ N notes.Problem }{notes.Problem{Detail: value.Some("d")}}, new(struct{ N notes.Problem }), `{"N":{"detail":"d"}}`},
		"as a pointer": {map[string]any{"p": &notes.Problem{Detail: value.Some("d")}}, nil, `{"p":{"detail":"d"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			if err := e.Encode(tt.v); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(b.String()); got != tt.text {
				t.Errorf("%s\nwant\n%s", got, tt.text)
			}
			if tt.into == nil {
				return
			}
			if err := json.Unmarshal([]byte(tt.text), tt.into); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.v, reflect.ValueOf(tt.into).Elem().Interface(), same); diff != "" {
				t.Errorf("(-written +read):\n%s", diff)
			}
		})
	}
}

// What is wrong with a text is told with where it stands, all of it.
func TestDecodingJSON(t *testing.T) {
	for text, pointers := range map[string][]string{
		`{}`:                  {"/text", "/id", "/createdAt"},
		`{"text":1,"id":"x"}`: {"/text", "/id", "/createdAt"},
		`{"text":"x","id":"00000000-0000-0000-0000-000000000001","createdAt":"2024-02-29T10:00:00Z","tags":["a",2],"due":"29.2.2024"}`: {"/tags/1", "/due"},
	} {
		var n notes.Note
		err := json.Unmarshal([]byte(text), &n)
		var invalid *codec.InvalidError
		if !errors.As(err, &invalid) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, v := range invalid.Violations {
			got = append(got, v.Pointer)
		}
		slices.Sort(got)
		slices.Sort(pointers)
		if diff := cmp.Diff(pointers, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	// A value that a newer service sends is kept, and can be told.
	var s notes.State
	if err := json.Unmarshal([]byte(`"paused"`), &s); err != nil || s != "paused" || s.Known() {
		t.Errorf("%v, %q", err, s)
	}
}
