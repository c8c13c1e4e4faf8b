package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// client writes the calling side of a group of operations.
func (e *emitter) client(g *group) {
	e.clientType(g)
	e.clientInterface(g)
	for _, o := range g.ops {
		e.clientMethod(o)
		e.reread(o)
		e.clientOperation(o)
		e.decodeResponse(o)
		if g.kind == kindCallback {
			e.callbackURL(o)
		}
	}
}

// clientType writes the client and its constructor.
//
//	const _ = client.Compat1
//
//	type Client struct{ core *client.Core }
//
//	func New(opts ...client.Option) (*Client, error) {
//		core, err := client.New(&clientAPI, opts...)
//		return &Client{core}, err
//	}
func (e *emitter) clientType(g *group) {
	name, maker := e.names.Support(g.client), e.names.Support(g.newClient)
	what := "calls " + e.title() + "."
	if g.kind != kindOperation {
		what = "sends the " + g.kind + "s of " + e.title() + "."
	}
	e.add(g.clientFile, name,
		jen.Const().Id("_").Op("=").Qual(pkgClient, "Compat1").Add(trailing("fails to compile with a runtime that is older than this file")),
		jen.Line(),
		comment(name+" "+what+" It is safe for concurrent use: a program makes one and keeps it."),
		jen.Type().Id(name).Struct(jen.Id("core").Op("*").Qual(pkgClient, "Core")),
		jen.Line(),
		doc(maker+" makes a client. Options that do not fit the document are an error."),
		jen.Func().Id(maker).Params(jen.Id("opts").Op("...").Qual(pkgClient, "Option")).Params(ptr(name), jen.Error()).Block(
			jen.List(jen.Id("core"), jen.Id("err")).Op(":=").Qual(pkgClient, "New").Call(jen.Op("&").Id(g.clientAPI), jen.Id("opts").Op("...")),
			jen.If(jen.Id("err").Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Id("err"))),
			jen.Return(jen.Op("&").Id(name).Values(jen.Id("core").Op(":").Id("core")), jen.Nil())),
		jen.Line(),
		comment(e.coreMethod(g)+" is what the client is made of: its breakers, and its idle connections. It is nil for a client that is nil, whose calls are errors."),
		jen.Func().Params(jen.Id("c").Op("*").Id(name)).Id(e.coreMethod(g)).Params().Op("*").Qual(pkgClient, "Core").Block(
			jen.If(jen.Id("c").Op("==").Nil()).Block(jen.Return(jen.Nil())),
			jen.Return(jen.Id("c").Dot("core"))),
		jen.Line(),
		jen.Var().Id(g.clientAPI).Op("=").Add(e.clientAPI(g)),
		jen.Line())
}

// coreMethod is the name of the method that gives the core: Core, unless an operation
// is called that.
func (e *emitter) coreMethod(g *group) string { return g.method("Client", "Core", "") }

// method is a name for a method beside those of the operations: with the prefix and the
// suffix as often as one of them has it.
func (g *group) method(prefix, name, suffix string) string {
	for slices.ContainsFunc(g.ops, func(o *operation) bool { return o.n.Method == name }) {
		name = prefix + name + suffix
	}
	return name
}

// title is the document's title on one line, for comments.
func (e *emitter) title() string {
	if text := strings.Join(strings.Fields(strings.Join(cleanLines(e.api.Title), " ")), " "); text != "" {
		return text
	}
	return "the API"
}

// clientAPI is what the document says about all operations.
func (e *emitter) clientAPI(g *group) *jen.Statement {
	pairs := []pair{{"Title", jen.Lit(e.api.Title)}}
	if e.api.Dependency != "" {
		pairs = append(pairs, pair{"Dependency", jen.Lit(e.api.Dependency)})
	}
	if len(e.api.Profiles) > 0 {
		pairs = append(pairs, pair{"Profiles", e.profileList()})
	}
	if g.kind != kindOperation {
		pairs = append(pairs, pair{"NoBase", jen.True()})
	} else {
		if len(e.api.Servers) > 0 {
			pairs = append(pairs, pair{"Servers", serverList(e.api.Servers)})
		}
		if e.ownServers(g) {
			pairs = append(pairs, pair{"NoBase", jen.True()})
		}
	}
	if len(e.api.Targets) > 0 {
		pairs = append(pairs, pair{"Targets", targetList(e.api.Targets)})
	}
	if list := e.schemeList(); list != nil {
		pairs = append(pairs, pair{"Schemes", list})
	}
	if len(g.ops) > 0 {
		pairs = append(pairs, pair{"Operations", specList(g)})
	}
	return tall(jen.Qual(pkgClient, "API"), pairs...)
}

