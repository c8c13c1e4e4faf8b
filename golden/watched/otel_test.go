package watched_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	semconv "go.opentelemetry.io/otel/semconv/v1.39.0"
	api "go.opentelemetry.io/otel/trace"

	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/observe/otel"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// telemetry is what went to the SDK.
type telemetry struct {
	*otel.Telemetry
	spans  *tracetest.InMemoryExporter
	tracer api.Tracer
	reader *metric.ManualReader
}

func measure(t *testing.T) *telemetry {
	t.Helper()
	out := &telemetry{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	tracers := trace.NewTracerProvider(trace.WithSyncer(out.spans))
	meters := metric.NewMeterProvider(metric.WithReader(out.reader))
	t.Cleanup(func() { _ = tracers.Shutdown(context.Background()); _ = meters.Shutdown(context.Background()) })
	var err error
	out.Telemetry, err = otel.New(otel.Options{Tracers: tracers, Meters: meters, Propagator: propagation.TraceContext{}})
	if err != nil {
		t.Fatal(err)
	}
	out.tracer = tracers.Tracer("test")
	return out
}

// of are the spans of one kind and name.
func (o *telemetry) of(kind api.SpanKind, name string) []tracetest.SpanStub {
	var list []tracetest.SpanStub
	for _, s := range o.spans.GetSpans() {
		if s.SpanKind == kind && s.Name == name {
			list = append(list, s)
		}
	}
	return list
}

// attr is an attribute as text; empty is none.
func attr(s *tracetest.SpanStub, key attribute.Key) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

// events counts the events of spans by their names.
func events(spans ...tracetest.SpanStub) map[string]int {
	out := map[string]int{}
	for _, s := range spans {
		for _, e := range s.Events {
			out[e.Name]++
		}
	}
	return out
}

// points are the counts of a metric by its attributes as "k=v,…", those of the given keys.
func (o *telemetry) points(t *testing.T, name string, keys ...attribute.Key) map[string]uint64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := o.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]uint64{}
	add := func(set attribute.Set, n uint64) {
		var parts []string
		for _, k := range keys {
			if v, ok := set.Value(k); ok {
				parts = append(parts, v.String())
			} else {
				parts = append(parts, "-")
			}
		}
		out[strings.Join(parts, " ")] += n
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, p.Count)
					if len(p.Bounds) != 14 || p.Bounds[0] != 0.005 || p.Bounds[13] != 10 || m.Unit != "s" {
						t.Errorf("%s has the bounds %v in %s", name, p.Bounds, m.Unit)
					}
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, uint64(p.Value))
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, uint64(p.Value))
				}
			case metricdata.Gauge[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, uint64(p.Value))
				}
			}
		}
	}
	return out
}

// want compares some of the points of a metric.
func (o *telemetry) want(t *testing.T, name string, keys []attribute.Key, want map[string]uint64) {
	t.Helper()
	got := o.points(t, name, keys...)
	for at, n := range want {
		if got[at] != n {
			t.Errorf("%s of %q: %d, want %d in %v", name, at, got[at], n, got)
		}
	}
}

// A call is traced try by try, into the server that answers it, and measured by the names
// of the semantic conventions.
func TestTelemetry(t *testing.T) {
	mine, its := measure(t), measure(t)
	b := &bank{}
	handler := its.Handler(payments.NewHandler(b, server.OnError(nil), server.Observe(its.ServerHooks()),
		server.Authenticate(func(context.Context, *server.Credentials) (server.Principal, error) {
			return server.Principal{ID: "ann"}, nil
		})))
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	c := dial(t, s.URL, client.Observe(mine.ClientHooks()), client.BeforeAttempt(mine.Inject))
	if _, err := mine.Watch(c.Core()); err != nil {
		t.Fatal(err)
	}
	ctx, root := mine.tracer.Start(t.Context(), "story")
	story(ctx, t, b, c)
	root.End()

	const get = "GET /payments/{paymentId}"
	tries := mine.of(api.SpanKindClient, get)
	if len(tries) != 10 {
		t.Fatalf("%d tries, want 10", len(tries))
	}
	var resends []string
	for i := range tries {
		try := &tries[i]
		resends = append(resends, attr(try, semconv.HTTPRequestResendCountKey))
		status, code, kind := "500", codes.Error, "500"
		if i == 0 {
			status, code, kind = "200", codes.Unset, ""
		}
		for key, want := range map[attribute.Key]string{
			semconv.HTTPRequestMethodKey: "GET", semconv.HTTPResponseStatusCodeKey: status, semconv.ErrorTypeKey: kind,
			semconv.ServerAddressKey: "127.0.0.1", semconv.ServerPortKey: s.URL[strings.LastIndexByte(s.URL, ':')+1:],
			semconv.URLTemplateKey: "/payments/{paymentId}", semconv.URLFullKey: s.URL + "/payments/pay_1",
		} {
			if got := attr(try, key); got != want {
				t.Errorf("try %d: %s is %q, want %q", i, key, got, want)
			}
		}
		if try.Status.Code != code || try.Parent.SpanID() != root.SpanContext().SpanID() {
			t.Errorf("try %d: %v of %v", i, try.Status, try.Parent)
		}
	}
	if want := []string{"", "", "1", "2", "", "1", "2", "", "1", "2"}; !slices.Equal(resends, want) {
		t.Errorf("resend counts %q, want %q", resends, want)
	}
	for _, served := range its.of(api.SpanKindServer, get) {
		if !slices.ContainsFunc(tries, func(s tracetest.SpanStub) bool { return s.SpanContext.SpanID() == served.Parent.SpanID() }) {
			t.Error("a request is not of the trace of its try")
		}
		if attr(&served, semconv.HTTPRouteKey) != "/payments/{paymentId}" || attr(&served, semconv.URLPathKey) != "/payments/pay_1" {
			t.Errorf("%+v", served.Attributes)
		}
	}
	if got, want := events(mine.of(api.SpanKindInternal, "story")...), "map[holdfast.reject:1 holdfast.replay:1 holdfast.wait:6]"; fmt.Sprint(got) != want {
		t.Errorf("events %v, want %s", got, want)
	}
	if got, want := events(its.of(api.SpanKindServer, "POST /payments")...), "map[holdfast.reject:1 holdfast.replay:1]"; fmt.Sprint(got) != want {
		t.Errorf("events of the server %v, want %s", got, want)
	}
	for i, list := range mine.of(api.SpanKindClient, "GET /payments") {
		if got := attr(&list, semconv.URLFullKey); got != s.URL+"/payments" {
			t.Errorf("list %d: the query is told: %s", i, got)
		}
	}
	checkMetrics(t, mine, its)
	for name, spans := range map[string]*tracetest.InMemoryExporter{"client": mine.spans, "server": its.spans} {
		text, err := json.Marshal(spans.GetSpans())
		if err != nil {
			t.Fatal(err)
		}
		for _, hidden := range []string{secret, idempotencyKey, "DE0212", "o-1"} {
			if strings.Contains(string(text), hidden) {
				t.Errorf("the spans of the %s tell %q", name, hidden)
			}
		}
	}
}

