// Package neterr tells what the errors of net, crypto/tls and net/http mean for
// a repeat. It stands apart from package retry so that a client over another
// transport does not carry those packages.
package neterr

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Classify tells what is known about a transport error. The order matters: what
// can never be mended comes first, then what provably never left, then the rest.
// The caller's own cancellation is for the caller to see; here it is of no class.
func Classify(err error) retry.Class {
	if err == nil || errors.Is(err, context.Canceled) {
		return retry.Class{}
	}
	if class, ok := ofDNS(err); ok {
		return class
	}
	if isCertificate(err) {
		// We broke the handshake off, so nothing was sent; it will fail again.
		return retry.Class{Unsent: true}
	}
	if isAlert(err) {
		// With TLS 1.3 an alert may well come after the request has gone out.
		return retry.Class{}
	}
	if class, ok := ofHTTP(err); ok {
		return class
	}
	if class, ok := ofHTTP2(err); ok {
		return class
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && isDial(op.Op) {
		return retry.Class{Set: policy.ConnectErrors, Unsent: true}
	}
	return ofConnection(err)
}

// isDial reports whether an operation of net comes before there is a connection
// to send on.
func isDial(op string) bool {
	return op == "dial" || op == "proxyconnect" || op == "socks connect"
}

// ofDNS: an unknown host ends the call, a resolver that does not answer may
// answer later.
func ofDNS(err error) (retry.Class, bool) {
	dns, ok := errors.AsType[*net.DNSError](err)
	if !ok {
		return retry.Class{}, false
	}
	class := retry.Class{Unsent: true}
	if !dns.IsNotFound && (dns.IsTemporary || dns.IsTimeout) {
		class.Set = policy.DNSErrors
	}
	return class, true
}

// isCertificate reports a handshake that the client itself gave up for good.
func isCertificate(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.CertificateInvalidError](err)
	return ok
}

// isAlert reports any other fault of TLS.
func isAlert(err error) bool {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "remote error" || op.Op == "local error")
}

// httpTexts are errors of net/http that have neither an exported value nor an
// exported type.
var httpTexts = []struct {
	text  string
	class retry.Class
}{
	{"net/http: TLS handshake timeout", retry.Class{Set: policy.TLSErrors, Unsent: true}},
	// The connection was closed while it was idle, but the request may have
	// crossed that on the way.
	{"http: server closed idle connection", retry.Class{Set: policy.EOFErrors}},
	{"http2: Transport received Server's graceful shutdown GOAWAY", retry.Class{Set: policy.ResetErrors, Unsent: true}},
	// GOAWAY for a stream above the last one that the server has looked at.
	{"http2: Transport received GOAWAY from server", retry.Class{Set: policy.ResetErrors, Unsent: true}},
	{"http2: client conn not usable", retry.Class{Set: policy.ConnectErrors, Unsent: true}},
	// Found out while the body was being sent.
	{"http2: client conn is closed", retry.Class{Set: policy.ResetErrors}},
	{"http2: client conn could not be established", retry.Class{Set: policy.ConnectErrors, Unsent: true}},
	// This GOAWAY may come after the server has taken the stream up.
	{"http2: server sent GOAWAY and closed the connection", retry.Class{Set: policy.ResetErrors}},
	{"http2: client connection lost", retry.Class{Set: policy.ResetErrors}},
	{"http2: client connection force closed", retry.Class{Set: policy.ResetErrors}},
}

// ofHTTP walks down the chain, for the texts stand on the innermost error.
func ofHTTP(err error) (retry.Class, bool) {
	for e := err; e != nil; e = errors.Unwrap(e) {
		text := e.Error()
		for i := range httpTexts {
			if strings.HasPrefix(text, httpTexts[i].text) {
				return httpTexts[i].class, true
			}
		}
	}
	return retry.Class{}, false
}

// refusedStream is the code REFUSED_STREAM of RFC 9113, 7.
const refusedStream = 7

// streamError has the fields of the HTTP/2 stream error, which net/http keeps to
// itself but copies into such a struct when errors.As asks.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "stream error" }

// ofHTTP2: a refused stream was not processed, RFC 9113, 8.7.
func ofHTTP2(err error) (retry.Class, bool) {
	stream, ok := errors.AsType[streamError](err)
	if !ok {
		return retry.Class{}, false
	}
	return retry.Class{Set: policy.ResetErrors, Unsent: stream.Code == refusedStream}, true
}

// ofConnection classifies faults of a connection on which the request may have
// gone out.
func ofConnection(err error) retry.Class {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return retry.Class{Set: policy.ConnectErrors, Unsent: true}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return retry.Class{Set: policy.TimeoutErrors}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, syscall.ECONNABORTED), errors.Is(err, net.ErrClosed):
		return retry.Class{Set: policy.ResetErrors}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return retry.Class{Set: policy.EOFErrors}
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "read" || op.Op == "write") {
		return retry.Class{Set: policy.ResetErrors}
	}
	return retry.Class{}
}
