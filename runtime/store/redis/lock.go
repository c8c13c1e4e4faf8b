package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/redis/go-redis/v9"
)

// fenceLife is how long the last fence of a key is remembered beyond the life of its lock.
// After that the clock alone has moved on far enough.
const fenceLife = 24 * time.Hour

// NewLocks is a backend of locks in one Redis: it saves work that would be done twice. A
// server that forgets, or a replica that takes its place, may give a lock away that somebody
// holds; that its fence is above the other's is what protects then, where the write checks
// it. A fence is the server's clock in µs, or one more than the last where that is larger,
// so that it goes on rising after a server has forgotten everything.
//
// A context that ends leaves it open whether a lock was taken; [lock.Acquire] then releases
// it, which hits nobody else's.
func NewLocks(c redis.UniversalClient, o Options) (lock.Backend, error) {
	prefix, err := open(c, o, "lock")
	if err != nil {
		return nil, err
	}
	return &locks{client: c, prefix: prefix}, nil
}

// locks implements [lock.Backend]. A lock is a string, its owner, that ends with its life;
// beside it stands the last fence.
type locks struct {
	client redis.UniversalClient
	prefix string
}

func (l *locks) keys(key string) []string {
	k := l.prefix + "{" + name(key) + "}"
	return []string{k, k + ":fence"}
}

// acquireScript takes the owner, the life and that of the fence in ms. It answers 1 and
// the fence, or 0.
var acquireScript = redis.NewScript(`
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
	return {0}
end
local fence = tonumber(redis.call('GET', KEYS[2]) or '0')
if not owner or fence == 0 then
	local t = redis.call('TIME')
	fence = math.max(fence + 1, t[1] * 1000000 + t[2])
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], string.format('%.0f', fence), 'PX', ARGV[3])
return {1, fence}
`)

// Acquire is that of [lock.Backend].
func (l *locks) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (fence int64, ok bool, err error) {
	if ttl <= 0 {
		return 0, false, fmt.Errorf("redisstore: a lock with a life of %s", ttl)
	}
	list, err := run(ctx, l.client, acquireScript, l.keys(key), owner, millis(ttl), millis(ttl+fenceLife))
	if err != nil {
		return 0, false, err
	}
	if done, err := number(list, 0); err != nil || done != 1 {
		return 0, false, err
	}
	if fence, err = number(list, 1); err != nil {
		return 0, false, err
	}
	return fence, true, nil
}

// held begins the scripts of owners.
const held = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return {0}
end
`

var (
	extendLockScript = redis.NewScript(held + `
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return {1}
`)
	releaseLockScript = redis.NewScript(held + `
redis.call('DEL', KEYS[1])
return {1}
`)
)

// change runs a script of an owner.
func (l *locks) change(ctx context.Context, s *redis.Script, key string, args ...any) error {
	list, err := run(ctx, l.client, s, l.keys(key), args...)
	if err != nil {
		return err
	}
	if done, err := number(list, 0); err != nil || done != 1 {
		if err == nil {
			err = lock.ErrNotOwner
		}
		return err
	}
	return nil
}

// Extend is that of [lock.Backend].
func (l *locks) Extend(ctx context.Context, key, owner string, ttl time.Duration) error {
	if ttl <= 0 {
		return fmt.Errorf("redisstore: a lock with a life of %s", ttl)
	}
	return l.change(ctx, extendLockScript, key, owner, millis(ttl), millis(ttl+fenceLife))
}

// Release is that of [lock.Backend].
func (l *locks) Release(ctx context.Context, key, owner string) error {
	return l.change(ctx, releaseLockScript, key, owner)
}
