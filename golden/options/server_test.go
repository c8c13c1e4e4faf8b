package options_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/golden/options"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/store"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// shelf is a service whose answers a test may replace.
type shelf struct {
	get func() (*options.Thing, error)

	mu   sync.Mutex
	made int
}

func (s *shelf) GetThing(context.Context) (*options.Thing, error) {
	if s.get != nil {
		return s.get()
	}
	return &options.Thing{Name: "lamp"}, nil
}

func (s *shelf) MakeThing(_ context.Context, r options.MakeThingRequest) (*options.Thing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return &r.Body, nil
}

func (s *shelf) Limited(context.Context) error { return nil }

func (s *shelf) PutStream(_ context.Context, r options.PutStreamRequest) error {
	_, err := io.Copy(io.Discard, r.Body)
	return err
}

// serve runs a service over TCP.
func serve(t *testing.T, svc options.Service, opts ...server.Option) string {
	t.Helper()
	s := httptest.NewServer(options.NewHandler(svc, append([]server.Option{server.OnError(nil)}, opts...)...))
	t.Cleanup(s.Close)
	return s.URL
}

// answer is what a request made by hand gets.
type answer struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, method, url, body string, lines ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		r.Header.Add(name, text)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(data)}
}

func (a answer) want(t *testing.T, status int, says string) {
	t.Helper()
	if a.status != status || !strings.Contains(a.body, says) {
		t.Errorf("%d %s, want %d and %q", a.status, a.body, status, says)
	}
}

const (
	isJSON  = "Content-Type: application/json"
	isBytes = "Content-Type: application/octet-stream"
	small   = `{"name":"lamp"}`
	large   = `{"name":"lamp"                                        }`
)

