package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// callbackURL writes the function that finds the address of a callback in the request
// that it belongs to. Where the address needs more than that request, callers know it
// themselves.
//
//	// DoneURL is where Done is sent: {$request.body#/hookUrl}.
//	func DoneURL(req *NotifyRequest) (string, error) {
//		return client.Address(client.FromBody(&req.Body, codecNotify, "/hookUrl"))
//	}
func (e *emitter) callbackURL(o *operation) {
	owner := e.callbackOwner(o.Operation)
	if owner == nil {
		return
	}
	var pieces []jen.Code
	uses := false
	for rest := o.Path; rest != ""; {
		literal, expr, tail := nextExpression(rest)
		rest = tail
		if literal != "" {
			pieces = append(pieces, jen.Qual(pkgClient, "Literal").Call(jen.Lit(literal)))
		}
		if expr == "" {
			continue
		}
		piece := e.addressPiece(owner, expr)
		if piece == nil {
			return
		}
		uses = true
		pieces = append(pieces, piece)
	}
	if !uses {
		return
	}
	name := e.names.CallbackURL(o.Operation)
	e.add(o.group.clientFile, o.n.Base,
		comment(name+" is where "+o.n.Method+" is sent for a request: "+o.Path),
		jen.Func().Id(name).Params(jen.Id("r").Op("*").Id(owner.n.Request)).Params(jen.String(), jen.Error()).Block(
			jen.Return(jen.Qual(pkgClient, "Address").Call(pieces...))), jen.Line())
}

// callbackOwner is the operation that a callback belongs to; nil when it has no
// request.
func (e *emitter) callbackOwner(cb *ir.Operation) *operation {
	var find func(ops []*ir.Operation) *ir.Operation
	find = func(ops []*ir.Operation) *ir.Operation {
		for _, op := range ops {
			for _, c := range op.Callbacks {
				if c.Operation == cb {
					return op
				}
				if c.Operation == nil {
					continue
				}
				if found := find([]*ir.Operation{c.Operation}); found != nil {
					return found
				}
			}
		}
		return nil
	}
	owner := find(e.api.Operations)
	if owner == nil {
		owner = find(e.api.Webhooks)
	}
	if owner == nil {
		return nil
	}
	return e.planned(owner)
}

// planned is what was worked out about an operation; nil when it has no request.
func (e *emitter) planned(op *ir.Operation) *operation {
	o := &operation{Operation: op, n: e.names.Op(op)}
	for _, p := range op.Params {
		o.fields = append(o.fields, requestField{Param: p, name: e.names.Param(op, p)})
	}
	o.body = e.planBody(op)
	if !o.hasRequest() {
		return nil
	}
	return o
}

// nextExpression cuts a text behind its first {expression}. A text that is an
// expression as a whole may go without the braces.
func nextExpression(text string) (literal, expr, rest string) {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		if strings.HasPrefix(text, "$") {
			return "", text, ""
		}
		return text, "", ""
	}
	end := strings.IndexByte(text[open:], '}')
	if end < 0 {
		return text, "", ""
	}
	return text[:open], text[open+1 : open+end], text[open+end+1:]
}

// addressPiece is a value of a request; nil when it cannot be found there.
func (e *emitter) addressPiece(o *operation, text string) *jen.Statement {
	expr, err := policy.ParseExpr(strings.TrimSpace(text))
	if err != nil {
		return nil
	}
	in := map[policy.Source]string{policy.FromPath: "path", policy.FromQuery: "query", policy.FromHeader: "header"}[expr.Source]
	switch {
	case expr.Source == policy.FromMethod:
		return jen.Qual(pkgClient, "Literal").Call(jen.Lit(o.Method))
	case expr.Source == policy.FromBody:
		return e.bodyPiece(o, expr.Name)
	case in == "":
		return nil
	}
	for _, f := range o.fields {
		if f.In == in && (f.Name == expr.Name || in == "header" && strings.EqualFold(f.Name, expr.Name)) && single(f.Use.Type) {
			return jen.Qual(pkgClient, "FromParam").Call(jen.Lit(f.Name), paramValue(e.codecOf(f.Param, strict).expr(), f.self(), f.wrap()))
		}
	}
	return nil
}

// bodyPiece is a value of a JSON body.
func (e *emitter) bodyPiece(o *operation, pointer string) *jen.Statement {
	if o.body == nil {
		return nil
	}
	for _, f := range o.body.forms {
		if f.Kind != ir.ContentJSON || f.Use == nil {
			continue
		}
		src := jen.Id("r").Dot("Body")
		if o.body.choice != "" {
			src = src.Dot(f.field)
		}
		p := f.place()
		switch p.wrap() {
		case opt, null, optNull:
			src = src.Dot("Ptr").Call()
		case plain:
			src = jen.Op("&").Add(src)
		}
		return jen.Qual(pkgClient, "FromBody").Call(src, e.placeCodec(p).expr(), jen.Lit(pointer))
	}
	return nil
}
