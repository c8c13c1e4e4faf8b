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
	return openLocks(c, prefix, 0), nil
}

// locks implements [lock.Backend]. A lock is a string, its owner and the attempt in which it
// was taken, that ends with its life; beside it stands the last fence.
type locks struct {
	client redis.UniversalClient
	prefix string
	batch  *batch // nil in a cluster
	// attempt is the length of the name of an attempt, zero where there are none: it tells
	// what a late release may free from what the same owner has taken since.
	attempt int
}

// lockTrip bounds a trip in which the steps of several callers go, above their own bounds.
const lockTrip = 2 * time.Second

// openLocks lets the steps of callers who wait at the same time go together. In a cluster
// they do not, for a server that hangs would hold up the locks of all others.
func openLocks(c redis.UniversalClient, prefix string, attempt int) *locks {
	l := &locks{client: c, prefix: prefix, attempt: attempt}
	if one, ok := c.(*redis.Client); ok {
		l.batch = &batch{client: one, timeout: lockTrip}
	}
	return l
}

// run runs a script on the keys of one lock.
func (l *locks) run(ctx context.Context, s *script, key string, args ...any) ([]any, error) {
	if l.batch == nil {
		return run(ctx, l.client, s, l.keys(key), args...)
	}
	if err := ctx.Err(); err != nil {
		return nil, failure(ctx, err)
	}
	step := &step{script: s, keys: l.keys(key), args: args}
	if err := l.batch.do(ctx, step); err != nil {
		return nil, err
	}
	return step.list, nil
}

func (l *locks) keys(key string) []string {
	k := l.prefix + "{" + name(key) + "}"
	return []string{k, k + ":fence"}
}

// ofOwner begins the scripts of locks. Their first arguments are the owner and the length
// of the name of an attempt.
const ofOwner = `
local owner = redis.call('GET', KEYS[1])
local mine = owner and #owner == #ARGV[1] + ARGV[2] and string.sub(owner, 1, #ARGV[1]) == ARGV[1]
`

// acquireScript takes the name of the attempt, the life and that of the fence in ms. It
// answers 1 and the fence, or 0 and who has the lock.
var acquireScript = newScript(ofOwner + `
if owner and not mine then
	return {0, owner}
end
local fence = tonumber(redis.call('GET', KEYS[2]) or '0')
if not owner or fence == 0 then
	local t = redis.call('TIME')
	fence = math.max(fence + 1, t[1] * 1000000 + t[2])
end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[3], 'PX', ARGV[4])
redis.call('SET', KEYS[2], string.format('%.0f', fence), 'PX', ARGV[5])
return {1, fence}
`)

// Acquire is that of [lock.Backend].
func (l *locks) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (fence int64, ok bool, err error) {
	if ttl <= 0 {
		return 0, false, fmt.Errorf("redisstore: a lock with a life of %s", ttl)
	}
	fence, holder, err := l.acquire(ctx, key, owner, "", ttl)
	return fence, err == nil && holder == owner, err
}

// acquire tells who holds the lock then; the fence is that of the owner.
func (l *locks) acquire(ctx context.Context, key, owner, attempt string, ttl time.Duration) (fence int64, holder string, err error) {
	list, err := l.run(ctx, acquireScript, key, owner, l.attempt, attempt, millis(ttl), millis(ttl+fenceLife))
	if err != nil {
		return 0, "", err
	}
	switch taken, err := number(list, 0); {
	case err != nil:
		return 0, "", err
	case taken != 1:
		holder, err = text(list, 1)
		return 0, holder, err
	}
	fence, err = number(list, 1)
	return fence, owner, err
}

// held begins the scripts of owners.
const held = ofOwner + `
if not mine then
	return {0}
end
`

var (
	extendLockScript = newScript(held + `
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return {1}
`)
	releaseLockScript = newScript(held + `
redis.call('DEL', KEYS[1])
return {1}
`)
)

// change runs a script of an owner.
func (l *locks) change(ctx context.Context, s *script, key, owner string, args ...any) error {
	return l.changeIf(ctx, s, key, owner, l.attempt, args...)
}

// changeIf is change for an owner's attempts whose names have a length.
func (l *locks) changeIf(ctx context.Context, s *script, key, owner string, attempt int, args ...any) error {
	list, err := l.run(ctx, s, key, append([]any{owner, attempt}, args...)...)
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
