package resilience

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The schema of each shape of the grammar.

// generator makes schemas of the grammar.
type generator struct {
	*glossary
	// defs are the objects that have a name of their own, in the order in which they
	// were met.
	defs schema
}

// names of objects that stand in several places, or are worth one.
var objectNames = map[*object]string{
	ruleObject: "retryRule", hintObject: "retryHint", budgetObject: "retryBudget", shrinkObject: "retryShrink", windowObject: "breakerWindow",
	planObject: "limitPlan", syncObject: "limitSync", costObject: "cost", funcObject: "function", linkObject: "link",
	parameterObject: "parameter", bodyObject: "requestBody", sagaObject: "saga", stepObject: "step", compensateObject: "compensate",
	aggregateObject: "aggregate", eventObject: "event", edgeObject: "edge", routeObject: "route", serverObject: "server",
}

// Patterns, in the part that Go's and JavaScript's expressions share.
const (
	noControl   = `\x00-\x1f\x7f-\x9f`
	pointerRest = `(/([^~]|~[01])*)?`
	nameRest    = `[A-Za-z0-9][A-Za-z0-9._/-]{0,99}`
	placeExpr   = `\$request\.(path|query|header)\..+|\$request\.body(#` + pointerRest + `)?`
	requestExpr = placeExpr + `|\$request|\$url|\$method|\$principal|\$claims\..+|\$ip|\$operation`
	anyExpr     = requestExpr + `|\$response\.header\..+|\$response\.body(#` + pointerRest + `)?|\$statusCode`
	flowName    = `[^# {}` + noControl + `]+(#` + pointerRest + `)?`
	// In braces, where the first } ends it.
	insideRequest = `\$request\.(path|query|header)\.[^}]+|\$request\.body(#` + insideRest + `)?|\$request|\$url|\$method|\$principal|\$claims\.[^}]+|\$ip|\$operation`
	insideRest    = `(/([^~}]|~[01])*)?`
	insideAny     = insideRequest + `|\$response\.header\.[^}]+|\$response\.body(#` + insideRest + `)?|\$statusCode`
	insideName    = `[^# {}` + noControl + `]+(#` + insideRest + `)?`
	flowBrace     = `\{+((` + insideAny + `|\$inputs\.` + insideName + `|\$steps\.[A-Za-z0-9_-]{1,100}\.outputs\.` + insideName + `)\}|[^{$]|$)`
	flowPattern   = anyExpr + `|\$inputs\.` + flowName + `|\$steps\.[A-Za-z0-9_-]{1,100}\.outputs\.` + flowName
	amount        = `([0-9]+(\.[0-9]*)?|\.[0-9]+)`
	spanUnits     = `(ns|us|µs|μs|ms|s|m|h)`
	spanPattern   = `^(` + amount + `d|` + amount + `d(` + amount + spanUnits + `)+|(` + amount + spanUnits + `)+)$`
	zeroPattern   = `^((0+(\.0*)?|\.0+)(ns|us|µs|μs|ms|s|m|h|d))+$`
	skippedKey    = `^x-`
)

// textDefs are the forms of texts: by what a text is wanted to be, the name of its
// definition, and the pattern.
var textDefs = []struct{ want, name, about, pattern string }{
	{dependencyName.want, "name", "A name of letters, digits, dots, dashes, slashes and underscores; a letter or digit first.", `^` + nameRest + `$`},
	{headerName.want, "headerName", "The name of a header.", "^([!#$%&'+.^_`|~0-9A-Za-z-]|[!#$%&'*+.^_`|~0-9A-Za-z-]{2,200})$"},
	{pointerText.want, "pointer", "A JSON pointer such as `/error/code`.", `^` + pointerRest + `$`},
	{secretName.want, "secretName", "The name of a secret. The secret itself never stands in a document.", `^[A-Za-z0-9_./-]{1,100}$`},
	{operationName.want, "operationId", "An operationId, or `$sourceDescriptions.NAME.ID` of another document.", line},
	{planName.want, "", "", line},
	{parameterName.want, "", "", line},
	{"the name or the number of a server", "", "", line},
	{"the name of a security scheme", "", "", line},
	{"a media type", "", "", line},
	{"a condition such as $statusCode == 200", "", "", line},
	{"an address or a network such as 10.0.0.0/8", "", "", `^([0-9]{1,3}(\.[0-9]{1,3}){3}(/[0-9]{1,2})?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(/[0-9]{1,3})?)$`},
	{"a relation of links", "", "", "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$"},
	{"letters, digits, dashes and underscores", "", "", `^[A-Za-z0-9_-]{1,100}$`},
	{"letters, digits, dots, dashes and underscores", "", "", `^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`},
	{"a country's two letters such as DE", "", "", `^[A-Z]{2}$`},
	{"a path such as /v1/*", "", "", `^/[^` + noControl + `]*$`},
	{"the number of a version", "", "", `^[1-9][0-9]{0,17}$`},
	{selectorText.want, "", "", ``},
}

