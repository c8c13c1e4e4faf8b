package idempotency

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
)

// Guard runs the work behind a key once. It is the server's side of one
// operation and safe for concurrent use.
//
// Where the policy says within: transaction, the claim, the effect and the result are in one
// transaction of the store: there is one effect within the time to live, whatever happens.
// Otherwise the promise is: at most
// one run at a time, and after one that has succeeded no other within the time to
// live. A process that dies between the effect and the end of its run leaves a
// claim that ends with its lease; the work then runs again.
type Guard struct {
	store     store.Idempotency
	operation string
	policy    policy.Idempotency
}

// NewGuard makes the guard of an operation. The lease has to be above zero; a
// policy without one gets a minute.
func NewGuard(s store.Idempotency, operation string, p policy.Idempotency) *Guard {
	if p.Lease <= 0 {
		p.Lease = time.Minute
	}
	return &Guard{store: s, operation: operation, policy: p}
}

// Action is what a server does with a request that carries a key.
type Action uint8

// What to do with a request.
const (
	// Run the handler, then call [Claim.Finish].
	Run Action = iota
	// Replay the Result, with Idempotent-Replayed: true.
	Replay
	// InFlight: 409 with Retry-After; the first request is still running.
	InFlight
	// Mismatch: 422; the key was used for another request.
	Mismatch
	// Spent: 409 without Retry-After; the work is done, its result was not kept.
	Spent
	// Unavailable: 503; the store cannot be asked.
	Unavailable
	// Unprotected: run the handler although the store cannot be asked, as the
	// policy wants it. There is no claim.
	Unprotected
)

// ReplayedHeader marks a response that was given before.
const ReplayedHeader = "Idempotent-Replayed"

// RetryAfter is what a server sends with InFlight.
const RetryAfter = time.Second

// Decision is what [Guard.Begin] has found.
type Decision struct {
	Action Action
	// Claim is set for Run.
	Claim *Claim
	// Result is set for Replay.
	Result store.Result
	// Err is why the store could not be asked, for Unavailable and Unprotected.
	Err error
}

// Begin claims the key for a request. Scope is whose key it is.
func (g *Guard) Begin(ctx context.Context, scope, key string, fingerprint [32]byte) Decision {
	id := store.RecordID{Scope: scope, Operation: g.operation, Key: key}
	if g.Transactional() {
		return g.beginIn(ctx, id, fingerprint)
	}
	owner := NewKey()
	record, claimed, err := g.store.Claim(ctx, id, fingerprint, owner, g.policy.Lease)
	switch {
	case err != nil:
		return g.unavailable(ctx, id, owner, err)
	case claimed:
		c := &Claim{guard: g, id: id, owner: owner}
		c.beat()
		return Decision{Claim: c}
	}
	return found(record, fingerprint)
}

// found decides for a key that is taken.
func found(record store.Record, fingerprint [32]byte) Decision {
	switch {
	case record.Fingerprint != fingerprint:
		return Decision{Action: Mismatch}
	case record.State == store.Completed:
		return Decision{Action: Replay, Result: record.Result}
	case record.State == store.Spent:
		return Decision{Action: Spent}
	}
	return Decision{Action: InFlight}
}

// unavailable decides for a store that failed. The claim may have been made
// nevertheless, so it is given up; nobody else's can be hit, for the owner is
// new.
func (g *Guard) unavailable(ctx context.Context, id store.RecordID, owner string, err error) Decision {
	if !errors.Is(err, store.ErrFull) {
		bounded, cancel := detached(ctx)
		defer cancel()
		_ = g.store.Release(bounded, id, owner)
	}
	if g.policy.OnStoreError == policy.AllowOnStoreError && ctx.Err() == nil {
		return Decision{Action: Unprotected, Err: err}
	}
	return Decision{Action: Unavailable, Err: err}
}

// storeTime bounds what is said to the store after the request is over.
const storeTime = 5 * time.Second

// detached is a context for the end of a run, which has to be told to the store
// although the caller may be gone.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTime)
}

