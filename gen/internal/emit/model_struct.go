package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// member is a field of a struct with all that its emitters ask for.
type member struct {
	*ir.Field
	place
	goName string
}

// self is the field as an expression in a method.
func (m member) self() *jen.Statement { return jen.Id("v").Dot(m.goName) }

// members are the fields of an object that have a Go field: all but those whose
// schema admits no value.
func (e *emitter) members(t *ir.Type) []member {
	out := make([]member, 0, len(t.Fields))
	for _, f := range t.Fields {
		if isNever(f.Use) {
			continue
		}
		out = append(out, member{Field: f, goName: e.names.Field(t, f), place: place{
			use: f.Use, required: f.Required,
			recursive: e.facts.recursive(t, f.Use.Type),
			file:      e.facts.files[t][f],
		}})
	}
	return out
}

func isNever(u *ir.Use) bool { return resolve(u.Type).Kind == ir.KindNever && u.Type.GoType == nil }

// structType writes an object with known members.
//
//	type Order struct {
//		ID   string            `json:"id"`
//		Note value.Opt[string] `json:"note,omitzero"`
//	}
func (e *emitter) structType(t *ir.Type) {
	name := e.names.Type(t)
	members := e.members(t)
	var fields []jen.Code
	for _, m := range members {
		if text := e.fieldDoc(m); text != nil {
			fields = append(fields, text)
		}
		fields = append(fields, jen.Id(m.goName).Add(e.placeType(m.place)).Add(tag(m.Name, !m.required)))
	}
	if x := e.extraType(t); x != nil {
		fields = append(fields,
			doc(e.names.Extra(t)+" holds the members that have no field of their own."),
			jen.Id(e.names.Extra(t)).Map(jen.String()).Add(x).Tag(map[string]string{"json": "-"}))
	}
	e.add(fileTypes, name, e.typeDoc(t), jen.Type().Id(name).Struct(fields...))
	e.jsonMethods(t, e.holds(t, e.structDecode(t, members)), e.structEncode(t, members))
	e.structValidate(t, members)
}

// fieldDoc is the comment above a field; nil when there is nothing to say.
func (e *emitter) fieldDoc(m member) jen.Code {
	var notes []string
	switch {
	case m.ReadOnly:
		notes = append(notes, "Read-only: not sent in requests.")
	case m.WriteOnly:
		notes = append(notes, "Write-only: not sent in responses.")
	}
	if m.Secret {
		notes = append(notes, "Secret: do not log it.")
	}
	if m.Default != nil && !m.required {
		notes = append(notes, "Default: "+jsonText(m.Default))
	}
	paragraphs := []string{docText(m.Field.Doc) + "\n" + strings.Join(notes, " ")}
	if m.Field.Doc.Deprecated {
		paragraphs = append(paragraphs, deprecated)
	}
	text := commentText(paragraphs...)
	if text == "" {
		return nil
	}
	return jen.Comment(text)
}

// extraType is the element of the map that keeps the members without a field; nil
// when the type keeps none.
func (e *emitter) extraType(t *ir.Type) *jen.Statement {
	if t.Extra == nil {
		return nil
	}
	return e.elemType(t.Extra)
}

// structDecode is the body of DecodeJSON.
//
//	for d.Members(&membersOrder); d.NextKey(); {
//		switch d.Key() {
//		case "id":
//			v.ID = d.String()
//		case "note":
//			json.DecodeOpt(d, &v.Note, json.String)
//		}
//	}
//	if d.Defaults() {
//		v.Note.Default("none")
//	}
func (e *emitter) structDecode(t *ir.Type, members []member) []jen.Code {
	var cases, defaults []jen.Code
	for _, m := range members {
		cases = append(cases, jen.Case(jen.Lit(m.Name)).Block(e.memberDecode(m)...))
		if def := e.fillDefault(m.self(), m.place, m.Default); def != nil {
			defaults = append(defaults, def)
		}
	}
	for _, f := range t.Fields {
		if isNever(f.Use) {
			cases = append(cases, jen.Case(jen.Lit(f.Name)).Block(jen.Id("d").Dot("Never").Call()))
		}
	}
	loop := e.unknown(t)
	if len(cases) > 0 {
		if loop != nil {
			cases = append(cases, jen.Default().Block(loop...))
		}
		loop = []jen.Code{jen.Switch(jen.Id("d").Dot("Key").Call()).Block(cases...)}
	}
	open := jen.Id("d").Dot("Object").Call()
	if table := memberTable(t); table != nil {
		name := names.Private("members", e.names.Type(t))
		e.add(fileJSON, e.names.Type(t), jen.Var().Id(name).Op("=").Add(table), jen.Line())
		open = jen.Id("d").Dot("Members").Call(jen.Op("&").Id(name))
	}
	code := []jen.Code{jen.For(open, jen.Id("d").Dot("NextKey").Call(), jen.Empty()).Block(loop...)}
	if defaults != nil {
		code = append(code, jen.If(jen.Id("d").Dot("Defaults").Call()).Block(defaults...))
	}
	return code
}

func (e *emitter) memberDecode(m member) []jen.Code {
	code := []jen.Code{e.decode(m.self(), m.place)}
	if m.ReadOnly {
		skip := jen.If(jen.Id("d").Dot("IgnoreReadOnly").Call()).Block(jen.Continue())
		code = append([]jen.Code{skip}, code...)
	}
	return code
}

// maxMembers is how many members one table names.
const maxMembers = 64

