package policies_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/policies"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// world is a client that is answered with one status.
type world struct {
	*wire.Wire
	status int
	during func() // runs while a request is under way
}

func newWorld(status int) *world {
	w := &world{status: status}
	w.Wire = wire.New(func(int, *http.Request) (*http.Response, error) {
		if w.during != nil {
			w.during()
		}
		return wire.Reply(w.status, ""), nil
	})
	return w
}

func (w *world) client(t *testing.T) *policies.Client {
	t.Helper()
	c, err := policies.New(client.Transport(w))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The values of the parameter as choose variants.
func variant(as string) func(context.Context, *policies.Client) error {
	return func(ctx context.Context, c *policies.Client) error {
		return c.Variants(ctx, policies.VariantsRequest{As: value.Some(as)})
	}
}

func written(as value.Opt[string]) func(context.Context, *policies.Client) error {
	return func(ctx context.Context, c *policies.Client) error {
		return c.Written(ctx, policies.WrittenRequest{As: as})
	}
}

// The tries of a call that always fails are those of the policy that is for it.
func TestTries(t *testing.T) {
	fast := value.Some("fast")
	for name, tt := range map[string]struct {
		call func(context.Context, *policies.Client) error
		want int
	}{
		"selected by its name": {func(ctx context.Context, c *policies.Client) error { return c.ByName(ctx) }, 3},
		"selected by a tag":    {func(ctx context.Context, c *policies.Client) error { return c.WithTag(ctx) }, 4},
		"selected by a parameter": {func(ctx context.Context, c *policies.Client) error {
			return c.WithCursor(ctx, policies.WithCursorRequest{})
		}, 5},
		"selected by its method":               {func(ctx context.Context, c *policies.Client) error { return c.OfMethod(ctx) }, 6},
		"uses a policy":                        {func(ctx context.Context, c *policies.Client) error { return c.Uses(ctx) }, 6},
		"a preset of the document":             {func(ctx context.Context, c *policies.Client) error { return c.Presets(ctx) }, 4},
		"a PUT whose effect is write":          {written(value.Opt[string]{}), 1},
		"a variant whose effect is read":       {written(value.Some("read")), 2},
		"a variant whose effect is idempotent": {written(value.Some("idempotent")), 2},
		"no variant":                           {variant("none"), 2},
		"a variant whose effect is write":      {variant("write"), 1},
		"a variant that uses a policy":         {variant("used"), 6},
		"a variant of the client":              {variant("client"), 4},
		"a variant of the server":              {variant("server"), 2},
		"an inherited variant": {func(ctx context.Context, c *policies.Client) error {
			return c.InheritsOne(ctx, policies.InheritsOneRequest{As: fast})
		}, 1},
		"an inherited variant that is taken out": {func(ctx context.Context, c *policies.Client) error {
			return c.InheritsNone(ctx, policies.InheritsNoneRequest{As: fast})
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(http.StatusServiceUnavailable)
			if err := tt.call(t.Context(), w.client(t)); err == nil {
				t.Error("a call that always fails has succeeded")
			}
			if len(w.Sent()) != tt.want {
				t.Errorf("%d tries, want %d", len(w.Sent()), tt.want)
			}
		})
	}
}

// What a policy says of criticality travels with the request; standard is what a request
// without the header is.
func TestCriticality(t *testing.T) {
	for name, tt := range map[string]struct {
		call func(context.Context, *policies.Client) error
		want string
	}{
		"standard over optional": {func(ctx context.Context, c *policies.Client) error { return c.Standard(ctx) }, ""},
		"a critical variant":     {variant("critical"), "critical"},
		"an optional variant":    {variant("optional"), "optional"},
		"no variant":             {variant("none"), ""},
		"optional as it stands": {func(ctx context.Context, c *policies.Client) error {
			return c.MostlyOptional(ctx, policies.MostlyOptionalRequest{})
		}, "optional"},
		"a standard variant": {func(ctx context.Context, c *policies.Client) error {
			return c.MostlyOptional(ctx, policies.MostlyOptionalRequest{As: value.Some("standard")})
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(http.StatusNoContent)
			if err := tt.call(t.Context(), w.client(t)); err != nil {
				t.Fatal(err)
			}
			if got := w.Sent()[0].Header.Get("X-Request-Criticality"); got != tt.want {
				t.Errorf("sent %q, want %q", got, tt.want)
			}
		})
	}
}

// An operation and a variant of another dependency do not share its breaker, which a preset
// of the document opens at the first failure.
func TestDependencies(t *testing.T) {
	own := func(ctx context.Context, c *policies.Client) error { return c.Own(ctx) }
	other := func(ctx context.Context, c *policies.Client) error { return c.Other(ctx) }
	for name, tt := range map[string]struct {
		fails, then func(context.Context, *policies.Client) error
		open        bool
	}{
		"the same operation":              {own, own, true},
		"an operation of another":         {own, other, false},
		"from the other":                  {other, own, false},
		"a variant of the same":           {own, variant("here"), true},
		"a variant of another":            {own, variant("elsewhere"), false},
		"a variant of another by itself":  {variant("elsewhere"), variant("elsewhere"), true},
		"from the variant of another":     {variant("elsewhere"), own, false},
		"an operation without a breaker":  {variant("here"), variant("none"), false},
		"a third dependency by its first": {other, variant("elsewhere"), false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(http.StatusServiceUnavailable)
			c := w.client(t)
			if err := tt.fails(t.Context(), c); err == nil || errors.Is(err, fault.ErrBreakerOpen) {
				t.Fatal(err)
			}
			if err := tt.then(t.Context(), c); errors.Is(err, fault.ErrBreakerOpen) != tt.open {
				t.Errorf("%v; is it open: want %v", err, tt.open)
			}
		})
	}
}

