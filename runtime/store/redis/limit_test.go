package redisstore_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/ratelimit/limittest"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"
)

func newLimits(t *testing.T, c redis.UniversalClient, timeout time.Duration) ratelimit.Store {
	t.Helper()
	s, err := redisstore.NewLimits(c, redisstore.LimitOptions{Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const patient = 30 * time.Second // for machines that do much else

func TestLimits(t *testing.T) {
	c := redistest.Start(t).Client(t)
	for _, test := range limittest.Store() {
		t.Run(test.Name, func(t *testing.T) {
			c.FlushAll(t.Context())
			test.Run(t, newLimits(t, c, patient))
		})
	}
}

func one(a policy.Algorithm, limit int, per time.Duration, key string) []ratelimit.Demand {
	return []ratelimit.Demand{{Bucket: "b", Key: key, N: 1, Rate: policy.Rate{Algorithm: a, Limit: limit, Per: per, Burst: limit}}}
}

// grant is tokens that were given between two moments.
type grant struct {
	from, to time.Time
	n        int
}

// The oracle adds up all grants within all times that can have been shorter than what was
// seen of them, and wants what was refused to come when it was said to.
func TestLimitsAgainstBruteForce(t *testing.T) {
	c := redistest.Start(t).Client(t)
	rapid.Check(t, func(rt *rapid.T) {
		c.FlushAll(context.Background())
		s, err := redisstore.NewLimits(c, redisstore.LimitOptions{Timeout: patient})
		if err != nil {
			rt.Fatal(err)
		}
		r := policy.Rate{
			Algorithm: rapid.SampledFrom([]policy.Algorithm{policy.TokenBucket, policy.SlidingWindow}).Draw(rt, "algorithm"),
			Limit:     rapid.IntRange(1, 20).Draw(rt, "limit"), Per: time.Duration(rapid.IntRange(1, 20_000).Draw(rt, "µs")) * time.Microsecond,
			Burst: rapid.IntRange(1, 20).Draw(rt, "burst"),
		}
		most := r.Limit
		if r.Algorithm == policy.TokenBucket {
			most = r.Burst
		}
		var grants []grant
		for range rapid.IntRange(1, 20).Draw(rt, "calls") {
			n := rapid.IntRange(1, most+1).Draw(rt, "n")
			d := []ratelimit.Demand{{Bucket: "b", Rate: r, N: n}}
			from := time.Now()
			wait, ok, err := s.Take(context.Background(), "g", d)
			switch {
			case err != nil:
				rt.Fatal(err)
			case ok != (d[0].State.OK) || ok && n > most || (wait == ratelimit.Never) != (n > most):
				rt.Fatalf("%d of %+v: %v, %v", n, r, wait, ok)
			case !ok && n <= most:
				<-time.After(wait + time.Millisecond)
				from = time.Now()
				if _, ok, err = s.Take(context.Background(), "g", d); err != nil || !ok {
					rt.Fatalf("%d of %+v did not come in %v: %v", n, r, wait, err)
				}
			}
			if ok {
				grants = append(grants, grant{from, time.Now(), n})
			}
		}
		bounded(rt, r, grants)
	})
}

// bounded holds grants to a rate.
func bounded(t interface {
	Fatalf(format string, args ...any)
}, r policy.Rate, grants []grant) {
	for i := range grants {
		sum := 0
		for _, g := range grants[i:] {
			sum += g.n
			within := g.to.Sub(grants[i].from)
			most := r.Limit
			if r.Algorithm == policy.TokenBucket {
				most = r.Burst + int(int64(within)*int64(r.Limit)/int64(r.Per))
			} else if within >= r.Per {
				break
			}
			if sum > most {
				t.Fatalf("%+v: %d within %v, want %d at most", r, sum, within, most)
			}
		}
	}
}

// Many clients, while the server loses its scripts, do not get more than burst + rate x t.
func TestLimitOfManyClients(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client(t)
	ctx, cancel := context.WithCancel(t.Context())
	var flushes, wg sync.WaitGroup
	flushes.Go(func() {
		for ctx.Err() == nil {
			admin.ScriptFlush(context.WithoutCancel(ctx))
		}
	})
	var mu sync.Mutex
	passed := 0
	began := time.Now()
	for range 4 {
		s := newLimits(t, server.Client(t), patient)
		for range 4 {
			wg.Go(func() {
				for range 50 {
					_, ok, err := s.Take(t.Context(), "g", one(policy.TokenBucket, 100, time.Second, "k"))
					if err != nil {
						t.Error(err)
					}
					if ok {
						mu.Lock()
						passed++
						mu.Unlock()
					}
				}
			})
		}
	}
	wg.Wait()
	took := time.Since(began)
	cancel()
	flushes.Wait()
	if most := 100 + int(took.Seconds()*100) + 1; passed > most || passed < 100 {
		t.Errorf("%d passed in %v, want 100 to %d", passed, took, most)
	}
}

// Who is over a limit is refused without a trip until it may come again, or something was
// given back.
func TestRefusalsAreRemembered(t *testing.T) {
	c := redistest.Start(t).Client(t)
	s := newLimits(t, c, patient)
	take := func(want bool) []ratelimit.Demand {
		t.Helper()
		d := one(policy.TokenBucket, 1, time.Hour, "k")
		if _, ok, err := s.Take(t.Context(), "g", d); err != nil || ok != want {
			t.Fatalf("%v, %v", ok, err)
		}
		return d
	}
	first := take(true)
	take(false)
	c.FlushAll(t.Context())
	if d := take(false); d[0].State.OK || d[0].State.Wait <= 0 || d[0].State.Wait > time.Hour || d[0].State.Reset <= 0 {
		t.Errorf("the second refusal is %+v", d[0].State)
	}
	if err := s.Settle(t.Context(), "g", &first[0], 0); err != nil {
		t.Fatal(err)
	}
	take(true)
}

// A server that hangs costs one timeout, then nothing, and is asked again later.
func TestLimitServerTrouble(t *testing.T) {
	server := redistest.Start(t)
	s := newLimits(t, server.Client(t), 100*time.Millisecond)
	ask := func(key string) error {
		_, _, err := s.Take(t.Context(), "g", one(policy.TokenBucket, 1, time.Hour, key))
		return err
	}
	server.Pause(t)
	if err := ask("a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	began := time.Now()
	for range 10 {
		if err := ask("a"); !errors.Is(err, redisstore.ErrDown) {
			t.Errorf("%v", err)
		}
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("ten refusals took %v", took)
	}
	server.Resume(t)
	for end := time.Now().Add(30 * time.Second); ask("b") != nil; {
		if time.Now().After(end) {
			t.Fatal("never asked again")
		}
		<-time.After(20 * time.Millisecond)
	}
	server.Kill()
	if ask("c") == nil {
		t.Error("a dead server answered")
	}
}

// Clocks of servers differ: what lies in the future after one took another's place stops
// nobody for longer than the limit does.
func TestLimitClockStepsBack(t *testing.T) {
	c := redistest.Start(t).Client(t)
	for _, a := range []policy.Algorithm{policy.TokenBucket, policy.SlidingWindow, policy.SlidingCounter} {
		c.FlushAll(t.Context())
		if _, ok, err := newLimits(t, c, patient).Take(t.Context(), "g", one(a, 1, time.Minute, "k")); err != nil || !ok {
			t.Fatal(ok, err)
		}
		ahead := time.Now().Add(24 * time.Hour).UnixMicro()
		for _, key := range c.Keys(t.Context(), "*").Val() {
			switch a {
			case policy.TokenBucket:
				c.Set(t.Context(), key, ahead, 0)
			case policy.SlidingWindow:
				c.ZRemRangeByRank(t.Context(), key, 1, 1)
				c.ZAdd(t.Context(), key, redis.Z{Score: float64(ahead), Member: "x:1"})
			case policy.SlidingCounter:
				c.Set(t.Context(), key, "99999999999:1:0", 0)
			}
		}
		wait, ok, err := newLimits(t, c, patient).Take(t.Context(), "g", one(a, 1, time.Minute, "k"))
		if err != nil || ok || wait <= 0 || wait > 2*time.Minute {
			t.Errorf("%s: %v, %v, %v", a, wait, ok, err)
		}
	}
}

// A log stays bounded, and forgets nothing when it joins entries.
func TestLogIsBounded(t *testing.T) {
	c := redistest.Start(t).Client(t)
	s := newLimits(t, c, patient)
	var left int
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 150 {
				if _, ok, err := s.Take(t.Context(), "g", one(policy.SlidingWindow, 10_000, time.Hour, "k")); err != nil || !ok {
					t.Error(ok, err)
				}
			}
		})
	}
	wg.Wait()
	d := one(policy.SlidingWindow, 10_000, time.Hour, "k")
	d[0].N = 0
	if _, _, err := s.Take(t.Context(), "g", d); err != nil {
		t.Fatal(err)
	}
	if left = d[0].State.Remaining; left != 10_000-32*150 {
		t.Errorf("%d left, want %d", left, 10_000-32*150)
	}
	for _, key := range c.Keys(t.Context(), "*").Val() {
		if n := c.ZCard(t.Context(), key).Val(); n > 4097 {
			t.Errorf("%d entries", n)
		}
		if !strings.Contains(key, "{") {
			t.Errorf("the key %q has no tag", key)
		}
		if ttl := c.PTTL(t.Context(), key).Val(); ttl <= 0 || ttl > time.Hour+time.Second {
			t.Errorf("ends in %v", ttl)
		}
	}
}

func TestBucketTwiceInOneDecision(t *testing.T) {
	s := newLimits(t, redistest.Start(t).Client(t), patient)
	d := append(one(policy.TokenBucket, 5, time.Hour, "k"), one(policy.TokenBucket, 5, time.Hour, "k")...)
	if _, _, err := s.Take(t.Context(), "g", d); err == nil {
		t.Error("taken")
	}
}
