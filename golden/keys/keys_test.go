package keys_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/keys"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/store"
)

// echo answers with what it is sent, and counts how often it is asked.
type echo struct{ calls int }

func (e *echo) answer(body keys.Text) (*keys.Text, error) {
	e.calls++
	return &body, nil
}

func (e *echo) PerCall(_ context.Context, r keys.PerCallRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) OfTenant(_ context.Context, r keys.OfTenantRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) Small(_ context.Context, r keys.SmallRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) Open(_ context.Context, r keys.OpenRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) Strict(_ context.Context, r keys.StrictRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) Off(_ context.Context, r keys.OffRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) Disabled(_ context.Context, r keys.DisabledRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) Watched(_ context.Context, r keys.WatchedRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) Plain(_ context.Context, r keys.PlainRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) None(_ context.Context, r keys.NoneRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func (e *echo) OfAll(_ context.Context, r keys.OfAllRequest) (*keys.Text, error) {
	return e.answer(r.Body)
}

func newHandler(records store.Idempotency) (h http.Handler, e *echo) {
	if records == nil {
		records = store.NewMemoryIdempotency(store.MemoryOptions{})
	}
	e = &echo{}
	return keys.NewHandler(e, server.IdempotencyStore(records), server.OnError(nil)), e
}

// post sends a body with headers, each a name and a value.
func post(h http.Handler, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func replayed(w *httptest.ResponseRecorder) bool {
	return w.Header().Get("Idempotent-Replayed") == "true"
}

const key = "Idempotency-Key"

// quotedUUID is a UUID of version 7 (RFC 9562, 5.7) as a string of RFC 9651.
var quotedUUID = regexp.MustCompile(`^"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$`)

// Each call has a key of its own, in quotes and in the header that the document names, and
// all tries of the call have the same.
func TestPerCall(t *testing.T) {
	h, e := newHandler(nil)
	var mu sync.Mutex
	var sent []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Values(key); len(got) != 0 {
			t.Errorf("%s: %q", key, got)
		}
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, r.Header.Get("X-Once"))
		h.ServeHTTP(w, r)
		if len(sent) == 1 { // the answer to the first is lost
			panic(http.ErrAbortHandler)
		}
	}))
	defer web.Close()
	c, err := keys.New(client.BaseURL(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := c.PerCall(t.Context(), keys.PerCallRequest{Body: keys.Text{Text: "a"}}); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(sent) != 3 || sent[0] != sent[1] || sent[1] == sent[2] || !quotedUUID.MatchString(sent[0]) || !quotedUUID.MatchString(sent[2]) {
		t.Errorf("sent %q", sent)
	}
	if e.calls != 2 {
		t.Errorf("%d effects, want 2", e.calls)
	}
}

// A key that is not required may be left out; where it is, that is an error of the caller.
func TestRequired(t *testing.T) {
	h, e := newHandler(nil)
	if w := post(h, "/per-call", `{"text":"a"}`); w.Code != http.StatusOK {
		t.Error(w.Code, w.Body)
	}
	if w := post(h, "/small", `{"text":"a"}`); w.Code != http.StatusBadRequest || e.calls != 1 {
		t.Error(w.Code, w.Body, e.calls)
	}
}

// The same key of two tenants stands for two requests, unless the keys of all are the same.
func TestScope(t *testing.T) {
	for path, others := range map[string]bool{"/tenants": false, "/shared": true} {
		h, e := newHandler(nil)
		for i, c := range []struct {
			tenant   string
			replayed bool
		}{{"red", false}, {"blue", others}, {"red", true}} {
			w := post(h, path, `{"text":"a"}`, key, "k", "X-Tenant", c.tenant)
			if w.Code != http.StatusOK || replayed(w) != c.replayed {
				t.Errorf("%s: %d: %d, replayed %v", path, i, w.Code, replayed(w))
			}
		}
		if want := map[bool]int{false: 2, true: 1}[others]; e.calls != want {
			t.Errorf("%s: %d effects, want %d", path, e.calls, want)
		}
	}
}

// An answer of more than 64 bytes is not kept, and its key stays taken.
func TestMaxBody(t *testing.T) {
	h, e := newHandler(nil)
	for body, again := range map[string]int{
		`{"text":"` + strings.Repeat("a", 53) + `"}`: http.StatusOK, // 64 bytes
		`{"text":"` + strings.Repeat("b", 54) + `"}`: http.StatusConflict,
	} {
		before := e.calls
		if w := post(h, "/small", body, key, body[9:12]); w.Code != http.StatusOK {
			t.Error(w.Code, w.Body)
		}
		if w := post(h, "/small", body, key, body[9:12]); w.Code != again || replayed(w) != (again == http.StatusOK) || e.calls != before+1 {
			t.Errorf("%d bytes: %d, replayed %v, %d effects", len(body), w.Code, replayed(w), e.calls-before)
		}
	}
}

// An operation turns on what its path turns off.
func TestShortForms(t *testing.T) {
	h, e := newHandler(nil)
	again := func(method string) (first, second *httptest.ResponseRecorder) {
		send := func() *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, "/plain", strings.NewReader(`{"text":"a"}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set(key, "k")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		return send(), send()
	}
	if first, second := again(http.MethodPost); first.Code != http.StatusOK || !replayed(second) || e.calls != 1 {
		t.Errorf("on: %d, replayed %v, %d effects", first.Code, replayed(second), e.calls)
	}
	if first, second := again(http.MethodPut); first.Code != http.StatusOK || replayed(second) || e.calls != 3 {
		t.Errorf("off: %d, replayed %v, %d effects", first.Code, replayed(second), e.calls-1)
	}
}

// claims is a store that tells how long it is claimed for, or that it is down.
type claims struct {
	store.Idempotency

	lease time.Duration
	err   error
}

func (c *claims) Claim(ctx context.Context, id store.RecordID, f [32]byte, owner string, lease time.Duration) (store.Record, bool, error) {
	if c.err != nil {
		return store.Record{}, false, c.err
	}
	c.lease = lease
	return c.Idempotency.Claim(ctx, id, f, owner, lease)
}

func (c *claims) Release(ctx context.Context, id store.RecordID, owner string) error {
	if c.err != nil {
		return c.err
	}
	return c.Idempotency.Release(ctx, id, owner)
}

// A claim is for as long as the document says.
func TestLease(t *testing.T) {
	c := &claims{Idempotency: store.NewMemoryIdempotency(store.MemoryOptions{})}
	h, _ := newHandler(c)
	if w := post(h, "/small", `{"text":"a"}`, key, "k"); w.Code != http.StatusOK || c.lease != 47*time.Second {
		t.Errorf("%d, claimed for %s", w.Code, c.lease)
	}
}

// A store that is down stops the one operation and not the other.
func TestOnStoreError(t *testing.T) {
	h, e := newHandler(&claims{err: errors.New("down")})
	if w := post(h, "/small", `{"text":"a"}`, key, "k"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || e.calls != 0 {
		t.Errorf("deny: %d, %d effects", w.Code, e.calls)
	}
	if w := post(h, "/open", `{"text":"a"}`, key, "k"); w.Code != http.StatusOK || e.calls != 1 {
		t.Errorf("allow: %d, %d effects", w.Code, e.calls)
	}
}

// An operation says the contrary of all that its named policy does: the whole request has
// to be the same, not only what the key is made of.
func TestStrict(t *testing.T) {
	h, e := newHandler(nil)
	for i, c := range []struct {
		body, key string
		status    int
		replayed  bool
	}{
		{`{"text":"a","note":"x"}`, "k", http.StatusOK, false},
		{`{"text":"a","note":"x"}`, "k", http.StatusOK, true},
		{`{"text":"a","note":"y"}`, "k", http.StatusUnprocessableEntity, false},
		{`{"text":"a","note":"x"}`, "", http.StatusBadRequest, false},
	} {
		var headers []string
		if c.key != "" {
			headers = []string{key, c.key}
		}
		if w := post(h, "/strict", c.body, headers...); w.Code != c.status || replayed(w) != c.replayed {
			t.Errorf("%d: %d %s, replayed %v", i, w.Code, w.Body, replayed(w))
		}
	}
	if e.calls != 1 {
		t.Errorf("%d effects, want 1", e.calls)
	}
	down, e := newHandler(&claims{err: errors.New("down")})
	if w := post(down, "/strict", `{"text":"a"}`, key, "k"); w.Code != http.StatusServiceUnavailable || e.calls != 0 {
		t.Errorf("without a store: %d, %d effects", w.Code, e.calls)
	}
}

// The key of a caller is sent as it is where it is not to be quoted, and is the caller's
// although the policy says what one could be made of.
func TestUnquoted(t *testing.T) {
	h, _ := newHandler(nil)
	var sent string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get(key)
		h.ServeHTTP(w, r)
	}))
	defer web.Close()
	c, err := keys.New(client.BaseURL(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	r := keys.StrictRequest{Body: keys.Text{Text: "a"}}
	if _, err := c.Strict(t.Context(), r, client.IdempotencyKey("mine")); err != nil || sent != "mine" {
		t.Errorf("sent %q, %v", sent, err)
	}
	sent = ""
	if _, err := c.Strict(t.Context(), r); err == nil || sent != "" {
		t.Errorf("without a key: sent %q, %v", sent, err)
	}
}

// An answer is replayed for two hours, and not at their end.
func TestTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newHandler(nil)
		for i, c := range []struct {
			wait     time.Duration
			replayed bool
		}{{0, false}, {2*time.Hour - 1, true}, {1, false}} {
			time.Sleep(c.wait)
			if w := post(h, "/tenants", `{"text":"a"}`, key, "k", "X-Tenant", "red"); w.Code != http.StatusOK || replayed(w) != c.replayed {
				t.Errorf("%d: %d, replayed %v", i, w.Code, replayed(w))
			}
		}
	})
}

// In shadow mode nothing is replayed and nothing is refused, and so it is when the
// primitive is off.
func TestModes(t *testing.T) {
	for _, path := range []string{"/watched", "/off", "/disabled"} {
		h, e := newHandler(nil)
		for _, headers := range [][]string{{key, "k"}, {key, "k"}, nil} {
			if w := post(h, path, `{"text":"a"}`, headers...); w.Code != http.StatusOK || replayed(w) {
				t.Errorf("%s with %q: %d, replayed %v", path, headers, w.Code, replayed(w))
			}
		}
		if e.calls != 3 {
			t.Errorf("%s: %d effects, want 3", path, e.calls)
		}
	}
}

// Only what is watched claims its keys, to tell what it would have done.
func TestOffAsksNoStore(t *testing.T) {
	c := &claims{Idempotency: store.NewMemoryIdempotency(store.MemoryOptions{})}
	h, _ := newHandler(c)
	for _, path := range []string{"/off", "/disabled"} {
		if w := post(h, path, `{"text":"a"}`, key, "k"); w.Code != http.StatusOK || c.lease != 0 {
			t.Errorf("%s: %d, claimed for %s", path, w.Code, c.lease)
		}
	}
	if w := post(h, "/watched", `{"text":"a"}`, key, "k"); w.Code != http.StatusOK || c.lease == 0 {
		t.Errorf("watched: %d, claimed for %s", w.Code, c.lease)
	}
}
