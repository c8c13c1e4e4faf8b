package otel

import (
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Handler makes a server span of each request and measures it. It goes around a generated
// handler, or any that sets the request's Pattern as http.ServeMux does: that is the route
// in the name of the span. The span continues the trace that the request's header carries.
func (t *Telemetry) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.serve(next, w, r) })
}

func (t *Telemetry) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	method, name, scheme := r.Method, r.Method, "http"
	if !t.methods[method] {
		method, name = otherMethod, unknownMethod
	}
	if r.TLS != nil {
		scheme = "https"
	}
	always := []attribute.KeyValue{methodKey.String(method), urlSchemeKey.String(scheme)}
	more := []attribute.KeyValue{urlPathKey.String(r.URL.Path)}
	if method == otherMethod {
		more = append(more, originalKey.String(r.Method))
	}
	if address, port := splitHost(r.Host, scheme); address != "" {
		more = append(more, addressKey.String(address), portKey.Int(port))
	}
	ctx := t.propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(always...), trace.WithAttributes(more...))
	seen := &answer{ResponseWriter: w}
	r = r.WithContext(ctx)
	finished := false
	defer func() {
		attrs := seen.attributes(finished)
		if route := routeOf(r.Pattern); route != "" {
			span.SetName(name + " " + route)
			attrs = append(attrs, routeKey.String(route))
		}
		span.SetAttributes(attrs...)
		if !finished || seen.status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
		t.serverDuration.Record(ctx, time.Since(begin).Seconds(), metric.WithAttributes(append(attrs, always...)...))
	}()
	next.ServeHTTP(seen, r)
	finished = true
}

// routeOf is the path of a pattern: what comes after method and host.
func routeOf(pattern string) string {
	if i := strings.IndexByte(pattern, '/'); i >= 0 {
		return pattern[i:]
	}
	return ""
}

// answer notes the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
}

// attributes tell how the answer has ended; one that was broken off is a failure.
func (a *answer) attributes(finished bool) []attribute.KeyValue {
	if a.status == 0 && finished {
		a.status = http.StatusOK
	}
	var attrs []attribute.KeyValue
	if a.status > 0 {
		attrs = append(attrs, statusKey.Int(a.status))
	}
	switch kind := errorType(nil, a.status, http.StatusInternalServerError); {
	case kind != "":
		attrs = append(attrs, errorKey.String(kind))
	case !finished:
		attrs = append(attrs, errorKey.String("aborted"))
	}
	return attrs
}

// WriteHeader notes the status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write begins a 200 where nothing has begun yet.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
