package stream

import (
	"testing"
	"time"
)

func TestEventsAsObjects(t *testing.T) {
	for _, tt := range []struct {
		event Event
		data  bool
		want  string
	}{
		{Event{Name: "a", Data: []byte("hello"), ID: "7", Retry: 1500 * time.Millisecond}, false, `{"event":"a","data":"hello","id":"7","retry":1500}`},
		{Event{Data: []byte(`{"n":1}`)}, false, `{"data":"{\"n\":1}"}`},
		{Event{Data: []byte(`{"n":1}`)}, true, `{"data":{"n":1}}`},
		{Event{Data: []byte(` [1] `)}, true, `{"data":[1]}`},
		{Event{Data: []byte(`{broken`)}, true, `{"data":"{broken"}`},
		{Event{Data: []byte(`12`)}, true, `{"data":"12"}`},
	} {
		got, err := tt.event.AppendJSON(nil, tt.data)
		if err != nil || string(got) != tt.want {
			t.Errorf("%v is %s, %v, want %s", tt.event, got, err, tt.want)
		}
		back, err := ParseEvent(got)
		if err != nil || back.Name != tt.event.Name || back.ID != tt.event.ID || back.Retry != tt.event.Retry {
			t.Errorf("%s is %v, %v", got, back, err)
		}
	}
}

func TestParseEvent(t *testing.T) {
	for text, want := range map[string]string{
		`{"data":"a b"}`: "a b", `{"data":{"n":1}}`: `{"n":1}`, `{"data":null}`: "", `{}`: "", `{"data":"x","other":1}`: "x",
	} {
		if e, err := ParseEvent([]byte(text)); err != nil || string(e.Data) != want {
			t.Errorf("%s has the data %q, %v, want %q", text, e.Data, err, want)
		}
	}
	for _, text := range []string{"", "[]", `{"event":1}`, `"a"`} {
		if _, err := ParseEvent([]byte(text)); err == nil {
			t.Errorf("%s is an event", text)
		}
	}
	if e, err := ParseEvent([]byte(`{"retry":-1}`)); err != nil || e.Retry != 0 {
		t.Errorf("a retry in the past: %v, %v", e, err)
	}
}
