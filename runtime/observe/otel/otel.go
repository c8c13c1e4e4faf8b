// Package otel makes traces and metrics of OpenTelemetry from the events of clients and
// servers. It is the only package of the runtime that depends on OpenTelemetry, and there
// on its API alone: the providers are the program's.
//
//	t, err := otel.New(otel.Options{})
//	c, err := payments.New(client.Observe(t.ClientHooks()), client.BeforeAttempt(t.Inject))
//	h := t.Handler(payments.NewHandler(service, server.Observe(t.ServerHooks())))
//
// Spans, attributes and metrics of HTTP are those of the semantic conventions for HTTP
// (version 1.39 of the conventions): a client span for each try, with
// http.request.resend_count from the second on, http.client.request.duration and
// http.server.request.duration in seconds. What the conventions have no name for begins
// with "holdfast."; the table of package observe's README lists all of it.
//
// No attribute holds an idempotency key, the value of a key of a breaker or limit, a
// header or a query. The attributes of metrics are bounded by the document.
package otel

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/holdfast-go/holdfast/runtime/observe"
)

// Scope is the name of the instrumentation that spans and metrics come from.
const Scope = "github.com/holdfast-go/holdfast/runtime/observe/otel"

// Options are where telemetry goes. Those that are nil are the global ones of package
// go.opentelemetry.io/otel, as they are when New is called.
type Options struct {
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
	// Propagator writes and reads the header fields that carry a trace from client to
	// server. The global one does nothing unless the program has set it; this is for
	// W3C trace context:
	//
	//	otel.Options{Propagator: propagation.TraceContext{}}
	Propagator propagation.TextMapPropagator
	// Methods are those that telemetry knows, in capitals; others are "_OTHER", so that
	// nobody can fill the metrics with methods of their own. Nil is the methods of RFC 9110
	// and PATCH.
	Methods []string
}

// Telemetry makes spans and metrics. It is safe for concurrent use; a program makes one.
type Telemetry struct {
	tracer     trace.Tracer
	meter      metric.Meter
	propagator propagation.TextMapPropagator
	methods    map[string]bool
	instruments
}

// instruments are the metrics.
type instruments struct {
	clientDuration, serverDuration metric.Float64Histogram
	call, wait, queue              metric.Float64Histogram
	rejects, hedges, fallbacks     metric.Int64Counter
	cache, transitions, replays    metric.Int64Counter
	stores, reloads                metric.Int64Counter
}

// durations are the bounds of the buckets, in seconds, that the semantic conventions
// advise for http.client.request.duration and http.server.request.duration.
var durations = metric.WithExplicitBucketBoundaries(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)

// New makes the instruments. The error is the meter's, for a name that it already has as
// something else.
func New(o Options) (*Telemetry, error) {
	if o.Tracers == nil {
		o.Tracers = otel.GetTracerProvider()
	}
	if o.Meters == nil {
		o.Meters = otel.GetMeterProvider()
	}
	if o.Propagator == nil {
		o.Propagator = otel.GetTextMapPropagator()
	}
	if o.Methods == nil {
		o.Methods = strings.Fields("GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH")
	}
	t := &Telemetry{
		tracer: o.Tracers.Tracer(Scope), meter: o.Meters.Meter(Scope), propagator: o.Propagator, methods: map[string]bool{},
	}
	for _, m := range o.Methods {
		t.methods[m] = true
	}
	if err := t.open(); err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return t, nil
}

// open makes the instruments.
func (t *Telemetry) open() error {
	var failed error
	keep := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	seconds := func(name, description string) metric.Float64Histogram {
		h, err := t.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), durations)
		keep(err)
		return h
	}
	counter := func(name, unit, description string) metric.Int64Counter {
		c, err := t.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
		keep(err)
		return c
	}
	t.instruments = instruments{
		clientDuration: seconds("http.client.request.duration", "Duration of HTTP client requests."),
		serverDuration: seconds("http.server.request.duration", "Duration of HTTP server requests."),
		call:           seconds("holdfast.call.duration", "Duration of calls with all their tries and waits."),
		wait:           seconds("holdfast.wait.duration", "Waits before a try."),
		queue:          seconds("holdfast.queue.duration", "Waits in the queue of a bulkhead, or for a lock."),
		rejects:        counter("holdfast.rejects", "{rejection}", "Calls and tries that were refused locally."),
		hedges:         counter("holdfast.hedges", "{request}", "What became of the requests of hedged tries."),
		fallbacks:      counter("holdfast.fallbacks", "{rung}", "What became of the rungs of fallbacks."),
		cache:          counter("holdfast.cache.requests", "{request}", "Requests that a cache has looked at."),
		transitions:    counter("holdfast.breaker.transitions", "{transition}", "Changes of the states of breakers."),
		replays:        counter("holdfast.replays", "{response}", "Stored results that were given again."),
		stores:         counter("holdfast.store.failures", "{failure}", "Stores that could not be asked."),
		reloads:        counter("holdfast.policy.reloads", "{reload}", "Policy files that have changed."),
	}
	return failed
}

// ClientHooks are for client.Observe. Spans need them alone; that a trace goes on in the
// server needs [Telemetry.Inject] as well.
func (t *Telemetry) ClientHooks() *observe.Hooks {
	h := t.hooks("client")
	h.AttemptContext, h.AttemptEnd = t.begin, t.end
	return h
}

// ServerHooks are for server.Observe. They add what has happened to the span of
// [Telemetry.Handler].
func (t *Telemetry) ServerHooks() *observe.Hooks { return t.hooks("server") }

// hooks are those of both sides.
func (t *Telemetry) hooks(side string) *observe.Hooks {
	return &observe.Hooks{
		Wait: t.onWait, Reject: t.onReject, Queued: t.onQueued, Hedge: t.onHedge, Cache: t.onCache, Fallback: t.onFallback,
		BreakerChange: t.onBreaker, Replay: t.onReplay, StoreFail: t.onStore, PolicyReload: t.onReload,
		CallEnd: func(ctx context.Context, e observe.CallEnd) { t.onCall(ctx, side, &e) },
	}
}
