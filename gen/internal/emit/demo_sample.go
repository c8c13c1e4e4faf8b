package emit

import (
	"encoding/base64"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/sample"
)

// sampled is a Go value as encoding/json reads it, and the statements that complete it
// with what JSON cannot say: streams and readers.
type sampled struct {
	json  *ir.Value
	heads *ir.Value // the headers of the parts of a body; nil: none
	set   []jen.Code
}

// demoText is what the streams and readers of a demo hold.
const demoText = "holdfast\n"

// goValue is a sample in the form in which encoding/json reads the Go value of a use:
// as the document has it, but for bytes, which are base64 there.
func (d *demo) goValue(u *ir.Use, v *ir.Value) *ir.Value { return d.inGo(u, v, false) }

// inGo is goValue for a place that may be within a declared type: that has methods of its
// own, to which bytes are text and files base64.
func (d *demo) inGo(u *ir.Use, v *ir.Value, declared bool) *ir.Value {
	if u == nil || v == nil {
		return v
	}
	t := resolve(u.Type)
	declared = declared || t.Declared
	switch {
	case t.Kind == ir.KindBinary && v.Kind == ir.StringValue && !declared:
		return encoded(v)
	case t.Kind == ir.KindArray && v.Kind == ir.ArrayValue:
		out := &ir.Value{Kind: v.Kind}
		for _, item := range v.Items {
			out.Items = append(out.Items, d.inGo(t.Elem, item, declared))
		}
		return out
	case t.Kind == ir.KindMap && v.Kind == ir.ObjectValue:
		out := &ir.Value{Kind: v.Kind}
		for _, m := range v.Members {
			out.Members = append(out.Members, ir.MemberValue{Name: m.Name, Value: d.inGo(t.Elem, m.Value, declared)})
		}
		return out
	case t.Kind == ir.KindStruct && v.Kind == ir.ObjectValue:
		return d.structInGo(t, v)
	}
	return v
}

// structInGo is inGo for the members of a struct. One that is a file in some form is a
// file everywhere.
func (d *demo) structInGo(t *ir.Type, v *ir.Value) *ir.Value {
	fields := map[string]*ir.Field{}
	for _, f := range t.Fields {
		fields[f.Name] = f
	}
	out := &ir.Value{Kind: v.Kind}
	for _, m := range v.Members {
		switch f := fields[m.Name]; {
		case f == nil:
		case d.facts.files[t][f]:
			m.Value = encoded(m.Value)
		default:
			m.Value = d.inGo(f.Use, m.Value, true)
		}
		out.Members = append(out.Members, m)
	}
	return out
}

func stringValue(s string) *ir.Value { return &ir.Value{Kind: ir.StringValue, Text: s} }

// object collects members in their order.
type object struct{ v ir.Value }

func (o *object) add(name string, v *ir.Value) {
	o.v.Kind = ir.ObjectValue
	o.v.Members = append(o.v.Members, ir.MemberValue{Name: name, Value: v})
}

func (o *object) value() *ir.Value {
	o.v.Kind = ir.ObjectValue
	return &o.v
}

// requests are the samples of a request struct: one, or of a package of all calls one for
// each media type of the body and one with nothing that can be left out. missing says
// what has no sample.
func (d *demo) requests(o *operation) (list []sampled, missing string) {
	params, rich, missing := d.params(o)
	if missing != "" {
		return nil, missing
	}
	var bare *sampled
	if o.body == nil || !o.Body.Required {
		bare = &sampled{json: params.value()}
	}
	if o.body == nil {
		list = []sampled{*bare}
	} else {
		bodies := d.bodies(o)
		missed := len(bodies) == 0 || d.opt.All && len(bodies) < len(o.body.forms)
		if missed && (o.Body.Required || d.opt.All) {
			return nil, "the body"
		}
		for _, b := range bodies {
			list = append(list, params.with(b))
		}
		if bare != nil {
			list = append(list, *bare)
		}
	}
	if rich != nil && d.opt.All {
		whole := sampled{json: rich.value()}
		if o.body != nil {
			whole = rich.with(d.bodies(o)[0])
		}
		list = append([]sampled{whole}, list...)
	}
	return list, ""
}

// params are the parameters that a request must hold, and the first few of the query that
// it need not. rich are all parameters, if that is more.
func (d *demo) params(o *operation) (params, rich *object, missing string) {
	params, rich = &object{}, &object{}
	optional := 0
	for _, f := range o.fields {
		v := sample.Param(f.Param)
		if !f.Required && d.overwritten(o, f) {
			continue
		}
		if v == nil || v.Kind == ir.NullValue {
			if f.Required {
				return nil, nil, "the parameter " + f.Name
			}
			continue
		}
		v = d.goValue(f.Use, v)
		rich.add(f.name, v)
		if !f.Required {
			if d.opt.All || f.In != "query" || f.Doc.Deprecated || optional == maxOptionalParams || !single(f.Use.Type) {
				continue
			}
			optional++
		}
		params.add(f.name, v)
	}
	if len(rich.v.Members) == len(params.v.Members) {
		rich = nil
	}
	return params, rich, ""
}

