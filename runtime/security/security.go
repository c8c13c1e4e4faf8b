// Package security holds what a document says about authentication, for both
// sides of the wire: schemes, and the alternatives of schemes that an
// operation asks for. It reads credentials from a request; whether they are
// good is for the server's author to decide.
package security

import (
	"strings"
)

// Type is the kind of a scheme.
type Type string

// The types of OpenAPI.
const (
	APIKey    Type = "apiKey"
	HTTP      Type = "http"
	OAuth2    Type = "oauth2"
	OpenID    Type = "openIdConnect"
	MutualTLS Type = "mutualTLS"
)

// The places of an API key.
const (
	InHeader = "header"
	InQuery  = "query"
	InCookie = "cookie"
)

// Scheme is one way to authenticate. It is immutable: requirements refer to
// it by address.
type Scheme struct {
	Name  string // its key in the document
	Type  Type
	In    string // of APIKey: InHeader, InQuery or InCookie
	Param string // of APIKey: the name of the header, parameter or cookie
	HTTP  string // of HTTP: the authentication scheme in lower case: basic, bearer, …
}

// Use is a scheme with the scopes or roles that are needed.
type Use struct {
	Scheme *Scheme
	Scopes []string
}

// Requirement is one alternative: all of its schemes together. An empty one
// is satisfied by anybody.
type Requirement []Use

// form is how a credential of the scheme travels.
type form uint8

const (
	formKey    form = iota // an API key
	formBasic              // user and password in Authorization
	formBearer             // a token in Authorization
	formOther              // another scheme in Authorization, its parameters as they are
	formTLS                // the certificate of the connection
)

func (s *Scheme) form() form {
	switch s.Type {
	case APIKey:
		return formKey
	case MutualTLS:
		return formTLS
	case HTTP:
		switch strings.ToLower(s.HTTP) {
		case "basic":
			return formBasic
		case "bearer":
			return formBearer
		}
		return formOther
	}
	return formBearer // OAuth2 and OpenID present a bearer token
}

// Basic reports whether the credential is a user and a password.
func (s *Scheme) Basic() bool { return s.form() == formBasic }

// Token reports whether the credential is a bearer token, as it is for OAuth2
// and OpenID as well.
func (s *Scheme) Token() bool { return s.form() == formBearer }

// Choose is the first alternative all of whose schemes the caller has. Without
// alternatives nothing is required and the result is an empty requirement.
func Choose(alternatives []Requirement, has func(*Scheme) bool) (Requirement, bool) {
	if len(alternatives) == 0 {
		return nil, true
	}
next:
	for _, r := range alternatives {
		for _, u := range r {
			if !has(u.Scheme) {
				continue next
			}
		}
		return r, true
	}
	return nil, false
}

// Missing says, for people, what each alternative lacks: "key and sign, or
// token". It holds names of schemes only.
func Missing(alternatives []Requirement, has func(*Scheme) bool) string {
	var b strings.Builder
	for i, r := range alternatives {
		if i > 0 {
			b.WriteString(", or ")
		}
		n := 0
		for _, u := range r {
			if has(u.Scheme) {
				continue
			}
			if n > 0 {
				b.WriteString(" and ")
			}
			b.WriteString(u.Scheme.Name)
			n++
		}
	}
	return b.String()
}
