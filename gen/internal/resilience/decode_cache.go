package resilience

import (
	"net/textproto"
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// cache is nil where nothing is kept and nothing outdated.
func (d *decoder) cache() *policy.Cache {
	f := d.fields("cache")
	if f == nil {
		return nil
	}
	c := &policy.Cache{Mode: f.mode(), Invalidates: d.invalidates(f.get("invalidates"))}
	if effectOf(d.o) != policy.Read {
		return d.cacheOfWrite(f, c)
	}
	c.MaxAge, c.StaleWhileRevalidate, c.StaleIfError = f.span("maxAge"), f.span("staleWhileRevalidate"), f.span("staleIfError")
	c.SharedMaxAge, c.CDNMaxAge = f.spanOr("sharedMaxAge", policy.None), f.spanOr("cdnMaxAge", policy.None)
	c.Immutable, c.SameForAll = f.flag("immutable"), f.flag("sameForAll")
	c.Scope = enum(f.word("scope"), policy.CacheScope.String)
	for _, name := range f.texts("vary") {
		c.Vary = append(c.Vary, textproto.CanonicalMIMEHeaderKey(name))
	}
	c.Tags = d.templates(f.get("tags"), "cache.tags")
	c.Key = d.exprs(f.get("key"), "cache.key")
	c.Store = enum(f.word("store"), policy.CacheStore.String)
	c.MaxBytes, _ = parseSize(f.word("maxBytes"))
	if c.Scope == policy.CachePublic && len(d.o.op.Security) > 0 && !c.SameForAll && len(c.Vary) == 0 {
		d.fault([]*value{f.get("scope")}, "resilience-cache-public",
			"cache.scope public keeps what one caller may see for all others: the operation has security, and neither vary nor sameForAll").
			Hintf("sameForAll: true where the answer does not depend on who asks, else vary: [Authorization] or scope: private")
	}
	return c
}

// cacheOfWrite keeps nothing. What comes from the default preset alone is not meant
// for it and is left out; what somebody has written is an error.
func (d *decoder) cacheOfWrite(f *value, c *policy.Cache) *policy.Cache {
	for i, name := range f.keys {
		v := f.values[i]
		if name == "invalidates" || name == "mode" || !v.written() || v.at == nil || v.at != v.node && v.at.Is(load.Object) {
			continue
		}
		d.fault([]*value{v}, "resilience-conflict", "cache keeps answers of reads, and the effect of this operation is %s: only invalidates may stand here", effectOf(d.o)).
			Hintf("cache: false, or effect: read where it only reads")
		return nil
	}
	if f.get("invalidates") == nil {
		return nil
	}
	// The answer is no-store; the zero of what does not count stays zero but for
	// what None says.
	c.Scope, c.SharedMaxAge, c.CDNMaxAge = policy.CacheNoStore, policy.None, policy.None
	return c
}

// spanOr is a duration among the members, or another where it is not there.
func (v *value) spanOr(name string, other time.Duration) time.Duration {
	if v.get(name) == nil {
		return other
	}
	return v.span(name)
}

// invalidates are the entries of other operations that a success outdates.
func (d *decoder) invalidates(v *value) []policy.Invalidation {
	if v == nil {
		return nil
	}
	var out []policy.Invalidation
	for i, id := range v.keys {
		entry := v.values[i]
		path := "cache.invalidates." + id
		of := d.index.byID[id]
		if of == nil && slices.Contains(d.leftOutIDs, id) {
			continue // nothing of it is kept
		}
		if of == nil {
			report := d.fault([]*value{entry}, "resilience-unknown-operation", "cache.invalidates: there is no operation %s", shown(id))
			if near, ok := diag.Nearest(id, d.index.ids); ok {
				report.Hintf("did you mean %s?", near)
			}
			continue
		}
		inv := policy.Invalidation{Operation: of.op.Key}
		for j, name := range entry.keys {
			from := entry.values[j]
			in := of.parameterIn(name)
			if in == "" {
				d.fault([]*value{from}, "resilience-expression", "%s: %s has no parameter %s", path, of.name(), shown(name))
				continue
			}
			inv.Params = append(inv.Params, policy.ParamValue{In: in, Name: name, From: d.expr(from, from.node, path+"."+name)})
		}
		out = append(out, inv)
	}
	return out
}

// parameterIn is where a parameter stands, the path first; empty for none.
func (o *operation) parameterIn(name string) string {
	for _, in := range []string{"path", "query", "header"} {
		for _, p := range o.op.Params {
			if p.In == in && p.Name == name {
				return in
			}
		}
	}
	return ""
}
