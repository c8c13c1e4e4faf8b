package gallery_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// calls are one good call of each operation, by the name of its method.
func calls(c gallery.API, opts ...client.CallOption) map[string]func(context.Context) error {
	p := point(1, 2)
	picture := multipart.FileBytes("a.png", []byte("x"))
	image := multipart.File{ContentType: "image/gif", Open: picture.Open, Size: 1}
	all := map[string]func(context.Context) error{
		"PathSimple": func(ctx context.Context) error {
			_, err := c.PathSimple(ctx, gallery.PathSimpleRequest{List: []string{"a"}}, opts...)
			return err
		},
		"PathLabel": func(ctx context.Context) error {
			_, err := c.PathLabel(ctx, gallery.PathLabelRequest{ID: "a", List: []int64{1}, Exploded: []int64{1}}, opts...)
			return err
		},
		"PathMatrix": func(ctx context.Context) error {
			_, err := c.PathMatrix(ctx, gallery.PathMatrixRequest{ID: "a", List: []int64{1}, Exploded: []int64{1}}, opts...)
			return err
		},
		"PathVerb": func(ctx context.Context) error {
			_, err := c.PathVerb(ctx, gallery.PathVerbRequest{ID: "a"}, opts...)
			return err
		},
		"PathSuffix": func(ctx context.Context) error {
			_, err := c.PathSuffix(ctx, gallery.PathSuffixRequest{Name: "a", Ext: "b"}, opts...)
			return err
		},
		"QueryStyles": func(ctx context.Context) error {
			_, err := c.QueryStyles(ctx, gallery.QueryStylesRequest{}, opts...)
			return err
		},
		"QuerySpread": func(ctx context.Context) error {
			_, err := c.QuerySpread(ctx, gallery.QuerySpreadRequest{}, opts...)
			return err
		},
		"QueryScalars": func(ctx context.Context) error {
			_, err := c.QueryScalars(ctx, gallery.QueryScalarsRequest{}, opts...)
			return err
		},
		"Headers": func(ctx context.Context) error {
			_, err := c.Headers(ctx, gallery.HeadersRequest{XTrace: "a"}, opts...)
			return err
		},
		"Cookies": func(ctx context.Context) error {
			_, err := c.Cookies(ctx, gallery.CookiesRequest{Sid: "a"}, opts...)
			return err
		},
		"WholeQuery": func(ctx context.Context) error {
			_, err := c.WholeQuery(ctx, gallery.WholeQueryRequest{}, opts...)
			return err
		},
		"Search": func(ctx context.Context) error { _, err := c.Search(ctx, gallery.SearchRequest{}, opts...); return err },
		"Purge":  func(ctx context.Context) error { return c.Purge(ctx, opts...) },
		"BodyJSON": func(ctx context.Context) error {
			_, err := c.BodyJSON(ctx, gallery.BodyJSONRequest{}, opts...)
			return err
		},
		"BodyOptional": func(ctx context.Context) error {
			_, err := c.BodyOptional(ctx, gallery.BodyOptionalRequest{}, opts...)
			return err
		},
		"BodyForm": func(ctx context.Context) error {
			_, err := c.BodyForm(ctx, gallery.BodyFormRequest{}, opts...)
			return err
		},
		"BodyMultipart": func(ctx context.Context) error {
			_, err := c.BodyMultipart(ctx, gallery.BodyMultipartRequest{Body: gallery.BodyMultipartBody{Title: "a", Picture: picture}}, opts...)
			return err
		},
		"BodyText": func(ctx context.Context) error {
			_, err := c.BodyText(ctx, gallery.BodyTextRequest{Body: "a"}, opts...)
			return err
		},
		"BodyBinary": func(ctx context.Context) error {
			return discard(c.BodyBinary(ctx, gallery.BodyBinaryRequest{Body: bytes.NewReader([]byte("a"))}, opts...))
		},
		"BodyImage": func(ctx context.Context) error {
			return discard(c.BodyImage(ctx, gallery.BodyImageRequest{Body: image}, opts...))
		},
		"BodyXML": func(ctx context.Context) error {
			return discard(c.BodyXML(ctx, gallery.BodyXMLRequest{Body: strings.NewReader("<a/>")}, opts...))
		},
		"BodyChoice": func(ctx context.Context) error {
			_, err := c.BodyChoice(ctx, gallery.BodyChoiceRequest{Body: gallery.BodyChoiceRequestBody{JSON: &p}}, opts...)
			return err
		},
		"StreamEvents": func(ctx context.Context) error {
			s, err := c.StreamEvents(ctx, opts...)
			return errors.Join(err, s.Close())
		},
		"StreamLines": func(ctx context.Context) error {
			s, err := c.StreamLines(ctx, opts...)
			return errors.Join(err, s.Close())
		},
		"SendLines": func(ctx context.Context) error {
			_, err := c.SendLines(ctx, gallery.SendLinesRequest{Body: events(1)}, opts...)
			return err
		},
		"Statuses": func(ctx context.Context) error {
			_, err := c.Statuses(ctx, gallery.StatusesRequest{Code: 200}, opts...)
			return err
		},
		"HeadStatus": func(ctx context.Context) error {
			return c.HeadStatus(ctx, gallery.HeadStatusRequest{Code: 200}, opts...)
		},
		"FormToken":  func(ctx context.Context) error { _, err := c.FormToken(ctx, opts...); return err },
		"FormAny":    func(ctx context.Context) error { _, err := c.FormAny(ctx, opts...); return err },
		"PartsSheet": func(ctx context.Context) error { _, err := c.PartsSheet(ctx, opts...); return err },
		"PartsAny":   func(ctx context.Context) error { _, err := c.PartsAny(ctx, opts...); return err },
		"PartsAlbum": func(ctx context.Context) error {
			res, err := c.PartsAlbum(ctx, opts...)
			return errors.Join(err, res.Close())
		},
		"PartsRelated": func(ctx context.Context) error {
			res, err := c.PartsRelated(ctx, opts...)
			return errors.Join(err, res.Close())
		},
		"SendAlbum": func(ctx context.Context) error {
			_, err := c.SendAlbum(ctx, gallery.SendAlbumRequest{Body: gallery.PartsAlbumOKBody{Cover: picture}}, opts...)
			return err
		},
		"SubscribeNamed": func(ctx context.Context) error {
			_, err := c.SubscribeNamed(ctx, gallery.SubscribeNamedRequest{Body: gallery.SubscribeBody{URL: "https://example.com/"}}, opts...)
			return err
		},
		"Subscribe": func(ctx context.Context) error {
			return c.Subscribe(ctx, gallery.SubscribeRequest{Body: gallery.SubscribeBody{URL: "https://example.com/"}}, opts...)
		},
	}
	for name, call := range secured(c) {
		all["Secured"+name] = func(ctx context.Context) error { return call(ctx, opts...) }
	}
	return all
}

