package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

func escapeQuery(s string) string { return url.QueryEscape(s) }

// unescapeQuery is the text of a part of a query; one that cannot be read is taken as it is.
func unescapeQuery(s string) string {
	if text, err := url.QueryUnescape(s); err == nil {
		return text
	}
	return s
}

// assign changes the request of a twin: to the path of its operation, with the values that
// a rung names in place of those of the call.
func (c *call) assign(from *call, list []policy.Assignment) error {
	r := &c.request
	path := map[string]string{}
	query := string(r.query)
	for i := range list {
		a := &list[i]
		v, err := valueOf(from, a)
		if err != nil {
			return err
		}
		switch a.To.Source {
		case policy.FromPath:
			path[a.To.Name] = v.Plain()
		case policy.FromQuery:
			query = appendQuery(removeQuery(query, a.To.Name), a.To.Name, v.Plain())
		case policy.FromHeader:
			if err := checkField(a.To.Name, v.Plain()); err != nil {
				return err
			}
			r.header[http.CanonicalHeaderKey(a.To.Name)] = []string{v.Plain()}
		case policy.FromBody:
			if err := c.assignBody(a.To.Name, v); err != nil {
				return err
			}
		default:
			return fmt.Errorf("no value can be put at %s", a.To)
		}
	}
	r.query = []byte(strings.TrimPrefix(query, "&"))
	if len(path) == 0 && c.spec.ID == from.spec.ID {
		return nil
	}
	return c.assignPath(from, path)
}

// valueOf is the value of an assignment.
func valueOf(c *call, a *policy.Assignment) (policy.Value, error) {
	if a.From.IsZero() {
		return policy.Value{Text: a.Value, JSON: true}, nil
	}
	v, ok := c.values.Lookup(a.From)
	if !ok {
		return policy.Value{}, fmt.Errorf("the request has no %s", a.From)
	}
	return v, nil
}

// assignPath writes the path of the twin's operation.
func (c *call) assignPath(from *call, values map[string]string) error {
	var b strings.Builder
	rest := c.spec.Path
	for {
		text, after, ok := strings.Cut(rest, "{")
		b.WriteString(text)
		if !ok {
			break
		}
		name, tail, _ := strings.Cut(after, "}")
		rest = tail
		value, known := values[name]
		if !known {
			v, ok := from.values.Lookup(policy.Expr{Source: policy.FromPath, Name: name})
			if value, known = v.Plain(), ok; !known {
				return fmt.Errorf("the request has no path parameter %s", name)
			}
		}
		if value == "" || value == "." || value == ".." {
			return fmt.Errorf("the path parameter %s cannot be %q", name, value)
		}
		b.WriteString(url.PathEscape(value))
	}
	c.request.path, c.request.params = []byte(b.String()), nil
	return nil
}

// assignBody puts a value into a JSON body that is in memory.
func (c *call) assignBody(pointer string, v policy.Value) error {
	r := &c.request
	if r.kind != bytesBody {
		return errors.New("the request has no body in memory to change")
	}
	value := json.RawMessage(v.Text)
	if !v.JSON {
		text, err := json.Marshal(v.Text)
		if err != nil {
			return err
		}
		value = text
	}
	body, err := splice(r.body, pointer, value)
	if err != nil {
		return fmt.Errorf("the body at %s: %w", pointer, err)
	}
	r.body = body
	return nil
}

var errNoPlace = errors.New("there is no such place")

// splice puts a value at a JSON pointer of a document. What is there is replaced, and a
// member that is not is added; numbers keep their digits.
func splice(doc json.RawMessage, pointer string, value json.RawMessage) (json.RawMessage, error) {
	if pointer == "" {
		return value, nil
	}
	if pointer[0] != '/' {
		return nil, errNoPlace
	}
	name, rest := pointer[1:], ""
	if i := strings.IndexByte(name, '/'); i >= 0 {
		name, rest = name[:i], name[i:]
	}
	name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	var object map[string]json.RawMessage
	if err := json.Unmarshal(doc, &object); err == nil && object != nil {
		inner, ok := object[name]
		if !ok && rest != "" {
			return nil, errNoPlace
		}
		if inner, err = splice(inner, rest, value); err != nil {
			return nil, err
		}
		object[name] = inner
		return json.Marshal(object)
	}
	var array []json.RawMessage
	if err := json.Unmarshal(doc, &array); err != nil || array == nil {
		return nil, errNoPlace
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(array) {
		return nil, errNoPlace
	}
	if array[i], err = splice(array[i], rest, value); err != nil {
		return nil, err
	}
	return json.Marshal(array)
}
