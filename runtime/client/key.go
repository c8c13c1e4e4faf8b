package client

import (
	"errors"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

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
