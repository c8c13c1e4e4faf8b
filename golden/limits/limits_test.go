package limits_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/limits"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// wire is the other side: it answers request number n, from 1 on, and notes all of them.
type wire struct {
	answer func(n int, r *http.Request) *http.Response
	begin  time.Time
	at     []time.Duration
	bodies []string
	header []http.Header
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	w.at = append(w.at, time.Since(w.begin))
	w.bodies = append(w.bodies, string(body))
	w.header = append(w.header, r.Header.Clone())
	resp := w.answer(len(w.at), r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return resp, nil
}

// reply is a response; the header is names and values by turns.
func reply(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	if body != "" {
		h.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// slow takes so long, or as long as the try may.
func slow(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// inBubble runs f with a client of the wire, in a time of its own.
func inBubble(t *testing.T, answer func(n int, r *http.Request) *http.Response, f func(t *testing.T, c *limits.Client, w *wire)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: answer, begin: time.Now()}
		c, err := limits.New(
			client.Transport(w),
			client.KeyFunc("who", func(r *limits.WriteTextRequest) string { return r.Body.Text[:1] }),
			client.CostFunc("estimate", func(r *limits.WriteTextRequest) int { return 10 * len(r.Body.Text) }),
		)
		if err != nil {
			t.Fatal(err)
		}
		f(t, c, w)
	})
}

// kindOf is the kind of a failure; Other is a success.
func kindOf(err error) fault.Kind {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Kind
	}
	return fault.Other
}

// Someone else's service is not told how long we wait.
func TestExternal(t *testing.T) {
	answer := func(int, *http.Request) *http.Response { return reply(http.StatusNoContent, "") }
	inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
		if err := c.GetWords(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.header[0].Get("X-Request-Deadline-Ms"); got != "" {
			t.Errorf("sent %s", got)
		}
	})
}
