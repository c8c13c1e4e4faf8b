package param

import (
	"errors"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// ErrAbsent is what a codec's Parse returns when the parameter is not there.
// It says nothing about whether that is allowed.
var ErrAbsent = errors.New("parameter is absent")

// fail is an error about the value itself; who knows the parameter adds its
// place and name with Violations. Details never hold the value: parameters
// carry secrets.
func fail(rule, detail string) error {
	return &check.Error{Violations: []check.Violation{{Rule: rule, Detail: detail}}}
}

// Violations is what is wrong with one parameter, in the form that a 400
// answers with: err's violations with the place and the name of the parameter.
// ErrAbsent becomes "is required". Another error counts as one violation
// without its text, which may hold the value. A nil err has none.
func Violations(err error, in, name string) []check.Violation {
	if err == nil {
		return nil
	}
	var found []check.Violation
	var list *check.Error
	switch {
	case errors.Is(err, ErrAbsent):
		found = []check.Violation{{Rule: "required", Detail: "is required"}}
	case errors.As(err, &list):
		found = list.Violations
	}
	if len(found) == 0 {
		found = []check.Violation{{Rule: "type", Detail: "cannot be read"}}
	}
	out := make([]check.Violation, len(found))
	for i, v := range found {
		v.In, v.Name = in, name
		out[i] = v
	}
	return out
}

// At is err as a *check.Error about one parameter.
func At(err error, in, name string) error {
	if err == nil {
		return nil
	}
	return &check.Error{Violations: Violations(err, in, name)}
}

// below is err with pointer before its own.
func below(err error, pointer string) []check.Violation {
	vs := Violations(err, "", "")
	for i := range vs {
		vs[i].Pointer = pointer + vs[i].Pointer
	}
	return vs
}
