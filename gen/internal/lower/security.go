package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// securitySchemes reads components.securitySchemes.
func (l *lowerer) securitySchemes(root *load.Node) {
	schemes := l.object(root.Get("components"), "securitySchemes", "components")
	if schemes == nil {
		return
	}
	for _, m := range schemes.Members {
		if strings.HasPrefix(m.Key, "x-") {
			continue
		}
		if s := l.securityScheme(m); s != nil {
			l.addScheme(s)
		}
	}
}

func (l *lowerer) addScheme(s *ir.SecurityScheme) {
	l.schemes[s.Name] = s
	l.api.Schemes = append(l.api.Schemes, s)
}

// securityScheme reads one scheme. One that cannot be understood still has its
// name, so that what requires it is not reported again.
func (l *lowerer) securityScheme(m load.Member) *ir.SecurityScheme {
	what := "security scheme " + m.Key
	s := &ir.SecurityScheme{Name: m.Key, Pos: m.Pos()}
	ref := l.follow(m.Value, securitySchemeObject)
	n := ref.node
	if n == nil || !l.checkFields(n, what, securitySchemeObject) {
		return s
	}
	s.Doc = l.docOf(n, what, ref)
	s.GoName = l.goName(n, what)
	s.Type = l.schemeType(m, n, what)
	switch s.Type {
	case "apiKey":
		l.apiKeyScheme(m, n, s, what)
	case "http":
		l.httpScheme(m, n, s, what)
	case "oauth2":
		s.Flows = l.flows(n, what)
	case "openIdConnect":
		if s.OpenIDURL = l.text(n, "openIdConnectUrl", what); s.OpenIDURL == "" {
			l.list.Repair(m.Pos(), "security-scheme", n.Pointer(), "%s: openIdConnect needs openIdConnectUrl: left empty", what)
		}
	case "mutualTLS":
		if l.doc.Version < load.V31 {
			l.repairf(n.Get("type"), "later-field", "%s: type mutualTLS belongs to OpenAPI 3.1, the document is %s: read as there",
				what, l.doc.VersionText)
		}
	}
	return s
}

var schemeTypes = []string{"apiKey", "http", "mutualTLS", "oauth2", "openIdConnect"}

// schemeType reads the type. Its letter case and the type basic of Swagger 2 are
// repaired.
func (l *lowerer) schemeType(m load.Member, n *load.Node, what string) string {
	t := l.text(n, "type", what)
	if slices.Contains(schemeTypes, t) {
		return t
	}
	for _, known := range schemeTypes {
		if strings.EqualFold(t, known) {
			l.repairf(n.Get("type"), "security-scheme", "%s: type %q: taken as %s", what, t, known)
			return known
		}
	}
	if strings.EqualFold(t, "basic") || strings.EqualFold(t, "bearer") {
		l.repairf(n.Get("type"), "security-scheme", "%s: type %q: taken as http with scheme %s", what, t, strings.ToLower(t))
		return "http"
	}
	d := l.list.Error(m.Pos(), "security-scheme", n.Pointer(), "%s: type %q is not one of %s", what, t, strings.Join(schemeTypes, ", "))
	if near, ok := diag.Nearest(t, schemeTypes); ok {
		d.Hintf("did you mean %s?", near)
	}
	return ""
}

func (l *lowerer) apiKeyScheme(m load.Member, n *load.Node, s *ir.SecurityScheme, what string) {
	s.In, s.Param = l.text(n, "in", what), l.text(n, "name", what)
	if s.In == "" || s.Param == "" {
		l.list.Error(m.Pos(), "security-scheme", n.Pointer(), "%s: apiKey needs name and in", what).
			Hintf("name is that of the header, query parameter or cookie; in is header, query or cookie")
		return
	}
	if in := strings.ToLower(s.In); slices.Contains([]string{"header", "query", "cookie"}, in) {
		if in != s.In {
			l.repairf(n.Get("in"), "security-scheme", "%s: in %q: taken as %s", what, s.In, in)
		}
		s.In = in
		return
	}
	l.errorf(n.Get("in"), "security-scheme", "%s: in %q is not one of header, query, cookie", what, s.In)
}

func (l *lowerer) httpScheme(m load.Member, n *load.Node, s *ir.SecurityScheme, what string) {
	s.HTTP = strings.ToLower(l.text(n, "scheme", what))
	if s.HTTP != "" {
		return
	}
	if t := strings.ToLower(l.prose(n, "type", what)); t == "basic" || t == "bearer" {
		s.HTTP = t // reported with the type
		return
	}
	if n.Has("bearerFormat") {
		l.list.Repair(m.Pos(), "security-scheme", n.Pointer(), "%s: http needs scheme: taken as bearer, for it has a bearerFormat", what)
		s.HTTP = "bearer"
		return
	}
	l.list.Error(m.Pos(), "security-scheme", n.Pointer(), "%s: http needs scheme", what).
		Hintf("such as basic or bearer")
}

var flowKinds = []string{"implicit", "password", "clientCredentials", "authorizationCode", "deviceAuthorization"}