const line = `^[^` + noControl + `]{1,500}$`

// patternOf is the pattern of a text, and the name of its definition.
func patternOf(s text) (pattern, name string) {
	for _, d := range textDefs {
		if d.want == s.want {
			return d.pattern, d.name
		}
	}
	panic("a text without a pattern in textDefs: " + s.want)
}

// texts are the definitions that the language's scalars have.
func (g *generator) texts() {
	g.def("duration", schema{
		{"title", "Duration"},
		{"description", "A span of time in Go's form, with days as well: `250ms`, `1m30s`, `1d12h`. Zero and bare numbers are refused."},
		{"type", "string"},
		{"pattern", spanPattern},
		{"not", schema{{"pattern", zeroPattern}}},
		{"examples", []string{"250ms", "5s", "1m30s", "24h"}},
	})
	g.def("durationOrZero", schema{
		{"title", "Duration"}, {"description", "A span of time that may be `0s`."},
		{"type", "string"}, {"pattern", spanPattern}, {"examples", []string{"0s", "250ms", "5s"}},
	})
	g.def("size", schema{
		{"title", "Size"}, {"description", "A number of bytes with its unit: B, KB, MB, KiB, MiB or GiB."},
		{"type", "string"}, {"pattern", `^` + amount + `(B|KB|MB|KiB|MiB|GiB)$`},
		{"not", schema{{"pattern", `^((0+(\.0*)?|\.0+)(B|KB|MB|KiB|MiB|GiB)|0*\.[0-9]+B)$`}}}, {"examples", []string{"64KiB", "1MiB"}},
	})
	g.def("status", schema{
		{"title", "Status"}, {"description", "A status from 100 to 599, or a range such as `5xx`."},
		{"type", []string{"integer", "string"}}, {"minimum", 100}, {"maximum", 599}, {"pattern", `^[1-5]([0-9][0-9]|[xX][xX])$`},
		{"examples", []any{429, "5xx"}},
	})
	g.def("requestExpression", schema{
		{"title", "Expression"},
		{"description", "A value of the request: `$request.path.NAME`, `$request.query.NAME`, `$request.header.NAME`, `$request.body#/POINTER`, `$request.body`, `$request`, `$url`, `$method`, `$operation`, `$principal`; on a server also `$ip` and `$claims.NAME`."},
		{"type", "string"}, {"pattern", `^(` + requestExpr + `)$`}, {"examples", []string{"$request.body#/id", "$principal"}},
	})
	g.def("expression", schema{
		{"title", "Expression"},
		{"description", "A value of the call: of the request, or `$response.header.NAME`, `$response.body#/POINTER`, `$response.body`, `$statusCode`."},
		{"type", "string"}, {"pattern", `^(` + anyExpr + `)$`}, {"examples", []string{"$response.body#/id", "$statusCode"}},
	})
	g.def("flowExpression", schema{
		{"title", "Expression"}, {"description", "A value of the call, or of a saga: `$inputs.NAME`, `$steps.ID.outputs.NAME`."},
		{"type", "string"}, {"pattern", `^(` + flowPattern + `)$`}, {"examples", []string{"$inputs.orderId"}},
	})
	g.def("flowValue", schema{
		{"title", "Value"}, {"description", "Any value; texts that begin with `$` are expressions, and others may hold some in braces."},
		{"anyOf", []schema{{{"pattern", `^(` + flowPattern + `)$`}}, {{"pattern", `^$|^([^{$]|` + flowBrace + `)([^{]|` + flowBrace + `)*$`}}}},
		{"items", ref("flowValue")}, {"additionalProperties", ref("flowValue")},
	})
	for _, d := range textDefs {
		if d.name != "" {
			g.def(d.name, schema{{"title", "Text"}, {"description", d.about}, {"type", "string"}, {"pattern", d.pattern}})
		}
	}
}

