package security

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
)

// hidden stands for a credential wherever one is printed.
const hidden = "[hidden]"

// Credential is what a request presents for one scheme. Printing it, with any
// verb or logger, shows nothing of it.
type Credential struct {
	User   string // of basic authentication
	Secret string // the key, password or token; empty for MutualTLS
}

// String hides the credential.
func (Credential) String() string { return hidden }

// GoString hides the credential from %#v.
func (Credential) GoString() string { return hidden }

// LogValue hides the credential from slog.
func (Credential) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the credential from encoders.
func (Credential) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// TokenSource gives the tokens of a scheme. Token is called for each try and
// has to keep what stays valid; it is called from many goroutines.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
}

// TokenFunc is a function as a TokenSource.
type TokenFunc func(ctx context.Context) (string, error)

// Token calls f.
func (f TokenFunc) Token(ctx context.Context) (string, error) { return f(ctx) }

// maxCredential bounds what is read of a credential.
const maxCredential = 64 << 10

// Read takes the scheme's credential from a request. It reports false when
// there is none, when it cannot be read, and when the request has more than
// one, which parties in between may tell apart differently.
func (s *Scheme) Read(r *http.Request) (Credential, bool) {
	switch s.form() {
	case formKey:
		return s.readKey(r)
	case formTLS:
		// The chains are there only when the connection's certificate was verified.
		return Credential{}, r.TLS != nil && len(r.TLS.VerifiedChains) > 0
	}
	lines := r.Header["Authorization"]
	if len(lines) != 1 || len(lines[0]) > maxCredential {
		return Credential{}, false
	}
	scheme, rest, ok := strings.Cut(lines[0], " ")
	rest = strings.Trim(rest, " ")
	if !ok || rest == "" || !strings.EqualFold(scheme, s.authScheme()) {
		return Credential{}, false
	}
	if s.form() == formBasic {
		return readBasic(rest)
	}
	return Credential{Secret: rest}, true
}

// authScheme is the first word of the Authorization header.
func (s *Scheme) authScheme() string {
	switch s.form() {
	case formBasic:
		return "Basic"
	case formBearer:
		return "Bearer"
	}
	return s.HTTP
}

func readBasic(encoded string) (Credential, bool) {
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Credential{}, false
	}
	user, password, ok := strings.Cut(string(text), ":")
	return Credential{User: user, Secret: password}, ok
}

func (s *Scheme) readKey(r *http.Request) (Credential, bool) {
	var found []string
	switch s.In {
	case InHeader:
		found = r.Header.Values(s.Param)
	case InCookie:
		for _, c := range r.CookiesNamed(s.Param) {
			found = append(found, c.Value)
		}
	case InQuery:
		if r.URL == nil {
			return Credential{}, false
		}
		query, _ := url.ParseQuery(r.URL.RawQuery) // what can be read of it
		found = query[s.Param]
	}
	if len(found) != 1 || found[0] == "" || len(found[0]) > maxCredential {
		return Credential{}, false
	}
	return Credential{Secret: found[0]}, true
}

// AppendAuthorization appends the value of the Authorization header for c. It
// reports false for schemes that do not use that header.
func (s *Scheme) AppendAuthorization(dst []byte, c Credential) ([]byte, bool) {
	switch s.form() {
	case formBasic:
		return base64.StdEncoding.AppendEncode(append(dst, "Basic "...), []byte(c.User+":"+c.Secret)), true
	case formBearer, formOther:
		dst = append(append(dst, s.authScheme()...), ' ')
		return append(dst, c.Secret...), true
	}
	return dst, false
}

// Challenge is the value of WWW-Authenticate that asks for the scheme, and
// empty for schemes that HTTP has no challenge for.
func (s *Scheme) Challenge(scopes []string) string {
	switch s.form() {
	case formBasic:
		return `Basic realm="api", charset="UTF-8"`
	case formBearer:
		if len(scopes) > 0 && s.Type != HTTP {
			if list := strings.Join(scopes, " "); quotable(list) {
				return `Bearer scope="` + list + `"`
			}
		}
		return "Bearer"
	case formOther:
		return s.authScheme()
	}
	return ""
}

// quotable reports whether a text may stand between quotation marks as it is.
func quotable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}
