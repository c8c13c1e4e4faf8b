package otel

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// Attributes of the semantic conventions.
const (
	methodKey     = attribute.Key("http.request.method")
	originalKey   = attribute.Key("http.request.method_original")
	resendKey     = attribute.Key("http.request.resend_count")
	statusKey     = attribute.Key("http.response.status_code")
	routeKey      = attribute.Key("http.route")
	errorKey      = attribute.Key("error.type")
	addressKey    = attribute.Key("server.address")
	portKey       = attribute.Key("server.port")
	urlKey        = attribute.Key("url.full")
	urlPathKey    = attribute.Key("url.path")
	urlSchemeKey  = attribute.Key("url.scheme")
	templateKey   = attribute.Key("url.template")
	otherMethod   = "_OTHER"
	unknownMethod = "HTTP" // in the names of spans
)

// attempt is a try under way, in its context.
type attempt struct {
	span     trace.Span
	method   string // as metrics have it
	template string
	address  string
	port     int
}

type attemptKey struct{}

// begin starts the span of a try.
func (t *Telemetry) begin(ctx context.Context, e observe.AttemptStart) context.Context {
	a := &attempt{method: e.Method, template: e.Path}
	name := e.Method
	if !t.methods[a.method] {
		a.method, name = otherMethod, unknownMethod
	}
	a.address, a.port = splitHost(e.Host, "")
	attrs := []attribute.KeyValue{
		methodKey.String(a.method), templateKey.String(e.Path), opKey.String(e.Op), addressKey.String(a.address),
	}
	if a.method == otherMethod {
		attrs = append(attrs, originalKey.String(e.Method))
	}
	if a.port > 0 {
		attrs = append(attrs, portKey.Int(a.port))
	}
	if e.Number > 1 {
		attrs = append(attrs, resendKey.Int(e.Number-1))
	}
	if e.Path != "" {
		name += " " + e.Path
	}
	ctx, a.span = t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...)) //nolint:spancheck // The end of the try ends it.
	return context.WithValue(ctx, attemptKey{}, a)
}

// Inject writes the trace into the header of a request, and the request's address to its
// span. It is for client.BeforeAttempt, and never fails.
func (t *Telemetry) Inject(r *http.Request) error {
	ctx := r.Context()
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		a.address, a.port = splitHost(r.URL.Host, r.URL.Scheme)
		if a.span.IsRecording() {
			a.span.SetAttributes(urlKey.String(addressOf(r.URL)), addressKey.String(a.address), portKey.Int(a.port))
		}
	}
	t.propagator.Inject(ctx, propagation.HeaderCarrier(r.Header))
	return nil
}

// end ends the span of a try and measures it.
func (t *Telemetry) end(ctx context.Context, e observe.AttemptEnd) {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return
	}
	attrs := make([]attribute.KeyValue, 0, 6)
	if e.Status > 0 {
		attrs = append(attrs, statusKey.Int(e.Status))
	}
	kind := errorType(e.Err, e.Status, http.StatusBadRequest)
	if kind != "" {
		attrs = append(attrs, errorKey.String(kind))
	}
	a.span.SetAttributes(attrs...)
	if kind != "" {
		description := ""
		if e.Err != nil {
			description = fault.Redact(e.Err.Error())
		}
		a.span.SetStatus(codes.Error, description)
	}
	a.span.End()
	attrs = append(attrs, methodKey.String(a.method), templateKey.String(a.template), addressKey.String(a.address))
	if a.port > 0 {
		attrs = append(attrs, portKey.Int(a.port))
	}
	t.clientDuration.Record(ctx, e.Duration.Seconds(), metric.WithAttributes(attrs...))
}

// errorType is the class of a failure; statuses count from the given one on. Empty is no
// failure.
func errorType(err error, status, from int) string {
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil && status >= from, err != nil && status >= http.StatusBadRequest:
		return strconv.Itoa(status)
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Kind.String()
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "dns"
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return "connection"
	}
	return "_OTHER"
}

// splitHost is a host and its port, which the scheme gives where none is written.
func splitHost(host, scheme string) (string, int) {
	name, text, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	port, _ := strconv.Atoi(text)
	if port == 0 {
		switch scheme {
		case "http":
			port = 80
		case "https":
			port = 443
		}
	}
	return name, port
}

// addressOf is an address without user, query and fragment.
func addressOf(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
