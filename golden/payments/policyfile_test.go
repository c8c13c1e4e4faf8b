package payments_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
	"github.com/holdfast-go/holdfast/runtime/policyfile/yaml"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// One file changes both sides of the wire, while connections stay open.
func TestPolicyFileOverTCP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	write("version: 1\n")
	options := []server.Option{server.WithPolicyFile(path), server.PolicyDecoder(yaml.Decode), server.OnError(nil)}
	h := payments.NewHandler(&bank{}, options...)
	var failing atomic.Bool
	var requests atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if failing.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	}))
	defer s.Close()
	c, err := payments.New(client.BaseURL(s.URL), client.WithPolicyFile(path), client.PolicyDecoder(yaml.Decode),
		client.Bearer(payments.SchemeBearer, "alice"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Core().CloseIdle()
	reload := func() {
		t.Helper()
		if err := errors.Join(c.Core().ReloadPolicy(), server.ReloadPolicy(h)); err != nil {
			t.Fatal(err)
		}
	}
	tries := func(want int64) {
		t.Helper()
		requests.Store(0)
		_, err := c.GetPayment(t.Context(), pay1)
		if e := failure(t, err); e.Kind != fault.Status || requests.Load() != want {
			t.Errorf("%v after %d requests, want %d", e, requests.Load(), want)
		}
	}

	failing.Store(true)
	tries(3)
	write("version: 1\noperations:\n  getPayment: {retry: {maxAttempts: 2}}\n")
	reload()
	tries(2)
	write("version: 1\noperations:\n  getPayment: {retry: off, breaker: off}\n  ping: {timeout: {attempt: 50ms, server: 20ms}}\n")
	reload()
	for range 5 {
		tries(1) // the policy's breaker would open
	}
	failing.Store(false)
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if p := c.Core().Policy("ping").Client.Timeout; p.Attempt != 50*time.Millisecond {
		t.Errorf("%+v", p)
	}
	for _, p := range server.Policies(h) {
		if p.ID == "ping" && p.Server.Timeout.Handler != 20*time.Millisecond {
			t.Errorf("%+v", p.Server.Timeout)
		}
	}

	write("version: 1\noperations:\n  getPaiment: {retry: off}\n")
	for side, err := range map[string]error{"client": c.Core().ReloadPolicy(), "server": server.ReloadPolicy(h)} {
		e, ok := errors.AsType[*policyfile.Error](err)
		if !ok || len(e.Problems) != 1 || e.Problems[0].Line != 3 || e.Problems[0].Column != 3 || e.Problems[0].Pointer != "/operations/getPaiment" {
			t.Errorf("%s: %v", side, err)
		}
	}
	if c.Core().Policy("getPayment").Client.Retry != nil {
		t.Error("the last good file is not in force any more")
	}
}