func (g *generator) def(name string, s schema) {
	if g.defs.get(name) == nil {
		g.defs = append(g.defs, entry{name, s})
	}
}

// shape is the schema of a shape that stands at a path of a part.
func (g *generator) shape(s shape, part, path string) schema {
	switch s := s.(type) {
	case pending:
		return g.shape(s.of, part, path)
	case duration:
		return durationSchema(s)
	case size:
		return ref("size")
	case integer:
		return schema{{"type", "integer"}, {"minimum", s.low}, {"maximum", s.high}}
	case decimal:
		low := "minimum"
		if s.above {
			low = "exclusiveMinimum"
		}
		return schema{{"type", "number"}, {low, s.low}, {"maximum", s.high}}
	case flag:
		return schema{{"type", "boolean"}}
	case choice:
		return schema{{"enum", append(slices.Clone(s.words), s.soon...)}}
	case text:
		return textSchema(s)
	case literal:
		return schema{{"type", []string{"string", "number", "boolean"}}}
	case status:
		return ref("status")
	case expression:
		return expressionSchema(s)
	case list:
		return g.list(s, part, path)
	case mapping:
		return g.mapping(s, part, path)
	case switched:
		return g.object(s.of, part, path).typed("object", "boolean")
	case optional:
		return anyOf(g.object(s.of, part, path), schema{{"const", false}})
	case *object:
		return g.object(s, part, path)
	case anything:
		return schema{}
	case yes:
		return schema{{"const", true}}
	case numbers:
		return schema{{"enum", anys(s)}}
	case schemaShape:
		return schema{{"description", "A schema of the document's language."}, {"type", []string{"object", "boolean"}}}
	}
	return g.special(s, part)
}

// special is the schema of a shape that stands in one place only.
func (g *generator) special(s shape, part string) schema {
	switch s := s.(type) {
	case valueShape:
		return anyOf(ref("requestExpression"), g.object(funcObject, part, ""))
	case costShape:
		return anyOf(schema{{"type", "integer"}, {"minimum", 1}, {"maximum", manyUnits}}, ref("requestExpression"), g.object(costObject, part, ""))
	case estimateShape:
		return anyOf(schema{{"type", "integer"}, {"minimum", 1}, {"maximum", manyUnits}}, g.object(funcObject, part, ""))
	case tierShape:
		return g.presetName(primitiveOf("rateLimit"))
	case quantileShape:
		return anyOf(ref("duration"), schema{{"type", "string"}, {"pattern", `^p([5-9][0-9]|99[1-9])$`}})
	case templateShape:
		inside := insideRequest
		if s.response {
			inside = insideAny
		}
		return schema{{"type", "string"}, {"pattern", `^([^{}` + noControl + `]|\{(` + inside + `)\})+$`}}
	case versionShape:
		return anyOf(schema{{"const", true}}, ref("expression"))
	case serverURL:
		return schema{{"type", "string"}, {"pattern", `^[hH][tT][tT][pP][sS]?://[^/?#@ ` + noControl + `]+(/[^?#` + noControl + `]*)?$`}}
	case serverName:
		return schema{{"type", []string{"string", "integer"}}, {"pattern", line}, {"minimum", 0}, {"maximum", 1000}}
	case failureShape:
		return anyOf(schema{{"enum", failureWords}}, ref("status"))
	case assignments:
		return schema{
			{"type", "object"}, {"propertyNames", schema{{"pattern", `^(` + placeExpr + `)$`}}},
			{"additionalProperties", anyOf(schema{{"pattern", `^(` + requestExpr + `)$`}}, schema{{"pattern", `^([^$]|$)`}})},
		}
	case nextShape:
		return anyOf(ref("expression"), g.object(linkObject, part, ""))
	case scheduleShape:
		return anyOf(schema{{"enum", []string{"standard-webhooks"}}}, schema{{"type", "array"}, {"items", ref("durationOrZero")}, {"minItems", 1}})
	case flowShape:
		return ref("flowExpression")
	case flowValue:
		return ref("flowValue")
	case criterionShape:
		g.named("criterion", criterionObject, func(o schema) schema {
			regex := schema{{"properties", schema{{"type", schema{{"const", "regex"}}}}}, {"required", []string{"type"}}}
			return o.with("if", regex).with("then", required("context"))
		})
		return ref("criterion")
	case rungShape:
		g.named("rung", rungObject, rungSchema)
		return ref("rung")
	case bucketShape:
		g.named("limit", bucketObject, func(o schema) schema {
			return g.limit(o).typed("object", "string").with("pattern", `^`+nameRest+`$`).with("examples", g.presetNames("rateLimit"))
		})
		return ref("limit")
	case compensateShape:
		return anyOf(schema{{"const", false}}, g.object(compensateObject, part, ""))
	case stepRetry:
		return schema{{"allOf", []schema{ref("retry"), not(schema{{"type", "null"}})}}}
	}
	panic(fmt.Sprintf("a shape without a schema: %T", s))
}

