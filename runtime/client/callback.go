package client

import (
	"errors"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
)

// Piece is a part of the address of a callback.
type Piece struct {
	text string
	err  error
}

// Address puts the address of a callback together. The error says which value the
// request did not have.
func Address(pieces ...Piece) (string, error) {
	var b []byte
	for _, p := range pieces {
		if p.err != nil {
			return "", p.err
		}
		b = append(b, p.text...)
	}
	return string(b), nil
}

// Literal is a piece that is the same for all requests.
func Literal(text string) Piece { return Piece{text: text} }

// FromParam is a parameter of the request that the callback belongs to.
func FromParam(name string, v param.Value) Piece {
	if v.Absent() {
		return Piece{err: errors.New("the request has no parameter " + name + ", which the address of its callback needs")}
	}
	text, err := param.AppendText(nil, v)
	return Piece{string(text), err}
}

// FromBody is the value at a JSON pointer of the body of that request: a string as
// it is, other scalars as JSON writes them.
func FromBody[T any](v *T, c json.Codec[T], pointer string) Piece {
	return fromBody("request", v, c, pointer, requestMode)
}

// FromResponseBody is FromBody for the response to that request.
func FromResponseBody[T any](v *T, c json.Codec[T], pointer string) Piece {
	return fromBody("response", v, c, pointer, json.Mode{Direction: json.Response})
}

// FromResponseHeader is a header of the response to that request.
func FromResponseHeader(name string, v param.Value) Piece {
	if v.Absent() {
		return Piece{err: errors.New("the response has no header " + name + ", which the address of a callback needs")}
	}
	text, err := param.AppendText(nil, v)
	return Piece{string(text), err}
}

// ErrNoAddress is given for a response that has not what the address of a callback is
// made of.
var ErrNoAddress = errors.New("the response does not have what the address of the callback needs")

func fromBody[T any](of string, v *T, c json.Codec[T], pointer string, mode json.Mode) Piece {
	missing := Piece{err: errors.New("the " + of + "'s body has no text at " + pointer + ", which the address of a callback needs")}
	if v == nil {
		return missing
	}
	text, err := json.Encode(nil, v, c, mode)
	if err != nil {
		return Piece{err: err}
	}
	tree, err := jsontree.Parse(string(text))
	if err != nil {
		return missing
	}
	switch found, _ := tree.At(pointer); found.Kind {
	case jsontree.String, jsontree.Number, jsontree.Bool:
		return Piece{text: found.Text}
	}
	return missing
}
