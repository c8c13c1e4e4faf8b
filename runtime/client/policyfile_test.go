package client_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
	"github.com/holdfast-go/holdfast/runtime/policyfile/yaml"
)

// policyFile is the path of a file with this text.
func policyFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.json")
	rewrite(t, path, text)
	return path
}

func rewrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// answers is a transport that answers with a status and counts.
func answers(status int, n *atomic.Int64) transport {
	return func(r *http.Request) (*http.Response, error) {
		n.Add(1)
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
	}
}

// followed is an operation in an API that lists it.
func followed(method string, change ...func(*policy.Spec)) (*client.API, *client.Operation[client.None]) {
	o := op(method, "/things", noContent, change...)
	return &client.API{Title: "test", Operations: []*policy.Spec{o.Spec}}, o
}

func TestPolicyFileIsFollowed(t *testing.T) {
	path := policyFile(t, `{"version": 1, "all": {"retry": {"maxAttempts": 2}}}`)
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		var events []observe.PolicyReload
		api, o := followed(http.MethodGet)
		c := coreOf(t, api, client.BaseURL("http://h"), client.WithPolicyFile(path), client.Transport(answers(503, &n)),
			client.Observe(&observe.Hooks{PolicyReload: func(e observe.PolicyReload) { events = append(events, e) }}))
		tries := func(want int64) {
			t.Helper()
			n.Store(0)
			if _, err := call(t, c, o, nil); err == nil {
				t.Fatal("a call without an answer succeeds")
			}
			if n.Load() != want {
				t.Errorf("%d tries, want %d", n.Load(), want)
			}
		}
		tries(2)
		rewrite(t, path, `{"version": 1, "all": {"retry": {"maxAttempts": 1}}}`)
		tries(2)
		time.Sleep(policyfile.Interval)
		tries(1)
		if p := c.Policy("GET /things"); p == nil || p.Client.Retry.MaxAttempts != 1 || p.Client.Timeout != o.Spec.Client.Timeout {
			t.Errorf("%+v", p)
		}
		if o.Spec.Client.Retry.MaxAttempts != 3 || c.Policy("other") != nil || len(c.Policies()) != 1 {
			t.Error("the generated policy has changed, or there are others")
		}
		rewrite(t, path, `{"version": 1, "all": {"retry": {"maxAttempts": 0}}}`)
		if err := c.ReloadPolicy(); err == nil || !errors.Is(err, c.PolicyError()) {
			t.Errorf("%v, %v", err, c.PolicyError())
		}
		tries(1)
		if len(events) != 2 || events[0].Err != nil || events[0].File != path || events[1].Err == nil || !events[1].At.Equal(time.Now()) {
			t.Errorf("%+v", events)
		}
	})
}

// A call keeps the policy that it began with, however long it takes.
func TestCallKeepsItsPolicy(t *testing.T) {
	path := policyFile(t, `{"version": 1}`)
	synctest.Test(t, func(t *testing.T) {
		api, o := followed(http.MethodGet, func(s *policy.Spec) { s.Client.Breaker = nil })
		var n atomic.Int64
		slow := transport(func(r *http.Request) (*http.Response, error) {
			time.Sleep(3 * time.Second)
			return answers(503, &n)(r)
		})
		c := coreOf(t, api, client.BaseURL("http://h"), client.WithPolicyFile(path), client.Transport(slow))
		done := make(chan int, 2)
		start := func() {
			go func() {
				_, err := call(t, c, o, nil)
				done <- faultOf(t, err).Attempts
			}()
		}
		start()
		synctest.Wait()
		rewrite(t, path, `{"version": 1, "all": {"retry": false, "timeout": "1s"}}`)
		time.Sleep(2 * time.Second)
		start()
		if tries := <-done; tries != 1 {
			t.Errorf("%d tries under the new policy, want 1", tries)
		}
		if tries := <-done; tries != 3 {
			t.Errorf("%d tries of the call that had begun, want 3", tries)
		}
	})
}

// What calls share keeps what it knows.
func TestStateOutlivesAReload(t *testing.T) {
	path := policyFile(t, `{"version": 1}`)
	synctest.Test(t, func(t *testing.T) {
		api, o := followed(http.MethodGet, func(s *policy.Spec) { s.Client.Retry = nil })
		var n atomic.Int64
		c := coreOf(t, api, client.BaseURL("http://h"), client.WithPolicyFile(path), client.Transport(answers(500, &n)))
		for range 4 {
			if _, err := call(t, c, o, nil); faultOf(t, err).Kind != fault.Status {
				t.Fatal(err)
			}
		}
		rewrite(t, path, `{"version": 1, "all": {"breaker": {"recovery": "2s"}}}`)
		if err := c.ReloadPolicy(); err != nil {
			t.Fatal(err)
		}
		if _, err := call(t, c, o, nil); faultOf(t, err).Kind != fault.Status {
			t.Fatal(err)
		}
		_, err := call(t, c, o, nil)
		f := faultOf(t, err)
		if f.Kind != fault.BreakerOpen || f.RetryIn < 2*time.Second || f.RetryIn > 2200*time.Millisecond {
			t.Fatalf("%+v: want the five failures to count, and the new recovery", f)
		}
		rewrite(t, path, `{"version": 1, "all": {"breaker": {"mode": "shadow"}}}`)
		time.Sleep(policyfile.Interval)
		if _, err := call(t, c, o, nil); faultOf(t, err).Kind != fault.Status {
			t.Errorf("%v: a breaker in shadow mode refuses", err)
		}
		rewrite(t, path, `{"version": 1}`)
		if err := c.ReloadPolicy(); err != nil {
			t.Fatal(err)
		}
		if _, err := call(t, c, o, nil); faultOf(t, err).Kind != fault.BreakerOpen {
			t.Errorf("%v: the breaker has forgotten that it is open", err)
		}
	})
}

