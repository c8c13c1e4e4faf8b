package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// body is a request body: one media type, or a choice of several.
type body struct {
	*ir.Body
	choice string // the struct with a field for each media type; empty: one media type
	forms  []*bodyForm
}

// bodyForm is one media type of a request body.
type bodyForm struct {
	*ir.Content
	required bool           // always there
	field    string         // in the struct of a choice
	response bool           // of a response
	heads    *jen.Statement // the headers of its parts, where it has any
}

// reading is how the body is read: as a client does where it is that of a response.
func (f *bodyForm) reading() reading { return reading(f.response) }

func (e *emitter) planBody(op *ir.Operation) *body {
	if op.Body == nil {
		return nil
	}
	b := &body{Body: op.Body, choice: e.names.Body(op)}
	for _, c := range op.Body.Contents {
		f := &bodyForm{Content: c, required: b.choice == "" && op.Body.Required, field: e.names.MediaField(c)}
		if e.names.PartsType(c) != "" {
			f.heads = jen.Id("r").Dot(names.PartHeaders)
			if b.choice != "" {
				f.heads = jen.Id("r").Dot("Body").Dot(e.names.PartsField(c))
			}
		}
		b.forms = append(b.forms, f)
	}
	return b
}

// note says what the body is.
func (b *body) note() string {
	text := b.forms[0].MediaType
	if b.choice != "" {
		text = "one of several media types"
	}
	if !b.Required {
		text += ", optional"
	}
	return text
}

// mediaRange reports a media type that leaves it to the sender what the body is.
func mediaRange(mediaType string) bool { return strings.Contains(mediaType, "*") }

// media is the media type, or the range of all for a key that is none.
func (f *bodyForm) media() string { return knownMedia(f.MediaType) }

// knownMedia is a media type as it can be sent. A key that is none says nothing about
// the body, so it may have any type.
func knownMedia(m string) string {
	if m = strings.TrimSpace(m); validMedia(m) {
		return m
	}
	return "*/*"
}

// place is the body as a place in a struct, for the kinds that have a schema.
func (f *bodyForm) place() place { return place{use: f.Use, required: f.required} }

// bodyType is the type of the field Body.
func (e *emitter) bodyType(o *operation) *jen.Statement {
	if o.body.choice != "" {
		return jen.Id(o.body.choice)
	}
	return e.formType(o.body.forms[0])
}

// formType is the type of a body of one media type.
func (e *emitter) formType(f *bodyForm) *jen.Statement {
	switch f.Kind {
	case ir.ContentJSON:
		if f.Use == nil {
			return jen.Qual(pkgValue, "Raw")
		}
		return e.goType(f.Use, f.required)
	case ir.ContentText:
		return wrapped(paramWrap(textUse(f.Content), f.required), e.baseType(textUse(f.Content).Type))
	case ir.ContentForm, ir.ContentMultipart:
		return wrapped(f.formWrap(), e.baseType(f.Use.Type))
	case ir.ContentEvents, ir.ContentLines:
		return jen.Qual("iter", "Seq2").Types(e.itemType(f.Content), jen.Error())
	}
	if mediaRange(f.media()) {
		return jen.Qual(pkgMultipart, "File")
	}
	return jen.Qual("io", "Reader")
}

// formWrap is the wrap of a form: null is not among what one can say.
func (f *bodyForm) formWrap() wrap {
	if f.required || classOf(f.Use.Type) == classList {
		return plain
	}
	return pointer
}

// stringType is a text without a schema of its own.
var stringType = &ir.Type{Kind: ir.KindScalar, Scalar: ir.String}

// textUse is what a body of text is.
func textUse(c *ir.Content) *ir.Use {
	if c.Use == nil {
		return &ir.Use{Type: stringType}
	}
	return c.Use
}

// plainText reports a text that is a string as it is.
func plainText(c *ir.Content) bool {
	t := resolve(textUse(c).Type)
	return t.GoType == nil && t.Kind == ir.KindScalar && t.Scalar == ir.String && t.Const == nil
}

