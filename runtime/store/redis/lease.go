package redisstore

import (
	"context"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

const (
	// leaseTime is how long tokens may lie unused with an instance before they are given
	// back. It is short, for others are refused meanwhile what nobody uses.
	leaseTime = 100 * time.Millisecond
	// leaseAhead is how long the tokens of a lease are good for where the bucket is full:
	// so much of the burst is given up for it, a quarter at most.
	leaseAhead = 20 * time.Millisecond
	// maxLeases bounds the buckets that have one; the others take their tokens one by one.
	maxLeases = 4096
)

// leases are tokens of buckets that are much used, fetched beyond those that somebody waits
// for.
//
// A bucket of the generic cell rate algorithm is a line of time: each token that was taken
// is a slot of one interval on it, and the bucket is full where the line ends. The slots of
// two tokens never overlap. A token that is used before its slot has begun was taken no
// earlier than where it counts, so no stretch of time sees more than the burst and the rate
// in it, however many instances hold tokens; one whose slot has begun is not used any more.
// Of a bucket that is full the slots would begin at once; those of a lease begin leaseAhead
// later, as if the bucket were fuller by that.
type leases struct {
	ask     func(context.Context, *step) error
	changed func(key string) // a bucket was given something back
	most    int              // tokens beyond those for each who waits

	mu   sync.Mutex
	held map[bucketID]*lease
}

func newLeases(most int, ask func(context.Context, *step) error, changed func(key string)) *leases {
	return &leases{ask: ask, changed: changed, most: most, held: map[bucketID]*lease{}}
}

// bucketID is a bucket as callers name it.
type bucketID struct {
	group, bucket, key string
	rate               policy.Rate
}

// lease is what an instance holds of one bucket.
type lease struct {
	bucketID
	bucketKey

	parts   []part
	extra   int // tokens to fetch beyond those that are waited for
	callers int // who waited from the fetch before the last to the last
	waited  int // those of them that tokens of the last fetch were left for
	fetched time.Time
	state   ratelimit.State // of the bucket then
	ends    *time.Timer
}

// bucketKey is a bucket as the server has it: its key and its numbers, which are µs.
type bucketKey struct {
	name            string
	interval, depth int64
}

// part is the tokens of one fetch. Their slots are the last ones before the moment end: in
// µs of the server and, counted from before it was asked, on this instance's clock.
type part struct {
	left, used int
	end        int64
	until      time.Time
	give       time.Time // back, what is left then
}

// use decides from the tokens that are held, for a caller who has waited for a trip or not;
// it is false where they do not suffice.
func (l *leases) use(a *ask, waited bool) bool {
	if a.n < 1 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.held[a.id]
	if e == nil || len(e.parts) == 0 {
		return false
	}
	now := time.Now()
	receipt, ok := e.use(now, a.n)
	if ok {
		a.state, a.receipt = e.describe(now), receipt
		if waited {
			e.waited++
		}
	}
	return ok
}

// use takes tokens out of one part, those that are lost first. The receipt is the end of
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

// prune drops what is used or lost. Where it is lost, less is fetched from then on.
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
	if p.left == 0 || ahead <= 0 {
		return 0
	}
	return int(min(int64(p.left), ahead/interval))
}

