package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// schemeVar is the private variable of a security scheme.
func (e *emitter) schemeVar(s *ir.SecurityScheme) string {
	return "scheme" + strings.TrimPrefix(e.names.Scheme(s), "Scheme")
}

// schemeList is all schemes of the document; nil without any.
func (e *emitter) schemeList() *jen.Statement {
	if len(e.api.Schemes) == 0 {
		return nil
	}
	list := jen.Index().Op("*").Qual(pkgSecurity, "Scheme")
	return list.ValuesFunc(func(g *jen.Group) {
		for _, s := range e.api.Schemes {
			g.Op("&").Id(e.schemeVar(s))
		}
	})
}

// securityOf is the variable with the alternatives of an operation; nil for one that
// is public.
func (e *emitter) securityOf(op *ir.Operation) *jen.Statement {
	if len(op.Security) == 0 || len(op.Security) == 1 && len(op.Security[0].Schemes) == 0 {
		return nil
	}
	var key, words []string
	unclear := false // the words alone would not tell all
	for _, r := range op.Security {
		var all []string
		for _, u := range r.Schemes {
			name := e.names.Scheme(u.Scheme)
			key = append(key, name+"\x00"+strings.Join(u.Scopes, "\x00"))
			word := strings.TrimPrefix(name, "Scheme")
			all = append(all, word)
			unclear = unclear || len(u.Scopes) > 0 || strings.Contains(word, "And") || strings.Contains(word, "Or") || word == "None"
		}
		key = append(key, "|")
		if len(all) == 0 {
			all = []string{"None"}
		}
		words = append(words, strings.Join(all, "And"))
	}
	word := strings.Join(words, "Or")
	if !unclear {
		key = []string{word}
	}
	return e.ops.security.get(strings.Join(key, "\x01"), word, func() *jen.Statement { return e.requirements(op.Security) })
}

// requirements is the list of alternatives.
//
//	[]security.Requirement{{{Scheme: &schemeBearer, Scopes: []string{"read"}}}, {{Scheme: &schemeKey}}}
func (e *emitter) requirements(list []*ir.Requirement) *jen.Statement {
	return jen.Index().Qual(pkgSecurity, "Requirement").ValuesFunc(func(g *jen.Group) {
		for _, r := range list {
			g.ValuesFunc(func(g *jen.Group) {
				for _, u := range r.Schemes {
					pairs := []pair{{"Scheme", jen.Op("&").Id(e.schemeVar(u.Scheme))}}
					if len(u.Scopes) > 0 {
						pairs = append(pairs, pair{"Scopes", jen.Index().String().ValuesFunc(func(g *jen.Group) {
							for _, s := range u.Scopes {
								g.Lit(s)
							}
						})})
					}
					g.Add(ordered(jen.Null(), pairs...))
				}
			})
		}
	})
}

// writeSecurity writes the schemes and the alternatives in use.
//
//	const SchemeBearer = "bearer"
//
//	var schemeBearer = security.Scheme{Name: SchemeBearer, Type: security.HTTP, HTTP: "bearer"}
func (e *emitter) writeSecurity() {
	if len(e.api.Schemes) > 0 {
		var consts []jen.Code
		for _, s := range e.api.Schemes {
			if text := commentText(docText(s.Doc)); text != "" {
				consts = append(consts, jen.Comment(text))
			}
			consts = append(consts, jen.Id(e.names.Scheme(s)).Op("=").Lit(s.Name).Add(trailing(schemeNote(s))))
		}
		var vars []jen.Code
		for _, s := range e.api.Schemes {
			vars = append(vars, jen.Id(e.schemeVar(s)).Op("=").Add(e.scheme(s)))
		}
		e.add(fileSecurity, "Scheme",
			doc("The names of the security schemes, for the options of a client and the hook of a server."),
			jen.Const().Defs(consts...), jen.Line(), jen.Var().Defs(vars...), jen.Line())
	}
	for _, d := range e.ops.security.decls() {
		e.add(fileSecurity, "Security", d.code)
	}
}

// schemeNote says what a scheme is.
func schemeNote(s *ir.SecurityScheme) string {
	switch s.Type {
	case "apiKey":
		return s.In + " " + s.Param
	case "http":
		return "HTTP " + s.HTTP
	}
	return s.Type
}

func (e *emitter) scheme(s *ir.SecurityScheme) *jen.Statement {
	pairs := []pair{{"Name", jen.Id(e.names.Scheme(s))}}
	kind := map[string]string{"apiKey": "APIKey", "http": "HTTP", "oauth2": "OAuth2", "openIdConnect": "OpenID", "mutualTLS": "MutualTLS"}[s.Type]
	if kind == "" {
		kind = "HTTP"
	}
	pairs = append(pairs, pair{"Type", jen.Qual(pkgSecurity, kind)})
	switch s.Type {
	case "apiKey":
		in := map[string]string{"header": "InHeader", "query": "InQuery", "cookie": "InCookie"}[s.In]
		if in == "" {
			in = "InHeader"
		}
		pairs = append(pairs, pair{"In", jen.Qual(pkgSecurity, in)}, pair{"Param", jen.Lit(s.Param)})
	case "http":
		pairs = append(pairs, pair{"HTTP", jen.Lit(s.HTTP)})
	}
	return ordered(jen.Qual(pkgSecurity, "Scheme"), pairs...)
}
