package server

import (
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/shed"
)

// held is what a request holds until its method has returned.
type held struct {
	ticket shed.Ticket
	slot   bulkhead.Slot
	lease  *lock.Lease
	// watched says that the lock is in shadow mode: the method does not notice it.
	watched bool
}

// release gives it back.
func (h *held) release() {
	h.unlock()
	h.slot.Release()
	h.ticket.Release()
}

// unlock gives back the lock alone, which is for the method and not for its answer.
func (h *held) unlock() {
	if h.lease != nil {
		h.lease.Release()
	}
}

// shedName is the name of load shedding in events: it is one for the whole server.
const shedName = "server"

// admit lets the request run where the server keeps up with what it has. It refuses with
// 503, the least critical requests first.
func (x *exchange) admit() bool {
	s := x.endpoint.shedder
	if s == nil {
		return true
	}
	now := time.Now()
	if x.endpoint.spec.Server.Shed.Mode == policy.Shadow {
		ticket, ok := s.Try(now, x.criticality())
		if !ok {
			x.rejected(shedName, observe.Shed, true, time.Time{})
		}
		x.held.ticket = ticket
		return true
	}
	ticket, err := s.Admit(x.r.Context(), x.criticality(), now, x.end)
	if err == nil {
		x.held.ticket = ticket
		if waited := ticket.Began().Sub(now); waited > 0 {
			x.queued(shedName, waited, false, nil)
		}
		return true
	}
	if x.cause = err; x.r.Context().Err() != nil {
		return false // nobody waits for an answer
	}
	wait := s.Interval()
	x.rejected(shedName, observe.Shed, false, time.Now().Add(wait))
	x.retryAfter(wait)
	x.problem(problem(http.StatusServiceUnavailable, "the server is overloaded"))
	return false
}

// criticality is the lower one of the operation's own and the one that the caller names:
// a caller may say that its request matters less, but were it to say that it matters
// more, soon all would.
func (x *exchange) criticality() policy.Criticality {
	own := x.endpoint.spec.Client.Criticality
	named := own
	switch x.headerLine(policy.CriticalityHeader) {
	case "optional":
		return policy.Optional
	case "standard":
		named = policy.Standard
	}
	if own == policy.Critical {
		return named
	}
	return own
}
