package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// addressPiece is a value of a request or its response; nil when it cannot be found
// there.
func (e *emitter) addressPiece(a *address, res *jen.Statement, text string) *jen.Statement {
	expr, err := policy.ParseExpr(strings.TrimSpace(text))
	if err != nil {
		return nil
	}
	switch expr.Source {
	case policy.FromMethod:
		return jen.Qual(pkgClient, "Literal").Call(jen.Lit(a.owner.Method))
	case policy.FromURL:
		a.usesURL = true
		return jen.Qual(pkgClient, "Literal").Call(jen.Id("url"))
	case policy.FromBody:
		return e.bodyPiece(a, expr.Name)
	case policy.FromPath:
		return e.paramPiece(a, "path", expr.Name)
	case policy.FromQuery:
		return e.paramPiece(a, "query", expr.Name)
	case policy.FromHeader:
		return e.paramPiece(a, "header", expr.Name)
	case policy.FromStatus:
		return e.statusPiece(a, res)
	case policy.FromResponseHeader:
		return e.headerPiece(a, res, expr.Name)
	case policy.FromResponseBody:
		return e.responsePiece(a, res, expr.Name)
	}
	return nil
}

// paramPiece is a parameter of the request.
func (e *emitter) paramPiece(a *address, in, name string) *jen.Statement {
	for _, f := range a.owner.fields {
		if f.In == in && (f.Name == name || in == "header" && strings.EqualFold(f.Name, name)) && single(f.Use.Type) {
			a.usesReq = true
			return jen.Qual(pkgClient, "FromParam").Call(jen.Lit(f.Name), paramValue(e.codecOf(f.Param, strict).expr(), f.self(), f.wrap()))
		}
	}
	return nil
}

// bodyPiece is a value of a body of JSON or fields.
func (e *emitter) bodyPiece(a *address, at string) *jen.Statement {
	if a.owner.body == nil {
		return nil
	}
	for _, f := range a.owner.body.forms {
		src := jen.Id("r").Dot("Body")
		if a.owner.body.choice != "" {
			src = src.Dot(f.field)
		}
		if piece := e.contentPiece("FromBody", f.Content, f.required, src, at); piece != nil {
			a.usesReq = true
			return piece
		}
	}
	return nil
}

// contentPiece is a value of a body that stands in a place; nil for a body that has none.
func (e *emitter) contentPiece(word string, c *ir.Content, required bool, src *jen.Statement, at string) *jen.Statement {
	from := func(src *jen.Statement, c *jen.Statement) *jen.Statement {
		return jen.Qual(pkgClient, word).Call(src, c, jen.Lit(at))
	}
	addr := jen.Op("&").Add(src)
	switch {
	case c.Kind == ir.ContentJSON && c.Use == nil:
		return from(addr, jen.Qual(pkgJSON, "Raw"))
	case isForm(c.Kind) && c.Use != nil && len(e.facts.files[resolve(c.Use.Type)]) == 0:
		f := bodyForm{Content: c, required: required}
		if f.formWrap() == pointer {
			addr = src.Clone()
		}
		return from(addr, e.typeCodec(c.Use.Type).expr())
	case c.Kind != ir.ContentJSON:
		return nil
	}
	p := place{use: c.Use, required: required}
	switch p.wrap() {
	case opt, null, optNull:
		addr = src.Clone().Dot("Ptr").Call()
	case pointer:
		addr = src.Clone()
	}
	return from(addr, e.placeCodec(p).expr())
}

// statusPiece is the status of the response.
func (e *emitter) statusPiece(a *address, res *jen.Statement) *jen.Statement {
	v := a.variant
	if v == nil {
		return nil
	}
	if v.typ == nil || !v.typ.status {
		return jen.Qual(pkgClient, "Literal").Call(jen.Lit(finalStatus(v.resp.Status)))
	}
	a.usesRes, a.variantOK = true, true
	status := res.Clone().Dot("StatusCode")
	if exact(v.typ.Status) && v.typ.Component == "" { // as Respond has it
		status = jen.Qual("cmp", "Or").Call(status, number(v.typ.Status))
	}
	return jen.Qual(pkgClient, "Literal").Call(jen.Qual("strconv", "Itoa").Call(status))
}

// headerPiece is a header of the response.
func (e *emitter) headerPiece(a *address, res *jen.Statement, name string) *jen.Statement {
	if a.variant == nil || a.variant.typ == nil {
		return nil
	}
	for _, h := range a.variant.typ.Headers {
		if strings.EqualFold(h.Name, name) && single(h.Use.Type) && !isSetCookie(h) {
			a.usesRes, a.variantOK = true, true
			src := res.Clone().Dot(e.names.Header(a.variant.typ.Response, h))
			return jen.Qual(pkgClient, "FromResponseHeader").Call(jen.Lit(h.Name),
				paramValue(e.codecOf(h, lenient).expr(), src, paramWrap(h.Use, h.Required)))
		}
	}
	return nil
}

// responsePiece is a value of the response's body.
func (e *emitter) responsePiece(a *address, res *jen.Statement, at string) *jen.Statement {
	v := a.variant
	if v == nil || v.body == nil {
		return nil
	}
	var piece *jen.Statement
	if v.typ != nil {
		piece = e.contentPiece("FromResponseBody", v.body.Content, true, res.Clone().Dot(e.bodyField(v.typ, v.body)), at)
	} else {
		piece = e.plainPiece(v.body, res, at)
	}
	if piece != nil {
		a.usesRes, a.variantOK = true, true
	}
	return piece
}

// plainPiece is a value of a result that is a body itself, which is a pointer where it
// is a struct.
func (e *emitter) plainPiece(p *payload, res *jen.Statement, at string) *jen.Statement {
	if p.Use == nil || classOf(p.Use.Type) != classStruct {
		return e.contentPiece("FromResponseBody", p.Content, true, res.Clone(), at)
	}
	if p.Kind != ir.ContentJSON && (!isForm(p.Kind) || len(e.facts.files[resolve(p.Use.Type)]) > 0) {
		return nil
	}
	return jen.Qual(pkgClient, "FromResponseBody").Call(res.Clone(), e.typeCodec(p.Use.Type).expr(), jen.Lit(at))
}
