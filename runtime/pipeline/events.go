package pipeline

import (
	"context"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// attemptStart is the event of a try that begins.
func (r *run) attemptStart(c *Call, granted time.Duration) observe.AttemptStart {
	return observe.AttemptStart{
		Op: r.p.op, Number: r.tries, Timeout: granted, Method: r.p.method, Path: r.p.path, Host: c.Host,
	}
}

// reportReplay tells of an answer that the server had given before.
func (r *run) reportReplay(ctx context.Context, o Outcome) {
	h := o.Result.Header
	if o.Fault == nil && h != nil && strings.EqualFold(h.Get(idempotency.ReplayedHeader), "true") {
		r.p.hooks.Replay(ctx, observe.Replay{Op: r.p.op, Status: o.Result.Status})
	}
}
