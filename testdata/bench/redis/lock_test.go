package redis_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/store"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
)

// BenchmarkLock takes and frees a lock of a key of its own, 50 callers at a time.
func BenchmarkLock(b *testing.B) {
	server := redistest.Start(b)
	for _, peer := range []struct {
		name  string
		setUp func(testing.TB, *redis.Client) func(ctx context.Context, key string) error
	}{{"holdfast", locks}, {"redsync", redsyncLock}, {"redislock", bsm}} {
		b.Run(peer.name, func(b *testing.B) {
			client, sent := counted(b, server)
			client.FlushAll(b.Context())
			work := peer.setUp(b, client)
			if err := work(b.Context(), "warm"); err != nil {
				b.Fatal(err)
			}
			sent.Store(0)
			var n atomic.Int64
			run(b, func(ctx context.Context) (bool, error) {
				err := work(ctx, strconv.FormatInt(n.Add(1), 10))
				return err == nil, err
			})
			b.ReportMetric(float64(sent.Load())/float64(b.N), "trips/op")
		})
	}
}

func locks(tb testing.TB, c *redis.Client) func(context.Context, string) error {
	backend, err := redisstore.NewLocks(c, redisstore.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return func(ctx context.Context, key string) error {
		l, err := lock.Acquire(ctx, backend, lock.Options{Keys: []string{key}, TTL: 8 * time.Second, Heartbeat: 8 * time.Second / 3, Fencing: true})
		if err != nil {
			return err
		}
		l.Release()
		return nil
	}
}

func redsyncLock(_ testing.TB, c *redis.Client) func(context.Context, string) error {
	rs := redsync.New(goredis.NewPool(c))
	return func(ctx context.Context, key string) error {
		m := rs.NewMutex(key, redsync.WithExpiry(8*time.Second))
		if err := m.LockContext(ctx); err != nil {
			return err
		}
		_, err := m.UnlockContext(ctx)
		return err
	}
}

func bsm(_ testing.TB, c *redis.Client) func(context.Context, string) error {
	locker := redislock.New(c)
	return func(ctx context.Context, key string) error {
		l, err := locker.Obtain(ctx, key, 8*time.Second, nil)
		if err != nil {
			return err
		}
		return l.Release(ctx)
	}
}

// BenchmarkIdempotency is a claim and its completion: one trip before the work, and one
// after it.
func BenchmarkIdempotency(b *testing.B) {
	client, sent := counted(b, redistest.Start(b))
	records, err := redisstore.NewIdempotency(client, redisstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	work := func(ctx context.Context) (bool, error) {
		id := store.RecordID{Operation: "op", Key: strconv.FormatInt(n.Add(1), 10)}
		_, claimed, err := records.Claim(ctx, id, [32]byte{}, "owner", time.Minute)
		if err != nil {
			return false, err
		}
		return claimed, records.Complete(ctx, id, "owner", store.Result{Status: 201, Body: []byte(`{"id":"order-1"}`)}, time.Minute)
	}
	if _, err := work(b.Context()); err != nil {
		b.Fatal(err)
	}
	sent.Store(0)
	run(b, work)
	b.ReportMetric(float64(sent.Load())/float64(b.N), "trips/op")
}