// Claim is the right to run the work behind a key. Its lease is extended by a
// heartbeat until Finish.
type Claim struct {
	guard *Guard
	id    store.RecordID
	owner string
	// A run in a transaction has nothing to keep alive. It has a key where keyed is set.
	inTx, keyed bool
	fingerprint [32]byte // of the request, where keyed

	mu    sync.Mutex
	tx    store.Transaction // the latest one of the run
	timer *time.Timer
	over  bool
	lost  bool
}

// beat extends the lease from now on each third of it.
func (c *Claim) beat() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.AfterFunc(c.guard.policy.Lease/3, c.extend)
}

// extend is one heartbeat. One that the store did not answer is followed by
// another: there are two more before the lease ends.
func (c *Claim) extend() {
	lease := c.guard.policy.Lease
	ctx, cancel := context.WithTimeout(context.Background(), lease/3)
	defer cancel()
	c.mu.Lock()
	over := c.over
	c.mu.Unlock()
	if over {
		return
	}
	err := c.guard.store.Extend(ctx, c.id, c.owner, lease)
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, store.ErrNotOwner) && !c.over {
		c.lost = true
		return
	}
	if !c.over {
		c.timer.Reset(lease / 3)
	}
}

// Lost reports whether somebody else has taken the key over, because the
// heartbeats did not get through for a whole lease. The run can end; its result
// will not be kept.
func (c *Claim) Lost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// Finish ends the run, after the handler has returned and not before: a handler
// that still works keeps its claim. A result of 2xx is kept for the policy's time
// to live, or only noted where it is larger than maxBody; with any other the key
// is free again. Headers that belong to one response alone are not kept. It is
// [store.ErrNotOwner] when the key was lost.
func (c *Claim) Finish(ctx context.Context, result store.Result) error {
	return c.finish(ctx, result, int64(len(result.Body)) <= c.guard.policy.MaxBody)
}

// FinishSpent ends a run whose result was streamed, so that there is nothing to
// keep: a success leaves the key taken, anything else frees it.
func (c *Claim) FinishSpent(ctx context.Context, status int) error {
	return c.finish(ctx, store.Result{Status: status}, false)
}

func (c *Claim) finish(ctx context.Context, result store.Result, keep bool) error {
	if !c.end() {
		return nil
	}
	if c.inTx {
		return c.finishIn(ctx, result, keep)
	}
	ctx, cancel := detached(ctx)
	defer cancel()
	p := &c.guard.policy
	switch {
	case result.Status < 200 || result.Status > 299:
		return c.guard.store.Release(ctx, c.id, c.owner)
	case !keep:
		return c.guard.store.Spend(ctx, c.id, c.owner, p.TTL)
	}
	result.Header = kept(result.Header)
	err := c.guard.store.Complete(ctx, c.id, c.owner, result, p.TTL)
	if errors.Is(err, store.ErrFull) {
		// There is no room for the result; that the work was done must not be
		// forgotten with it.
		return c.guard.store.Spend(ctx, c.id, c.owner, p.TTL)
	}
	return err
}

// end stops the heartbeat; false when that has been done before.
func (c *Claim) end() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.over = true
	if c.timer != nil {
		c.timer.Stop()
	}
	return true
}

// kept are the headers that a replay may carry: not those of the connection, of
// the moment, of the caller's session, or of limits.
func kept(header []store.HeaderField) []store.HeaderField {
	var out []store.HeaderField
	for _, f := range header {
		if !Momentary(f.Name) {
			out = append(out, f)
		}
	}
	return out
}

// Momentary reports whether a header belongs to one response alone, so that it
// must not be replayed.
func Momentary(name string) bool {
	lower := strings.ToLower(name)
	switch lower {
	case "set-cookie", "date", "age", "connection", "keep-alive", "proxy-authenticate", "proxy-authorization",
		"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "retry-after", "content-length",
		"ratelimit", "ratelimit-policy", "x-request-id", "x-should-retry", "traceparent", "tracestate":
		return true
	}
	return strings.HasPrefix(lower, "ratelimit-") || strings.HasPrefix(lower, "x-ratelimit-")
}
