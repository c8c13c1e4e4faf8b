package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Header sets a header that the document declares; one without a value is left out.
// Set-Cookie gets a line for each item of a list.
func (w *Response) Header(name string, style param.Style, v param.Value) {
	if v.Absent() {
		return
	}
	b, err := param.AppendHeader(nil, style, v)
	if err != nil {
		w.fail(fmt.Errorf("header %s: %w", name, err))
		return
	}
	w.addHeader(name, string(b))
}

// HeaderList is Header for a list; an empty one is left out.
func HeaderList[T any](w *Response, name string, style param.Style, c param.Codec[T], items []T) {
	if strings.EqualFold(name, "Set-Cookie") {
		for _, item := range items {
			w.Header(name, style, c.Format(item))
		}
		return
	}
	if len(items) == 0 {
		return
	}
	b, err := param.AppendHeaderList(nil, style, c, items)
	if err != nil {
		w.fail(fmt.Errorf("header %s: %w", name, err))
		return
	}
	w.addHeader(name, string(b))
}

// HeaderLines adds lines of a header as they are, such as Set-Cookie.
func (w *Response) HeaderLines(name string, lines []string) {
	for _, line := range lines {
		w.Header(name, param.Simple, param.TextValue(line))
	}
}

func (w *Response) addHeader(name, value string) {
	if !isToken(name) {
		w.fail(fmt.Errorf("%q is not the name of a header", name))
		return
	}
	w.header = append(w.header, headerLine{http.CanonicalHeaderKey(name), value})
}

// isToken reports whether s is a token of RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
