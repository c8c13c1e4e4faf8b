package pipeline_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// shrinking is a server whose requests can be made smaller so many times.
type shrinking struct {
	*server
	left, shrunk int
	call         *pipeline.Call
}

func (s *shrinking) Shrink(*policy.Shrink) func() {
	if s.left == 0 {
		return nil
	}
	return func() {
		s.left--
		s.shrunk++
		if s.call.Key != "" {
			s.call.Key += "'"
		}
	}
}

// tooLong makes 413 shrink the request.
func tooLong(change ...func(*policy.Client)) policy.Client {
	c := base()
	c.Retry.Shrink = &policy.Shrink{Pointer: "/m", Factor: 0.5}
	c.Retry.Rules = []policy.RetryRule{{Name: "tooLong", Statuses: policy.StatusSet(413, 500), Do: policy.DoShrink}}
	for _, f := range change {
		f(&c)
	}
	return c
}

func write(c *policy.Client) { c.Effect = policy.Write }

func TestShrinkDecides(t *testing.T) {
	type want struct {
		shrunk, tries int
		stop          fault.Stop
	}
	big := status(413)
	for name, tt := range map[string]struct {
		policy  policy.Client
		key     string
		left    int
		answers []answer
		options pipeline.Options
		want    want
	}{
		"until it fits":               {tooLong(), "", 9, []answer{big, big, status(200)}, pipeline.Options{}, want{2, 3, 0}},
		"as often as there are tries": {tooLong(), "", 9, []answer{big}, pipeline.Options{}, want{2, 3, fault.StopAttempts}},
		"until it cannot":             {tooLong(), "", 1, []answer{big}, pipeline.Options{}, want{1, 2, fault.StopFinal}},
		"no shrink is stop":           {tooLong(func(c *policy.Client) { c.Retry.Shrink = nil }), "", 9, []answer{big}, pipeline.Options{}, want{0, 1, fault.StopFinal}},
		"no retry":                    {tooLong(), "", 9, []answer{big}, pipeline.Options{NoRetry: true}, want{0, 1, fault.StopOff}},
		"a write without a key":       {tooLong(write), "", 9, []answer{big}, pipeline.Options{}, want{0, 1, fault.StopEffect}},
		"a write that was refused":    {tooLong(write, func(c *policy.Client) { c.Retry.Rules[0].Refused = true }), "", 9, []answer{big, status(200)}, pipeline.Options{}, want{1, 2, 0}},
		"a write with a key":          {tooLong(write), "k", 9, []answer{big, status(200)}, pipeline.Options{}, want{1, 2, 0}},
		// The smaller request has another key, which does not keep the first one from having its effect.
		"a write of unknown effect": {tooLong(write), "k", 9, []answer{status(500), status(200)}, pipeline.Options{}, want{0, 1, fault.StopEffect}},
		"shadow":                    {tooLong(func(c *policy.Client) { c.Retry.Mode = policy.Shadow }), "", 9, []answer{big}, pipeline.Options{}, want{0, 1, fault.StopOff}},
		"an empty budget":           {tooLong(func(c *policy.Client) { c.Retry.Budget = &policy.Budget{Window: time.Second} }), "", 9, []answer{big}, pipeline.Options{}, want{0, 1, fault.StopBudget}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				call := &pipeline.Call{Replayable: true, Key: tt.key, Options: tt.options}
				s := &shrinking{server: serve(tt.answers...), left: tt.left, call: call}
				o := make1(tt.policy).Do(t.Context(), call, s)
				got := want{shrunk: s.shrunk, tries: o.Attempts}
				if o.Fault != nil {
					got.stop = o.Fault.Stop
					if o.Fault.Key != call.Key {
						t.Errorf("the fault has the key %q, the request %q", o.Fault.Key, call.Key)
					}
				}
				if got != tt.want || time.Since(s.begin) != 0 {
					t.Errorf("%+v after %v, want %+v at once", got, time.Since(s.begin), tt.want)
				}
			})
		})
	}
}

// A server that says when to come back is obeyed; a wait that does not fit leaves the
// request as it is.
func TestShrinkWaitsForHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hinted := status(http.StatusRequestEntityTooLarge, "Retry-After", "3")
		call := replayable()
		s := &shrinking{server: serve(hinted, status(200)), left: 9, call: call}
		if o := make1(tooLong()).Do(t.Context(), call, s); o.Fault != nil || s.shrunk != 1 {
			t.Errorf("%v, shrunk %d times", o.Fault, s.shrunk)
		}
		wantTimes(t, s.server, 0, 3*time.Second)
		call = &pipeline.Call{Replayable: true, Options: pipeline.Options{Within: time.Second}}
		s = &shrinking{server: serve(hinted), left: 9, call: call}
		o := make1(tooLong()).Do(t.Context(), call, s)
		wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopDeadline, Attempts: 1, Status: 413, Effect: fault.Safe})
		if s.shrunk != 0 {
			t.Errorf("shrunk %d times", s.shrunk)
		}
	})
}

// Who cannot make requests smaller stops.
func TestShrinkWithoutShrinker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := run(t.Context(), tooLong(), replayable(), serve(status(413)))
		wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopFinal, Attempts: 1, Status: 413, Effect: fault.Safe})
	})
}
