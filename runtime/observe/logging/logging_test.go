package logging_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/logging"
)

// plain leaves the time out.
func plain(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func TestRecords(t *testing.T) {
	var out bytes.Buffer
	h := logging.Hooks(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: plain})))
	ctx, failed := t.Context(), errors.New("Get \"https://ann:pw@pets.test/a?token=t\": reset")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		event func()
		want  string
	}{
		{
			func() {
				h.AttemptEnd(ctx, observe.AttemptEnd{Op: "getPet", Number: 2, Duration: time.Second, Status: 503, Err: failed, WouldTimeOut: true})
			},
			`level=DEBUG msg=attempt op=getPet attempt=2 duration=1s status=503 error="Get \"https://…@pets.test/a?…\": reset" would_time_out=true`,
		},
		{
			func() {
				h.Wait(ctx, observe.Wait{Op: "getPet", Attempt: 2, Reason: observe.Hint, For: time.Second, Status: 429})
			},
			`level=INFO msg=wait op=getPet attempt=2 reason=hint for=1s status=429`,
		},
		{
			func() {
				h.Wait(ctx, observe.Wait{Op: "getPet", Attempt: 1, Reason: observe.RateLimit, For: time.Second})
			},
			`level=DEBUG msg=wait op=getPet attempt=1 reason=rate-limit for=1s`,
		},
		{
			func() {
				h.Reject(ctx, observe.Reject{Op: "getPet", Name: "pets", Reason: observe.Breaker, RetryAt: at})
			},
			`level=WARN msg=reject op=getPet name=pets reason=breaker retry_at=2026-01-02T03:04:05.000Z`,
		},
		{
			func() { h.Reject(ctx, observe.Reject{Op: "getPet", Name: "pets", Reason: observe.Shed, Shadow: true}) },
			`level=INFO msg=reject op=getPet name=pets reason=shed shadow=true`,
		},
		{
			func() {
				h.Queued(ctx, observe.Queued{Op: "getPet", Name: "pets", For: time.Second, Admitted: true, Outside: true})
			},
			`level=DEBUG msg=queued op=getPet name=pets for=1s admitted=true outside=true`,
		},
		{
			func() { h.Queued(ctx, observe.Queued{Op: "getPet", Name: "pets", For: time.Second}) },
			`level=INFO msg=queued op=getPet name=pets for=1s admitted=false`,
		},
		{
			func() { h.Hedge(ctx, observe.Hedge{Op: "getPet", What: "won", Number: 2, After: time.Second}) },
			`level=DEBUG msg=hedge op=getPet what=won number=2 after=1s`,
		},
		{
			func() {
				h.Cache(ctx, observe.Cache{Op: "getPet", Forward: "stale", Stored: true, Collapsed: true, Detail: "x", Shadow: true})
			},
			`level=DEBUG msg=cache op=getPet hit=false forward=stale detail=x stored=true collapsed=true shadow=true`,
		},
		{func() { h.Cache(ctx, observe.Cache{Op: "getPet", Hit: true, Err: errors.New("full")}) }, `level=WARN msg=cache op=getPet hit=true error=full`},
		{
			func() {
				h.Fallback(ctx, observe.Fallback{Op: "getPet", Rung: "static", What: "answered", Cause: errors.New("down")})
			},
			`level=INFO msg=fallback op=getPet rung=static what=answered cause=down`,
		},
		{
			func() {
				h.Fallback(ctx, observe.Fallback{Op: "getPet", Rung: "server:eu", What: "failed", Err: errors.New("down")})
			},
			`level=WARN msg=fallback op=getPet rung=server:eu what=failed error=down`,
		},
		{
			func() {
				h.BreakerChange(observe.BreakerChange{Name: "pets/key/acme", Group: "pets/key", To: observe.Open, Until: at})
			},
			`level=WARN msg=breaker name=pets/key from=closed to=open until=2026-01-02T03:04:05.000Z`,
		},
		{
			func() { h.BreakerChange(observe.BreakerChange{Group: "pets", To: observe.Open, Shadow: true}) },
			`level=INFO msg=breaker name=pets from=closed to=open shadow=true`,
		},
		{
			func() { h.BreakerChange(observe.BreakerChange{Group: "pets", From: observe.HalfOpen}) },
			`level=INFO msg=breaker name=pets from=half-open to=closed`,
		},
		{func() { h.Replay(ctx, observe.Replay{Op: "pay", Status: 201}) }, `level=INFO msg=replay op=pay status=201`},
		{
			func() { h.StoreFail(ctx, observe.StoreFail{Op: "pay", What: "lock", Err: errors.New("refused")}) },
			`level=ERROR msg=store op=pay what=lock error=refused`,
		},
		{
			func() { h.CallEnd(ctx, observe.CallEnd{Op: "pay", Attempts: 1, Duration: time.Second, Status: 200}) },
			`level=DEBUG msg=call op=pay attempts=1 duration=1s status=200`,
		},
		{
			func() {
				h.CallEnd(ctx, observe.CallEnd{Op: "pay", Attempts: 1, Duration: time.Second, Status: 404, Err: errors.New("none")})
			},
			`level=INFO msg=call op=pay attempts=1 duration=1s status=404 error=none`,
		},
		{
			func() {
				h.CallEnd(ctx, observe.CallEnd{Op: "pay", Attempts: 1, Duration: time.Second, Err: context.Canceled})
			},
			`level=DEBUG msg=call op=pay attempts=1 duration=1s error="context canceled"`,
		},
		{
			func() {
				h.CallEnd(ctx, observe.CallEnd{
					Op: "pay", Attempts: 3, Duration: time.Second, Waited: time.Minute, Status: 503,
					Err: &fault.Error{Op: "pay", Kind: fault.Status, Attempts: 3, Status: 503, Key: "secret", Stop: fault.StopAttempts},
				})
			},
			`level=WARN msg=call op=pay attempts=3 duration=1s waited=1m0s status=503 kind=status gave_up="` + fault.StopAttempts.String() + `" error=`,
		},
		{func() { h.PolicyReload(observe.PolicyReload{File: "p.json"}) }, `level=INFO msg=policy file=p.json`},
		{func() { h.PolicyReload(observe.PolicyReload{File: "p.json", Err: errors.New("bad")}) }, `level=ERROR msg=policy file=p.json error=bad`},
	} {
		out.Reset()
		c.event()
		got := strings.TrimSuffix(out.String(), "\n")
		if got != c.want && !(strings.HasSuffix(c.want, " error=") && strings.HasPrefix(got, c.want)) {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if strings.Contains(got, "secret") || strings.Contains(got, "acme") {
			t.Error("a key is told")
		}
	}
}

