package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// maxTold bounds what is remembered of breakers that this instance does not have yet.
const maxTold = 1024

// told is what a registry knows about the breakers of other instances. The zero value is
// that of one which shares nothing. The registry's lock guards it.
type told struct {
	// breakers are this instance's, by the names that instances share.
	breakers map[string]*breaker.Breaker
	// open are those that it does not have: until when they are open.
	open map[string]time.Time
}

// share has the registry tell and listen.
func (r *Registry) share() {
	r.told = told{breakers: map[string]*breaker.Breaker{}, open: map[string]time.Time{}}
	share, hook := r.settings.Share, r.settings.Hooks.BreakerChange
	r.onChange = func(e observe.BreakerChange) {
		// What was heard is not told again, or it would go round for ever.
		if e.To == observe.Open && !e.Shared && !e.Shadow {
			share.Tell(breaker.Notice{Breaker: sharedName(e.Name, e.Group), For: e.Until.Sub(e.At)})
		}
		if hook != nil {
			hook(e)
		}
	}
	share.Listen(func(n breaker.Notice) { r.hear(time.Now(), n) })
}

// sharedName is a breaker's name among instances. The value of a key does not leave this
// one.
func sharedName(name, group string) string {
	if group == "" || group == name {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return group + "#" + hex.EncodeToString(sum[:16])
}

// hear opens a breaker that others have found open, or remembers that they have.
func (r *Registry) hear(now time.Time, n breaker.Notice) {
	if n.For <= 0 {
		return
	}
	until := now.Add(n.For)
	r.mu.Lock()
	b := r.told.breakers[n.Breaker]
	if b == nil {
		r.told.remember(now, n.Breaker, until)
	}
	r.mu.Unlock()
	if b != nil {
		b.OpenUntil(now, until)
	}
}

// remember notes a breaker that is not there yet, where there is room.
func (t *told) remember(now time.Time, name string, until time.Time) {
	if len(t.open) >= maxTold {
		for other, end := range t.open {
			if !end.After(now) {
				delete(t.open, other)
			}
		}
		if len(t.open) >= maxTold {
			return
		}
	}
	t.open[name] = until
}

// join adds a breaker that was made, and is until when others have told that it is open.
func (t *told) join(b *breaker.Breaker, name, group string) time.Time {
	if t.breakers == nil {
		return time.Time{}
	}
	shared := sharedName(name, group)
	t.breakers[shared] = b
	until := t.open[shared]
	delete(t.open, shared)
	return until
}

// leave takes out a breaker that is forgotten.
func (t *told) leave(at partition) {
	if t.breakers != nil {
		delete(t.breakers, sharedName(at.String(), at.group()))
	}
}
