package ir

import (
	"encoding/json"
	"strings"
)

// JSON is a value as JSON on one line: numbers as they are written, members in their
// order, and no more escapes than JSON demands.
func (v *Value) JSON() string {
	var b strings.Builder
	writeJSON(&b, v)
	return b.String()
}

func writeJSON(b *strings.Builder, v *Value) {
	switch v.Kind {
	case StringValue:
		writeText(b, v.Text)
	case ArrayValue:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	case ObjectValue:
		b.WriteByte('{')
		for i, m := range v.Members {
			if i > 0 {
				b.WriteString(", ")
			}
			writeText(b, m.Name)
			b.WriteString(": ")
			writeJSON(b, m.Value)
		}
		b.WriteByte('}')
	case NullValue:
		b.WriteString("null")
	default:
		b.WriteString(v.Text)
	}
}

func writeText(b *strings.Builder, s string) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) //nolint:errchkjson // a string and a builder: nothing fails
	b.WriteString(strings.TrimSuffix(text.String(), "\n"))
}
