package server

import (
	"context"
	"reflect"

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
	// Profiles are the names that Profile takes.
	Profiles []string
}

// None is the request of an operation that takes nothing, and the result of one
// that gives nothing.
type None struct{}

// Operation is one operation of a server. It is immutable, and shared by all
// handlers of a program.
type Operation[Res any] struct {
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
	// Decode reads the parameters and the body into a new request, a pointer to
	// what the method takes; nil reads nothing.
	Decode func(req any, s *Request)
	// Validate checks the request's constraints; nil has none.
	Validate func(req any, c *check.Checker)
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
func Handle[Req, Res any](op *Operation[Res], f func(context.Context, Req) (Res, error)) Route {
	if f == nil {
		panic(errNoOperation)
	}
	return bind(op,
		func() (*job[Res], any) {
			h := new(holder[Req, Res])
			return &h.job, &h.req
		},
		func(ctx context.Context, req any) (Res, error) { return f(ctx, *req.(*Req)) }) //nolint:forcetypeassert // It was made above.
}

func bind[Res any](op *Operation[Res], create func() (*job[Res], any), f func(context.Context, any) (Res, error)) Route {
	if op == nil {
		panic(errNoOperation)
	}
	b := &binding[Res]{op: op, create: create, f: f, kind: reflect.TypeFor[Res]().Kind()}
	return newRoute(op.Spec, op.Query, op.Security, op.Consumes, op.Produces, b.serve)
}

const errNoOperation = "server: an operation needs a Spec and a function"

func newRoute(
	spec *policy.Spec, query string, needs []security.Requirement, consumes, produces []string, serve func(*exchange),
) Route {
	if spec == nil {
		panic(errNoOperation)
	}
	return Route{&route{spec: spec, query: query, security: needs, consumes: consumes, produces: produces, serve: serve}}
}

// HandleExec is Handle for an operation without a result.
func HandleExec[Req any](op *Operation[None], f func(context.Context, Req) error) Route {
	if f == nil {
		panic(errNoOperation)
	}
	return Handle(op, func(ctx context.Context, req Req) (None, error) { return None{}, f(ctx, req) })
}

// HandleEmpty is Handle for an operation without a request.
func HandleEmpty[Res any](op *Operation[Res], f func(context.Context) (Res, error)) Route {
	if f == nil {
		panic(errNoOperation)
	}
	return Handle(op, func(ctx context.Context, _ None) (Res, error) { return f(ctx) })
}

// HandleBare is Handle for an operation with neither.
func HandleBare(op *Operation[None], f func(context.Context) error) Route {
	if f == nil {
		panic(errNoOperation)
	}
	return Handle(op, func(ctx context.Context, _ None) (None, error) { return None{}, f(ctx) })
}
