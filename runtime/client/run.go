package client

import (
	"net/http"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// send makes the request ready, takes it through the pipeline, and reads what
// came of it.
func (c *call) send(alternatives []security.Requirement) error {
	s := &c.settings
	if err := c.prepare(alternatives, s); err != nil {
		if s.meta != nil {
			s.meta.Key = c.pipe.Key
		}
		return c.refuse(err)
	}
	err := c.run()
	from := c
	if c.answered != nil {
		from = c.answered
	}
	from.response.free()
	c.response.free()
	if s.meta != nil {
		if from.response.status != 0 {
			c.meta.fill(from.response.status, from.response.header)
			if limits := from.told(); limits != nil {
				c.meta.Limits = limits
			}
		}
		*s.meta = c.meta
	}
	return err
}

// run takes the call through the cache, the pipeline and the fallback, in this order from
// the outside in, and reads what came of it.
func (c *call) run() error {
	c.meta.Key = c.pipe.Key
	stored, end, err := c.lookUp() //nolint:bodyclose // use reads it to its end.
	switch {
	case err != nil:
		return c.rescue(&pipeline.Outcome{End: end}, err)
	case stored != nil:
		return c.use(stored)
	}
	if c.exchanges != nil {
		defer c.exchanges.End()
	}
	o := c.op.pipeline.Do(c, &c.pipe, c)
	c.meta.Tries, c.meta.Waited = o.Attempts, o.Waited
	err = c.conclude(o)
	if o.Result.Open && !o.Discarded && !c.response.open {
		c.response.finish()
		c.pipe.Finish()
	}
	if err == nil {
		if o.Result.Status < http.StatusBadRequest {
			c.invalidate()
		}
		c.remember()
		return nil
	}
	if stale, ok := c.staleInstead(err); ok { //nolint:bodyclose // The same.
		return c.use(stale)
	}
	return c.rescue(&o, err)
}

// use reads a response that no try has brought.
func (c *call) use(h *http.Response) error {
	c.decodeErr, c.decoded = nil, false
	c.response.start(c, h)
	c.decode()
	if !c.response.open {
		c.response.finish()
	}
	if c.decodeErr == nil {
		return nil
	}
	f := &fault.Error{Op: c.spec.ID, Kind: fault.Response, Status: h.StatusCode, Key: c.pipe.Key, Effect: fault.Safe, Err: c.decodeErr}
	if h.StatusCode >= http.StatusBadRequest {
		f.Kind = fault.Status
	}
	return f
}
