package redis_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"
	"github.com/ulule/limiter/v3"
	ulule "github.com/ulule/limiter/v3/drivers/store/redis"
)

const (
	// callers ask at the same time.
	callers = 50
	// rate is a limit that nobody reaches, of which 1 µs a token is the finest of ours.
	rate  = 1_000_000
	burst = rate
)

// decide asks for one token of one key.
type decide func(ctx context.Context) (bool, error)

// BenchmarkLimit is a decision of 50 callers about one key. "trips" is what goes to the
// server for each.
func BenchmarkLimit(b *testing.B) {
	server := redistest.Start(b)
	for _, peer := range []struct {
		name  string
		setUp func(testing.TB, *redis.Client) decide
	}{
		{"holdfast", holdfast(0)}, {"holdfast-lease-10", holdfast(10)}, {"holdfast-lease-100", holdfast(100)},
		{"redis_rate", redisRate}, {"throttled", gcra}, {"ulule", window},
	} {
		b.Run(peer.name, func(b *testing.B) {
			client, sent := counted(b, server)
			client.FlushAll(b.Context())
			ask := peer.setUp(b, client)
			if _, err := ask(b.Context()); err != nil { // the script is known now
				b.Fatal(err)
			}
			sent.Store(0)
			began, granted := time.Now(), run(b, ask)
			took := time.Since(began)
			b.ReportMetric(float64(sent.Load())/float64(b.N), "trips/op")
			if most := burst + int64(took.Seconds()*rate) + 1; granted > most {
				b.Errorf("%d granted in %v, the limit is %d", granted, took, most)
			}
		})
	}
}

// run has 50 callers ask b.N times in all.
func run(b *testing.B, ask decide) int64 {
	var left, granted atomic.Int64
	left.Store(int64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				ok, err := ask(b.Context())
				if err != nil {
					b.Error(err)
					return
				}
				if ok {
					granted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	return granted.Load()
}

// counted is a client that counts its trips.
func counted(tb testing.TB, s *redistest.Server) (*redis.Client, *atomic.Int64) {
	o := s.Options()
	o.PoolSize = callers
	c := redis.NewClient(o)
	tb.Cleanup(func() { _ = c.Close() })
	t := new(trips)
	c.AddHook(t)
	return c, &t.n
}

type trips struct{ n atomic.Int64 }

func (t *trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (t *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		t.n.Add(1)
		return next(ctx, cmd)
	}
}

func (t *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		t.n.Add(1)
		return next(ctx, cmds)
	}
}

func holdfast(lease int) func(testing.TB, *redis.Client) decide {
	return func(tb testing.TB, c *redis.Client) decide {
		s, err := redisstore.NewLimits(c, redisstore.LimitOptions{Timeout: 30 * time.Second, Lease: lease})
		if err != nil {
			tb.Fatal(err)
		}
		r := policy.Rate{Limit: rate, Per: time.Second, Burst: burst}
		return func(ctx context.Context) (bool, error) {
			d := [1]ratelimit.Demand{{Bucket: "b", Key: "k", N: 1, Rate: r}}
			_, ok, err := s.Take(ctx, "g", d[:])
			return ok, err
		}
	}
}

func redisRate(_ testing.TB, c *redis.Client) decide {
	l := redis_rate.NewLimiter(c)
	limit := redis_rate.Limit{Rate: rate, Burst: burst, Period: time.Second}
	return func(ctx context.Context) (bool, error) {
		r, err := l.Allow(ctx, "k", limit)
		return err == nil && r.Allowed > 0, err
	}
}

func gcra(tb testing.TB, c *redis.Client) decide {
	s, err := goredisstore.NewCtx(c, "throttled:")
	if err != nil {
		tb.Fatal(err)
	}
	l, err := throttled.NewGCRARateLimiterCtx(s, throttled.RateQuota{MaxRate: throttled.PerSec(rate), MaxBurst: burst - 1})
	if err != nil {
		tb.Fatal(err)
	}
	l.SetMaxCASAttemptsLimit(1000) // with 50 callers its own 10 do not suffice
	return func(ctx context.Context) (bool, error) {
		limited, _, err := l.RateLimitCtx(ctx, "k", 1)
		return !limited, err
	}
}

func window(tb testing.TB, c *redis.Client) decide {
	s, err := ulule.NewStoreWithOptions(c, limiter.StoreOptions{Prefix: "ulule"})
	if err != nil {
		tb.Fatal(err)
	}
	l := limiter.New(s, limiter.Rate{Period: time.Second, Limit: burst})
	return func(ctx context.Context) (bool, error) {
		got, err := l.Get(ctx, "k")
		return !got.Reached, err
	}
}
