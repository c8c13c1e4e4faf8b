package resilience

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
)

// drawer draws values of the language from its grammar: each is one that the reader of
// annotations accepts by itself.
//
// Rapid gives the seed alone: what it draws itself it takes from the start of a list
// more often than not, and here every place of the language is worth the same.
type drawer struct{ r *rand.Rand }

func newDrawer(t *rapid.T) drawer {
	return drawer{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))}
}

func pick[T any](d drawer, of ...T) T { return of[d.r.IntN(len(of))] }

func (d drawer) chance(in int) bool { return d.r.IntN(in) == 0 }

// Values that fit, by the shape. The texts are by what they are wanted to be.
var (
	goodTexts = map[string][]string{
		dependencyName.want: {"a", "Pay-1", "0", "a.b/c_d"}, headerName.want: {"X-A", "retry-after", "a"},
		planName.want: {"gold", "a b"}, operationName.want: {"getJob", "GET /a/{id}", "$sourceDescriptions.a.b"}, parameterName.want: {"id", "a[b]"},
		pointerText.want: {"", "/", "/a/b", "/~0~1"}, "the name or the number of a server": {"eu", "0"},
		"the name of a security scheme": {"key"}, "a media type": {"application/json"},
		"a condition such as $statusCode == 200":     {"$statusCode == 200", "$response.body#/a == 'x' && !$response.body#/b"},
		"an address or a network such as 10.0.0.0/8": {"10.0.0.0/8", "::1", "192.0.2.1", "2001:db8::/32"},
		"a relation of links":                        {"next"},
		"letters, digits, dashes and underscores":    {"a", "-A_1"}, "letters, digits, dots, dashes and underscores": {"a.b"},
		"a country's two letters such as DE": {"DE"}, "a path such as /v1/*": {"/v1/*", "/"}, "the number of a version": {"1", "12"},
		"the name of a secret": {"KEY", "a/b"}, selectorText.want: {"get*", "/**"},
	}
	goodSpans    = []string{"1ms", "1.5h30m", "1d", "1d12h", ".5s", "5.s", "2µs", "0.5d"}
	goodSizes    = []string{"1B", "1.5KiB", "64MiB", "2KB"}
	goodStatuses = []any{100, 429, 599, "503", "5xx", "4XX"}
	goodPlaces   = []string{"$request.path.id", "$request.query.q", "$request.header.X-A", "$request.body", "$request.body#", "$request.body#/a/~1b"}
	goodRequest  = append(slices.Clone(goodPlaces), "$request", "$url", "$method", "$principal", "$claims.sub", "$ip", "$operation")
	goodAny      = append(slices.Clone(goodRequest), "$response.header.X", "$response.body", "$response.body#/-1/id", "$statusCode")
)

// shape draws a value of a shape.
func (d drawer) shape(s shape) any {
	switch s := s.(type) {
	case pending:
		return d.shape(s.of)
	case duration:
		if s.zero && d.chance(4) {
			return "0s"
		}
		if s.none && d.chance(4) {
			return "none"
		}
		return pick(d, goodSpans...)
	case size:
		return pick(d, goodSizes...)
	case integer:
		return pick(d, s.low, min(s.low+1, s.high), s.high)
	case decimal:
		return pick[any](d, min(s.low+0.5, s.high), s.high)
	case flag:
		return pick(d, true, false)
	case choice:
		return pick(d, append(slices.Clone(s.words), s.soon...)...)
	case text:
		return pick(d, goodTexts[s.want]...)
	case literal:
		return pick[any](d, "a*", 7, 0.5, true)
	case status:
		return pick(d, goodStatuses...)
	case expression:
		return d.expression(s)
	case list:
		return d.list(s)
	case mapping:
		return d.mapping(s)
	case switched:
		if d.chance(3) {
			return pick(d, true, false)
		}
		return d.object(s.of)
	case optional:
		if d.chance(3) {
			return false
		}
		return d.object(s.of)
	case *object:
		return d.object(s)
	}
	return d.special(s)
}

func (d drawer) expression(s expression) any {
	switch {
	case s.orEmpty && d.chance(4):
		return ""
	case s.response:
		return pick(d, goodAny...)
	}
	return pick(d, goodRequest...)
}

func (d drawer) list(s list) any {
	if s.single && d.chance(2) {
		return d.shape(s.item)
	}
	low := 0
	if s.some {
		low = 1
	}
	out := []any{}
	for range low + d.r.IntN(3-low) {
		out = append(out, d.shape(s.item))
	}
	return out
}

