package gallery_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// echo is a service that remembers what it got and gives back what it is told to.
type echo struct {
	gallery.Unimplemented

	mu  sync.Mutex
	got any
}

func (e *echo) keep(req any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.got = req
}

func (e *echo) seen(req any) (*gallery.Seen, error) {
	e.keep(req)
	return &gallery.Seen{Values: map[string]string{"a": "b"}}, nil
}

func (e *echo) PathSimple(_ context.Context, r gallery.PathSimpleRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) PathLabel(_ context.Context, r gallery.PathLabelRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) PathMatrix(_ context.Context, r gallery.PathMatrixRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) PathVerb(_ context.Context, r gallery.PathVerbRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) PathSuffix(_ context.Context, r gallery.PathSuffixRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) QueryStyles(_ context.Context, r gallery.QueryStylesRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) QuerySpread(_ context.Context, r gallery.QuerySpreadRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) QueryScalars(_ context.Context, r gallery.QueryScalarsRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) Headers(_ context.Context, r gallery.HeadersRequest) (*gallery.HeadersResponse, error) {
	seen, err := e.seen(r)
	return &gallery.HeadersResponse{
		XTotal: 7, XTags: []string{"a", "b"}, SetCookie: []string{"a=1; Path=/", "b=2"}, Body: *seen,
	}, err
}

func (e *echo) Cookies(_ context.Context, r gallery.CookiesRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) WholeQuery(_ context.Context, r gallery.WholeQueryRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

func (e *echo) Search(_ context.Context, r gallery.SearchRequest) (*gallery.Seen, error) {
	return e.seen(r)
}
func (e *echo) Purge(context.Context) error { e.keep("purge"); return nil }

func (e *echo) BodyJSON(_ context.Context, r gallery.BodyJSONRequest) (*gallery.Filter, error) {
	return &r.Body, nil
}

func (e *echo) BodyOptional(_ context.Context, r gallery.BodyOptionalRequest) (gallery.BodyOptionalResult, error) {
	if r.Body == nil {
		return &gallery.BodyOptionalNoContent{}, nil
	}
	return &gallery.BodyOptionalOK{Body: *r.Body}, nil
}

func (e *echo) BodyForm(_ context.Context, r gallery.BodyFormRequest) (*gallery.Seen, error) {
	return e.seen(r)
}

// multipartSeen is a multipart body with its files read.
type multipartSeen struct {
	Title, Picture, PictureType string
	Colours                     []gallery.Colour
	Where                       *gallery.Point
	More                        []string
}

func (e *echo) BodyMultipart(_ context.Context, r gallery.BodyMultipartRequest) (*gallery.Seen, error) {
	got := multipartSeen{Title: r.Body.Title, Colours: r.Body.Colours, Where: r.Body.Where}
	var err error
	if got.Picture, err = content(r.Body.Picture); err != nil {
		return nil, err
	}
	_, got.PictureType, _ = server.FileInfo(r.Body.Picture)
	for _, f := range r.Body.More {
		text, err := content(f)
		if err != nil {
			return nil, err
		}
		got.More = append(got.More, f.Name+"="+text)
	}
	return e.seen(got)
}

// content reads a file.
func content(f multipart.File) (string, error) {
	r, err := f.Source().Open()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), errors.Join(err, r.Close())
}

func (e *echo) BodyText(_ context.Context, r gallery.BodyTextRequest) (string, error) {
	return r.Body, nil
}

func (e *echo) BodyBinary(_ context.Context, r gallery.BodyBinaryRequest) (server.Body, error) {
	return server.Body{Reader: r.Body}, nil
}

func (e *echo) BodyImage(_ context.Context, r gallery.BodyImageRequest) (server.Body, error) {
	return server.Body{Reader: r.Body.Reader, ContentType: r.Body.ContentType}, nil
}

func (e *echo) BodyXML(_ context.Context, r gallery.BodyXMLRequest) (server.Body, error) {
	return server.Body{Reader: r.Body}, nil
}

func (e *echo) BodyChoice(_ context.Context, r gallery.BodyChoiceRequest) (gallery.BodyChoiceResult, error) {
	if r.Body.JSON != nil {
		return &gallery.BodyChoiceOKJSON{Body: *r.Body.JSON}, nil
	}
	return &gallery.BodyChoiceOKText{Body: r.Body.Text.Or("")}, nil
}

