package client

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
	"github.com/holdfast-go/holdfast/runtime/security"
	"github.com/holdfast-go/holdfast/runtime/semantic"
)

// Option sets something about a client. A nil Option is ignored.
type Option func(*settings) error

// settings is what the options fill in.
type settings struct {
	api        *API
	base       string
	server     string
	index      int
	variables  map[string]string
	httpClient *http.Client
	transport  http.RoundTripper
	header     http.Header
	before     []func(*http.Request) error
	after      []func(*http.Request, *http.Response, error)
	hooks      []*observe.Hooks
	limit      int64
	strict     bool
	validate   bool
	creds      []credential
	cacheStore cache.Store
	targets    []string
	semantic   *semantic.Cache
	handlers   map[string]handler
	funcs      map[string][]function
	profile    string
	profiled   bool

	share breaker.Share

	policyFile    string
	policyDecoder policyfile.Decoder
}

// Profile chooses one of the profiles that the document's x-resilience has; empty is
// none. Without this option it is the one that the environment variable
// HOLDFAST_PROFILE names. A name that the document does not have is an error, a
// [*policy.ProfileError].
func Profile(name string) Option {
	return func(s *settings) error { s.profile, s.profiled = name, true; return nil }
}

// BaseURL is the address to call, whatever the document says: scheme, host and
// the path before that of each operation, with a query that is sent along if
// there is one. It takes the place of the servers of single operations as well.
func BaseURL(url string) Option {
	return func(s *settings) error {
		if url == "" {
			return errors.New("BaseURL is empty")
		}
		s.base = url
		return nil
	}
}

// ServerIndex chooses a server of the document, counted from 0. The first one
// is the default.
func ServerIndex(i int) Option {
	return func(s *settings) error {
		if i < 0 || i >= len(s.api.Servers) {
			return fmt.Errorf("there is no server %d; the document has %d", i, len(s.api.Servers))
		}
		s.index, s.server = i, ""
		return nil
	}
}

// ServerName chooses a server of the document by its name, description or URL.
func ServerName(name string) Option {
	return func(s *settings) error {
		for i, server := range s.api.Servers {
			if name != "" && (server.Name == name || server.Description == name || server.URL == name) {
				s.index = i
				return nil
			}
		}
		return fmt.Errorf("there is no server %q in the document", name)
	}
}

// ServerVariable sets a variable of the servers' URLs.
func ServerVariable(name, value string) Option {
	return func(s *settings) error {
		if s.variables == nil {
			s.variables = make(map[string]string)
		}
		s.variables[name] = value
		return nil
	}
}

// HTTP sends through c: its transport, cookie jar, redirect rule and timeout.
// The client is copied, except for what it points to. Nil is ignored.
func HTTP(c *http.Client) Option {
	return func(s *settings) error {
		if c != nil {
			s.httpClient = c
		}
		return nil
	}
}

// Transport sends through t. Connection timeouts are then t's own. Nil is
// ignored.
func Transport(t http.RoundTripper) Option {
	return func(s *settings) error {
		if !isNil(t) {
			s.transport = t
		}
		return nil
	}
}

// Header sends a header with every request. Given again under the same name it
// adds a value; a parameter of the operation takes its place.
func Header(name, value string) Option {
	return func(s *settings) error {
		if err := checkField(name, value); err != nil {
			return err
		}
		s.header.Add(name, value)
		return nil
	}
}

// UserAgent is the User-Agent header; empty sends none.
func UserAgent(text string) Option {
	return func(s *settings) error {
		if err := checkField("User-Agent", text); err != nil {
			return err
		}
		s.header["User-Agent"] = []string{text}
		return nil
	}
}

// BeforeAttempt calls f with each request right before it is sent, with its
// credentials and in the order of the options. f may change its headers; an
// error ends the call.
func BeforeAttempt(f func(*http.Request) error) Option {
	return func(s *settings) error {
		if f != nil {
			s.before = append(s.before, f)
		}
		return nil
	}
}

// AfterAttempt calls f when a try has its response's header or has failed. f
// must not read the body. The response is nil when there is none.
func AfterAttempt(f func(*http.Request, *http.Response, error)) Option {
	return func(s *settings) error {
		if f != nil {
			s.after = append(s.after, f) //nolint:bodyclose // The hook does not own it.
		}
		return nil
	}
}

