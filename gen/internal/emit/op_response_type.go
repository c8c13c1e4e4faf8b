package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// bodyField is the field of a response type that holds a body.
func (e *emitter) bodyField(t *response, p *payload) string {
	if len(t.bodies) == 1 {
		return "Body"
	}
	return e.names.MediaField(p.Content)
}

// payloadType is the Go type of a body in a response type. A failure is read whole,
// so that nothing of it stays open.
func (e *emitter) payloadType(t *response, p *payload) *jen.Statement {
	required := len(t.bodies) == 1
	switch bodyKind(p.Content) {
	case ir.ContentJSON:
		if p.Use == nil {
			return jen.Qual(pkgValue, "Raw")
		}
		return e.goType(p.Use, required)
	case ir.ContentText:
		return wrapped(paramWrap(textUse(p.Content), required), e.baseType(textUse(p.Content).Type))
	case ir.ContentForm, ir.ContentMultipart:
		f := e.payloadForm(t, p)
		return wrapped(f.formWrap(), e.baseType(f.Use.Type))
	case ir.ContentEvents, ir.ContentLines:
		if !t.fails {
			return jen.Qual("iter", "Seq2").Types(e.itemType(p.Content), jen.Error())
		}
	}
	if t.fails {
		return jen.Index().Byte()
	}
	return jen.Qual("io", "ReadCloser")
}

// open reports a body that names its own content type: a stream of bytes, and a text
// whose media type the document leaves open.
func (t *response) open() bool {
	if t.fails {
		return false
	}
	for _, p := range t.bodies {
		if kind := bodyKind(p.Content); kind == ir.ContentBinary || kind == ir.ContentText && p.rangeRank() > 0 {
			return true
		}
	}
	return false
}

// resultTypes writes the sealed interface of an operation with several successes.
//
//	// StatusesResult is what Statuses gives: *StatusesOK or *StatusesNoContent.
//	type StatusesResult interface{ resultStatuses() }
func (e *emitter) resultTypes(o *operation) {
	if o.result.form != resultSealed {
		return
	}
	var list []string
	for _, v := range o.result.variants {
		list = append(list, "*"+v.typ.name)
	}
	methods := []jen.Code{jen.Id(names.Private("result", o.result.name)).Params()}
	if o.group.called {
		methods = append(methods, jen.Id("Respond").Params(jen.Op("*").Qual(pkgServer, "Response")))
	}
	e.add(fileResponses, o.n.Base,
		comment(o.result.name+" is what "+o.n.Method+" gives: "+orList(list)+"."),
		jen.Type().Id(o.result.name).Interface(methods...), jen.Line())
}

// writeResponses writes the types of responses.
func (e *emitter) writeResponses() {
	for _, t := range e.ops.order {
		e.responseType(t)
		if t.fails {
			e.errorMethod(t)
		}
		if t.called {
			e.respondMethod(t)
		}
		e.readFunctions(t)
	}
}

