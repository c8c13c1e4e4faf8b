//go:build linux

package main

import (
	"os"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store/sql/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == instanceRole {
		os.Exit(fatal(instance()))
	}
	os.Exit(pgtest.Main(m))
}

// spanVariable is how long TestChaos makes faults, as a duration.
const spanVariable = "HOLDFAST_CHAOS"

// Under all faults no effect is doubled, nothing that a client was told is lost, and no
// holder of a lock writes after the next one.
func TestChaos(t *testing.T) {
	pgtest.Require(t)
	span := 6 * time.Second
	if text := os.Getenv(spanVariable); text != "" {
		var err error
		if span, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	r, err := run(t.Context(), options{seed: uint64(time.Now().UnixNano()), span: span})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if !r.Verdict.good() {
		t.Errorf("%+v", r.Verdict)
	}
	if r.Payments == 0 || r.Tokens == 0 {
		t.Error("nothing happened")
	}
}

// Each guard is needed: the oracles find what its absence does. A late write needs a fault
// that comes in the right moment, so it is waited for in long runs only; TestStaleHolder of
// the example makes one.
func TestWithoutGuards(t *testing.T) {
	pgtest.Require(t)
	if testing.Short() {
		t.Skip("it waits for faults that meet what is not guarded")
	}
	for without, c := range map[guard]struct {
		only  []string
		found func(v verdict) int
	}{
		guardTransaction: {[]string{"kill -9", "answers lost", "database cut off"}, func(v verdict) int { return v.Doubled }},
		guardFence:       {[]string{"late delivery"}, func(v verdict) int { return v.Stale }},
		guardOwner:       {[]string{"answers lost"}, func(v verdict) int { return v.Differing }},
		guardLock:        {[]string{"slow"}, func(v verdict) int { return v.Unbalanced }},
	} {
		t.Run(string(without), func(t *testing.T) {
			if without == guardFence && os.Getenv(spanVariable) == "" {
				t.Skip(spanVariable + " is not set, and it takes a minute at times")
			}
			r, err := run(t.Context(), options{
				seed: uint64(time.Now().UnixNano()), span: 3 * time.Minute, without: without, early: true, only: c.only,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r)
			if c.found(r.Verdict) == 0 {
				t.Error("the oracles have not noticed")
			}
		})
	}
}
