package redisstore_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/cache/cachetest"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
)

func newCache(t *testing.T, c redis.UniversalClient, o redisstore.CacheOptions) cache.Store {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second // for machines that do much else
	}
	s, err := redisstore.NewCache(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCache(t *testing.T) {
	c := redistest.Start(t).Client(t)
	cachetest.Run(t, func(t *testing.T) cache.Store {
		c.FlushAll(t.Context())
		return newCache(t, c, redisstore.CacheOptions{})
	})
}

var page = cache.Key{Resource: "http://x.test/", Operation: "o", Principal: "p"}

func entryOf(body, variant string) *cache.Entry {
	return &cache.Entry{Status: http.StatusOK, Body: []byte(body), Vary: []cache.Selector{{Name: "Foo", Value: variant}}}
}

func put(t *testing.T, s cache.Store, e *cache.Entry) {
	t.Helper()
	if err := s.Put(t.Context(), page, e); err != nil {
		t.Error(err)
	}
}

// bodies are those of the page, by their variants.
func bodies(t *testing.T, s cache.Store) map[string]string {
	t.Helper()
	list, err := s.Get(t.Context(), page)
	if err != nil {
		t.Error(err)
	}
	out := map[string]string{}
	for _, e := range list {
		out[e.Vary[0].Value] = string(e.Body)
	}
	return out
}

func TestCacheIsBounded(t *testing.T) {
	c := redistest.Start(t).Client(t)
	s := newCache(t, c, redisstore.CacheOptions{MaxEntry: 1000})
	put(t, s, entryOf("small", "a"))
	put(t, s, entryOf(strings.Repeat("x", 1001), "a"))
	if got := bodies(t, s); len(got) != 0 {
		t.Errorf("what is too large left %q", got)
	}
	large := newCache(t, c, redisstore.CacheOptions{})
	for i := range 100 {
		put(t, large, entryOf("", strconv.Itoa(i)))
	}
	if got := len(bodies(t, large)); got != 64 {
		t.Errorf("%d variants, want 64", got)
	}
	for i := range 100 {
		put(t, s, entryOf(strings.Repeat("x", 900), strconv.Itoa(i)))
	}
	got := bodies(t, s)
	if _, is := got["99"]; !is || len(got) > 4 {
		t.Errorf("%d variants of 900 bytes within 4000, the last one among them: %v", len(got), is)
	}
}

func TestCacheEnds(t *testing.T) {
	c := redistest.Start(t).Client(t)
	s := newCache(t, c, redisstore.CacheOptions{Keep: 400 * time.Millisecond})
	put(t, s, entryOf("1", "old"))
	<-time.After(250 * time.Millisecond)
	put(t, s, entryOf("2", "new")) // and with it the whole key lives longer
	<-time.After(250 * time.Millisecond)
	if got := bodies(t, s); len(got) != 1 || got["new"] != "2" {
		t.Errorf("%q, want the new one", got)
	}
	for _, key := range c.Keys(t.Context(), "*").Val() {
		if ttl := c.PTTL(t.Context(), key).Val(); ttl < 0 || ttl > 2*time.Hour {
			t.Errorf("%s ends in %v", key, ttl)
		}
	}
}

// between calls a function once, before the first script that is not in a pipeline.
type between struct {
	redis.Hook
	once sync.Once
	f    func()
}

func (b *between) DialHook(next redis.DialHook) redis.DialHook { return next }

func (b *between) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (b *between) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if strings.HasPrefix(cmd.Name(), "eval") {
			b.once.Do(b.f)
		}
		return next(ctx, cmd)
	}
}

