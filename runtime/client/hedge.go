package client

import (
	"context"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/hedge"
	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// exchange sends the request of a try, and once more while its answer is late, where the
// policy hedges. Hooks see the request that was made ready for the try, and the response
// that is used.
func (c *call) exchange(r *http.Request, a pipeline.Attempt) (*http.Response, error) {
	h := a.Hedger()
	if h == nil || c.request.kind == sourceBody {
		return c.core.exchange(r, c.redirect)
	}
	begin := time.Now()
	result := hedge.Race(r.Context(), h, hedge.Tries[*http.Response]{
		Try: func(ctx context.Context, number int) (*http.Response, error) {
			again, err := c.copyOf(r.WithContext(ctx), a, number, begin)
			if err != nil {
				return nil, err
			}
			return c.core.exchange(again, c.redirect)
		},
		Admit:   a.PayHedge,
		Wins:    c.wins,
		Discard: func(h *http.Response, _ error) { httpbody.Close(h) },
	})
	httpbody.Hold(result.Value, result.Cancel)
	return result.Value, result.Err
}

// copyOf is one of the requests of a try. The first is the try's own; the others have a
// header and a body of their own, and less time.
func (c *call) copyOf(r *http.Request, a pipeline.Attempt, number int, begin time.Time) (*http.Request, error) {
	if number == 1 {
		return r, nil
	}
	r.Header = r.Header.Clone()
	if a.SendDeadline {
		left := max(0, a.Budget-time.Since(begin))
		r.Header[c.op.deadlineHeader] = []string{string(deadline.Append(nil, c.op.deadlineKind, left))}
	}
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		r.Body = body
	}
	return r, nil
}

// wins reports whether a response ends a hedged try: any that would not be tried again.
func (c *call) wins(h *http.Response, err error) bool {
	if err != nil || h == nil {
		return false
	}
	p := c.spec.Client.Retry
	if p == nil {
		return h.StatusCode < http.StatusInternalServerError
	}
	v := retry.Judge(p, retry.Observation{Status: h.StatusCode, Header: h.Header})
	return v.Do != retry.Retry
}