// secured are the operations that are about security, by the ends of their names.
func secured(c gallery.API) map[string]func(context.Context, ...client.CallOption) error {
	return map[string]func(context.Context, ...client.CallOption) error{
		"Header": c.SecuredHeader, "Query": c.SecuredQuery, "Cookie": c.SecuredCookie, "Basic": c.SecuredBasic, "Bearer": c.SecuredBearer,
		"Oauth": c.SecuredOauth, "Oidc": c.SecuredOidc, "Mutual": c.SecuredMutual, "Both": c.SecuredBoth, "Either": c.SecuredEither,
		"Optional": c.SecuredOptional,
	}
}

func discard(b *client.Body, err error) error {
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, b)
	return errors.Join(err, b.Close())
}

// everyKey are good credentials for all schemes.
func everyKey(secret string) []client.Option {
	return []client.Option{
		client.APIKey(gallery.SchemeHeaderKey, secret), client.APIKey(gallery.SchemeQueryKey, secret), client.APIKey(gallery.SchemeCookieKey, secret),
		client.Basic(gallery.SchemeBasic, "u", secret), client.Bearer(gallery.SchemeBearer, secret), client.Bearer(gallery.SchemeOauth, secret),
		client.Bearer(gallery.SchemeOidc, secret),
	}
}

// authority signs the certificates of a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newAuthority makes an authority, and certificate one that it has signed for the
// loopback address.
func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	a.cert, a.key = a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	})
	return a
}

