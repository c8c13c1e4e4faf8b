package ratelimit

import (
	"maps"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// shard is a part of the keys.
type shard struct {
	mu    sync.Mutex
	limit limit
	bound int
	// full is the moment when each bucket is full again, or each window empty.
	full map[string]int64
	// windows are those of the same keys, where the limit has windows.
	windows map[string]window
	// held are the numbers of the server, by its name for them.
	held map[string]*hold
	// news counts the keys added since the last sweep, most the keys that the
	// map has ever held, for a map does not shrink.
	news, most int
	// heldNews counts the holds added since the last sweep of them.
	heldNews int
}

// change makes another limit hold, with all keys owing as many tokens as before.
func (s *shard) change(next limit, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.limit
	s.limit = next
	switch {
	case old.algorithm != next.algorithm, next.algorithm == policy.SlidingCounter && old.per != next.per:
		s.convert(old, now)
	case next.windowed():
		for key, w := range s.windows {
			s.full[key] = w.empty(&next)
		}
	case next.interval != old.interval:
		for key, full := range s.full {
			if owed := full - now; owed > 0 {
				s.full[key] = now + rescale(owed, old.interval, next.interval)
			}
		}
	}
}

// convert makes what all keys have used by one limit count as used now by another one.
func (s *shard) convert(old limit, now int64) {
	windows := s.windows
	s.windows = nil
	for key, full := range s.full {
		used := (max(0, full-now) + old.interval - 1) / old.interval
		if w := windows[key]; w != nil {
			used = w.used(&old, now)
		}
		if used <= 0 {
			delete(s.full, key)
			continue
		}
		s.full[key] = s.use(key, now, used)
	}
}

// use makes n tokens of a key that has none used count as used now, and gives the moment
// when they are all back.
func (s *shard) use(key string, now, n int64) int64 {
	w := s.limit.window()
	if w == nil {
		return now + times(n, s.limit.interval)
	}
	w.add(&s.limit, now, n)
	s.setWindow(key, w)
	return w.empty(&s.limit)
}

func (s *shard) setWindow(key string, w window) {
	if s.windows == nil {
		s.windows = make(map[string]window)
	}
	s.windows[key] = w
}

// sweepEvery is the least number of new keys between two sweeps.
const sweepEvery = 64

// put sets a bucket's moment. The lock is held.
func (s *shard) put(key string, full, now int64) {
	if _, old := s.full[key]; !old {
		s.makeRoom(now)
	}
	s.full[key] = full
}

// makeRoom forgets buckets that are full again, now and then so that a new key
// costs the same on average however many there are, and one other when the
// bound is reached.
func (s *shard) makeRoom(now int64) {
	if s.full == nil {
		s.full = make(map[string]int64)
	}
	s.news++
	if s.news >= max(sweepEvery, len(s.full)/2) {
		s.sweep(now)
	}
	if len(s.full) >= s.bound {
		s.evict()
	}
	s.most = max(s.most, len(s.full)+1)
}

func (s *shard) sweep(now int64) {
	s.news = 0
	for key, full := range s.full {
		if full <= now {
			s.drop(key)
		}
	}
	if s.most > 4*sweepEvery && len(s.full) < s.most/4 {
		small := make(map[string]int64, len(s.full))
		maps.Copy(small, s.full)
		s.full, s.most = small, len(small)
		if s.windows != nil {
			windows := make(map[string]window, len(small))
			maps.Copy(windows, s.windows)
			s.windows = windows
		}
	}
}

// drop forgets a bucket or window. The lock is held.
func (s *shard) drop(key string) {
	delete(s.full, key)
	if s.windows != nil {
		delete(s.windows, key)
	}
}

// evict forgets the one of a few buckets that is nearest to being full. Which
// few is as random as the order of a map.
func (s *shard) evict() {
	victim, least, seen := "", int64(0), 0
	for key, full := range s.full {
		if seen == 0 || full < least {
			victim, least = key, full
		}
		if seen++; seen == 8 {
			break
		}
	}
	s.drop(victim)
}