// maxOptionalParams is how many parameters of a query are given that need not be.
const maxOptionalParams = 2

// with is the sample of a request that has these parameters and a body.
func (o *object) with(body sampled) sampled {
	whole := object{ir.Value{Kind: ir.ObjectValue, Members: slices.Clone(o.v.Members)}}
	if body.json != nil {
		whole.add("Body", body.json)
	}
	if body.heads != nil {
		whole.add(names.PartHeaders, body.heads)
	}
	return sampled{json: whole.value(), set: body.set}
}

// bodies are the samples of the media types of a body that have one: of a demo the first.
func (d *demo) bodies(o *operation) []sampled {
	var list []sampled
	for _, f := range o.body.forms {
		place := jen.Id("r").Dot("Body")
		if o.body.choice != "" {
			place = place.Dot(f.field)
		}
		body, ok := d.formSample(f, place)
		if !ok {
			continue
		}
		if body.json != nil && o.body.choice != "" {
			var inner object
			inner.add(f.field, body.json)
			if body.heads != nil {
				inner.add(d.names.PartsField(f.Content), body.heads)
			}
			body.json, body.heads = inner.value(), nil
		}
		list = append(list, body)
		if !d.opt.All {
			break
		}
	}
	return list
}

// formSample is the sample of one media type of a body that stands at place.
func (d *demo) formSample(f *bodyForm, place *jen.Statement) (sampled, bool) {
	switch f.Kind {
	case ir.ContentJSON:
		if f.Use == nil {
			return sampled{json: stringValue("sample")}, true
		}
		v := sample.Value(f.Use, sample.Both)
		return sampled{json: d.goValue(f.Use, v)}, v != nil
	case ir.ContentText:
		v := sample.Value(textUse(f.Content), sample.Both)
		return sampled{json: d.goValue(textUse(f.Content), v)}, v != nil && v.Kind != ir.NullValue
	case ir.ContentForm, ir.ContentMultipart:
		v := sample.Value(f.Use, sample.Both)
		if v == nil || v.Kind == ir.NullValue {
			return sampled{}, false
		}
		s := sampled{json: d.goValue(f.Use, v)}
		if f.heads != nil {
			s.heads = d.partHeaders(f, s.json)
		}
		return s, true
	case ir.ContentEvents, ir.ContentLines:
		items, ok := d.items(f.Content)
		if !ok {
			return sampled{}, false
		}
		return sampled{set: []jen.Code{place.Op("=").Add(items)}}, true
	}
	if !mediaRange(f.MediaType) {
		return sampled{set: []jen.Code{place.Op("=").Qual("strings", "NewReader").Call(jen.Lit(demoText))}}, true
	}
	// A body that is a file as a whole has no place for a name.
	file := jen.Qual(pkgMultipart, "FileBytes").Call(jen.Lit(""), jen.Index().Byte().Parens(jen.Lit(demoText)))
	return sampled{set: []jen.Code{
		place.Clone().Op("=").Add(file),
		place.Clone().Dot("ContentType").Op("=").Lit(concrete(f.MediaType)),
	}}, true
}

// encoded is a text, or each of several, as base64.
func encoded(v *ir.Value) *ir.Value {
	switch v.Kind {
	case ir.StringValue:
		return stringValue(base64.StdEncoding.EncodeToString([]byte(v.Text)))
	case ir.ArrayValue:
		out := &ir.Value{Kind: v.Kind}
		for _, item := range v.Items {
			out.Items = append(out.Items, encoded(item))
		}
		return out
	}
	return v
}

// items is a stream of two samples.
//
//	play.Items[api.Tick](`{"n":1}`, `{"n":1}`)
func (d *demo) items(c *ir.Content) (*jen.Statement, bool) {
	item := stringValue("sample")
	if c.Item != nil {
		v := sample.Value(c.Item, sample.Both)
		if v == nil {
			return nil, false
		}
		item = d.goValue(c.Item, v)
	}
	text := quoted(jsonText(item))
	return d.play("Items").Types(d.itemType(c)).Call(text, text.Clone()), true
}

// concrete is a media type within a range.
func concrete(mediaType string) string {
	switch {
	case mediaType == "*/*", mediaType == "application/*":
		return "application/octet-stream"
	case mediaType == "text/*":
		return "text/plain"
	case mediaType == "image/*":
		return "image/png"
	case mediaType == "audio/*":
		return "audio/mpeg"
	case mediaType == "video/*":
		return "video/mp4"
	case mediaRange(mediaType):
		return "application/octet-stream"
	}
	return mediaType
}
