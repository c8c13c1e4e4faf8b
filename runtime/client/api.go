package client

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// Compat1 is the version of what generated code expects of this package. Code
// refers to the version that it was made for, so that it does not compile
// against an older runtime.
const Compat1 = 1

// API is what a document says about all of its operations.
type API struct {
	Title string
	// Dependency is the partition that operations without one of their own
	// belong to.
	Dependency string
	Servers    []Server
	Schemes    []*security.Scheme
	// Profiles are the names that Profile takes.
	Profiles []string
	// Operations are the policies of all operations, for WithPolicyFile and
	// [Core.Policy].
	Operations []*policy.Spec
	// Targets are the servers that fallbacks name.
	Targets []Target
	// NoBase says that no address is needed for all calls: each has its own, as
	// a webhook's has, or all operations have servers of their own.
	NoBase bool
}

// Server is one address of an API.
type Server struct {
	URL         string // may hold variables in braces, and may be relative
	Name        string
	Description string
	Variables   []Variable
}

// Target is a server that a request may be sent to in place of its own.
type Target struct {
	Name string
	URL  string // absolute, without a query
	// Query is added to each request.
	Query []Pair
	// Auth is the name of the scheme whose credential requests take; empty is that of the
	// operation.
	Auth string
}

// Pair is a name with its value.
type Pair struct{ Name, Value string }

// Variable is a variable of a server's URL.
type Variable struct {
	Name    string
	Default string
	Enum    []string // allowed values; empty: any
}

// None is the result of an operation that gives nothing.
type None struct{}

// Operation is one operation of a client. It is immutable, and shared by all
// clients of a program.
//
// It knows nothing of the type of its requests: what is generic over both types is
// compiled for each operation, and most results are pointers, which share one form.
type Operation[Res any] struct {
	Spec *policy.Spec
	// Security are the alternatives of credentials; empty is none needed.
	Security []security.Requirement
	// Encode writes the request, a pointer that Do was given; nil writes neither
	// parameters nor a body, to the path that Spec has.
	Encode func(req any, b *Request)
	// Validate checks the request's constraints, for clients made with
	// ValidateRequests; nil has none.
	Validate func(req any, c *check.Checker)
	// Decode reads a response; nil takes every 2xx as a success without a
	// result.
	Decode func(*Response) (Res, error)
	// Accept is the value of the Accept header; empty sends none.
	Accept string
	// Servers take the place of the API's.
	Servers []Server
	// Redirects says that the document declares a 3xx response: redirects are
	// then results, and not followed.
	Redirects bool
}

// The defaults of a client.
const (
	DefaultBodyLimit = 16 << 20 // bytes of a response that is read into memory
	DefaultUserAgent = "holdfast/1"
	defaultConnect   = 5 * time.Second
	maxRedirects     = 10
	maxDrain         = 64 << 10 // of what is left of a response, to keep its connection
	maxPrefix        = 4 << 10  // of an undeclared response's body
	errorPrefetch    = 64 << 10 // of a failure's body, read before its fate is known
)
