package breaker

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
)

// Share lets instances of a program tell each other of breakers that have opened. It is
// advice: what it loses, or never delivers, leaves each instance with what it has seen
// itself. Package runtime/store/redis has one.
type Share interface {
	// Tell tells the others. It must neither block nor fail: it is called by a call.
	Tell(n Notice)
	// Listen has hear called for what others tell, from any goroutine, and not for what
	// was told through this Share. It stays so until the Share is closed.
	Listen(hear func(n Notice))
}

// Notice is a breaker that has opened.
type Notice struct {
	// Breaker names it. Where it has a key from a request, that is a hash of it.
	Breaker string
	// For is how long it stays open from now on.
	For time.Duration
}

// OpenUntil opens a closed breaker until a moment, because others have seen its dependency
// fail; the change has Shared set. Then it probes as always. One that is not closed knows
// better and stays as it is. However long the others say, it is no longer than this
// breaker's own policy would be open at most: MaxRecovery, or Recovery, and a tenth.
func (b *Breaker) OpenUntil(now, until time.Time) {
	b.openUntil(now, until)
	b.report()
}

func (b *Breaker) openUntil(now, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.State() != observe.Closed || !until.After(now) {
		return
	}
	longest := max(b.policy.Recovery, b.policy.MaxRecovery)
	if end := now.Add(longest + longest/10); until.After(end) {
		until = end
	}
	b.openFor, b.until = b.policy.Recovery, until
	b.shared = true
	b.become(observe.Open, now)
	b.shared = false
}