// typed is an object's schema that takes other types as well.
func (s schema) typed(types ...string) schema {
	out := slices.Clone(s)
	for i := range out {
		if out[i].key == "type" {
			out[i].value = types
			return out
		}
	}
	return schema{{"anyOf", []schema{s, {{"type", types[1:]}}}}}
}

func anys[T any](of []T) []any {
	out := make([]any, len(of))
	for i, v := range of {
		out[i] = v
	}
	return out
}

func durationSchema(s duration) schema {
	name := "duration"
	if s.zero {
		name = "durationOrZero"
	}
	if s.none {
		return anyOf(ref(name), schema{{"const", "none"}})
	}
	return ref(name)
}

func textSchema(s text) schema {
	pattern, name := patternOf(s)
	switch {
	case name != "":
		return ref(name)
	case pattern == "":
		return schema{{"type", "string"}, {"minLength", 1}, {"maxLength", maxGlob}}
	}
	return schema{{"type", "string"}, {"pattern", pattern}}
}

func expressionSchema(s expression) schema {
	name := "requestExpression"
	if s.response {
		name = "expression"
	}
	if s.orEmpty {
		return anyOf(ref(name), schema{{"const", ""}})
	}
	return ref(name)
}

func (g *generator) list(s list, part, path string) schema {
	item := g.shape(s.item, part, path)
	out := schema{{"type", "array"}, {"items", item}}
	if s.some {
		out = out.with("minItems", 1)
	}
	if s.single {
		return anyOf(item, out)
	}
	return out
}

func (g *generator) mapping(s mapping, part, path string) schema {
	value := anyOf(g.shape(s.value, part, path), schema{{"const", false}})
	pattern, name := patternOf(s.key)
	keys := schema{{"pattern", pattern}}
	if name != "" {
		keys = ref(name)
	}
	out := schema{{"type", "object"}}
	if s.skips("description") {
		out = out.with("properties", schema{{"description", note()}}).with("patternProperties", schema{{skippedKey, true}})
		keys = anyOf(keys, schema{{"pattern", skippedKey + "|^description$"}})
	}
	return out.with("propertyNames", keys).with("additionalProperties", value)
}

// note is what may stand in any object.
func note() schema { return schema{{"description", "A note for readers."}} }

// object is the schema of an object; one with a name is a definition.
func (g *generator) object(o *object, part, path string) schema {
	if name := objectNames[o]; name != "" {
		g.named(name, o, nil)
		return ref(name)
	}
	return g.fields(o, part, path)
}

