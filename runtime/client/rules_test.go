package client_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Rules see the body of every response, successes included.
func TestRulesOnBodies(t *testing.T) {
	rules := func(s *policy.Spec) {
		r := *s.Client.Retry
		r.Rules = []policy.RetryRule{
			{Name: "busy", Body: []policy.BodyMatch{{Pointer: "/error/code", Any: []string{"overloaded*"}}}, Do: policy.DoRetry},
			{Name: "fine", Statuses: policy.StatusSet(409), Do: policy.DoSuccess},
			{Name: "over", Body: []policy.BodyMatch{{Pointer: "/error/code", Any: []string{"final"}}}, Do: policy.DoStop},
		}
		s.Client.Retry = &r
	}
	decode := func(r *client.Response) (string, error) {
		switch {
		case r.Is(200, "application/json"):
			var b Booking
			err := r.JSON(&b)
			return b.ID, err
		case r.Is(409, "application/json"):
			return "conflict", nil
		}
		return "", r.Undeclared()
	}
	contentType := []string{"Content-Type", content.TypeJSON}
	for name, test := range map[string]struct {
		answers []func() (*http.Response, error)
		want    string
		tries   int
		err     string
	}{
		"retried 200": {[]func() (*http.Response, error){
			reply(200, `{"error":{"code":"overloaded_now"}}`, contentType...), reply(200, `{"id":"1"}`, contentType...),
		}, "1", 2, ""},
		"success 409":  {[]func() (*http.Response, error){reply(409, `{}`, contentType...)}, "conflict", 1, ""},
		"stopped 200":  {[]func() (*http.Response, error){reply(200, `{"id":"1","error":{"code":"final"}}`, contentType...)}, "", 1, "a rule of the policy"},
		"plain 200":    {[]func() (*http.Response, error){reply(200, `{"id":"1"}`, contentType...)}, "1", 1, ""},
		"no such rule": {[]func() (*http.Response, error){reply(200, `{}`, contentType...)}, "", 1, "must have an id"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Duration
			c := bubble(t, replies(&at, test.answers...))
			got, err := call(t, c, op("GET", "/", decode, rules), nil)
			if got != test.want || len(at) != test.tries || (test.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %q, %d tries, %v", name, got, len(at), err)
			}
		})
	}
}

// A body that breaks off is a fault of the transport, and retried.
func TestBrokenJSONIsRetried(t *testing.T) {
	n := 0
	c := core(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n > 1 {
			answer(200, "application/json", "1")(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "123")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	if got, err := call(t, c, op("GET", "/", okJSON), nil); err != nil || fmt.Sprint(got) != "1" || n != 2 {
		t.Errorf("%v, %v, %d tries", got, err, n)
	}
}
