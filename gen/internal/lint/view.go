package lint

import (
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// side is whose settings are meant.
type side uint8

const (
	client side = iota
	server
	both // of a patch: fields of the operation as a whole
)

// view is one operation under one profile and variant.
type view struct {
	*run
	op     *ir.Operation
	v      *resilience.View
	name   string
	weaker []string // names of the views that this one is laid over
	node   *load.Node
	fields [2]map[string]resilience.Field
	order  [2][]string
}

// spot is a place where a finding can stand.
type spot struct {
	pos     diag.Pos
	pointer string
	source  resilience.Source
	// builtIn are the settings that a finding is about where nobody has written one.
	builtIn string
}

func (r *run) allViews() []*view {
	var out []*view
	for _, o := range r.in.Levels.Operations {
		_, node := r.in.Nodes(o.Op)
		for _, v := range o.Views {
			w := &view{run: r, op: o.Op, v: v, name: viewName(o.Name, v.Profile, v.Variant), node: node}
			// Without the profile, the variant or both it is the same operation.
			w.weaker = []string{viewName(o.Name, v.Profile, ""), viewName(o.Name, "", v.Variant), o.Name}
			w.index(client, v.ClientFields())
			w.index(server, v.ServerFields())
			out = append(out, w)
		}
	}
	return out
}

// viewName is what a finding calls an operation under a profile and a variant.
func viewName(name, profile, variant string) string {
	if profile != "" {
		name += " under profile " + profile
	}
	if variant != "" {
		name += " as variant " + variant
	}
	return name
}

func (v *view) index(s side, fields []resilience.Field) {
	v.fields[s] = make(map[string]resilience.Field, len(fields))
	for _, f := range fields {
		v.fields[s][f.Path] = f
		v.order[s] = append(v.order[s], f.Path)
	}
}

// base reports whether this is the operation without profile and variant.
func (v *view) base() bool { return v.v.Profile == "" && v.v.Variant == "" }

// written reports whether the user has written a setting, by a preset or directly.
func (v *view) written(s side, path string) bool {
	f, ok := v.fields[s][path]
	return ok && f.Source.Level != resilience.BuiltIn
}

// literal reports whether the user has written the setting itself, not a preset that
// brings it.
func (v *view) literal(s side, path string) bool {
	return v.written(s, path) && v.fields[s][path].Source.Preset == ""
}

// at is where the one of the settings stands that the strongest level has written, the
// first of several; the operation where all of them are built in.
func (v *view) at(s side, paths ...string) spot {
	out, best := v.here(), 0
	for _, p := range paths {
		if f := v.fields[s][p]; v.written(s, p) && rank(f.Source.Level) > best {
			out, best = spotOf(f), rank(f.Source.Level)
		}
	}
	if best == 0 {
		out.builtIn = strings.Join(paths, " and ")
	}
	return out
}

// rank orders levels by their names, the built-in policy at 0.
func rank(level string) int {
	word, _, _ := strings.Cut(strings.ReplaceAll(level, "[", " "), " ")
	return slices.Index([]string{resilience.BuiltIn, "defaults", "apply", "tag", "path", "operation", "variant", "profile"}, word)
}

func spotOf(f resilience.Field) spot {
	return spot{pos: f.Source.Pos, pointer: f.Source.Pointer, source: f.Source}
}

// within is where the first written setting of a primitive stands, and whether one is.
func (v *view) within(s side, primitive string) (spot, bool) {
	for _, p := range v.order[s] {
		if (p == primitive || strings.HasPrefix(p, primitive+".")) && v.written(s, p) {
			return spotOf(v.fields[s][p]), true
		}
	}
	if src, on := v.v.Primitive(s == server, primitive); on && src.Level != resilience.BuiltIn {
		return spot{pos: src.Pos, pointer: src.Pointer, source: src}, true
	}
	return v.here(), false
}

// here is the operation itself.
func (v *view) here() spot { return spot{pos: v.op.Pos, pointer: v.node.Pointer()} }

// callback reports whether somebody else answers: the receiver of a webhook or a
// callback.
func (v *view) callback() bool {
	return strings.HasPrefix(v.name, "webhook ") || strings.HasPrefix(v.name, "callback ")
}

// total is the whole time of the client's call, policy.None for one without an end.
func (v *view) total() time.Duration {
	t := v.v.Client.Timeout
	if t == nil {
		return policy.None
	}
	return t.EffectiveTotal(v.v.Client.Retry, v.v.Client.Fallback.Reserves()...)
}

// tries are the attempts of a client's call.
func (v *view) tries() int {
	if r := v.v.Client.Retry; r != nil && r.MaxAttempts > 1 {
		return r.MaxAttempts
	}
	return 1
}

// repeatable reports whether a try of unknown effect may be made again.
func (v *view) repeatable() bool {
	return v.v.Client.Effect.Repeatable() || v.v.Client.Idempotency.Acts()
}

// streamed reports whether a success is a stream of items, and whether it is one of
// bytes.
func (v *view) streamed() (items, raw bool) {
	for _, r := range v.op.Responses {
		if !strings.HasPrefix(r.Status, "2") {
			continue
		}
		for _, c := range r.Contents {
			switch c.Kind {
			case ir.ContentEvents, ir.ContentLines:
				items = true
			case ir.ContentBinary:
				raw = true
			}
		}
	}
	return items, raw
}

// secured reports whether nobody gets an answer without a credential.
func (v *view) secured() bool {
	for _, r := range v.op.Security {
		if len(r.Schemes) == 0 {
			return false
		}
	}
	return len(v.op.Security) > 0
}

// spanText is a duration as the language writes it.
func spanText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