// named makes an object a definition.
func (g *generator) named(name string, o *object, more func(schema) schema) {
	if g.defs.get(name) != nil {
		return
	}
	at := len(g.defs)
	g.defs = append(g.defs, entry{name, schema{}}) // a place, so that an object may hold itself
	s := g.fields(o, name, "")
	if more != nil {
		s = more(s)
	}
	g.defs[at].value = append(schema{{"title", title(name)}, {"description", g.about(name)}}, s...)
}

// fields is an object's schema without its description.
func (g *generator) fields(o *object, part, path string) schema {
	properties := schema{{"description", note()}}
	for _, f := range o.fields {
		name := f.name
		if path != "" {
			name = path + "." + f.name
		}
		properties = properties.with(f.name, g.property(f.shape, part, name))
	}
	for _, name := range o.also {
		properties = properties.with(name, g.presetName(primitiveOf("rateLimit")))
	}
	out := schema{
		{"type", "object"}, {"properties", properties},
		{"patternProperties", schema{{skippedKey, true}}}, {"additionalProperties", false},
	}
	if len(o.needs) > 0 {
		out = out.with("required", o.needs)
	}
	if o != rungObject { // which says more by itself
		if all := exclusions(o.alternatives); len(all) > 0 {
			out = out.with("allOf", all)
		}
	}
	return out
}

// property is a field's schema with what is said about it.
func (g *generator) property(s shape, part, name string) schema {
	f := g.field(part, name)
	words := f.About
	if d := g.defaultOf(part, name); d != "" && d != "none" && d != "required" {
		words += " Default: " + d + "."
	}
	if p := g.pendingWords(s); p != "" {
		words += " " + p
	}
	if f.Deprecated != "" {
		words += " Deprecated: " + f.Deprecated
	}
	out := append(schema{{"description", words}}, g.shape(s, part, name)...)
	if v, ok := g.value(part, name); ok && f.Default == "" {
		out = out.with("default", v)
	}
	if f.Example != "" {
		var v any
		if err := yaml.Unmarshal([]byte(f.Example), &v); err != nil {
			g.t.Errorf("the example of %s.%s: %v", part, name, err)
		}
		out = out.with("examples", []any{v})
	}
	if f.Deprecated != "" {
		out = out.with("deprecated", true)
	}
	return dedupe(out)
}

// dedupe keeps the first description of a schema: the field's, not the type's.
func dedupe(s schema) schema {
	seen := map[string]bool{}
	return slices.DeleteFunc(s, func(e entry) bool {
		twice := seen[e.key]
		seen[e.key] = true
		return twice
	})
}

// pendingWords say which values of a field this version does not act on yet.
func (g *generator) pendingWords(s shape) string {
	switch s := s.(type) {
	case pending:
		return notBuilt
	case choice:
		if len(s.soon) > 0 {
			return "Not supported yet: " + and(s.soon) + "."
		}
	case list:
		if s.item == (valueShape{}) && pendingValue(funcShape{}, "{func: a}") {
			return "Not supported yet: functions."
		}
	case costShape:
		if pendingValue(s, "{estimate: 1, actual: $statusCode}") {
			return "Not supported yet: an estimate."
		}
	}
	return ""
}

// exclusions say that of the groups of each alternative one may stand.
func exclusions(alternatives [][][]string) []schema {
	var out []schema
	some := func(names []string) schema {
		if len(names) == 1 {
			return has(names...)
		}
		var each []schema
		for _, n := range names {
			each = append(each, has(n))
		}
		return anyOf(each...)
	}
	for _, groups := range alternatives {
		for i, a := range groups {
			for _, b := range groups[i+1:] {
				if len(a) == 1 && len(b) == 1 {
					out = append(out, not(has(a[0], b[0])))
					continue
				}
				out = append(out, not(schema{{"allOf", []schema{some(a), some(b)}}}))
			}
		}
	}
	return out
}

func rungSchema(o schema) schema {
	var kinds []schema
	for _, kind := range rungKinds {
		kinds = append(kinds, required(kind))
	}
	return o.with("oneOf", kinds).with("dependentRequired", schema{{"with", []string{"operation"}}})
}

func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
