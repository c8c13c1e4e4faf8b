package redisstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// errNoLease: there are too many leases already.
var errNoLease = errors.New("redisstore: too many leases")

const (
	// leaseTime is how long tokens may lie unused with an instance before they are given
	// back. It is short, for others are refused meanwhile what nobody uses.
	leaseTime = 100 * time.Millisecond
	// maxLeases bounds the buckets that have one; the others take their tokens one by one.
	maxLeases = 4096
	// maxNeed bounds the tokens that are fetched for those who wait.
	maxNeed = 1 << 20
)

// leases are tokens of buckets that are much used, fetched some at a time.
//
// A bucket of the generic cell rate algorithm is a line of time: each token that was taken
// is a slot of one interval on it, and the bucket is full where the line ends. The slots of
// two tokens never overlap. A token that is used before its slot has begun was taken no
// earlier than where it counts, so no time sees more than the burst and the rate in it,
// however many instances hold tokens; one whose slot has begun is not used any more. Of a
// bucket that is full the slots begin at once: there tokens are lost while none is scarce.
// Where many are taken the slots lie ahead, and nothing is lost.
type leases struct {
	ask     func(context.Context, *step) error
	changed func(key string) // a bucket was given something back
	most    int              // tokens beyond those that somebody waits for

	mu   sync.Mutex
	held map[leaseID]*lease
}

func newLeases(most int, ask func(context.Context, *step) error, changed func(key string)) *leases {
	return &leases{ask: ask, changed: changed, most: most, held: map[leaseID]*lease{}}
}

// leaseID is a bucket: its key and its numbers, which are µs.
type leaseID struct {
	key             string
	interval, depth int64
}

// lease is what an instance holds of one bucket.
type lease struct {
	leaseID

	parts    []part
	extra    int // tokens to fetch beyond those that are waited for
	waiting  []*waiter
	fetching bool
	ends     *time.Timer
	state    ratelimit.State // of the bucket at the last fetch
	fetched  time.Time
}

// part is the tokens of one fetch. Their slots are the last ones before the moment end: in
// µs of the server and, counted from before it was asked, on this instance's clock.
type part struct {
	left, used int
	end        int64
	until      time.Time
	give       time.Time // back, what is left then
}

// waiter is a caller for whom tokens are fetched.
type waiter struct {
	n    int
	done chan struct{}
	out  leaseAnswer
}

// leaseAnswer is the end of a wait.
type leaseAnswer struct {
	receipt int64
	wait    time.Duration
	ok      bool
	err     error
	state   ratelimit.State
}

// use decides from the tokens that are held; it is false where they do not suffice.
func (l *leases) use(id leaseID, d *ratelimit.Demand) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.held[id]
	if e == nil || len(e.waiting) > 0 {
		return false
	}
	now := time.Now()
	receipt, ok := e.use(now, d.N)
	if ok {
		d.State, d.Receipt = e.describe(now), receipt
	}
	return ok
}

// describe adds what is held of a bucket to the state that the server has told.
func (l *leases) describe(id leaseID, s *ratelimit.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.held[id]
	if e == nil {
		return
	}
	held := e.count(time.Now())
	s.Remaining = int(min(e.depth/e.interval, int64(s.Remaining)+held))
	s.Reset = max(0, s.Reset-time.Duration(held*e.interval)*time.Microsecond)
}

// drop forgets what is held of a bucket that owes tokens now.
func (l *leases) drop(id leaseID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.held[id]; e != nil {
		e.parts, e.extra = nil, 0
	}
}

// take decides by a fetch, in which those who wait for the same bucket are together.
func (l *leases) take(ctx context.Context, id leaseID, d *ratelimit.Demand) (time.Duration, bool, error) {
	l.mu.Lock()
	e := l.held[id]
	if e == nil {
		if len(l.held) >= maxLeases {
			l.mu.Unlock()
			return 0, false, errNoLease
		}
		e = &lease{leaseID: id}
		l.held[id] = e
	}
	w := &waiter{n: d.N, done: make(chan struct{})}
	e.waiting = append(e.waiting, w)
	if !e.fetching {
		e.fetching = true
		go l.fetch(context.WithoutCancel(ctx), e)
	}
	l.mu.Unlock()
	select {
	case <-w.done:
	case <-ctx.Done():
		l.leave(e, w)
		return 0, false, failure(ctx, ctx.Err())
	}
	d.State, d.Receipt = w.out.state, w.out.receipt
	return w.out.wait, w.out.ok, w.out.err
}

