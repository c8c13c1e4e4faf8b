package resilience

import (
	"fmt"
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
)

// The schemas of primitives, policies and the root.

const schemaID = "https://github.com/holdfast-go/holdfast/spec-extensions/"

// languageSchema is that of the extension: a root object by itself, and what stands
// elsewhere under $defs.
func languageSchema(words *glossary) schema {
	g := &generator{glossary: words}
	root := g.root()
	g.level()
	return append(schema{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", schemaID + "x-resilience.schema.json"},
		{"$comment", writtenBy},
		{"title", "x-resilience 1"},
	}, append(root, entry{"$defs", g.defs})...)
}

// everyNote is what may stand in any object, as the start of its properties.
func everyNote() schema { return schema{{"description", note()}} }

func closed(properties schema) schema {
	return schema{
		{"type", "object"}, {"properties", properties}, {"patternProperties", schema{{skippedKey, true}}}, {"additionalProperties", false},
	}
}

// byName is a mapping of names of the user's.
func byName(value schema) schema {
	return schema{
		{"type", "object"}, {"properties", everyNote()}, {"patternProperties", schema{{skippedKey, true}}},
		{"propertyNames", anyOf(ref("name"), schema{{"pattern", skippedKey + "|^description$"}})}, {"additionalProperties", value},
	}
}

// says is a schema with what is said about a field.
func (g *generator) says(part, name string, s schema) schema {
	f := g.field(part, name)
	words := f.About
	if f.Default != "" && f.Default != "none" && f.Default != "required" {
		words += " Default: " + f.Default + "."
	}
	if part == "root" && slices.Contains([]string{"sagas", "aggregates", "edge"}, name) && pendingRoot(name) {
		words += " " + notBuilt
	}
	return dedupe(append(schema{{"description", words}}, s...))
}

// root is the schema of the object at the root of a document.
func (g *generator) root() schema {
	g.texts()
	shapes := map[string]schema{
		"version":    {{"const", 1}},
		"dependency": g.shape(dependencyName, "root", "dependency"),
		"external":   g.shape(flag{}, "root", "external"),
		"replicas":   g.shape(integer{1, manyCalls}, "root", "replicas"),
		"defaults":   ref("rootLevel"),
		"policies":   byName(ref("rootLevel")),
		"presets":    g.rootPresets(),
		"sources":    g.sources(),
		"servers":    g.servers(),
		"apply":      {{"type", "array"}, {"items", g.rule()}},
		"profiles":   byName(g.profile()),
		"sagas":      g.shape(mapping{entryName, sagaObject}, "root", "sagas"),
		"aggregates": g.shape(mapping{entryName, aggregateObject}, "root", "aggregates"),
		"edge":       anyOf(g.shape(edgeObject, "root", "edge"), schema{{"enum", []any{false, nil}}}),
	}
	properties := everyNote()
	for _, name := range rootKeys {
		if shapes[name] == nil {
			panic("a key of the root without a schema: " + name)
		}
		properties = properties.with(name, g.says("root", name, shapes[name]))
	}
	return append(schema{{"description", g.about("root")}}, closed(properties).with("required", []string{"version"})...)
}

func (g *generator) rootPresets() schema {
	properties := everyNote()
	for _, p := range primitives {
		if !p.presets {
			continue
		}
		value := g.settingsOf(p)
		if p.name == "timeout" {
			value = anyOf(value, ref("duration"))
		}
		properties = properties.with(p.name, append(schema{{"description", "Presets of " + p.name + " by name."}}, byName(value)...))
	}
	return closed(properties)
}

// settingsOf is a primitive's object alone, as presets have it.
func (g *generator) settingsOf(p *primitive) schema {
	return schema{{"allOf", []schema{ref(p.name), {{"type", "object"}}}}}
}

func (g *generator) sources() schema {
	off := schema{{"const", false}}
	return byName(schema{}).
		replaced("propertyNames", anyOf(schema{{"pattern", `^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`}}, schema{{"pattern", skippedKey + "|^description$"}})).
		replaced("additionalProperties", anyOf(schema{{"type", "string"}, {"pattern", line}}, off))
}

func (g *generator) servers() schema {
	return byName(schema{}).
		replaced("propertyNames", schema{{"pattern", line}}).
		replaced("additionalProperties", anyOf(g.shape(serverObject, "server", ""), schema{{"const", false}}))
}

func (s schema) replaced(key string, value any) schema {
	out := slices.Clone(s)
	for i := range out {
		if out[i].key == key {
			out[i].value = value
		}
	}
	return out
}

