package cache

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Exchange is what a cache does for one call whose requests somebody else makes; see
// [Cache.Begin]. It belongs to one goroutine, except that a body it has given out may be
// read anywhere.
type Exchange struct {
	c       *Cache
	r       *http.Request
	rules   *Rules
	use     *Use
	next    http.RoundTripper // for refreshes; nil leaves them to Use.Renew
	kind    kind
	key     Key
	control Control // of the request

	why        Forward
	entry      *Entry // that the origin is asked about
	own        bool   // the request has conditions of its own
	asks       bool   // it has those of the entry
	elsewhere  bool   // the response is that of another address
	at         *pending
	flight     *flight // that this request leads; nil for none
	flightAt   flightKey
	background bool
	collapsed  bool
	bodyUsed   bool

	mu        sync.Mutex
	recording bool // a body is being read that will be stored
	ended     bool
	finished  bool
}

// kind is what a request is to the cache.
type kind uint8

const (
	passing kind = iota // it goes on as it is
	writing             // it may outdate what is stored
	reading
)

// tell reports an event.
func (c *Cache) tell(ctx context.Context, e Event) {
	if c.options.OnEvent != nil {
		c.options.OnEvent(ctx, e)
	}
}

// told reports what was done for the request.
func (x *Exchange) told(s Status) {
	x.c.tell(x.r.Context(), Event{Operation: x.rules.Operation, Resource: x.key.Resource, Status: s})
}

// failed reports that the store did not work.
func (x *Exchange) failed(err error) {
	if err != nil {
		x.c.tell(x.r.Context(), Event{Operation: x.rules.Operation, Resource: x.key.Resource, Err: err})
	}
}

// storeContext is that of work in the store that must not end with the request.
func (x *Exchange) storeContext() context.Context { return context.WithoutCancel(x.r.Context()) }

// put stores a response that was under way, and reports whether it is stored. It looks
// for invalidations before and after, for one may come while the store works.
func (x *Exchange) put(e *Entry) bool {
	if !x.c.current(x.at) {
		return false
	}
	err := x.c.store.Put(x.storeContext(), x.key, e)
	x.failed(err)
	if !x.c.current(x.at) {
		x.remove(e)
		return false
	}
	return err == nil
}

func (x *Exchange) remove(e *Entry) { x.failed(x.c.store.Remove(x.storeContext(), x.key, e)) }

// End says that no more responses come. What is being recorded goes on until its body
// has been read or closed. It may be called more than once.
func (x *Exchange) End() {
	x.mu.Lock()
	x.ended = true
	recording := x.recording
	x.mu.Unlock()
	if !recording {
		x.finish()
	}
}

// finish lets go of those who wait, once.
func (x *Exchange) finish() {
	x.mu.Lock()
	before := x.finished
	x.finished = true
	x.mu.Unlock()
	if before {
		return
	}
	if x.at != nil {
		x.c.end(x.at)
	}
	if x.flight != nil {
		if x.r.Context().Err() != nil {
			x.flight.left = true // which says nothing about the origin
		}
		x.c.land(x.flightAt, x.flight)
	}
}

// send makes the request; a second time it needs a new body.
func (x *Exchange) send(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if x.bodyUsed && r.Body != nil && r.Body != http.NoBody {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = body
	}
	x.bodyUsed = true
	return next.RoundTrip(r)
}

// passed tells that the request went on as it is.
func (x *Exchange) passed(h *http.Response) {
	s := Status{Forward: x.why, ForwardStatus: h.StatusCode}
	s.tell(h.Header, x.c.options.Name)
	x.told(s)
}

// written drops what a request outdates that may have changed something (RFC 9111 section
// 4.4).
func (x *Exchange) written(h *http.Response) {
	x.passed(h)
	if h.StatusCode < 200 || h.StatusCode >= 400 {
		return
	}
	x.outdate(x.key.Resource)
	for _, name := range [...]string{"Location", "Content-Location"} {
		at, err := url.Parse(h.Header.Get(name))
		if err != nil || h.Header.Get(name) == "" {
			continue
		}
		at = x.r.URL.ResolveReference(at)
		// What another origin has is not for this one to tell.
		if own := x.r.URL; at.Scheme == own.Scheme && at.Host == own.Host {
			x.outdate(Resource(at, x.r.Host))
		}
	}
}

func (x *Exchange) outdate(resource string) {
	x.failed(x.c.Invalidate(x.storeContext(), Scope{Resource: resource}))
}