// The document's own presets of a timeout and of a bulkhead.
func TestPresets(t *testing.T) {
	w := newWorld(http.StatusNoContent)
	c := w.client(t)
	var inner error
	w.during = func() {
		w.during = nil
		inner = c.Presets(t.Context())
	}
	if err := c.Presets(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(inner, fault.ErrBulkheadFull) || len(w.Sent()) != 1 {
		t.Errorf("a second call at once: %v, %d sent", inner, len(w.Sent()))
	}
	// The attempt's 7s less the reserve of 20ms.
	if got := w.Sent()[0].Header.Get("X-Request-Deadline-Ms"); got != "6980" {
		t.Errorf("a deadline of %sms", got)
	}
	w.status = http.StatusServiceUnavailable
	if texts, err := c.Keeps(t.Context()); err != nil || len(texts) != 0 {
		t.Errorf("%v, %v; want the empty answer of the fallback", texts, err)
	}
}

// quiet answers all that it is asked.
type quiet struct{ policies.Unimplemented }

func (quiet) Keeps(context.Context) ([]string, error)                  { return []string{"a"}, nil }
func (quiet) Variants(context.Context, policies.VariantsRequest) error { return nil }

// The document's own presets of a cache and of a limit, and a variant of the server.
func TestServer(t *testing.T) {
	h := policies.NewHandler(quiet{}, server.OnError(nil))
	ask := func(method, url string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, url, nil))
		return w
	}
	w := ask(http.MethodGet, "/presets/kept")
	if got := w.Header().Get("Cache-Control"); w.Code != http.StatusOK || !strings.HasSuffix(got, "max-age=7") {
		t.Errorf("%d, Cache-Control: %s", w.Code, got)
	}
	if w := ask(http.MethodGet, "/presets/kept"); w.Code != http.StatusTooManyRequests {
		t.Errorf("the second in an hour: %d", w.Code)
	}
	for i, want := range []int{http.StatusNoContent, http.StatusTooManyRequests} {
		if w := ask(http.MethodPut, "/variants?as=server"); w.Code != want {
			t.Errorf("request %d of the variant: %d", i+1, w.Code)
		}
		if w := ask(http.MethodPut, "/variants?as=client"); w.Code != http.StatusNoContent {
			t.Errorf("request %d of another: %d", i+1, w.Code)
		}
	}
}