func checkMetrics(t *testing.T, mine, its *telemetry) {
	t.Helper()
	http := []attribute.Key{semconv.HTTPRequestMethodKey, semconv.HTTPResponseStatusCodeKey, semconv.ErrorTypeKey}
	mine.want(t, "http.client.request.duration", append(http, semconv.URLTemplateKey), map[string]uint64{
		"GET 200 - /payments/{paymentId}": 1, "GET 500 500 /payments/{paymentId}": 9, "POST 201 - /payments": 2, "POST 422 422 /payments": 1,
		"GET 429 429 /payments": 1,
	})
	its.want(t, "http.server.request.duration", append(http, semconv.HTTPRouteKey, semconv.URLSchemeKey), map[string]uint64{
		"GET 200 - /payments/{paymentId} http": 1, "GET 500 500 /payments/{paymentId} http": 9, "POST 201 - /payments http": 2,
		"POST 422 - /payments http": 1, "GET 429 - /payments http": 1,
	})
	op, reason, name, to := attribute.Key("holdfast.op"), attribute.Key("holdfast.reason"), attribute.Key("holdfast.name"), attribute.Key("holdfast.to")
	mine.want(t, "holdfast.wait.duration", []attribute.Key{op, reason}, map[string]uint64{"getPayment backoff": 6})
	mine.want(t, "holdfast.rejects", []attribute.Key{op, reason, "holdfast.shadow"}, map[string]uint64{"getPayment breaker false": 1})
	mine.want(t, "holdfast.breaker.transitions", []attribute.Key{name, to}, map[string]uint64{"payments/getPayment open": 1})
	mine.want(t, "holdfast.call.duration", []attribute.Key{op, semconv.ErrorTypeKey, "holdfast.side"}, map[string]uint64{
		"getPayment - client": 1, "getPayment 500 client": 3, "getPayment breaker open client": 1, "createPayment 422 client": 1,
	})
	mine.want(t, "holdfast.replays", []attribute.Key{op}, map[string]uint64{"createPayment": 1})
	its.want(t, "holdfast.replays", []attribute.Key{op}, map[string]uint64{"createPayment": 1})
	its.want(t, "holdfast.rejects", []attribute.Key{op, reason}, map[string]uint64{"createPayment idempotency": 1, "listPayments rate-limit": 1})
	mine.want(t, "holdfast.breakers", []attribute.Key{name, "holdfast.state"}, map[string]uint64{
		"payments/getPayment open": 1, "payments/getPayment closed": 0, "payments/createPayment closed": 1,
	})
	if got := mine.points(t, "holdfast.budget.left", name); got["payments"] == 0 {
		t.Errorf("budgets %v", got)
	}
	if got := mine.points(t, "holdfast.bulkhead.running", name); len(got) != 1 {
		t.Errorf("bulkheads %v", got)
	}
}

// A method that nobody knows makes no series of its own.
func TestUnknownMethods(t *testing.T) {
	o := measure(t)
	h := o.Handler(http.NotFoundHandler())
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("BREW", "/pot", nil))
	spans := o.of(api.SpanKindServer, "HTTP")
	if len(spans) != 1 || attr(&spans[0], semconv.HTTPRequestMethodKey) != "_OTHER" || attr(&spans[0], semconv.HTTPRequestMethodOriginalKey) != "BREW" {
		t.Errorf("%+v", o.spans.GetSpans())
	}
	o.want(t, "http.server.request.duration", []attribute.Key{semconv.HTTPRequestMethodKey, semconv.HTTPResponseStatusCodeKey}, map[string]uint64{"_OTHER 404": 1})
}

// An answer that is broken off is a failure, and the panic that does it goes on.
func TestAbortedAnswer(t *testing.T) {
	o := measure(t)
	h := o.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}()
	spans := o.of(api.SpanKindServer, "GET")
	if len(spans) != 1 || spans[0].Status.Code != codes.Error || attr(&spans[0], semconv.ErrorTypeKey) != "aborted" {
		t.Errorf("%+v", o.spans.GetSpans())
	}
}