// memberTable is the table of the members of an object; nil for none.
//
//	json.Members{Names: []string{"id", "amount", "note"}, Required: 0x3, ReadOnly: 0x1}
func memberTable(t *ir.Type) *jen.Statement {
	fields := t.Fields
	var table *jen.Statement
	for len(fields) > 0 {
		// From the end, since each table holds the next one.
		start := (len(fields) - 1) / maxMembers * maxMembers
		table = memberPart(fields[start:], table)
		fields = fields[:start]
	}
	return table
}

func memberPart(fields []*ir.Field, more *jen.Statement) *jen.Statement {
	list := make([]jen.Code, len(fields))
	var required, readOnly, writeOnly uint64
	for i, f := range fields {
		list[i] = jen.Lit(f.Name)
		if f.Required {
			required |= 1 << i
		}
		if f.ReadOnly {
			readOnly |= 1 << i
		}
		if f.WriteOnly {
			writeOnly |= 1 << i
		}
	}
	pairs := []pair{{"Names", jen.Index().String().Values(list...)}}
	for _, set := range []struct {
		name string
		bits uint64
	}{{"Required", required}, {"ReadOnly", readOnly & required}, {"WriteOnly", writeOnly & required}} {
		if set.bits != 0 {
			pairs = append(pairs, pair{set.name, bits(set.bits)})
		}
	}
	if more != nil {
		pairs = append(pairs, pair{"More", jen.Op("&").Add(more)})
	}
	return ordered(jen.Qual(pkgJSON, "Members"), pairs...)
}

func bits(set uint64) *jen.Statement { return number("0x" + strconv.FormatUint(set, 16)) }

// unknown is what happens to a member that has no field; nil where it is passed over,
// as the decoder does by itself.
//
//	json.DecodeExtra(d, &v.Extra, json.String)
func (e *emitter) unknown(t *ir.Type) []jen.Code {
	d := jen.Id("d")
	switch {
	case t.Extra != nil && len(t.Patterns) > 0:
		return []jen.Code{jen.Qual(pkgJSON, "DecodeMatching").Call(d, jen.Op("&").Id("v").Dot(e.names.Extra(t)),
			e.codec(t.Extra), jen.Lit(t.Closed), e.keyPatterns(t).expr())}
	case t.Extra != nil:
		return []jen.Code{jen.Qual(pkgJSON, "DecodeExtra").Call(d, jen.Op("&").Id("v").Dot(e.names.Extra(t)), e.codec(t.Extra))}
	case t.Closed:
		return []jen.Code{d.Dot("Reject").Call()}
	}
	return nil
}

// keyPatterns is the shared list of an object's patternProperties.
//
//	[]json.KeyPattern{json.Matching(check.Regexp("^x-"), json.String)}
func (e *emitter) keyPatterns(t *ir.Type) *codec {
	keys, words := []string{"Keys"}, []string{"Keys"}
	for _, p := range t.Patterns {
		c := e.elemCodec(p.Use)
		keys = append(keys, p.Pattern, c.key)
		words = append(words, c.words)
	}
	return &codec{e: e, key: strings.Join(keys, "\x00"), words: strings.Join(words, ""), shared: true, code: func() *jen.Statement {
		return jen.Index().Qual(pkgJSON, "KeyPattern").ValuesFunc(func(g *jen.Group) {
			for _, p := range t.Patterns {
				g.Qual(pkgJSON, "Matching").Call(jen.Qual(pkgCheck, "Regexp").Call(jen.Lit(p.Pattern)), e.codec(p.Use))
			}
		})
	}}
}

// structEncode is the body of EncodeJSON.
//
//	e.BeginObject()
//	e.Key("id").String(v.ID)
//	json.OptField(e, "note", &v.Note, json.String)
//	e.EndObject()
func (e *emitter) structEncode(t *ir.Type, members []member) []jen.Code {
	body := []jen.Code{jen.Id("e").Dot("BeginObject").Call()}
	for _, m := range members {
		code := e.encodeMember(m.Name, m.self(), m.place)
		if key, ok := e.facts.tag(t, m.Field); ok {
			code = e.encodeTag(m, key, code)
		}
		for _, limit := range []struct {
			on   bool
			name string
		}{{m.ReadOnly, "ReadOnly"}, {m.WriteOnly, "WriteOnly"}} {
			if limit.on {
				code = jen.If(jen.Id("e").Dot("Direction").Call().Dot(limit.name).Call()).Block(code)
			}
		}
		body = append(body, code)
	}
	if t.Extra != nil {
		own := make([]jen.Code, len(t.Fields))
		for i, f := range t.Fields {
			own[i] = jen.Lit(f.Name)
		}
		body = append(body, jen.Qual(pkgJSON, "ExtraFields").Call(
			jen.Id("e"), jen.Id("v").Dot(e.names.Extra(t)), e.codec(t.Extra), jen.Index().String().Values(own...)))
	}
	return append(body, jen.Id("e").Dot("EndObject").Call())
}

// encodeTag writes the discriminator of a variant that has one key: the key stands in
// where the field is not set.
//
//	e.Key("kind").String(cmp.Or(v.Kind, "Kite"))
func (e *emitter) encodeTag(m member, key string, code *jen.Statement) *jen.Statement {
	out := jen.Id("e").Dot("Key").Call(jen.Lit(m.Name)).Dot("String")
	self := m.self()
	_, isText := e.simple(m.use.Type)
	switch m.wrap() {
	case opt:
		self = self.Dot("Or").Call(jen.Lit(key))
		if isText {
			return out.Call(self)
		}
		return out.Call(jen.String().Parens(self))
	case plain:
		if !isText {
			self = jen.String().Parens(self)
		}
		return out.Call(jen.Qual("cmp", "Or").Call(self, jen.Lit(key)))
	}
	return code
}
