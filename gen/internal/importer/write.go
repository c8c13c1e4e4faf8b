package importer

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// object is a mapping of the overlay in the order of its text. Values are string,
// word, bool, int, time.Duration, []any or object.
type object []field

type field struct {
	key   string
	value any
}

// word is text that YAML must read as something else than a string: a number as
// its source has it.
type word string

func (o *object) set(key string, value any) { *o = append(*o, field{key, value}) }

// overlay renders the actions. Nothing of the source stands in it unquoted but
// what plain allows, and comments are one line each.
func (w *work) overlay() []byte {
	var b strings.Builder
	comment(&b, "", fmt.Sprintf("Imported from %s: what %s knows of it, as x-resilience.", filepath.Base(w.source), w.format))
	comment(&b, "", "Comments say what has no equivalent; apply it with: holdfast generate --overlay THIS-FILE")
	b.WriteString("overlay: 1.1.0\ninfo:\n  title: ")
	b.WriteString(scalar("Resilience from " + w.format))
	b.WriteString("\n  version: 1.0.0\nactions:\n")
	for _, a := range w.actions {
		for _, text := range a.lost {
			comment(&b, "  ", text)
		}
		if len(a.policy) > 0 {
			b.WriteString("  - target: " + scalar(a.target) + "\n    update:\n      x-resilience:\n")
			block(&b, "        ", a.policy)
		}
		for _, f := range a.later {
			comment(&b, "  ", "Not built yet, for "+a.target+": "+flow(object{f}))
		}
	}
	return []byte(b.String())
}

// empty reports whether no action has a policy: then there is no overlay either,
// which must have an action.
func (w *work) empty() bool {
	for _, a := range w.actions {
		if len(a.policy) > 0 {
			return false
		}
	}
	return true
}

func comment(b *strings.Builder, indent, text string) {
	b.WriteString(indent + "# " + diag.Escape(text) + "\n")
}

// block writes an object one member a line; members that are small stand in one.
func block(b *strings.Builder, indent string, o object) {
	for _, f := range o {
		b.WriteString(indent + scalar(f.key) + ":")
		switch v := f.value.(type) {
		case object:
			if line := flow(v); len(line) <= 80 {
				b.WriteString(" " + line + "\n")
				continue
			}
			b.WriteString("\n")
			block(b, indent+"  ", v)
		case []any:
			list(b, indent, v)
		default:
			b.WriteString(" " + flow(v) + "\n")
		}
	}
}

func list(b *strings.Builder, indent string, v []any) {
	if line := flow(v); len(line) <= 80 {
		b.WriteString(" " + line + "\n")
		return
	}
	b.WriteString("\n")
	for _, item := range v {
		b.WriteString(indent + "  - " + flow(item) + "\n")
	}
}

// flow writes a value in one line.
func flow(v any) string {
	switch v := v.(type) {
	case object:
		parts := make([]string, 0, len(v))
		for _, f := range v {
			parts = append(parts, scalar(f.key)+": "+flow(f.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, 0, len(v))
		for _, item := range v {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return scalar(v)
	case word:
		return string(v)
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case time.Duration:
		return span(v)
	}
	return "null"
}

var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_/-]*$`)

// scalar writes a string so that YAML reads it as that string.
func scalar(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
	default:
		if plain.MatchString(s) {
			return s
		}
	}
	text, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return `""`
	}
	return string(text)
}

// span writes a duration in its largest whole unit.
func span(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if d >= unit.of && d%unit.of == 0 {
			return strconv.FormatInt(int64(d/unit.of), 10) + unit.name
		}
	}
	return d.String()
}
