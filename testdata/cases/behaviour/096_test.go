package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"

	api "cases/c096"
	"cases/kit"
)

// wired sends whatever a client asks for to one server, and keeps the URLs.
type wired struct {
	to   string
	seen []string
}

func (w *wired) RoundTrip(r *http.Request) (*http.Response, error) {
	w.seen = append(w.seen, r.URL.String())
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", w.to
	return http.DefaultTransport.RoundTrip(r)
}

func wire(t *testing.T) (*kit.Recorder, *wired) {
	t.Helper()
	sent := kit.Record(t)
	return sent, &wired{to: sent.URL[len("http://"):]}
}

func TestJoin(t *testing.T) {
	for base, want := range map[string]string{
		"http://h/p/v1":  "/p/v1/things",
		"http://h/p/v1/": "/p/v1/things",
		"http://h":       "/things",
		"http://h/":      "/things",
		"http://h/a%2Fb": "/a%2Fb/things",
	} {
		sent, w := wire(t)
		kit.OK(t, kit.Client(t, api.New, base, client.Transport(w)).Things(t.Context()))
		kit.Same(t, base, w.seen, []string{"http://h" + want})
		kit.Same(t, base, sent.Last(t).Target, want)
	}
}

func TestServersOfTheDocument(t *testing.T) {
	_, w := wire(t)
	c, err := api.New(client.Transport(w))
	kit.OK(t, err)
	kit.OK(t, c.Things(t.Context()))
	kit.OK(t, c.Alt(t.Context()))
	kit.Same(t, "URLs", w.seen, []string{"http://h.example/p/v1/things", "https://alt.example/things2/alt"})
}

func TestCallerOverrides(t *testing.T) {
	_, w := wire(t)
	c := kit.Client(t, api.New, "http://h/x", client.Transport(w))
	kit.OK(t, c.Alt(t.Context()))
	kit.OK(t, c.Alt(t.Context(), client.At("http://other/y/alt")))
	kit.Same(t, "URLs", w.seen, []string{"http://h/x/alt", "http://other/y/alt"})
}

// The query of a base goes along.
func TestQueryOfTheBase(t *testing.T) {
	sent, w := wire(t)
	kit.OK(t, kit.Client(t, api.New, "http://h/p?k=v%2Fw", client.Transport(w)).Things(t.Context()))
	kit.Same(t, "target", sent.Last(t).Target, "/p/things?k=v%2Fw")
}

type service struct{ calls []string }

func (s *service) Things(context.Context) error { s.calls = append(s.calls, "things"); return nil }
func (s *service) Alt(context.Context) error    { s.calls = append(s.calls, "alt"); return nil }

func TestMountedServer(t *testing.T) {
	for _, base := range []string{"/p/v1", "/p/v1/"} {
		s := &service{}
		url := kit.Serve(t, api.NewHandler(s, server.BasePath(base)))
		for path, status := range map[string]int{
			"/p/v1/things": 204, "/p/v1/alt": 204, "/things": 404, "/p/v1": 404, "/p/v1x/things": 404, "/p/v1//things": 404,
		} {
			kit.Same(t, path, kit.Send(t, "GET", url+path, "").Status, status)
		}
		kit.Same(t, "calls", kit.SameSet(s.calls, []string{"things", "alt"}), true)
		kit.OK(t, kit.Client(t, api.New, url+"/p/v1").Things(t.Context()))
	}
	s := &service{}
	url := kit.Serve(t, api.NewHandler(s))
	kit.Same(t, "without a base", kit.Send(t, "GET", url+"/things", "").Status, 204)
}
