package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// readFunctions writes what reads a response into its type.
//
//	func readStatusesOK(r *client.Response) (v *StatusesOK, err error) {
//		v = new(StatusesOK)
//		client.HeaderOpt(r, "X-Total", param.Simple, param.Int64, &v.XTotal)
//		return v, r.JSON(&v.Body)
//	}
//
//	func failNotFound(r *client.Response) error {
//		v := new(NotFound)
//		return r.Fail(v, r.JSON(&v.Body))
//	}
func (e *emitter) readFunctions(t *response) {
	if !t.read && !t.failed {
		return
	}
	fresh := jen.New(jen.Id(t.name))
	if t.status {
		fresh = jen.Op("&").Id(t.name).Values(jen.Id("StatusCode").Op(":").Id("r").Dot("StatusCode").Call())
	}
	r := jen.Id("r").Op("*").Qual(pkgClient, "Response")
	var headers []jen.Code
	for _, h := range t.Headers {
		headers = append(headers, e.readHeader(t, h))
	}
	if t.read {
		code := append([]jen.Code{jen.Id("v").Op(":=").Add(fresh)}, headers...)
		e.add(fileResponses, t.name,
			jen.Func().Id(names.Private("read", t.name)).Params(r).Params(ptr(t.name), jen.Error()).
				Block(append(code, e.readBody(t)...)...), jen.Line())
	}
	e.formReaders(t)
	if t.failed {
		code := append([]jen.Code{jen.Id("v").Op(":=").Add(fresh.Clone())}, headers...)
		e.add(fileResponses, t.name,
			jen.Func().Id(names.Private("fail", t.name)).Params(r.Clone()).Error().
				Block(append(code, e.failBody(t)...)...), jen.Line())
	}
}

// readHeader reads a declared header.
func (e *emitter) readHeader(t *response, h *ir.Param) *jen.Statement {
	r := jen.Id("r")
	dst := jen.Id("v").Dot(e.names.Header(t.Response, h))
	if isSetCookie(h) {
		return jen.Qual(pkgClient, "HeaderLines").Call(r, jen.Lit(h.Name), jen.Op("&").Add(dst))
	}
	return e.getHeader(r, h, lenient, dst)
}

// getHeader reads a header of src into dst.
//
//	field.GetOpt(r.Header("X-Rate", param.Simple), param.Int64, &v.Rate)
func (e *emitter) getHeader(src *jen.Statement, h *ir.Param, r reading, dst *jen.Statement) *jen.Statement {
	src = src.Dot("Header").Call(jen.Lit(h.Name), styleOf(h))
	if elem := e.listElem(h, r); elem != nil && !e.hasMethods(h.Use.Type) {
		return e.getList(src, elem.expr(), dst, h.Use.Type, h.Required)
	}
	return e.getValue(src, e.codecOf(h, r).expr(), dst, paramWrap(h.Use, h.Required), h.Required)
}

// readBody is the end of a read function.
func (e *emitter) readBody(t *response) []jen.Code {
	v := jen.Id("v")
	if len(t.bodies) == 0 {
		return []jen.Code{jen.Return(v, jen.Nil())}
	}
	p := t.bodies[0]
	body := v.Clone().Dot("Body")
	if !t.fails {
		switch bodyKind(p.Content) {
		case ir.ContentBinary:
			return []jen.Code{
				jen.List(jen.Id("body"), jen.Id("err")).Op(":=").Qual(pkgClient, "DecodeBody").Call(jen.Id("r")),
				jen.If(jen.Id("err").Op("==").Nil()).Block(
					jen.List(body, v.Clone().Dot("ContentType")).Op("=").List(jen.Id("body"), jen.Id("body").Dot("ContentType"))),
				jen.Return(v, jen.Id("err")),
			}
		case ir.ContentEvents, ir.ContentLines:
			return []jen.Code{
				jen.List(jen.Id("s"), jen.Id("err")).Op(":=").Add(e.readPlain(nil, p)),
				jen.If(jen.Id("err").Op("==").Nil()).Block(body.Op("=").Id("s").Dot("All").Call()),
				jen.Return(v, jen.Id("err")),
			}
		}
	}
	code := []jen.Code{jen.Return(v, e.fillBody(t, p, body))}
	if t.open() {
		code = append([]jen.Code{v.Clone().Dot("ContentType").Op("=").Id("r").Dot("ContentType").Call()}, code...)
	}
	return code
}