func (g *generator) rule() schema {
	texts := g.shape(list{item: selectorText, some: true, single: true}, "", "")
	properties := everyNote()
	var some []schema
	for _, name := range selectorKeys {
		s := texts
		if name == "where" {
			s = schema{{"type", "object"}, {"minProperties", 1}}
		}
		properties = properties.with(name, g.says("selector", name, s))
		some = append(some, required(name))
	}
	g.def("selector", append(schema{{"title", "Selector"}, {"description", g.about("selector")}}, closed(properties).with("anyOf", some)...))
	g.def("rule", append(schema{{"title", "Rule"}, {"description", g.about("rule")}}, closed(everyNote().
		with("to", g.says("rule", "to", ref("selector"))).with("policy", g.says("rule", "policy", ref("level")))).
		with("required", []string{"to", "policy"})...))
	return ref("rule")
}

func (g *generator) profile() schema {
	g.def("profile", append(schema{{"title", "Profile"}, {"description", g.about("profile")}}, closed(everyNote().
		with("all", g.says("profile", "all", ref("rootLevel"))).
		with("operations", g.says("profile", "operations", schema{{"type", "object"}, {"additionalProperties", ref("level")}})))...))
	return ref("profile")
}

// level defines what stands in path items, tags and operations, and what stands at
// the root, where load shedding may be turned on as well.
func (g *generator) level() {
	for _, wide := range []bool{false, true} {
		g.def(name("level", wide), append(schema{{"title", "Level"}, {"description", g.about("level")}}, g.orName(g.policy(wide, false))...))
		g.def(name("variant", wide), append(schema{{"title", "Variant"}, {"description", g.about("variant")}},
			anyOf(g.policy(wide, true), schema{{"const", false}})...))
		for _, side := range []string{"client", "server"} {
			g.def(name(side, wide)+"Side", append(schema{{"title", title(side)}, {"description", g.field("policy", side).About}}, g.block(side, wide)...))
		}
	}
	g.about("policy")
	g.def("conditions", append(schema{{"title", "When"}, {"description", g.field("variant", "when").About}}, conditionsSchema()...))
	g.def("waive", append(schema{{"title", "Waive"}, {"description", g.field("policy", "waive").About}}, waiversSchema()...))
	for _, p := range primitives {
		g.def(p.name, g.primitive(p))
	}
	g.def("shedOff", g.shedOff())
	g.def("reason", schema{
		{"title", "Reason"}, {"description", "Why a finding is accepted here; `false` takes an inherited waiver back."},
		{"type", []string{"string", "boolean"}}, {"pattern", `[^ \t\r\n]`}, {"not", schema{{"const", true}}},
	})
	g.def("mode", schema{{"title", "Mode"}, {"description", g.field("primitives", "mode").About}, {"enum", []any{"enforce", "shadow", "off", false}}})
	for _, name := range []string{"enabled", "preset", "tier"} {
		g.field("primitives", name)
	}
}

// name is that of a definition, of which the root has its own.
func name(of string, wide bool) string {
	if wide {
		return "root" + title(of)
	}
	return of
}

// orName is a policy, the name of one, or false.
func (g *generator) orName(policy schema) schema {
	return policy.typed("object", "string", "boolean").with("pattern", `^`+nameRest+`$`).with("not", schema{{"const", true}})
}

// policy is the schema of a policy or, with conditions, of a variant.
func (g *generator) policy(wide, variant bool) schema {
	properties := everyNote()
	if variant {
		properties = properties.with("when", g.says("variant", "when", ref("conditions")))
	}
	for _, key := range policyKeys() {
		switch {
		case key == "variants" && variant: // it has none of its own
		case key == "variants":
			properties = properties.with(key, g.says("policy", key, byName(ref(name("variant", wide)))))
		case key == "client" || key == "server":
			properties = properties.with(key, g.says("policy", key, ref(name(key, wide)+"Side")))
		case key == "waive":
			properties = properties.with(key, g.says("policy", key, ref("waive")))
		case primitiveOf(key) != nil:
			properties = properties.with(key, primitiveRef(key, wide))
		default:
			properties = properties.with(key, g.says("policy", key, g.shape(common[key], "policy", key)))
		}
	}
	return closed(properties)
}

func primitiveRef(name string, wide bool) schema {
	if name == "shed" && !wide {
		return ref("shedOff")
	}
	return ref(name)
}

func (g *generator) block(key string, wide bool) schema {
	at := clientSide
	if key == "server" {
		at = serverSide
	}
	properties := everyNote()
	for _, k := range sideKeys(at) {
		if primitiveOf(k) != nil {
			properties = properties.with(k, primitiveRef(k, wide))
		} else {
			properties = properties.with(k, g.says("policy", k, g.shape(common[k], "policy", k)))
		}
	}
	return closed(properties)
}

