package redisstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
)

// member is an instance with what it hears.
func member(t *testing.T, s *redistest.Server, o redisstore.Options) (*redisstore.Breakers, chan breaker.Notice) {
	t.Helper()
	b, err := redisstore.NewBreakers(s.Client(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	heard := make(chan breaker.Notice, 1000)
	b.Listen(func(n breaker.Notice) { heard <- n })
	return b, heard
}

// until tells again and again until somebody hears: a subscription takes a moment.
func until(t *testing.T, from *redisstore.Breakers, heard chan breaker.Notice, n breaker.Notice) {
	t.Helper()
	for range 500 {
		from.Tell(n)
		select {
		case got := <-heard:
			if got != n {
				t.Fatalf("heard %+v, want %+v", got, n)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatal("nobody hears it")
}

// What one instance tells, the others with its prefix hear, and it does not hear itself;
// and so again after the server was gone.
func TestNoticesReachTheOthers(t *testing.T) {
	s := redistest.Start(t)
	a, own := member(t, s, redisstore.Options{Prefix: "shop"})
	b, other := member(t, s, redisstore.Options{Prefix: "shop"})
	_, foreign := member(t, s, redisstore.Options{Prefix: "store"})
	c := s.Client(t)
	redistest.Until(t, "both listen", func() bool {
		const channel = "shop:breakers:open"
		n, err := c.PubSubNumSub(t.Context(), channel).Result()
		return err == nil && n[channel] == 2
	})
	pets := breaker.Notice{Breaker: "pets/key#00", For: 1500 * time.Millisecond}
	until(t, a, other, pets)
	// Had it heard itself, that would come first.
	until(t, b, own, breaker.Notice{Breaker: "shops", For: time.Second})
	s.Kill()
	begin := time.Now()
	for range 1000 {
		a.Tell(breaker.Notice{Breaker: "lost", For: time.Second})
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("telling took %v while the server was gone", took)
	}
	s.Restart(t)
	for drained := false; !drained; {
		select {
		case <-other:
		case <-time.After(100 * time.Millisecond):
			drained = true
		}
	}
	if a.Dropped() == 0 {
		t.Error("nothing was dropped of a thousand")
	}
	told := breaker.Notice{Breaker: "again", For: time.Minute}
	for i := 0; ; i++ {
		a.Tell(told)
		select {
		case got := <-other:
			if got == told {
				if n := len(foreign); n != 0 {
					t.Errorf("another prefix has heard %d", n)
				}
				return
			}
		case <-time.After(20 * time.Millisecond):
		}
		if i > 1000 {
			t.Fatal("nobody hears it after the server came back")
		}
	}
}

// Close ends all that was begun, whether there is a server or not.
func TestBreakersClose(t *testing.T) {
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", ContextTimeoutEnabled: true, MaxRetries: -1})
	defer c.Close()
	b, err := redisstore.NewBreakers(c, redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Tell(breaker.Notice{Breaker: "pets", For: time.Second})
	done := make(chan struct{})
	go func() { b.Close(); b.Close(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	b.Tell(breaker.Notice{Breaker: "pets", For: time.Second})
	if _, err := redisstore.NewBreakers(nil, redisstore.Options{}); err == nil {
		t.Error("no client is taken")
	}
}

// Instances tell each other of open breakers; without Redis each goes by what it has seen.
func ExampleNewBreakers() {
	client := redis.NewUniversalClient(&redis.UniversalOptions{Addrs: []string{"127.0.0.1:6379"}, ContextTimeoutEnabled: true, MaxRetries: -1})
	defer client.Close()
	shared, err := redisstore.NewBreakers(client, redisstore.Options{Prefix: "shop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shared.Close()
	// payments.New(client.ShareBreakers(shared))
	fmt.Println("ready")
	// Output: ready
}
