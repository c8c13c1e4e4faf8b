package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store"
	"github.com/redis/go-redis/v9"
)

// grace is how long a claim is remembered after its lease has ended. Its owner may still
// finish within it, unless somebody else has taken the key over.
const grace = time.Hour

// NewIdempotency keeps the records of idempotency keys. With it a key has at most one run
// at a time, and none after one that has succeeded until its time to live is over; a process
// that dies between its effect and the end of its run leaves a claim that ends with its
// lease, and the work runs again.
//
// A record takes some 250 bytes, and its result.
func NewIdempotency(c redis.UniversalClient, o Options) (store.Idempotency, error) {
	prefix, err := open(c, o, "key")
	if err != nil {
		return nil, err
	}
	return &records{client: c, prefix: prefix}, nil
}

// records implements [store.Idempotency]. A record is a hash: s state, f fingerprint, o
// owner, u the lease's end in µs by the server's clock, r the result.
type records struct {
	client redis.UniversalClient
	prefix string
}

func (r *records) key(id store.RecordID) []string {
	return []string{r.prefix + "{" + name(id.Scope, id.Operation, id.Key) + "}"}
}

// errLease is for a claim that would never end, or has ended at once.
var errLease = errors.New("redisstore: a lease has to be above zero")

// claimScript takes the fingerprint, the owner, the lease in µs and the life in ms. It
// answers 1, or 0 with the state, the fingerprint and the result that stand there.
var claimScript = newScript(`
local r = redis.call('HMGET', KEYS[1], 's', 'f', 'o', 'u', 'r')
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
if r[1] and (r[1] ~= '1' or (r[3] ~= ARGV[2] and tonumber(r[4]) > now)) then
	return {0, tonumber(r[1]), r[2], r[5] or ''}
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 's', '1', 'f', ARGV[1], 'o', ARGV[2], 'u', string.format('%.0f', now + ARGV[3]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {1}
`)

// Claim is that of [store.Idempotency].
func (r *records) Claim(ctx context.Context, id store.RecordID, fingerprint [32]byte, owner string, lease time.Duration) (store.Record, bool, error) {
	if lease <= 0 {
		return store.Record{}, false, errLease
	}
	list, err := run(ctx, r.client, claimScript, r.key(id), fingerprint[:], owner, micros(lease), millis(lease+grace))
	if err != nil {
		return store.Record{}, false, err
	}
	claimed, err := number(list, 0)
	if err != nil {
		return store.Record{}, false, err
	}
	if claimed == 1 {
		return store.Record{State: store.InProgress, Fingerprint: fingerprint}, true, nil
	}
	record, err := readRecord(list)
	return record, false, err
}

func readRecord(list []any) (store.Record, error) {
	state, err := number(list, 1)
	if err != nil {
		return store.Record{}, err
	}
	fingerprint, err := text(list, 2)
	if err != nil || len(fingerprint) != 32 {
		return store.Record{}, errReply
	}
	out := store.Record{State: store.RecordState(state)}
	copy(out.Fingerprint[:], fingerprint)
	switch out.State {
	case store.InProgress, store.Spent:
		return out, nil
	case store.Completed:
		result, err := text(list, 3)
		if err != nil {
			return store.Record{}, err
		}
		out.Result, err = readResult([]byte(result))
		return out, err
	}
	return store.Record{}, errReply
}

// micros is a time in µs, one at least.
func micros(d time.Duration) int64 { return max(1, d.Microseconds()) }

// change is a step of an owner: a script that answers 1 when it was made, and 0 when the
// record is not in progress, or not the owner's, which is its first argument.
func (r *records) change(ctx context.Context, s *script, id store.RecordID, args ...any) error {
	list, err := run(ctx, r.client, s, r.key(id), args...)
	if err != nil {
		return err
	}
	switch done, err := number(list, 0); {
	case err != nil:
		return err
	case done != 1:
		return store.ErrNotOwner
	}
	return nil
}

// owned begins the scripts of owners. What is in no such record is nobody's.
const owned = `
local r = redis.call('HMGET', KEYS[1], 's', 'o')
if r[1] ~= '1' or r[2] ~= ARGV[1] then
	return {0}
end
`

var (
	extendScript = newScript(owned + `
local t = redis.call('TIME')
redis.call('HSET', KEYS[1], 'u', string.format('%.0f', t[1] * 1000000 + t[2] + ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {1}
`)
	completeScript = newScript(owned + `
redis.call('HSET', KEYS[1], 's', '2', 'r', ARGV[3])
redis.call('HDEL', KEYS[1], 'o', 'u')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1}
`)
	spendScript = newScript(owned + `
redis.call('HSET', KEYS[1], 's', '3')
redis.call('HDEL', KEYS[1], 'o', 'u')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1}
`)
	releaseScript = newScript(owned + `
redis.call('DEL', KEYS[1])
return {1}
`)
)

// Extend is that of [store.Idempotency].
func (r *records) Extend(ctx context.Context, id store.RecordID, owner string, lease time.Duration) error {
	if lease <= 0 {
		return errLease
	}
	return r.change(ctx, extendScript, id, owner, micros(lease), millis(lease+grace))
}

// Complete is that of [store.Idempotency].
func (r *records) Complete(ctx context.Context, id store.RecordID, owner string, result store.Result, ttl time.Duration) error {
	return r.change(ctx, completeScript, id, owner, millis(ttl), writeResult(result))
}

// Spend is that of [store.Idempotency].
func (r *records) Spend(ctx context.Context, id store.RecordID, owner string, ttl time.Duration) error {
	return r.change(ctx, spendScript, id, owner, millis(ttl))
}

// Release is that of [store.Idempotency].
func (r *records) Release(ctx context.Context, id store.RecordID, owner string) error {
	return r.change(ctx, releaseScript, id, owner)
}