// flows reads the flows of oauth2. They only document where tokens come from, so
// nothing about them ends a run.
func (l *lowerer) flows(n *load.Node, what string) []ir.OAuthFlow {
	flows := l.proseObject(n, "flows", what)
	if flows == nil {
		if !n.Has("flows") {
			l.list.Repair(keyPos(n), "security-scheme", n.Pointer(), "%s: oauth2 needs flows: left empty", what)
		}
		return nil
	}
	l.checkFields(flows, what+": flows", flowsObject)
	var out []ir.OAuthFlow
	for _, m := range flows.Members {
		if !slices.Contains(flowKinds, m.Key) || !m.Value.Is(load.Object) {
			continue
		}
		at := what + ": flow " + m.Key
		l.checkFields(m.Value, at, flowObject)
		f := ir.OAuthFlow{
			Kind: m.Key, AuthorizationURL: l.prose(m.Value, "authorizationUrl", at), TokenURL: l.prose(m.Value, "tokenUrl", at),
		}
		if f.AuthorizationURL == "" && m.Key == "deviceAuthorization" {
			f.AuthorizationURL = l.prose(m.Value, "deviceAuthorizationUrl", at)
		}
		out = append(out, f)
	}
	return out
}

// requirements reads the member security of n: nil when it is absent, and an
// empty list that is not nil when it says that nothing is required.
func (l *lowerer) requirements(n *load.Node, what string) []*ir.Requirement {
	v := n.Get("security")
	if v == nil {
		return nil
	}
	if v.Kind == load.Null {
		l.repairf(v, "wrong-type", "%s must be a list, got null: taken as absent, not as public", fieldOf(what, "security"))
		return nil
	}
	out := []*ir.Requirement{}
	if v.Is(load.Object) {
		l.repairf(v, "wrong-type", "%s must be a list, got a mapping: taken as a list of one", fieldOf(what, "security"))
		return append(out, l.requirement(v, what))
	}
	list := l.array(n, "security", what)
	if list == nil {
		return out
	}
	for _, item := range list.Items {
		if !item.Is(load.Object) {
			l.wrongKind(item, fieldOf(what, "an entry of security"), load.Object)
			continue
		}
		out = append(out, l.requirement(item, what))
	}
	return out
}

func (l *lowerer) requirement(n *load.Node, what string) *ir.Requirement {
	r := &ir.Requirement{}
	for _, m := range n.Members {
		if strings.HasPrefix(m.Key, "x-") {
			continue
		}
		use := ir.SchemeUse{Scheme: l.scheme(m, what)}
		if m.Value.Kind == load.Null {
			l.repairf(m.Value, "wrong-type", "%s: security %s must be a list of scopes, got null: taken as empty", what, m.Key)
		} else {
			use.Scopes = l.strings(n, m.Key, fieldOf(what, "security"))
		}
		r.Schemes = append(r.Schemes, use)
	}
	return r
}

// scheme finds the scheme that a requirement names. To leave out one that is not
// declared would make a protected operation public, so the nearest name is taken,
// and without one a bearer token is required.
func (l *lowerer) scheme(m load.Member, what string) *ir.SecurityScheme {
	if s := l.schemes[m.Key]; s != nil {
		return s
	}
	if s := l.schemeByURI(m); s != nil {
		return s
	}
	names := make([]string, 0, len(l.schemes))
	for name := range l.schemes {
		names = append(names, name)
	}
	if near, ok := diag.Nearest(m.Key, names); ok {
		l.list.Repair(m.Pos(), "security-undefined", m.Value.Pointer(),
			"%s: security scheme %q is not declared: taken as %q", what, m.Key, near).
			Hintf("did you mean %q?", near)
		return l.schemes[near]
	}
	s := &ir.SecurityScheme{Name: m.Key, Pos: m.Pos(), Type: "http", HTTP: "bearer"}
	if strings.Contains(strings.ToLower(m.Key), "basic") {
		s.HTTP = "basic"
	}
	l.list.Repair(m.Pos(), "security-undefined", m.Value.Pointer(),
		"%s: security scheme %q is not declared: taken as http with scheme %s", what, m.Key, s.HTTP).
		Hintf("declare it in components.securitySchemes")
	l.addScheme(s)
	return s
}

// schemeByURI finds a scheme that a 3.2 document names by a URI.
func (l *lowerer) schemeByURI(m load.Member) *ir.SecurityScheme {
	if l.doc.Version < load.V32 || !strings.ContainsAny(m.Key, "/#") {
		return nil
	}
	n := l.doc.Resolve(m.Value, m.Key, l.list)
	if n == nil {
		return nil
	}
	key, ok := n.Key()
	if !ok {
		key = load.Member{Key: m.Key, Line: m.Line, Col: m.Col, Value: n}
	}
	if s := l.schemes[key.Key]; s != nil && n.Home() == l.doc.Root {
		return s
	}
	key.Value = n
	s := l.securityScheme(key)
	s.Name = key.Key
	for l.schemes[s.Name] != nil { // a scheme of another file keeps its own name
		s.Name += "_"
	}
	l.addScheme(s)
	l.schemes[m.Key] = s
	return s
}
