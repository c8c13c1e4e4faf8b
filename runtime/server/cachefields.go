package server

import (
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/internal/etag"
	"github.com/holdfast-go/holdfast/runtime/internal/lookup"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// reply is what the policy of an operation adds to its answers.
type reply struct {
	fields cache.ServerFields
	tags   []policy.Template
	// versioned says that the entity tag is the version of what is answered with, which
	// version finds in the answer where the method does not tell it.
	versioned bool
	version   policy.Expr
	// hashed says that an answer without an entity tag gets one of its content.
	hashed bool
}

// replyOf is nil for an operation that adds nothing.
func replyOf(spec *policy.Spec, produces []string) *reply {
	effect := spec.Client.Effect
	read := effect == policy.Read
	r := &reply{fields: cache.FieldsOf(spec.Server.Cache, effect)}
	kept := r.fields.CacheControl != "" && r.fields.CacheControl != "no-store"
	if kept {
		r.tags = spec.Server.Cache.Tags
		if len(produces) > 1 {
			r.fields.Vary = append(r.fields.Vary, "Accept")
		}
	}
	if c := spec.Server.Concurrency; c != nil && c.Mode == policy.Enforce {
		r.versioned = true
		if ofAnswer(c.Version) {
			r.version = c.Version
		}
	}
	r.hashed = kept && read && !r.versioned
	if r.fields.CacheControl == "" && !r.versioned {
		return nil
	}
	return r
}

// ofAnswer reports whether an expression is about a response.
func ofAnswer(e policy.Expr) bool {
	return e.Source == policy.FromResponseHeader || e.Source == policy.FromResponseBody
}

// cacheFields sets the fields that say how long, and for whom, an answer may be kept.
func (x *exchange) cacheFields(status int) {
	if x.endpoint == nil || x.endpoint.reply == nil {
		return
	}
	r := x.endpoint.reply
	if len(r.tags) == 0 {
		r.fields.Apply(x.w.Header(), status)
		return
	}
	fields := r.fields
	look := values{x: x}
	for _, t := range r.tags {
		if tag, ok := t.Expand(&look); ok && isTag(tag) {
			fields.Tags = append(fields.Tags, tag)
		}
	}
	fields.Apply(x.w.Header(), status)
}

// forgetFields takes back what was said about an answer that could not be given.
func (x *exchange) forgetFields() {
	if x.endpoint == nil || x.endpoint.reply == nil {
		return
	}
	for _, name := range [...]string{"Cache-Control", "Cdn-Cache-Control", "Cache-Tag", "Surrogate-Key", "Etag"} {
		delete(x.w.Header(), name)
	}
}

// isTag reports whether a text can stand in the lists of tags, which have commas and
// spaces between them.
func isTag(s string) bool {
	const most = 1024
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || c == ',' {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// unmodified finishes the header of an answer, and reports whether the caller has the
// answer already: then 304 is all that it needs.
func (x *exchange) unmodified(w *Response) bool {
	r := x.endpoint.reply
	if r == nil {
		return false
	}
	x.cacheFields(w.status)
	h := x.w.Header()
	if h["Etag"] == nil && w.status >= 200 && w.status <= 299 {
		if tag, ok := x.entityTag(r, w); ok {
			h["Etag"] = []string{tag.String()}
		}
	}
	if w.status != http.StatusOK || x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
		return false
	}
	return x.fresh(h)
}

// entityTag is that of an answer without one.
func (x *exchange) entityTag(r *reply, w *Response) (etag.Tag, bool) {
	switch {
	case x.call.hasVersion:
		return tagOf(x.call.version), true
	case !r.version.IsZero():
		v, ok := answerValue(w, r.version)
		return tagOf(v.Plain()), ok && !(v.JSON && v.Text == "null")
	case r.hashed && w.kind == bytesBody && w.status == http.StatusOK:
		return etag.OfContent(w.contentType, w.buf), true
	}
	return etag.Tag{}, false
}

// answerValue is a value of an answer, whose body must be in memory.
func answerValue(w *Response, e policy.Expr) (policy.Value, bool) {
	if e.Source == policy.FromResponseHeader {
		name := http.CanonicalHeaderKey(e.Name)
		for _, f := range w.header {
			if f.name == name {
				return policy.Value{Text: f.value}, true
			}
		}
		return policy.Value{}, false
	}
	if w.kind != bytesBody {
		return policy.Value{}, false
	}
	var tree lookup.Tree
	return tree.Body(w.buf, w.contentType, e.Name)
}

// fresh reports whether what the caller has is what it would get, by RFC 9110, section
// 13.2.2: a tag counts before a date.
func (x *exchange) fresh(h http.Header) bool {
	if lines := x.r.Header["If-None-Match"]; len(lines) > 0 {
		have, ok := etag.ParseList(lines)
		tag, tagged := etag.Parse(h.Get("ETag"))
		return ok && (have.Any || tagged && have.Weakly(tag))
	}
	since, err := http.ParseTime(x.headerLine("If-Modified-Since"))
	if err != nil {
		return false
	}
	changed, err := http.ParseTime(h.Get("Last-Modified"))
	return err == nil && !changed.Truncate(time.Second).After(since)
}

// notModified answers 304. The caller has the content, and what is said of it.
func (x *exchange) notModified(w *Response) {
	w.closeReader()
	h := x.w.Header()
	delete(h, "Content-Type")
	delete(h, "Content-Length")
	x.begin(http.StatusNotModified)
}
