package importer

import (
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// The defaults of Speakeasy's backoff, and the time of one try that the language
// has where none is written.
const (
	speakeasyInitial = 500 * time.Millisecond
	speakeasyMax     = 60 * time.Second
	defaultAttempt   = 10 * time.Second
)

// The extensions of Speakeasy that have to do with resilience.
const (
	speakeasyRetries    = "x-speakeasy-retries"
	speakeasyTimeout    = "x-speakeasy-timeout"
	speakeasyPagination = "x-speakeasy-pagination"
	speakeasyPolling    = "x-speakeasy-polling"
)

func (w *work) speakeasyDocument() {
	root := w.doc.Root.Root
	a := &action{target: "$"}
	if client := w.speakeasyPolicy(a, root, nil); len(client) > 0 {
		a.policy = object{{"version", 1}, {"defaults", object{{"client", client}}}}
	}
	if root.Has(speakeasyRetries) {
		under := slices.DeleteFunc(slices.Clone(w.ops), func(o *operation) bool { return o.node.Has(speakeasyRetries) })
		w.keyless(a, root.Get(speakeasyRetries), under)
	}
	w.add(a)
	for _, o := range w.ops {
		a := w.actionFor(o)
		if client := w.speakeasyPolicy(a, o.node, root); len(client) > 0 {
			a.policy.set("client", client)
		}
		if o.node.Has(speakeasyRetries) {
			w.keyless(a, o.node.Get(speakeasyRetries), []*operation{o})
		}
		if n := o.node.Get(speakeasyPagination); n != nil {
			w.speakeasyPages(a, o, n)
		}
		if n := o.node.Get(speakeasyPolling); n != nil {
			w.losef(a, n, "polling is written by hand: see poll in the language")
		}
		w.add(a)
	}
}

// keyless says of writes that they are not repeated although they would be there.
func (w *work) keyless(a *action, n *load.Node, ops []*operation) {
	if text, _ := n.Get("strategy").Str(); text == "none" {
		return
	}
	var names []string
	for _, o := range ops {
		if slices.Contains(writes, o.method) {
			names = append(names, strings.ToUpper(o.method)+" "+o.path)
		}
	}
	if len(names) == 0 {
		return
	}
	const most = 3
	more := ""
	if len(names) > most {
		names, more = names[:most], ", …"
	}
	w.losef(a, n, "writes are repeated only with an idempotency key, or with effect: idempotent where a repeat does no harm (%s%s)", strings.Join(names, ", "), more)
}

// speakeasyPolicy is the client's policy of a root or an operation, whose
// extensions take the place of those above it.
func (w *work) speakeasyPolicy(a *action, n, above *load.Node) object {
	var client, timeout object
	attempt, hasAttempt := time.Duration(0), false
	if t := n.Get(speakeasyTimeout); t != nil {
		if attempt, hasAttempt = w.inUnits(t, time.Millisecond); hasAttempt && attempt <= 0 {
			w.losef(a, t, "a try without a bound has no equivalent: the default holds")
			hasAttempt = false
		}
	}
	if hasAttempt {
		timeout.set("attempt", attempt)
	} else if above != nil {
		if d, ok := w.inUnits(above.Get(speakeasyTimeout), time.Millisecond); ok {
			attempt = d
		}
	}
	if attempt <= 0 {
		attempt = defaultAttempt
	}
	retries := n.Get(speakeasyRetries)
	var retry any
	if retries != nil {
		var total time.Duration
		if retry, total = w.speakeasyRetry(a, retries); total > 0 {
			// Speakeasy looks at the clock before a try; the last one still has
			// its own time.
			timeout.set("total", total+attempt)
		}
	}
	if len(timeout) > 0 {
		client.set("timeout", timeout)
	}
	if retry != nil {
		client.set("retry", retry)
	}
	return client
}

// speakeasyRetry is the policy of one x-speakeasy-retries, and the time after
// which no try is begun, 0 without one.
func (w *work) speakeasyRetry(a *action, n *load.Node) (retry any, elapsed time.Duration) {
	if !n.Is(load.Object) {
		w.wrong(n, "a mapping with strategy, backoff, statusCodes, retryConnectionErrors")
		return nil, 0
	}
	switch strategy, _ := n.Get("strategy").Str(); strategy {
	case "none":
		return "none", 0
	case "backoff":
	default:
		at := n.Get("strategy")
		if at == nil {
			at = n
		}
		w.wrong(at, "the strategy backoff or none")
		return nil, 0
	}
	b := n.Get("backoff")
	base, most := speakeasyInitial, speakeasyMax
	if d, ok := w.inUnits(b.Get("initialInterval"), time.Millisecond); ok {
		base = d
	}
	if d, ok := w.inUnits(b.Get("maxInterval"), time.Millisecond); ok {
		most = d
	}
	elapsed, _ = w.inUnits(b.Get("maxElapsedTime"), time.Millisecond)
	w.backoff(a, b.Get("exponent"))
	r := object{{"maxAttempts", w.within(a, n, base, most, elapsed)}}
	delays(&r, base, most)
	if codes := n.Get("statusCodes"); codes != nil {
		w.statuses(&r, items(codes))
	}
	errs := []any{}
	if w.flag(n.Get("retryConnectionErrors"), false) {
		errs = []any{"connect", "reset", "timeout", "eof", "dns", "tls"}
	}
	r.set("errors", errs)
	return r, elapsed
}

// within is the number of tries that begin within a time, when each wait takes as
// long as it can. Speakeasy has no number of its own.
func (w *work) within(a *action, n *load.Node, base, most, elapsed time.Duration) int {
	if elapsed <= 0 {
		elapsed = time.Hour // Speakeasy's default
	}
	tries, at := 1, time.Duration(0)
	for wait := max(base, time.Millisecond); tries < 10; wait = min(2*wait, max(most, base)) {
		if at += wait; at > elapsed {
			return tries
		}
		tries++
	}
	w.losef(a, n, "tries have no number there, only a time; a call has ten at most: maxAttempts 10")
	return tries
}

// speakeasyPages is the policy of one x-speakeasy-pagination.
func (w *work) speakeasyPages(a *action, o *operation, n *load.Node) {
	kind, _ := n.Get("type").Str()
	next := "nextCursor"
	switch kind {
	case "cursor":
	case "url":
		next = "nextUrl"
	case "offsetLimit":
		w.losef(a, n, "pages by number or offset have no equivalent: pages follow what the response names as next")
		return
	default:
		w.wrong(n, "a mapping with the type cursor, url or offsetLimit")
		return
	}
	outputs := n.Get("outputs")
	results, from := outputs.Get("results"), outputs.Get(next)
	if from == nil || results == nil {
		w.losef(a, n, "pages need outputs.results and outputs.%s", next)
		return
	}
	pages := object{}
	for _, part := range []struct {
		key string
		at  *load.Node
	}{{"items", results}, {"next", from}} {
		text, _ := part.at.Written()
		e, ok := bodyOf("$response", text)
		if !ok {
			w.losef(a, part.at, "the path %s names no one place in the response", shorten(text))
			return
		}
		pages.set(part.key, e)
	}
	if kind == "cursor" {
		e, ok := w.speakeasyCursor(o, n)
		if !ok {
			w.losef(a, n, "no input of the type cursor names a parameter or a place in the body")
			return
		}
		pages.set("param", e)
	}
	a.policy.set("pages", pages)
}

// speakeasyCursor is where a request takes the cursor.
func (w *work) speakeasyCursor(o *operation, n *load.Node) (string, bool) {
	for _, in := range items(n.Get("inputs")) {
		if kind, _ := in.Get("type").Str(); kind != "cursor" {
			continue
		}
		name, _ := in.Get("name").Str()
		if where, _ := in.Get("in").Str(); where == "requestBody" {
			return bodyOf("$request", "$['"+name+"']")
		}
		return w.parameter(o, name)
	}
	return "", false
}
