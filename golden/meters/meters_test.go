package meters_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/meters"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// meter answers what it is asked.
type meter struct{ meters.Unimplemented }

func (meter) GetWindow(context.Context) error    { return nil }
func (meter) GetCounter(context.Context) error   { return nil }
func (meter) GetOpen(context.Context) error      { return nil }
func (meter) GetStrict(context.Context) error    { return nil }
func (meter) GetPlan(context.Context) error      { return nil }
func (meter) GetProxied(context.Context) error   { return nil }
func (meter) GetUnproxied(context.Context) error { return nil }

func (meter) GetAnswer(_ context.Context, r meters.GetAnswerRequest) (*meters.Usage, error) {
	return &meters.Usage{Tokens: r.Size}, nil
}

// serve is a server whose callers are named by their tokens, such as ann/gold.
func serve(t *testing.T, opts ...server.Option) (url string) {
	t.Helper()
	opts = append(opts,
		server.Authenticate(func(_ context.Context, c *server.Credentials) (server.Principal, error) {
			name, plan, _ := strings.Cut(c.Secret, "/")
			return server.Principal{ID: name, Claims: map[string]any{"plan": plan}}, nil
		}),
		server.ValueFunc("team", func(ctx context.Context) string { return server.RequestOf(ctx).Header.Get("X-Team") }),
		server.OnError(nil))
	s := httptest.NewServer(meters.NewHandler(meter{}, opts...))
	t.Cleanup(s.Close)
	return s.URL
}

// ask sends a GET. Fields are names and values in turn.
func ask(t *testing.T, url string, fields ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp
}

// passed counts the requests of so many that pass; the others have to be 429.
func passed(t *testing.T, n int, url string, fields ...string) (ok int) {
	t.Helper()
	for range n {
		switch resp := ask(t, url, fields...); resp.StatusCode {
		case http.StatusNoContent:
			ok++
		case http.StatusTooManyRequests:
			if resp.Header.Get("Retry-After") == "" || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Error(resp.Header)
			}
		default:
			t.Errorf("%s got %d", url, resp.StatusCode)
		}
	}
	return ok
}

func TestWindows(t *testing.T) {
	url := serve(t)
	if resp := ask(t, url+"/window"); resp.Header.Get("RateLimit-Policy") != `"getWindow";q=2;w=3600` ||
		!strings.HasPrefix(resp.Header.Get("RateLimit"), `"getWindow";r=1;t=`) {
		t.Error(resp.Header)
	}
	if n := passed(t, 3, url+"/window"); n != 1 {
		t.Errorf("%d more of 2 in a window", n)
	}
	if n := passed(t, 6, url+"/counter"); n != 4 {
		t.Errorf("%d of 4 by counters", n)
	}
}

// Each plan has its own rate, which the header tells, and each caller its own tokens.
func TestPlans(t *testing.T) {
	url := serve(t) + "/plan"
	for _, c := range []struct {
		token, policy string
		want          int
	}{
		{"ann/gold", `"getPlan";q=4;w=3600`, 4},
		{"bob/gold", `"getPlan";q=4;w=3600`, 4},
		{"cid/silver", `"getPlan";q=2;w=3600`, 2},
		{"dan", `"getPlan";q=2;w=3600`, 2},
		{"eve/staff", "", 6},
	} {
		if n := passed(t, 6, url, "Authorization", "Bearer "+c.token); n != c.want {
			t.Errorf("%s: %d, want %d", c.token, n, c.want)
		}
		if got := ask(t, url, "Authorization", "Bearer "+c.token).Header.Get("RateLimit-Policy"); got != c.policy {
			t.Errorf("%s: %s, want %s", c.token, got, c.policy)
		}
	}
}

// Who stands behind a proxy is believed where the limit names the proxy, and only as far
// as proxies go.
func TestTrustedProxies(t *testing.T) {
	url := serve(t)
	for _, c := range []struct {
		path, forwarded string
		want            int
	}{
		{"/proxied", "203.0.113.1", 1},
		{"/proxied", "203.0.113.2", 1},
		{"/proxied", "198.51.100.9, 203.0.113.2", 0}, // whoever 203.0.113.2 says it is for
		{"/unproxied", "203.0.113.1", 1},
		{"/unproxied", "203.0.113.2", 0},
	} {
		if n := passed(t, 1, url+c.path, "X-Forwarded-For", c.forwarded); n != c.want {
			t.Errorf("%s for %s: %d, want %d", c.path, c.forwarded, n, c.want)
		}
	}
}

// An estimated price is corrected by that of the answer; of two limits either both take
// theirs or none; and what costs nothing is given back.
func TestPrices(t *testing.T) {
	url := serve(t) + "/answers?size="
	for _, c := range []struct {
		size, team string
		status     int
		limits     string
	}{
		{"60", "a", 200, `"calls";r=2;t=1200, "tokens";r=90;t=360`},
		{"x", "a", 400, `"calls";r=1;t=2400, "tokens";r=30;t=2520`},  // 60 were paid in the end
		{"50", "a", 200, `"calls";r=1;t=2400, "tokens";r=20;t=2880`}, // the call came back, the estimate did not
		{"1", "a", 429, `"calls";r=1;t=2400, "tokens";r=0;t=4320`},   // 20 are owed, and no call is taken
		{"1", "b", 200, `"calls";r=2;t=1200, "tokens";r=90;t=360`},
	} {
		resp := ask(t, url+c.size, "X-Team", c.team)
		if got := resp.Header.Get("RateLimit"); resp.StatusCode != c.status || got != c.limits {
			t.Errorf("%s of %s: %d %s, want %d %s", c.size, c.team, resp.StatusCode, got, c.status, c.limits)
		}
	}
}

// down is a store that cannot be asked.
type down struct{}

func (down) Take(context.Context, string, []ratelimit.Demand) (time.Duration, bool, error) {
	return 0, false, errors.New("connection refused")
}
func (down) Settle(context.Context, string, *ratelimit.Demand, int) error {
	return errors.New("refused")
}

// Without its store a limit goes on with this instance's half, lets all pass, or none.
func TestStoreError(t *testing.T) {
	url := serve(t, server.LimitStore(down{}))
	if n := passed(t, 6, url+"/counter"); n != 2 {
		t.Errorf("%d of 4 in one of two instances", n)
	}
	if n := passed(t, 6, url+"/open"); n != 6 {
		t.Errorf("%d pass where all may", n)
	}
	if resp := ask(t, url+"/strict"); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "1" {
		t.Error(resp.StatusCode, resp.Header)
	}
}

// Two instances with one store share what they may let pass.
func TestSharedStore(t *testing.T) {
	store := ratelimit.NewMemory()
	first, second := serve(t, server.LimitStore(store)), serve(t, server.LimitStore(store))
	if a, b := passed(t, 3, first+"/counter"), passed(t, 3, second+"/counter"); a != 3 || b != 1 {
		t.Errorf("%d and %d of 4", a, b)
	}
	answer := func(url string) string { return ask(t, url+"/answers?size=60", "X-Team", "a").Header.Get("RateLimit") }
	if got := answer(first); got != `"calls";r=2;t=1200, "tokens";r=90;t=360` {
		t.Error(got)
	}
	if got := answer(second); got != `"calls";r=1;t=2400, "tokens";r=30;t=2520` {
		t.Error(got)
	}
}

// A handler that lacks a function is not made, and the error says what to do.
func TestNoFunction(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, `getAnswer goes by the function "team": give it to the handler with server.ValueFunc`) {
			t.Error(text)
		}
	}()
	meters.NewHandler(meter{})
}
