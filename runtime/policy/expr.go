package policy

import (
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
)

// Expr names one value of a call, as runtime expressions of OpenAPI do. The
// zero Expr names nothing.
type Expr struct {
	Source Source
	// Name is a parameter's, header's or claim's name, or the JSON pointer
	// into a body ("" is the whole body).
	Name string
}

// Source is the place of a value.
type Source uint8

// Places of a value.
const (
	FromNothing        Source = iota
	FromPath                  // $request.path.NAME
	FromQuery                 // $request.query.NAME
	FromHeader                // $request.header.NAME
	FromBody                  // $request.body#/POINTER
	FromRequest               // $request, all of it
	FromResponseHeader        // $response.header.NAME
	FromResponseBody          // $response.body#/POINTER
	FromStatus                // $statusCode
	FromURL                   // $url
	FromMethod                // $method
	FromPrincipal             // $principal
	FromClaim                 // $claims.NAME
	FromIP                    // $ip
	FromOperation             // $operation
	FromFunc                  // a function given to the constructor, by its name; it has no text of its own
)

// Value is what an expression stands for.
type Value struct {
	Text string
	// JSON says that Text is one JSON value as it was written; otherwise it is
	// a plain string.
	JSON bool
}

// Lookup gives the values of one call; clients and servers implement it.
type Lookup interface {
	// Lookup returns false when the call has no such value.
	Lookup(e Expr) (value Value, ok bool)
}

// named are the expressions that take no name, by their text.
var named = map[string]Source{
	"$request": FromRequest, "$statusCode": FromStatus, "$url": FromURL, "$method": FromMethod,
	"$principal": FromPrincipal, "$ip": FromIP, "$operation": FromOperation,
}

// prefixed are the expressions that end in a name.
var prefixed = []struct {
	prefix string
	source Source
}{
	{"$request.path.", FromPath}, {"$request.query.", FromQuery}, {"$request.header.", FromHeader},
	{"$response.header.", FromResponseHeader}, {"$claims.", FromClaim},
}

// IsZero reports whether the expression names nothing.
func (e Expr) IsZero() bool { return e == Expr{} }

// String is the expression as the language writes it; that of the zero Expr is
// empty.
func (e Expr) String() string {
	switch e.Source {
	case FromNothing:
		return ""
	case FromBody, FromResponseBody:
		text := "$request.body"
		if e.Source == FromResponseBody {
			text = "$response.body"
		}
		if e.Name != "" {
			text += "#" + e.Name
		}
		return text
	}
	if e.Source == FromFunc {
		return "func " + e.Name
	}
	for _, p := range prefixed {
		if p.source == e.Source {
			return p.prefix + e.Name
		}
	}
	for text, source := range named {
		if source == e.Source {
			return text
		}
	}
	return "unknown"
}

// ParseExpr reads one expression. Whether the document has such a parameter or
// pointer is for the generator to check.
func ParseExpr(text string) (Expr, error) {
	if source, ok := named[text]; ok {
		return Expr{Source: source}, nil
	}
	for _, p := range prefixed {
		if name, ok := strings.CutPrefix(text, p.prefix); ok && name != "" {
			return Expr{Source: p.source, Name: name}, nil
		}
	}
	if rest, ok := strings.CutPrefix(text, "$request.body"); ok {
		return parseBody(text, FromBody, rest)
	}
	if rest, ok := strings.CutPrefix(text, "$response.body"); ok {
		return parseBody(text, FromResponseBody, rest)
	}
	return Expr{}, fmt.Errorf("%q is not an expression", text)
}

// parseBody reads what follows $request.body or $response.body.
func parseBody(text string, source Source, rest string) (Expr, error) {
	if rest == "" || rest == "#" {
		return Expr{Source: source}, nil
	}
	pointer, ok := strings.CutPrefix(rest, "#")
	if !ok || pointer[0] != '/' {
		return Expr{}, fmt.Errorf("%q: a JSON pointer such as #/name is expected after the body", text)
	}
	for i := range len(pointer) {
		if pointer[i] == '~' && (i+1 == len(pointer) || pointer[i+1] != '0' && pointer[i+1] != '1') {
			return Expr{}, fmt.Errorf("%q: ~ in a JSON pointer is written ~0", text)
		}
	}
	return Expr{Source: source, Name: pointer}, nil
}

// Plain is the value as text for keys and comparisons: the characters of a JSON
// string, anything else as it is written.
func (v Value) Plain() string {
	if !v.JSON || v.Text == "" || v.Text[0] != '"' {
		return v.Text
	}
	tree, err := jsontree.Parse(v.Text)
	if err != nil {
		return v.Text
	}
	return tree.Text
}
