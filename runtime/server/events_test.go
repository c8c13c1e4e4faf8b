package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// told are the events of a server as short texts.
type told []string

func (l *told) option() server.Option {
	return server.Observe(&observe.Hooks{
		Reject: func(_ context.Context, e observe.Reject) {
			*l = append(*l, fmt.Sprintf("reject %v %v", e.Reason, e.Shadow))
		},
		Replay: func(_ context.Context, e observe.Replay) {
			*l = append(*l, fmt.Sprintf("replay %s %d", e.Op, e.Status))
		},
		StoreFail: func(_ context.Context, e observe.StoreFail) {
			*l = append(*l, fmt.Sprintf("store %s %v", e.What, e.Err))
		},
		CallEnd: func(_ context.Context, e observe.CallEnd) { *l = append(*l, fmt.Sprintf("end %d", e.Status)) },
	})
}

// next are the events since the last call.
func (l *told) next() []string {
	out := *l
	*l = nil
	return out
}

func (l *told) want(t *testing.T, want ...string) {
	t.Helper()
	if got := l.next(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// noLimits is a store of limits that cannot be asked.
type noLimits struct{}

func (noLimits) Take(context.Context, string, []ratelimit.Demand) (time.Duration, bool, error) {
	return 0, false, errors.New("down")
}
func (noLimits) Settle(context.Context, string, *ratelimit.Demand, int) error {
	return errors.New("down")
}

// Each refusal and each replay is told, once.
func TestEventsOfKeys(t *testing.T) {
	var l told
	h := keyed(policy.Idempotency{}, 0, func(context.Context, CreateBookingRequest) (*Booking, error) { return &Booking{}, nil }, l.option())
	book(h, "k", `{"seats":1}`)
	l.want(t, "end 201")
	book(h, "k", `{"seats":1}`)
	l.want(t, "replay createBooking 201", "end 201")
	book(h, "k", `{"seats":2}`)
	l.want(t, "reject idempotency false", "end 422")
	h = keyed(policy.Idempotency{}, 0, func(context.Context, CreateBookingRequest) (*Booking, error) { return &Booking{}, nil },
		l.option(), server.IdempotencyStore(broken{}), server.OnError(nil))
	book(h, "k", `{"seats":1}`)
	l.want(t, "store idempotency down", "reject idempotency false", "end 503")
	h = keyed(policy.Idempotency{OnStoreError: policy.AllowOnStoreError}, 0, func(context.Context, CreateBookingRequest) (*Booking, error) {
		return &Booking{}, nil
	}, l.option(), server.IdempotencyStore(broken{}), server.OnError(nil))
	book(h, "k", `{"seats":1}`)
	l.want(t, "store idempotency down", "end 201")
}

func TestEventsOfRefusals(t *testing.T) {
	var l told
	serve := func(p policy.Server, method string, f func(context.Context) error, opts ...server.Option) func(headers ...string) {
		s := spec(method, "/")
		s.Server = p
		h := server.New(nil, []server.Route{bare(s, f)}, append(opts, l.option(), server.OnError(nil))...)
		return func(headers ...string) { call(h, method, "/", "", headers...) }
	}
	serve(policy.Server{Deadline: &policy.Deadline{Trust: true}}, "GET", nothing)("X-Request-Deadline-Ms: 0")
	l.want(t, "reject deadline false", "end 504")

	versions := serve(policy.Server{Concurrency: &policy.Concurrency{IfMatch: policy.IfMatchRequired}}, "PUT",
		func(ctx context.Context) error { return server.CheckVersion(ctx, "2") })
	versions()
	l.want(t, "reject precondition false", "end 428")
	versions(`If-Match: "1"`)
	l.want(t, "reject precondition false", "end 412")
	versions(`If-Match: "2"`)
	l.want(t, "end 204")

	p := locked(0)
	p.Lock.Keys = []policy.Template{{Parts: []policy.TemplatePart{{Text: "k"}}}}
	serve(p, "GET", nothing, server.Locks(unreachable{}))()
	l.want(t, "store lock connection refused", "end 503")

	for _, c := range []struct {
		onError policy.LimitStoreError
		want    []string
	}{
		{policy.LimitDeny, []string{"store rate-limit down", "reject rate-limit false", "end 503"}},
		{policy.LimitLocally, []string{"store rate-limit down", "end 204"}},
		{policy.LimitAllow, []string{"store rate-limit down", "end 204"}},
	} {
		serve(policy.Server{RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 9, Per: time.Second, Burst: 9, OnStoreError: c.onError}}}},
			"GET", nothing, server.LimitStore(noLimits{}))()
		l.want(t, c.want...)
	}
}