// Observe calls hooks with what happens in every call.
func Observe(h *observe.Hooks) Option {
	return func(s *settings) error {
		if h != nil {
			s.hooks = append(s.hooks, h)
		}
		return nil
	}
}

// ShareBreakers has the client tell other instances of breakers that open, and open its own
// when they tell: what one has found out by failing calls, the others need not. A breaker is
// the same where dependency, scope and key are. Each instance probes by itself, and closes
// its breakers alone. Off by default, since one instance's own trouble, such as its network,
// is then everybody's; where the Share cannot tell, each goes by what it has seen.
func ShareBreakers(s breaker.Share) Option {
	return func(o *settings) error {
		if isNil(s) {
			return errors.New("ShareBreakers: the share is nil")
		}
		o.share = s
		return nil
	}
}

// BodyLimit bounds, in bytes, a response that is read into memory. It counts
// what is left after decompression.
func BodyLimit(n int64) Option {
	return func(s *settings) error {
		if n <= 0 {
			return fmt.Errorf("BodyLimit has to be above zero, is %d", n)
		}
		s.limit = n
		return nil
	}
}

// Strict checks responses against the constraints of their schemas and refuses
// unknown values of enums and members that a closed object does not have.
// Without it a client tolerates these, since services grow.
func Strict() Option {
	return func(s *settings) error { s.strict = true; return nil }
}

// ValidateRequests checks requests against the constraints of their schemas
// before they are sent.
func ValidateRequests() Option {
	return func(s *settings) error { s.validate = true; return nil }
}

// APIKey is the secret of an API key scheme.
func APIKey(scheme, secret string) Option {
	return withCredential(scheme, func(s *security.Scheme) (credential, error) {
		if s.Type != security.APIKey {
			return credential{}, fmt.Errorf("scheme %q is no API key", scheme)
		}
		return credential{secret: secret}, nil
	})
}

// Basic is the user and the password of a basic authentication scheme.
func Basic(scheme, user, password string) Option {
	return withCredential(scheme, func(s *security.Scheme) (credential, error) {
		switch {
		case !s.Basic():
			return credential{}, fmt.Errorf("scheme %q is no basic authentication", scheme)
		case slices.Contains([]byte(user), ':'):
			return credential{}, fmt.Errorf("scheme %q: a user cannot hold a colon", scheme)
		}
		return credential{user: user, secret: password}, nil
	})
}

// Bearer is the token of a bearer, OAuth2 or OpenID Connect scheme.
func Bearer(scheme, token string) Option {
	return withCredential(scheme, func(s *security.Scheme) (credential, error) {
		if !s.Token() {
			return credential{}, fmt.Errorf("scheme %q takes no token", scheme)
		}
		return credential{secret: token}, nil
	})
}

// TokenSource asks src for the token of a scheme before each try. An API key,
// or what follows the name of another HTTP scheme in Authorization, can come
// from a source as well.
func TokenSource(scheme string, src security.TokenSource) Option {
	return withCredential(scheme, func(s *security.Scheme) (credential, error) {
		switch {
		case isNil(src):
			return credential{}, fmt.Errorf("scheme %q: the token source is nil", scheme)
		case s.Basic() || s.Type == security.MutualTLS:
			return credential{}, fmt.Errorf("scheme %q takes no token", scheme)
		}
		return credential{source: src}, nil
	})
}

// withCredential looks the scheme up and adds what makes of it.
func withCredential(scheme string, makes func(*security.Scheme) (credential, error)) Option {
	return func(s *settings) error {
		for _, known := range s.api.Schemes {
			if known.Name != scheme {
				continue
			}
			c, err := makes(known)
			if err != nil {
				return err
			}
			c.scheme = known
			if err := c.prepare(); err != nil {
				return err
			}
			s.creds = slices.DeleteFunc(s.creds, func(old credential) bool { return old.scheme == known })
			s.creds = append(s.creds, c)
			return nil
		}
		return fmt.Errorf("the document has no security scheme %q", scheme)
	}
}
