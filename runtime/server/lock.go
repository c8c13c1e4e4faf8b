package server

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Locks gives the handler the backend of its operations' locks: of those that name one of
// the kinds, and of all without any. [lock.NewMemory] serves a single instance. New panics
// when an operation has a lock and its backend is missing.
func Locks(b lock.Backend, kinds ...policy.LockBackend) Option {
	return func(s *settings) {
		if len(kinds) == 0 {
			kinds = []policy.LockBackend{policy.LockRedis, policy.LockRedlock, policy.LockPostgres}
		}
		if s.locks == nil {
			s.locks = make(map[policy.LockBackend]lock.Backend)
		}
		for _, kind := range kinds {
			s.locks[kind] = b
		}
	}
}

// checkLock reports an operation whose locks nobody holds.
func (h *handler) checkLock(op string, s *policy.Server) error {
	if s.Lock == nil || h.locks[s.Lock.Backend] != nil {
		return nil
	}
	return fmt.Errorf("server: %s takes a lock of the backend %s: give it to the handler with server.Locks; "+
		"lock.NewMemory() of package runtime/lock is one for a single instance", op, s.Lock.Backend)
}

// lockName is the name of locks in events; keys may name customers' things.
const lockName = "lock"

// lock takes the locks of an operation. It answers 409 where somebody else has them for
// too long.
func (x *exchange) lock() bool {
	p := x.endpoint.spec.Server.Lock
	if p == nil {
		return true
	}
	keys, ok := x.lockKeys(p)
	if !ok {
		if p.Mode == policy.Shadow {
			return true
		}
		return x.unlocked(nil, problem(http.StatusBadRequest, "the request lacks a value that says what it is about"))
	}
	o := lock.Options{Keys: keys, TTL: p.TTL, Heartbeat: p.Heartbeat, Wait: p.Wait, Fencing: p.Fencing}
	if p.Mode == policy.Shadow {
		o.Wait = 0
	}
	begin := time.Now()
	lease, err := lock.Acquire(x.call, x.h.locks[p.Backend], o)
	if err == nil {
		x.held.lease, x.held.watched = lease, p.Mode == policy.Shadow
		if waited := time.Since(begin); waited >= time.Millisecond {
			x.queued(lockName, waited, false, nil)
		}
		return true
	}
	if p.Mode == policy.Shadow {
		x.rejected(lockName, observe.Lock, true, time.Time{})
		return true
	}
	switch {
	case x.r.Context().Err() != nil:
		return x.unlocked(err, nil) // nobody waits for an answer
	case x.call.Err() != nil:
		x.finishClaim(&failedResponse)
		x.expired()
		return false
	case !errors.Is(err, lock.ErrBusy):
		x.storeFailed("lock", err)
		x.h.failed(x.call, x.op(), http.StatusServiceUnavailable, err)
		x.retryAfter(time.Second)
		return x.unlocked(err, problem(http.StatusServiceUnavailable, "locks cannot be taken at the moment"))
	}
	x.rejected(lockName, observe.Lock, false, time.Now().Add(time.Second))
	x.retryAfter(time.Second)
	busy := problem(http.StatusConflict, "somebody else is working on the same thing")
	busy.Type, busy.Title = fault.TypeLockBusy, "lock-busy"
	return x.unlocked(err, busy)
}

// lockKeys are the keys of a request; false where it lacks a value.
func (x *exchange) lockKeys(p *policy.Lock) ([]string, bool) {
	look := values{x: x}
	keys := make([]string, len(p.Keys))
	for i, t := range p.Keys {
		var ok bool
		if keys[i], ok = t.Expand(&look); !ok {
			return nil, false
		}
	}
	return keys, true
}

// unlocked ends a request that is not run for want of a lock.
func (x *exchange) unlocked(cause error, p *fault.Problem) bool {
	x.cause = cause
	x.finishClaim(&failedResponse)
	if p != nil {
		x.problem(p)
	}
	return false
}

// lockLost reports whether the method was stopped because its lock was lost.
func (x *exchange) lockLost() bool {
	return x.held.lease != nil && !x.held.watched && x.held.lease.Lost()
}
