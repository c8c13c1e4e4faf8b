package resilience

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// schema is a JSON Schema, or any other JSON object, whose members keep their order:
// the files are read by people as well.
type schema []entry

type entry struct {
	key   string
	value any
}

// with is the schema with one more member at its end.
func (s schema) with(key string, value any) schema {
	return append(slices.Clip(s), entry{key, value})
}

func (s schema) get(key string) any {
	for _, m := range s {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func ref(name string) schema { return schema{{"$ref", "#/$defs/" + name}} }

func anyOf(of ...schema) schema { return schema{{"anyOf", of}} }

func required(names ...string) schema { return schema{{"required", names}} }

// has is an object with all of these; required alone fits whatever is no object.
func has(names ...string) schema { return schema{{"type", "object"}, {"required", names}} }

func not(s schema) schema { return schema{{"not", s}} }

// width is where a line of the files ends at the latest, if it can.
const width = 140

// render writes a value as JSON: on one line where it fits, else a member a line.
func render(v any, indent string) string {
	if line := oneLine(v); len(indent)+len(line) <= width {
		return line
	}
	inner := indent + "  "
	var parts []string
	open, end := "[", "]"
	switch v := v.(type) {
	case schema:
		open, end = "{", "}"
		for _, m := range v {
			parts = append(parts, quoted(m.key)+": "+render(m.value, inner))
		}
	case []schema:
		for _, s := range v {
			parts = append(parts, render(s, inner))
		}
	case []any:
		for _, s := range v {
			parts = append(parts, render(s, inner))
		}
	default:
		return oneLine(v)
	}
	return open + "\n" + inner + strings.Join(parts, ",\n"+inner) + "\n" + indent + end
}

func oneLine(v any) string {
	var parts []string
	switch v := v.(type) {
	case schema:
		for _, m := range v {
			parts = append(parts, quoted(m.key)+": "+oneLine(m.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []schema:
		for _, s := range v {
			parts = append(parts, oneLine(s))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []any:
		for _, s := range v {
			parts = append(parts, oneLine(s))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []string:
		for _, s := range v {
			parts = append(parts, quoted(s))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return quoted(v)
}

// quoted is a scalar, or whatever Go's encoder knows, as JSON without escapes for HTML.
func quoted(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimRight(b.String(), "\n")
}

// readable gives texts in Markdown to editors that show it, and plain ones to all
// others.
func readable(v any) any {
	switch v := v.(type) {
	case schema:
		var out schema
		for _, m := range v {
			text, ok := m.value.(string)
			if !ok || m.key != "description" || !strings.Contains(text, "`") {
				out = append(out, entry{m.key, readable(m.value)})
				continue
			}
			out = append(out, entry{"description", strings.ReplaceAll(text, "`", "")}, entry{"markdownDescription", text})
		}
		if out == nil {
			return schema{}
		}
		return out
	case []schema:
		out := make([]any, len(v))
		for i, s := range v {
			out[i] = readable(s)
		}
		return out
	}
	return v
}
