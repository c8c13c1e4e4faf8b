package levels_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/golden/levels"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// failing answers 503 over TCP and counts.
func failing(t *testing.T) (url string, tries *atomic.Int32) {
	t.Helper()
	tries = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(s.Close)
	return s.URL, tries
}

// The tries of a call that always fails are those of the levels that are for it.
func TestClientLevels(t *testing.T) {
	ctx := t.Context()
	get := func(c *levels.Client) error { return c.GetItem(ctx, levels.GetItemRequest{ID: "1"}) }
	remove := func(c *levels.Client) error { return c.DeleteItemsByID(ctx, levels.DeleteItemsByIDRequest{ID: "1"}) }
	report := func(c *levels.Client) error { return c.GetReport(ctx, levels.GetReportRequest{Year: 1999}) }
	events := func(watch value.Opt[bool]) func(*levels.Client) error {
		return func(c *levels.Client) error { return c.ListEvents(ctx, levels.ListEventsRequest{Watch: watch}) }
	}
	ask := func(stream value.Opt[bool]) func(*levels.Client) error {
		return func(c *levels.Client) error {
			return c.Ask(ctx, levels.AskRequest{Body: levels.Question{Text: "why?", Stream: stream}})
		}
	}
	var absent value.Opt[bool]
	for _, c := range []struct {
		name, profile string
		call          func(*levels.Client) error
		want          int32
	}{
		{"defaults", "", remove, 3},
		{"the first tag that says anything", "", get, 4},
		{"a rule by a field of the operation", "", report, 1},
		{"no variant", "", events(absent), 3},
		{"a condition that does not hold", "", events(value.Some(false)), 3},
		{"a variant by a parameter", "", events(value.Some(true)), 2},
		{"a variant by the body", "", ask(value.Some(true)), 1},
		{"neither variant", "", ask(value.Some(false)), 3},
		{"a variant by what is not there", "", ask(absent), 5},
		{"a profile for one operation", "prod", get, 5},
		{"a profile by method and path", "prod", remove, 4},
		{"a profile that leaves one alone", "prod", report, 1},
		{"a profile that leaves variants alone", "prod", ask(absent), 5},
		{"a profile for all", "dev", remove, 1},
		{"a profile over an operation", "dev", get, 1},
		{"a profile over a variant", "dev", ask(absent), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, tries := failing(t)
			api, err := levels.New(client.BaseURL(url), client.Profile(c.profile))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.call(api); err == nil {
				t.Error("a call that always fails has succeeded")
			}
			if got := tries.Load(); got != c.want {
				t.Errorf("%d tries, want %d", got, c.want)
			}
		})
	}
}

// The document and the option decide, then the environment.
func TestProfileOfProcess(t *testing.T) {
	url, tries := failing(t)
	count := func(opts ...client.Option) int32 {
		t.Helper()
		api, err := levels.New(append(opts, client.BaseURL(url))...)
		if err != nil {
			t.Fatal(err)
		}
		before := tries.Load()
		_ = api.GetItem(t.Context(), levels.GetItemRequest{ID: "1"}) // it fails
		return tries.Load() - before
	}
	t.Setenv("HOLDFAST_PROFILE", "prod")
	if got := count(); got != 5 {
		t.Errorf("by the environment: %d tries, want 5", got)
	}
	if got := count(client.Profile("dev")); got != 1 {
		t.Errorf("by the option: %d tries, want 1", got)
	}
	if got := count(client.Profile("")); got != 4 {
		t.Errorf("by the option that says none: %d tries, want 4", got)
	}
	t.Setenv("HOLDFAST_PROFILE", "production")
	_, err := levels.New(client.BaseURL(url))
	var unknown *policy.ProfileError
	if !errors.As(err, &unknown) || unknown.Variable != "HOLDFAST_PROFILE" || !strings.Contains(err.Error(), `"production"`) || !strings.Contains(err.Error(), "dev, prod") {
		t.Errorf("an unknown profile of the environment: %v", err)
	}
	if _, err := levels.New(client.BaseURL(url), client.Profile("staging")); err == nil || !strings.Contains(err.Error(), `there is no profile "staging"; the document has dev, prod`) {
		t.Errorf("an unknown profile: %v", err)
	}
	t.Setenv("HOLDFAST_PROFILE", "")
	if got := count(); got != 4 {
		t.Errorf("an empty variable: %d tries, want 4", got)
	}
}

// quiet answers all that it is asked.
type quiet struct{ levels.Unimplemented }

func (quiet) GetReport(context.Context, levels.GetReportRequest) error   { return nil }
func (quiet) ListEvents(context.Context, levels.ListEventsRequest) error { return nil }

// statuses are those of requests over TCP, one after the other.
func statuses(t *testing.T, path string, n int, opts ...server.Option) []int {
	t.Helper()
	s := httptest.NewServer(levels.NewHandler(quiet{}, opts...))
	t.Cleanup(s.Close)
	var got []int
	for range n {
		r, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close() // it is empty
		got = append(got, r.StatusCode)
	}
	return got
}

func TestServerLevels(t *testing.T) {
	for _, c := range []struct {
		name, path, profile string
		want                []int
	}{
		{"a rule by path and method", "/reports/1999", "", []int{204, 204, 429}},
		{"a profile takes the limit off", "/reports/1999", "dev", []int{204, 204, 204}},
		{"a profile without the operation", "/reports/1999", "prod", []int{204, 204, 429}},
		{"no variant", "/events", "", []int{204, 204, 204}},
		{"a condition that does not hold", "/events?watch=false", "", []int{204, 204, 204}},
		{"a variant of the server", "/events?watch=true", "", []int{204, 429, 429}},
		{"a variant below a profile", "/events?watch=true", "dev", []int{204, 204, 204}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := statuses(t, c.path, len(c.want), server.Profile(c.profile))
			for i, want := range c.want {
				if got[i] != want {
					t.Fatalf("answered %v, want %v", got, c.want)
				}
			}
		})
	}
}

// A server does not start under settings that nobody has written.
func TestUnknownProfileOfServer(t *testing.T) {
	try := func(opts ...server.Option) (v any) {
		defer func() { v = recover() }()
		levels.NewHandler(quiet{}, opts...)
		return nil
	}
	err, _ := try(server.Profile("staging")).(error)
	var unknown *policy.ProfileError
	if !errors.As(err, &unknown) || unknown.Name != "staging" || len(unknown.Known) != 2 {
		t.Errorf("staging: %v", err)
	}
	t.Setenv("HOLDFAST_PROFILE", "staging")
	if err, _ := try().(error); err == nil || !strings.Contains(err.Error(), "HOLDFAST_PROFILE") {
		t.Errorf("staging of the environment: %v", err)
	}
	if v := try(server.Profile("")); v != nil {
		t.Errorf("the option says none: %v", v)
	}
}