// An error may be of any length, and its letters stay whole.
func TestLongErrors(t *testing.T) {
	var out bytes.Buffer
	h := logging.Hooks(slog.New(slog.NewTextHandler(&out, nil)))
	h.StoreFail(t.Context(), observe.StoreFail{Err: errors.New("x" + strings.Repeat("ü", logging.MaxError))})
	_, text, _ := strings.Cut(out.String(), "error=")
	if text = strings.TrimSpace(text); len(text) > logging.MaxError || len(text) < logging.MaxError-4 || !strings.HasSuffix(text, "ü…") {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}

// What nobody reads costs no allocation.
func TestUnreadRecords(t *testing.T) {
	h := logging.Hooks(slog.New(slog.DiscardHandler))
	err := errors.New("reset")
	if n := testing.AllocsPerRun(100, func() {
		h.AttemptEnd(t.Context(), observe.AttemptEnd{Op: "getPet", Err: err})
		h.CallEnd(t.Context(), observe.CallEnd{Op: "getPet", Status: 200})
		h.Wait(t.Context(), observe.Wait{Op: "getPet", Err: err})
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleHooks() {
	hooks := logging.Hooks(slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: plain})))
	// payments.New(client.Observe(hooks)), payments.NewHandler(s, server.Observe(hooks))
	hooks.Wait(context.Background(), observe.Wait{Op: "getPet", Attempt: 2, Reason: observe.Backoff, For: 250 * time.Millisecond, Status: 503})
	hooks.BreakerChange(observe.BreakerChange{Group: "pets", From: observe.Closed, To: observe.Open})
	fmt.Println()
	// Output:
	// level=INFO msg=wait op=getPet attempt=2 reason=backoff for=250ms status=503
	// level=WARN msg=breaker name=pets from=closed to=open
}