// lookup finds the entry for the request: of several that match, the newest.
func (x *Exchange) lookup() (*Entry, Forward) {
	list, err := x.c.store.Get(x.r.Context(), x.key)
	x.failed(err)
	if err != nil || len(list) == 0 {
		return nil, URIMiss
	}
	var found *Entry
	for _, e := range list {
		e = e.under(x.c.options.Targets)
		if e.matches(x.r.Header) && (found == nil || !e.date.Before(found.date)) {
			found = e
		}
	}
	if found == nil {
		return nil, VaryMiss
	}
	return found, Stale
}

// conditional reports whether the request has conditions of its own, of which a cache
// understands the first two.
func conditional(h http.Header) (own, foreign bool) {
	own = h["If-None-Match"] != nil || h["If-Modified-Since"] != nil
	return own, h["If-Match"] != nil || h["If-Unmodified-Since"] != nil
}

// read answers a request that only reads, or finds out what to ask the origin.
func (x *Exchange) read() (*http.Response, error) {
	refresh := x.use != nil && x.use.Refresh
	alone := x.own || refresh || x.r.Header["Range"] != nil || x.r.Method == http.MethodHead ||
		x.control.NoStore || x.control.NoCache
	x.why = URIMiss
	for {
		e, miss := x.lookup()
		if !x.collapsed {
			x.why = miss
		}
		if e != nil && !refresh {
			if h := x.answer(e); h != nil {
				return h, nil
			}
		} else if e != nil {
			x.why = Request
		}
		if x.control.OnlyIfCached {
			return x.refuse(), nil
		}
		if !alone && !x.collapsed {
			f, leads, err := x.takeOff(e)
			if err != nil {
				return nil, err
			}
			if f != nil && !leads {
				x.collapsed = !f.left // a caller who gave up says nothing about the origin
				if x.collapsed && f.failed && e != nil && e.servesError(time.Now(), &x.control, x.rules, x.c.options.Shared) {
					return x.serve(e, Status{Forward: x.why, Collapsed: true, Detail: "stale-if-error"}), nil
				}
				continue
			}
		}
		x.collapsed = false
		x.entry = e
		x.at = x.c.begin(x.key)
		return nil, nil //nolint:nilnil // There is nothing to serve.
	}
}

// takeOff joins the flight for the same answer and waits for its end, or leads a new one.
// Without any the request is made alone.
func (x *Exchange) takeOff(e *Entry) (f *flight, leads bool, err error) {
	if place, hash := x.c.place(&x.key); e == nil && place.Load() == hash {
		return nil, false, nil
	}
	k := flightKey{key: x.key}
	if e != nil {
		k.variant = e.variant()
	}
	f, leads = x.c.join(k)
	if leads {
		x.flight, x.flightAt = f, k
		return f, true, nil
	}
	landed, err := f.wait(x.r.Context())
	if err != nil || !landed {
		return nil, false, err
	}
	return f, false, nil
}

// answer serves an entry if it is good enough, else notes why it is not.
func (x *Exchange) answer(e *Entry) *http.Response {
	now := time.Now()
	v := e.judge(now, &x.control, x.rules, x.c.options.Shared)
	if x.rules.Mode == policy.Shadow {
		if v != useless {
			x.c.tell(x.r.Context(), Event{
				Operation: x.rules.Operation, Resource: x.key.Resource, Shadow: true, Status: Status{Hit: true},
			})
		}
		x.why = Bypass
		return nil
	}
	if v == staleRenew && x.next == nil && (x.use == nil || x.use.Renew == nil) {
		v = useless // nobody would fetch it anew
	}
	s := Status{Hit: true}
	if x.collapsed {
		s = Status{Forward: x.why, Collapsed: true}
	}
	switch v {
	case useless:
		x.why = Stale
		if life, _ := e.lifetime(x.rules, x.c.options.Shared); life > e.age(now) && !e.control.NoCache {
			x.why = Request
		}
		return nil
	case staleRenew:
		s.Detail = "stale-while-revalidate"
		x.refresh(e)
	case staleServe, fresh:
	}
	return x.serve(e, s)
}

// discard closes the body of a response that is not used, after a piece of it, so that
// its connection can be used again.
func discard(h *http.Response) {
	var room [4096]byte
	for n := 0; n < 64<<10; {
		got, err := h.Body.Read(room[:])
		if n += got; err != nil {
			break
		}
	}
	httpbody.Close(h)
}