// specList are the policies of a group's operations.
//
//	[]*policy.Spec{&specGetPet, &specListPets}
func specList(g *group) *jen.Statement {
	return jen.Index().Op("*").Qual(pkgPolicy, "Spec").CustomFunc(multiline, func(list *jen.Group) {
		for _, o := range g.ops {
			list.Op("&").Id(names.Private("spec", o.n.Base))
		}
	})
}

// ownServers reports that each operation has servers of its own.
func (e *emitter) ownServers(g *group) bool {
	for _, o := range g.ops {
		if len(o.Servers) == 0 {
			return false
		}
	}
	return len(g.ops) > 0 && len(e.api.Servers) == 0
}

// serverList is a list of servers.
//
//	[]client.Server{{URL: "https://api.example.com", Name: "production"}}
func serverList(servers []*ir.Server) *jen.Statement {
	return jen.Index().Qual(pkgClient, "Server").CustomFunc(multiline, func(g *jen.Group) {
		for _, s := range servers {
			pairs := []pair{{"URL", jen.Lit(s.URL)}}
			if s.Name != "" {
				pairs = append(pairs, pair{"Name", jen.Lit(s.Name)})
			}
			if s.Description != "" {
				pairs = append(pairs, pair{"Description", jen.Lit(s.Description)})
			}
			if len(s.Variables) > 0 {
				pairs = append(pairs, pair{"Variables", variableList(s.Variables)})
			}
			g.Add(ordered(jen.Null(), pairs...))
		}
	})
}

// targetList is the list of servers that fallbacks name.
func targetList(targets []*ir.Target) *jen.Statement {
	return jen.Index().Qual(pkgClient, "Target").CustomFunc(multiline, func(g *jen.Group) {
		for _, t := range targets {
			pairs := []pair{{"Name", jen.Lit(t.Name)}, {"URL", jen.Lit(t.URL)}}
			if len(t.Query) > 0 {
				pairs = append(pairs, pair{"Query", jen.Index().Qual(pkgClient, "Pair").ValuesFunc(func(g *jen.Group) {
					for _, q := range t.Query {
						g.Values(jen.Id("Name").Op(":").Lit(q.Name), jen.Id("Value").Op(":").Lit(q.Value))
					}
				})})
			}
			if t.Auth != "" {
				pairs = append(pairs, pair{"Auth", jen.Lit(t.Auth)})
			}
			g.Add(ordered(jen.Null(), pairs...))
		}
	})
}

func variableList(vars []*ir.ServerVariable) *jen.Statement {
	return jen.Index().Qual(pkgClient, "Variable").CustomFunc(multiline, func(g *jen.Group) {
		for _, v := range vars {
			pairs := []pair{{"Name", jen.Lit(v.Name)}}
			if v.Default != "" {
				pairs = append(pairs, pair{"Default", jen.Lit(v.Default)})
			}
			if len(v.Enum) > 0 {
				pairs = append(pairs, pair{"Enum", jen.Index().String().ValuesFunc(func(g *jen.Group) {
					for _, text := range v.Enum {
						g.Lit(text)
					}
				})})
			}
			g.Add(ordered(jen.Null(), pairs...))
		}
	})
}

var multiline = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

// clientInterface writes the interface that callers fake.
//
//	type API interface {
//		GetPet(ctx context.Context, req GetPetRequest, opts ...client.CallOption) (*Pet, error)
//	}
func (e *emitter) clientInterface(g *group) {
	name := e.names.Support(g.api)
	methods := make([]jen.Code, len(g.ops))
	for i, o := range g.ops {
		methods[i] = jen.Id(o.n.Method).Params(e.callParams(o)...).Add(e.callResults(o))
	}
	client := e.names.Support(g.client)
	e.add(g.clientFile, client,
		doc(name+" is what "+client+" does, for callers that put something else in its place."),
		jen.Type().Id(name).Interface(methods...), jen.Line(),
		jen.Var().Id("_").Id(name).Op("=").Parens(ptr(client)).Parens(jen.Nil()), jen.Line())
}

// callParams are the parameters of a client's method.
func (e *emitter) callParams(o *operation) []jen.Code {
	params := []jen.Code{jen.Id("ctx").Qual("context", "Context")}
	if o.group.kind != kindOperation {
		params = append(params, jen.Id("url").String())
	}
	if o.hasRequest() {
		params = append(params, jen.Id("req").Id(o.n.Request))
	}
	return append(params, jen.Id("opts").Op("...").Qual(pkgClient, "CallOption"))
}

// callResults are the results of a client's method.
func (e *emitter) callResults(o *operation) *jen.Statement {
	if o.result.form == resultNone {
		return jen.Error()
	}
	return jen.Params(e.clientResult(o), jen.Error())
}

