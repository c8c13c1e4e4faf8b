package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/redis/go-redis/v9"
)

// DefaultNodeTimeout bounds what one node of a Redlock takes where nothing else is said.
const DefaultNodeTimeout = 250 * time.Millisecond

// RedlockOptions are those of [NewRedlock]. Zero is the default of each.
type RedlockOptions struct {
	Options

	// NodeTimeout bounds each question to one node, so that one that hangs costs no
	// more; a quorum that answers does not wait for it at all.
	NodeTimeout time.Duration
}

// NewRedlock is a backend of locks over several servers of Redis that do not know of each
// other, three or more: who has a lock at more than half of them holds it. It goes on
// while fewer than half are down or forget everything. It is the algorithm of
// https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/, and beyond it
// has fences: a second round writes the highest of those that the nodes have given to more
// than half of them, before the lock is taken to be held, so that of two holders the later
// one has the larger fence as long as more than half of the servers remember.
//
// A holder has a lock from before the first node was asked, less 1 % for clocks that run
// apart; where that time is over when the quorum is there, the lock was not taken.
func NewRedlock(nodes []redis.UniversalClient, o RedlockOptions) (lock.Backend, error) {
	if len(nodes) < 3 {
		return nil, fmt.Errorf("redisstore: a lock over %d servers, want three or more", len(nodes))
	}
	if o.NodeTimeout < 0 {
		return nil, fmt.Errorf("redisstore: a lock with NodeTimeout %s", o.NodeTimeout)
	}
	if o.NodeTimeout == 0 {
		o.NodeTimeout = DefaultNodeTimeout
	}
	r := &redlock{quorum: len(nodes)/2 + 1, timeout: o.NodeTimeout, late: map[string][]chan struct{}{}, failed: make([]time.Time, len(nodes))}
	seen := map[redis.UniversalClient]bool{}
	for _, c := range nodes {
		prefix, err := open(c, o.Options, "lock")
		if err != nil {
			return nil, err
		}
		if seen[c] {
			return nil, errors.New("redisstore: a server stands twice among those of a lock")
		}
		seen[c] = true
		r.nodes = append(r.nodes, openLocks(c, prefix, attemptLen))
	}
	return r, nil
}

// redlock implements [lock.Backend].
type redlock struct {
	nodes   []*locks
	quorum  int
	timeout time.Duration

	mu sync.Mutex
	// failed is when each node failed last.
	failed []time.Time
	// late are the answers to an acquire that nobody waits for any more, by the lock and
	// its owner, one for each node: a release goes after it, not before.
	late map[string][]chan struct{}
}

// vote is what one node has said.
type vote struct {
	node   int
	fence  int64
	holder string
	err    error
}