// primitive is one schema for all that may stand in the place of a primitive, so that
// editors tell what is wrong in the form that somebody has chosen.
func (g *generator) primitive(p *primitive) schema {
	o := g.fields(p.object, p.name, "")
	own := everyNote()
	if p.tier {
		own = own.with("tier", g.presetName(p))
	}
	if p.presets {
		own = own.with("preset", g.presetName(p))
	}
	own = own.with("mode", ref("mode")).with("enabled", schema{{"description", g.field("primitives", "enabled").About}, {"type", "boolean"}})
	properties, _ := o.get("properties").(schema)
	o = o.replaced("properties", append(own, properties[1:]...))
	if p.name == "rateLimit" {
		o = g.limit(o)
	} else if p.tier {
		o = o.with("not", has("tier", "preset"))
	}
	types := []string{"object", "boolean", "null"}
	if p.presets {
		types = append(types, "string")
		if p.name == "timeout" {
			o = o.with("if", schema{{"pattern", `^[0-9.+-]`}}).with("then", anyOf(not(schema{{"type", "string"}}), ref("duration")))
		}
		o = o.with("pattern", patternOfPreset(p)).with("examples", g.examplesOf(p))
	}
	if p.list != "" {
		f, _ := p.object.field(p.list)
		array := g.shape(f.shape, p.name, p.list)
		types = append(types, "array")
		o = o.with("items", array.get("items")).with("minItems", array.get("minItems"))
	}
	words := g.about(p.name)
	if text := pendingSides(p); text != "" {
		words += " " + text
	}
	return append(schema{{"title", title(p.name)}, {"description", words}}, o.typed(types...)...)
}

// pendingSides say on which sides this version does not act on a primitive yet.
func pendingSides(p *primitive) string {
	switch {
	case p.pending == 0:
		return ""
	case p.pending == p.may:
		return notBuilt
	}
	return "Not supported yet on the " + p.pending.String() + "."
}

// patternOfPreset is that of the name of a preset; of a timeout a duration as well,
// which is told from a name by how it begins.
func patternOfPreset(p *primitive) string {
	if p.name == "timeout" {
		return `^([A-Za-z]` + nameRest[len(`[A-Za-z0-9]`):] + `|[0-9.+-].*)$`
	}
	return `^` + nameRest + `$`
}

func (g *generator) presetNames(primitive string) []string {
	return ownLanguage().presets[primitive].names()
}

func (g *generator) examplesOf(p *primitive) []any {
	out := anys(g.presetNames(p.name))
	if p.name == "timeout" {
		out = append(out, "5s")
	}
	return append(out, false)
}

// presetName is the name of a preset: ours are offered, and any may be the user's.
func (g *generator) presetName(p *primitive) schema {
	start := ownLanguage().presets[p.name].start
	words := fmt.Sprintf("The preset to start from: %s, or one of the root's presets.", either(g.presetNames(p.name)))
	if start != "" {
		words += " Default: " + start + "."
	}
	return schema{{"description", words}, {"type", "string"}, {"pattern", `^` + nameRest + `$`}, {"examples", g.presetNames(p.name)}}
}

// limit adds what excludes what in a limit: a preset is one limit, and so are neither
// a plan that is on nor buckets.
func (g *generator) limit(o schema) schema {
	all, _ := o.get("allOf").([]schema)
	preset := anyOf(has("tier"), has("preset"))
	planned := schema{{"type", "object"}, {"required", []string{"plan"}}, {"properties", schema{{"plan", not(schema{{"const", false}})}}}}
	all = append(slices.Clip(all), not(schema{{"allOf", []schema{preset, planned}}}))
	if properties, _ := o.get("properties").(schema); properties.get("buckets") != nil {
		all = append(all, not(has("tier", "preset")), not(schema{{"allOf", []schema{preset, has("buckets")}}}))
	}
	return o.replaced("allOf", all)
}

// shedOff is shed where it may only be turned off.
func (g *generator) shedOff() schema {
	off := []schema{
		{{"required", []string{"mode"}}, {"properties", schema{{"mode", schema{{"enum", []any{"off", false}}}}}}},
		{{"required", []string{"enabled"}}, {"properties", schema{{"enabled", schema{{"const", false}}}}}, {"not", required("mode")}},
	}
	return schema{
		{"title", "Shed"}, {"description", "`false`: the operation is never refused under load. Shedding is turned on in `defaults` and in a profile's `all`."},
		{"anyOf", []schema{{{"enum", []any{false, nil}}}, {{"allOf", []schema{ref("shed"), {{"type", "object"}, {"anyOf", off}}}}}}},
		{"examples", []any{false}},
	}
}

func conditionsSchema() schema {
	return schema{
		{"type", "object"}, {"minProperties", 1},
		{"propertyNames", schema{{"pattern", `^(` + requestExpr + `|description)$`}}},
		{"properties", everyNote()},
		{"additionalProperties", schema{{"type", []string{"string", "number", "boolean", "null"}}}},
	}
}

// waiversSchema has the rules of lint, so that editors offer them.
func waiversSchema() schema {
	properties := everyNote()
	for _, r := range catalog.All() {
		properties = properties.with(r.ID, append(schema{{"description", r.Finds}}, ref("reason")...))
	}
	return closed(properties)
}
