package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// decodeRequest writes the method that a server calls.
//
//	func (r *GetPetRequest) decode(s *server.Request) {
//		field.Get(s.Path("petId", param.Simple), param.UUID, &r.PetID)
//		field.GetOpt(s.Query("limit", param.Form), param.Int64, &r.Limit)
//		r.Limit.Default(20)
//	}
func (e *emitter) decodeRequest(o *operation) {
	var code []jen.Code
	if names := reserved(o); len(names) > 0 {
		code = append(code, jen.Id("s").Dot("ReserveQuery").Call(names...))
	}
	for _, f := range o.fields {
		code = append(code, e.decodeParam(f))
		if def := e.fillDefault(f.self(), place{use: &ir.Use{Type: f.Use.Type}, required: f.Required}, f.Default); def != nil {
			code = append(code, def)
		}
	}
	if o.body != nil {
		code = append(code, e.decodeBody(o)...)
	}
	e.add(fileParams, o.n.Base,
		compact(o.method("decode", jen.Id("s").Op("*").Qual(pkgServer, "Request")), code), jen.Line())
}

// reserved are the other names of a query in which an object looks at all that nobody
// else has: parameters, members of objects laid out as pairs, keys of security schemes,
// and what the path is written with.
func reserved(o *operation) []jen.Code {
	var n nameSet
	for _, f := range o.fields {
		if f.In == "query" {
			n.add(f.Name, f.Use.Type, f.Style == "form" && f.Explode && f.Content == "")
		}
	}
	for _, r := range o.Security {
		for _, u := range r.Schemes {
			if u.Scheme.Type == "apiKey" && u.Scheme.In == "query" {
				n.put(u.Scheme.Param)
			}
		}
	}
	for part := range strings.SplitSeq(o.PathQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); name != "" {
			n.put(name)
		}
	}
	return n.code()
}

// nameSet collects the names that belong to somebody where an object may look at all.
type nameSet struct {
	names  []string
	greedy bool // there is such an object
}

func (n *nameSet) put(name string) {
	if !slices.Contains(n.names, name) {
		n.names = append(n.names, name)
	}
}

// add takes the names of a parameter or field: its own, or those of its members where
// each is a pair.
func (n *nameSet) add(name string, t *ir.Type, pairs bool) {
	object := pairs && isObject(t, 0)
	if !object || resolve(t).Kind == ir.KindUnion { // which may be a single value too
		n.put(name)
	}
	if !object {
		return
	}
	n.greedy = n.greedy || looksAtAll(t, 0)
	n.members(t, 0)
}

func (n *nameSet) members(t *ir.Type, depth int) {
	switch t = resolve(t); {
	case t.Kind == ir.KindStruct:
		for _, f := range t.Fields {
			n.put(f.Name)
		}
	case t.Kind == ir.KindUnion && depth < maxUnionDepth:
		for _, v := range t.Union.Variants {
			n.members(v.Use.Type, depth+1)
		}
	}
}

// code are the names as arguments; none where no object looks at them.
func (n *nameSet) code() []jen.Code {
	if !n.greedy {
		return nil
	}
	code := make([]jen.Code, len(n.names))
	for i, name := range n.names {
		code[i] = jen.Lit(name)
	}
	return code
}

// isObject reports a type whose values can be objects.
func isObject(t *ir.Type, depth int) bool {
	switch t = resolve(t); {
	case t.Kind == ir.KindMap, t.Kind == ir.KindStruct:
		return true
	case t.Kind == ir.KindUnion && depth < maxUnionDepth:
		return slices.ContainsFunc(t.Union.Variants, func(v *ir.Variant) bool { return isObject(v.Use.Type, depth+1) })
	}
	return false
}

// looksAtAll reports an object that takes members that it does not know, or refuses them.
func looksAtAll(t *ir.Type, depth int) bool {
	switch t = resolve(t); {
	case t.Kind == ir.KindMap:
		return true
	case t.Kind == ir.KindStruct:
		return t.Extra != nil || t.Closed
	case t.Kind == ir.KindUnion && depth < maxUnionDepth:
		return slices.ContainsFunc(t.Union.Variants, func(v *ir.Variant) bool { return looksAtAll(v.Use.Type, depth+1) })
	}
	return false
}

// maxUnionDepth ends the look into a union that holds itself.
const maxUnionDepth = 8

// decodeParam reads one parameter.
//
//	field.GetList(s.Query("tags", param.Form|param.Explode), param.String, &r.Tags, false)
func (e *emitter) decodeParam(f requestField) *jen.Statement {
	s, name := jen.Id("s"), jen.Lit(f.Name)
	var src *jen.Statement
	switch {
	case f.In == "querystring" && (contentParam(f.Param) || single(f.Use.Type)):
		src = s.Dot("QueryString").Call(name)
	case f.In == "path":
		src = s.Dot("Path").Call(name, styleOf(f.Param))
	case f.In == "header":
		src = s.Dot("Header").Call(name, styleOf(f.Param))
	case f.In == "cookie":
		src = s.Dot("Cookie").Call(name, styleOf(f.Param))
	default:
		src = s.Dot("Query").Call(name, styleOf(f.Param))
	}
	if elem := e.listElem(f.Param, strict); elem != nil {
		return e.getList(src, elem.expr(), f.self(), f.Use.Type, f.Required)
	}
	return e.getValue(src, e.codecOf(f.Param, strict).expr(), f.self(), f.wrap(), f.Required)
}

