package names

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// methods are the names of methods that generated types have; a field cannot share
// one. The list is the same for each type, so that a constraint added to a schema
// renames no field.
var methods = []string{
	"DecodeJSON", "EncodeJSON", "MarshalJSON", "UnmarshalJSON", "Validate",
}

// ours are the exported names of a generated package that a schema cannot have.
var ours = map[string]string{"Client": "ClientModel", "Service": "ServiceModel"}

// supports are the other names that a package may offer, with what each is called
// when the document uses the name itself.
var supports = [][]string{
	{"API", "ClientAPI"},
	{"New", "NewClient"},
	{"NewHandler", "NewServiceHandler"},
	{"Unimplemented", "UnimplementedService"},
	{"Server", "ServerURL"},
	{"WebhookService", "WebhookReceiver"},
	{"NewWebhookHandler", "NewWebhookServiceHandler"},
	{"UnimplementedWebhooks", "UnimplementedWebhookService"},
	{"WebhookClient", "WebhookSender"},
	{"NewWebhookClient", "NewWebhookSender"},
	{"WebhookAPI", "WebhookClientAPI"},
	{"CallbackService", "CallbackReceiver"},
	{"NewCallbackHandler", "NewCallbackServiceHandler"},
	{"UnimplementedCallbacks", "UnimplementedCallbackService"},
	{"CallbackClient", "CallbackSender"},
	{"NewCallbackClient", "NewCallbackSender"},
	{"CallbackAPI", "CallbackClientAPI"},
}

func (t *Table) nameSupport() {
	t.support["Client"], t.support["Service"] = "Client", "Service"
	var layer []*claim
	for _, forms := range supports {
		layer = append(layer, &claim{
			key: forms[0], word: forms[0], forms: forms,
			give: func(name string) { t.support[forms[0]] = name },
		})
	}
	t.pkg.settle(layer)
}

// nameTypes gives the declared types their names: components first, those with an
// x-go-name before the others, then inline types in the same way.
func (t *Table) nameTypes(api *ir.API) {
	renamed := map[string]string{} // ID of a component with x-go-name -> that name
	for _, ty := range api.Types {
		if g := ty.GoType; g != nil && g.Import == "" && !strings.Contains(g.Name, ".") {
			t.pkg.reserve(g.Name)
		}
		if ty.Origin == ir.Component && ty.GoName != "" {
			renamed[ty.ID] = ty.GoName
		}
	}
	var layers [4][]*claim
	for _, ty := range api.Types {
		if !ty.Declared || ty.GoType != nil {
			continue
		}
		c := t.typeClaim(ty, renamed)
		layer := 0
		if ty.Origin != ir.Component {
			layer = 2
		}
		if !c.explicit {
			layer++
		}
		layers[layer] = append(layers[layer], c)
	}
	for _, layer := range layers {
		t.pkg.settle(layer)
	}
}

func (t *Table) typeClaim(ty *ir.Type, renamed map[string]string) *claim {
	c := &claim{
		key: ty.ID, word: strings.Join(ty.Name, " "), pos: ty.Pos,
		explicit: ty.GoName != "", away: !strings.HasPrefix(ty.ID, "#"),
		give: func(name string) { t.types[ty] = name },
	}
	name := Exported(ty.Name...)
	switch {
	case ty.GoName != "":
		name = ty.GoName
	case ty.Origin != ir.Component:
		name = exported("X", append([]string{place(ty, renamed)}, rest(ty.Name)...))
	}
	if model, ok := ours[name]; ok && !c.explicit {
		name = model
	}
	c.forms = []string{name}
	switch {
	case c.explicit:
	case ty.Origin != ir.Component:
		c.forms = append(c.forms, name+"Inline")
	case c.away:
		c.forms = append(c.forms, Exported(fileStem(ty.ID))+name)
	default:
		if s := Spelled(c.word); s != name && ours[s] == "" {
			c.forms = append(c.forms, s)
		}
	}
	return c
}

// place is the first word of an inline type's name: the component that it is written
// in, as that one is called in Go.
func place(ty *ir.Type, renamed map[string]string) string {
	for i := len(ty.ID); i > 0; i = strings.LastIndexByte(ty.ID[:i], '/') {
		if name, ok := renamed[ty.ID[:i]]; ok {
			return name
		}
	}
	if len(ty.Name) == 0 {
		return ""
	}
	return ty.Name[0]
}

func rest(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return words[1:]
}

// fileStem is the name of the file in an ID, without folders and endings.
func fileStem(id string) string {
	file, _, _ := strings.Cut(id, "#")
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	stem, _, _ := strings.Cut(file, ".")
	return stem
}

// nameMembers names what stands inside one type.
func (t *Table) nameMembers(ty *ir.Type) {
	s := newScope(&t.conflicts)
	s.reserve(methods...)
	var explicit, layer []*claim
	for _, f := range ty.Fields {
		c := member(f.Name, f.GoName)
		c.pos = f.Pos
		c.give = func(name string) { t.fields[fieldKey{ty, f}] = name }
		if c.explicit {
			explicit = append(explicit, c)
		} else {
			layer = append(layer, c)
		}
	}
	if u := ty.Union; u != nil {
		for _, v := range u.Variants {
			c := variantClaim(v)
			c.give = func(name string) { t.variants[variantKey{ty, v}] = name }
			layer = append(layer, c)
		}
	}
	s.settle(explicit)
	s.settle(layer)
	if ty.Kind == ir.KindStruct {
		s.settle([]*claim{{
			key: "extra", word: "Extra", forms: []string{"Extra", "ExtraMembers"},
			give: func(name string) { t.extras[ty] = name },
		}})
	}
}

// member is the claim of a named part of a struct.
func member(wire, goName string) *claim {
	if goName != "" {
		return &claim{key: wire, word: goName, forms: []string{goName, goName + "Field"}, explicit: true}
	}
	name := Exported(wire)
	c := &claim{key: wire, word: wire, forms: []string{name}}
	if s := Spelled(wire); s != name {
		c.forms = append(c.forms, s)
	}
	c.forms = append(c.forms, name+"Field")
	return c
}

// variantClaim is the claim of a union's variant. A component renamed by x-go-name
// gives the variant its new name.
func variantClaim(v *ir.Variant) *claim {
	word := strings.Join(v.Name, " ")
	name := Exported(v.Name...)
	key := word
	if v.Use != nil && v.Use.Type != nil {
		key += "\x00" + v.Use.Type.ID
		if v.Use.Type.GoName != "" && v.Use.Type.Origin == ir.Component {
			name = v.Use.Type.GoName
		}
	}
	c := &claim{key: key, word: word, forms: []string{name}}
	if s := Spelled(word); s != name {
		c.forms = append(c.forms, s)
	}
	c.forms = append(c.forms, name+"Variant")
	return c
}
