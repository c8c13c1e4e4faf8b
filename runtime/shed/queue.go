package shed

import "time"

// waiter is a request in the queue.
type waiter struct {
	ready       chan struct{} // closed when the wait is over
	came, until time.Time
	at          time.Time // when it was let run
	granted     bool
	rank        int
	prev, next  *waiter
}

// list are the waiters of one criticality, in the order of their coming.
type list struct {
	first, last *waiter
	n           int
}

func (l *list) add(w *waiter) {
	w.prev = l.last
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
	l.n++
}

func (l *list) remove(w *waiter) {
	if w.prev == nil {
		l.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	l.n--
}
