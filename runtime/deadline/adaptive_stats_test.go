package deadline_test

import (
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/latency"
)

func TestAdaptiveStats(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var a deadline.Adaptive
	for range deadline.LeastSamples - 1 {
		a.Answered(now, 100*time.Millisecond)
	}
	if got, want := a.Stats(now), (deadline.AdaptiveStats{Samples: deadline.LeastSamples - 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	a.Answered(now, 100*time.Millisecond)
	now = now.Add(time.Second)
	got := a.Stats(now)
	off := got.Observed - 100*time.Millisecond
	if got.Samples != deadline.LeastSamples || off.Abs() > time.Duration(latency.MaxError*float64(100*time.Millisecond)) {
		t.Errorf("got %+v", got)
	}
}
