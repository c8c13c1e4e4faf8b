package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// reread writes the method that reads, changes and writes, for a write whose policy names
// the operation that reads the same. It is no part of the API that callers fake, since it is
// made of two calls that are.
//
//	func (c *Client) PutPageReread(ctx context.Context, req GetPageRequest, change func(*Page) (PutPageRequest, error), opts ...client.CallOption) error {
//		read := func(ctx context.Context, opts ...client.CallOption) (*Page, error) { return c.GetPage(ctx, req, opts...) }
//		return client.RereadExec(ctx, read, change, c.PutPage, opts)
//	}
func (e *emitter) reread(o *operation) {
	read := o.rereads()
	if read == nil {
		return
	}
	method, client, do := rereadMethod(o), e.names.Support(o.group.client), "Reread"
	if o.result.form == resultNone {
		do = "RereadExec"
	}
	params, args := []jen.Code{jen.Id("ctx").Qual("context", "Context")}, []jen.Code{jen.Id("ctx")}
	if read.hasRequest() {
		params = append(params, jen.Id("req").Id(read.n.Request))
		args = append(args, jen.Id("req"))
	}
	options := func() *jen.Statement { return jen.Id("opts").Op("...").Qual(pkgClient, "CallOption") }
	params = append(params, jen.Id("change").Func().Params(e.clientResult(read)).Params(jen.Id(o.n.Request), jen.Error()), options())
	e.add(o.group.clientFile, o.n.Base,
		comment(method+" sends what change makes of what "+read.n.Method+" reads, if it is still as it was read, and begins again where it is not: see client.Update. The options are those of "+o.n.Method+"."),
		jen.Func().Params(jen.Id("c").Op("*").Id(client)).Id(method).Params(params...).Add(e.callResults(o)).Block(
			jen.Id("read").Op(":=").Func().Params(jen.Id("ctx").Qual("context", "Context"), options()).Add(e.callResults(read)).Custom(
				jen.Options{Open: "{ ", Close: " }"},
				jen.Return(jen.Id("c").Dot(read.n.Method).Call(append(args, jen.Id("opts").Op("..."))...))),
			jen.Return(jen.Qual(pkgClient, do).Call(jen.Id("ctx"), jen.Id("read"), jen.Id("change"), jen.Id("c").Dot(o.n.Method), jen.Id("opts")))),
		jen.Line())
}

// rereads is the operation that reads what o writes, nil where there is none with a result
// that can be changed.
func (o *operation) rereads() *operation {
	c := o.Policy.Client.Concurrency
	if c == nil || c.Reread == "" || o.group.kind != kindOperation || !o.hasRequest() {
		return nil
	}
	for _, read := range o.group.ops {
		if read.Key == c.Reread && changeable(read) {
			return read
		}
	}
	return nil
}

// rereadMethod is the name of the method, which no operation has.
func rereadMethod(o *operation) string { return o.group.method("", o.n.Method+"Reread", "Again") }

// changeable says that a call has a result, which is whole when it returns.
func changeable(o *operation) bool {
	for _, v := range o.result.variants {
		if v.body == nil {
			continue
		}
		switch bodyKind(v.body.Content) {
		case ir.ContentBinary, ir.ContentEvents, ir.ContentLines:
			return false
		}
	}
	return o.result.form != resultNone
}
