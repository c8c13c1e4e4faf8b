package redisstore

import (
	"errors"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
)

// The release of a failed attempt that comes late frees nothing that the same owner was
// given in a later one, and the owner frees what any attempt has got.
func TestLateReleaseOfAnEarlierAttempt(t *testing.T) {
	l := openLocks(redistest.Start(t).Client(t), "p:", attemptLen)
	const first, second = "AAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBB"
	for _, attempt := range []string{first, second} {
		if _, holder, err := l.acquire(t.Context(), "k", "owner", attempt, time.Minute); err != nil || holder != "owner" {
			t.Fatal(holder, err)
		}
	}
	if err := l.changeIf(t.Context(), releaseLockScript, "k", "owner"+first, 0); !errors.Is(err, lock.ErrNotOwner) {
		t.Errorf("the first attempt's release: %v", err)
	}
	// Neither an owner whose name begins like it, nor one whose name goes on.
	for _, other := range []string{"owne", "owner" + second, "owner1"} {
		if err := l.Release(t.Context(), "k", other); !errors.Is(err, lock.ErrNotOwner) {
			t.Errorf("the release of %q: %v", other, err)
		}
	}
	if err := l.Release(t.Context(), "k", "owner"); err != nil {
		t.Error(err)
	}
}

// The second round raises a node's fence and never lowers it.
func TestFenceOfANodeNeverSinks(t *testing.T) {
	c := redistest.Start(t).Client(t)
	l := openLocks(c, "p:", attemptLen)
	fence, _, err := l.acquire(t.Context(), "k", "owner", "AAAAAAAAAAAAAAAA", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ write, want int64 }{{fence + 5, fence + 5}, {fence + 1, fence + 5}} {
		if err := l.change(t.Context(), fenceScript, "k", "owner", test.write, 60_000); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Get(t.Context(), l.keys("k")[1]).Int64(); err != nil || got != test.want {
			t.Errorf("%d after %d was written, want %d; %v", got, test.write, test.want, err)
		}
	}
	if err := l.change(t.Context(), fenceScript, "k", "other", fence+9, 60_000); !errors.Is(err, lock.ErrNotOwner) {
		t.Errorf("another's fence: %v", err)
	}
}
