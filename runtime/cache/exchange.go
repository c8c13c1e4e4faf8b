package cache

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// exchange is the work for one request.
type exchange struct {
	c          *Cache
	r          *http.Request
	rules      *Rules
	use        *Use
	next       http.RoundTripper
	key        Key
	control    Control // of the request
	background bool
	collapsed  bool
	bodyUsed   bool
	flight     *flight // that this request leads; nil for none
	flightAt   flightKey
}

// tell reports an event.
func (c *Cache) tell(ctx context.Context, e Event) {
	if c.options.OnEvent != nil {
		c.options.OnEvent(ctx, e)
	}
}

// told reports what was done for the request.
func (x *exchange) told(s Status) {
	x.c.tell(x.r.Context(), Event{Operation: x.rules.Operation, Resource: x.key.Resource, Status: s})
}

// failed reports that the store did not work.
func (x *exchange) failed(err error) {
	if err != nil {
		x.c.tell(x.r.Context(), Event{Operation: x.rules.Operation, Resource: x.key.Resource, Err: err})
	}
}

// storeContext is that of work in the store that must not end with the request.
func (x *exchange) storeContext() context.Context { return context.WithoutCancel(x.r.Context()) }

// put stores a response that was under way, and reports whether it is stored. It looks
// for invalidations before and after, for one may come while the store works.
func (x *exchange) put(e *Entry, at *pending) bool {
	defer x.c.end(at)
	if !x.c.current(at) {
		return false
	}
	err := x.c.store.Put(x.storeContext(), x.key, e)
	x.failed(err)
	if !x.c.end(at) {
		x.remove(e)
		return false
	}
	return err == nil
}

func (x *exchange) remove(e *Entry) { x.failed(x.c.store.Remove(x.storeContext(), x.key, e)) }

// land ends the flight that the request leads.
func (x *exchange) land() {
	if x.flight != nil {
		x.c.land(x.flightAt, x.flight)
	}
}

// send makes the request; a second time it needs a new body.
func (x *exchange) send(r *http.Request) (*http.Response, error) {
	if x.bodyUsed && r.Body != nil && r.Body != http.NoBody {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = body
	}
	x.bodyUsed = true
	h, err := x.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if h.Body == nil {
		h.Body = http.NoBody
	}
	if h.Header == nil {
		h.Header = http.Header{}
	}
	return h, nil
}

// pass sends the request without a look at what is stored.
func (x *exchange) pass(why Forward) (*http.Response, error) {
	h, err := x.send(x.r)
	if err != nil {
		return nil, err
	}
	s := Status{Forward: why, ForwardStatus: h.StatusCode}
	s.tell(h.Header, x.c.options.Name)
	x.told(s)
	return h, nil
}

// write sends a request that may change something, and drops what it outdates (RFC 9111
// section 4.4).
func (x *exchange) write() (*http.Response, error) {
	x.key.Resource = Resource(x.r.URL, x.r.Host)
	h, err := x.pass(Method)
	if err != nil || h.StatusCode < 200 || h.StatusCode >= 400 {
		return h, err
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
	return h, nil
}

func (x *exchange) outdate(resource string) {
	x.failed(x.c.Invalidate(x.storeContext(), Scope{Resource: resource}))
}

// lookup finds the entry for the request: of several that match, the newest.
func (x *exchange) lookup() (*Entry, Forward) {
	list, err := x.c.store.Get(x.r.Context(), x.key)
	x.failed(err)
	if err != nil || len(list) == 0 {
		return nil, URIMiss
	}
	var found *Entry
	for _, e := range list {
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

// read answers a request that only reads.
func (x *exchange) read() (*http.Response, error) {
	own, foreign := conditional(x.r.Header)
	if foreign {
		return x.pass(Bypass)
	}
	refresh := x.use != nil && x.use.Refresh
	alone := own || refresh || x.r.Header["Range"] != nil || x.r.Method == http.MethodHead ||
		x.control.NoStore || x.control.NoCache
	why := URIMiss
	for {
		e, miss := x.lookup()
		if !x.collapsed {
			why = miss
		}
		if e != nil && !refresh {
			h, w := x.answer(e, why)
			if h != nil {
				return h, nil
			}
			why = w
		} else if e != nil {
			why = Request
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
					return x.serve(e, Status{Forward: why, Collapsed: true, Detail: "stale-if-error"}), nil
				}
				continue
			}
		}
		x.collapsed = false
		return x.fetch(e, why)
	}
}

// takeOff joins the flight for the same answer and waits for its end, or leads a new one.
// Without any the request is made alone.
func (x *exchange) takeOff(e *Entry) (f *flight, leads bool, err error) {
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

// answer serves an entry if it is good enough, else tells why it is not.
func (x *exchange) answer(e *Entry, why Forward) (*http.Response, Forward) {
	now := time.Now()
	v := e.judge(now, &x.control, x.rules, x.c.options.Shared)
	if x.rules.Mode == policy.Shadow {
		if v != useless {
			x.c.tell(x.r.Context(), Event{
				Operation: x.rules.Operation, Resource: x.key.Resource, Shadow: true, Status: Status{Hit: true},
			})
		}
		return nil, Bypass
	}
	s := Status{Hit: true}
	if x.collapsed {
		s = Status{Forward: why, Collapsed: true}
	}
	switch v {
	case useless:
		life, _ := e.lifetime(x.rules, x.c.options.Shared)
		if life > e.age(now) && !e.control.NoCache {
			return nil, Request
		}
		return nil, Stale
	case staleRenew:
		s.Detail = "stale-while-revalidate"
		x.refresh(e)
	case staleServe, fresh:
	}
	return x.serve(e, s), NotForwarded
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
