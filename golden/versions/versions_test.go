package versions_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/holdfast-go/holdfast/golden/versions"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// service has things of version 7.
type service struct{ versions.Unimplemented }

func check(ctx context.Context) error { return server.CheckVersion(ctx, "7") }

func (service) Conflicts(ctx context.Context) error    { return check(ctx) }
func (service) Conflicts409(ctx context.Context) error { return check(ctx) }
func (service) Optional(ctx context.Context) error     { return check(ctx) }
func (service) TurnedOn(ctx context.Context) error     { return check(ctx) }
func (service) TurnedOff(ctx context.Context) error    { return check(ctx) }
func (service) Disabled(ctx context.Context) error     { return check(ctx) }
func (service) ModeOff(ctx context.Context) error      { return check(ctx) }
func (service) Watched(ctx context.Context) error      { return check(ctx) }
func (service) Enforced(ctx context.Context) error     { return check(ctx) }

// What writes are answered that name no version, the one that there is, and another one.
func TestWrites(t *testing.T) {
	told := 0
	h := versions.NewHandler(service{}, server.OnError(nil), server.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) {
		if e.Reason == observe.Precondition && e.Shadow {
			told++
		}
	}}))
	const done = http.StatusNoContent
	for path, want := range map[string][3]int{
		"/conflicts":    {http.StatusPreconditionRequired, done, http.StatusPreconditionFailed},
		"/conflicts409": {done, done, http.StatusConflict},
		"/optional":     {done, done, http.StatusPreconditionFailed},
		"/turnedOn":     {done, done, http.StatusPreconditionFailed},
		"/turnedOff":    {done, done, done},
		"/disabled":     {done, done, done},
		"/modeOff":      {done, done, done},
		"/watched":      {done, done, done},
		"/enforced":     {done, done, http.StatusPreconditionFailed},
	} {
		told = 0
		for i, tag := range []string{"", `"7"`, `"8"`} {
			r := httptest.NewRequest(http.MethodPut, path, nil)
			if tag != "" {
				r.Header.Set("If-Match", tag)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != want[i] {
				t.Errorf("%s with If-Match %s: %d, want %d", path, tag, w.Code, want[i])
			}
		}
		if (told == 1) != (path == "/watched") {
			t.Errorf("%s: %d told in shadow mode", path, told)
		}
	}
}
