package deadline

import (
	"context"
	"sync"
	"time"
)

// Context is a context with a deadline of its own that costs one allocation
// until somebody waits for it: the channel, the timer and the tie to the parent
// are made by the first call of Done. Its deadline can be moved, which the
// contexts of the standard library cannot do: the bound on a try turns into the
// bound on a stream when the header has come.
//
// The zero value is not usable; see [New] and [Context.Init]. All methods are
// safe for concurrent use.
type Context struct {
	parent context.Context

	mu    sync.Mutex
	at    time.Time
	err   error
	own   bool // ended by its own deadline
	armed bool
	done  chan struct{}
	timer *time.Timer
	untie func() bool // from the parent
	after *afterFunc
}

// afterFunc is one function to start at the end.
type afterFunc struct {
	f    func()
	next *afterFunc
}

// New is a context that ends with its parent, at the given moment (never, of
// itself, for a zero time), or by Cancel. Cancel must be called when the work is
// done.
func New(parent context.Context, at time.Time) *Context {
	c := &Context{}
	c.Init(parent, at)
	return c
}

// Init makes c ready for use, where it is part of another struct. It may be
// called once only.
func (c *Context) Init(parent context.Context, at time.Time) {
	c.parent = parent
	c.at = at
}

// Deadline is the earlier one of its own and the parent's.
func (c *Context) Deadline() (time.Time, bool) {
	c.mu.Lock()
	at := c.at
	c.mu.Unlock()
	if parent, ok := c.parent.Deadline(); ok && (at.IsZero() || parent.Before(at)) {
		return parent, true
	}
	return at, !at.IsZero()
}

// Done is closed at the end.
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
			return c.done
		}
		c.arm()
	}
	return c.done
}

// Err is nil before the end, then [context.DeadlineExceeded] or
// [context.Canceled], or what the parent says.
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if err := c.parent.Err(); err != nil {
		c.end(err, false)
		return err
	}
	// With a timer running there is no need to look at the clock.
	if !c.armed && !c.at.IsZero() && !time.Now().Before(c.at) {
		c.end(context.DeadlineExceeded, true)
	}
	return c.err
}

// Value is the parent's.
func (c *Context) Value(key any) any { return c.parent.Value(key) }

// Cancel ends the context and frees what it holds. Further calls do nothing.
func (c *Context) Cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.end(context.Canceled, false)
	}
}

// Expired reports whether its own deadline has ended it, not the parent or
// Cancel.
func (c *Context) Expired() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.own
}

// Reset moves the deadline; a zero time takes it away. It is false when the
// context has ended already.
func (c *Context) Reset(at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	c.at = at
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.armed {
		c.startTimer()
	}
	return true
}

// AfterFunc starts f in a goroutine of its own when the context has ended. The
// standard library looks for this method, and then needs no goroutine to watch
// over a context that is derived from this one.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	a := &afterFunc{f: f, next: c.after}
	c.after = a
	c.arm()
	return func() bool { return c.remove(a) }
}

// remove takes a function off the list; false when it is not there any more.
func (c *Context) remove(a *afterFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := &c.after; *p != nil; p = &(*p).next {
		if *p == a {
			*p = a.next
			return true
		}
	}
	return false
}

// arm starts the timer and ties the context to its parent. The lock is held.
func (c *Context) arm() {
	if c.armed || c.err != nil {
		return
	}
	c.armed = true
	if err := c.parent.Err(); err != nil {
		c.end(err, false)
		return
	}
	if c.parent.Done() != nil {
		c.untie = context.AfterFunc(c.parent, c.parentDone)
	}
	c.startTimer()
}

// startTimer sets the timer to the deadline. The lock is held.
func (c *Context) startTimer() {
	if c.at.IsZero() {
		return
	}
	left := time.Until(c.at)
	if c.timer == nil {
		c.timer = time.AfterFunc(left, c.Expire)
		return
	}
	c.timer.Reset(left)
}

func (c *Context) parentDone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.end(c.parent.Err(), false)
	}
}

// Expire ends the context if its own deadline has passed, for those who know of
// that before its timer does. It is also what the timer runs: the deadline may
// have been moved while that waited for the lock, and the moved one has a timer
// of its own.
func (c *Context) Expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && !c.at.IsZero() && !time.Now().Before(c.at) {
		c.end(context.DeadlineExceeded, true)
	}
}

// end makes err the outcome. The lock is held and there is no outcome yet.
func (c *Context) end(err error, own bool) {
	c.err, c.own = err, own
	if c.done != nil {
		close(c.done)
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.untie != nil {
		c.untie()
		c.untie = nil
	}
	for a := c.after; a != nil; a = a.next {
		go a.f()
	}
	c.after = nil
}
