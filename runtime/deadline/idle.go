package deadline

import (
	"sync"
	"time"
)

// Idle watches a stream and calls a function when one read or write of it lasts
// longer than allowed. Time that the owner spends elsewhere between two reads
// does not count: that silence is its own.
//
// Begin and End stand around each read. One Idle serves one stream; its methods
// are safe for concurrent use.
type Idle struct {
	limit time.Duration
	fire  func()

	mu    sync.Mutex
	timer *time.Timer
	since time.Time // of the read that is running; zero without one
	set   bool      // the timer is running
	over  bool
	fired bool
}

// NewIdle watches with a limit above zero; zero or less gives nil, whose methods
// do nothing. The function runs once at most, in a goroutine of its own.
func NewIdle(limit time.Duration, fire func()) *Idle {
	if limit <= 0 {
		return nil
	}
	return &Idle{limit: limit, fire: fire}
}

// Begin is called before a read.
func (i *Idle) Begin() {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.since = time.Now()
	// A timer that runs from an earlier read finds the new begin when it fires,
	// so that a fast stream sets hardly any timers.
	if i.over || i.set {
		return
	}
	i.set = true
	if i.timer == nil {
		i.timer = time.AfterFunc(i.limit, i.check)
		return
	}
	i.timer.Reset(i.limit)
}

// End is called after a read.
func (i *Idle) End() {
	if i == nil {
		return
	}
	i.mu.Lock()
	i.since = time.Time{}
	i.mu.Unlock()
}

// Stop ends the watch.
func (i *Idle) Stop() {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.over = true
	if i.timer != nil {
		i.timer.Stop()
	}
}

// Fired reports whether the limit was exceeded.
func (i *Idle) Fired() bool {
	if i == nil {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fired
}

func (i *Idle) check() {
	i.mu.Lock()
	if i.over || i.since.IsZero() {
		i.set = false
		i.mu.Unlock()
		return
	}
	if left := i.limit - time.Since(i.since); left > 0 {
		i.timer.Reset(left)
		i.mu.Unlock()
		return
	}
	i.set, i.over, i.fired = false, true, true
	i.mu.Unlock()
	i.fire()
}
