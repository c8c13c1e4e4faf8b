package client

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/semantic"
)

// SemanticCache lets rungs semanticCache find the answers to similar requests: the embedder
// says what a text means, and the options how much is kept. A client of a document that has
// such a rung needs one.
//
// The answers of the operations that have the rung are kept, if they are 2xx and no stream.
// Nothing is embedded while calls succeed; in a rescue, the rung's timeout bounds it. A
// call with [NoCache] neither keeps nor is given an answer. See the package semantic for
// what is compared; what has to be the same is, besides that, the credential that the
// client was given, the address and the header, but for fields that only tell one call
// from another, such as an idempotency key or a trace.
func SemanticCache(embedder semantic.Embedder, opts ...semantic.Option) Option {
	return func(s *settings) error {
		if isNil(embedder) {
			return errors.New("SemanticCache: the embedder is nil")
		}
		c, err := semantic.New(embedder, opts...)
		if err != nil {
			return err
		}
		s.semantic = c
		return nil
	}
}

var (
	errNoEmbedder = errors.New("a rung semanticCache needs to know what texts mean: give the client an embedder with client.SemanticCache")
	errNoQuestion = errors.New("the request has no text that could be compared")
	errNotCached  = errors.New("the call does without caches")
)

// similar is the answer to the nearest request.
func (c *call) similar(ctx context.Context, r *policy.Rung) (*http.Response, error) {
	switch {
	case c.core.semantic == nil:
		return nil, errNoEmbedder
	case c.settings.noCache:
		return nil, errNotCached
	}
	q, ok := c.question()
	if !ok {
		return nil, errNoQuestion
	}
	a, _, err := c.core.semantic.Nearest(ctx, &q, r.Similarity)
	if err != nil {
		return nil, err
	}
	body := new(bytesReader)
	body.Reset(a.Body)
	return &http.Response{StatusCode: a.Status, Header: a.Header.Clone(), Body: body, ContentLength: int64(len(a.Body))}, nil
}

// remember keeps the answer of a call that has succeeded, where a rung may need it.
func (c *call) remember() {
	r := &c.response
	if c.core.semantic == nil || c.settings.noCache || c.shrunk || !asksSimilar(c.spec.Client.Fallback) {
		return
	}
	if r.status/100 != 2 || r.open || !r.whole || len(r.data) == 0 {
		return // a stream, or an answer that nobody has read
	}
	q, ok := c.question()
	if !ok {
		return
	}
	// The buffer is used again.
	c.core.semantic.Store(&q, semantic.Answer{Status: r.status, Header: lasting(r.header), Body: slices.Clone(r.data)})
}

// asksSimilar reports whether a fallback has a rung for which answers are kept. One that
// only watches keeps none.
func asksSimilar(p *policy.Fallback) bool {
	return p != nil && p.Mode == policy.Enforce &&
		slices.ContainsFunc(p.Rungs, func(r policy.Rung) bool { return r.Kind == policy.RungSemanticCache })
}

// question is what the call asks.
func (c *call) question() (semantic.Question, bool) {
	if c.request.kind != bytesBody {
		return semantic.Question{}, false
	}
	return c.core.semantic.Question(&semantic.Request{
		Operation: c.spec.ID, Principal: c.core.principal(c.need), Parameters: c.parameters(),
		ContentType: c.request.contentType, Body: c.request.body,
	})
}

// parameters are what makes the request another one, besides its body.
func (c *call) parameters() []string {
	list := []string{c.spec.Method, c.url.String()}
	for _, name := range slices.Sorted(maps.Keys(c.request.header)) {
		if name == c.op.keyHeader || name == c.op.deadlineHeader || slices.Contains(passing, name) {
			continue
		}
		list = append(list, name)
		list = append(list, c.request.header[name]...)
	}
	return list
}

// passing are fields of requests that say nothing about the answer.
var passing = []string{
	policy.AttemptHeader, policy.CriticalityHeader, "Baggage", "Traceparent", "Tracestate", "User-Agent", "X-Correlation-Id", "X-Request-Id",
}

// lasting are the fields of a response that are true of its copy as well. What belongs to
// the connection, the coding that was taken off, cookies, limits and the identity of the
// request do not.
func lasting(h http.Header) http.Header {
	out := maps.Clone(h)
	for name := range out {
		switch {
		case slices.Contains(fleeting, name), strings.HasPrefix(name, "Ratelimit"), strings.HasPrefix(name, "X-Ratelimit-"):
			delete(out, name)
		}
	}
	return out
}

var fleeting = []string{
	"Age", "Connection", "Content-Encoding", "Content-Length", "Date", "Keep-Alive", "Retry-After", "Set-Cookie", "Trailer",
	"Transfer-Encoding", "X-Request-Id",
}
