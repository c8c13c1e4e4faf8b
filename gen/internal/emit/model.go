package emit

import (
	"bytes"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// The files of the model half.
const (
	fileTypes    = "types"
	fileJSON     = "json"
	fileValidate = "validate"
	fileShared   = "shared"
)

// models writes the declared types of the document: their declarations, their JSON
// and their constraints.
func (e *emitter) models() {
	for _, t := range e.api.Types {
		if e.names.Type(t) == "" {
			continue // written in place, or a type of the user's
		}
		e.declare(t)
	}
}

// declare writes one type.
func (e *emitter) declare(t *ir.Type) {
	switch {
	case e.facts.same[t] != nil:
		e.sameType(t)
	case !e.hasMethods(t):
		e.alias(t)
	case t.Kind == ir.KindStruct:
		e.structType(t)
	case t.Kind == ir.KindEnum:
		e.enumType(t)
	case t.Kind == ir.KindUnion:
		e.unionType(t)
	case t.Kind == ir.KindTuple:
		e.tupleType(t)
	default:
		e.listType(t)
	}
}

// hasMethods reports whether a type is a declaration of its own with methods, and
// not an alias: scalars, any, null and bytes have nothing to say for themselves.
func (e *emitter) hasMethods(t *ir.Type) bool {
	if t.GoType != nil || e.names.Type(t) == "" {
		return false
	}
	switch t.Kind {
	case ir.KindStruct, ir.KindEnum, ir.KindUnion, ir.KindTuple, ir.KindArray, ir.KindMap:
		return true
	}
	return false
}

// alias writes another name of a type that needs no methods.
//
//	type ID = string
func (e *emitter) alias(t *ir.Type) {
	name := e.names.Type(t)
	target := e.bareType(t)
	e.add(fileTypes, name, e.typeDoc(t), jen.Type().Id(name).Op("=").Add(target))
}

// sameType writes a type that equals another one. Constants of an enum keep the names
// that they have by their own type.
//
//	type PushRepository = RepositoryBody
func (e *emitter) sameType(t *ir.Type) {
	name := e.names.Type(t)
	code := jen.Type().Id(name).Op("=").Id(e.typeName(t))
	if docText(t.Doc) == "" && !t.Doc.Deprecated {
		e.addTight(fileTypes, name, code)
	} else {
		e.add(fileTypes, name, e.typeDoc(t), code)
	}
	if values := e.enumValues(t); len(values) > 0 {
		e.add(fileTypes, name, e.enumConsts(t, values))
	}
}

// typeName is the name of a declared type, or of the one that stands for it.
func (e *emitter) typeName(t *ir.Type) string { return e.names.Type(e.facts.canon(t)) }

// typeDoc is the doc comment of a declared type; more are paragraphs of ours. A type
// that the document says nothing about is told by its pointer, on one line however
// long that is.
func (e *emitter) typeDoc(t *ir.Type, more ...string) jen.Code {
	name := e.names.Type(t)
	pointer := name + " is the schema " + cleanLine(t.ID) + "."
	if docText(t.Doc) == "" && len(more) == 0 && !t.Doc.Deprecated && t.Doc.ExternalURL == "" {
		return doc(pointer)
	}
	return describe(name, t.Doc, pointer, more...)
}

// listType writes a named array or map.
//
//	type Nest []Nest
//
//	func (v *Nest) DecodeJSON(d *json.Decoder) { codecSliceNest.Decode(d, (*[]Nest)(v)) }
//	func (v *Nest) EncodeJSON(e *json.Encoder) { codecSliceNest.Encode(e, (*[]Nest)(v)) }
func (e *emitter) listType(t *ir.Type) {
	name := e.names.Type(t)
	bare := e.bareType(t)
	e.add(fileTypes, name, e.typeDoc(t), jen.Type().Id(name).Add(bare))
	inner := jen.Parens(jen.Op("*").Add(bare)).Parens(jen.Id("v"))
	c := e.bareCodec(t).expr()
	e.jsonMethods(t,
		[]jen.Code{c.Clone().Dot("Decode").Call(jen.Id("d"), inner)},
		[]jen.Code{c.Clone().Dot("Encode").Call(jen.Id("e"), inner)})
	e.listValidate(t)
}

// jsonMethods writes the methods that every declared type has.
//
//	func (v *T) DecodeJSON(d *json.Decoder) { … }
//
//	func (v *T) EncodeJSON(e *json.Encoder) { … }
//
//	func (v T) MarshalJSON() ([]byte, error)     { return json.Marshal(&v) }
//	func (v *T) UnmarshalJSON(b []byte) error    { return json.Unmarshal(b, v) }
func (e *emitter) jsonMethods(t *ir.Type, decode, encode []jen.Code) {
	name := e.names.Type(t)
	self := func(ptr string) *jen.Statement { return jen.Func().Params(jen.Id("v").Op(ptr).Id(name)) }
	e.add(fileJSON, name,
		compact(self("*").Id("DecodeJSON").Params(jen.Id("d").Op("*").Qual(pkgJSON, "Decoder")), decode),
		jen.Line(),
		compact(self("*").Id("EncodeJSON").Params(jen.Id("e").Op("*").Qual(pkgJSON, "Encoder")), encode),
		jen.Line(),
		short(self("").Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()),
			jen.Return(jen.Qual(pkgJSON, "Marshal").Call(jen.Op("&").Id("v")))),
		short(self("*").Id("UnmarshalJSON").Params(jen.Id("b").Index().Byte()).Error(),
			jen.Return(jen.Qual(pkgJSON, "Unmarshal").Call(jen.Id("b"), jen.Id("v")))),
	)
}