func (d drawer) mapping(s mapping) any {
	out := map[string]any{}
	for range d.r.IntN(3) {
		key := pick(d, goodTexts[s.key.want]...)
		if d.chance(5) {
			out[key] = false
			continue
		}
		out[key] = d.shape(s.value)
	}
	if s.skips("description") {
		d.notes(out)
	}
	return out
}

// notes adds what may stand in any object.
func (d drawer) notes(to map[string]any) {
	if d.chance(6) {
		to[pick(d, "description", "x-team")] = pick[any](d, "a note", []any{1, nil})
	}
}

func (d drawer) object(o *object) any {
	out := map[string]any{}
	for _, f := range o.fields {
		if !slices.Contains(o.needs, f.name) && !d.chance(1+len(o.fields)/3) {
			continue
		}
		if !slices.ContainsFunc(o.rivals(f.name), func(r string) bool { _, is := out[r]; return is }) {
			out[f.name] = d.shape(f.shape)
		}
	}
	d.notes(out)
	return out
}

// special draws a value of a shape that stands in one place only.
func (d drawer) special(s shape) any {
	switch s.(type) {
	case anything:
		return pick[any](d, nil, 1, "a", []any{}, map[string]any{"a": nil})
	case yes:
		return true
	case numbers:
		return pick(d, 412, 409)
	case schemaShape:
		return pick[any](d, true, map[string]any{"type": "object"})
	case valueShape:
		return pick[any](d, pick(d, goodRequest...), map[string]any{"func": "f"})
	case costShape:
		return pick[any](d, 1, "$request.query.n", map[string]any{"estimate": pick[any](d, 2, map[string]any{"func": "f"}), "actual": "$response.body#/n"})
	case tierShape:
		return pick(d, "free", "mine")
	case quantileShape:
		return pick(d, "50ms", "p50", "p95", "p999")
	case templateShape:
		return pick(d, "a", "account/{$request.body#/from}", "{$principal}{$request.path.id}")
	case versionShape:
		return pick[any](d, true, "$response.body#/version", "$request.body#/version")
	case serverURL:
		return pick(d, "https://a.example", "http://a:80/b/")
	case serverName:
		return pick[any](d, "eu", 0, 1000)
	case failureShape:
		return pick[any](d, "timeout", "rate-limited", 429, "5xx")
	case assignments:
		return map[string]any{pick(d, goodPlaces...): pick[any](d, "$principal", "x", false, nil, 5, []any{"$a"})}
	case nextShape:
		return pick[any](d, "$response.body#/next", "$response.header.Link", map[string]any{"header": "Link", "rel": "next"})
	case scheduleShape:
		return pick[any](d, "standard-webhooks", []any{"0s", "5s"})
	case flowShape:
		return pick(d, "$inputs.a", "$inputs.a#/b", "$steps.s-1.outputs.x", "$statusCode", "$response.body#/id")
	case flowValue:
		return pick[any](d, "$inputs.a", "a {$inputs.b}, {$steps.s.outputs.c}!", "plain {text}", 5, nil, map[string]any{"a": []any{"$inputs.x", true}})
	case criterionShape:
		if d.chance(3) {
			return map[string]any{"condition": "^a+$", "type": "regex", "context": "$response.body#/a"}
		}
		return d.object(&object{fields: criterionObject.fields[:2], needs: criterionObject.needs})
	case rungShape:
		return d.rung()
	case bucketShape:
		return d.bucket()
	case compensateShape:
		return pick(d, any(false), d.object(compensateObject))
	case stepRetry:
		return pick(d, any("none"), any(true), d.settings(primitiveOf("retry")))
	}
	panic(fmt.Sprintf("a shape that nothing is drawn for: %T", s))
}

func (d drawer) rung() any {
	kind := pick(d, rungKinds...)
	out := map[string]any{}
	for _, name := range []string{kind, "timeout", "whenUnknown"} {
		if f, _ := rungObject.field(name); name == kind || d.chance(3) {
			out[name] = d.shape(f.shape)
		}
	}
	if kind == "operation" && d.chance(2) {
		out["with"] = d.shape(assignments{})
	}
	d.notes(out)
	return out
}

func (d drawer) bucket() any {
	if d.chance(3) {
		return pick(d, "free", "mine")
	}
	out, _ := d.object(bucketObject).(map[string]any)
	if d.chance(4) {
		delete(out, "plan")
		out[pick(d, "tier", "preset")] = "premium"
	}
	return out
}