func (a *authority) sign(t *testing.T, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

func (a *authority) certificate(t *testing.T, name string) tls.Certificate {
	t.Helper()
	cert, key := a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	})
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// overTLS serves h to those with a certificate of the authority and to those
// without. The transport has one if certs are given.
func overTLS(t *testing.T, a *authority, h http.Handler, certs ...tls.Certificate) (url string, transport *http.Transport) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{
		Certificates: []tls.Certificate{a.certificate(t, "server")}, ClientCAs: a.pool(), ClientAuth: tls.VerifyClientCertIfGiven,
		MinVersion: tls.VersionTLS12,
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.pool(), Certificates: certs, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	return s.URL, transport
}

// everyone lets all in with all scopes.
var everyone = server.Authenticate(func(_ context.Context, c *server.Credentials) (server.Principal, error) {
	return server.Principal{ID: c.Scheme.Name, Scopes: c.Scopes}, nil
})

// overAll gives clients that can make every call of a handler, with a certificate
// as well. Each has its own breakers.
func overAll(t *testing.T, h http.Handler) func() *gallery.Client {
	t.Helper()
	a := newAuthority(t)
	url, transport := overTLS(t, a, h, a.certificate(t, "caller"))
	return func() *gallery.Client {
		c, err := gallery.New(append(everyKey("good"), client.BaseURL(url), client.Transport(transport))...)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// The table of calls has all operations, so that no test over it passes one by.
func TestCallsAreComplete(t *testing.T) {
	all := calls(nobody{})
	api := reflect.TypeFor[gallery.API]()
	for m := range api.Methods() {
		if all[m.Name] == nil {
			t.Errorf("%s is not called", m.Name)
		}
	}
	if len(all) != api.NumMethod() || reflect.TypeFor[gallery.Service]().NumMethod() != len(all) {
		t.Errorf("%d calls of %d operations", len(all), api.NumMethod())
	}
}

// nobody has all methods, and each of them panics.
type nobody struct{ gallery.API }

func TestEveryCall(t *testing.T) {
	made := overAll(t, gallery.NewHandler(&echo{}, everyone, server.ValidateResponses()))
	for name, call := range calls(made()) {
		if err := call(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An operation that is not there yet answers 501, each of them.
func TestUnimplementedOperations(t *testing.T) {
	made := overAll(t, gallery.NewHandler(gallery.Unimplemented{}, everyone, server.OnError(nil)))
	for name := range calls(nobody{}) {
		err := calls(made())[name](t.Context())
		var f *fault.Error
		if !errors.As(err, &f) || f.Status != http.StatusNotImplemented || f.Attempts != 1 || !strings.EqualFold(f.Op, name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// broken is a service whose methods panic, for there is none behind them.
type broken struct{ gallery.Service }

// A panic is a 500 without a word of it, and heard of; the server goes on.
func TestPanics(t *testing.T) {
	var mu sync.Mutex
	var heard []string
	h := gallery.NewHandler(broken{}, everyone, server.OnPanic(func(_ context.Context, op string, v any, stack []byte) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, op)
		if v == nil || !bytes.Contains(stack, []byte("gallery")) {
			t.Errorf("%s: %v at\n%s", op, v, stack)
		}
	}))
	made := overAll(t, h)
	var want []string
	for name := range calls(nobody{}) {
		err := calls(made(), client.NoRetry())[name](t.Context())
		var f *fault.Error
		if !errors.As(err, &f) || f.Status != http.StatusInternalServerError || strings.Contains(err.Error(), "nil pointer") {
			t.Errorf("%s: %v", name, err)
		}
		want = append(want, strings.ToLower(name))
	}
	mu.Lock()
	defer mu.Unlock()
	for i := range heard {
		heard[i] = strings.ToLower(heard[i])
	}
	slices.Sort(heard)
	slices.Sort(want)
	if !slices.Equal(heard, want) {
		t.Errorf("heard of %v, want %v", heard, want)
	}
}

// fake stands in for the client where its user is tested.
type fake struct{ gallery.API }

func (fake) Purge(context.Context, ...client.CallOption) error { return nil }

func (fake) BodyText(_ context.Context, r gallery.BodyTextRequest, _ ...client.CallOption) (string, error) {
	return strings.ToUpper(r.Body), nil
}

func TestFake(t *testing.T) {
	var api gallery.API = fake{}
	if text, err := api.BodyText(t.Context(), gallery.BodyTextRequest{Body: "a"}); err != nil || text != "A" || api.Purge(t.Context()) != nil {
		t.Errorf("%q, %v", text, err)
	}
}
