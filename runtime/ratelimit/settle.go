package ratelimit

import "time"

// Refund gives the tokens of a Take that passed back, once: as far as time has
// not brought them back already, for a bucket must not be given the same token
// twice.
func Refund(now time.Time, charges []Charge) {
	for i := range charges {
		c := &charges[i]
		if !c.taken && !c.pending {
			continue
		}
		c.shard.mu.Lock()
		c.giveBack(now, c.N)
		c.landed(now)
		c.returnServer(now, c.N)
		c.shard.mu.Unlock()
		c.taken = false
	}
}

// Settle makes a Take that passed cost n tokens in place of what was taken: what is over
// goes back as with [Refund], and what is missing is owed. A debt is not refused; those
// who come next wait for it. n counts from 0, and below that as 0.
func Settle(now time.Time, c *Charge, n int) {
	if c.shard == nil {
		return
	}
	n = max(0, n)
	c.shard.mu.Lock()
	defer c.shard.mu.Unlock()
	switch taken := max(0, c.N); {
	case n < taken && c.taken:
		c.giveBack(now, taken-n)
		c.returnServer(now, taken-n)
		c.taken = n > 0
	case n > taken:
		c.owe(now, n-taken)
		c.returnServer(now, taken-n)
	}
	c.N = n
}

// giveBack returns tokens to the bucket or window. Its shard is locked.
func (c *Charge) giveBack(now time.Time, n int) {
	if !c.taken || n < 1 {
		return
	}
	moment, limit := c.Limiter.moment(now), &c.shard.limit
	if limit.windowed() {
		if w := c.shard.windows[c.Key]; w != nil {
			w.remove(limit, moment, c.after, int64(n))
			c.release(w.empty(limit), moment)
		}
		return
	}
	left, interval := c.after-moment, limit.interval
	if left > 0 && interval != c.interval && c.interval > 0 {
		left = rescale(left, c.interval, interval) // the limit has changed since
	}
	back := min(times(int64(n), interval), left)
	if full, held := c.shard.full[c.Key]; held && back > 0 {
		c.release(full-back, moment)
	}
}

// release sets the moment when a key is full again, and forgets one that is.
func (c *Charge) release(full, moment int64) {
	if full <= moment {
		c.shard.drop(c.Key)
		return
	}
	c.shard.full[c.Key] = full
}

// owe takes tokens that may not be there. Its shard is locked.
func (c *Charge) owe(now time.Time, n int) {
	l, limit := c.Limiter, &c.shard.limit
	moment := l.moment(now)
	if limit.windowed() {
		w := c.shard.windows[c.Key]
		if w == nil {
			w = limit.window()
		}
		// Nonsense that a server tells must not stop a caller for ever.
		if n := min(int64(n), 2*limit.most-w.used(limit, moment)); n > 0 {
			w.add(limit, max(moment, w.last()), n)
			c.shard.put(c.Key, w.empty(limit), moment)
			c.shard.setWindow(c.Key, w)
		}
		return
	}
	full := moment
	if old, held := c.shard.full[c.Key]; held {
		full = max(full, l.within(old, moment, limit.depth))
	}
	// The same for a bucket.
	full = max(full, min(full+times(int64(n), limit.interval), moment+2*limit.depth))
	c.shard.put(c.Key, full, moment)
	c.after, c.interval = full, limit.interval
	l.allowAhead(time.Duration(full - moment - limit.depth))
}