// settings draws a primitive's object.
func (d drawer) settings(p *primitive) any {
	out, _ := d.object(p.object).(map[string]any)
	if d.chance(5) {
		out["mode"] = pick[any](d, "enforce", "shadow", "off", false)
	}
	if d.chance(8) {
		out["enabled"] = pick(d, true, false)
	}
	if !p.presets || !d.chance(4) {
		return out
	}
	if p.name == "rateLimit" {
		delete(out, "buckets")
		delete(out, "plan")
	}
	out[pick(d, append([]string{"preset"}, map[bool][]string{true: {"tier"}}[p.tier]...)...)] = d.preset(p)
	return out
}

func (d drawer) preset(p *primitive) string {
	return pick(d, append(ownLanguage().presets[p.name].names(), "mine")...)
}

// primitive draws all that may stand in the place of a primitive.
func (d drawer) primitive(p *primitive, wide bool) any {
	if p.name == "shed" && !wide {
		return pick[any](d, false, nil, map[string]any{"mode": "off", "target": "5ms"}, map[string]any{"enabled": false})
	}
	switch {
	case d.chance(6):
		return pick[any](d, true, false, nil)
	case p.presets && d.chance(4):
		return d.preset(p)
	case p.name == "timeout" && d.chance(3):
		return d.shape(duration{})
	case p.list != "" && d.chance(2):
		f, _ := p.object.field(p.list)
		return d.shape(f.shape)
	}
	return d.settings(p)
}

// level draws what may stand in an operation, and where it is wide at the root.
func (d drawer) level(wide bool) any {
	switch {
	case d.chance(8):
		return pick[any](d, false, "careful")
	}
	return d.policy(wide, true)
}

func (d drawer) policy(wide, variants bool) map[string]any {
	out := map[string]any{}
	d.notes(out)
	for _, key := range policyKeys() {
		if !d.chance(9) {
			continue
		}
		switch p := primitiveOf(key); {
		case p != nil:
			out[key] = d.primitive(p, wide)
		case key == "client", key == "server":
			out[key] = d.block(key, wide)
		case key == "variants" && variants:
			v := d.policy(wide, false)
			v["when"] = map[string]any{pick(d, goodRequest...): pick[any](d, "a", 5, false, nil)}
			out[key] = map[string]any{"v": v, "w": false}
		case key == "variants":
		case key == "use":
			out[key] = "careful"
		case key == "waive":
			out[key] = map[string]any{pick(d, catalog.All()...).ID: pick[any](d, "measured", false)}
		default:
			out[key] = d.shape(common[key])
		}
	}
	return out
}

func (d drawer) block(key string, wide bool) any {
	at := clientSide
	if key == "server" {
		at = serverSide
	}
	out := map[string]any{}
	d.notes(out)
	for _, k := range sideKeys(at) {
		switch p := primitiveOf(k); {
		case !d.chance(6):
		case p != nil:
			out[k] = d.primitive(p, wide)
		default:
			out[k] = d.shape(common[k])
		}
	}
	return out
}

// root draws a root object.
func (d drawer) root() any {
	out := map[string]any{"version": 1}
	d.notes(out)
	selector := map[string]any{pick(d, selectorKeys[:5]...): pick[any](d, "a*", []any{"/a", "b"})}
	if d.chance(3) {
		selector["where"] = map[string]any{"x-a": []any{nil}}
	}
	presets := map[string]any{}
	for _, p := range primitives {
		if p.presets && d.chance(6) {
			presets[p.name] = map[string]any{"mine": d.settings(p)}
		}
	}
	for _, key := range rootKeys[1:] {
		if d.chance(4) {
			out[key] = d.rootKey(key, selector, presets)
		}
	}
	return out
}

func (d drawer) rootKey(key string, selector, presets map[string]any) any {
	switch key {
	case "dependency":
		return "pay"
	case "external": // true would refuse locks elsewhere, which a schema cannot see
		return false
	case "replicas":
		return 3
	case "defaults":
		return d.level(true)
	case "policies":
		return map[string]any{"careful": d.policy(true, true)}
	case "presets":
		return presets
	case "sources":
		return map[string]any{"a-b": "other.yaml", "c": false}
	case "servers":
		return map[string]any{"eu west": d.object(serverObject), "us": false}
	case "apply":
		return []any{map[string]any{"to": selector, "policy": d.level(false)}}
	case "profiles":
		return map[string]any{"dev": map[string]any{"all": d.level(true), "operations": map[string]any{"get": d.level(false)}}}
	case "sagas":
		return d.shape(mapping{entryName, sagaObject})
	case "aggregates":
		return d.shape(mapping{entryName, aggregateObject})
	case "edge":
		return d.object(edgeObject)
	}
	panic("a key of the root that nothing is drawn for: " + key)
}
