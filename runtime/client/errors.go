package client

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/fault"
)

// StatusError is a response that the document does not declare, or one that it
// declares but that could not be read (Err says why). Of the body its text holds at
// most the title and the type of a problem (RFC 9457), which are about the kind of
// failure and not about this one.
type StatusError struct {
	StatusCode  int
	ContentType string
	Header      http.Header
	// Body is the beginning of the body, up to 4 KiB.
	Body []byte
	// Err is why a declared response could not be read; nil for a response that
	// is not declared.
	Err error
}

// Error is the status with the cause, or with what the problem says of itself, or with
// the content type.
func (e *StatusError) Error() string {
	if e == nil {
		return "no response"
	}
	text := statusText(e.StatusCode)
	if e.Err != nil {
		return text + ": " + e.Err.Error()
	}
	if kind := e.problem(); kind != "" {
		text += ": " + kind
	} else if e.ContentType != "" {
		text += ", " + shorten(e.ContentType)
	}
	return text + ", which the document does not declare"
}

// problem is what kind of problem the body describes; empty where it describes none.
func (e *StatusError) problem() string {
	if name, _, _ := strings.Cut(e.ContentType, ";"); !strings.EqualFold(strings.TrimSpace(name), fault.ProblemType) {
		return ""
	}
	p, err := fault.ParseProblem(e.Body)
	if err != nil {
		return ""
	}
	kind := ""
	if p.Title != "" && !strings.EqualFold(p.Title, http.StatusText(e.StatusCode)) {
		kind = shorten(p.Title)
	}
	if p.Type == "" || p.Type == "about:blank" {
		return kind
	}
	return strings.TrimSpace(kind + " (" + shorten(p.Type) + ")")
}

// Unwrap is Err.
func (e *StatusError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// statusText is a status with its usual words.
func statusText(code int) string {
	if text := http.StatusText(code); text != "" {
		return strconv.Itoa(code) + " " + text
	}
	return strconv.Itoa(code)
}

// StatusText is "404 Not Found" for 404, for the texts of generated errors.
func StatusText(code int) string { return statusText(code) }

// shorten keeps a server from filling an error's text.
func shorten(s string) string {
	const most = 100
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return strconv.Quote(s)
		}
	}
	return s
}

// ErrEmptyBody says that a response has no bytes where the document declares a body.
var ErrEmptyBody = errors.New("empty body")

// DecodeError is a response whose body or headers cannot be read as the
// document declares them.
type DecodeError struct {
	StatusCode  int
	ContentType string
	Err         error
}

// Error is the status and the cause.
func (e *DecodeError) Error() string {
	if e == nil {
		return "no response"
	}
	return fmt.Sprintf("status %d: %v", e.StatusCode, e.Err)
}

// Unwrap is the cause.
func (e *DecodeError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// BodyTooLargeError is a response that exceeds the client's limit. Its
// connection was closed.
type BodyTooLargeError struct {
	Limit int64 // bytes
}

// Error is the limit.
func (e *BodyTooLargeError) Error() string {
	return fmt.Sprintf("the body is larger than the limit of %d bytes", e.Limit)
}

// readError is a body that broke off: the transport's doing.
type readError struct{ err error }

func (e *readError) Error() string { return "reading the response: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// ErrIdle says that nothing came of a stream for as long as its policy allows.
var ErrIdle error = idleError{}

// idleError is a timeout for those who ask by net.Error's method.
type idleError struct{}

func (idleError) Error() string   { return "the stream was silent for too long" }
func (idleError) Timeout() bool   { return true }
func (idleError) Temporary() bool { return true }

// ErrClosed is returned by reading from a Body or Stream that was closed.
var ErrClosed = errors.New("the response was closed")

var (
	errNilContext = errors.New("the context is nil")
	errNoClient   = errors.New("the client was not made by its constructor")
)
