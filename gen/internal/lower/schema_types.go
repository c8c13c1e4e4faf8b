package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// typeSet is a set of the types of JSON Schema.
type typeSet uint8

const (
	tNull typeSet = 1 << iota
	tBoolean
	tInteger
	tNumber
	tString
	tArray
	tObject

	tValues = tBoolean | tNumber | tInteger | tString | tArray | tObject // all but null
)

var typeNames = []struct {
	name string
	bit  typeSet
}{
	{"null", tNull}, {"boolean", tBoolean}, {"integer", tInteger}, {"number", tNumber},
	{"string", tString}, {"array", tArray}, {"object", tObject},
}

// String lists the types: "string or integer".
func (t typeSet) String() string {
	var names []string
	for _, n := range typeNames {
		if t&n.bit != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, " or ")
}

// article is String with an indefinite article.
func (t typeSet) article() string {
	s := t.String()
	if t&(tNull|tBoolean) == 0 && t&(tInteger|tArray|tObject) != 0 && (t&tInteger != 0 || t&(tNumber|tString) == 0) {
		return "an " + s
	}
	return "a " + s
}

// count is the number of JSON kinds; an integer is a number.
func (t typeSet) count() int {
	n := 0
	for _, bit := range []typeSet{tNull, tBoolean, tNumber | tInteger, tString, tArray, tObject} {
		if t&bit != 0 {
			n++
		}
	}
	return n
}

// within reports whether every value of t is one of u.
func (t typeSet) within(u typeSet) bool {
	if u&tNumber != 0 {
		u |= tInteger
	}
	return t&^u == 0
}

// and is what both sets allow: an integer is a number.
func (t typeSet) and(u typeSet) typeSet {
	both := t & u
	if (t&tInteger != 0 && u&tNumber != 0) || (t&tNumber != 0 && u&tInteger != 0) {
		both |= tInteger
	}
	return both
}

// typeWord is what a word stands for where a type is due.
type typeWord struct {
	types  typeSet
	format string
}

// otherTypes are words of programming languages and databases that published
// documents use for types.
var otherTypes = map[string]typeWord{
	"any": {}, "mixed": {}, "": {},
	"int": {tInteger, ""}, "int32": {tInteger, "int32"}, "int64": {tInteger, "int64"}, "long": {tInteger, "int64"},
	"float": {tNumber, "float"}, "double": {tNumber, "double"}, "decimal": {tNumber, "decimal"},
	"bool": {tBoolean, ""}, "str": {tString, ""}, "text": {tString, ""},
	"date": {tString, "date"}, "datetime": {tString, "date-time"}, "date-time": {tString, "date-time"},
	"timestamp": {tString, "date-time"}, "uuid": {tString, "uuid"}, "file": {tString, "binary"},
	"binary": {tString, "binary"}, "byte": {tString, "byte"}, "enum": {tString, ""}, "password": {tString, "password"},
	"list": {tArray, ""}, "map": {tObject, ""}, "dict": {tObject, ""}, "json": {tObject, ""},
}

func typeNamed(name string) (typeSet, bool) {
	for _, n := range typeNames {
		if n.name == name {
			return n.bit, true
		}
	}
	return 0, false
}

func (p *schemaReader) readType(m load.Member) {
	switch m.Value.Kind {
	case load.String:
		p.typeWord(m, m.Value)
	case load.Array:
		p.typeList(m)
	case load.Null:
		if p.l.doc.Version >= load.V31 {
			p.repair(m.Value, "wrong-type", "type must be a string or a list, got null: taken as \"null\"")
			p.kw.types |= tNull
			return
		}
		p.repair(m.Value, "wrong-type", "type must be a string, got null: taken as absent")
	default:
		p.repair(m.Value, "wrong-type", "type must be a string, got a %s: taken as absent", m.Value.KindName())
	}
}

