package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// connectKey asks a call's context for the bound on its connections.
type connectKey struct{}

// redirectsKey asks a call's context whether redirects are results.
type redirectsKey struct{}

// newTransport is the transport of a client that is given none: the standard
// one's settings, more idle connections to a host (two are few for a client of
// one service), and the connect timeout of each operation.
func newTransport(roots *x509.CertPool) *http.Transport {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          200,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   defaultConnect, // behind a proxy only; see dialTLS
		ExpectContinueTimeout: time.Second,
	}
	d := dialer{roots}
	t.DialContext, t.DialTLSContext = d.dial, d.dialTLS
	return t
}

// dialer makes connections; without roots the system's certificates count.
type dialer struct{ roots *x509.CertPool }

// bound is the context of one connection. The clock of a connection is not the
// try's: the transport keeps dialling when a try has ended, for the next one.
func bound(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, ok := ctx.Value(connectKey{}).(time.Duration)
	switch {
	case !ok:
		limit = defaultConnect
	case limit <= 0:
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

func (dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := bound(ctx)
	defer cancel()
	d := net.Dialer{KeepAlive: 30 * time.Second}
	return d.DialContext(ctx, network, address)
}

// errHandshake has the text of the error that net/http itself returns, by which
// it is told from other timeouts.
type errHandshake struct{}

func (errHandshake) Error() string   { return "net/http: TLS handshake timeout" }
func (errHandshake) Timeout() bool   { return true }
func (errHandshake) Temporary() bool { return true }

// dialTLS dials and shakes hands within one bound, which the transport's own
// two timeouts cannot do.
func (d dialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	outer := ctx
	ctx, cancel := bound(ctx)
	defer cancel()
	raw, err := (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	conn := tls.Client(raw, &tls.Config{
		ServerName: host, RootCAs: d.roots, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close() // it failed before it was of use
		if ctx.Err() != nil && outer.Err() == nil {
			return nil, errHandshake{}
		}
		return nil, err
	}
	return conn, nil
}

// newHTTPClient is the http.Client to send through, and whether its transport
// is the caller's.
func newHTTPClient(s *settings) (*http.Client, bool) {
	var c http.Client
	if s.httpClient != nil {
		c = *s.httpClient
	}
	if s.transport != nil {
		c.Transport = s.transport
	}
	own := !isNil(c.Transport)
	if !own {
		c.Transport = newTransport(nil)
	}
	rule := c.CheckRedirect
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error { return redirect(rule, r, via) }
	return &c, own
}

// redirect decides about one redirect. Another origin gets no credential: only
// headers that are known to hold none go along.
func redirect(rule func(*http.Request, []*http.Request) error, r *http.Request, via []*http.Request) error {
	if is, _ := r.Context().Value(redirectsKey{}).(bool); is {
		return http.ErrUseLastResponse
	}
	// The address before may hold a key in its query.
	r.Header.Del("Referer")
	first := via[0].URL
	away := !sameOrigin(first, r.URL)
	for _, v := range via {
		away = away || !sameOrigin(first, v.URL)
	}
	if away {
		for name := range r.Header {
			if !harmless[name] {
				delete(r.Header, name)
			}
		}
	}
	if rule != nil {
		return rule(r, via)
	}
	if len(via) >= maxRedirects {
		return errors.New("stopped after 10 redirects")
	}
	return nil
}

// harmless are the headers that another origin may see.
var harmless = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Content-Encoding": true, "Content-Language": true,
	"Content-Type": true, "If-Match": true, "If-Modified-Since": true, "If-None-Match": true, "If-Range": true,
	"If-Unmodified-Since": true, "Range": true, "User-Agent": true,
}

// sameOrigin compares scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if strings.EqualFold(u.Scheme, "https") {
		return "443"
	}
	return "80"
}

// bare is an error of http.Client without the address that it quotes, which may
// hold a key in its query.
func bare(err error) error {
	if err == nil {
		return nil
	}
	if quoted, ok := errors.AsType[*url.Error](err); ok && quoted.Err != nil {
		return quoted.Err
	}
	return err
}

// exchange sends a request and follows redirects. It does what http.Client does,
// but a client without a cookie jar and a timeout of its own goes straight to
// the transport: http.Client copies the headers of every request for the
// redirect that hardly any has.
func (c *Core) exchange(r *http.Request, redirects bool) (*http.Response, error) {
	if c.http.Jar != nil || c.http.Timeout > 0 || r.URL.User != nil {
		h, err := c.http.Do(r)
		return h, bare(err)
	}
	h, err := c.http.Transport.RoundTrip(r)
	switch {
	case err != nil:
		return nil, err
	case h == nil:
		return nil, errNoResponse
	}
	if h.Body == nil {
		h.Body = http.NoBody
	}
	if redirects || !isRedirect(h.StatusCode) {
		return h, nil
	}
	// From here on http.Client knows best. It sees the response that is there as
	// the answer to its first request.
	follow := *c.http
	follow.Transport = &primed{first: h, next: c.http.Transport}
	h, err = follow.Do(r)
	return h, bare(err)
}

var errNoResponse = errors.New("the transport gave neither a response nor an error")

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// primed answers its first request with a response that is there already.
type primed struct {
	first *http.Response
	next  http.RoundTripper
}

// RoundTrip is http.RoundTripper.
func (p *primed) RoundTrip(r *http.Request) (*http.Response, error) {
	if h := p.first; h != nil {
		p.first = nil
		return h, nil
	}
	return p.next.RoundTrip(r)
}
