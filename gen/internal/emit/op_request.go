package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// requestField is a parameter with its field in the request struct.
type requestField struct {
	*ir.Param
	name string
}

// self is the field in a method of the request.
func (f requestField) self() *jen.Statement { return jen.Id("r").Dot(f.name) }

// wrap is how the field tells that there is no value. Parameters have no null, so one
// that may be null is one that may be absent.
func (f requestField) wrap() wrap { return paramWrap(f.Use, f.Required) }

// paramWrap is wrapOf for parameters and headers.
//
//	         required   optional
//	scalar   T          Opt[T]
//	struct   T          *T
//	list     T          T
//	free     any        Opt[any]
func paramWrap(u *ir.Use, required bool) wrap {
	if required {
		return plain
	}
	switch classOf(u.Type) {
	case classStruct:
		return pointer
	case classList:
		return plain
	}
	return opt
}

// paramGoType is the Go type of a parameter's field.
func (e *emitter) paramGoType(p *ir.Param) *jen.Statement {
	return wrapped(paramWrap(p.Use, p.Required), e.baseType(p.Use.Type))
}

// contentParam reports a parameter whose value is JSON text.
func contentParam(p *ir.Param) bool {
	_, sub, _ := strings.Cut(p.Content, "/")
	sub, _, _ = strings.Cut(strings.ToLower(sub), ";")
	sub = strings.TrimSpace(sub)
	return sub == "json" || sub == "x-json" || strings.HasSuffix(sub, "+json")
}

// codecOf is the codec of a parameter's value, without its wrap.
func (e *emitter) codecOf(p *ir.Param, r reading) *paramCodec {
	if contentParam(p) {
		return e.jsonParam(e.typeCodec(p.Use.Type))
	}
	if e.formQuery(p) {
		return e.queryForm(resolve(p.Use.Type))
	}
	return e.paramType(p.Use.Type, r)
}

// styleOf is the layout of a parameter.
func styleOf(p *ir.Param) *jen.Statement {
	style, explode := p.Style, p.Explode && !single(p.Use.Type) && p.Content == ""
	if p.In == "querystring" {
		style, explode = "form", true
	}
	return styleExpr(style, explode, p.AllowReserved, p.AllowEmpty)
}

// listElem is the codec of the elements of a list that can be written without making
// a value of the list; nil for anything else.
func (e *emitter) listElem(p *ir.Param, r reading) *paramCodec {
	t := resolve(p.Use.Type)
	if t.Kind != ir.KindArray || t.GoType != nil || p.Content != "" || t.Elem == nil {
		return nil
	}
	return e.paramElem(t.Elem, r)
}

// request writes the request struct of an operation and what is done with it.
//
//	type GetPetRequest struct {
//		PetID value.UUID       // path
//		Limit value.Opt[int64] // query limit
//	}
func (e *emitter) request(o *operation) {
	if !o.hasRequest() {
		return
	}
	var fields []jen.Code
	for _, f := range o.fields {
		if text := commentText(docText(f.Doc), deprecatedText(f.Doc)); text != "" {
			fields = append(fields, jen.Comment(text))
		}
		fields = append(fields, jen.Id(f.name).Add(e.paramGoType(f.Param)).Add(trailing(fieldPlace(f.Param))))
	}
	if o.body != nil {
		if text := commentText(docText(o.Body.Doc)); text != "" {
			fields = append(fields, jen.Comment(text))
		}
		fields = append(fields, jen.Id("Body").Add(e.bodyType(o)).Add(trailing(o.body.note())))
		if f := o.body.forms[0]; o.body.choice == "" && f.heads != nil {
			fields = append(fields, jen.Id(names.PartHeaders).Id(e.names.PartsType(f.Content)).Add(trailing("headers of the parts of the body")))
		}
	}
	what := "the parameters"
	switch {
	case o.body == nil:
	case len(o.fields) == 0:
		what = "the body"
	default:
		what += " and the body"
	}
	e.add(fileParams, o.n.Base,
		doc(o.n.Request+" holds "+what+" of "+o.n.Method+"."),
		jen.Type().Id(o.n.Request).Struct(fields...), jen.Line())
	e.choiceType(o)
	e.requestPartTypes(o)
	if o.group.caller {
		e.encodeRequest(o)
	}
	if o.group.called {
		e.decodeRequest(o)
	}
	e.validateRequest(o)
}

func deprecatedText(d ir.Doc) string {
	if d.Deprecated {
		return deprecated
	}
	return ""
}

// trailing is a comment of one line behind a field.
func trailing(text string) *jen.Statement {
	lines := cleanLines(text)
	if len(lines) == 0 {
		return jen.Null()
	}
	line := lines[0]
	if len(lines) > 1 {
		line += " …"
	}
	return jen.Comment("// " + line)
}

// fieldPlace says where a parameter travels: its place and its name on the wire.
func fieldPlace(p *ir.Param) string {
	text := p.In
	if p.In != "querystring" {
		text += " " + p.Name
	}
	if p.Default != nil && !p.Required {
		text += ", default " + jsonText(p.Default)
	}
	return text
}

