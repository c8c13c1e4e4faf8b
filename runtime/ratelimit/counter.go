package ratelimit

import "math/bits"

// counter approximates a window with two numbers: what was taken in the current one of
// windows that follow each other, and in the one before it. Of that one the part counts
// that the sliding window still covers, as if it had been taken evenly.
type counter struct {
	index     int64 // of the current window
	prev, cur int64
	latest    int64
}

// at is the counter as it stands in the window of a moment, which is not an earlier one.
func (c counter) at(l *limit, moment int64) counter {
	index := floor(moment, l.per)
	switch index - c.index {
	case 0:
	case 1:
		c.prev, c.cur = c.cur, 0
	default:
		c.prev, c.cur = 0, 0
	}
	c.index = index
	return c
}

func (c *counter) when(l *limit, now, n int64) int64 {
	at := max(now, c.latest)
	for w := c.at(l, at); ; w = w.at(l, at) {
		start := w.index * l.per
		if free := l.most - w.cur - n; free >= 0 {
			// Of the window before, no more than free may count.
			if wait := l.per - share(l.per, free, w.prev); wait < l.per {
				return max(at, start+wait)
			}
		}
		at = start + l.per
	}
}

// share is the longest part of a time in which a window of n tokens counts for no more
// than free, all of it where it never does.
func share(per, free, n int64) int64 {
	if free >= n {
		return per
	}
	return muldiv(per, free, n)
}

func (c *counter) add(l *limit, at, n int64) {
	*c = c.at(l, at)
	c.cur += n
	c.latest = at
}

func (c *counter) remove(l *limit, now, at, n int64) {
	if at <= now-l.per {
		return
	}
	switch c.index - floor(at, l.per) {
	case 0:
		c.cur = max(0, c.cur-n)
	case 1:
		c.prev = max(0, c.prev-n)
	}
	if at == c.latest && at > now {
		// Nobody waits for that moment any more.
		c.latest = max(now, c.index*l.per)
	}
}

func (c *counter) used(l *limit, now int64) int64 {
	at := max(now, c.latest)
	w := c.at(l, at)
	// A part of a token counts as one.
	return w.cur + w.prev - muldiv(w.prev, at-w.index*l.per, l.per)
}

func (c *counter) empty(l *limit) int64 {
	switch {
	case c.cur > 0:
		return (c.index + 2) * l.per
	case c.prev > 0:
		return (c.index + 1) * l.per
	}
	return c.latest
}

func (c *counter) last() int64 { return c.latest }

// floor is the quotient towards minus infinity, for a clock may step back before the
// limiter's beginning.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// muldiv is a*b/c, rounded down, for numbers that are not negative and a quotient that
// fits.
func muldiv(a, b, c int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(high, low, uint64(c))
	return int64(q)
}
