package gradient_test

import (
	"math"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/gradient"
	"pgregory.net/rapid"
)

// One step by hand: 1.5 x 10/30 is the least of the clamp, 0.5; the square root of 100
// is the headroom, and a fifth of the way is gone.
func TestOneStep(t *testing.T) {
	l := gradient.New(100)
	for range 10 {
		l.Observe(10*time.Millisecond, 1) // learns, and moves nothing: under half used
	}
	if l.Now() != 100 {
		t.Fatalf("%d while nobody uses it", l.Now())
	}
	l.Observe(30*time.Millisecond, 100)
	// The eleventh sample is in the long average: 10 + 20*2/601.
	long := 10 + 20*2/601.0
	want := 0.8*100 + 0.2*(1.5*long/30*100+10)
	if l.Now() != int(want) {
		t.Errorf("%d, want %v", l.Now(), want)
	}
}

// A steep rise is cut at a half: to 0.8 x 64 + 0.2 x (32 + 8).
func TestSteepestStep(t *testing.T) {
	l := gradient.New(64)
	for range 10 {
		l.Observe(time.Millisecond, 1)
	}
	l.Observe(time.Hour, 64)
	if want := 59; l.Now() != want { // of 59.2
		t.Errorf("%d, want %d", l.Now(), want)
	}
}

func TestComesBack(t *testing.T) {
	l := gradient.New(50)
	for range 20 {
		l.Observe(time.Millisecond, 50)
	}
	for range 20 {
		l.Observe(50*time.Millisecond, 50)
	}
	low := l.Now()
	if low >= 30 {
		t.Errorf("%d after fifty times the latency", low)
	}
	for range 200 {
		l.Observe(time.Millisecond, l.Now())
	}
	if l.Now() != 50 {
		t.Errorf("%d after the latency is as it was", l.Now())
	}
}

func TestMost(t *testing.T) {
	l := gradient.New(0)
	if l.Now() != 1 {
		t.Error(l.Now())
	}
	l.SetMost(10)
	if l.Now() != 10 {
		t.Errorf("%d: the limit stood at the bound", l.Now())
	}
	l.SetMost(4)
	if l.Now() != 4 {
		t.Error(l.Now())
	}
}

func TestStaysWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 1000).Draw(t, "most")
		l := gradient.New(most)
		for range 50 {
			took := time.Duration(rapid.Int64Range(math.MinInt64, math.MaxInt64).Draw(t, "took"))
			l.Observe(took, rapid.IntRange(0, 2000).Draw(t, "inflight"))
			if n := l.Now(); n < 1 || n > most {
				t.Fatalf("%d of %d", n, most)
			}
		}
	})
}
