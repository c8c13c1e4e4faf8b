package server

import (
	"context"
	"net/http"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// Principal is who makes a request.
type Principal struct {
	// ID tells callers apart, for limits and idempotency keys. It is no secret.
	ID string
	// Scopes are what the caller may do.
	Scopes []string
	// Claims are further facts that a policy can name: $claims.plan. Strings,
	// numbers and booleans have a form; other values are absent.
	Claims map[string]any
	// Value is anything that methods want to know.
	Value any
}

// Credentials are what a request presents for one scheme.
type Credentials struct {
	Scheme *security.Scheme
	// Scopes are those that the operation needs of this scheme.
	Scopes []string
	security.Credential
	// Operation is the operation's ID.
	Operation string
	// Request is the request; its body must not be read.
	Request *http.Request
}

// callContext is the context of a method. It is never pooled: whatever a method
// has started may hold on to it.
type callContext struct {
	deadline.Context
	request   *http.Request
	spec      *policy.Spec
	requestID string
	key       string
	principal Principal
	known     bool // there is a principal
	// given has what the run has been given by its store: its transaction.
	given interface{ Value(key any) any }

	retries retry.Signal // set by calls that the method makes

	expect     *expectation // nil where the policy asks for no version
	version    string       // of what the answer shows
	hasVersion bool

	// The values of headers that nearly every answer has, so that they need no
	// slices of their own.
	idLine, lengthLine [1]string
}

type callKey struct{}

// Value finds the call itself, and otherwise what the request's context holds.
func (c *callContext) Value(key any) any {
	switch key {
	case callKey{}:
		return c
	case retry.SignalKey{}:
		return &c.retries
	}
	if c.given != nil {
		if v := c.given.Value(key); v != nil {
			return v
		}
	}
	return c.Context.Value(key)
}

func callOf(ctx context.Context) *callContext {
	c, _ := ctx.Value(callKey{}).(*callContext)
	return c
}

// PrincipalOf is who makes the request, for a context that a method got. It is false
// for an anonymous request.
func PrincipalOf(ctx context.Context) (Principal, bool) {
	if c := callOf(ctx); c != nil {
		return c.principal, c.known
	}
	return Principal{}, false
}

// RequestID is the request's X-Request-Id: the caller's, or else a new one.
func RequestID(ctx context.Context) string {
	if c := callOf(ctx); c != nil {
		return c.requestID
	}
	return ""
}

// RequestOf is the request as it came, nil outside of a call. Its body belongs to the
// handler.
func RequestOf(ctx context.Context) *http.Request {
	if c := callOf(ctx); c != nil {
		return c.request
	}
	return nil
}

// IdempotencyKey is the key that the request has claimed, and empty without one. It
// is the one to hand on where the method calls another service.
func IdempotencyKey(ctx context.Context) string {
	if c := callOf(ctx); c != nil {
		return c.key
	}
	return ""
}

// Preferred is the one of the media types offered that the caller's Accept header
// likes best; the first of equals, and the first of all without a header. It is
// empty where the caller takes none of them.
func Preferred(ctx context.Context, offers ...string) string {
	if len(offers) == 0 {
		return ""
	}
	r := RequestOf(ctx)
	if r == nil {
		return offers[0]
	}
	i := preferred(r.Header["Accept"], offers)
	if i < 0 {
		return ""
	}
	return offers[i]
}