// leave takes a caller out who does not wait any more. What it has got meanwhile is lost:
// the limit is stricter by that.
func (l *leases) leave(e *lease, w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range e.waiting {
		if e.waiting[i] == w {
			e.waiting = append(e.waiting[:i], e.waiting[i+1:]...)
			return
		}
	}
}

// use takes tokens out of one part, the one that is lost first. The receipt is the end of
// the last slot that was used, by the server's clock, up to which it may be settled.
func (e *lease) use(now time.Time, n int) (receipt int64, ok bool) {
	e.prune(now)
	for i := range e.parts {
		p := &e.parts[i]
		if left := p.valid(now, e.interval); left >= n {
			p.used += n
			p.left = left - n
			return p.end - int64(p.left)*e.interval, true
		}
	}
	return 0, false
}

// prune drops what is used or lost.
func (e *lease) prune(now time.Time) {
	kept := e.parts[:0]
	for _, p := range e.parts {
		if p.valid(now, e.interval) > 0 {
			kept = append(kept, p)
		} else if p.left > 0 {
			e.extra = min(e.extra, p.used)
		}
	}
	e.parts = kept
}

// valid is how many tokens of a part are left whose slots have not begun.
func (p *part) valid(now time.Time, interval int64) int {
	ahead := p.until.Sub(now).Microseconds()
	if ahead <= 0 {
		return 0
	}
	return int(min(int64(p.left), ahead/interval))
}

// describe is the bucket's state: as it was at the last fetch, with the tokens that are
// held and the time since.
func (e *lease) describe(now time.Time) ratelimit.State {
	s := e.state
	past, held := now.Sub(e.fetched), e.count(now)
	back := past.Microseconds() / e.interval
	s.Remaining = int(min(e.depth/e.interval, int64(s.Remaining)+held+back))
	s.Reset = max(0, s.Reset-past-time.Duration(held*e.interval)*time.Microsecond)
	return s
}

// count is how many tokens are held.
func (e *lease) count(now time.Time) (n int64) {
	for i := range e.parts {
		n += int64(e.parts[i].valid(now, e.interval))
	}
	return n
}

// fetch fetches tokens until nobody waits.
func (l *leases) fetch(ctx context.Context, e *lease) {
	for {
		l.mu.Lock()
		if len(e.waiting) == 0 {
			e.fetching = false
			l.watch(e) //nolint:contextcheck // It acts after the caller has gone.
			l.mu.Unlock()
			return
		}
		first, need := e.waiting[0].n, 0
		for _, w := range e.waiting {
			need = min(maxNeed, need+w.n)
		}
		s := &step{script: leaseScript, keys: []string{e.key}, args: []any{e.interval, e.depth, first, max(first, need), e.extra}}
		l.mu.Unlock()
		asked := time.Now()
		err := l.ask(ctx, s)
		var reply [5]int64
		for i := range reply {
			if err == nil {
				reply[i], err = number(s.list, i)
			}
		}
		l.mu.Lock()
		l.serve(e, asked, reply, err)
		l.mu.Unlock()
	}
}

// serve gives those who wait what a fetch has brought. The lock is held.
func (l *leases) serve(e *lease, asked time.Time, reply [5]int64, err error) {
	now := time.Now()
	if err != nil {
		for _, w := range e.waiting {
			w.finish(leaseAnswer{err: err})
		}
		e.waiting = nil
		return
	}
	granted, wait, left, reset, end := int(reply[0]), reply[1], reply[2], reply[3], reply[4]
	e.fetched = now
	e.state = ratelimit.State{OK: granted > 0, Remaining: int(left), Reset: time.Duration(reset) * time.Microsecond}
	if granted == 0 {
		e.refuse(wait)
		return
	}
	// What is waited for is used now, by whoever waits longest; the answer says that
	// it was taken now, so no slot of it can have passed.
	rest := granted
	e.waiting = deliver(e.waiting, &rest, func(w *waiter) leaseAnswer {
		return leaseAnswer{ok: true, receipt: end - int64(rest)*e.interval, state: e.stateWith(rest)}
	})
	if rest > 0 {
		drift := reset - reset/100 // clocks differ
		e.parts = append(e.parts, part{left: rest, end: end, until: asked.Add(time.Duration(drift) * time.Microsecond), give: now.Add(leaseTime)})
	}
	e.extra = min(l.most, 2*e.extra+1)
}