// An answer that was fetched before an invalidation, and is stored after it, is not there.
func TestInvalidationDuringPut(t *testing.T) {
	server := redistest.Start(t)
	other := newCache(t, server.Client(t), redisstore.CacheOptions{})
	c := server.Client(t)
	c.AddHook(&between{f: func() {
		if err := other.Invalidate(t.Context(), cache.Scope{Operation: page.Operation}); err != nil {
			t.Error(err)
		}
	}})
	s := newCache(t, c, redisstore.CacheOptions{})
	put(t, s, entryOf("outdated", ""))
	if got := bodies(t, s); len(got) != 0 {
		t.Errorf("%q is there", got)
	}
	put(t, s, entryOf("new", ""))
	if got := bodies(t, other); got[""] != "new" {
		t.Errorf("the other client has %q", got)
	}
}

// A stamp that was evicted does not bring back what was invalidated.
func TestEvictedStamp(t *testing.T) {
	c := redistest.Start(t).Client(t)
	s := newCache(t, c, redisstore.CacheOptions{})
	put(t, s, entryOf("1", "a"))
	for _, key := range c.Keys(t.Context(), "*{s*").Val() {
		c.Del(t.Context(), key)
	}
	if got := bodies(t, s); len(got) != 0 {
		t.Errorf("without stamps there is %q", got)
	}
	put(t, s, entryOf("2", "b"))
	if got := bodies(t, s); len(got) != 1 || got["b"] != "2" {
		t.Errorf("%q, want what was put last", got)
	}
}

// Pipelines send scripts again that the server has lost.
func TestCacheLosesScripts(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client(t)
	ctx, cancel := context.WithCancel(t.Context())
	var flushes, wg sync.WaitGroup
	flushes.Go(func() {
		for ctx.Err() == nil {
			admin.ScriptFlush(context.WithoutCancel(ctx))
		}
	})
	for i := range 4 {
		s := newCache(t, server.Client(t), redisstore.CacheOptions{})
		wg.Go(func() {
			k := cache.Key{Resource: fmt.Sprint("/", i), Operation: "o"}
			for range 50 {
				if err := s.Put(t.Context(), k, entryOf("x", "")); err != nil {
					t.Error(err)
				}
				if list, err := s.Get(t.Context(), k); err != nil || len(list) != 1 {
					t.Errorf("%d entries, %v", len(list), err)
				}
			}
		})
	}
	wg.Wait()
	cancel()
	flushes.Wait()
}

// A server that hangs, or has gone, costs a bounded time and is told as an error.
func TestCacheServerTrouble(t *testing.T) {
	server := redistest.Start(t)
	s := newCache(t, server.Client(t), redisstore.CacheOptions{Timeout: 100 * time.Millisecond})
	server.Pause(t)
	for name, f := range map[string]func() error{
		"Get":        func() error { _, err := s.Get(t.Context(), page); return err },
		"Put":        func() error { return s.Put(t.Context(), page, entryOf("x", "")) },
		"Remove":     func() error { return s.Remove(t.Context(), page, entryOf("x", "")) },
		"Invalidate": func() error { return s.Invalidate(t.Context(), cache.Scope{Operation: "o"}) },
	} {
		began := time.Now()
		if err := f(); err == nil {
			t.Errorf("%s worked", name)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	server.Resume(t)
	server.Kill()
	if _, err := s.Get(t.Context(), page); err == nil {
		t.Error("a dead server answered")
	}
}

// What stands there in another form is as if it were not there.
func TestBrokenEntries(t *testing.T) {
	c := redistest.Start(t).Client(t)
	s := newCache(t, c, redisstore.CacheOptions{})
	put(t, s, entryOf("1", "a"))
	for _, key := range c.Keys(t.Context(), "*").Val() {
		if c.Type(t.Context(), key).Val() != "hash" {
			continue
		}
		for field, v := range c.HGetAll(t.Context(), key).Val() {
			for i, broken := range []string{v[:len(v)-4], v[:20], v[:13]} {
				c.HSet(t.Context(), key, field+strconv.Itoa(i), broken)
			}
		}
	}
	if list, err := s.Get(t.Context(), page); err != nil || len(list) != 1 {
		t.Errorf("%d entries, %v; want the whole one", len(list), err)
	}
}
