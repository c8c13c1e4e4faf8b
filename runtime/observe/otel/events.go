package otel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/holdfast-go/holdfast/runtime/observe"
)

// Attributes of what the semantic conventions have no name for.
const (
	opKey       = attribute.Key("holdfast.op")
	sideKey     = attribute.Key("holdfast.side")
	reasonKey   = attribute.Key("holdfast.reason")
	shadowKey   = attribute.Key("holdfast.shadow")
	whatKey     = attribute.Key("holdfast.what")
	rungKey     = attribute.Key("holdfast.rung")
	nameKey     = attribute.Key("holdfast.name")
	fromKey     = attribute.Key("holdfast.from")
	toKey       = attribute.Key("holdfast.to")
	stateKey    = attribute.Key("holdfast.state")
	admittedKey = attribute.Key("holdfast.admitted")
)

// happened adds an event to the span of the context, which is the caller's for a client
// and that of Handler for a server.
func happened(ctx context.Context, name string, attrs []attribute.KeyValue) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.AddEvent(name, trace.WithAttributes(attrs...))
	}
}

func with(attrs []attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(attrs...)
}

func (t *Telemetry) onWait(ctx context.Context, e observe.Wait) {
	attrs := []attribute.KeyValue{opKey.String(e.Op), reasonKey.String(e.Reason.String())}
	t.wait.Record(ctx, e.For.Seconds(), with(attrs))
	happened(ctx, "holdfast.wait", append(attrs, attribute.Float64("holdfast.seconds", e.For.Seconds())))
}

func (t *Telemetry) onReject(ctx context.Context, e observe.Reject) {
	attrs := []attribute.KeyValue{opKey.String(e.Op), reasonKey.String(e.Reason.String()), shadowKey.Bool(e.Shadow)}
	t.rejects.Add(ctx, 1, with(attrs))
	happened(ctx, "holdfast.reject", append(attrs, nameKey.String(e.Name)))
}

func (t *Telemetry) onQueued(ctx context.Context, e observe.Queued) {
	t.queue.Record(ctx, e.For.Seconds(), with([]attribute.KeyValue{nameKey.String(e.Name), admittedKey.Bool(e.Admitted)}))
}

func (t *Telemetry) onHedge(ctx context.Context, e observe.Hedge) {
	attrs := []attribute.KeyValue{opKey.String(e.Op), whatKey.String(e.What)}
	t.hedges.Add(ctx, 1, with(attrs))
	happened(ctx, "holdfast.hedge", attrs)
}

func (t *Telemetry) onCache(ctx context.Context, e observe.Cache) {
	what := "miss"
	switch {
	case e.Err != nil:
		what = "failure"
	case e.Hit:
		what = "hit"
	case e.Shadow:
		what = "shadow-hit"
	}
	attrs := []attribute.KeyValue{opKey.String(e.Op), whatKey.String(what)}
	t.cache.Add(ctx, 1, with(attrs))
	happened(ctx, "holdfast.cache", attrs)
}

func (t *Telemetry) onFallback(ctx context.Context, e observe.Fallback) {
	attrs := []attribute.KeyValue{opKey.String(e.Op), rungKey.String(e.Rung), whatKey.String(e.What)}
	t.fallbacks.Add(ctx, 1, with(attrs))
	happened(ctx, "holdfast.fallback", attrs)
}

func (t *Telemetry) onBreaker(e observe.BreakerChange) {
	t.transitions.Add(context.Background(), 1, with([]attribute.KeyValue{
		nameKey.String(e.Group), fromKey.String(e.From.String()), toKey.String(e.To.String()), shadowKey.Bool(e.Shadow),
	}))
}

func (t *Telemetry) onReplay(ctx context.Context, e observe.Replay) {
	attrs := []attribute.KeyValue{opKey.String(e.Op)}
	t.replays.Add(ctx, 1, with(attrs))
	happened(ctx, "holdfast.replay", attrs)
}

func (t *Telemetry) onStore(ctx context.Context, e observe.StoreFail) {
	attrs := []attribute.KeyValue{opKey.String(e.Op), whatKey.String(e.What)}
	t.stores.Add(ctx, 1, with(attrs))
	happened(ctx, "holdfast.store", attrs)
}

func (t *Telemetry) onReload(e observe.PolicyReload) {
	what := "reloaded"
	if e.Err != nil {
		what = "refused"
	}
	t.reloads.Add(context.Background(), 1, with([]attribute.KeyValue{whatKey.String(what)}))
}

// onCall measures a whole call. Statuses count as failures from 500 on where the call has
// no error: on a server, and for results that the document takes for such.
func (t *Telemetry) onCall(ctx context.Context, side string, e *observe.CallEnd) {
	attrs := []attribute.KeyValue{opKey.String(e.Op), sideKey.String(side)}
	if kind := errorType(e.Err, e.Status, 500); kind != "" {
		attrs = append(attrs, errorKey.String(kind))
	}
	t.call.Record(ctx, e.Duration.Seconds(), with(attrs))
}