// responseType writes the struct.
//
//	// NotFound is the response 404: there is no such payment.
//	type NotFound struct {
//		RetryAfter value.Opt[int64]
//		Body       Problem
//	}
func (e *emitter) responseType(t *response) {
	var fields []jen.Code
	if t.status {
		fields = append(fields, jen.Id("StatusCode").Int())
	}
	for _, h := range t.Headers {
		if text := commentText(docText(h.Doc), deprecatedText(h.Doc)); text != "" {
			fields = append(fields, jen.Comment(text))
		}
		typ := e.paramGoType(h)
		if isSetCookie(h) {
			typ = jen.Index().String()
		}
		fields = append(fields, jen.Id(e.names.Header(t.Response, h)).Add(typ).Add(trailing("header "+h.Name)))
	}
	if t.open() {
		fields = append(fields, jen.Id("ContentType").String().Add(trailing(mediaNote(t.bodies[0]))))
	}
	for _, p := range t.bodies {
		note := ""
		if len(t.bodies) > 1 || bodyKind(p.Content) != ir.ContentJSON {
			note = mediaNote(p)
		}
		fields = append(fields, jen.Id(e.bodyField(t, p)).Add(e.payloadType(t, p)).Add(trailing(note)))
		if f := e.payloadForm(t, p); f != nil && f.heads != nil {
			fields = append(fields, jen.Id(e.partsField(t, p)).Id(e.names.PartsType(p.Content)).Add(trailing("headers of the parts of the body")))
			e.partTypes(f, fileResponses, t.name, t.name, t.called, t.read || t.failed)
		}
	}
	if e.hasFiles(t) && t.read {
		fields = append(fields, jen.Line(), jen.Id("body").Op("*").Qual(pkgClient, "Body").Add(trailing("that the files are read from")))
	}
	code := []jen.Code{comment(t.name + " is " + t.what()), jen.Type().Id(t.name).Struct(fields...), jen.Line()}
	if e.hasFiles(t) && t.read {
		code = append(code,
			comment("Close frees the connection that the files of a response are read from. It has to be called unless all of them are read to their end. It never fails."),
			compact(jen.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("Close").Params().Error(), []jen.Code{
				jen.If(jen.Id("v").Op("==").Nil()).Block(jen.Return(jen.Nil())),
				jen.Return(jen.Id("v").Dot("body").Dot("Close").Call()),
			}), jen.Line())
	}
	for _, name := range t.succeeds {
		code = append(code, jen.Func().Params(ptr(t.name)).Id(names.Private("result", name)).Params().Block(), jen.Line())
	}
	e.add(fileResponses, t.name, code...)
}

func mediaNote(p *payload) string { return strings.Join(p.media, ", ") }

// what describes the response.
func (t *response) what() string {
	text := "the response " + t.Status
	if t.Component != "" && t.status {
		text = "the response " + t.Component
	} else if exact(t.Status) {
		if words := statusText(t.Status); words != "" {
			text += " " + words
		}
	}
	if d := docText(t.Doc); d != "" {
		text += ": " + d
	}
	return text
}

// statusText is the usual words of a status.
func statusText(status string) string {
	code, err := strconv.Atoi(status)
	if err != nil {
		return ""
	}
	_, words, _ := strings.Cut(fault.StatusText(code, ""), " ")
	return words
}

// isSetCookie reports the one header whose lines cannot be joined: it is a list of
// lines whether the schema is that of one of them or of all.
func isSetCookie(p *ir.Param) bool { return strings.EqualFold(p.Name, "Set-Cookie") }

// errorMethod writes Error: the status and what the document says of it, never what
// the response holds.
//
//	func (e *NotFound) Error() string { return "404 Not Found: there is no such payment" }
func (e *emitter) errorMethod(t *response) {
	words := t.sentence()
	head := jen.Func().Params(jen.Id("e").Op("*").Id(t.name)).Id("Error").Params().String()
	if !t.status {
		text := t.Status
		if s := statusText(t.Status); s != "" {
			text += " " + s
		}
		if words != "" {
			text += ": " + words
		}
		head = jen.Func().Params(ptr(t.name)).Id("Error").Params().String()
		e.add(fileResponses, t.name, doc("Error is the status and what the document says of it."),
			compact(head, []jen.Code{jen.Return(jen.Lit(text))}), jen.Line())
		return
	}
	e.add(fileResponses, t.name, doc("Error is the status and what the document says of it."),
		compact(head, []jen.Code{jen.Return(jen.Qual(pkgFault, "StatusText").Call(jen.Id("e").Dot("StatusCode"), jen.Lit(words)))}), jen.Line())
}

// maxSentence is how much of a description an error shows.
const maxSentence = 120

// sentence is the first line of what the document says, on one line.
func (t *response) sentence() string {
	lines := cleanLines(docText(t.Doc))
	if len(lines) == 0 {
		return ""
	}
	text := strings.Join(strings.Fields(lines[0]), " ")
	if len(lines) > 1 && lines[1] != "" {
		text += " …"
	}
	if runes := []rune(text); len(runes) > maxSentence {
		text = string(runes[:maxSentence]) + "…"
	}
	return strings.TrimSuffix(text, ".")
}