// itemType is the Go type of an item of a stream.
func (e *emitter) itemType(c *ir.Content) *jen.Statement {
	if c.Item == nil {
		if c.Kind == ir.ContentEvents {
			return jen.String()
		}
		return jen.Qual(pkgValue, "Raw")
	}
	return e.elemType(c.Item)
}

// itemCodec is the codec of an item of a stream; nil where events are text.
func (e *emitter) itemCodec(c *ir.Content) *jen.Statement {
	if c.Item == nil {
		if c.Kind == ir.ContentEvents {
			return nil
		}
		return jen.Qual(pkgJSON, "Raw")
	}
	return e.codec(c.Item)
}

// streamWord ends the names of the functions for a stream: Events, EventText,
// EventObjects, Lines or Sequence.
func streamWord(c *ir.Content) string {
	switch {
	case c.Kind == ir.ContentEvents && c.Item == nil:
		return "EventText"
	case c.Kind == ir.ContentEvents && c.Event != ir.EventData:
		return "EventObjects"
	case c.Kind == ir.ContentEvents:
		return "Events"
	case strings.Contains(strings.ToLower(c.MediaType), "json-seq"):
		return "Sequence"
	}
	return "Lines"
}

// eventArg tells the two forms of event objects apart: whether data that is JSON
// stands in the object as JSON.
func eventArg(c *ir.Content) []jen.Code {
	if streamWord(c) != "EventObjects" {
		return nil
	}
	return []jen.Code{jen.Lit(c.Event == ir.EventObject)}
}

// choiceType writes the struct of a body that has several media types.
//
//	// SendBody is the body of Send: exactly one field is set.
//	type SendRequestBody struct {
//		JSON *Point            // application/json
//		Text value.Opt[string] // text/plain
//	}
func (e *emitter) choiceType(o *operation) {
	if o.body == nil || o.body.choice == "" {
		return
	}
	var fields []jen.Code
	for _, f := range o.body.forms {
		fields = append(fields, jen.Id(f.field).Add(e.formType(f)).Add(trailing(f.MediaType)))
		if f.heads != nil {
			fields = append(fields, jen.Id(e.names.PartsField(f.Content)).Id(e.names.PartsType(f.Content)).Add(trailing("headers of its parts")))
		}
	}
	rule := ": exactly one field is set."
	if !o.body.Required {
		rule = ": one field is set, or none."
	}
	e.add(fileParams, o.n.Base,
		doc(o.body.choice+" is the body of "+o.n.Method+rule),
		jen.Type().Id(o.body.choice).Struct(fields...), jen.Line())
}

// formSet is the condition that the body src is there.
func (e *emitter) formSet(f *bodyForm, src *jen.Statement) *jen.Statement {
	w := plain
	switch f.Kind {
	case ir.ContentJSON:
		if f.Use != nil {
			w = f.place().wrap()
		}
	case ir.ContentText:
		w = paramWrap(textUse(f.Content), f.required)
	case ir.ContentXML, ir.ContentBinary:
		if mediaRange(f.media()) {
			return jen.Op("!").Add(src).Dot("IsZero").Call()
		}
	}
	if w == opt || w == optNull {
		return src.Clone().Dot("IsSet").Call()
	}
	return src.Clone().Op("!=").Nil()
}

// encodeBody writes the body of a request.
//
//	b.JSON("application/json", &r.Body)
//
//	switch b.Choose(true, r.Body.JSON != nil, r.Body.Text.IsSet()) {
//	case 0:
//		b.JSON("application/json", r.Body.JSON)
//	}
func (e *emitter) encodeBody(o *operation) []jen.Code {
	src := jen.Id("r").Dot("Body")
	if o.body.choice == "" {
		f := o.body.forms[0]
		code := e.encodeForm(f, src)
		if f.required || f.Kind == ir.ContentText {
			return code
		}
		return []jen.Code{jen.If(e.formSet(f, src)).Block(code...)}
	}
	args := []jen.Code{jen.Lit(o.body.Required)}
	var cases []jen.Code
	for i, f := range o.body.forms {
		field := src.Clone().Dot(f.field)
		args = append(args, e.formSet(f, field))
		cases = append(cases, jen.Case(jen.Lit(i)).Block(e.encodeForm(f, field)...))
	}
	return []jen.Code{jen.Switch(jen.Id("b").Dot("Choose").Call(args...)).Block(cases...)}
}