// getValue reads a parameter, a header or a field of a form into dst.
func (e *emitter) getValue(src, c, dst *jen.Statement, w wrap, required bool) *jen.Statement {
	word := map[wrap]string{opt: "GetOpt", null: "GetNull", optNull: "GetOptNull", pointer: "GetPtr"}[w]
	switch {
	case word != "":
	case required:
		word = "Get"
	default:
		word = "GetDefault"
	}
	return jen.Qual(pkgField, word).Call(src, c, jen.Op("&").Add(dst))
}

// getList reads a list into dst. A declared list has to be looked at as what it is
// made of.
func (e *emitter) getList(src, elem, dst *jen.Statement, t *ir.Type, required bool) *jen.Statement {
	addr := jen.Op("&").Add(dst)
	if list := resolve(t); e.hasMethods(list) {
		addr = jen.Parens(jen.Op("*").Add(e.bareType(list))).Parens(addr)
	}
	return jen.Qual(pkgField, "GetList").Call(src, elem, addr, jen.Lit(required))
}

// decodeBody reads the body.
//
//	s.JSON(&r.Body, true)
//
//	switch s.Match(true) {
//	case 0:
//		server.JSONPtr(s, &r.Body.JSON)
//	}
func (e *emitter) decodeBody(o *operation) []jen.Code {
	dst := jen.Id("r").Dot("Body")
	if o.body.choice == "" {
		return e.readForm(o.body.forms[0], dst)
	}
	var cases []jen.Code
	for i, f := range o.body.forms {
		cases = append(cases, jen.Case(jen.Lit(i)).Block(e.readForm(f, dst.Clone().Dot(f.field))...))
	}
	return []jen.Code{jen.Switch(jen.Id("s").Dot("Match").Call(jen.Lit(o.body.Required))).Block(cases...)}
}

// readForm reads a body of one media type into dst.
func (e *emitter) readForm(f *bodyForm, dst *jen.Statement) []jen.Code {
	s, required := jen.Id("s"), jen.Lit(f.required)
	addr := jen.Op("&").Add(dst)
	one := func(code *jen.Statement) []jen.Code { return []jen.Code{code} }
	switch f.Kind {
	case ir.ContentJSON:
		return one(e.readJSONBody(f, addr))
	case ir.ContentText:
		return one(e.readTextBody(f, addr))
	case ir.ContentForm, ir.ContentMultipart:
		return e.readRequestFields(f, dst)
	case ir.ContentEvents, ir.ContentLines:
		args := []jen.Code{s}
		if c := e.itemCodec(f.Content); c != nil {
			args = append(args, c)
		}
		args = append(append(args, eventArg(f.Content)...), addr, required)
		return one(jen.Qual(pkgServer, "Read"+streamWord(f.Content)).Call(args...))
	}
	if mediaRange(f.media()) {
		return one(s.Dot("File").Call(addr, required))
	}
	return one(s.Dot("Binary").Call(addr, required))
}

func (e *emitter) readJSONBody(f *bodyForm, addr *jen.Statement) *jen.Statement {
	s, required := jen.Id("s"), jen.Lit(f.required)
	read := func(c *codec) *jen.Statement {
		return jen.Qual(pkgServer, "ReadJSON").Call(s, c.expr(), addr, required)
	}
	if f.Use == nil {
		return jen.Qual(pkgServer, "ReadJSON").Call(s, jen.Qual(pkgJSON, "Raw"), addr, required)
	}
	p := f.place()
	c := e.placeCodec(p)
	switch p.wrap() {
	case opt:
		return jen.Qual(pkgServer, "ReadJSONOpt").Call(s, c.expr(), addr)
	case optNull:
		return jen.Qual(pkgServer, "ReadJSONOptNull").Call(s, c.expr(), addr)
	case pointer:
		switch {
		case f.required:
			return read(e.around("NilPtr", "NilPtr", c))
		case e.direct(place{use: f.Use, required: true}):
			return jen.Qual(pkgServer, "JSONPtr").Call(s, addr)
		}
		return read(e.around("Ptr", "Ptr", c))
	case null:
		return read(e.around("Null", "Null", c))
	}
	if e.direct(p) {
		return s.Dot("JSON").Call(addr, required)
	}
	return read(c)
}

func (e *emitter) readTextBody(f *bodyForm, addr *jen.Statement) *jen.Statement {
	s, required := jen.Id("s"), jen.Lit(f.required)
	u := textUse(f.Content)
	w := paramWrap(u, f.required)
	switch {
	case plainText(f.Content) && w == plain:
		return s.Dot("Text").Call(addr, required)
	case plainText(f.Content) && w == opt && u.Type == stringType:
		return s.Dot("TextOpt").Call(addr)
	}
	word := map[wrap]string{opt: "ReadTextOpt", pointer: "ReadTextPtr"}[w]
	if word == "" {
		return jen.Qual(pkgServer, "ReadText").Call(s, e.paramType(u.Type, strict).expr(), addr, required)
	}
	return jen.Qual(pkgServer, word).Call(s, e.paramType(u.Type, strict).expr(), addr)
}
