package emit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// policies finds the policies, and the settings within them, that stand in several
// places, so that each is written once.
type policies struct {
	uses map[string]int // by text
	// users are the operations that have a policy, which one of them may have
	// several times: under profiles and in variants.
	users  map[string]int
	values map[string]any
	names  map[string]string
}

func newPolicies() *policies {
	return &policies{uses: map[string]int{}, users: map[string]int{}, values: map[string]any{}}
}

// policyKey tells all of a policy.
func policyKey(v any) string { return fmt.Sprintf("%T %s", v, policyText(reflect.ValueOf(v))) }

// count notes the policies of an operation, and the settings in those that were not
// met before.
func (p *policies) count(op *ir.Operation) {
	had := map[string]bool{}
	for _, v := range policiesOf(&op.Policy) {
		if key := policyKey(v); !had[key] {
			had[key] = true
			p.users[key]++
		}
		if p.note(v) > 1 {
			continue
		}
		settings := reflect.ValueOf(v)
		for _, f := range settings.Fields() {
			if f.Kind() == reflect.Pointer && !f.IsNil() && long(f.Elem()) {
				p.note(f.Elem().Interface())
			}
		}
	}
}

// policiesOf are all policies of an operation: its own, those of its variants and
// those of its profiles.
func policiesOf(p *ir.Policy) []any {
	out := []any{p.Client, p.Server}
	variants := func(list []policy.Variant) {
		for _, v := range list {
			out = append(out, v.Client)
			if v.Server != nil {
				out = append(out, *v.Server)
			}
		}
	}
	variants(p.Variants)
	for _, f := range p.Profiles {
		out = append(out, f.Client, f.Server)
		variants(f.Variants)
	}
	return out
}

// member writes a field of a policy: a policy within it by the name that it shares.
func (p *policies) member(v reflect.Value) *jen.Statement {
	switch v.Interface().(type) {
	case policy.Client, policy.Server:
		return p.expr(v.Interface())
	case []policy.Variant, []policy.Profile:
		return jen.Index().Qual(pkgPolicy, v.Type().Elem().Name()).CustomFunc(multiline, func(g *jen.Group) {
			for i := range v.Len() {
				g.Add(p.structure(v.Index(i), jen.Null()))
			}
		})
	}
	return p.literal(v)
}

// long reports a setting that is worth a name of its own.
func long(v reflect.Value) bool {
	n := 0
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			n++
		}
	}
	return n >= tallFrom
}

func (p *policies) note(v any) int {
	key := policyKey(v)
	p.uses[key]++
	p.values[key] = v
	return p.uses[key]
}

// settle names what is shared: the one that stands in most places by its kind alone,
// the others with a hash of what they say.
func (p *policies) settle() {
	if p.names != nil {
		return
	}
	p.names = map[string]string{}
	var keys []string
	for key, n := range p.uses {
		if n > 1 && !reflect.ValueOf(p.values[key]).IsZero() {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		if p.uses[a] != p.uses[b] {
			return p.uses[b] - p.uses[a]
		}
		return strings.Compare(a, b)
	})
	taken := map[string]bool{}
	for _, key := range keys {
		name := reflect.TypeOf(p.values[key]).Name()
		if c, ok := p.values[key].(policy.Client); ok {
			name = names.Exported(c.Effect.String()) + "Client"
		}
		if taken[name] {
			sum := sha256.Sum256([]byte(key))
			name += "_" + hex.EncodeToString(sum[:4])
		}
		taken[name] = true
		p.names[key] = names.Private("policy", name)
	}
}

// expr is a policy where it is used: the variable that it shares, or a literal; nil
// for one that says nothing.
func (p *policies) expr(v any) *jen.Statement {
	if reflect.ValueOf(v).IsZero() {
		return nil
	}
	p.settle()
	if name := p.names[policyKey(v)]; name != "" {
		return jen.Id(name)
	}
	return p.literal(reflect.ValueOf(v))
}