// deliver serves from the first on as far as the tokens go, and returns those who wait on.
func deliver(waiting []*waiter, rest *int, answer func(*waiter) leaseAnswer) []*waiter {
	for i, w := range waiting {
		if w.n > *rest {
			return waiting[i:]
		}
		*rest -= w.n
		w.finish(answer(w))
	}
	return nil
}

// stateWith is the state with so many tokens of the fetch not used.
func (e *lease) stateWith(rest int) ratelimit.State {
	s := e.state
	s.Remaining += rest
	s.Reset = max(0, s.Reset-time.Duration(int64(rest)*e.interval)*time.Microsecond)
	return s
}

// refuse ends the wait of the first, and of all who want as much or more. The wait is in
// µs, until there is what the first wants.
func (e *lease) refuse(wait int64) {
	first, kept := e.waiting[0].n, e.waiting[:0]
	for _, w := range e.waiting {
		if w.n < first {
			kept = append(kept, w)
			continue
		}
		state := e.state
		state.OK, state.Wait = false, time.Duration(wait+int64(w.n-first)*e.interval)*time.Microsecond
		w.finish(leaseAnswer{wait: state.Wait, state: state})
	}
	e.waiting = kept
}

func (w *waiter) finish(a leaseAnswer) {
	w.out = a
	close(w.done)
}

// watch sees to it that what is not used is given back, and then that nothing is left of
// the lease. The lock is held.
func (l *leases) watch(e *lease) {
	after := leaseTime
	if len(e.parts) > 0 {
		after = max(0, time.Until(e.parts[0].give))
	}
	if e.ends == nil {
		e.ends = time.AfterFunc(after, func() { l.tidy(e) })
		return
	}
	e.ends.Reset(after)
}

// tidy gives back what was not used in time, and fetches that much less from then on.
func (l *leases) tidy(e *lease) {
	now := time.Now()
	var back []*step
	l.mu.Lock()
	e.prune(now)
	kept := e.parts[:0]
	for _, p := range e.parts {
		if now.Before(p.give) {
			kept = append(kept, p)
			continue
		}
		e.extra = min(e.extra, p.used)
		cost := int64(p.valid(now, e.interval)) * e.interval
		back = append(back, &step{script: settleScript, keys: []string{e.key}, args: []any{0, e.interval, e.depth, cost, 0, p.end}})
	}
	e.parts = kept
	switch {
	case e.fetching: // it watches when it is done
	case len(kept) == 0 && now.Sub(e.fetched) >= leaseTime:
		delete(l.held, e.leaseID)
	default:
		l.watch(e)
	}
	l.mu.Unlock()
	for _, s := range back {
		if l.ask(context.Background(), s) == nil { // otherwise it comes back with the time
			l.changed(e.key)
		}
	}
}

// leaseScript takes the two numbers of a token bucket, the tokens of the first who waits,
// of all who wait, and those to hold beyond them: of these no more than half of what is
// left, for other instances want some too. It answers the tokens that were taken, or 0 and
// the µs until the first has its own; and what is left, the µs until all is back, and the
// moment of that.
var leaseScript = newScript(limitFunctions + `
local key, x, y = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local first, need, extra = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local full = bucket(key, y)
local have = math.floor((y - (full - now)) / x)
if have < first then
	return {0, full + first * x - now - y, math.max(0, have), full - now, full}
end
local n = math.min(need, have)
n = n + math.min(extra, math.floor((have - n) / 2))
full = full + n * x
bucket_set(key, full)
return {n, 0, have - n, full - now, full}
`)
