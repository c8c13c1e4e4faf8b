package neterr_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"github.com/holdfast-go/holdfast/runtime/retry/neterr"
)

func wrapped(err error) error { return &url.Error{Op: "Post", URL: "http://x/", Err: err} }

func TestClassify(t *testing.T) {
	op := func(name string, err error) error { return &net.OpError{Op: name, Net: "tcp", Err: err} }
	tests := []struct {
		name   string
		err    error
		set    policy.ErrorSet
		unsent bool
	}{
		{"nothing", nil, 0, false},
		{"the caller's cancellation", context.Canceled, 0, false},
		{"refused", op("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED)), policy.ConnectErrors, true},
		{"unreachable", op("dial", os.NewSyscallError("connect", syscall.EHOSTUNREACH)), policy.ConnectErrors, true},
		{"dial timeout", op("dial", os.ErrDeadlineExceeded), policy.ConnectErrors, true},
		{"proxy", op("proxyconnect", syscall.ECONNRESET), policy.ConnectErrors, true},
		{"reset", op("read", os.NewSyscallError("read", syscall.ECONNRESET)), policy.ResetErrors, false},
		{"broken pipe", op("write", os.NewSyscallError("write", syscall.EPIPE)), policy.ResetErrors, false},
		{"closed", net.ErrClosed, policy.ResetErrors, false},
		{"EOF", io.EOF, policy.EOFErrors, false},
		{"cut body", io.ErrUnexpectedEOF, policy.EOFErrors, false},
		{"idle", errors.New("http: server closed idle connection"), policy.EOFErrors, false},
		{"attempt timeout", context.DeadlineExceeded, policy.TimeoutErrors, false},
		{"read timeout", op("read", os.ErrDeadlineExceeded), policy.TimeoutErrors, false},
		{"unknown host", op("dial", &net.DNSError{IsNotFound: true}), 0, true},
		{"resolver timeout", op("dial", &net.DNSError{IsTimeout: true}), policy.DNSErrors, true},
		{"resolver busy", op("dial", &net.DNSError{IsTemporary: true}), policy.DNSErrors, true},
		{"resolver broken", op("dial", &net.DNSError{}), 0, true},
		{"certificate", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, 0, true},
		{"host name", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}, 0, true},
		{"alert", op("remote error", errors.New("tls: bad certificate")), 0, false},
		{"no TLS there", tls.RecordHeaderError{Msg: "first record"}, 0, false},
		{"handshake timeout", errors.New("net/http: TLS handshake timeout"), policy.TLSErrors, true},
		{"graceful GOAWAY", errors.New("http2: Transport received Server's graceful shutdown GOAWAY"), policy.ResetErrors, true},
		{"GOAWAY above the last stream", errors.New("http2: Transport received GOAWAY from server ErrCode:2"), policy.ResetErrors, true},
		{"GOAWAY and closed", errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=3"), policy.ResetErrors, false},
		{"unknown", errors.New("unsupported protocol scheme"), 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := retry.Class{Set: tt.set, Unsent: tt.unsent}
			if got := neterr.Classify(tt.err); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			if tt.err == nil {
				return
			}
			if got := neterr.Classify(fmt.Errorf("calling: %w", wrapped(tt.err))); got != want {
				t.Errorf("wrapped: %+v, want %+v", got, want)
			}
		})
	}
}

// The real errors of net/http, not copies of their texts.
func TestClassifyOfNetHTTP(t *testing.T) {
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	if got := classify(t, http.DefaultTransport, refused.URL); got != (retry.Class{Set: policy.ConnectErrors, Unsent: true}) {
		t.Errorf("connection refused: %+v", got)
	}

	hangUp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}))
	defer hangUp.Close()
	if got := classify(t, &http.Transport{}, hangUp.URL); got != (retry.Class{Set: policy.EOFErrors}) {
		t.Errorf("hung up: %+v", got)
	}

	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = nil
	if got := classify(t, &http.Transport{}, secure.URL); got != (retry.Class{Unsent: true}) {
		t.Errorf("unknown authority: %+v", got)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	handshake := &http.Transport{TLSHandshakeTimeout: time.Millisecond}
	if got := classify(t, handshake, "https://"+listener.Addr().String()); got != (retry.Class{Set: policy.TLSErrors, Unsent: true}) {
		t.Errorf("handshake timeout: %+v", got)
	}
	headers := &http.Transport{ResponseHeaderTimeout: time.Millisecond}
	if got := classify(t, headers, "http://"+listener.Addr().String()); got != (retry.Class{Set: policy.TimeoutErrors}) {
		t.Errorf("no header: %+v", got)
	}
}

func classify(t *testing.T, transport http.RoundTripper, address string) retry.Class {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err == nil {
		_ = res.Body.Close()
		t.Fatal("no error")
	}
	return neterr.Classify(err)
}

// A stream reset by REFUSED_STREAM never reached the handler.
func TestClassifyOfHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler) // resets the stream with INTERNAL_ERROR
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	got := classify(t, server.Client().Transport, server.URL)
	if got != (retry.Class{Set: policy.ResetErrors}) {
		t.Errorf("INTERNAL_ERROR: %+v", got)
	}
}