func events(n int64) iter.Seq2[gallery.Event, error] {
	return func(yield func(gallery.Event, error) bool) {
		for i := range n {
			if !yield(gallery.Event{N: i + 1}, nil) {
				return
			}
		}
	}
}

func (e *echo) StreamEvents(context.Context) (iter.Seq2[gallery.Event, error], error) {
	return events(3), nil
}

func (e *echo) StreamLines(context.Context) (iter.Seq2[gallery.Event, error], error) {
	return events(3), nil
}

func (e *echo) SendLines(_ context.Context, r gallery.SendLinesRequest) (*gallery.Seen, error) {
	var all []gallery.Event
	for v, err := range r.Body {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return e.seen(all)
}

func (e *echo) Statuses(_ context.Context, r gallery.StatusesRequest) (gallery.StatusesResult, error) {
	seen := gallery.Seen{Values: map[string]string{"code": "x"}}
	switch r.Code {
	case 200:
		return &gallery.StatusesOK{Body: seen}, nil
	case 201:
		return &gallery.StatusesCreated{Body: gallery.Point{X: 1, Y: 2}}, nil
	case 204:
		return &gallery.StatusesNoContent{}, nil
	case 303:
		v := &gallery.StatusesSeeOther{}
		v.Location.Set("/elsewhere")
		return v, nil
	case 404:
		return nil, &gallery.StatusesNotFound{Body: seen}
	case 409:
		return nil, &gallery.Statuses4XX{StatusCode: 409, Body: seen}
	}
	return nil, &gallery.StatusesDefault{StatusCode: int(r.Code), Body: seen}
}

func (e *echo) HeadStatus(context.Context, gallery.HeadStatusRequest) error { return nil }

func (e *echo) secured(ctx context.Context) error {
	p, _ := server.PrincipalOf(ctx)
	e.keep(p.ID)
	return nil
}

func (e *echo) SecuredHeader(ctx context.Context) error   { return e.secured(ctx) }
func (e *echo) SecuredQuery(ctx context.Context) error    { return e.secured(ctx) }
func (e *echo) SecuredCookie(ctx context.Context) error   { return e.secured(ctx) }
func (e *echo) SecuredBasic(ctx context.Context) error    { return e.secured(ctx) }
func (e *echo) SecuredBearer(ctx context.Context) error   { return e.secured(ctx) }
func (e *echo) SecuredOauth(ctx context.Context) error    { return e.secured(ctx) }
func (e *echo) SecuredOidc(ctx context.Context) error     { return e.secured(ctx) }
func (e *echo) SecuredMutual(ctx context.Context) error   { return e.secured(ctx) }
func (e *echo) SecuredBoth(ctx context.Context) error     { return e.secured(ctx) }
func (e *echo) SecuredEither(ctx context.Context) error   { return e.secured(ctx) }
func (e *echo) SecuredOptional(ctx context.Context) error { return e.secured(ctx) }

func (e *echo) Subscribe(_ context.Context, r gallery.SubscribeRequest) error {
	e.keep(r)
	return nil
}

// wire is a connection that keeps what went over it.
type wire struct {
	mu      sync.Mutex
	request *http.Request
	body    string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	w.mu.Lock()
	w.request, w.body = r, string(body)
	w.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// target is the path and the query as they were sent.
func (w *wire) target() string { return w.request.URL.RequestURI() }

// start runs the service over TCP and makes a client of it.
func start(t *testing.T, opts ...client.Option) (*gallery.Client, *echo, *wire) {
	t.Helper()
	svc, w := &echo{}, &wire{}
	handler := gallery.NewHandler(svc, server.Authenticate(func(_ context.Context, c *server.Credentials) (server.Principal, error) {
		if c.Secret != "good" {
			return server.Principal{}, server.ErrUnauthorized
		}
		return server.Principal{ID: c.Scheme.Name, Scopes: []string{"write"}}, nil
	}), server.OnError(nil))
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	c, err := gallery.New(append([]client.Option{client.BaseURL(s.URL), client.Transport(w)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c, svc, w
}
