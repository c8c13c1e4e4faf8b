package gallery_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// A receiver that takes nothing yet says so, and a sender hears of it.
func TestUnimplementedHooks(t *testing.T) {
	webhooks := httptest.NewServer(gallery.NewWebhookHandler(gallery.UnimplementedWebhooks{}, server.OnError(nil)))
	t.Cleanup(webhooks.Close)
	callbacks := httptest.NewServer(gallery.NewCallbackHandler(gallery.UnimplementedCallbacks{}, server.RoutePath("happened", "/in"), server.OnError(nil)))
	t.Cleanup(callbacks.Close)
	sender, err := gallery.NewWebhookClient()
	caller, err2 := gallery.NewCallbackClient()
	if err = errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Core().CloseIdle)
	t.Cleanup(caller.Core().CloseIdle)
	for op, call := range map[string]func() error{
		"announced": func() error {
			return sender.Announced(t.Context(), webhooks.URL+"/announced", gallery.AnnouncedRequest{})
		},
		"happened": func() error { return caller.Happened(t.Context(), callbacks.URL+"/in", gallery.HappenedRequest{}) },
	} {
		var f *fault.Error
		if err := call(); !errors.As(err, &f) || f.Op != op || f.Status != http.StatusNotImplemented || f.Attempts != 1 {
			t.Errorf("%s: %v", op, err)
		}
	}
	// Each is found at its own path only, and takes what the document says.
	for _, tt := range []struct {
		method, url, body string
		status            int
	}{
		{"POST", webhooks.URL + "/announced", `{"n":"x"}`, 400},
		{"POST", webhooks.URL + "/announced", `{}`, 400},
		{"GET", webhooks.URL + "/announced", ``, 405},
		{"POST", webhooks.URL + "/in", `{"n":1}`, 404},
		{"POST", callbacks.URL + "/happened", `{"n":1}`, 404},
		{"POST", callbacks.URL + "/in", `{"n":1}`, 501},
	} {
		if a := by(t, tt.method, tt.url, tt.body, "Content-Type: application/json"); a.status != tt.status {
			t.Errorf("%s %s %s: %d, want %d", tt.method, tt.url, tt.body, a.status, tt.status)
		}
	}
}

// The receiver's address is the sender's to give: all of its path counts, its query
// is kept, and without one nothing is sent.
func TestAddressesOfHooks(t *testing.T) {
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+" "+r.RequestURI)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(s.Close)
	sender, err := gallery.NewWebhookClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Core().CloseIdle)
	for _, path := range []string{"/a%2Fb/", "/in?token=a%20b&x", "/"} {
		got = nil
		if err := sender.Announced(t.Context(), s.URL+path, gallery.AnnouncedRequest{}); err != nil || len(got) != 1 || got[0] != "POST "+path {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	got = nil
	for _, bad := range []string{"", "/in", "not a URL", "ftp://127.0.0.1/"} {
		var f *fault.Error
		if err := sender.Announced(t.Context(), bad, gallery.AnnouncedRequest{}, client.NoRetry()); !errors.As(err, &f) || f.Attempts != 0 || f.Kind != fault.Request {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if got != nil {
		t.Errorf("sent %q", got)
	}
}

// The subscriber's address goes from the request to the callback, through both
// sides.
func TestSubscription(t *testing.T) {
	h := &hooks{}
	receiver := httptest.NewServer(gallery.NewCallbackHandler(h, server.RoutePath("happened", "/in")))
	t.Cleanup(receiver.Close)
	caller, err := gallery.NewCallbackClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Core().CloseIdle)
	c, _ := direct(t, publisher{caller: caller})
	if err := c.Subscribe(t.Context(), gallery.SubscribeRequest{Body: gallery.SubscribeBody{URL: receiver.URL + "/in"}}); err != nil {
		t.Fatal(err)
	}
	if len(h.got) != 1 || h.got[0] != -42 {
		t.Errorf("received %v", h.got)
	}
}

// publisher calls back at once.
type publisher struct {
	gallery.Unimplemented

	caller gallery.CallbackAPI
}

func (p publisher) Subscribe(ctx context.Context, r gallery.SubscribeRequest) error {
	url, err := gallery.HappenedURL(&r)
	if err != nil {
		return err
	}
	return p.caller.Happened(ctx, url, gallery.HappenedRequest{Body: gallery.Event{N: 42}})
}
