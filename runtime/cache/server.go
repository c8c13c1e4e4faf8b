package cache

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// ServerFields are the fields of a response that a server's policy asks for; an empty one
// is not sent.
type ServerFields struct {
	CacheControl string
	// CDNCacheControl is the field of RFC 9213 for the caches of a CDN.
	CDNCacheControl string
	// Vary has the policy's fields; those of a response itself come in addition.
	Vary []string
	// Tags are names to purge by, for the fields Cache-Tag and Surrogate-Key.
	Tags []string
}

// FieldsOf are the fields of a response that an operation's policy asks for. It is pure.
// The effect is the operation's: what is no read is never stored. A nil policy asks for
// nothing.
func FieldsOf(p *policy.Cache, effect policy.Effect) ServerFields {
	if p == nil || p.Mode == policy.Shadow {
		return ServerFields{}
	}
	if effect != policy.Read || p.Scope == policy.CacheNoStore {
		return ServerFields{CacheControl: "no-store"}
	}
	var b directives
	if p.Scope == policy.CachePublic {
		b.word("public")
	} else {
		b.word("private")
	}
	if p.MaxAge > 0 {
		b.seconds("max-age", p.MaxAge)
	} else {
		b.word("no-cache")
	}
	if p.SharedMaxAge >= 0 && p.Scope == policy.CachePublic {
		b.seconds("s-maxage", p.SharedMaxAge)
	}
	if p.StaleWhileRevalidate > 0 {
		b.seconds("stale-while-revalidate", p.StaleWhileRevalidate)
	}
	if p.StaleIfError > 0 {
		b.seconds("stale-if-error", p.StaleIfError)
	}
	if p.Immutable && p.MaxAge > 0 {
		b.word("immutable")
	}
	f := ServerFields{CacheControl: b.String(), Vary: slices.Clone(p.Vary)}
	if p.CDNMaxAge >= 0 && p.Scope == policy.CachePublic {
		var cdn directives
		cdn.word("public")
		cdn.seconds("max-age", p.CDNMaxAge)
		f.CDNCacheControl = cdn.String()
	}
	return f
}

// Apply sets the fields on a response's header. What the handler has set itself stays; Vary
// is joined.
func (f *ServerFields) Apply(h http.Header, status int) {
	if f.CacheControl == "" {
		return
	}
	control, cdn := f.CacheControl, f.CDNCacheControl
	if control != "no-store" && !keepable(status) {
		// An error is nothing that the policy's freshness was meant for.
		control, cdn = "no-store", ""
	}
	set := func(name, value string) {
		if value != "" && h[name] == nil {
			h[name] = []string{value}
		}
	}
	set("Cache-Control", control)
	if control == "no-store" {
		return
	}
	set("Cdn-Cache-Control", cdn)
	set("Cache-Tag", strings.Join(f.Tags, ","))
	set("Surrogate-Key", strings.Join(f.Tags, " "))
	if len(f.Vary) > 0 {
		h["Vary"] = joinVary(h["Vary"], f.Vary)
	}
}

// keepable reports whether the freshness of a policy holds for responses of a status.
func keepable(status int) bool { return defaultStatus(status) || status == http.StatusNotModified }

// joinVary adds fields to those that are there, each once. A * says it all.
func joinVary(lines, more []string) []string {
	var names []string
	for _, line := range append(slices.Clone(lines), more...) {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.Trim(name, " \t")
			if name == "*" {
				return []string{"*"}
			}
			same := func(other string) bool { return strings.EqualFold(other, name) }
			if isToken(name) && !slices.ContainsFunc(names, same) {
				names = append(names, name)
			}
		}
	}
	return []string{strings.Join(names, ", ")}
}

// directives is a list that is being written.
type directives struct{ b []byte }

func (d *directives) word(s string) {
	if len(d.b) > 0 {
		d.b = append(d.b, ", "...)
	}
	d.b = append(d.b, s...)
}

// seconds writes a directive with a number, rounded down: nothing is fresh for longer than
// was asked for.
func (d *directives) seconds(name string, v time.Duration) {
	d.word(name)
	d.b = append(d.b, '=')
	d.b = strconv.AppendInt(d.b, int64(min(v/time.Second, maxDelta)), 10)
}

// String is the list.
func (d *directives) String() string { return string(d.b) }
