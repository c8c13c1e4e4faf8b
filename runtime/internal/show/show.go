// Package show writes settings and states for people and for programs: a struct as one
// line of YAML in flow style, or as JSON, with durations and enumerations as their words.
// It imports no encoder, since every client has it.
//
// A struct's members are its exported fields, named by the first part of a json tag or by
// the field with its initials in lower case. What is zero is left out, unless a tag names
// it without omitempty or omitzero; an enumeration is told all the same, because its zero value is a
// choice, unless its tag says so.
package show

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Flow is v as one line of YAML in flow style.
func Flow(v any) string {
	p := printer{}
	p.value(reflect.ValueOf(v), 0)
	return string(p.out)
}

// JSON is v as JSON.
func JSON(v any) []byte {
	p := printer{json: true}
	p.value(reflect.ValueOf(v), 0)
	return p.out
}

// maxDepth bounds how deep values nest. Settings are far from it; a pointer that leads
// back to itself ends there.
const maxDepth = 64

type printer struct {
	out  []byte
	json bool
}

// value writes one value. Depth 0 is the one that was asked for, whose own method would
// lead back here.
func (p *printer) value(v reflect.Value, depth int) {
	root := depth == 0
	for ; v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface); v = v.Elem() {
		depth++
		if depth > maxDepth {
			v = reflect.Value{}
			break
		}
	}
	if !v.IsValid() {
		p.out = append(p.out, "null"...)
		return
	}
	if text, ok := textOf(v, root); ok {
		p.text(text)
		return
	}
	switch depth++; v.Kind() {
	case reflect.Struct:
		p.members(v, depth)
	case reflect.Slice, reflect.Array:
		p.list(v, depth)
	case reflect.Map:
		p.pairs(v, depth)
	default:
		p.scalar(v)
	}
}

// textOf is the text of what has one: moments, durations, and what prints itself. A struct
// with a form in JSON is one of many members, which are looked at here.
func textOf(v reflect.Value, root bool) (string, bool) {
	if !v.CanInterface() {
		return "", false
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		if x == -1 {
			return "none", true
		}
		return x.String(), true
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano), true
	case interface{ MarshalJSON() ([]byte, error) }:
		return "", false
	case fmt.Stringer:
		if root && v.Kind() == reflect.Struct {
			return "", false
		}
		return x.String(), true
	}
	return "", false
}

func (p *printer) scalar(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		p.out = strconv.AppendBool(p.out, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.out = strconv.AppendInt(p.out, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.out = strconv.AppendUint(p.out, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		p.float(v.Float())
	case reflect.String:
		p.text(v.String())
	case reflect.Func:
		p.text("func")
	default:
		p.text(v.Kind().String())
	}
}

// float writes a number; JSON has none that is not finite.
func (p *printer) float(f float64) {
	if f-f != 0 {
		p.text(strconv.FormatFloat(f, 'g', -1, 64))
		return
	}
	p.out = strconv.AppendFloat(p.out, f, 'f', -1, 64)
}

func (p *printer) members(v reflect.Value, depth int) {
	p.out = append(p.out, '{')
	first := true
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if !field.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		always := name != "" && options == ""
		if name == "" {
			name = Name(field.Name)
		}
		if value.IsZero() && !always && !keptAtZero(value, options) {
			continue
		}
		p.comma(&first)
		p.name(name)
		p.value(value, depth)
	}
	p.out = append(p.out, '}')
}

// keptAtZero reports whether a zero value is told: that of an enumeration is, but for a
// mode, which enforces where nothing else is said.
func keptAtZero(v reflect.Value, options string) bool {
	if v.Kind() != reflect.Uint8 || options != "" || v.Type().Name() == "Mode" {
		return false
	}
	text, ok := textOf(v, false)
	return ok && text != ""
}

func (p *printer) list(v reflect.Value, depth int) {
	p.out = append(p.out, '[')
	first := true
	for i := range v.Len() {
		p.comma(&first)
		p.value(v.Index(i), depth)
	}
	p.out = append(p.out, ']')
}

// pairs writes a map in the order of its keys' texts.
func (p *printer) pairs(v reflect.Value, depth int) {
	keys := v.MapKeys()
	names := make(map[string]reflect.Value, len(keys))
	order := make([]string, 0, len(keys))
	for _, k := range keys {
		name := fmt.Sprint(k.Interface())
		names[name] = v.MapIndex(k)
		order = append(order, name)
	}
	slices.Sort(order)
	p.out = append(p.out, '{')
	first := true
	for _, name := range order {
		p.comma(&first)
		p.name(name)
		p.value(names[name], depth)
	}
	p.out = append(p.out, '}')
}

// comma separates from what stands before.
func (p *printer) comma(first *bool) {
	switch {
	case *first:
		*first = false
	case p.json:
		p.out = append(p.out, ',')
	default:
		p.out = append(p.out, ", "...)
	}
}

// name begins a member.
func (p *printer) name(name string) {
	p.text(name)
	p.out = append(p.out, ':')
	if !p.json {
		p.out = append(p.out, ' ')
	}
}

// text writes a string, in flow style bare where that reads as the same string.
func (p *printer) text(s string) {
	if !p.json && plain(s) {
		p.out = append(p.out, s...)
		return
	}
	p.out = append(p.out, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			p.out = append(p.out, "\ufffd"...)
		case r == '"' || r == '\\':
			p.out = append(p.out, '\\', byte(r))
		case r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || r == '<' || r == '>' || r == '&':
			p.out = fmt.Appendf(p.out, `\u%04x`, r)
		default:
			p.out = append(p.out, s[i:i+size]...)
		}
		i += size
	}
	p.out = append(p.out, '"')
}

// plain reports whether a text needs no quotes in flow style.
func plain(s string) bool {
	if s == "" || s == "null" || s == "true" || s == "false" {
		return false
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) && (i > 0 || hasLetter(s)):
		case i > 0 && strings.ContainsRune("-_./", r), r == '/':
		default:
			return false
		}
	}
	return true
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// Name is a field's name as settings are written: MaxDelay is maxDelay, TTL is ttl, and
// HTTPHeader httpHeader.
func Name(field string) string {
	b := []byte(field)
	for i := range b {
		if b[i] < 'A' || b[i] > 'Z' || i > 0 && i+1 < len(b) && b[i+1] >= 'a' && b[i+1] <= 'z' {
			break
		}
		b[i] += 'a' - 'A'
	}
	return string(b)
}
