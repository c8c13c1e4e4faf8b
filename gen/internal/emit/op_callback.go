package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// address is the address of a callback that is being written: of the request that it
// belongs to, its response, or both.
type address struct {
	owner     *operation
	text      string
	variant   *variant // the response; nil: none has been looked at
	usesURL   bool     // where the request was sent
	usesReq   bool
	usesRes   bool // a value of the response, or its status where there are several
	variantOK bool // the value of res is used
}

// callbackURL writes the function that finds the address of a callback in the request
// that it belongs to and in its response. Where the address needs more than those,
// callers know it themselves.
//
//	// DoneURL is where Done is sent for a request: {$request.body#/hookUrl}.
//	func DoneURL(req *NotifyRequest) (string, error) {
//		return client.Address(client.FromBody(&req.Body, codecNotify, "/hookUrl"))
//	}
func (e *emitter) callbackURL(o *operation) {
	owner := e.callbackOwner(o.Operation)
	if owner == nil {
		return
	}
	a := &address{owner: owner, text: o.Path}
	var body []jen.Code
	switch variants := owner.result.variants; {
	case len(variants) == 1:
		a.variant = variants[0]
		body = e.addressOf(a, jen.Id("res"))
	case len(variants) == 0 || !a.needsResponse():
		body = e.addressOf(a, nil)
	default:
		body = e.addressByVariant(a)
	}
	if body == nil {
		return
	}
	var params []jen.Code
	what := ""
	if a.usesReq {
		params = append(params, jen.Id("r").Op("*").Id(owner.n.Request))
		what = "a request"
	}
	if a.usesRes {
		params = append(params, jen.Id("res").Add(e.serverResult(owner)))
		if what != "" {
			what += " and its response"
		} else {
			what = "a response"
		}
	}
	if a.usesURL {
		params = append(params, jen.Id("url").String())
		if what == "" {
			what = "a request"
		}
		what += " that came to a URL"
	}
	if len(params) == 0 {
		return // the same for all: the document says it
	}
	name := e.names.CallbackURL(o.Operation)
	e.add(o.group.clientFile, o.n.Base,
		comment(name+" is where "+o.n.Method+" is sent for "+what+": "+o.Path),
		jen.Func().Id(name).Params(params...).Params(jen.String(), jen.Error()).Block(body...), jen.Line())
}

// needsResponse reports an address that is not the same for all responses.
func (a *address) needsResponse() bool {
	for rest := a.text; rest != ""; {
		_, text, tail := nextExpression(rest)
		rest = tail
		expr, err := policy.ParseExpr(strings.TrimSpace(text))
		if err != nil {
			continue
		}
		switch expr.Source {
		case policy.FromStatus, policy.FromResponseBody, policy.FromResponseHeader:
			return true
		}
	}
	return false
}

// addressByVariant finds the address for each success that has what it needs.
//
//	switch res := res.(type) {
//	case *NotifyCreated:
//		return client.Address(client.FromResponseBody(&res.Body, codecJob, "/id"))
//	}
//	return "", client.ErrNoAddress
func (e *emitter) addressByVariant(a *address) []jen.Code {
	var cases []jen.Code
	for _, v := range a.owner.result.variants {
		one := *a
		one.variant = v
		code := e.addressOf(&one, jen.Id("res"))
		if code == nil {
			continue
		}
		a.usesReq, a.usesURL, a.variantOK = a.usesReq || one.usesReq, a.usesURL || one.usesURL, a.variantOK || one.variantOK
		cases = append(cases, jen.Case(ptr(v.typ.name)).Block(code...))
	}
	if len(cases) == 0 {
		return nil
	}
	a.usesRes = true
	head := jen.Id("res").Assert(jen.Type())
	if a.variantOK {
		head = jen.Id("res").Op(":=").Add(head)
	}
	return []jen.Code{jen.Switch(head).Block(cases...), jen.Return(jen.Lit(""), jen.Qual(pkgClient, "ErrNoAddress"))}
}

// addressOf returns the address in one response; nil when it cannot be found there.
func (e *emitter) addressOf(a *address, res *jen.Statement) []jen.Code {
	var pieces []jen.Code
	for rest := a.text; rest != ""; {
		literal, expr, tail := nextExpression(rest)
		rest = tail
		if literal != "" {
			pieces = append(pieces, jen.Qual(pkgClient, "Literal").Call(jen.Lit(literal)))
		}
		if expr == "" {
			continue
		}
		piece := e.addressPiece(a, res, expr)
		if piece == nil {
			return nil
		}
		pieces = append(pieces, piece)
	}
	return []jen.Code{jen.Return(jen.Qual(pkgClient, "Address").Call(pieces...))}
}

// callbackOwner is the operation that a callback belongs to.
func (e *emitter) callbackOwner(cb *ir.Operation) *operation {
	for _, o := range e.ops.planned {
		for _, c := range o.Callbacks {
			if c.Operation == cb {
				return o
			}
		}
	}
	return nil
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
