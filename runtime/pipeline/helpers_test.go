package pipeline_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

const ms = time.Millisecond

// server answers the tries of a test one after the other; the last answer
// repeats. It notes when each try came.
type server struct {
	begin    time.Time
	answers  []answer
	attempts []pipeline.Attempt
	at       []time.Duration
	harmless []bool // the try was refused, or never left
	discards int
}

// answer is one response.
type answer func(ctx context.Context, a pipeline.Attempt) pipeline.Result

func serve(answers ...answer) *server { return &server{begin: time.Now(), answers: answers} }

func (s *server) Try(ctx context.Context, a pipeline.Attempt) pipeline.Result {
	s.attempts = append(s.attempts, a)
	s.at = append(s.at, time.Since(s.begin))
	r := s.answers[min(len(s.attempts), len(s.answers))-1](ctx, a)
	s.harmless = append(s.harmless, r.Status == 429 || r.Class.Unsent)
	return r
}

func (s *server) Discard(pipeline.Result) { s.discards++ }

// numbers are the numbers that the tries carried.
func (s *server) numbers() (list []int) {
	for _, a := range s.attempts {
		list = append(list, a.Number)
	}
	return list
}

func status(code int, header ...string) answer {
	return func(context.Context, pipeline.Attempt) pipeline.Result {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return pipeline.Result{Status: code, Header: h}
	}
}

// after answers late, or breaks off when the context ends.
func after(d time.Duration, then answer) answer {
	return func(ctx context.Context, a pipeline.Attempt) pipeline.Result {
		select {
		case <-time.After(d):
			return then(ctx, a)
		case <-ctx.Done():
			return pipeline.Result{Err: ctx.Err(), Class: retry.Class{Set: policy.TimeoutErrors}}
		}
	}
}

func broken(class retry.Class) answer {
	return func(context.Context, pipeline.Attempt) pipeline.Result {
		return pipeline.Result{Err: io.ErrUnexpectedEOF, Class: class}
	}
}

// base is the language's default without jitter, so that times are exact.
func base() policy.Client {
	return policy.Client{
		Effect:  policy.Read,
		Timeout: &policy.Timeout{Attempt: 10 * time.Second, Floor: 5 * ms, Share: 1},
		Retry: &policy.Retry{
			MaxAttempts: 3, BaseDelay: 500 * ms, MaxDelay: 2 * time.Second, Jitter: policy.JitterNone,
			Statuses: policy.StatusSet(408, 425, 429, 500, 502, 503, 504), Never: policy.StatusSet(501, 505),
			Errors: policy.AllErrors, MaxRetryAfter: time.Minute,
			Budget: &policy.Budget{Ratio: 0.2, MinPerSecond: 10, Window: 10 * time.Second},
		},
	}
}

func make1(c policy.Client) *pipeline.Pipeline {
	return pipeline.NewRegistry(pipeline.Settings{Random: func() float64 { return 0.5 }}).
		Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
}

// run makes a call of a fresh pipeline.
func run(ctx context.Context, c policy.Client, call *pipeline.Call, s *server) pipeline.Outcome {
	return make1(c).Do(ctx, call, s)
}

func replayable() *pipeline.Call { return &pipeline.Call{Replayable: true} }

func wantTimes(t *testing.T, s *server, want ...time.Duration) {
	t.Helper()
	if !slices.Equal(s.at, want) {
		t.Errorf("tries at %v, want %v", s.at, want)
	}
}

func wantFault(t *testing.T, o pipeline.Outcome, want fault.Error) *fault.Error {
	t.Helper()
	f := o.Fault
	if f == nil {
		t.Fatal("a success")
	}
	if f.Kind != want.Kind || f.Stop != want.Stop || f.Attempts != want.Attempts || f.Status != want.Status || f.Effect != want.Effect {
		t.Errorf("got %v, attempts %d, status %d, effect %v, stop %q;\nwant %v, attempts %d, status %d, effect %v, stop %q",
			f.Kind, f.Attempts, f.Status, f.Effect, f.Stop, want.Kind, want.Attempts, want.Status, want.Effect, want.Stop)
	}
	if f.Attempts != o.Attempts || f.Op != "getPet" {
		t.Errorf("fault %+v of outcome %+v", f, o)
	}
	return f
}
