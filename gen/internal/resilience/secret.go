package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// secretsOf reports expressions of a derived key that name what must not be kept:
// values that are written only, passwords and credentials.
func (d *decoder) secretsOf(v *value, from []policy.Expr) {
	if v == nil {
		return
	}
	for i, n := range items(v.node) {
		if i >= len(from) {
			return
		}
		names := d.o.secretsAt(from[i])
		if len(names) == 0 {
			continue
		}
		at := &value{node: n, at: n, weight: v.weight}
		if v.at != v.node {
			at.at = v.at
		}
		d.fault([]*value{at}, "resilience-secret", "idempotency.from %s holds what must not be kept, writeOnly values or passwords: %s",
			shown(from[i].String()), several(names))
	}
}

// secretsAt names what is secret in the value of an expression.
func (o *operation) secretsAt(e policy.Expr) []string {
	switch e.Source {
	case policy.FromHeader:
		if isCredential(e.Name) {
			return []string{e.Name}
		}
		return o.secretParameter("header", e.Name)
	case policy.FromQuery:
		return o.secretParameter("query", e.Name)
	case policy.FromBody:
		return o.secretsIn(e.Name)
	case policy.FromRequest:
		return o.secretsIn("")
	}
	return nil
}

func isCredential(header string) bool {
	return slices.ContainsFunc([]string{"Authorization", "Proxy-Authorization", "Cookie"}, func(h string) bool {
		return strings.EqualFold(h, header)
	})
}

func (o *operation) secretParameter(in, name string) []string {
	for _, p := range o.op.Params {
		if p.In == in && strings.EqualFold(p.Name, name) && p.Use != nil && p.Use.Type != nil &&
			(p.Use.Type.Format == "password" || p.Use.Type.WriteOnly) {
			return []string{p.Name}
		}
	}
	return nil
}

// secretsIn names the secret members at and below a pointer into the body.
func (o *operation) secretsIn(pointer string) []string {
	if o.op.Body == nil {
		return nil
	}
	return secretsInContents(o.op.Body.Contents, pointer)
}

// secretsInContents names the secret members at and below a pointer into a body.
func secretsInContents(contents []*ir.Content, pointer string) []string {
	var names []string
	for _, c := range contents {
		if c.Kind == ir.ContentJSON {
			w := walker{}
			w.reaches(c.Use, tokens(pointer))
			for _, f := range w.found {
				if isSecret(f) {
					names = append(names, f.Name)
				}
			}
			for _, u := range w.ends {
				names = secretsBelow(names, u, map[*ir.Type]bool{})
			}
		}
		for _, part := range c.Parts {
			if pointer == "" && part.Field != nil && isSecret(part.Field) {
				names = append(names, part.Field.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func isSecret(f *ir.Field) bool {
	if f.WriteOnly || f.Secret {
		return true
	}
	return f.Use != nil && f.Use.Type != nil && (f.Use.Type.WriteOnly || f.Use.Type.Format == "password")
}

// secretsBelow adds the secret members below a use.
func secretsBelow(names []string, u *ir.Use, seen map[*ir.Type]bool) []string {
	if u == nil || u.Type == nil || seen[u.Type] {
		return names
	}
	t := u.Type
	seen[t] = true
	for _, f := range t.Fields {
		if isSecret(f) {
			names = append(names, f.Name)
			continue
		}
		names = secretsBelow(names, f.Use, seen)
	}
	more := append([]*ir.Use{t.Elem, t.Extra, t.Target}, t.Tuple...)
	for _, p := range t.Patterns {
		more = append(more, p.Use)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			more = append(more, v.Use)
		}
	}
	for _, next := range more {
		names = secretsBelow(names, next, seen)
	}
	return names
}

// fingerprint is what must be the same in a repeat. The whole request may not be
// hashed and kept where the body has secrets; from stands in for it.
func (d *decoder) fingerprint(f *value, from []policy.Expr) policy.Fingerprint {
	v := f.get("fingerprint")
	chosen := enum(f.word("fingerprint"), policy.Fingerprint.String)
	if chosen == policy.FingerprintFrom {
		if len(from) == 0 {
			d.fault([]*value{v}, "resilience-missing", "idempotency.fingerprint from needs from: the expressions that it is made of")
		}
		return chosen
	}
	if d.at == clientSide {
		return chosen
	}
	names := d.o.secretsIn("")
	switch {
	case len(names) == 0:
	case v.written():
		d.fault([]*value{v}, "resilience-secret", "idempotency.fingerprint request would keep a hash of writeOnly values or passwords: %s", several(names)).
			Hintf("write fingerprint: from, and from with the expressions that name the intent")
	case len(from) == 0:
		s := d.slots["idempotency"]
		at := &value{node: s.at, at: s.at, weight: s.weight}
		d.fault([]*value{at}, "resilience-secret", "idempotency needs from: the body has writeOnly values or passwords, which must not be kept: %s", several(names)).
			Hintf("from: the expressions that name the intent, an order id say")
	default:
		return policy.FingerprintFrom
	}
	return chosen
}

// literalSecrets reports texts that are credentials: the language takes names of
// secrets only. The whole annotation is searched, whatever it is for.
func (r *reader) literalSecrets(n *load.Node, path string) {
	if n == nil {
		return
	}
	for _, item := range n.Items {
		r.literalSecrets(item, path)
	}
	for _, m := range n.Members {
		at := path + "." + m.Key
		if m.Key == "secret" || m.Key == "secrets" {
			for _, s := range items(m.Value) {
				if text, ok := s.Str(); ok && !fitsSecretName(text) && !looksSecret(text) {
					r.fail(s, "resilience-secret", "%s is no name of a secret: want a name, never the secret itself", at)
				}
			}
		}
		r.literalSecrets(m.Value, at)
	}
	if text, ok := n.Str(); ok && looksSecret(text) {
		// The text itself is kept out of the report, which may end in a log.
		r.fail(n, "resilience-secret", "%s holds what looks like a secret: want its name, never the secret itself", path)
	}
}

// fitsSecretName reports whether text can be the name of a secret.
func fitsSecretName(text string) bool {
	const most = 100
	for i := range len(text) {
		c := text[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-./", c) >= 0) {
			return false
		}
	}
	return text != "" && len(text) <= most
}

// secretPrefixes are how credentials begin that can be told from names.
var secretPrefixes = []string{
	"sk_live_", "sk_test_", "rk_live_", "whsec_", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "ASIA",
	"AIza", "sk-ant-", "sk-proj-", "-----BEGIN ", "eyJhbGciOi",
}

// leastSecret is what follows such a prefix at least.
const leastSecret = 8

func looksSecret(text string) bool {
	for _, word := range []string{"Bearer ", "Basic ", "bearer ", "basic "} {
		if rest, ok := strings.CutPrefix(text, word); ok && len(rest) >= 2*leastSecret && !strings.ContainsAny(rest, " *") {
			return true
		}
	}
	for _, p := range secretPrefixes {
		if rest, ok := strings.CutPrefix(text, p); ok && len(rest) >= leastSecret && !strings.Contains(rest, "*") {
			return true
		}
	}
	return false
}
