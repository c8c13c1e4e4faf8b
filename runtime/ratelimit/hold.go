package ratelimit

import "time"

// hold is what a server has said about a limit of its own: so many tokens are left until
// so many are there again. It stands beside the limiter's own bucket.
type hold struct {
	// left is what may still be taken until the reset, as far as the server has told and
	// counting what is on the way to it.
	left int64
	// until is the moment of the reset; after it nothing is known.
	until int64
	// onWay are the tokens of calls whose answer is not there yet.
	onWay int64
	// window is the reset that low, the lowest number told, is about: answers may overtake
	// each other.
	window, low int64
}

// sameReset is how far two resets of one window may be apart. The clocks of both sides
// move on between the answers; a window that moves with the time is told by its new reset.
const sameReset = int64(100 * time.Millisecond)

// Sync follows the numbers of a server's answer to a charge that passed: so many tokens
// are left to the caller, and after reset there will be all of them. Until then no
// more than that are taken, less what is on the way; who comes later waits for the reset.
// A charge without Server is not about a server's limit, and changes nothing.
func Sync(now time.Time, c *Charge, remaining int, reset time.Duration) {
	if c.Server == "" || c.shard == nil {
		return
	}
	c.shard.mu.Lock()
	defer c.shard.mu.Unlock()
	c.landed(now)
	moment := c.Limiter.moment(now)
	h := c.shard.hold(c.Server, moment)
	until := moment + int64(max(0, reset))
	low := int64(max(0, remaining))
	if apart := until - h.window; moment < h.until && apart <= sameReset && apart >= -sameReset {
		low = min(low, h.low)
	} else {
		h.window = until
	}
	h.low, h.until, h.left = low, until, low-h.onWay
}

// SyncAs is Sync for an answer that says that it is about the limit of another name than
// the charge was made for.
func SyncAs(now time.Time, c *Charge, server string, remaining int, reset time.Duration) {
	if c.Server != "" && c.Server != server {
		Forget(now, c)
	}
	c.Server = server
	Sync(now, c, remaining, reset)
}

// Forget ends the wait for the answer to a charge that passed: there will be none, or it
// does not tell any numbers.
func Forget(now time.Time, c *Charge) {
	if !c.pending {
		return
	}
	c.shard.mu.Lock()
	defer c.shard.mu.Unlock()
	c.landed(now)
}

// askServer looks at what the server has said. Its shard is locked.
func (c *Charge) askServer(now time.Time) {
	c.onWay, c.counted, c.pending = 0, false, false
	if c.Server == "" || c.N < 1 {
		return
	}
	h, moment := c.shard.held[c.Server], c.Limiter.moment(now)
	if h == nil || moment >= h.until {
		return
	}
	c.State.Remaining = int(max(0, min(int64(c.State.Remaining), h.left)))
	if h.left >= int64(c.N) {
		return
	}
	wait := time.Duration(h.until - moment)
	c.State.Wait = max(c.State.Wait, wait)
	c.State.OK = c.State.OK && wait <= max(0, c.MaxWait)
}

// takeServer notes that the tokens are on their way to the server. Its shard is locked.
func (c *Charge) takeServer(now time.Time) {
	if c.Server == "" || c.N < 1 {
		return
	}
	moment := c.Limiter.moment(now)
	h := c.shard.hold(c.Server, moment)
	c.pending, c.onWay = true, int64(c.N)
	h.onWay += c.onWay
	if moment < h.until && h.left >= c.onWay {
		h.left -= c.onWay
		c.counted = true
	}
}

// landed notes that the tokens are not on their way any more. Its shard is locked.
func (c *Charge) landed(now time.Time) {
	if !c.pending {
		return
	}
	c.pending = false
	h := c.shard.held[c.Server]
	if h == nil {
		return // forgotten meanwhile
	}
	if h.onWay = max(0, h.onWay-c.onWay); h.onWay == 0 && h.until <= c.Limiter.moment(now) {
		delete(c.shard.held, c.Server)
	}
}

// returnServer corrects what is left by tokens that the server does not count, or, below
// zero, counts beside those taken. Its shard is locked.
func (c *Charge) returnServer(now time.Time, n int) {
	h := c.shard.held[c.Server]
	if c.counted && h != nil && c.Limiter.moment(now) < h.until {
		h.left += int64(n)
	}
}

// hold finds or makes the hold of a name. The lock is held.
func (s *shard) hold(name string, moment int64) *hold {
	if h := s.held[name]; h != nil {
		return h
	}
	if s.held == nil {
		s.held = make(map[string]*hold)
	}
	if s.heldNews++; s.heldNews >= max(sweepEvery, len(s.held)/2) {
		s.sweepHeld(moment)
	}
	if len(s.held) >= s.bound {
		s.evictHold()
	}
	h := &hold{window: moment - 2*sameReset, until: moment}
	s.held[name] = h
	return h
}

// sweepHeld forgets what has been reset.
func (s *shard) sweepHeld(moment int64) {
	s.heldNews = 0
	for name, h := range s.held {
		if h.until <= moment && h.onWay == 0 {
			delete(s.held, name)
		}
	}
}

// evictHold forgets the one of a few that is reset first.
func (s *shard) evictHold() {
	victim, least, seen := "", int64(0), 0
	for name, h := range s.held {
		if seen == 0 || h.until < least {
			victim, least = name, h.until
		}
		if seen++; seen == 8 {
			break
		}
	}
	delete(s.held, victim)
}
