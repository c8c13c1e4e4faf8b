// Package redis measures what instances share on Redis beside redis_rate, throttled,
// ulule/limiter, redsync and redislock: 50 callers and one server of the benchmark's own, in
// the same run.
package redis