// typeList reads the list form of 3.1. 3.0 has no such form and no type "null".
func (p *schemaReader) typeList(m load.Member) {
	if p.l.doc.Version < load.V31 {
		p.l.list.Error(m.Pos(), "types-in-30", m.Value.Pointer(),
			"%s: a list of types needs OpenAPI 3.1", p.what()).
			Hintf("use nullable: true for null, oneOf for several types")
	}
	for _, item := range m.Value.Items {
		if item.Kind == load.Null {
			p.repair(item, "wrong-type", "a type must be a string, got null: taken as \"null\"")
			p.kw.types |= tNull
			continue
		}
		if item.Kind != load.String {
			p.repair(item, "wrong-type", "a type must be a string, got a %s: ignored", item.KindName())
			continue
		}
		p.typeWord(m, item)
	}
}

func (p *schemaReader) typeWord(m load.Member, n *load.Node) {
	if bit, ok := typeNamed(n.Text); ok {
		if bit == tNull && p.l.doc.Version < load.V31 && m.Value.Kind == load.String {
			p.l.list.Error(m.Pos(), "types-in-30", m.Value.Pointer(),
				`%s: type "null" needs OpenAPI 3.1`, p.what()).
				Hintf("use nullable: true")
		}
		p.kw.types |= bit
		return
	}
	word := strings.ToLower(strings.TrimSpace(n.Text))
	if bit, ok := typeNamed(word); ok {
		p.repair(n, "unknown-type", "unknown type %q: taken as %s", clip(n.Text), bit)
		p.kw.types |= bit
		return
	}
	if other, ok := otherTypes[word]; ok {
		if other.types == 0 {
			p.repair(n, "unknown-type", "unknown type %q: any value is taken", clip(n.Text))
			return
		}
		p.repair(n, "unknown-type", "unknown type %q: taken as %s", clip(n.Text), other.describe())
		p.kw.types |= other.types
		if p.kw.format == "" {
			p.kw.format = other.format
		}
		return
	}
	var names []string
	for _, t := range typeNames {
		names = append(names, t.name)
	}
	if near, ok := diag.Nearest(word, names); ok {
		bit, _ := typeNamed(near)
		p.repair(n, "unknown-type", "unknown type %q: taken as %s", clip(n.Text), near)
		p.kw.types |= bit
		return
	}
	p.repair(n, "unknown-type", "unknown type %q: any value is taken", clip(n.Text))
}

func (w typeWord) describe() string {
	if w.format == "" {
		return w.types.String()
	}
	return w.types.String() + " of format " + w.format
}

func (p *schemaReader) readFormat(m load.Member) {
	if s, ok := p.text(m); ok {
		p.kw.format = s
	}
}

// readNullable reads nullable, a keyword of 3.0. In later documents it is left from
// an earlier version more often than it is meant as an annotation.
func (p *schemaReader) readNullable(m load.Member) {
	if p.l.doc.Version >= load.V31 {
		p.l.list.Repair(m.Pos(), "earlier-keyword", m.Value.Pointer(),
			"%s: nullable ended with OpenAPI 3.0: taken as there", p.what()).
			Hintf(`add "null" to the list of types`)
	}
	p.kw.nullable = p.flag(m)
}

// finishTypes runs when all keywords are read: a type that the list repeats, an
// integer beside a number.
func (p *schemaReader) finishTypes() {
	if p.kw.types&tNumber != 0 {
		p.kw.types &^= tInteger
	}
	if p.kw.types&^tNull == tValues&^tInteger {
		// All types: the same as none, but null may be missing.
		p.kw.nullable = p.kw.nullable || p.kw.types&tNull != 0
		p.kw.types = 0
	}
}

// jsonType is the type of a value of the document.
func jsonType(n *load.Node) typeSet {
	switch n.Kind {
	case load.Bool:
		return tBoolean
	case load.Number:
		if integral(n.Text) {
			return tInteger
		}
		return tNumber
	case load.String:
		return tString
	case load.Array:
		return tArray
	case load.Object:
		return tObject
	default:
		return tNull
	}
}
