package observe

import "sync"

// Queue hands events to a function in the order in which they were added, one
// at a time and never under the lock of the one who adds them. The zero value is
// ready for use.
//
// The owner of some state calls Add while it holds its own lock, which fixes the
// order, and Drain after it has let go. A function that itself causes an event
// only adds it: the drain that is running delivers it, so there is no deadlock
// and no recursion.
type Queue[E any] struct {
	mu       sync.Mutex
	events   []E
	draining bool
}

// Add appends an event.
func (q *Queue[E]) Add(e E) {
	q.mu.Lock()
	q.events = append(q.events, e)
	q.mu.Unlock()
}

// Drain calls f for the events that are waiting, unless another goroutine (or a
// caller further up) is doing so already. A panic of f goes to the caller; what
// waits then is delivered by the next Drain.
func (q *Queue[E]) Drain(f func(E)) {
	q.mu.Lock()
	if q.draining {
		q.mu.Unlock()
		return
	}
	q.draining = true
	done := false
	defer func() {
		if !done {
			q.mu.Lock()
			q.draining = false
			q.mu.Unlock()
		}
	}()
	for len(q.events) > 0 {
		e := q.events[0]
		var zero E
		q.events[0] = zero
		q.events = q.events[1:]
		q.mu.Unlock()
		f(e)
		q.mu.Lock()
	}
	q.events = nil
	q.draining = false
	done = true
	q.mu.Unlock()
}
