package server_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// watched is a handler of one operation, and what it would have refused.
func watched(p policy.Server, f func(context.Context) error) (call1 func(headers ...string) int, rejected *[]observe.Reject) {
	rejected = new([]observe.Reject)
	s := under(p)
	s.Method = "POST"
	h := server.New(nil, []server.Route{bare(s, f)}, server.OnError(nil), server.Observe(&observe.Hooks{
		Reject: func(_ context.Context, e observe.Reject) { *rejected = append(*rejected, e) },
	}))
	return func(headers ...string) int { return call(h, "POST", "/", "", headers...).Code }, rejected
}

// A deadline in shadow mode ends nothing, and tells what it would have ended.
func TestDeadlineInShadowMode(t *testing.T) {
	for name, test := range map[string]struct {
		deadline string
		policy   policy.Server
		reported int
	}{
		"in time":           {"2000", policy.Server{Deadline: &policy.Deadline{Trust: true, Mode: policy.Shadow}}, 0},
		"late":              {"1000", policy.Server{Deadline: &policy.Deadline{Trust: true, Mode: policy.Shadow}}, 1},
		"over at the start": {"0", policy.Server{Deadline: &policy.Deadline{Trust: true, Mode: policy.Shadow}}, 1},
		"both in shadow mode": {"1000", policy.Server{
			Deadline: &policy.Deadline{Trust: true, Mode: policy.Shadow}, Timeout: &policy.ServerTimeout{Handler: time.Second, Mode: policy.Shadow},
		}, 1},
		"a timeout beside a deadline": {"9000", policy.Server{
			Deadline: &policy.Deadline{Trust: true}, Timeout: &policy.ServerTimeout{Handler: time.Second, Mode: policy.Shadow},
		}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			send, rejected := watched(test.policy, func(ctx context.Context) error { time.Sleep(1500 * time.Millisecond); return ctx.Err() })
			if status := send("X-Request-Deadline-Ms: " + test.deadline); status != 204 {
				t.Errorf("%s: %d", name, status)
			}
			if len(*rejected) != test.reported || test.reported > 0 && ((*rejected)[0].Reason != observe.Deadline || !(*rejected)[0].Shadow) {
				t.Errorf("%s: %+v", name, *rejected)
			}
		})
	}
}

// Idempotency in shadow mode runs every request, and tells what it would have done.
func TestIdempotencyInShadowMode(t *testing.T) {
	runs := 0
	send, rejected := watched(policy.Server{Idempotency: &policy.Idempotency{
		Mode: policy.Shadow, Header: "Idempotency-Key", Required: true, TTL: time.Hour, Lease: time.Minute, MaxBody: 1 << 20,
	}}, func(context.Context) error { runs++; return nil })
	for i, step := range []struct {
		headers  []string
		reported int
	}{
		{nil, 1}, // required
		{[]string{"Idempotency-Key: a"}, 1},
		{[]string{"Idempotency-Key: a"}, 2}, // would be replayed
		{[]string{"Idempotency-Key: b", "Idempotency-Key: c"}, 3},
		{[]string{`Idempotency-Key: "a`}, 4},
		{[]string{"Idempotency-Key: b"}, 4},
	} {
		if status := send(step.headers...); status != 204 || runs != i+1 || len(*rejected) != step.reported {
			t.Errorf("step %d: %d, run %d times, %+v", i, status, runs, *rejected)
		}
	}
	if e := (*rejected)[0]; e.Reason != observe.Idempotency || !e.Shadow || e.Reason.String() != "idempotency" {
		t.Errorf("%+v", e)
	}
}