// short is a function whose one statement stands on the line of its head.
func short(head *jen.Statement, code ...jen.Code) *jen.Statement {
	return head.Custom(jen.Options{Open: "{ ", Close: " }", Separator: "; "}, code...)
}

// compact is a function; one statement that is no block stands on the line of its head.
func compact(head *jen.Statement, code []jen.Code) *jen.Statement {
	if len(code) == 1 {
		if s, ok := code[0].(*jen.Statement); ok && fitsLine(s) {
			return short(head, code...)
		}
	}
	return head.Block(code...)
}

// fitsLine reports whether a statement has one line of fewer than 90 bytes when it is
// formatted. Formatting takes many times as long as writing, and it only adds and removes
// spaces and line breaks: most statements are seen to fit, or not to, without.
func fitsLine(s *jen.Statement) bool {
	const most = 90
	f := jen.NewFile("")
	f.NoFormat = true
	f.Add(s)
	var b bytes.Buffer
	if f.Render(&b) == nil {
		_, raw := divide(b.String())
		raw = strings.Trim(raw, "\n")
		if len(raw)-strings.Count(raw, " ")-strings.Count(raw, "\n") >= most {
			return false
		}
		// A space may come behind each of these, and nowhere else.
		added := strings.Count(raw, ",") + strings.Count(raw, ":") + strings.Count(raw, ";")
		if len(raw)+added < most && !strings.ContainsAny(raw, "\n{") {
			return true
		}
	}
	text := s.GoString()
	return len(text) < most && !strings.Contains(text, "\n")
}

// doc is a comment of ours, which needs no cleaning.
func doc(text string) jen.Code { return jen.Comment("// " + text) }

// tag is the struct tag of a member, as far as encoding/json can carry its name. The
// generated methods do not need it: it tells readers and other tools.
func tag(name string, omit bool) *jen.Statement {
	if !taggable(name) {
		return jen.Null()
	}
	if omit {
		name += ",omitzero"
	}
	return jen.Tag(map[string]string{"json": name})
}

// taggable reports whether encoding/json takes a name from a struct tag as it is.
func taggable(name string) bool {
	if name == "" || name == "-" {
		return false // "-" means to leave the field out
	}
	for _, r := range name {
		if r < ' ' || r > '~' || strings.ContainsRune("\"'\\`,", r) {
			return false
		}
	}
	return true
}
