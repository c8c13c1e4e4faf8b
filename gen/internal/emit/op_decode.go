package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
)

// decodeResponse writes the function that reads a response into the result.
//
//	func decodeGetPet(r *client.Response) (res *Pet, err error) {
//		switch {
//		case r.IsJSON(200):
//			return client.DecodeJSON[Pet](r)
//		case r.Is(404, ""):
//			return res, failNotFound(r)
//		}
//		return res, r.Undeclared()
//	}
func (e *emitter) decodeResponse(o *operation) {
	var cases []choice
	last := jen.Id("r").Dot("Undeclared").Call()
	for rank := range 3 {
		cases = append(cases, e.successCases(o, rank)...)
		if rank == 1 && len(o.result.variants) == 0 {
			// A document that declares no success means that it has nothing to say of it.
			cases = append(cases, choice{
				[]jen.Code{jen.Id("r").Dot("InRange").Call(jen.Lit(2), jen.Lit(""))}, jen.Return(jen.Id("res"), jen.Nil()),
			})
		}
		for _, group := range failGroups(o, rank) {
			if rank == 2 {
				last = jen.Id(names.Private("fail", group.typ.name)).Call(jen.Id("r"))
				continue
			}
			cases = append(cases, choice{group.conditions,
				jen.Return(jen.Id("res"), jen.Id(names.Private("fail", group.typ.name)).Call(jen.Id("r")))})
		}
	}
	code := choose(cases)
	e.add(o.group.clientFile, o.n.Base,
		jen.Func().Id(names.Private("decode", o.n.Base)).Params(jen.Id("r").Op("*").Qual(pkgClient, "Response")).
			Params(jen.Id("res").Add(e.clientResult(o)), jen.Id("err").Error()).
			Block(append(code, jen.Return(jen.Id("res"), last))...), jen.Line())
}

// choice is a statement with the conditions of which one makes it run.
type choice struct {
	conditions []jen.Code
	code       jen.Code
}

// choose runs the first statement whose condition holds.
func choose(list []choice) []jen.Code {
	if len(list) == 0 {
		return nil
	}
	if len(list) == 1 && len(list[0].conditions) == 1 {
		return []jen.Code{jen.If(list[0].conditions[0]).Block(list[0].code)}
	}
	cases := make([]jen.Code, len(list))
	for i, c := range list {
		cases[i] = jen.Case(c.conditions...).Block(c.code)
	}
	return []jen.Code{jen.Switch().Block(cases...)}
}

// clientResult is the result type of an operation on the calling side.
func (e *emitter) clientResult(o *operation) *jen.Statement {
	switch o.result.form {
	case resultNone:
		return jen.Qual(pkgClient, "None")
	case resultSealed:
		return jen.Id(o.result.name)
	case resultStruct:
		return ptr(o.result.variants[0].typ.name)
	}
	p := o.result.variants[0].body
	switch bodyKind(p.Content) {
	case ir.ContentBinary:
		return jen.Op("*").Qual(pkgClient, "Body")
	case ir.ContentEvents, ir.ContentLines:
		return jen.Op("*").Qual(pkgClient, "Stream").Types(e.itemType(p.Content))
	}
	return e.plainResult(p)
}

// plainResult is the type of a result of JSON or text.
func (e *emitter) plainResult(p *payload) *jen.Statement {
	if bodyKind(p.Content) == ir.ContentText {
		return e.baseType(textUse(p.Content).Type)
	}
	if p.Use == nil {
		return jen.Qual(pkgValue, "Raw")
	}
	if classOf(p.Use.Type) == classStruct {
		return jen.Op("*").Add(e.baseType(p.Use.Type))
	}
	return e.goType(p.Use, true)
}

// successCases are the cases of the results of one rank.
func (e *emitter) successCases(o *operation, rank int) []choice {
	variants := slices.Clone(o.result.variants)
	slices.SortStableFunc(variants, func(a, b *variant) int { return a.body.rangeRank() - b.body.rangeRank() })
	var out []choice
	for _, v := range variants {
		var conditions []jen.Code
		for _, r := range append([]*ir.Response{v.resp}, v.also...) {
			if statusRank(r.Status) == rank {
				conditions = append(conditions, e.successConditions(o, r, v.body)...)
			}
		}
		if len(conditions) > 0 {
			out = append(out, choice{conditions, e.readVariant(o, v)})
		}
	}
	return out
}

// rangeRank puts ranges of media types behind those that are exact.
func (p *payload) rangeRank() int {
	rank := 0
	if p != nil {
		for _, m := range p.media {
			rank = max(rank, strings.Count(m, "*"))
		}
	}
	return rank
}

// successConditions are the conditions of a response in one Go type of its body.
func (e *emitter) successConditions(o *operation, r *ir.Response, p *payload) []jen.Code {
	var out []jen.Code
	add := func(c *jen.Statement) {
		if r.Status == "default" { // as a result it is for what is no error
			c = jen.Id("r").Dot("StatusCode").Call().Op("<").Lit(400).Op("&&").Add(c)
		}
		out = append(out, c)
	}
	switch {
	case p == nil:
		add(statusIs(r.Status, ""))
	case onlyJSON(p, e.payloads(o.Operation, r)):
		add(statusIsJSON(r.Status))
	default:
		for _, m := range p.media {
			add(statusIs(r.Status, m))
		}
	}
	return out
}

