package redisstore

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// ask is what a caller wants of one token bucket, and what came of it.
type ask struct {
	id      bucketID
	n       int
	state   ratelimit.State
	receipt int64
}

// bunch is the callers in one trip who want tokens of the same bucket: one script decides
// about all of them, one after the other as they came.
type bunch struct {
	step
	bucketKey

	tickets []*ticket
}

// tokensScript takes the two numbers of a token bucket, the tokens to lease beyond those
// that are waited for, how many µs ahead those have to be good for, the number of leases
// that go back and two numbers for each, see [leases.want], and the tokens of each caller.
// Of a lease that goes back time may have brought back a part already. A lease takes no
// more than half of what is left, for other instances want some too. The script answers how many µs the bucket was from being full, the tokens that were
// leased, the moment at which it is full now, and the present one. Who got what follows
// from that.
//
//nolint:dupword // Blocks of Lua end with that word.
var tokensScript = newScript(`
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local x, y = tonumber(ARGV[1]), tonumber(ARGV[2])
local old = tonumber(redis.call('GET', KEYS[1]) or '0')
local full = math.min(math.max(now, old), now + 2 * y)
local tail = 6 + 2 * ARGV[5]
for i = 6, tail - 1, 2 do
	full = full - math.max(0, math.min(tonumber(ARGV[i]), ARGV[i + 1] - now))
end
full = math.max(now, full)
local before = full
for i = tail, #ARGV do
	local cost = ARGV[i] * x
	if full + cost - now <= y then full = full + cost end
end
local more = 0
if ARGV[3] ~= '0' then
	local from = math.max(full, now + ARGV[4])
	more = math.max(0, math.min(tonumber(ARGV[3]), math.floor((y - (from - now)) / x / 2)))
	if more > 0 then full = from + more * x end
end
if full > now and full ~= old then
	redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', string.format('%.0f', math.ceil((full - now) / 1000) + 1))
elseif full <= now and old > 0 then
	redis.call('DEL', KEYS[1])
end
return {before - now, more, full, now}
`)

// bunches are the steps of a trip, those for the same bucket as one.
func (b *batch) bunches(tickets []*ticket) (steps []*step, all []*bunch) {
	of := map[bucketID]*bunch{}
	for _, t := range tickets {
		if t.ask == nil {
			steps = append(steps, t.step)
			continue
		}
		if b.leases != nil && b.leases.use(t.ask, true) {
			continue // the trip before has brought it
		}
		n := of[t.ask.id]
		if n == nil {
			n = &bunch{}
			of[t.ask.id] = n
			all = append(all, n)
		}
		n.tickets = append(n.tickets, t)
	}
	for _, n := range all {
		b.prepare(n)
		steps = append(steps, &n.step)
	}
	return steps, all
}

// prepare makes the step of a bunch.
func (b *batch) prepare(n *bunch) {
	id := n.tickets[0].ask.id
	args, _ := numbers(id.rate, 0)
	n.bucketKey = bucketKey{b.key(id), args[1], args[2]}
	more, back := 0, []any(nil)
	if b.leases != nil {
		callers := 0
		for _, t := range n.tickets {
			callers += min(1, t.ask.n)
		}
		more, back = b.leases.want(id, n.bucketKey, callers)
	}
	ahead := min(leaseAhead.Microseconds(), n.depth/4)
	list := append(make([]any, 0, 5+len(back)+len(n.tickets)), n.interval, n.depth, more, ahead, len(back)/2)
	list = append(list, back...)
	for _, t := range n.tickets {
		list = append(list, t.ask.n)
	}
	n.step = step{script: tokensScript, keys: []string{n.name}, args: list}
}

// share gives each caller its part of the answer to what was sent at a moment. It does the
// same sums as the script.
func (n *bunch) share(l *leases, asked time.Time) {
	var reply [4]int64
	err := n.err
	for i := range reply {
		if err == nil {
			reply[i], err = number(n.list, i)
		}
	}
	full, more, end, now := reply[0], reply[1], reply[2], reply[3]
	var state ratelimit.State
	for _, t := range n.tickets {
		if t.err = err; err != nil {
			continue
		}
		cost := int64(t.ask.n) * n.interval
		state = ratelimit.State{OK: full+cost <= n.depth}
		if state.OK {
			full += cost
		} else {
			state.Wait = time.Duration(full+cost-n.depth) * time.Microsecond
		}
		state.Remaining = int(max(0, n.depth-full) / n.interval)
		state.Reset = time.Duration(full) * time.Microsecond
		t.ask.state, t.ask.receipt = state, now+full
	}
	if l != nil && err == nil {
		full = end - now
		state.Remaining, state.Reset = int(max(0, n.depth-full)/n.interval), time.Duration(full)*time.Microsecond
		l.put(n.tickets[0].ask.id, asked, state, int(more), end, end-now)
	}
}
