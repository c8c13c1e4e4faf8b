package redisstore_test

import (
	"fmt"
	"time"

	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/redis/go-redis/v9"
)

// The client serves all stores. Nothing is sent before the first use.
func Example() {
	client := redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs:                 []string{"127.0.0.1:6379"},
		ContextTimeoutEnabled: true,
		MaxRetries:            -1,
	})
	defer client.Close()
	keys, err := redisstore.NewIdempotency(client, redisstore.Options{Prefix: "shop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = keys // server.IdempotencyStore(keys)
	fmt.Println("ready")
	// Output: ready
}

// The defaults of go-redis are refused.
func ExampleNewLocks_refused() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379"})
	defer client.Close()
	_, err := redisstore.NewLocks(client, redisstore.Options{})
	fmt.Println(err)
	// Output: redisstore: set ContextTimeoutEnabled in the client's options, or calls outlast their contexts
}

// Three servers that do not know of each other hold locks together, and go on while one
// of them is down.
func ExampleNewRedlock() {
	var nodes []redis.UniversalClient
	for _, addr := range []string{"redis-a:6379", "redis-b:6379", "redis-c:6379"} {
		c := redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true, MaxRetries: -1})
		defer c.Close()
		nodes = append(nodes, c)
	}
	locks, err := redisstore.NewRedlock(nodes, redisstore.RedlockOptions{NodeTimeout: 50 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = locks // server.Locks(locks)
	fmt.Println("ready")
	// Output: ready
}

// Of a bucket that is much used an instance fetches ten tokens at a time.
func ExampleNewLimits() {
	client := redis.NewUniversalClient(&redis.UniversalOptions{Addrs: []string{"127.0.0.1:6379"}, ContextTimeoutEnabled: true, MaxRetries: -1})
	defer client.Close()
	limits, err := redisstore.NewLimits(client, redisstore.LimitOptions{Lease: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = limits // server.LimitStore(limits)
	fmt.Println("ready")
	// Output: ready
}
