package main

import "testing"

// The heap may grow to quietMemory or to twice of what is in use, whichever is more.
func TestGrowth(t *testing.T) {
	for _, test := range []struct {
		live uint64
		want int
	}{
		{quietMemory / 4, 300},
		{quietMemory / 2, 100},
		{quietMemory, 100},
		{10 * quietMemory, 100},
		{0, quietMemory / (1 << 20) * 100},
	} {
		if got := growth(test.live); got != test.want {
			t.Errorf("%d: %d, want %d", test.live, got, test.want)
		}
	}
}
