package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Dump writes the types of an API as text, one declaration after the other, in a form
// that stays the same from run to run: what tests compare.
//
//	Pet struct closed
//	  id int64 required readOnly [min 1]
//	  tags []string?
//	Shape union oneOf by kind
//	  Circle: Circle "circle" "ring" writes "circle"
//
// A ? after a type allows null. Names of more than one word are joined by dots.
func Dump(api *API) string {
	var b strings.Builder
	for _, t := range api.Types {
		b.WriteString(DumpType(t))
	}
	return b.String()
}

// DumpType writes one type as Dump does.
func DumpType(t *Type) string {
	var b strings.Builder
	d := dumper{b: &b}
	b.WriteString(typeLabel(t) + " ")
	d.body(t)
	for _, word := range typeFlags(t) {
		b.WriteString(" " + word)
	}
	b.WriteString(dumpChecks(t.Checks))
	if t.Default != nil {
		b.WriteString(" = " + DumpValue(t.Default))
	}
	if t.Doc.Description != "" {
		b.WriteString(" // " + strings.ReplaceAll(t.Doc.Description, "\n", " "))
	}
	b.WriteByte('\n')
	d.parts(t)
	return b.String()
}

// DumpUse writes one use of a type as Dump does.
func DumpUse(u *Use) string {
	var b strings.Builder
	d := dumper{b: &b}
	d.use(u)
	return b.String()
}

type dumper struct {
	b     *strings.Builder
	depth int
}

func typeLabel(t *Type) string {
	if t.GoName != "" {
		return t.GoName
	}
	return strings.Join(t.Name, ".")
}

func typeFlags(t *Type) []string {
	var out []string
	add := func(on bool, word string) {
		if on {
			out = append(out, word)
		}
	}
	add(t.Origin == Inline, "inline")
	add(t.Closed, "closed")
	add(t.Open, "open")
	add(t.Nullable, "nullable")
	add(t.ReadOnly, "readOnly")
	add(t.WriteOnly, "writeOnly")
	add(t.Doc.Deprecated, "deprecated")
	return out
}

// use writes a type where it is used: the name of a declared one, the form of others.
func (d *dumper) use(u *Use) {
	const most = 40
	if u == nil || u.Type == nil {
		d.b.WriteString("none")
		return
	}
	d.depth++
	defer func() { d.depth-- }()
	switch {
	case d.depth > most:
		d.b.WriteString("…")
	case u.Type.Declared:
		d.b.WriteString(typeLabel(u.Type))
	default:
		d.body(u.Type)
		d.b.WriteString(dumpChecks(u.Type.Checks))
	}
	if u.Nullable {
		d.b.WriteByte('?')
	}
	d.b.WriteString(dumpChecks(u.Checks))
}

func (d *dumper) body(t *Type) {
	b := d.b
	if t.GoType != nil {
		b.WriteString("go(" + strings.Trim(t.GoType.Import+"."+t.GoType.Name, ".") + ")")
		return
	}
	switch t.Kind {
	case KindScalar:
		b.WriteString(t.Scalar.String())
	case KindEnum:
		b.WriteString("enum " + t.Scalar.String())
	case KindArray:
		b.WriteString("[]")
		d.use(t.Elem)
	case KindMap:
		b.WriteString("map ")
		d.use(t.Elem)
	case KindAlias:
		b.WriteString("= ")
		d.use(t.Target)
	case KindUnion:
		b.WriteString("union " + t.Union.rule())
	case KindTuple, KindStruct, KindAny, KindNever, KindNull, KindBinary:
		b.WriteString(t.Kind.String())
	}
	if t.Const != nil && t.Kind != KindEnum {
		b.WriteString(" const " + DumpValue(t.Const))
	}
}

func (u *Union) rule() string {
	word := "oneOf"
	if u.AnyOf {
		word = "anyOf"
	}
	switch u.Dispatch {
	case ByDiscriminator:
		return word + " by " + u.Property
	case ByKind:
		return word + " by kind"
	default:
		return word + " by trial"
	}
}

// parts writes what a declaration holds, a line each.
func (d *dumper) parts(t *Type) {
	b := d.b
	for _, f := range t.Fields {
		d.field(f)
	}
	for _, u := range t.Tuple {
		d.line("", u)
	}
	if t.Kind == KindTuple && t.Elem != nil {
		d.line("... ", t.Elem)
	}
	if t.Extra != nil {
		d.line("extra ", t.Extra)
	}
	for _, p := range t.Patterns {
		d.line("/"+p.Pattern+"/ ", p.Use)
	}
	for _, v := range t.Enum {
		b.WriteString("  " + DumpValue(v.Value))
		if v.GoName != "" {
			b.WriteString(" as " + v.GoName)
		}
		if v.Doc != "" {
			b.WriteString(" // " + v.Doc)
		}
		b.WriteByte('\n')
	}
	if t.Union != nil {
		d.variants(t.Union)
	}
}