// serverOptions try the options of a handler, by their names.
var serverOptions = map[string]func(t *testing.T){
	"BasePath": func(t *testing.T) {
		url := serve(t, &shelf{}, server.BasePath("/api/v1"))
		ask(t, http.MethodGet, url+"/api/v1/things", "").want(t, 200, "lamp")
		ask(t, http.MethodGet, url+"/things", "").want(t, 404, "")
	},
	"BodyLimit": func(t *testing.T) {
		url := serve(t, &shelf{}, server.BodyLimit(20))
		ask(t, http.MethodPost, url+"/things", small, isJSON).want(t, 201, "lamp")
		ask(t, http.MethodPost, url+"/things", large, isJSON).want(t, 413, "")
		ask(t, http.MethodPut, url+"/stream", large, isBytes).want(t, 413, "")
	},
	"OperationLimit": func(t *testing.T) {
		url := serve(t, &shelf{}, server.BodyLimit(20), server.OperationLimit("makeThing", 100))
		ask(t, http.MethodPost, url+"/things", large, isJSON).want(t, 201, "lamp")
		ask(t, http.MethodPut, url+"/stream", large, isBytes).want(t, 413, "")
	},
	"StreamLimit": func(t *testing.T) {
		url := serve(t, &shelf{}, server.BodyLimit(20), server.StreamLimit(100))
		ask(t, http.MethodPut, url+"/stream", large, isBytes).want(t, 204, "")
		ask(t, http.MethodPut, url+"/stream", large+large, isBytes).want(t, 413, "")
		ask(t, http.MethodPost, url+"/things", large, isJSON).want(t, 413, "")
	},
	"HeaderLimit": func(t *testing.T) {
		url := serve(t, &shelf{}, server.HeaderLimit(4)) // the client's own are two
		ask(t, http.MethodGet, url+"/things", "", "X-A: 1", "X-A: 2").want(t, 200, "lamp")
		ask(t, http.MethodGet, url+"/things", "", "X-A: 1", "X-A: 2", "X-A: 3").want(t, 431, "")
	},
	"URLLimit": func(t *testing.T) {
		url := serve(t, &shelf{}, server.URLLimit(20))
		ask(t, http.MethodGet, url+"/things?"+strings.Repeat("a", 13), "").want(t, 200, "lamp")
		ask(t, http.MethodGet, url+"/things?"+strings.Repeat("a", 14), "").want(t, 414, "")
	},
	"ErrorHandler": func(t *testing.T) {
		url := serve(t, &shelf{}, server.ErrorHandler(func(w http.ResponseWriter, r *http.Request, p *fault.Problem) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(p.Status)
			_, _ = io.WriteString(w, "our own words of "+r.URL.Path) // the status is what is tested
		}))
		ask(t, http.MethodGet, url+"/nowhere", "").want(t, 404, "our own words of /nowhere")
		a := ask(t, http.MethodDelete, url+"/things", "")
		if a.want(t, 405, "our own words"); a.header.Get("Allow") == "" || a.header.Get("Content-Type") != "text/plain" {
			t.Errorf("%v", a.header)
		}
		ask(t, http.MethodPost, url+"/things", "{}", isJSON).want(t, 400, "our own words")
	},
	"OnError": func(t *testing.T) {
		broken := errors.New("disk on fire")
		var mu sync.Mutex
		var heard []string
		url := serve(t, &shelf{get: func() (*options.Thing, error) { return nil, broken }},
			server.OnError(func(_ context.Context, op string, status int, err error) {
				mu.Lock()
				defer mu.Unlock()
				if heard = append(heard, op); status != 500 || !errors.Is(err, broken) {
					t.Errorf("%s: %d, %v", op, status, err)
				}
			}))
		if a := ask(t, http.MethodGet, url+"/things", ""); strings.Contains(a.body, "fire") || a.status != 500 {
			t.Errorf("%d %s", a.status, a.body)
		}
		mu.Lock()
		defer mu.Unlock()
		if !reflect.DeepEqual(heard, []string{"getThing"}) {
			t.Errorf("heard of %q", heard)
		}
	},
	"OnPanic": func(t *testing.T) {
		var mu sync.Mutex
		var heard any
		url := serve(t, &shelf{get: func() (*options.Thing, error) { panic("out of paper") }},
			server.OnPanic(func(_ context.Context, op string, v any, stack []byte) {
				mu.Lock()
				defer mu.Unlock()
				if heard = v; op != "getThing" || len(stack) == 0 {
					t.Errorf("%s, %s", op, stack)
				}
			}))
		if a := ask(t, http.MethodGet, url+"/things", ""); strings.Contains(a.body, "paper") || a.status != 500 {
			t.Errorf("%d %s", a.status, a.body)
		}
		mu.Lock()
		defer mu.Unlock()
		if heard != any("out of paper") {
			t.Errorf("heard of %v", heard)
		}
	},
	"ValidateResponses": func(t *testing.T) {
		svc := &shelf{get: func() (*options.Thing, error) {
			return &options.Thing{Name: "a very long name", Colour: value.Some[options.ThingColour]("mauve")}, nil
		}}
		ask(t, http.MethodGet, serve(t, svc)+"/things", "").want(t, 200, "mauve")
		ask(t, http.MethodGet, serve(t, svc, server.ValidateResponses())+"/things", "").want(t, 500, "")
	},
	"IdempotencyStore": func(t *testing.T) {
		// Two instances with one store.
		records := store.NewMemoryIdempotency(store.MemoryOptions{})
		one, two := &shelf{}, &shelf{}
		first, second := serve(t, one, server.IdempotencyStore(records)), serve(t, two, server.IdempotencyStore(records))
		ask(t, http.MethodPost, first+"/things", small, isJSON, "Idempotency-Key: k").want(t, 201, "lamp")
		a := ask(t, http.MethodPost, second+"/things", small, isJSON, "Idempotency-Key: k")
		if a.want(t, 201, "lamp"); a.header.Get("Idempotent-Replayed") != "true" || one.made != 1 || two.made != 0 {
			t.Errorf("%v, made %d and %d times", a.header, one.made, two.made)
		}
	},
	"Observe": func(t *testing.T) {
		var mu sync.Mutex
		var heard []string
		url := serve(t, &shelf{}, server.Observe(&observe.Hooks{
			CallEnd: func(_ context.Context, e observe.CallEnd) { mu.Lock(); heard = append(heard, e.Op); mu.Unlock() },
			Reject: func(_ context.Context, e observe.Reject) {
				mu.Lock()
				heard = append(heard, e.Op+" "+e.Reason.String())
				mu.Unlock()
			},
		}))
		ask(t, http.MethodGet, url+"/limited", "").want(t, 204, "")
		a := ask(t, http.MethodGet, url+"/limited", "")
		if a.want(t, 429, ""); a.header.Get("Retry-After") == "" {
			t.Errorf("%v", a.header)
		}
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"limited", "limited rate-limit", "limited"}; !reflect.DeepEqual(heard, want) {
			t.Errorf("heard %q, want %q", heard, want)
		}
	},
	"TrustedProxies": func(t *testing.T) {
		for trusted, want := range map[string]int{"127.0.0.0/8": 204, "10.0.0.0/8": 429} {
			url := serve(t, &shelf{}, server.TrustedProxies(netip.MustParsePrefix(trusted)))
			ask(t, http.MethodGet, url+"/limited", "", "X-Forwarded-For: 192.0.2.1").want(t, 204, "")
			ask(t, http.MethodGet, url+"/limited", "", "X-Forwarded-For: 192.0.2.2").want(t, want, "")
			ask(t, http.MethodGet, url+"/limited", "", "X-Forwarded-For: 192.0.2.1").want(t, 429, "")
		}
	},
}

func TestServerOptions(t *testing.T) {
	for name, try := range serverOptions {
		t.Run(name, try)
	}
}
