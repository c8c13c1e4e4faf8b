package ir

import (
	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// SecurityScheme is one way to authenticate.
type SecurityScheme struct {
	Name      string // key in components.securitySchemes
	GoName    string
	Pos       diag.Pos
	Doc       Doc
	Type      string // apiKey, http, oauth2, openIdConnect, mutualTLS
	In        string // of apiKey: header, query, cookie
	Param     string // of apiKey: its name
	HTTP      string // of http: the scheme in lower case: basic, bearer, …
	Flows     []OAuthFlow
	OpenIDURL string
}

// OAuthFlow is one flow of oauth2, for docs.
type OAuthFlow struct {
	Kind             string
	AuthorizationURL string
	TokenURL         string
}

// Requirement is one alternative: all its schemes together. Without schemes: anonymous.
type Requirement struct {
	Schemes []SchemeUse
}

// SchemeUse is a scheme with the scopes or roles that are needed.
type SchemeUse struct {
	Scheme *SecurityScheme
	Scopes []string
}
