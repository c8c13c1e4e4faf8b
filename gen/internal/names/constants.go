package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// nameConstants names the values of enums and the security schemes. The type's own
// name stands in front of each, so no enum can rename the constants of another.
func (t *Table) nameConstants(api *ir.API) {
	var layer []*claim
	for _, ty := range api.Types {
		if ty.Kind != ir.KindEnum || t.types[ty] == "" {
			continue
		}
		for _, v := range ty.Enum {
			if v.Value == nil || v.Value.Kind == ir.NullValue {
				continue
			}
			c := constClaim(t.types[ty], ty, v)
			c.give = func(name string) { t.consts[constKey{ty, v}] = name }
			layer = append(layer, c)
		}
	}
	for _, s := range api.Schemes {
		c := &claim{
			key: "scheme\x00" + s.Name, word: s.Name, pos: s.Pos,
			forms: []string{"Scheme" + camelOr(s.Name, "Empty"), "Scheme" + spelled(s.Name)},
			give:  func(name string) { t.schemes[s] = name },
		}
		if s.GoName != "" {
			c.forms = []string{"Scheme" + s.GoName}
		}
		layer = append(layer, c)
	}
	t.pkg.settle(layer)
}

func constClaim(owner string, ty *ir.Type, v *ir.EnumValue) *claim {
	text := v.Value.Text
	c := &claim{key: ty.ID + "\x00" + kindWord(v.Value.Kind) + text, word: owner + text, pos: v.Pos}
	if v.GoName != "" {
		name := owner + overlap(owner, v.GoName)
		c.forms = []string{name, name + "Value"}
		return c
	}
	name := number(owner, camelOr(text, "Empty"))
	c.forms = []string{name}
	c.forms = append(c.forms, name+"Value")
	if s := number(owner, spelled(text)); s != name {
		c.forms = append(c.forms, s)
	}
	return c
}

// number joins a type's name with a constant's word, keeping two numbers apart.
func number(owner, word string) string {
	var b strings.Builder
	b.WriteString(owner)
	join(&b, word)
	return b.String()
}

func camelOr(key, empty string) string {
	if s := camel(key); s != "" {
		return s
	}
	return empty
}

func kindWord(k ir.ValueKind) string {
	switch k {
	case ir.StringValue:
		return "string "
	case ir.NumberValue:
		return "number "
	default:
		return "literal "
	}
}

// overlap cuts from the front of a name given by hand what the type's name ends in
// already: KindAlpha of the type APIHandlerKind is APIHandlerKindAlpha. Cuts are made
// where a word begins, and something of the name always stays.
func overlap(owner, name string) string {
	for n := min(len(owner), len(name)-1); n > 0; n-- {
		if !strings.HasSuffix(owner, name[:n]) || !utf8.RuneStart(name[n]) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(name[n:])
		first, _ := utf8.DecodeRuneInString(name)
		if unicode.IsUpper(first) && (unicode.IsUpper(next) || unicode.IsDigit(next)) {
			return name[n:]
		}
	}
	return name
}
