package gallery_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
)

func TestResults(t *testing.T) {
	c, _, _ := start(t)
	ctx := context.Background()
	get := func(code int64) gallery.StatusesResult {
		t.Helper()
		res, err := c.Statuses(ctx, gallery.StatusesRequest{Code: code})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if v, is := get(200).(*gallery.StatusesOK); !is || v.Body.Values["code"] != "x" {
		t.Errorf("200: %v", v)
	}
	if v, is := get(201).(*gallery.StatusesCreated); !is || v.Body.Y != 2 {
		t.Errorf("201: %v", v)
	}
	if _, is := get(204).(*gallery.StatusesNoContent); !is {
		t.Error("204 is not without content")
	}
	// The document declares the redirect, so it is a result and not followed.
	if v, is := get(303).(*gallery.StatusesSeeOther); !is || v.Location.Or("") != "/elsewhere" {
		t.Errorf("303: %v", v)
	}
	if err := c.HeadStatus(ctx, gallery.HeadStatusRequest{Code: 200}); err != nil {
		t.Errorf("HEAD: %v", err)
	}
}

func TestFailures(t *testing.T) {
	c, _, _ := start(t)
	call := func(code int64) error {
		_, err := c.Statuses(context.Background(), gallery.StatusesRequest{Code: code}, client.NoRetry())
		return err
	}
	var notFound *gallery.StatusesNotFound
	if err := call(404); !errors.As(err, &notFound) || notFound.Body.Values["code"] != "x" || notFound.Error() != "404 Not Found: not there" {
		t.Errorf("404: %v", err)
	}
	var clients *gallery.Statuses4XX
	if err := call(409); !errors.As(err, &clients) || clients.StatusCode != http.StatusConflict || clients.Error() != "409 Conflict: your fault" {
		t.Errorf("409: %v", err)
	}
	var other *gallery.StatusesDefault
	err := call(503)
	if !errors.As(err, &other) || other.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("503: %v", err)
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Op != "statuses" || f.Status != 503 || f.Attempts != 1 {
		t.Errorf("503: %#v", f)
	}
}

// A response that is not what the document says is told as it came.
func TestUndeclared(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<p>nothing here</p>")) // the client is what is tested
	}))
	t.Cleanup(s.Close)
	c, err := gallery.New(client.BaseURL(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Statuses(context.Background(), gallery.StatusesRequest{Code: 1})
	var status *client.StatusError
	if !errors.As(err, &status) || status.StatusCode != http.StatusNotFound || !strings.Contains(string(status.Body), "nothing here") {
		t.Errorf("%v", err)
	}
}

func TestUnimplemented(t *testing.T) {
	s := httptest.NewServer(gallery.NewHandler(gallery.Unimplemented{}, server.OnError(nil)))
	t.Cleanup(s.Close)
	res, err := http.Get(s.URL + "/path/jobs/1:run")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // nothing is read
	if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "POST" {
		t.Errorf("GET gives %d, Allow %q", res.StatusCode, res.Header.Get("Allow"))
	}
	res, err = http.Post(s.URL+"/path/jobs/1:run", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // nothing is read
	if res.StatusCode != http.StatusNotImplemented {
		t.Errorf("POST gives %d, want 501", res.StatusCode)
	}
}

func TestSecurity(t *testing.T) {
	ctx := context.Background()
	all := []client.Option{
		client.APIKey(gallery.SchemeHeaderKey, "good"), client.APIKey(gallery.SchemeQueryKey, "good"),
		client.APIKey(gallery.SchemeCookieKey, "good"), client.Basic(gallery.SchemeBasic, "u", "good"),
		client.Bearer(gallery.SchemeBearer, "good"), client.Bearer(gallery.SchemeOauth, "good"), client.Bearer(gallery.SchemeOidc, "good"),
	}
	c, svc, w := start(t, all...)
	for name, tt := range map[string]struct {
		call   func(context.Context, ...client.CallOption) error
		scheme string
		sent   func() string
		want   string
	}{
		"header": {c.SecuredHeader, gallery.SchemeHeaderKey, func() string { return w.request.Header.Get("X-Key") }, "good"},
		"query":  {c.SecuredQuery, gallery.SchemeQueryKey, func() string { return w.request.URL.RawQuery }, "api_key=good"},
		"cookie": {c.SecuredCookie, gallery.SchemeCookieKey, func() string { return w.request.Header.Get("Cookie") }, "session=good"},
		"basic":  {c.SecuredBasic, gallery.SchemeBasic, func() string { return w.request.Header.Get("Authorization") }, "Basic dTpnb29k"},
		"bearer": {c.SecuredBearer, gallery.SchemeBearer, func() string { return w.request.Header.Get("Authorization") }, "Bearer good"},
		"oauth":  {c.SecuredOauth, gallery.SchemeOauth, func() string { return w.request.Header.Get("Authorization") }, "Bearer good"},
		"oidc":   {c.SecuredOidc, gallery.SchemeOidc, func() string { return w.request.Header.Get("Authorization") }, "Bearer good"},
		"both": {c.SecuredBoth, gallery.SchemeHeaderKey, func() string {
			return w.request.Header.Get("X-Key") + " " + w.request.URL.RawQuery
		}, "good api_key=good"},
		"either": {c.SecuredEither, gallery.SchemeHeaderKey, func() string { return w.request.Header.Get("Authorization") }, ""},
	} {
		if err := tt.call(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if svc.got != any(tt.scheme) || tt.sent() != tt.want {
			t.Errorf("%s: the server knows %v, sent %q, want %q", name, svc.got, tt.sent(), tt.want)
		}
	}

	// Half of what is needed is not enough, and optional is optional.
	c, _, w = start(t, client.APIKey(gallery.SchemeHeaderKey, "good"))
	if err := c.SecuredBoth(ctx); err == nil || w.request != nil || strings.Contains(err.Error(), "good") {
		t.Errorf("one of two keys: %v", err)
	}
	c, _, _ = start(t)
	if err := c.SecuredOptional(ctx); err != nil {
		t.Errorf("optional: %v", err)
	}
}

// hooks receives webhooks and callbacks.
type hooks struct {
	gallery.UnimplementedCallbacks

	got []int64
}

func (h *hooks) Announced(_ context.Context, r gallery.AnnouncedRequest) error {
	h.got = append(h.got, r.Body.N)
	return nil
}

func (h *hooks) Happened(_ context.Context, r gallery.HappenedRequest) error {
	h.got = append(h.got, -r.Body.N)
	return nil
}

func TestWebhooksAndCallbacks(t *testing.T) {
	ctx := context.Background()
	h := &hooks{}
	webhooks := httptest.NewServer(gallery.NewWebhookHandler(h))
	t.Cleanup(webhooks.Close)
	callbacks := httptest.NewServer(gallery.NewCallbackHandler(h, server.RoutePath("happened", "/in/here")))
	t.Cleanup(callbacks.Close)

	sender, err := gallery.NewWebhookClient()
	if err != nil {
		t.Fatal(err)
	}
	if err := sender.Announced(ctx, webhooks.URL+"/announced", gallery.AnnouncedRequest{Body: gallery.Event{N: 1}}); err != nil {
		t.Fatal(err)
	}
	url, err := gallery.HappenedURL(&gallery.SubscribeRequest{Body: gallery.SubscribeBody{URL: callbacks.URL + "/in/here"}})
	if err != nil {
		t.Fatal(err)
	}
	caller, err := gallery.NewCallbackClient()
	if err != nil {
		t.Fatal(err)
	}
	if err := caller.Happened(ctx, url, gallery.HappenedRequest{Body: gallery.Event{N: 2}}); err != nil {
		t.Fatal(err)
	}
	if len(h.got) != 2 || h.got[0] != 1 || h.got[1] != -2 {
		t.Errorf("received %v", h.got)
	}
}