// More slots come to those who wait for one.
func TestBulkheadGrowsUnderWaiters(t *testing.T) {
	const one, two = `{"version": 1, "all": {"bulkhead": {"maxConcurrent": 1}}}`, `{"version": 1, "all": {"bulkhead": {"maxConcurrent": 2}}}`
	path := policyFile(t, one)
	synctest.Test(t, func(t *testing.T) {
		api, o := followed(http.MethodGet)
		var running atomic.Int64
		release := make(chan struct{})
		c := coreOf(t, api, client.BaseURL("http://h"), client.WithPolicyFile(path), client.Transport(transport(func(r *http.Request) (*http.Response, error) {
			running.Add(1)
			<-release
			return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		})))
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := call(t, c, o, nil); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		before := running.Load()
		rewrite(t, path, two)
		if err := c.ReloadPolicy(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if after := running.Load(); before != 1 || after != 2 {
			t.Errorf("%d calls at once, and %d after the change; want 1 and 2", before, after)
		}
		close(release)
		wg.Wait()
	})
}

func TestPolicyFileOptionsFail(t *testing.T) {
	api, _ := followed(http.MethodGet)
	good := policyFile(t, `{"version": 1}`)
	inYAML := policyFile(t, "version: 1\nall:\n  retry:\n    maxAttempts: 2\n")
	for name, test := range map[string]struct {
		api  *client.API
		opts []client.Option
		want string
	}{
		"no path":       {api, []client.Option{client.WithPolicyFile("")}, "the path is empty"},
		"no file":       {api, []client.Option{client.WithPolicyFile(good + ".none")}, "no such file"},
		"no decoder":    {api, []client.Option{client.PolicyDecoder(nil)}, "the decoder is nil"},
		"no operations": {&client.API{Title: "test"}, []client.Option{client.WithPolicyFile(good)}, "the API does not list its operations"},
		"YAML as JSON":  {api, []client.Option{client.WithPolicyFile(inYAML)}, "policy.json:1:1: not valid JSON"},
		"YAML":          {api, []client.Option{client.WithPolicyFile(inYAML), client.PolicyDecoder(yaml.Decode)}, ""},
	} {
		_, err := client.New(test.api, append(test.opts, client.BaseURL("http://h"))...)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	var none *client.Core
	if none.PolicyError() != nil || none.ReloadPolicy() != nil || none.Policies() != nil || none.Policy("x") != nil {
		t.Error("a client that is nil has a policy")
	}
}

func TestOffInTheEnvironment(t *testing.T) {
	api, o := followed(http.MethodPost, func(s *policy.Spec) {
		s.Client.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Required: true}
	})
	t.Setenv(policyfile.OffVariable, "retry,idempotency")
	var n atomic.Int64
	c := coreOf(t, api, client.BaseURL("http://h"), client.Transport(answers(503, &n)))
	var meta client.Meta
	_, err := call(t, c, o, nil, client.IdempotencyKey("k"), client.Into(&meta))
	if f := faultOf(t, err); f.Kind != fault.Status || n.Load() != 1 || meta.Key != "" || f.Key != "" {
		t.Errorf("%+v, %+v, %d tries: want one try, without a key", f, meta, n.Load())
	}
	if p := c.Policy("POST /things"); p.Client.Retry != nil || p.Client.Breaker == nil {
		t.Errorf("%+v", p.Client)
	}
	t.Setenv(policyfile.OffVariable, "retries")
	if _, err := client.New(api, client.BaseURL("http://h")); err == nil || !strings.Contains(err.Error(), `HOLDFAST_OFF: there is no primitive "retries"`) {
		t.Errorf("%v", err)
	}
}

// The detector of races looks on while a file changes under calls.
func TestReloadingUnderLoad(t *testing.T) {
	path := policyFile(t, `{"version": 1}`)
	api, o := followed(http.MethodGet, func(s *policy.Spec) {
		s.Client.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1e6, Per: time.Second, Burst: 1e6}}}
	})
	c := coreOf(t, api, client.BaseURL("http://h"), client.WithPolicyFile(path), client.Transport(transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	})))
	var over atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !over.Load() {
				if _, err := call(t, c, o, nil); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	texts := []string{
		`{"version": 1, "all": {"retry": {"maxAttempts": 1, "budget": {"window": "1s"}}, "bulkhead": {"maxConcurrent": 100}}}`,
		`{"version": 1, "all": {"breaker": {"window": {"count": 20}}, "timeout": {"attempt": "3s"}, "client": {"rateLimit": {"limit": 500000}}}}`,
		`{"version": 1, "all": {"retry": false, "breaker": false, "bulkhead": false}}`,
		`{"version": 1, "all": {"breaker": {"window": {"time": "5s"}}}}`,
	}
	for i := range 100 {
		rewrite(t, path, texts[i%len(texts)])
		if err := c.ReloadPolicy(); err != nil {
			t.Error(err)
		}
	}
	over.Store(true)
	wg.Wait()
}