// method is the head of a method of a request.
func (o *operation) method(name string, params ...jen.Code) *jen.Statement {
	return jen.Func().Params(jen.Id("r").Op("*").Id(o.n.Request)).Id(name).Params(params...)
}

// encodeRequest writes the method that a client calls.
//
//	func (r *GetPetRequest) encode(b *client.Request) {
//		b.Path("/pets/")
//		b.PathParam("petId", param.Simple, param.UUID.Format(r.PetID))
//		b.Query("limit", param.Form, param.Opt(param.Int64, r.Limit))
//	}
func (e *emitter) encodeRequest(o *operation) {
	code := e.encodePath(o)
	for _, f := range o.fields {
		if f.In != "path" {
			code = append(code, e.encodeParam(f))
		}
	}
	if o.body != nil {
		code = append(code, e.encodeBody(o)...)
	}
	e.add(fileParams, o.n.Base,
		compact(o.method("encode", jen.Id("b").Op("*").Qual(pkgClient, "Request")), code), jen.Line())
}

// encodePath writes the path from its parts; webhooks and callbacks have none.
func (e *emitter) encodePath(o *operation) []jen.Code {
	if o.group.kind != kindOperation {
		return nil
	}
	b := jen.Id("b")
	var code []jen.Code
	for _, part := range o.Parts {
		if part.Param == "" {
			if part.Literal != "" {
				code = append(code, b.Clone().Dot("Path").Call(jen.Lit(escapeLiteral(part.Literal))))
			}
			continue
		}
		for _, f := range o.fields {
			if f.In == "path" && f.Name == part.Param {
				code = append(code, e.encodeParam(f))
			}
		}
	}
	if o.PathQuery != "" {
		code = append(code, b.Clone().Dot("RawQuery").Call(jen.Lit(o.PathQuery)))
	}
	return code
}

// escapeLiteral is literal text of a path as it is sent.
func escapeLiteral(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!$&'()*+,;=:@/", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// encodeParam writes one parameter.
//
//	client.QueryList(b, "tags", param.Form|param.Explode, param.String, r.Tags)
func (e *emitter) encodeParam(f requestField) *jen.Statement {
	b, name, style := jen.Id("b"), jen.Lit(f.Name), styleOf(f.Param)
	word := map[string]string{"path": "Path", "query": "Query", "header": "Header", "cookie": "Cookie"}[f.In]
	if elem := e.listElem(f.Param, strict); elem != nil {
		switch word {
		case "Path", "Query":
			return jen.Qual(pkgClient, word+"List").Call(b, name, style, elem.expr(), f.self())
		case "Header", "Cookie":
			return b.Dot(word).Call(name, style, jen.Qual(pkgParam, "List").Call(elem.expr(), f.self()))
		}
	}
	v := e.wholeValue(f.Param, strict, f.self())
	switch {
	case word == "Path":
		word = "PathParam"
	case f.In == "querystring" && (contentParam(f.Param) || single(f.Use.Type)):
		return b.Dot("WholeQuery").Call(v)
	case word == "":
		word = "Query"
	}
	return b.Dot(word).Call(name, style, v)
}

// validateRequest writes the check of the constraints, if there are any.
//
//	func (r *GetPetRequest) validate(c *check.Checker) {
//		check.ParamOpt(c, check.InQuery, "limit", &r.Limit, checkInt64Max100)
//	}
func (e *emitter) validateRequest(o *operation) {
	var code []jen.Code
	for _, f := range o.fields {
		in := jen.Qual(pkgCheck, map[string]string{"path": "InPath", "header": "InHeader", "cookie": "InCookie"}[f.In])
		if f.In == "query" || f.In == "querystring" {
			in = jen.Qual(pkgCheck, "InQuery")
		}
		if check := e.checkPlace(in, f.Name, f.self(), f.Use, f.Required, f.wrap()); check != nil {
			code = append(code, check)
		}
	}
	if o.body != nil {
		code = append(code, e.checkBody(o)...)
		code = append(code, e.checkPartHeaders(o)...)
	}
	if o.validates = len(code) > 0; !o.validates {
		return
	}
	e.add(fileParams, o.n.Base,
		compact(o.method("validate", jen.Id("c").Op("*").Qual(pkgCheck, "Checker")), code), jen.Line())
}

// checkPlace checks the value src; nil when there is nothing to check.
func (e *emitter) checkPlace(in *jen.Statement, name string, src *jen.Statement, u *ir.Use, required bool, w wrap) jen.Code {
	if !e.facts.needsCheck(u) {
		return nil
	}
	f := e.rules.function(u)
	if f == nil {
		return nil
	}
	word, arg := "Param", jen.Op("&").Add(src)
	switch {
	case w == opt || w == null || w == optNull:
		word = "ParamOpt"
	case w == pointer:
		arg = src
	case classOf(u.Type) == classList && (!required || nullable(u)):
		word = "ParamList"
		if resolve(u.Type).Kind == ir.KindMap {
			word = "ParamMap"
		}
	}
	return jen.Qual(pkgCheck, word).Call(jen.Id("c"), in, jen.Lit(name), arg, f)
}
