// Package redisstore keeps in Redis what several instances of a program share: the
// records of idempotency keys, rate limits, locks, the answers of a client's cache, and the
// word that a breaker has opened.
// It works through [redis.UniversalClient], so with one server, with Sentinel and with a
// cluster, from Redis 6 on.
//
// Each step is one script, atomic and by the server's own clock, in one round trip; what
// one step needs stands in one slot of a cluster. A server that has lost its scripts is
// given them again.
//
// # What Redis promises
//
// Redis answers before a replica or a disk has what it was told, so a server that dies can
// forget the last moments, or all. Then idempotency keys and limits begin anew, and a lock
// may have two holders for a while; a fence, checked where the write happens, is what makes
// that harmless. Give the server the policy noeviction, for a record that is evicted
// protects nobody.
//
// # How to make the client
//
// Two defaults of go-redis do harm here, and the constructors refuse a client that has them:
//
//   - Without ContextTimeoutEnabled a call that may take 50 ms waits seconds for a server
//     that hangs.
//   - With MaxRetries above zero a command whose answer was lost is sent again, so that a
//     token is taken twice, or the second of two completions finds itself not the owner.
//     It is -1 that turns it off.
//
// The client of a cluster sends again whatever its options say; the stores keep it from
// that, and let it look for a server that has taken another's place as soon as one does
// not answer.
//
// [redis.UniversalClient]: https://pkg.go.dev/github.com/redis/go-redis/v9#UniversalClient
package redisstore