// writePolicies writes the shared policies.
//
//	// policyReadClient is shared by 12 operations.
//	var policyReadClient = policy.Client{
//		Effect:  policy.Read,
//		Timeout: &policy.Timeout{Attempt: 10 * time.Second},
//	}
func (e *emitter) writePolicies() {
	p := e.ops.policies
	p.settle()
	keys := slices.Collect(maps.Keys(p.names))
	slices.SortFunc(keys, func(a, b string) int { return strings.Compare(p.names[a], p.names[b]) })
	for _, key := range keys {
		text := fmt.Sprintf("%s is shared by %d policies.", p.names[key], p.uses[key])
		switch p.values[key].(type) {
		case policy.Client, policy.Server:
			if text = fmt.Sprintf("%s is shared by %d operations.", p.names[key], p.users[key]); p.users[key] == 1 {
				text = fmt.Sprintf("%s stands in %d places of one operation.", p.names[key], p.uses[key])
			}
		}
		e.add(filePolicy, "Policy", doc(text),
			jen.Var().Id(p.names[key]).Op("=").Add(p.literal(reflect.ValueOf(p.values[key]))), jen.Line())
	}
}

// specID is the name of an operation at run time.
func (o *operation) specID() string {
	switch {
	case o.ID != "":
		return o.ID
	case o.group.kind == kindOperation:
		return o.Method + " " + o.Path
	}
	return o.n.Base // several callbacks may have one method and one expression
}

// spec writes the policy of one operation.
//
//	var specGetPet = policy.Spec{
//		ID:     "getPet",
//		Method: http.MethodGet,
//		Path:   "/pets/{petId}",
//		Client: policyReadClient,
//	}
func (e *emitter) spec(o *operation) {
	pairs := []pair{{"ID", jen.Lit(o.specID())}, {"Method", methodExpr(o.Method)}, {"Path", jen.Lit(o.routePath())}}
	if d := cmp.Or(o.Policy.Dependency, e.api.Dependency); d != "" {
		pairs = append(pairs, pair{"Dependency", jen.Lit(d)})
	}
	if e.api.Replicas > 1 {
		pairs = append(pairs, pair{"Replicas", jen.Lit(e.api.Replicas)})
	}
	if c := e.ops.policies.expr(o.Policy.Client); c != nil {
		pairs = append(pairs, pair{"Client", c})
	}
	if s := e.ops.policies.expr(o.Policy.Server); s != nil {
		pairs = append(pairs, pair{"Server", s})
	}
	if v := o.Policy.Variants; len(v) > 0 {
		pairs = append(pairs, pair{"Variants", e.ops.policies.member(reflect.ValueOf(v))})
	}
	if f := o.Policy.Profiles; len(f) > 0 {
		pairs = append(pairs, pair{"Profiles", e.ops.policies.member(reflect.ValueOf(f))})
	}
	text := names.Private("spec", o.n.Base) + ": " + o.Pointer
	if len(o.Policy.Sources) > 0 {
		text += "; policy from " + strings.Join(o.Policy.Sources, " and ")
	}
	e.add(filePolicy, o.n.Base, comment(text),
		jen.Var().Id(names.Private("spec", o.n.Base)).Op("=").Add(tall(jen.Qual(pkgPolicy, "Spec"), pairs...)), jen.Line())
}

// profileList are the names of the document's profiles.
func (e *emitter) profileList() *jen.Statement {
	list := make([]jen.Code, len(e.api.Profiles))
	for i, name := range e.api.Profiles {
		list[i] = jen.Lit(name)
	}
	return jen.Index().String().Values(list...)
}

// methodExpr is a method as net/http calls it, where it has a name for it.
func methodExpr(method string) *jen.Statement {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE":
		return jen.Qual("net/http", "Method"+method[:1]+strings.ToLower(method[1:]))
	}
	return jen.Lit(method)
}
