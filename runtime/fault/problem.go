package fault

import (
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
)

// ProblemType is the media type of a [Problem].
const ProblemType = "application/problem+json"

// Problem is the problem details object of RFC 9457.
type Problem struct {
	// Type is a URI that names the kind of problem; empty is about:blank.
	Type string
	// Title is the same for all problems of a type.
	Title string
	// Status is the HTTP status.
	Status int
	// Detail is about this occurrence.
	Detail string
	// Instance is a URI that names this occurrence.
	Instance string
	// Violations are what is wrong with a request, all of it.
	Violations []Violation
	// Extensions are further members, in the order in which they are written.
	Extensions []Extension
}

// Violation is one fault of a request.
type Violation struct {
	// Pointer is the JSON pointer into the body.
	Pointer string
	// In is body, path, query, header or cookie.
	In string
	// Name is the parameter's name.
	Name string
	// Detail is what is wrong. Of a value it repeats at most one that is not on a list.
	Detail string
}

// Extension is a member of a Problem beyond the standard ones.
type Extension struct {
	Name string
	// JSON is the member's value, one JSON text.
	JSON string
}

// TextExtension is an extension whose value is a string.
func TextExtension(name, value string) Extension {
	return Extension{Name: name, JSON: string(jsontree.AppendString(nil, value))}
}

// IntExtension is an extension whose value is a whole number.
func IntExtension(name string, n int64) Extension {
	return Extension{Name: name, JSON: strconv.FormatInt(n, 10)}
}

// Error is the title and the detail, so that a Problem can be returned as an
// error.
func (p *Problem) Error() string {
	text := p.Title
	if text == "" {
		text = "status " + strconv.Itoa(p.Status)
	}
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	return text
}

// AppendJSON appends the object. Empty members are left out, as are extensions
// under a standard name and those whose value is not valid JSON.
func (p *Problem) AppendJSON(dst []byte) []byte {
	w := objectWriter{dst: append(dst, '{')}
	w.text("type", p.Type)
	w.text("title", p.Title)
	if p.Status != 0 {
		w.name("status")
		w.dst = strconv.AppendInt(w.dst, int64(p.Status), 10)
	}
	w.text("detail", p.Detail)
	w.text("instance", p.Instance)
	if len(p.Violations) > 0 {
		w.name("violations")
		w.dst = appendViolations(w.dst, p.Violations)
	}
	for _, e := range p.Extensions {
		if isStandard(e.Name) {
			continue
		}
		v, err := jsontree.Parse(e.JSON)
		if err != nil {
			continue
		}
		w.name(e.Name)
		w.dst = jsontree.Compact(w.dst, v)
	}
	return append(w.dst, '}')
}

// MarshalJSON is AppendJSON for encoding/json.
func (p *Problem) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// UnmarshalJSON is ParseProblem for encoding/json.
func (p *Problem) UnmarshalJSON(data []byte) error {
	q, err := ParseProblem(data)
	if err == nil {
		*p = *q
	}
	return err
}

func appendViolations(dst []byte, violations []Violation) []byte {
	dst = append(dst, '[')
	for i, v := range violations {
		if i > 0 {
			dst = append(dst, ',')
		}
		w := objectWriter{dst: append(dst, '{')}
		// The empty pointer is the whole body, so it is left out only where a
		// parameter is meant.
		if v.Pointer != "" || v.In == "body" {
			w.name("pointer")
			w.dst = jsontree.AppendString(w.dst, v.Pointer)
		}
		w.text("in", v.In)
		w.text("name", v.Name)
		w.text("detail", v.Detail)
		w.dst = append(w.dst, '}')
		dst = w.dst
	}
	return append(dst, ']')
}

// objectWriter appends members and sees to the commas.
type objectWriter struct {
	dst  []byte
	some bool
}

func (w *objectWriter) name(name string) {
	if w.some {
		w.dst = append(w.dst, ',')
	}
	w.some = true
	w.dst = append(jsontree.AppendString(w.dst, name), ':')
}

// text appends a member unless it is empty.
func (w *objectWriter) text(name, value string) {
	if value != "" {
		w.name(name)
		w.dst = jsontree.AppendString(w.dst, value)
	}
}

func isStandard(name string) bool {
	switch name {
	case "type", "title", "status", "detail", "instance", "violations":
		return true
	}
	return false
}

// ParseProblem reads a problem details object. As RFC 9457 asks, a standard
// member of the wrong type counts as absent; only a text that is no JSON object
// is an error.
func ParseProblem(data []byte) (*Problem, error) {
	v, err := jsontree.Parse(string(data))
	if err != nil {
		return nil, err
	}
	if v.Kind != jsontree.Object {
		return nil, errNotObject
	}
	p := &Problem{}
	for _, m := range v.Members {
		switch m.Name {
		case "type":
			p.Type = stringOf(m.Value)
		case "title":
			p.Title = stringOf(m.Value)
		case "status":
			if n, err := strconv.Atoi(m.Value.Text); err == nil && m.Value.Kind == jsontree.Number {
				p.Status = n
			}
		case "detail":
			p.Detail = stringOf(m.Value)
		case "instance":
			p.Instance = stringOf(m.Value)
		case "violations":
			p.Violations = violationsOf(m.Value)
		default:
			p.Extensions = append(p.Extensions, Extension{Name: m.Name, JSON: string(jsontree.Compact(nil, m.Value))})
		}
	}
	return p, nil
}

func violationsOf(list jsontree.Value) []Violation {
	var out []Violation
	for _, item := range list.Items {
		if item.Kind != jsontree.Object {
			continue
		}
		get := func(name string) string {
			v, _ := item.Get(name)
			return stringOf(v)
		}
		out = append(out, Violation{Pointer: get("pointer"), In: get("in"), Name: get("name"), Detail: get("detail")})
	}
	return out
}

// stringOf is a string's characters and empty for any other type.
func stringOf(v jsontree.Value) string {
	if v.Kind == jsontree.String {
		return v.Text
	}
	return ""
}
