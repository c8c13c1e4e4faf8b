package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// The defaults of APIMatic.
const (
	apimaticInterval = time.Second
	apimaticFactor   = 2
)

// apimaticFile imports from an OpenAPI document, which holds the settings in its
// info, or from a metadata file, which holds them as CodeGenSettings.
func (w *work) apimaticFile(ctx context.Context, opt Options) {
	data, err := opt.Read(opt.Path, maxConfig)
	if err == nil {
		quiet := load.Parse(opt.Path, data, nil)
		if quiet != nil && !quiet.Root.Has("openapi") && !quiet.Root.Has("swagger") {
			file := load.Parse(opt.Path, data, w.list) // once more for its faults
			settings := memberLike(file.Root, "CodeGenSettings")
			if settings == nil {
				w.list.Error(file.Root.Pos(), "import-nothing", "", "this is no OpenAPI document, and it has no CodeGenSettings")
				return
			}
			w.apimatic(settings)
			return
		}
	}
	// Documents may be larger than metadata; load has its own bounds and words.
	doc := load.Load(ctx, load.Options{Path: opt.Path}, w.list)
	if doc == nil {
		return
	}
	w.readOperations(doc) //nolint:contextcheck // doc holds it
	info := doc.Root.Root.Get("info")
	settings := info.Get("x-codegen-settings")
	if settings == nil {
		settings = doc.Root.Root.Get("x-codegen-settings")
	}
	if settings != nil {
		w.apimatic(settings)
	}
	w.apimaticOperations()
}

// memberLike finds a member whatever the case of its letters: APIMatic takes
// both BackOffFactor and BackoffFactor.
func memberLike(n *load.Node, names ...string) *load.Node {
	for _, m := range members(n) {
		for _, name := range names {
			if strings.EqualFold(m.Key, name) {
				return m.Value
			}
		}
	}
	return nil
}

// apimatic imports the settings of the whole client.
func (w *work) apimatic(n *load.Node) {
	if !n.Is(load.Object) {
		w.wrong(n, "a mapping of settings")
		return
	}
	a := &action{target: "$"}
	var client, timeout object
	attempt := defaultAttempt
	if t := memberLike(n, "Timeout"); t != nil {
		switch d, ok := w.inUnits(t, time.Second); {
		case ok && d > 0:
			attempt = d
			timeout.set("attempt", d)
		case ok:
			w.losef(a, t, "a try without a bound has no equivalent: the default of %s holds", span(defaultAttempt))
		}
	}
	var retry any
	tries := 0
	if f, ok := w.number(memberLike(n, "Retries", "NumberOfRetries")); ok {
		tries = w.tries(a, memberLike(n, "Retries", "NumberOfRetries"), f+1)
		retry = w.apimaticRetry(a, n, tries)
	}
	if d, ok := w.inUnits(memberLike(n, "BackoffMax", "MaximumRetryWaitTime"), time.Second); ok && d > 0 && tries > 1 {
		timeout.set("total", d+time.Duration(tries)*attempt)
	}
	if len(timeout) > 0 {
		client.set("timeout", timeout)
	}
	if retry != nil {
		client.set("retry", retry)
	}
	if len(client) > 0 {
		a.policy = object{{"version", 1}, {"defaults", object{{"client", client}}}}
	}
	if tries > 1 {
		w.apimaticMethods(a, memberLike(n, "RequestMethodsToRetry"))
	}
	w.add(a)
}

// apimaticRetry is the retry policy for a number of tries.
func (w *work) apimaticRetry(a *action, n *load.Node, tries int) any {
	if tries <= 1 {
		return "none"
	}
	base := apimaticInterval
	if d, ok := w.inUnits(memberLike(n, "RetryInterval"), time.Second); ok {
		base = d
	}
	w.backoff(a, memberLike(n, "BackOffFactor"))
	most := base
	for range tries - 2 {
		most = min(most*apimaticFactor, longest)
	}
	r := object{{"maxAttempts", tries}}
	delays(&r, base, most)
	if codes := memberLike(n, "StatusCodesToRetry"); codes != nil {
		w.statuses(&r, items(codes))
	}
	if !w.flag(memberLike(n, "RetryOnTimeout"), true) {
		r.set("errors", []any{"connect", "reset", "eof", "dns", "tls"})
	}
	return r
}

// apimaticMethods turns retries off for the methods that are not in the list,
// GET and PUT where there is none.
func (w *work) apimaticMethods(a *action, list *load.Node) {
	retried := []string{"get", "put"}
	if list != nil {
		retried = nil
		for _, n := range items(list) {
			text, _ := n.Written()
			method := strings.ToLower(text)
			if !slices.Contains(methods, method) {
				w.wrong(n, "a method of HTTP")
				continue
			}
			retried = append(retried, method)
			if slices.Contains(writes, method) {
				w.losef(a, n, "%s is repeated only with an idempotency key, or with effect: idempotent where a repeat does no harm", shorten(text))
			}
		}
	}
	present := methods
	if w.doc != nil {
		present = nil
		for _, o := range w.ops {
			present = append(present, o.method)
		}
	}
	off := []any{}
	for _, method := range methods {
		if slices.Contains(present, method) && !slices.Contains(retried, method) && !slices.Contains(writes, method) {
			off = append(off, strings.ToUpper(method))
		}
	}
	if len(off) > 0 && len(a.policy) > 0 {
		rule := object{{"to", object{{"methods", off}}}, {"policy", object{{"client", object{{"retry", "none"}}}}}}
		a.policy.set("apply", []any{rule})
	}
}

// apimaticOperations looks at the settings of single operations.
func (w *work) apimaticOperations() {
	for _, o := range w.ops {
		n := memberLike(o.node.Get("x-operation-settings"), "forceRetries")
		if n == nil || !w.flag(n, false) {
			continue
		}
		a := w.actionFor(o)
		w.losef(a, n, "%s is repeated only with an idempotency key, or with effect: idempotent where a repeat does no harm",
			fmt.Sprintf("%s %s", strings.ToUpper(o.method), o.path))
		w.add(a)
	}
}