// clientMethod writes one method.
//
//	func (c *Client) GetPet(ctx context.Context, req GetPetRequest, opts ...client.CallOption) (*Pet, error) {
//		return client.Do(ctx, c.Core(), &opGetPet, &req, opts)
//	}
func (e *emitter) clientMethod(o *operation) {
	do, req := "Do", jen.Op("&").Id("req")
	if o.result.form == resultNone {
		do = "Exec"
	}
	if !o.hasRequest() {
		req = jen.Nil()
	}
	opts := jen.Id("opts")
	if o.group.kind != kindOperation {
		opts = jen.Append(jen.Index().Qual(pkgClient, "CallOption").Values(jen.Qual(pkgClient, "At").Call(jen.Id("url"))), jen.Id("opts").Op("..."))
	}
	client := e.names.Support(o.group.client)
	e.add(o.group.clientFile, o.n.Base,
		e.methodDoc(o, o.Policy.Words...),
		jen.Func().Params(jen.Id("c").Op("*").Id(client)).Id(o.n.Method).Params(e.callParams(o)...).Add(e.callResults(o)).Block(
			jen.Return(jen.Qual(pkgClient, do).Call(jen.Id("ctx"), jen.Id("c").Dot(e.coreMethod(o.group)).Call(), jen.Op("&").Id(names.Private("op", o.n.Base)), req, opts))),
		jen.Line())
}

// methodDoc is the comment of a method: what the document says, where the operation
// stands, and what else there is to say.
func (e *emitter) methodDoc(o *operation, more ...string) *jen.Statement {
	where := o.Method + " " + o.Path
	if o.group.kind != kindOperation {
		where = o.Method + ", " + o.group.kind + " " + o.Path
	}
	text := docText(o.Doc)
	if text == "" {
		return describe(o.n.Method, o.Doc, o.n.Method+": "+where, more...)
	}
	return describe(o.n.Method, o.Doc, "", append([]string{where}, more...)...)
}

// clientOperation writes what the runtime has to know about an operation.
//
//	var opGetPet = client.Operation[*Pet]{
//		Spec:     &specGetPet,
//		Security: securityBearer,
//		Encode:   func(req any, b *client.Request) { req.(*GetPetRequest).encode(b) },
//		Decode:   decodeGetPet,
//		Accept:   "application/json",
//	}
func (e *emitter) clientOperation(o *operation) {
	pairs := []pair{{"Spec", jen.Op("&").Id(names.Private("spec", o.n.Base))}}
	if s := e.securityOf(o.Operation); s != nil {
		pairs = append(pairs, pair{"Security", s})
	}
	switch {
	case o.hasRequest():
		pairs = append(pairs, pair{"Encode", o.erased("encode", "b", jen.Qual(pkgClient, "Request"))})
		if o.validates {
			pairs = append(pairs, pair{"Validate", o.erased("validate", "c", jen.Qual(pkgCheck, "Checker"))})
		}
	case len(o.Parts) > 0 && (o.PathQuery != "" || escapedPath(o) != o.Path):
		pairs = append(pairs, pair{"Encode", jen.Func().Params(jen.Id("_").Any(), jen.Id("b").Op("*").Qual(pkgClient, "Request")).
			BlockFunc(func(g *jen.Group) {
				for _, code := range e.encodePath(o) {
					g.Add(code)
				}
			})})
	}
	pairs = append(pairs, pair{"Decode", jen.Id(names.Private("decode", o.n.Base))})
	if accept := e.accept(o); accept != "" {
		pairs = append(pairs, pair{"Accept", jen.Lit(accept)})
	}
	if len(o.Servers) > 0 && o.group.kind == kindOperation {
		pairs = append(pairs, pair{"Servers", serverList(o.Servers)})
	}
	if declaresRedirect(o) {
		pairs = append(pairs, pair{"Redirects", jen.True()})
	}
	e.add(o.group.clientFile, o.n.Base,
		jen.Var().Id(names.Private("op", o.n.Base)).Op("=").Add(
			tall(jen.Qual(pkgClient, "Operation").Types(e.clientResult(o)), pairs...)), jen.Line())
}

// erased is a method of the request for a runtime that does not know its type.
//
//	func(req any, b *client.Request) { req.(*GetPetRequest).encode(b) }
func (o *operation) erased(method, arg string, typ *jen.Statement) *jen.Statement {
	return jen.Func().Params(jen.Id("req").Any(), jen.Id(arg).Op("*").Add(typ)).Custom(jen.Options{Open: "{ ", Close: " }"},
		jen.Id("req").Assert(ptr(o.n.Request)).Dot(method).Call(jen.Id(arg)))
}

// escapedPath is the path of an operation without parameters as it is sent.
func escapedPath(o *operation) string {
	var b strings.Builder
	for _, part := range o.Parts {
		b.WriteString(escapeLiteral(part.Literal))
	}
	return b.String()
}
