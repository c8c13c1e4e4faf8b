package cache

import (
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Rules are the settings of one operation. The zero value takes the freshness of the
// rules as zero and so stores only what tells its own; [DefaultRules] is the plain cache
// of RFC 9111. They are not changed once they are in use.
type Rules struct {
	// Mode: a shadow stores and looks up, but every request goes to the origin.
	Mode policy.Mode
	// Operation names the operation, for [Cache.Invalidate] and events.
	Operation string
	// DefaultAge is the freshness of a response that tells none of its own. Zero
	// revalidates it each time; [policy.None] takes a tenth of the time since its last
	// change, as RFC 9111 suggests.
	DefaultAge time.Duration
	// StaleWhileRevalidate and StaleIfError hold where a response says nothing of them.
	StaleWhileRevalidate time.Duration
	StaleIfError         time.Duration
	// Vary are fields of the request that tell entries apart whatever the response says.
	Vary []string
	// SameForAll leaves the credential out of the key.
	SameForAll bool
	// Bodies stores POST and QUERY as well, by the digest of their body. It is for
	// operations that only read.
	Bodies bool
	// Off lets everything pass, for an operation whose answers nobody may keep.
	Off bool
}

// DefaultRules are those of a plain private cache.
func DefaultRules() *Rules { return &Rules{DefaultAge: policy.None} }

// RulesOf are the rules of a client's policy for one operation.
func RulesOf(p *policy.Cache, effect policy.Effect, operation string) *Rules {
	r := &Rules{
		Mode: p.Mode, Operation: operation, DefaultAge: p.MaxAge,
		StaleWhileRevalidate: p.StaleWhileRevalidate, StaleIfError: p.StaleIfError, SameForAll: p.SameForAll,
		Bodies: effect == policy.Read, Off: effect != policy.Read || p.Scope == policy.CacheNoStore,
	}
	for _, name := range p.Vary {
		r.Vary = append(r.Vary, http.CanonicalHeaderKey(name))
	}
	return r
}

// storable reports whether a response may be stored (RFC 9111 section 3).
func (e *Entry) storable(r *http.Request, req *Control, rules *Rules, shared bool) bool {
	c := &e.control
	switch {
	case e.Status < 200 || e.Status == http.StatusPartialContent || e.Status == http.StatusNotModified:
		return false
	case req.NoStore:
		return false
	case strings.HasPrefix(one(e.Header, "Content-Type"), "text/event-stream"):
		return false // it has no end that could be waited for
	case c.MustUnderstand && http.StatusText(e.Status) == "":
		return false
	case c.NoStore && !c.MustUnderstand:
		return false
	case shared && c.Private && len(c.PrivateFields) == 0:
		return false
	case shared && len(r.Header["Authorization"]) > 0 && !c.Public && !c.MustRevalidate && !c.SharedMaxAge.Set:
		return false
	}
	life, explicit := e.lifetime(rules, shared)
	if !explicit && !heuristicStatus(e.Status) && !c.Public {
		return false
	}
	etag, modified := e.validators()
	// Without any of these it could never be used again.
	return life > 0 || etag != "" || modified != "" ||
		grace(c.StaleIfError, rules.StaleIfError) > 0 || grace(c.StaleWhileRevalidate, rules.StaleWhileRevalidate) > 0
}
