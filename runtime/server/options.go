package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/store"
)

// The defaults of a handler.
const (
	DefaultBodyLimit = 16 << 20 // bytes of a body that is read into memory
	DefaultURLLimit  = 64 << 10 // bytes of a request's path and query
)

// Option changes a handler that is being made. A nil Option changes nothing.
type Option func(*settings)

// settings are what options set.
type settings struct {
	base         string
	paths        map[string]string
	authenticate func(context.Context, *Credentials) (Principal, error)
	onPanic      func(ctx context.Context, op string, value any, stack []byte)
	onError      func(ctx context.Context, op string, status int, err error)
	render       func(http.ResponseWriter, *http.Request, *fault.Problem)
	hooks        []*observe.Hooks
	body, stream int64
	limits       map[string]int64
	urlLimit     int
	headerLimit  int
	records      store.Idempotency
	trusted      []netip.Prefix
	locks        map[policy.LockBackend]lock.Backend
	limitStore   ratelimit.Store
	funcs        map[string]func(context.Context) string
	strict       bool
	profile      string
	profiled     bool

	policyFile    string
	policyDecoder policyfile.Decoder

	debug   bool // snapshots are served
	sources []snapshot.Source
	health  bool // /healthz is
}

func defaults() settings {
	return settings{
		body: DefaultBodyLimit, stream: -1, urlLimit: DefaultURLLimit,
		onPanic: func(ctx context.Context, op string, value any, stack []byte) {
			slog.ErrorContext(ctx, "a method panicked", "operation", op, "panic", value, "stack", string(stack))
		},
		onError: func(ctx context.Context, op string, status int, err error) {
			if status >= http.StatusInternalServerError {
				slog.ErrorContext(ctx, "a request failed", "operation", op, "status", status, "error", err)
			}
		},
	}
}

// Profile chooses one of the profiles that the document's x-resilience has; empty is
// none. Without this option it is the one that the environment variable
// HOLDFAST_PROFILE names. A name that the document does not have makes New panic.
func Profile(name string) Option {
	return func(s *settings) { s.profile, s.profiled = name, true }
}

// BasePath mounts the handler below a path such as /api/v1: only requests below it
// are answered, and it is taken off before a route is looked for.
func BasePath(path string) Option {
	return func(s *settings) {
		path = strings.TrimRight(path, "/")
		if path != "" && path[0] != '/' {
			path = "/" + path
		}
		s.base = path
	}
}

// RoutePath gives one operation another path, for receivers of webhooks, whose
// document names no path. It may hold the parameters that the operation has.
func RoutePath(operationID, path string) Option {
	return func(s *settings) {
		if s.paths == nil {
			s.paths = make(map[string]string)
		}
		s.paths[operationID] = path
	}
}

// Authenticate sets the function that checks credentials, which is called for each
// scheme that a request presents credentials for. It returns who the caller is, or an
// error: ErrUnauthorized or any other is 401, a Responder or a *fault.Problem is
// answered as it is, which is for stores that are down. Scopes are compared by the
// handler, with those of the Principal. It is called from many goroutines.
//
// Without it, operations that need credentials are never run.
func Authenticate(f func(ctx context.Context, c *Credentials) (Principal, error)) Option {
	return func(s *settings) { s.authenticate = f }
}

// OnPanic sets the function that hears of panics in methods and hooks; the caller
// gets a 500. By default they are logged with slog. Nil hears of none.
func OnPanic(f func(ctx context.Context, op string, value any, stack []byte)) Option {
	return func(s *settings) { s.onPanic = f }
}

// OnError sets the function that hears of errors that methods return and of
// results that cannot be sent, with the status that was answered: 0 when the answer
// had begun already. By default those answered with 5xx are logged with slog. Nil
// hears of none.
func OnError(f func(ctx context.Context, op string, status int, err error)) Option {
	return func(s *settings) { s.onError = f }
}

// ErrorHandler sets the function that writes the answers that this package gives
// itself, in place of problem+json. Headers such as Retry-After and Allow are set
// already; the function sets the content type, calls WriteHeader with p.Status and
// writes a body.
func ErrorHandler(f func(w http.ResponseWriter, r *http.Request, p *fault.Problem)) Option {
	return func(s *settings) { s.render = f }
}

// Observe adds hooks: CallEnd for each request, Reject for those that are turned away by a
// limit, a bulkhead, shedding, a lock, the caller's deadline, an idempotency key or a
// precondition, Queued for waits in a queue or for a lock, Replay for stored results that
// are given again, StoreFail for stores that cannot be asked, and PolicyReload.
func Observe(h *observe.Hooks) Option {
	return func(s *settings) {
		if h != nil {
			s.hooks = append(s.hooks, h)
		}
	}
}

// BodyLimit bounds all bodies, in bytes; a negative n is no bound. Without it those
// that are read into memory have DefaultBodyLimit and streams have none.
func BodyLimit(n int64) Option {
	return func(s *settings) { s.body, s.stream = n, n }
}

// StreamLimit bounds bodies that methods read as a stream, in bytes; a negative n is
// no bound. It comes after BodyLimit where both are given.
func StreamLimit(n int64) Option {
	return func(s *settings) { s.stream = n }
}

// OperationLimit is BodyLimit for one operation.
func OperationLimit(operationID string, n int64) Option {
	return func(s *settings) {
		if s.limits == nil {
			s.limits = make(map[string]int64)
		}
		s.limits[operationID] = n
	}
}

// URLLimit bounds a request's path and query together, in bytes; past it the answer
// is 414. Zero or less is no bound but that of http.Server.
func URLLimit(n int) Option { return func(s *settings) { s.urlLimit = n } }

// HeaderLimit bounds the number of lines in a request's header; past it the answer
// is 431. The default, zero, is no bound but that of http.Server, which counts bytes.
func HeaderLimit(n int) Option { return func(s *settings) { s.headerLimit = n } }

// IdempotencyStore sets where results are kept for requests that come twice. The
// default keeps them in memory, which is for one instance. Operations with idempotency
// {within: transaction} need a [store.Transactional] one, as that of package runtime/store/sql
// is; New panics without.
func IdempotencyStore(records store.Idempotency) Option {
	return func(s *settings) { s.records = records }
}

// TrustedProxies names the networks of proxies whose X-Forwarded-For is believed,
// which limits by address go by. By default nobody's is.
func TrustedProxies(networks ...netip.Prefix) Option {
	return func(s *settings) { s.trusted = append(s.trusted, networks...) }
}

// ValidateResponses holds results to the constraints of the document: one that
// breaks them is answered with 500. It is for tests.
func ValidateResponses() Option { return func(s *settings) { s.strict = true } }