// describe is the bucket's state: as it was at the last fetch, with the tokens that are
// held and the time since.
func (e *lease) describe(now time.Time) ratelimit.State {
	s := e.state
	past, held := now.Sub(e.fetched), e.count(now)
	s.Remaining = int(min(e.depth/e.interval, int64(s.Remaining)+held+past.Microseconds()/e.interval))
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

// giveBack gives back what is held of a bucket that owes tokens now.
func (l *leases) giveBack(ctx context.Context, id bucketID) {
	l.mu.Lock()
	e := l.held[id]
	if e == nil {
		l.mu.Unlock()
		return
	}
	back := e.release(time.Now(), func(part) bool { return true })
	e.extra = 0
	l.mu.Unlock()
	l.send(ctx, e, back)
}

// release takes parts out, and makes the steps that give them back. The lock is held.
func (e *lease) release(now time.Time, which func(part) bool) (back []*step) {
	e.prune(now)
	kept := e.parts[:0]
	for _, p := range e.parts {
		if !which(p) {
			kept = append(kept, p)
			continue
		}
		e.extra = min(e.extra, p.used)
		cost := int64(p.valid(now, e.interval)) * e.interval
		back = append(back, &step{script: settleScript, keys: []string{e.name}, args: []any{0, e.interval, e.depth, cost, 0, p.end}})
	}
	e.parts = kept
	return back
}

// send gives back. What cannot be is there again with the time.
func (l *leases) send(ctx context.Context, e *lease, back []*step) {
	for _, s := range back {
		if l.ask(ctx, s) == nil {
			l.changed(e.name)
		}
	}
}

// want is how many tokens to fetch beyond those that so many callers wait for: none of a
// bucket that is seldom used, and the more the faster they were used. What is held does not
// suffice for those callers, and goes back: two numbers for each part, the time of its
// tokens and the end of their slots.
func (l *leases) want(id bucketID, key bucketKey, callers int) (more int, back []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	e := l.held[id]
	if e == nil {
		if len(l.held) >= maxLeases {
			l.sweep(now)
		}
		if len(l.held) < maxLeases && callers > 0 {
			l.held[id] = &lease{bucketID: id, bucketKey: key, fetched: now}
		}
		return 0, nil
	}
	e.prune(now)
	for i := range e.parts {
		back = append(back, int64(e.parts[i].valid(now, e.interval))*e.interval, e.parts[i].end)
	}
	e.parts = e.parts[:0]
	if callers == 0 {
		return 0, back
	}
	callers, e.waited = callers+e.waited, 0
	switch {
	case now.Sub(e.fetched) > leaseTime:
		e.extra = 0
	default:
		// The first to find nothing goes alone, and the others come while it is away.
		e.extra = min(l.most*max(callers, e.callers), 2*e.extra+1)
	}
	e.callers = callers
	return e.extra, back
}

// sweep forgets buckets that were not used lately. The lock is held.
func (l *leases) sweep(now time.Time) {
	for id, e := range l.held {
		if len(e.parts) == 0 && now.Sub(e.fetched) > leaseTime {
			delete(l.held, id)
		}
	}
}

// put keeps what a fetch has brought that was sent at a moment: the bucket's state without
// it, n tokens, the end of their slots and the µs until then.
func (l *leases) put(id bucketID, asked time.Time, s ratelimit.State, n int, end, ahead int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.held[id]
	if e == nil {
		return // they are lost; the limit is stricter by that
	}
	now := time.Now()
	e.fetched, e.state = now, s
	e.state.OK, e.state.Wait = true, 0
	if n == 0 {
		return
	}
	// Clocks differ.
	until := asked.Add(time.Duration(ahead-ahead/100) * time.Microsecond)
	e.parts = append(e.parts, part{left: n, end: end, until: until, give: now.Add(leaseTime)})
	l.watch(e)
}

// watch sees to it that what is not used is given back. The lock is held.
func (l *leases) watch(e *lease) {
	switch {
	case e.ends == nil:
		e.ends = time.AfterFunc(leaseTime, func() { l.tidy(e) })
	case len(e.parts) == 1:
		e.ends.Reset(time.Until(e.parts[0].give))
	}
}

// tidy gives back what was not used in time, and forgets buckets that are not used.
func (l *leases) tidy(e *lease) {
	now := time.Now()
	l.mu.Lock()
	back := e.release(now, func(p part) bool { return !now.Before(p.give) })
	switch {
	case len(e.parts) > 0:
		e.ends.Reset(time.Until(e.parts[0].give))
	case now.Sub(e.fetched) > leaseTime && l.held[e.bucketID] == e:
		delete(l.held, e.bucketID)
	}
	l.mu.Unlock()
	l.send(context.Background(), e, back)
}