// encodeForm writes a body of one media type that is there.
func (e *emitter) encodeForm(f *bodyForm, src *jen.Statement) []jen.Code {
	b, media := jen.Id("b"), jen.Lit(f.media())
	one := func(s *jen.Statement) []jen.Code { return []jen.Code{s} }
	switch f.Kind {
	case ir.ContentJSON:
		return one(e.encodeJSON(f, src))
	case ir.ContentText:
		if plainText(f.Content) && f.required {
			return one(b.Dot("Text").Call(media, src))
		}
		c := e.paramType(textUse(f.Content).Type, strict).expr()
		return one(b.Dot("TextValue").Call(media, paramValue(c, src, paramWrap(textUse(f.Content), f.required))))
	case ir.ContentForm:
		return e.encodeURLForm(f, b.Dot("Form").Call(media), src)
	case ir.ContentMultipart:
		return e.encodeMultipart(f, b.Dot("Multipart").Call(media), src)
	case ir.ContentEvents, ir.ContentLines:
		args := []jen.Code{b, media, src}
		if c := e.itemCodec(f.Content); c != nil {
			args = append(args, c)
		}
		return one(jen.Qual(pkgClient, streamWord(f.Content)).Call(args...))
	}
	if mediaRange(f.media()) {
		return one(b.Dot("File").Call(media, src))
	}
	return one(b.Dot("Binary").Call(media, src))
}

// encodeJSON writes a JSON body.
//
//	b.JSON("application/json", &r.Body)
//	client.JSONValue(b, "application/json", &r.Body, codecSliceString)
func (e *emitter) encodeJSON(f *bodyForm, src *jen.Statement) *jen.Statement {
	b, media := jen.Id("b"), jen.Lit(f.media())
	value := func(v *jen.Statement, c *jen.Statement) *jen.Statement {
		return jen.Qual(pkgClient, "JSONValue").Call(b, media, v, c)
	}
	addr := jen.Op("&").Add(src)
	if f.Use == nil {
		return value(addr, jen.Qual(pkgJSON, "Raw"))
	}
	p := f.place()
	c := e.placeCodec(p)
	switch p.wrap() {
	case opt:
		return value(src.Clone().Dot("Ptr").Call(), c.expr())
	case null:
		return value(addr, e.around("Null", "Null", c).expr())
	case optNull:
		return jen.Qual(pkgClient, "JSONOrNull").Call(b, media, src.Clone().Dot("Ptr").Call(), c.expr())
	case pointer:
		if f.required { // nil is null
			return jen.Qual(pkgClient, "JSONOrNull").Call(b, media, src, c.expr())
		}
		if e.direct(place{use: f.Use, required: true}) {
			return b.Dot("JSON").Call(media, src)
		}
		return value(src, c.expr())
	}
	if e.direct(p) {
		return b.Dot("JSON").Call(media, addr)
	}
	return value(addr, c.expr())
}

// checkBody checks the constraints of the body.
func (e *emitter) checkBody(o *operation) []jen.Code {
	src := jen.Id("r").Dot("Body")
	var out []jen.Code
	for _, f := range o.body.forms {
		at := src.Clone()
		if o.body.choice != "" {
			at = at.Dot(f.field)
		}
		if code := e.checkForm(f, at); code != nil {
			out = append(out, code)
		}
	}
	return out
}

func (e *emitter) checkForm(f *bodyForm, src *jen.Statement) jen.Code {
	in := jen.Qual(pkgCheck, "InBody")
	switch f.Kind {
	case ir.ContentJSON:
		if f.Use == nil {
			return nil
		}
		return e.checkPlace(in, "", src, f.Use, f.required, f.place().wrap())
	case ir.ContentText:
		u := textUse(f.Content)
		return e.checkPlace(in, "", src, u, f.required, paramWrap(u, f.required))
	case ir.ContentForm, ir.ContentMultipart:
		return e.checkPlace(in, "", src, f.Use, f.required, f.formWrap())
	}
	return nil
}
