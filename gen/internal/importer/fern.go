package importer

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// The extensions of Fern that have to do with resilience.
const (
	fernRetries    = "x-fern-retries"
	fernIdempotent = "x-fern-idempotent"
	fernHeaders    = "x-fern-idempotency-headers"
	fernPagination = "x-fern-pagination"
	fernStreaming  = "x-fern-streaming"
)

// fernRoot is what the root of a document says for its operations.
type fernRoot struct {
	header string     // of idempotency keys; empty without one
	pages  *load.Node // what x-fern-pagination: true means
}

func (w *work) fernDocument() {
	root := w.doc.Root.Root
	a := &action{target: "$"}
	w.fern.pages = root.Get(fernPagination)
	for i, h := range items(root.Get(fernHeaders)) {
		name, ok := h.Get("header").Str()
		switch {
		case !ok:
			w.wrong(h, "a mapping with header and name")
		case i == 0:
			w.fern.header = name
		default:
			w.losef(a, h, "a call has one idempotency header; %s is for the caller to send", shorten(name))
		}
	}
	if n := root.Get(fernRetries); n != nil {
		if retry := w.fernRetry(a, n); retry != nil {
			a.policy = object{{"version", 1}, {"defaults", object{{"client", object{{"retry", retry}}}}}}
		}
	}
	w.add(a)
	for _, o := range w.ops {
		w.add(w.fernOperation(o))
	}
}

func (w *work) fernOperation(o *operation) *action {
	a := w.actionFor(o)
	if n := o.node.Get(fernRetries); n != nil {
		if retry := w.fernRetry(a, n); retry != nil {
			a.policy.set("client", object{{"retry", retry}})
		}
	}
	if n := o.node.Get(fernIdempotent); w.flag(n, false) {
		if w.fern.header == "" {
			// Without a header the word is all there is: a repeat does no harm.
			a.policy.set("effect", "idempotent")
		} else {
			key := object{{"key", "caller"}, {"required", false}}
			if w.fern.header != "Idempotency-Key" {
				key.set("header", w.fern.header)
			}
			a.policy.set("client", append(clientOf(&a.policy), field{"idempotency", key}))
		}
	}
	if n := o.node.Get(fernPagination); n != nil {
		w.fernPages(a, o, n)
	}
	if n := o.node.Get(fernStreaming); n != nil {
		w.fernStream(a, n)
	}
	return a
}

// clientOf takes the client part out of a policy.
func clientOf(o *object) object {
	for i, f := range *o {
		if client, ok := f.value.(object); ok && f.key == "client" {
			*o = append((*o)[:i:i], (*o)[i+1:]...)
			return client
		}
	}
	return nil
}

func (w *work) fernRetry(a *action, n *load.Node) any {
	if !n.Is(load.Object) {
		w.wrong(n, "a mapping with disabled or max-attempts")
		return nil
	}
	if w.flag(n.Get("disabled"), false) {
		return "none"
	}
	if f, ok := w.number(n.Get("max-attempts")); ok {
		return object{{"maxAttempts", w.tries(a, n.Get("max-attempts"), f)}}
	}
	return nil
}

func (w *work) fernPages(a *action, o *operation, n *load.Node) {
	if use, ok := n.Bool(); ok {
		if !use {
			return
		}
		if w.fern.pages == nil {
			w.wrong(n, "true only where the root has "+fernPagination)
			return
		}
		n = w.fern.pages
	}
	if n.Has("offset") {
		w.losef(a, n, "pages by number or offset have no equivalent: pages follow what the response names as next")
		return
	}
	next := ""
	for _, key := range []string{"next_cursor", "next_uri", "next_path"} {
		if n.Has(key) {
			next = key
		}
	}
	if next == "" || !n.Has("results") {
		w.losef(a, n, "pages need results and one of next_cursor, next_uri and next_path")
		return
	}
	pages := object{}
	for _, part := range []struct{ key, from string }{{"items", "results"}, {"next", next}} {
		at := n.Get(part.from)
		e, ok := fernPlace("$response", at)
		if !ok {
			w.losef(a, at, "%s names no one place in the response", part.from)
			return
		}
		pages.set(part.key, e)
	}
	if next == "next_cursor" {
		e, ok := w.fernCursor(o, n.Get("cursor"))
		if !ok {
			w.losef(a, n, "cursor names no parameter of the operation and no place in the body")
			return
		}
		pages.set("param", e)
	}
	a.policy.set("pages", pages)
}

// fernPlace turns $response.a.b, the dots of Fern, into an expression.
func fernPlace(side string, n *load.Node) (string, bool) {
	text, _ := n.Str()
	rest, ok := strings.CutPrefix(text, side)
	if !ok {
		return "", false
	}
	return bodyOf(side, "$"+rest)
}

// fernCursor is where a request takes the cursor: a parameter of that name, or
// else a property of the body.
func (w *work) fernCursor(o *operation, n *load.Node) (string, bool) {
	text, _ := n.Str()
	name, ok := strings.CutPrefix(text, "$request.")
	if !ok {
		return "", false
	}
	if e, ok := w.parameter(o, name); ok {
		return e, true
	}
	if !o.node.Has("requestBody") {
		return "", false
	}
	return bodyOf("$request", "$."+strings.TrimPrefix(name, "body."))
}

// fernStream says what becomes of a stream: its form is that of the media types
// of the document, and of Fern's two methods by a condition it makes none.
func (w *work) fernStream(a *action, n *load.Node) {
	if !n.Is(load.Object) {
		return // true: the media types say all of it
	}
	if c := n.Get("stream-condition"); c != nil {
		w.losef(a, c, "one operation that streams on a condition stays one operation: its timeouts can differ by variants")
	}
	if n.Has("resumable") {
		w.losef(a, n.Get("resumable"), "resuming a stream needs the parameter and the place of the mark: see stream.resume")
	}
}
