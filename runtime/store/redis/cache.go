package redisstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/redis/go-redis/v9"
)

// Defaults of a cache.
const (
	DefaultKeep         = 24 * time.Hour
	DefaultMaxEntry     = 1 << 20
	DefaultCacheTimeout = 250 * time.Millisecond
)

// Bounds of one key, for who chooses the fields of a request could fill the server through
// one address: the variants, and the bytes of all as a multiple of the largest entry.
const (
	maxVariants  = 64
	maxOfEntries = 4
)

// CacheOptions are those of a cache. Zero is the default of each.
type CacheOptions struct {
	Options

	// Keep is how long an entry is held after it was stored; how long it is fresh, or may
	// be given stale, is the cache's matter.
	Keep time.Duration
	// MaxEntry is the size in bytes past which an entry is not stored.
	MaxEntry int
	// Timeout bounds each step: who waits longer for the cache does better to ask the
	// origin.
	Timeout time.Duration
}

// NewCache keeps the answers of clients. How much it holds in all is what Redis is told:
// a server of its own with the policy allkeys-lru fits, for entries may be evicted, other
// than the records and locks of this package.
//
// What it holds are answers to callers with credentials among others: whoever reads the
// server reads them.
func NewCache(c redis.UniversalClient, o CacheOptions) (cache.Store, error) {
	prefix, err := open(c, o.Options, "cache")
	if err != nil {
		return nil, err
	}
	if o.Keep < 0 || o.MaxEntry < 0 || o.Timeout < 0 {
		return nil, fmt.Errorf("redisstore: a cache with Keep %s, MaxEntry %d, Timeout %s", o.Keep, o.MaxEntry, o.Timeout)
	}
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	if o.MaxEntry == 0 {
		o.MaxEntry = DefaultMaxEntry
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultCacheTimeout
	}
	return &entries{client: c, prefix: prefix, options: o}, nil
}

// entries implements [cache.Store]. The variants under a key are the fields of a hash. Each
// value begins with its end in ms by the server's clock.
//
// Scopes have stamps, random texts with keys of their own. An entry carries the stamps of
// all scopes that it is in, and is only there as long as they are the same: to invalidate
// a scope is to drop its stamp, whatever the number of its entries and wherever in a cluster
// they are. An entry that is stored while its scope is invalidated has read the old stamp,
// and is not there either; nor is one whose stamp was evicted.
type entries struct {
	client  redis.UniversalClient
	prefix  string
	options CacheOptions
}

// stampBytes is the length of a stamp.
const stampBytes = 26

// scopes are the keys of the stamps of the scopes that a key is in.
func (e *entries) scopes(k cache.Key) []string {
	list := []string{e.stamp(k.Resource, "", "", false), e.stamp(k.Resource, "", k.Principal, true)}
	if k.Operation != "" {
		list = append(list,
			e.stamp("", k.Operation, "", false), e.stamp("", k.Operation, k.Principal, true),
			e.stamp(k.Resource, k.Operation, "", false), e.stamp(k.Resource, k.Operation, k.Principal, true))
	}
	return list
}

// stamp is the key of the stamp of one scope.
func (e *entries) stamp(resource, operation, principal string, ofPrincipal bool) string {
	parts := []string{resource, operation}
	if ofPrincipal {
		parts = append(parts, principal)
	}
	return e.prefix + "{s" + name(parts...) + "}"
}

func (e *entries) key(k cache.Key) []string {
	return []string{e.prefix + "{" + name(k.Resource, k.Operation, k.Principal, k.Rest) + "}"}
}

// variant is the field of an entry.
func variant(entry *cache.Entry) string {
	parts := make([]string, 0, 2*len(entry.Vary))
	for _, s := range entry.Vary {
		parts = append(parts, s.Name, s.Value)
	}
	return name(parts...)
}

// within is a context with the time of one step.
func (e *entries) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, e.options.Timeout)
}

