package pipeline_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// trace notes what the primitives do to requests, in their order.
type trace struct {
	mu    sync.Mutex
	begin time.Time
	lines []string
	mute  bool
}

func (t *trace) notef(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.mute {
		t.lines = append(t.lines, fmt.Sprint(time.Since(t.begin), " ", fmt.Sprintf(format, args...)))
	}
}

// hooks note all events.
func (t *trace) hooks() *observe.Hooks {
	return &observe.Hooks{
		AttemptStart:  func(_ context.Context, e observe.AttemptStart) { t.notef("try %d", e.Number) },
		AttemptEnd:    func(_ context.Context, e observe.AttemptEnd) { t.notef("end %d %d", e.Number, e.Status) },
		Wait:          func(_ context.Context, e observe.Wait) { t.notef("wait %v %v", e.Reason, e.For) },
		Reject:        func(_ context.Context, e observe.Reject) { t.notef("reject %v", e.Reason) },
		Queued:        func(_ context.Context, e observe.Queued) { t.notef("queued %v %v", e.For, e.Admitted) },
		Hedge:         func(_ context.Context, e observe.Hedge) { t.notef("hedge %v %d", e.What, e.Number) },
		BreakerChange: func(e observe.BreakerChange) { t.notef("breaker %v", e.To) },
		CallEnd:       func(_ context.Context, e observe.CallEnd) { t.notef("call %d", e.Status) },
	}
}

// rig is a transport with all primitives over a server that each case sets up.
type rig struct {
	*trace

	statuses []int
	late     time.Duration
	policy   policy.Client
	tr       *pipeline.Transport
}

func newRig(change func(*policy.Client)) *rig {
	c := base()
	c.Timeout.Attempt = time.Second
	c.Breaker = &policy.Breaker{Window: policy.Window{Count: 10}, FailureThreshold: 1, Recovery: time.Minute, Probes: 1}
	c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, Queue: 1, Timeout: 2 * time.Second}
	c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1, Per: time.Hour, Burst: 4}}}
	if change != nil {
		change(&c)
	}
	r := &rig{trace: &trace{begin: time.Now()}, policy: c, statuses: []int{200}}
	r.tr = pipeline.NewRegistry(pipeline.Settings{Hooks: r.hooks(), Random: func() float64 { return 0 }}).
		Transport(r, &policy.Spec{ID: "pets", Dependency: "petstore", Client: c})
	return r
}

// RoundTrip is the server.
func (r *rig) RoundTrip(q *http.Request) (*http.Response, error) {
	r.notef("send")
	if err := sleep.For(q.Context(), r.late); err != nil {
		return nil, err
	}
	status := r.statuses[0]
	if len(r.statuses) > 1 {
		r.statuses = r.statuses[1:]
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody}, nil
}

// open makes a request and leaves its response, if there is one, open until end is called.
func (r *rig) open(ctx context.Context, method string) (end func()) {
	h, err := r.tr.RoundTrip(httptest.NewRequest(method, "http://x.test/", nil).WithContext(ctx)) //nolint:bodyclose // The caller does.
	if err != nil {
		return func() {}
	}
	return func() { _ = h.Body.Close() }
}

// ask makes a request and reads its response.
func (r *rig) ask(ctx context.Context, method string) { r.open(ctx, method)() }

// quietly does something without a trace.
func (r *rig) quietly(f func()) {
	r.mute = true
	f()
	r.mute = false
}

