package redisstore_test

import (
	"fmt"

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
