package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// credential is what the caller gave for a scheme.
type credential struct {
	scheme *security.Scheme
	user   string
	secret string
	source security.TokenSource
	// field is the header's, parameter's or cookie's text, made once; empty
	// where a source gives the secret.
	field string
}

// prepare makes the text of a fixed secret and refuses one that cannot travel.
func (c *credential) prepare() error {
	if c.source != nil {
		return nil
	}
	var err error
	c.field, err = c.text(c.secret)
	return err
}

// text is how a secret is written where the scheme wants it. No error of it
// holds the secret.
func (c *credential) text(secret string) (string, error) {
	s := c.scheme
	if secret == "" && !s.Basic() {
		return "", fmt.Errorf("scheme %q: the secret is empty", s.Name)
	}
	var b []byte
	var err error
	v := param.TextValue(secret)
	switch {
	case s.Type != security.APIKey:
		b, _ = s.AppendAuthorization(nil, security.Credential{User: c.user, Secret: secret})
		v = param.TextValue(string(b))
		b, err = param.AppendHeader(nil, param.Simple, v)
	case s.In == security.InQuery:
		b, err = param.AppendQuery(nil, s.Param, param.Form, v)
	case s.In == security.InCookie:
		b, err = param.AppendCookie(nil, s.Param, param.Form, v)
	default:
		b, err = param.AppendHeader(nil, param.Simple, v)
	}
	if err != nil {
		return "", fmt.Errorf("scheme %q: the secret holds a character that cannot be sent", s.Name)
	}
	return string(b), nil
}

// ErrNoCredentials is in the chain of the error of a call that was not sent
// because no alternative of its security is configured.
var ErrNoCredentials = errors.New("credentials are missing")

// has reports whether the caller gave a credential. Whether a certificate is
// there only the transport knows; a caller who brings one vouches for it.
func (c *Core) has(s *security.Scheme) bool {
	if s.Type == security.MutualTLS {
		return c.ownTransport
	}
	return c.credential(s) != nil
}

func (c *Core) credential(s *security.Scheme) *credential {
	for i := range c.creds {
		if c.creds[i].scheme == s || c.creds[i].scheme.Name == s.Name {
			return &c.creds[i]
		}
	}
	return nil
}

// choose is the first alternative that is configured in full.
func (c *Core) choose(alternatives []security.Requirement) (security.Requirement, error) {
	if len(alternatives) == 0 {
		return nil, nil
	}
	// Where an anonymous alternative stands beside others, a caller who has a
	// credential means it to be used.
	anonymous := false
next:
	for _, r := range alternatives {
		if len(r) == 0 {
			anonymous = true
			continue
		}
		for _, u := range r {
			if !c.has(u.Scheme) {
				continue next
			}
		}
		return r, nil
	}
	if anonymous {
		return nil, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrNoCredentials, security.Missing(alternatives, c.has))
}

// authorize puts the credentials of a requirement on a try's request.
func (c *Core) authorize(ctx context.Context, need security.Requirement, r *http.Request) error {
	for _, u := range need {
		cred := c.credential(u.Scheme)
		if cred == nil {
			continue // a certificate
		}
		field := cred.field
		if cred.source != nil {
			token, err := cred.source.Token(ctx)
			if err != nil {
				return fmt.Errorf("scheme %q: %w", u.Scheme.Name, &hiddenError{err})
			}
			if field, err = cred.text(token); err != nil {
				return err
			}
		}
		put(r, u.Scheme, field)
	}
	return nil
}

// put writes a credential. The request's address is shared by all tries, so it
// is copied before it changes.
func put(r *http.Request, s *security.Scheme, field string) {
	switch {
	case s.Type != security.APIKey:
		r.Header["Authorization"] = []string{field}
	case s.In == security.InQuery:
		u := *r.URL
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += field
		r.URL = &u
	case s.In == security.InCookie:
		if old := r.Header["Cookie"]; len(old) > 0 {
			field = strings.Join(old, "; ") + "; " + field
		}
		r.Header["Cookie"] = []string{field}
	default:
		r.Header[http.CanonicalHeaderKey(s.Param)] = []string{field}
	}
}

// hiddenError keeps an error's chain for errors.Is and As, without its text,
// which may quote a token endpoint's answer.
type hiddenError struct{ err error }

func (e *hiddenError) Error() string { return "the token source failed" }
func (e *hiddenError) Unwrap() error { return e.err }

// principal identifies the credential of a requirement without giving it away:
// the hexadecimal SHA-256 of what is fixed about it, empty without one.
func (c *Core) principal(need security.Requirement) string {
	h := sha256.New()
	found := false
	for _, u := range need {
		if cred := c.credential(u.Scheme); cred != nil {
			found = true
			fmt.Fprintf(h, "%q:%q;", cred.scheme.Name, cred.field)
		}
	}
	if !found {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// isNil reports whether an interface holds nothing, or a nil pointer or the
// like, which would panic when it is used.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan, reflect.Slice, reflect.Interface:
		return r.IsNil()
	}
	return false
}

// checkField refuses a header that cannot be sent as it is.
func checkField(name, value string) error {
	if !isToken(name) {
		return fmt.Errorf("%q is not the name of a header", name)
	}
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("header %s holds a line break or another control character", name)
		}
	}
	return nil
}

// isToken reports whether s can be the name of a header.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