// TestOrder holds the order of composition, which the package's comment gives, for each
// kind of fault: what comes first refuses first, and what comes later is not asked then.
func TestOrder(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*policy.Client)
		run    func(ctx context.Context, r *rig)
		want   []string
	}{
		"success": {
			run:  func(ctx context.Context, r *rig) { r.ask(ctx, "GET") },
			want: []string{"0s try 1", "0s send", "0s end 1 200", "0s call 200"},
		},
		"failure, then success": {
			run: func(ctx context.Context, r *rig) { r.statuses = []int{503, 200}; r.ask(ctx, "GET") },
			want: []string{
				"0s try 1", "0s send", "0s end 1 503", "0s wait backoff 500ms", "500ms try 2", "500ms send", "500ms end 2 200",
				"500ms call 200",
			},
		},
		// One call is one result to the breaker, whatever its tries: it opens behind the last.
		"failures": {
			run: func(ctx context.Context, r *rig) { r.statuses = []int{503}; r.ask(ctx, "GET") },
			want: []string{
				"0s try 1", "0s send", "0s end 1 503", "0s wait backoff 500ms", "500ms try 2", "500ms send", "500ms end 2 503",
				"500ms wait backoff 1s", "1.5s try 3", "1.5s send", "1.5s end 3 503", "1.5s breaker open", "1.5s call 503",
			},
		},
		"a write is not repeated": {
			run:  func(ctx context.Context, r *rig) { r.statuses = []int{503}; r.ask(ctx, "POST") },
			want: []string{"0s try 1", "0s send", "0s end 1 503", "0s breaker open", "0s call 503"},
		},
		"attempt timeout": {
			change: func(c *policy.Client) { c.Retry.MaxAttempts = 2 },
			run:    func(ctx context.Context, r *rig) { r.late = time.Hour; r.ask(ctx, "GET") },
			want: []string{
				"0s try 1", "0s send", "1s end 1 0", "1s wait backoff 500ms", "1.5s try 2", "1.5s send", "2.5s end 2 0",
				"2.5s breaker open", "2.5s call 0",
			},
		},
		// The deadline stands before the wait: one that does not fit is not begun.
		"deadline before the wait": {
			run: func(ctx context.Context, r *rig) {
				r.statuses = []int{503}
				ctx, cancel := context.WithTimeout(ctx, 400*ms)
				defer cancel()
				r.ask(ctx, "GET")
			},
			want: []string{"0s try 1", "0s send", "0s end 1 503", "0s breaker open", "0s call 503"},
		},
		// The breaker's check stands before the queue, so that nobody queues to be refused: the
		// slot is taken as long as the failure's body is open.
		"breaker before bulkhead": {
			run: func(ctx context.Context, r *rig) {
				r.quietly(func() { r.statuses = []int{503}; r.open(ctx, "POST") })
				r.ask(ctx, "GET")
			},
			want: []string{"0s reject breaker", "0s call 0"},
		},
		// The slot comes before the tokens: of the four there are three for those who come later.
		"bulkhead before rate limit": {
			run: func(ctx context.Context, r *rig) {
				var end func()
				r.quietly(func() { end = r.open(ctx, "GET") })
				r.ask(ctx, "GET")
				r.quietly(func() {
					end()
					for range 3 {
						r.ask(ctx, "GET")
					}
				})
				r.ask(ctx, "GET")
			},
			want: []string{"2s queued 2s false", "2s reject bulkhead", "2s call 0", "2s reject rate-limit", "2s call 0"},
		},
		"queued, then a try": {
			run: func(ctx context.Context, r *rig) {
				r.quietly(func() {
					time.AfterFunc(time.Second, r.open(ctx, "GET"))
				})
				r.ask(ctx, "GET")
			},
			want: []string{"1s queued 1s true", "1s try 1", "1s send", "1s end 1 200", "1s call 200"},
		},
		// The rate limit stands inside of the retries: each try takes a token.
		"a token a try": {
			change: func(c *policy.Client) { c.RateLimit.Buckets[0].Burst = 2 },
			run:    func(ctx context.Context, r *rig) { r.statuses = []int{503}; r.ask(ctx, "GET") },
			want: []string{
				"0s try 1", "0s send", "0s end 1 503", "0s wait backoff 500ms", "500ms try 2", "500ms send", "500ms end 2 503",
				"500ms wait backoff 1s", "1.5s reject rate-limit", "1.5s breaker open", "1.5s call 503",
			},
		},
		// The slot is free while a call waits for its next try.
		"slot free in the wait": {
			run: func(ctx context.Context, r *rig) {
				r.statuses = []int{503, 204, 200}
				time.AfterFunc(100*ms, func() { r.ask(ctx, "GET") })
				r.ask(ctx, "GET")
			},
			want: []string{
				"0s try 1", "0s send", "0s end 1 503", "0s wait backoff 500ms",
				"100ms try 1", "100ms send", "100ms end 1 204", "100ms call 204",
				"500ms try 2", "500ms send", "500ms end 2 200", "500ms call 200",
			},
		},
		// What the breaker has learnt meanwhile holds for a call that waits.
		"breaker opens in the wait": {
			run: func(ctx context.Context, r *rig) {
				r.statuses = []int{503, 500, 200}
				time.AfterFunc(100*ms, func() { r.ask(ctx, "POST") })
				r.ask(ctx, "GET")
			},
			want: []string{
				"0s try 1", "0s send", "0s end 1 503", "0s wait backoff 500ms",
				"100ms try 1", "100ms send", "100ms end 1 500", "100ms breaker open", "100ms call 500",
				"500ms reject breaker", "500ms call 503",
			},
		},
		"budget before the wait": {
			change: func(c *policy.Client) { c.Retry.Budget = &policy.Budget{Ratio: 0.1, Window: 10 * time.Second} },
			run:    func(ctx context.Context, r *rig) { r.statuses = []int{503}; r.ask(ctx, "GET") },
			want: []string{
				"0s try 1", "0s send", "0s end 1 503", "0s reject budget", "0s breaker open", "0s call 503",
			},
		},
		"cancelled in the wait": {
			run: func(ctx context.Context, r *rig) {
				r.statuses = []int{503}
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(300*ms, cancel)
				r.ask(ctx, "GET")
			},
			// The caller who gives up is no failure: the breaker stays closed.
			want: []string{"0s try 1", "0s send", "0s end 1 503", "0s wait backoff 500ms", "300ms call 503"},
		},
		// The hedge stands inside of the try and of its timeout.
		"hedge in the try": {
			change: func(c *policy.Client) {
				c.Hedge = &policy.Hedge{Delay: 100 * ms, Max: 1}
				c.Retry.MaxAttempts = 1
			},
			run: func(ctx context.Context, r *rig) { r.late = time.Hour; r.ask(ctx, "GET") },
			want: []string{
				"0s try 1", "0s send", "100ms hedge started 2", "100ms send", "1s end 1 0", "1s breaker open", "1s call 0",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(tc.change)
				tc.run(t.Context(), r)
				synctest.Wait()
				if !slices.Equal(r.lines, tc.want) {
					t.Errorf("\n got %q\nwant %q", r.lines, tc.want)
				}
			})
		})
	}
}