func (d *dumper) line(label string, u *Use) {
	d.b.WriteString("  " + label)
	d.use(u)
	d.b.WriteByte('\n')
}

func (d *dumper) variants(u *Union) {
	for _, v := range u.Variants {
		d.b.WriteString("  " + strings.Join(v.Name, ".") + ": ")
		d.use(v.Use)
		for _, k := range v.Keys {
			d.b.WriteString(" " + strconv.Quote(k))
		}
		if v.Write != "" {
			d.b.WriteString(" writes " + strconv.Quote(v.Write))
		}
		if v == u.Fallback {
			d.b.WriteString(" fallback")
		}
		d.b.WriteByte('\n')
	}
}

func (d *dumper) field(f *Field) {
	b := d.b
	b.WriteString("  " + f.Name + " ")
	d.use(f.Use)
	for _, flag := range []struct {
		on   bool
		word string
	}{
		{f.Required, "required"}, {f.ReadOnly, "readOnly"}, {f.WriteOnly, "writeOnly"}, {f.Secret, "secret"}, {f.Doc.Deprecated, "deprecated"},
		{f.GoName != "", "as " + f.GoName},
	} {
		if flag.on {
			b.WriteString(" " + flag.word)
		}
	}
	if f.Default != nil {
		b.WriteString(" = " + DumpValue(f.Default))
	}
	if f.Doc.Description != "" {
		b.WriteString(" // " + strings.ReplaceAll(f.Doc.Description, "\n", " "))
	}
	b.WriteByte('\n')
}

// dumpChecks writes constraints as " [min 1, max< 9]"; nothing when there are none.
func dumpChecks(c *Checks) string {
	if c == nil {
		return ""
	}
	var out []string
	bound := func(word, limit string, exclusive bool, sign string) {
		if limit == "" {
			return
		}
		if exclusive {
			word += sign
		}
		out = append(out, word+" "+limit)
	}
	size := func(word string, n *int64) {
		if n != nil {
			out = append(out, fmt.Sprintf("%s %d", word, *n))
		}
	}
	bound("min", c.Minimum, c.ExclusiveMinimum, ">")
	bound("max", c.Maximum, c.ExclusiveMaximum, "<")
	bound("multiple", c.MultipleOf, false, "")
	size("minLength", c.MinLength)
	size("maxLength", c.MaxLength)
	for _, p := range c.Pattern {
		out = append(out, "pattern "+p)
	}
	if c.Format != "" {
		out = append(out, "format "+c.Format)
	}
	size("minItems", c.MinItems)
	size("maxItems", c.MaxItems)
	if c.UniqueItems {
		out = append(out, "unique")
	}
	size("minProperties", c.MinProperties)
	size("maxProperties", c.MaxProperties)
	for _, r := range c.Rules {
		_, parts, _ := strings.Cut(r.Name, " ~ ")
		if r.Whole {
			parts = "whole"
		}
		out = append(out, "rule "+parts)
	}
	return " [" + strings.Join(out, ", ") + "]"
}

// DumpValue writes a value as JSON.
func DumpValue(v *Value) string {
	if v == nil {
		return "none"
	}
	switch v.Kind {
	case StringValue:
		return strconv.Quote(v.Text)
	case BoolValue, NumberValue:
		return v.Text
	case ArrayValue:
		items := make([]string, 0, len(v.Items))
		for _, item := range v.Items {
			items = append(items, DumpValue(item))
		}
		return "[" + strings.Join(items, ",") + "]"
	case ObjectValue:
		members := make([]string, 0, len(v.Members))
		for _, m := range v.Members {
			members = append(members, strconv.Quote(m.Name)+":"+DumpValue(m.Value))
		}
		return "{" + strings.Join(members, ",") + "}"
	default:
		return "null"
	}
}

var kindNames = []string{
	"any", "never", "null", "scalar", "array", "tuple", "map", "struct", "enum", "union", "alias", "binary",
}

// String returns the kind in one word.
func (k Kind) String() string { return nameOf(kindNames, int(k)) }

var scalarNames = []string{
	"string", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bigint",
	"float32", "float64", "decimal", "bytes", "datetime", "date", "time", "duration", "uuid", "ipv4", "ipv6", "ip",
}

// String returns the scalar in one word.
func (s Scalar) String() string { return nameOf(scalarNames, int(s)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return strconv.Itoa(i)
}

// FindType returns the declared type whose name is the words joined by dots, or whose
// Go name it is; nil when there is none.
func FindType(api *API, name string) *Type {
	i := slices.IndexFunc(api.Types, func(t *Type) bool { return typeLabel(t) == name })
	if i < 0 {
		return nil
	}
	return api.Types[i]
}
