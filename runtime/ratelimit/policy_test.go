package ratelimit_test

import (
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

func aSecond(limit, burst int) policy.Bucket {
	return policy.Bucket{Limit: limit, Per: time.Second, Burst: burst}
}

// remaining is what a key has, without taking anything.
func remaining(l *ratelimit.Limiter, key string, now time.Time) int {
	c := []ratelimit.Charge{{Limiter: l, Key: key}}
	ratelimit.Take(now, c)
	return c[0].State.Remaining
}

func TestSetPolicyKeepsWhatIsUsed(t *testing.T) {
	l := ratelimit.New(aSecond(1, 10), 0)
	if !l.AllowAt(start, "k", 10) {
		t.Fatal("the burst was refused")
	}
	l.SetPolicy(aSecond(10, 10), start)
	if l.Policy().Limit != 10 {
		t.Errorf("policy %+v", l.Policy())
	}
	if n := remaining(l, "k", start); n != 0 {
		t.Errorf("%d tokens right after the change, want 0", n)
	}
	if n := remaining(l, "k", at(500*time.Millisecond)); n != 5 {
		t.Errorf("%d tokens half a second later, want 5 at the new rate", n)
	}
	l.SetPolicy(aSecond(10, 20), at(500*time.Millisecond))
	if n := remaining(l, "k", at(500*time.Millisecond)); n != 15 {
		t.Errorf("%d tokens of a burst of 20 with 5 in use, want 15", n)
	}
	l.SetPolicy(aSecond(10, 2), at(500*time.Millisecond))
	if n := remaining(l, "k", at(500*time.Millisecond)); n != 0 {
		t.Errorf("%d tokens of a burst of 2 with 5 in use, want 0", n)
	}
	if n := remaining(l, "other", at(500*time.Millisecond)); n != 2 {
		t.Errorf("a new key has %d tokens, want 2", n)
	}
}

func TestRefundAfterSetPolicy(t *testing.T) {
	l := ratelimit.New(aSecond(1, 10), 0)
	c := []ratelimit.Charge{{Limiter: l, Key: "k", N: 4}}
	if _, ok := ratelimit.Take(start, c); !ok {
		t.Fatal("refused")
	}
	l.SetPolicy(aSecond(2, 10), start)
	// Two of the four come back by themselves in the second after the change.
	ratelimit.Refund(at(time.Second), c)
	if n := remaining(l, "k", at(time.Second)); n != 10 {
		t.Errorf("%d tokens after the refund, want all 10", n)
	}
	if n := remaining(l, "k", at(2*time.Second)); n != 10 {
		t.Errorf("%d tokens later, want 10", n)
	}
}

func TestSetPolicyDuringCalls(t *testing.T) {
	l := ratelimit.New(aSecond(1000, 1000), 0)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 500 {
				r, ok := l.Reserve(time.Now(), string(rune('a'+i)), 1, time.Second)
				if ok {
					r.Cancel(time.Now())
				}
			}
		})
	}
	for i := range 100 {
		l.SetPolicy(aSecond(1+i, 1+i), time.Now())
	}
	wg.Wait()
}
