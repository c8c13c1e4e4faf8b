package lint

import (
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

var cacheChecks = []func(*view){publicCache, unboundedCache, endlessCache, memoryCaches}

func publicCache(v *view) {
	c, s := v.v.Server.Cache, server
	if v.in.API.External {
		c, s = v.v.Client.Cache, client
	}
	if c == nil || c.Scope != policy.CachePublic || !c.SameForAll || !v.secured() {
		return
	}
	v.found("cache-public-security", v.at(s, "cache.scope", "cache.sameForAll"), "an answer behind security is cached publicly")
}

const largeCache = 1 << 30

func unboundedCache(v *view) {
	c := v.v.Client.Cache
	if c == nil || c.Store != policy.CacheInMemory || c.MaxBytes > 0 && c.MaxBytes <= largeCache || v.v.Client.Effect != policy.Read {
		return
	}
	g := v.found("cache-unbounded", v.at(client, "cache.maxBytes"), "a cache in memory may take more than 1 GiB")
	v.mend(g, client, "cache.maxBytes", "64MiB")
}

func endlessCache(v *view) {
	c, s := v.v.Server.Cache, server
	if v.in.API.External || c == nil {
		c, s = v.v.Client.Cache, client
	}
	if c == nil || c.MaxAge <= 24*time.Hour || c.Immutable || len(c.Tags) > 0 || v.v.Client.Effect != policy.Read || v.invalidated() {
		return
	}
	g := v.found("cache-forever", v.at(s, "cache.maxAge"), fmt.Sprintf("answers are fresh for %s and nothing invalidates them", spanText(c.MaxAge)))
	v.mend(g, client, "cache.maxAge", "24h")
	if !v.in.API.External {
		v.mend(g, server, "cache.maxAge", "24h")
	}
}

// invalidated reports whether another operation outdates the answers of this one.
func (v *view) invalidated() bool {
	if v.outdated == nil {
		v.outdated = map[string]bool{}
		for _, w := range v.views {
			for _, c := range []*policy.Cache{w.v.Client.Cache, w.v.Server.Cache} {
				if c == nil {
					continue
				}
				for _, i := range c.Invalidates {
					v.outdated[i.Operation] = true
				}
			}
		}
	}
	return v.outdated[v.op.ID] || v.outdated[v.op.Key]
}

func memoryCaches(v *view) {
	c := v.v.Client.Cache
	if c == nil || c.Store != policy.CacheInMemory || v.in.API.Replicas < 2 || v.v.Client.Effect != policy.Read {
		return
	}
	at, _ := v.within(client, "cache")
	v.found("cache-memory-replicas", at, fmt.Sprintf("%d replicas keep a cache in memory each", v.in.API.Replicas))
}
