package lock

import (
	"context"
	"sync"
	"time"
)

// NewMemory is a backend in the memory of one process, for services of one instance and
// for tests. Its fences go on above those of an earlier process as long as the clock of
// the machine does not go back.
func NewMemory() Backend { return &memory{locks: map[string]held{}} }

type memory struct {
	mu    sync.Mutex
	locks map[string]held
	last  int64 // fence
	sweep int   // the number of locks at which ended ones are looked for
}

type held struct {
	owner string
	until time.Time
	fence int64
}

// leastSweep is the least number of locks that are searched for ended ones.
const leastSweep = 64

func (m *memory) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (int64, bool, error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	h, taken := m.locks[key]
	if taken && now.Before(h.until) {
		if h.owner != owner {
			return 0, false, nil
		}
		m.locks[key] = held{owner, now.Add(ttl), h.fence}
		return h.fence, true, nil
	}
	m.last = max(m.last+1, now.UnixMicro())
	m.clean(now)
	m.locks[key] = held{owner, now.Add(ttl), m.last}
	return m.last, true, nil
}

// clean drops what has ended, now and then, so that it costs the same on average however
// many locks there are. The mutex is held.
func (m *memory) clean(now time.Time) {
	if len(m.locks) < max(leastSweep, m.sweep) {
		return
	}
	for key, h := range m.locks {
		if !now.Before(h.until) {
			delete(m.locks, key)
		}
	}
	m.sweep = 2 * len(m.locks)
}

func (m *memory) Extend(ctx context.Context, key, owner string, ttl time.Duration) error {
	return m.change(ctx, key, owner, func(h held, now time.Time) {
		m.locks[key] = held{owner, now.Add(ttl), h.fence}
	})
}

func (m *memory) Release(ctx context.Context, key, owner string) error {
	return m.change(ctx, key, owner, func(held, time.Time) { delete(m.locks, key) })
}

// change does something to the lock of an owner.
func (m *memory) change(ctx context.Context, key, owner string, f func(held, time.Time)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	h, ok := m.locks[key]
	if !ok || h.owner != owner || !now.Before(h.until) {
		return ErrNotOwner
	}
	f(h, now)
	return nil
}