// poll asks nodes at once, each within the time of one, and gives their votes until enough
// says so. The rest are left alone; done is closed for each node that has answered.
func (r *redlock) poll(ctx context.Context, nodes []int, ask func(context.Context, *locks) vote, done []chan struct{}, enough func(vote) bool) {
	votes := make(chan vote, len(nodes))
	for _, i := range nodes {
		go func() {
			// What was begun is carried through, also where others have decided already.
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.timeout)
			defer cancel()
			v := ask(bounded, r.nodes[i])
			v.node = i
			r.note(v)
			if done != nil {
				close(done[i])
			}
			votes <- v
		}()
	}
	for range nodes {
		select {
		case v := <-votes:
			if enough(v) {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// note remembers which nodes fail.
func (r *redlock) note(v vote) {
	if v.err == nil || errors.Is(v.err, lock.ErrNotOwner) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed[v.node] = time.Now()
}

// all are the indices of the nodes.
func (r *redlock) all() []int {
	list := make([]int, len(r.nodes))
	for i := range list {
		list[i] = i
	}
	return list
}

// order is all, with those last that failed a moment ago.
func (r *redlock) order() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var good, bad []int
	for i, at := range r.failed {
		if time.Since(at) < pause {
			bad = append(bad, i)
		} else {
			good = append(good, i)
		}
	}
	return append(good, bad...)
}

// Callers who ask at the same time can have a part of the nodes each, and none a quorum.
// Then each tries again after a little while, and asks one node before the others, which
// all do in the same order.
const (
	splitTries = 10
	splitPause = 10 * time.Millisecond
	// attemptLen is the length of the name of an attempt. A release that comes late must
	// not free what a later attempt of the same owner was given.
	attemptLen = 16
)

// Acquire is that of [lock.Backend].
func (r *redlock) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (fence int64, ok bool, err error) {
	if ttl <= 0 {
		return 0, false, fmt.Errorf("redisstore: a lock with a life of %s", ttl)
	}
	for try := range splitTries {
		if err := ctx.Err(); err != nil {
			return 0, false, failure(ctx, err)
		}
		e := r.elect(ctx, key, owner, ttl, try > 0)
		if e.fence != 0 || !e.split {
			return e.fence, e.fence != 0, e.err
		}
		select {
		case <-time.After(time.Duration(mathrand.Int64N(int64(splitPause)))): //nolint:gosec // It spreads, and protects nothing.
		case <-ctx.Done():
		}
	}
	return 0, false, nil
}

// election is one attempt to get a lock.
type election struct {
	fence   int64 // above zero for who has won
	split   bool  // nobody may have
	granted []int
	holders map[string]int // with how many nodes each
	refused int
	failed  []error
	err     error
}

// count takes a vote.
func (e *election) count(v vote) {
	switch {
	case v.err != nil:
		e.failed = append(e.failed, v.err)
	case v.fence > 0:
		e.granted = append(e.granted, v.node)
		e.fence = max(e.fence, v.fence)
	default:
		e.refused++
		e.holders[v.holder]++
	}
}

// elect asks for the lock, and frees what it has got where that does not suffice.
func (r *redlock) elect(ctx context.Context, key, owner string, ttl time.Duration, ordered bool) *election {
	began := time.Now()
	attempt := rand.Text()[:attemptLen]
	e, done := &election{holders: map[string]int{}}, make([]chan struct{}, len(r.nodes))
	for i := range done {
		done[i] = make(chan struct{})
	}
	r.remember(lateID(key, owner), done)
	ask := func(ctx context.Context, l *locks) (v vote) {
		v.fence, v.holder, v.err = l.acquire(ctx, key, owner, attempt, ttl)
		v.holder = v.holder[:max(0, len(v.holder)-attemptLen)]
		return v
	}
	rest := r.all()
	if ordered {
		rest = r.first(ctx, ask, done, e)
	}
	if len(rest) > 0 {
		r.poll(ctx, rest, ask, done, func(v vote) bool {
			e.count(v)
			return len(e.granted) >= r.quorum || len(r.nodes)-e.refused-len(e.failed) < r.quorum
		})
	}
	err := ctx.Err()
	if err == nil && len(e.granted) >= r.quorum {
		if err = r.settle(ctx, key, owner, ttl, began, e); err == nil {
			return e
		}
	}
	r.free(ctx, done, key, owner+attempt)
	e.fence, e.split, e.err = 0, err == nil && e.refused > 0, failure(ctx, err)
	for _, n := range e.holders {
		e.split = e.split && n < r.quorum
	}
	if err == nil && len(e.failed) > len(r.nodes)-r.quorum {
		e.split, e.err = false, fmt.Errorf("redisstore: no quorum of %d servers: %w", len(r.nodes), errors.Join(e.failed...))
	}
	return e
}

// free releases what an attempt has got. What is not freed ends by itself. Nobody whose
// context has ended waits for it.
func (r *redlock) free(ctx context.Context, done []chan struct{}, key, holder string) {
	free := func() {
		_ = r.release(context.WithoutCancel(ctx), done, func(ctx context.Context, l *locks) error {
			return l.changeIf(ctx, releaseLockScript, key, holder, 0)
		})
	}
	if ctx.Err() != nil {
		go free()
		return
	}
	free()
}

// first asks one node after another until one decides; who is refused there asks no more.
// It returns those that are to be asked yet.
func (r *redlock) first(ctx context.Context, ask func(context.Context, *locks) vote, done []chan struct{}, e *election) []int {
	order := r.order()
	for n, i := range order {
		decided := ctx.Err() != nil
		r.poll(ctx, []int{i}, ask, done, func(v vote) bool {
			e.count(v)
			decided = v.err == nil
			return true
		})
		switch {
		case !decided && ctx.Err() == nil:
		case len(e.granted) > 0:
			return order[n+1:]
		default:
			for _, never := range order[n+1:] {
				close(done[never])
			}
			return nil
		}
	}
	return nil
}

// settle is the second round: the highest fence goes to all who have granted the lock. It
// is an error where that is no quorum, or the lock's life is nearly over by then.
func (r *redlock) settle(ctx context.Context, key, owner string, ttl time.Duration, began time.Time, e *election) error {
	written, failed := 0, []error(nil)
	r.poll(ctx, e.granted, func(ctx context.Context, l *locks) vote {
		return vote{err: l.change(ctx, fenceScript, key, owner, e.fence, millis(ttl+fenceLife))}
	}, nil, func(v vote) bool {
		if v.err == nil {
			written++
		} else {
			failed = append(failed, v.err)
		}
		return written >= r.quorum
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case written < r.quorum:
		return fmt.Errorf("redisstore: the fence is with %d of %d servers: %w", written, len(r.nodes), errors.Join(failed...))
	case time.Since(began) >= ttl-ttl/100:
		return fmt.Errorf("redisstore: a lock's life of %s was over before a quorum had given it", ttl)
	}
	return nil
}

// fenceScript takes the owner, a fence and its life in ms: that of a node never sinks.
var fenceScript = newScript(held + `
local fence = math.max(tonumber(redis.call('GET', KEYS[2]) or '0'), tonumber(ARGV[3]))
redis.call('SET', KEYS[2], string.format('%.0f', fence), 'PX', ARGV[4])
return {1}
`)

// remember keeps the answers of an acquire until all are there.
func (r *redlock) remember(id string, done []chan struct{}) {
	r.mu.Lock()
	r.late[id] = done
	r.mu.Unlock()
	go func() {
		for _, d := range done {
			<-d
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if late := r.late[id]; len(late) > 0 && &late[0] == &done[0] { // not of a later one
			delete(r.late, id)
		}
	}()
}

// decide tells all nodes what an owner wants. What more than half of them say is the
// result; where that is neither, it is an error.
func (r *redlock) decide(ctx context.Context, do func(context.Context, *locks) vote) error {
	var yes, no int
	var failed []error
	r.poll(ctx, r.all(), do, nil, func(v vote) bool {
		switch {
		case v.err == nil:
			yes++
		case errors.Is(v.err, lock.ErrNotOwner):
			no++
		default:
			failed = append(failed, v.err)
		}
		return yes >= r.quorum || no > len(r.nodes)-r.quorum
	})
	switch {
	case yes >= r.quorum:
		return nil
	case no > len(r.nodes)-r.quorum:
		return lock.ErrNotOwner
	case ctx.Err() != nil:
		return failure(ctx, ctx.Err())
	}
	return fmt.Errorf("redisstore: no quorum of %d servers: %w", len(r.nodes), errors.Join(failed...))
}

// Extend is that of [lock.Backend].
func (r *redlock) Extend(ctx context.Context, key, owner string, ttl time.Duration) error {
	return r.decide(ctx, func(ctx context.Context, l *locks) vote {
		return vote{err: l.Extend(ctx, key, owner, ttl)}
	})
}

// Release is that of [lock.Backend].
func (r *redlock) Release(ctx context.Context, key, owner string) error {
	r.mu.Lock()
	late := r.late[lateID(key, owner)]
	r.mu.Unlock()
	return r.release(ctx, late, func(ctx context.Context, l *locks) error { return l.Release(ctx, key, owner) })
}

// release goes to all nodes, also to those that have not given the lock as far as is
// known, and to each after its acquire.
func (r *redlock) release(ctx context.Context, after []chan struct{}, free func(context.Context, *locks) error) error {
	return r.decide(ctx, func(ctx context.Context, l *locks) vote {
		if i := slices.Index(r.nodes, l); after != nil {
			select {
			case <-after[i]:
			case <-ctx.Done():
			}
		}
		return vote{err: free(ctx, l)}
	})
}

// lateID names a lock and its owner.
func lateID(key, owner string) string { return key + "\x00" + owner }
