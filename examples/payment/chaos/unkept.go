//go:build linux

package main

import (
	"context"
	"net/http"
)

// unkeptHeader marks an answer whose result could not be kept with its key. Where the claim
// is a lease, the effect has happened then and the same request may run again: that is what
// {within: lease} promises, so such an answer is held against nobody. In a transaction there
// is no such answer.
const unkeptHeader = "Chaos-Unkept"

type unkeptKey struct{}

// tellKept marks the answers of a handler whose results were not kept.
func tellKept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		unkept := new(bool)
		next.ServeHTTP(&marker{w, unkept}, r.WithContext(context.WithValue(r.Context(), unkeptKey{}, unkept)))
	})
}

// noteUnkept is for server.OnError: an error without a status is that of a claim's end.
func noteUnkept(ctx context.Context, _ string, status int, _ error) {
	if unkept, ok := ctx.Value(unkeptKey{}).(*bool); ok && status == 0 {
		*unkept = true
	}
}

type marker struct {
	http.ResponseWriter

	unkept *bool
}

func (m *marker) WriteHeader(status int) {
	if *m.unkept {
		m.Header().Set(unkeptHeader, "1")
	}
	m.ResponseWriter.WriteHeader(status)
}
