package client

import (
	"errors"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// errKeyRequired is told before anything is sent: the server would answer 400.
var errKeyRequired = errors.New("the operation requires the caller's idempotency key: give client.IdempotencyKey, the same for every repeat of one intent")

var errNoIdempotency = errors.New("the operation's policy has no idempotency, so a key would have no effect")

// idempotencyKey decides on the key of the call and sends it. A key that the
// caller gives wins, by option or as the parameter of that header; there is one
// line of it in any case.
func (c *call) idempotencyKey(s *callSettings) error {
	p := c.op.idempotency
	if p == nil {
		if s.hasKey && !c.op.keyed {
			return errNoIdempotency
		}
		return nil
	}
	if p.Mode == policy.Shadow {
		c.shadowKey(s)
		return nil
	}
	r := &c.request
	if s.hasKey {
		return c.putKey(s.key)
	}
	if given := r.header[c.op.keyHeader]; len(given) > 0 && given[0] != "" {
		key, err := idempotency.ParseHeader(given[0])
		if err != nil {
			return err
		}
		return c.putKey(key)
	}
	delete(r.header, c.op.keyHeader) // an empty one is none
	switch p.Key {
	case policy.KeyDerived:
		key, err := idempotency.Derive(c.spec, &c.values)
		if err != nil {
			return err
		}
		return c.putKey(key)
	case policy.KeyPerCall:
		return c.putKey(idempotency.NewKey())
	}
	if p.Required {
		return errKeyRequired
	}
	return nil
}

// putKey sends the key, as a structured field where the policy wants that.
func (c *call) putKey(key string) error {
	value, err := idempotency.Header(key, c.op.idempotency.Quoted)
	if err != nil {
		return err
	}
	c.pipe.Key = key
	c.request.set(c.op.keyHeader, value)
	return nil
}

// shadowKey reports a key that could not have been sent. In shadow mode none is, so
// that the call is as one without idempotency; a parameter of the caller's stays.
func (c *call) shadowKey(s *callSettings) {
	var err error
	switch p := c.op.idempotency; {
	case s.hasKey:
		_, err = idempotency.Header(s.key, p.Quoted)
	case p.Key == policy.KeyDerived:
		_, err = idempotency.Derive(c.spec, &c.values)
	}
	if hook := c.core.hooks.Reject; hook != nil && err != nil {
		hook(c.ctx, observe.Reject{Op: c.spec.ID, Name: c.spec.ID, Reason: observe.Idempotency, Shadow: true})
	}
}