// failBody is the end of a fail function: a body of another type than the declared
// ones is reported as it is.
func (e *emitter) failBody(t *response) []jen.Code {
	r, v := jen.Id("r"), jen.Id("v")
	if len(t.bodies) == 0 {
		return []jen.Code{jen.Return(r.Dot("Fail").Call(v))}
	}
	var cases []choice
	sorted := slices.Clone(t.bodies)
	slices.SortStableFunc(sorted, func(a, b *payload) int { return a.rangeRank() - b.rangeRank() })
	for _, p := range sorted {
		fill := jen.Return(r.Clone().Dot("Fail").Call(v, e.fillBody(t, p, v.Clone().Dot(e.bodyField(t, p)))))
		var conditions []jen.Code
		if onlyJSON(p, t.bodies) {
			conditions = append(conditions, statusIsJSON("default"))
		} else {
			for _, m := range p.media {
				conditions = append(conditions, statusIs("default", m))
			}
		}
		cases = append(cases, choice{conditions, fill})
	}
	return append(choose(cases), jen.Return(r.Clone().Dot("Undeclared").Call()))
}

// fillBody reads a body that is read whole into a field, as an expression of the
// error.
func (e *emitter) fillBody(t *response, p *payload, dst *jen.Statement) *jen.Statement {
	r := jen.Id("r")
	addr := jen.Op("&").Add(dst.Clone())
	required := len(t.bodies) == 1
	switch bodyKind(p.Content) {
	case ir.ContentText:
		return e.fillText(p, addr, required)
	case ir.ContentForm, ir.ContentMultipart:
		return jen.Id(e.formReader(t, p)).Call(r, jen.Id("v"))
	case ir.ContentJSON:
	default:
		return r.Dot("Bytes").Call(addr)
	}
	if p.Use == nil {
		return jen.Qual(pkgClient, "ReadJSON").Call(r, jen.Qual(pkgJSON, "Raw"), addr)
	}
	at := place{use: p.Use, required: required}
	if required {
		if at.wrap() == plain && e.direct(at) {
			return r.Dot("JSON").Call(addr)
		}
		args := []jen.Code{r, e.wholeCodec(at).expr(), addr}
		return jen.Qual(pkgClient, "ReadJSON").Call(append(args, e.bodyRule(p, ruleMaker(at))...)...)
	}
	word := map[wrap]string{opt: "ReadJSONOpt", optNull: "ReadJSONOptNull", pointer: "ReadJSONPtr"}[at.wrap()]
	if word == "" {
		word = "ReadJSON"
	}
	args := []jen.Code{r, e.placeCodec(at).expr(), addr}
	return jen.Qual(pkgClient, word).Call(append(args, e.bodyRule(p, "")...)...)
}

func (e *emitter) fillText(p *payload, addr *jen.Statement, required bool) *jen.Statement {
	r := jen.Id("r")
	if plainText(p.Content) && required {
		return r.Dot("Text").Call(addr)
	}
	word := map[wrap]string{opt: "ReadTextOpt", pointer: "ReadTextPtr"}[paramWrap(textUse(p.Content), required)]
	if word == "" {
		word = "ReadText"
	}
	return jen.Qual(pkgClient, word).Call(r, e.paramType(textUse(p.Content).Type, lenient).expr(), addr)
}

// accept is the value of the Accept header: what can be read, results first.
func (e *emitter) accept(o *operation) string {
	var list []string
	add := func(p *payload) {
		for _, m := range p.media {
			if m = strings.TrimSpace(m); validMedia(m) && !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	for _, v := range o.result.variants {
		if v.body != nil {
			add(v.body)
		}
	}
	for _, f := range o.fails {
		for _, p := range e.payloads(o.Operation, f.resp) {
			add(p)
		}
	}
	return strings.Join(list, ", ")
}

// validMedia reports a media type or range that can stand in a header.
func validMedia(m string) bool {
	major, minor, ok := strings.Cut(m, "/")
	if !ok || major == "" || minor == "" {
		return false
	}
	for i := range len(m) {
		if m[i] < ' ' || m[i] > '~' || m[i] == ',' {
			return false
		}
	}
	return true
}

// declaresRedirect reports an operation of which a redirect is a result.
func declaresRedirect(o *operation) bool {
	return slices.ContainsFunc(o.Responses, func(r *ir.Response) bool {
		if r.Status == "3XX" {
			return true
		}
		code, err := strconv.Atoi(r.Status)
		return err == nil && code/100 == 3 && code != 304
	})
}
