package api_test

import (
	"errors"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"

	api "cases/c116"
	"cases/kit"
)

// The path item's breaker (preset database: 3 failures, 15s) beats the root's, and
// the operation's false beats both.
func TestBreakerOfOneOperation(t *testing.T) {
	sent := kit.Record(t, kit.Reply{Status: 500})
	c := kit.Client(t, api.New, sent.URL)
	for i := range 3 {
		if err := c.ReadA(t.Context()); errors.Is(err, fault.ErrBreakerOpen) {
			t.Fatalf("open after %d failures: %v", i, err)
		}
	}
	before := len(sent.Requests())
	err := c.ReadA(t.Context())
	var f *fault.Error
	if !errors.Is(err, fault.ErrBreakerOpen) || !errors.As(err, &f) {
		t.Fatalf("not open after three failures: %v", err)
	}
	kit.Same(t, "kind", f.Kind, fault.BreakerOpen)
	kit.Same(t, "tries", f.Attempts, 0)
	// 15s and up to a tenth more.
	if in := time.Until(f.RetryAt); in < 13*time.Second || in > 17*time.Second {
		t.Errorf("retry in %v", in)
	}
	kit.Same(t, "requests sent by an open breaker", len(sent.Requests()), before)

	// writeA has no breaker and no retry: each call is one request, for ever.
	for range 20 {
		err := c.WriteA(t.Context())
		if errors.Is(err, fault.ErrBreakerOpen) {
			t.Fatal(err)
		}
	}
	kit.Same(t, "requests of writeA", len(sent.Requests())-before, 20)
}

// The inherited retry is two tries (user-facing) for the read, and none for the write.
func TestRetryIsInheritedAndTurnedOff(t *testing.T) {
	sent := kit.Record(t, kit.Reply{Status: 503})
	c := kit.Client(t, api.New, sent.URL)
	kit.Fails(t, c.ReadA(t.Context()), "503")
	kit.Same(t, "tries of readA", len(sent.Requests()), 2)
	kit.Fails(t, c.WriteA(t.Context()), "503")
	kit.Same(t, "tries of writeA", len(sent.Requests())-2, 1)
}

func TestNotFoundNeverOpensIt(t *testing.T) {
	sent := kit.Record(t, kit.Reply{Status: 404})
	c := kit.Client(t, api.New, sent.URL)
	for range 20 {
		err := c.ReadA(t.Context())
		var missing *api.ReadANotFound
		if !errors.As(err, &missing) {
			t.Fatal(err)
		}
	}
	kit.Same(t, "requests", len(sent.Requests()), 20)
}