// onlyJSON reports the only JSON among the bodies of a response: any JSON type is
// taken for it, since services often mistake one for another. A stream whose type
// has the suffix of JSON is another one.
func onlyJSON(p *payload, all []*payload) bool {
	if bodyKind(p.Content) != ir.ContentJSON || p.rangeRank() > 0 {
		return false
	}
	n := 0
	for _, other := range all {
		if bodyKind(other.Content) == ir.ContentJSON || slices.ContainsFunc(other.media, content.IsJSON) {
			n++
		}
	}
	return n == 1
}

// statusIs is the condition that a response has a status and a media type.
func statusIs(status, media string) *jen.Statement {
	r, args := jen.Id("r"), []jen.Code{jen.Lit(media)}
	switch {
	case status == "default":
		return r.Dot("Other").Call(args...)
	case exact(status):
		return r.Dot("Is").Call(append([]jen.Code{number(status)}, args...)...)
	}
	return r.Dot("InRange").Call(append([]jen.Code{number(status[:1])}, args...)...)
}

// statusIsJSON is statusIs for any JSON type.
func statusIsJSON(status string) *jen.Statement {
	r := jen.Id("r")
	switch {
	case status == "default":
		return r.Dot("OtherJSON").Call()
	case exact(status):
		return r.Dot("IsJSON").Call(number(status))
	}
	return r.Dot("InRangeJSON").Call(number(status[:1]))
}

// failGroup is an error type with the statuses that it is for.
type failGroup struct {
	typ        *response
	conditions []jen.Code
}

func failGroups(o *operation, rank int) []*failGroup {
	var out []*failGroup
	for _, f := range o.fails {
		if statusRank(f.resp.Status) != rank {
			continue
		}
		i := slices.IndexFunc(out, func(g *failGroup) bool { return g.typ == f.typ })
		if i < 0 {
			i = len(out)
			out = append(out, &failGroup{typ: f.typ})
		}
		out[i].conditions = append(out[i].conditions, statusIs(f.resp.Status, ""))
	}
	return out
}

// readVariant reads a success.
func (e *emitter) readVariant(o *operation, v *variant) *jen.Statement {
	switch o.result.form {
	case resultNone:
		return jen.Return(jen.Id("res"), jen.Nil())
	case resultPlain:
		return jen.Return(e.readPlain(o, v.body))
	}
	return jen.Return(jen.Id(names.Private("read", v.typ.name)).Call(jen.Id("r")))
}

// readPlain reads a body that is the result.
//
//	client.DecodeJSON[Pet](r)
//	client.DecodeValue(r, codecSlicePet)
func (e *emitter) readPlain(o *operation, p *payload) *jen.Statement {
	r := jen.Id("r")
	call := func(word string, args ...jen.Code) *jen.Statement {
		return jen.Qual(pkgClient, word).Call(append([]jen.Code{r}, args...)...)
	}
	switch bodyKind(p.Content) {
	case ir.ContentForm, ir.ContentMultipart:
		return e.readPlainForm(o, p)
	case ir.ContentText:
		if plainText(p.Content) {
			return call("DecodeText")
		}
		return call("DecodeTextValue", e.paramType(textUse(p.Content).Type, lenient).expr())
	case ir.ContentBinary:
		return call("DecodeBody")
	case ir.ContentEvents, ir.ContentLines:
		return call("Decode"+streamWord(p.Content), e.streamArgs(p.Content)...)
	}
	if p.Use == nil {
		return call("DecodeValue", jen.Qual(pkgJSON, "Raw"))
	}
	at := place{use: p.Use, required: true}
	c := e.placeCodec(at)
	if classOf(p.Use.Type) != classStruct {
		return call("DecodeValue", append([]jen.Code{e.wholeCodec(at).expr()}, e.bodyRule(p, ruleMaker(at))...)...)
	}
	whole := e.around("Ptr", "Ptr", c)
	switch {
	case nullable(p.Use):
		whole = e.around("NilPtr", "NilPtr", c)
	case e.direct(at):
		return jen.Qual(pkgClient, "DecodeJSON").Types(e.baseType(p.Use.Type)).Call(r)
	}
	return call("DecodeValue", append([]jen.Code{whole.expr()}, e.bodyRule(p, "PtrOf")...)...)
}

// streamArgs are the arguments of a stream's function behind the first.
func (e *emitter) streamArgs(c *ir.Content) []jen.Code {
	item := e.itemCodec(c)
	if item == nil {
		return nil
	}
	return append([]jen.Code{item}, eventArg(c)...)
}

// wholeCodec is the codec of all that a place holds, its wrap included.
func (e *emitter) wholeCodec(p place) *codec {
	c := e.placeCodec(p)
	switch p.wrap() {
	case null:
		return e.around("Null", "Null", c)
	case pointer:
		return e.around("NilPtr", "NilPtr", c)
	}
	return c
}
