package server

import (
	"context"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// Compat1 is the version of what generated code expects of this package. Code
// refers to the version that it was made for, so that it does not compile against
// an older runtime.
const Compat1 = 1

// API is what a document says about all of its operations. It is immutable.
type API struct {
	Title string
	// Dependency is the partition that operations without one of their own belong
	// to.
	Dependency string
	Schemes    []*security.Scheme
}

// None is the request of an operation that takes nothing, and the result of one
// that gives nothing.
type None struct{}

// Operation is one operation of a server. It is immutable, and shared by all
// handlers of a program.
type Operation[Req, Res any] struct {
	Spec *policy.Spec
	// Query is the fixed query that the path key of the document ends in, such as
	// beta=true; only requests that have it come here.
	Query string
	// Security are the alternatives of credentials; empty is none needed.
	Security []security.Requirement
	// Consumes are the media types of the request's body, as the document writes
	// them, in its order; Request.Match gives the index of the one that came. Empty
	// is any.
	Consumes []string
	// Produces are the media types of the successful responses. A request whose
	// Accept header takes none of them is answered with 406. Empty is not checked.
	Produces []string
	// Decode reads the parameters and the body; nil reads nothing.
	Decode func(*Req, *Request)
	// Validate checks the request's constraints; nil has none.
	Validate func(*Req, *check.Checker)
	// Encode writes the result; nil answers 204. It is not called for a result that
	// is nil, unless Nullable says that nil is one.
	Encode   func(*Response, Res)
	Nullable bool
}

// Route is an operation together with the method that does its work.
type Route struct{ route *route }

// route is what the parts that know no types need.
type route struct {
	spec     *policy.Spec
	query    string
	security []security.Requirement
	consumes []string
	produces []string
	serve    func(*exchange)
}

// Handle makes the route of an operation with a request and a result.
func Handle[Req, Res any](op *Operation[Req, Res], f func(context.Context, Req) (Res, error)) Route {
	if op == nil || op.Spec == nil || f == nil {
		panic("server: an operation needs a Spec and a function")
	}
	b := &binding[Req, Res]{op: op, f: f, kind: kindOf[Res]()}
	return Route{&route{
		spec: op.Spec, query: op.Query, security: op.Security,
		consumes: op.Consumes, produces: op.Produces, serve: b.serve,
	}}
}

// HandleExec is Handle for an operation without a result.
func HandleExec[Req any](op *Operation[Req, None], f func(context.Context, Req) error) Route {
	if f == nil {
		return Handle(op, nil)
	}
	return Handle(op, func(ctx context.Context, req Req) (None, error) { return None{}, f(ctx, req) })
}

// HandleEmpty is Handle for an operation without a request.
func HandleEmpty[Res any](op *Operation[None, Res], f func(context.Context) (Res, error)) Route {
	if f == nil {
		return Handle(op, nil)
	}
	return Handle(op, func(ctx context.Context, _ None) (Res, error) { return f(ctx) })
}

// HandleBare is Handle for an operation with neither.
func HandleBare(op *Operation[None, None], f func(context.Context) error) Route {
	if f == nil {
		return Handle(op, nil)
	}
	return Handle(op, func(ctx context.Context, _ None) (None, error) { return None{}, f(ctx) })
}
