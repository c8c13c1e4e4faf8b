package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// flightKey names a request under way.
type flightKey struct {
	key     Key
	variant string
}

// flight is a request under way that others wait for.
type flight struct {
	done   chan struct{} // closed at the end
	header chan struct{} // closed when the response's header is there and will be stored
	// What came of it, valid after done.
	failed bool // the origin could not answer
	left   bool // its caller gave up, which says nothing about the origin

	expected bool // header is closed
}

// join takes part in the flight of that name; leads says that there was none and the
// caller has to make the request and to end the flight.
func (c *Cache) join(k flightKey) (f *flight, leads bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if there := c.flights[k]; there != nil {
		return there, false
	}
	f = &flight{done: make(chan struct{}), header: make(chan struct{})}
	c.flights[k] = f
	return f, true
}

// expect tells those who wait that the header is there and the body will be stored. It
// belongs to the leader.
func (f *flight) expect() {
	if !f.expected {
		f.expected = true
		close(f.header)
	}
}

// land ends a flight.
func (c *Cache) land(k flightKey, f *flight) {
	c.mu.Lock()
	delete(c.flights, k)
	c.mu.Unlock()
	close(f.done)
}

// wait waits for the end of a flight, but not for long once its header is there. It is
// false when the caller has to make the request itself.
func (f *flight) wait(ctx context.Context) (landed bool, err error) {
	select {
	case <-f.done:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	case <-f.header:
	}
	t := time.NewTimer(collapseWait)
	defer t.Stop()
	select {
	case <-f.done:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	case <-t.C:
		return false, nil
	}
}

// refresh fetches an entry anew behind the caller's back, unless somebody does so already
// or too many do.
func (x *Exchange) refresh(e *Entry) {
	c := x.c
	r, cancel, ok := x.detached()
	if !ok {
		return
	}
	k := flightKey{x.key, e.variant()}
	f, leads := c.join(k)
	if !leads {
		cancel()
		return
	}
	c.mu.Lock()
	if c.closed || len(c.cancels) >= c.options.MaxRefreshes {
		c.mu.Unlock()
		cancel()
		f.left = true
		c.land(k, f)
		return
	}
	c.cancels[f] = cancel
	c.running.Add(1)
	c.mu.Unlock()
	again := &Exchange{
		c: c, r: r, rules: x.rules, use: x.use, next: x.next, kind: reading, key: x.key, why: Stale, entry: e,
		background: true, flight: f, flightAt: k,
	}
	again.at = c.begin(x.key)
	go again.renew(cancel)
}

// renew is the work of a refresh. A panic of the transport must not end the program from
// a goroutine that its caller does not know of.
func (x *Exchange) renew(cancel context.CancelFunc) {
	c, f := x.c, x.flight
	defer c.running.Done()
	defer func() {
		if p := recover(); p != nil {
			x.failed(fmt.Errorf("refresh: panic: %v", p))
		}
		x.End()
		cancel()
		c.mu.Lock()
		delete(c.cancels, f)
		c.mu.Unlock()
	}()
	err := x.fetchAll()
	if err != nil && !errors.Is(err, context.Canceled) {
		x.failed(fmt.Errorf("refresh: %w", err))
	}
}

// fetchAll fetches an answer to its end.
func (x *Exchange) fetchAll() error {
	if x.use != nil && x.use.Renew != nil {
		return x.use.Renew(x.r.Context())
	}
	h, err := x.roundTrip(x.next)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(h.Body, x.c.options.MaxEntry+1))
	_ = h.Body.Close() // it was read, or is too large to be stored
	return err
}

// detached is the request for a refresh: without the conditions and wishes of the caller,
// whose end does not end it.
func (x *Exchange) detached() (*http.Request, context.CancelFunc, bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.r.Context()), x.c.options.RefreshTimeout)
	r := x.r.Clone(ctx)
	for _, name := range [...]string{
		"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range", "Cache-Control", "Pragma",
	} {
		delete(r.Header, name)
	}
	r.Body = http.NoBody
	if r.Method == http.MethodHead {
		r.Method = http.MethodGet
	}
	if x.r.Body != nil && x.r.Body != http.NoBody {
		body, err := x.r.GetBody()
		if err != nil {
			cancel()
			return nil, nil, false
		}
		r.Body = body
	}
	return r, cancel, true
}