// getScript answers the entries that have not ended, as they were put.
//
//nolint:dupword // Blocks of Lua end with that word.
var getScript = newScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local out = {}
for _, v in ipairs(redis.call('HVALS', KEYS[1])) do
	if tonumber(string.sub(v, 1, 13)) > now then
		out[#out + 1] = string.sub(v, 14)
	end
end
return out
`)

// readStampScript answers a stamp, or an empty text.
var readStampScript = newScript(`
return {redis.call('GET', KEYS[1]) or ''}
`)

// Get is that of [cache.Store]. What cannot be read is as if it were not there.
func (e *entries) Get(ctx context.Context, k cache.Key) ([]*cache.Entry, error) {
	ctx, cancel := e.within(ctx)
	defer cancel()
	get := &step{script: getScript, keys: e.key(k)}
	stamps, err := e.stamps(ctx, k, readStampScript, nil, get)
	if err == nil {
		err = get.err
	}
	if err != nil {
		return nil, err
	}
	var out []*cache.Entry
	for i := range get.list {
		v, err := text(get.list, i)
		if err != nil {
			return nil, err
		}
		body, same := strings.CutPrefix(v, stamps)
		entry := new(cache.Entry)
		if same && entry.UnmarshalBinary([]byte(body)) == nil {
			out = append(out, entry)
		}
	}
	return out, nil
}

// stamps runs a script over all stamps of a key, with another step beside them, and joins
// them.
func (e *entries) stamps(ctx context.Context, k cache.Key, s *script, args func() []any, beside ...*step) (string, error) {
	var steps []*step
	for _, key := range e.scopes(k) {
		one := &step{script: s, keys: []string{key}}
		if args != nil {
			one.args = args()
		}
		steps = append(steps, one)
	}
	runAll(ctx, e.client, append(beside, steps...))
	var b strings.Builder
	for _, one := range steps {
		if one.err != nil {
			return "", one.err
		}
		stamp, err := text(one.list, 0)
		if err != nil {
			return "", err
		}
		if len(stamp) != stampBytes {
			// There is none, and no entry has less than all.
			stamp = strings.Repeat("-", stampBytes)
		}
		b.WriteString(stamp)
	}
	return b.String(), nil
}

// stampScript answers a stamp, or sets the one that it is given, and lets it outlive the
// entries that carry it. It takes its life in ms.
var stampScript = newScript(`
local stamp = redis.call('GET', KEYS[1])
if not stamp then
	stamp = ARGV[1]
end
redis.call('SET', KEYS[1], stamp, 'PX', ARGV[2])
return {stamp}
`)

// putScript takes the field, the stamps, the entry, how long it is kept in ms, and the
// bounds of the key: variants and bytes. What has ended goes, and what was put first, until
// there is room.
//
//nolint:dupword // Blocks of Lua end with that word.
var putScript = newScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('HDEL', KEYS[1], ARGV[1])
local all = redis.call('HGETALL', KEYS[1])
local held, bytes = {}, #ARGV[2] + #ARGV[3]
for i = 1, #all, 2 do
	local ends = tonumber(string.sub(all[i + 1], 1, 13))
	if ends <= now then
		redis.call('HDEL', KEYS[1], all[i])
	else
		held[#held + 1] = {all[i], ends, #all[i + 1]}
		bytes = bytes + #all[i + 1]
	end
end
table.sort(held, function(a, b) return a[2] < b[2] end)
for i = 1, #held do
	if #held - i + 1 < tonumber(ARGV[5]) and bytes <= tonumber(ARGV[6]) then
		break
	end
	redis.call('HDEL', KEYS[1], held[i][1])
	bytes = bytes - held[i][3]
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%013.0f', now + ARGV[4]) .. ARGV[2] .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {1}
`)

// stampLife is how much longer a stamp lives than the entries that carry it.
const stampLife = time.Hour

// Put is that of [cache.Store]. What is larger than MaxEntry is not kept, nor is what
// it would replace.
func (e *entries) Put(ctx context.Context, k cache.Key, entry *cache.Entry) error {
	body, err := entry.MarshalBinary()
	if err != nil {
		return err
	}
	if len(body) > e.options.MaxEntry {
		return e.Remove(ctx, k, entry)
	}
	ctx, cancel := e.within(ctx)
	defer cancel()
	life := millis(e.options.Keep + stampLife)
	stamps, err := e.stamps(ctx, k, stampScript, func() []any { return []any{rand.Text(), life} })
	if err != nil {
		return err
	}
	_, err = run(ctx, e.client, putScript, e.key(k), variant(entry), stamps, body, millis(e.options.Keep), maxVariants, maxOfEntries*e.options.MaxEntry)
	return err
}

// Remove is that of [cache.Store].
func (e *entries) Remove(ctx context.Context, k cache.Key, entry *cache.Entry) error {
	ctx, cancel := e.within(ctx)
	defer cancel()
	return failure(ctx, e.client.HDel(ctx, e.key(k)[0], variant(entry)).Err())
}

// Invalidate is that of [cache.Store]. It cannot ask s.Matches or look at s.Fields, and
// drops all that the rest of the scope says.
func (e *entries) Invalidate(ctx context.Context, s cache.Scope) error {
	if s.Resource == "" && s.Operation == "" {
		return nil
	}
	ctx, cancel := e.within(ctx)
	defer cancel()
	return failure(ctx, e.client.Del(ctx, e.stamp(s.Resource, s.Operation, s.Principal, s.OfPrincipal)).Err())
}
