package otel_test

import (
	"context"
	"fmt"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/otel"
)

func ExampleNew() {
	spans := tracetest.NewInMemoryExporter()
	t, err := otel.New(otel.Options{
		Tracers:    trace.NewTracerProvider(trace.WithSyncer(spans)),
		Meters:     metric.NewMeterProvider(),
		Propagator: propagation.TraceContext{},
	})
	if err != nil {
		panic(err)
	}
	// payments.New(client.Observe(t.ClientHooks()), client.BeforeAttempt(t.Inject)) does this:
	hooks := t.ClientHooks()
	ctx := hooks.AttemptContext(context.Background(), observe.AttemptStart{Op: "getPet", Number: 2, Method: "GET", Path: "/pets/{id}"})
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://pets.test/pets/7", nil)
	_ = t.Inject(r)
	hooks.AttemptEnd(ctx, observe.AttemptEnd{Op: "getPet", Number: 2, Status: 200})
	fmt.Println(spans.GetSpans()[0].Name, r.Header.Get("Traceparent") != "")
	// Output: GET /pets/{id} true
}
