package stream

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"
)

// jsonEvent is an event as a JSON object.
type jsonEvent struct {
	Event string          `json:"event,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
	ID    string          `json:"id,omitempty"`
	Retry int64           `json:"retry,omitempty"`
}

// AppendJSON appends the event as an object of event, data, id and retry, in
// milliseconds, for documents that describe events as a whole. With data set,
// data that is a JSON object or array stands in it as JSON, else as a string.
func (e Event) AppendJSON(dst []byte, data bool) ([]byte, error) {
	o := jsonEvent{Event: e.Name, ID: e.ID, Retry: e.Retry.Milliseconds()}
	text := strings.TrimSpace(string(e.Data))
	if data && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text)) {
		o.Data = json.RawMessage(text)
	} else {
		quoted, err := json.Marshal(string(e.Data))
		if err != nil {
			return dst, err
		}
		o.Data = quoted
	}
	object, err := json.Marshal(o)
	return append(dst, object...), err
}

var errEventObject = errors.New("the event is not an object of event, data, id and retry")

// ParseEvent is the event that an object describes: the inverse of AppendJSON.
func ParseEvent(object []byte) (Event, error) {
	var o struct {
		Event *string         `json:"event"`
		Data  json.RawMessage `json:"data"`
		ID    json.RawMessage `json:"id"`
		Retry *float64        `json:"retry"`
	}
	if json.Unmarshal(object, &o) != nil {
		return Event{}, errEventObject
	}
	var e Event
	if o.Event != nil {
		e.Name = *o.Event
	}
	if o.Retry != nil && *o.Retry > 0 && *o.Retry < math.MaxInt32 {
		e.Retry = time.Duration(*o.Retry) * time.Millisecond
	}
	e.ID = unquote(o.ID)
	e.Data = []byte(unquote(o.Data))
	return e, nil
}

// unquote is the text of a JSON string, any other JSON as it is, and nothing for
// null or what is absent.
func unquote(raw json.RawMessage) string {
	var s string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &s) == nil:
		return s
	}
	return string(raw)
}
