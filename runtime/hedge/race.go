package hedge

import (
	"context"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Tries are the functions of a race.
type Tries[T any] struct {
	// Try makes a try; it has to obey the context, which stays alive for the winner
	// until [Result.Cancel].
	Try func(ctx context.Context, number int) (T, error)
	// Admit pays for each try beside the first, in addition to what the options have; nil
	// is free. It must not wait, and may run beside Try.
	Admit func(ctx context.Context) bool
	// Wins reports whether a result ends the race. A failure that would be retried
	// does not, for the other try may succeed. Nil takes every result without an error.
	Wins func(T, error) bool
	// Discard frees a result that is not used, such as a body that has to be closed.
	// It is called once for each, before Race returns. Nil frees nothing.
	Discard func(T, error)
}

// Result is what came of a race.
type Result[T any] struct {
	Value T
	Err   error
	// Number is that of the try whose result this is, from 1 on.
	Number int
	// Tries is the number of tries made.
	Tries int
	// Cancel ends the context of that try, when its result has been used. It may be
	// called more than once.
	Cancel context.CancelFunc
}

// Race makes the tries of one call and returns the result that won, or the last one
// when none did. All tries have ended then.
func Race[T any](ctx context.Context, h *Hedger, t Tries[T]) Result[T] {
	begin := time.Now()
	delay, ok := h.Delay(begin)
	if !ok {
		return alone(ctx, h, t, begin)
	}
	r := &race[T]{hedger: h, ctx: ctx, tries: t, begin: begin, delay: delay, waiting: make(chan struct{})}
	r.start(1)
	r.mu.Lock()
	r.timer = time.AfterFunc(delay, r.launch)
	r.mu.Unlock()
	r.run(1)
	return r.wait()
}

// alone makes the only try.
func alone[T any](ctx context.Context, h *Hedger, t Tries[T], begin time.Time) Result[T] {
	ctx, cancel := context.WithCancel(ctx)
	v, err := guard(ctx, cancel, t.Try)
	if t.wins(v, err) {
		now := time.Now()
		h.Observe(now, now.Sub(begin))
	}
	return Result[T]{v, err, 1, 1, cancel}
}

// guard cancels the context when the try panics.
func guard[T any](ctx context.Context, cancel context.CancelFunc, try func(context.Context, int) (T, error)) (T, error) {
	done := false
	defer func() {
		if !done {
			cancel()
		}
	}()
	v, err := try(ctx, 1)
	done = true
	return v, err
}

func (t *Tries[T]) wins(v T, err error) bool {
	if t.Wins == nil {
		return err == nil
	}
	return t.Wins(v, err)
}

// race is the state of one call.
type race[T any] struct {
	hedger *Hedger
	ctx    context.Context //nolint:containedctx // A race is one call.
	tries  Tries[T]
	begin  time.Time
	delay  time.Duration

	mu       sync.Mutex
	timer    *time.Timer
	cancels  []context.CancelCauseFunc // by number, from 1 on
	contexts []context.Context
	made     int // tries
	running  int // tries, and starts of tries
	closed   bool
	won      bool
	result   Result[T]
	has      bool // there is a result, which may be a failure
	panicked any
	crashed  bool
	waiting  chan struct{} // closed when nothing runs any more
}

// launch makes another try, on the goroutine of the timer.
func (r *race[T]) launch() {
	r.mu.Lock()
	if r.closed || r.ctx.Err() != nil {
		r.mu.Unlock()
		return
	}
	r.running++
	number := r.made + 1
	r.mu.Unlock()
	defer r.leave()
	defer r.catch()
	switch {
	case r.hedger.policy.Mode == policy.Shadow:
		r.hedger.tell(r.ctx, Shadowed, number, r.begin)
		return
	case !r.hedger.pays(r.ctx) || r.tries.Admit != nil && !r.tries.Admit(r.ctx):
		r.hedger.tell(r.ctx, Refused, number, r.begin)
		return
	}
	if !r.start(number) {
		return
	}
	r.hedger.tell(r.ctx, Started, number, r.begin)
	r.run(number)
}

// start takes up a try and sets the timer for the next; it is false when the race has
// been decided meanwhile.
func (r *race[T]) start(number int) bool {
	ctx, cancel := context.WithCancelCause(r.ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		cancel(ErrLost)
		return false
	}
	r.contexts, r.cancels = append(r.contexts, ctx), append(r.cancels, cancel)
	r.made++
	if number == 1 {
		r.running++
	} else if number <= r.hedger.policy.Max {
		r.timer.Reset(r.delay)
	}
	return true
}

// run makes a try and settles what came of it.
func (r *race[T]) run(number int) {
	if number == 1 {
		defer r.leave()
		defer r.catch()
	}
	r.mu.Lock()
	ctx := r.contexts[number-1]
	r.mu.Unlock()
	v, err := r.tries.Try(ctx, number)
	r.settle(number, v, err, r.tries.wins(v, err))
}

// settle takes a result: the first that wins decides, and of failures the last.
func (r *race[T]) settle(number int, v T, err error, wins bool) {
	now := time.Now()
	r.mu.Lock()
	lost := r.won
	if number == 1 && (lost || wins) && r.ctx.Err() == nil {
		defer r.hedger.Observe(now, now.Sub(r.begin))
	}
	old, hadOld := r.result, r.has
	if !lost {
		cancel := r.cancels[number-1]
		r.result = Result[T]{Value: v, Err: err, Number: number, Cancel: func() { cancel(nil) }}
		r.has = true
		if wins {
			r.won, r.closed = true, true
			r.timer.Stop()
			for i, other := range r.cancels {
				if i != number-1 {
					other(ErrLost)
				}
			}
		}
	}
	r.mu.Unlock()
	switch {
	case lost:
		r.discard(v, err)
		r.hedger.tell(r.ctx, Lost, number, r.begin)
		return
	case hadOld:
		old.Cancel()
		r.discard(old.Value, old.Err)
	}
	if wins && number > 1 {
		r.hedger.tell(r.ctx, Won, number, r.begin)
	}
}

func (r *race[T]) discard(v T, err error) {
	if r.tries.Discard != nil {
		r.tries.Discard(v, err)
	}
}

// leave ends one try. With the last one the race is over: a failure of all of them is
// not waited upon, for the retries after it have their own wait.
func (r *race[T]) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	if r.running == 0 && (r.has || r.crashed) && !r.isOver() {
		r.closed = true
		r.timer.Stop()
		close(r.waiting)
	}
}

// isOver reports whether waiting is closed. The lock is held.
func (r *race[T]) isOver() bool {
	select {
	case <-r.waiting:
		return true
	default:
		return false
	}
}

// catch keeps a panic for the goroutine of the caller.
func (r *race[T]) catch() {
	p := recover()
	if p == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.crashed {
		r.crashed, r.panicked = true, p
	}
	r.closed = true
	r.timer.Stop()
	for _, cancel := range r.cancels {
		cancel(ErrLost)
	}
}

// wait waits until all tries have ended.
func (r *race[T]) wait() Result[T] {
	<-r.waiting // after which nothing changes any more
	if r.crashed {
		if r.has {
			r.discard(r.result.Value, r.result.Err)
		}
		panic(r.panicked)
	}
	r.result.Tries = r.made
	return r.result
}
