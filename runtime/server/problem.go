package server

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// Responder is an error that writes its own answer, as the typed errors of
// generated code do.
type Responder interface {
	error
	Respond(w *Response)
}

// ErrNotImplemented is answered with 501.
var ErrNotImplemented = errors.New("server: not implemented")

// ErrUnauthorized is an error for Authenticate to return: the credentials are not
// good.
var ErrUnauthorized = errors.New("server: the credentials are not accepted")

var (
	errNilResult = errors.New("the method returned neither a result nor an error")
	errLockLost  = errors.New("the lock was lost while the method ran")
	errTimeout   = errors.New("the method did not return within its timeout")
	errDeadline  = errors.New("the method did not return within the caller's deadline")
)

// problem is the answer of a status with the reason for people.
func problem(status int, detail string) *fault.Problem {
	return &fault.Problem{Title: http.StatusText(status), Status: status, Detail: detail}
}

// invalid is the answer to a request with violations.
func invalid(list []check.Violation) *fault.Problem {
	p := problem(http.StatusBadRequest, "")
	p.Violations = make([]fault.Violation, len(list))
	for i, v := range list {
		p.Violations[i] = fault.Violation{Pointer: v.Pointer, In: v.In, Name: v.Name, Detail: v.Detail}
	}
	if len(list) == 1 && list[0].In == check.InBody && list[0].Pointer == "" {
		p.Detail = list[0].Detail
	} else {
		p.Detail = (&check.Error{Violations: list}).Error()
	}
	return p
}

// requestError is what is wrong with a request's body that is only found while a
// method reads it.
type requestError struct{ err error }

// Error is the cause.
func (e *requestError) Error() string { return e.err.Error() }

// Unwrap is the cause.
func (e *requestError) Unwrap() error { return e.err }

// problem is the answer.
func (e *requestError) problem() *fault.Problem {
	p := e.reason()
	if item, ok := errors.AsType[*stream.ItemError](e.err); ok {
		p.Detail = item.Unit + " " + strconv.Itoa(item.Number) + ": " + p.Detail
	}
	return p
}

// reason is the answer without the place in a stream.
func (e *requestError) reason() *fault.Problem {
	if list, ok := errors.AsType[*check.Error](e.err); ok {
		return invalid(list.Violations)
	}
	var tooMuch *http.MaxBytesError
	if errors.As(e.err, &tooMuch) || errors.Is(e.err, stream.ErrTooLarge) {
		return tooLarge()
	}
	if isTimeout(e.err) {
		return problem(http.StatusRequestTimeout, "the request body did not arrive in time")
	}
	return problem(http.StatusBadRequest, "the request body could not be read")
}

// problemOf is the answer to an error that is no Responder. Anything that is not
// known is 500, without a word of the error.
func problemOf(err error) *fault.Problem {
	var own *fault.Problem
	var wrong *requestError
	var tooMuch *http.MaxBytesError
	switch {
	case errors.As(err, &own) && own != nil:
		if own.Status >= 400 && own.Status <= 599 {
			return own
		}
		p := *own
		p.Status = http.StatusInternalServerError
		return &p
	case errors.As(err, &wrong):
		return wrong.problem()
	case errors.As(err, &tooMuch):
		return tooLarge()
	case errors.Is(err, ErrNotImplemented):
		return problem(http.StatusNotImplemented, "the operation is not implemented")
	case errors.Is(err, ErrUnauthorized):
		return problem(http.StatusUnauthorized, "the credentials are not accepted")
	}
	return problem(http.StatusInternalServerError, "")
}
