package client

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// function is one that a policy names, made for one type of requests; false for others.
type function func(req any) (text string, ok bool)

// CostFunc gives the client the function that rate limits of that name take the price of a
// call from: how many tokens a request is expected to use. The request is the pointer to
// what the operation's method takes. A function for each type of requests may be given
// under one name, and one for *any, which is for all of them; a call whose request none of them is for fails before it is sent. It is
// called once a try and more, so it should be quick. A negative price counts as zero.
func CostFunc[Req any](name string, f func(req *Req) int) Option {
	if f == nil {
		return withFunction("CostFunc", name, nil)
	}
	return withFunction("CostFunc", name, func(req any) (string, bool) {
		typed, ok := requestOf[Req](req)
		if !ok {
			return "", false
		}
		return strconv.Itoa(max(0, f(typed))), true
	})
}

// KeyFunc gives the client the function that rate limits of that name take the key of a
// call from, which says whose tokens it uses. For the rest it is as [CostFunc] is.
func KeyFunc[Req any](name string, f func(req *Req) string) Option {
	if f == nil {
		return withFunction("KeyFunc", name, nil)
	}
	return withFunction("KeyFunc", name, func(req any) (string, bool) {
		typed, ok := requestOf[Req](req)
		if !ok {
			return "", false
		}
		return f(typed), true
	})
}

// requestOf is a request as the type of a function has it; false for one of another type.
func requestOf[Req any](req any) (*Req, bool) {
	if typed, ok := req.(*Req); ok {
		return typed, true
	}
	whatever, ok := any(&req).(*Req)
	return whatever, ok
}

func withFunction(option, name string, f function) Option {
	return func(s *settings) error {
		if name == "" || f == nil {
			return errors.New(option + " needs a name and a function")
		}
		if s.funcs == nil {
			s.funcs = map[string][]function{}
		}
		s.funcs[name] = append(s.funcs[name], f)
		return nil
	}
}

// checkFuncs refuses policies that name functions which this client was not given.
func (c *Core) checkFuncs() error {
	var wrong []error
	for _, s := range c.allSpecs() {
		for _, name := range funcsOf(&s.Client) {
			if len(c.funcs[name]) == 0 {
				wrong = append(wrong, fmt.Errorf("%s: rateLimit: there is no function %q: give it with client.CostFunc or client.KeyFunc", s.ID, name))
			}
		}
	}
	return errors.Join(wrong...)
}

// funcsOf are the names of the functions that a policy asks.
func funcsOf(p *policy.Client) []string {
	var names []string
	if p.RateLimit == nil {
		return nil
	}
	for i := range p.RateLimit.Buckets {
		b := &p.RateLimit.Buckets[i]
		if b.CostFrom.Source == policy.FromFunc {
			names = append(names, b.CostFrom.Name)
		}
		for _, e := range b.Key {
			if e.Source == policy.FromFunc {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// ask is what a function says about the request of a call.
func (c *call) ask(name string) (string, bool) {
	for _, f := range c.core.funcs[name] {
		if text, ok := f(c.input); ok {
			return text, true
		}
	}
	return "", false
}

// checkFuncs refuses a call whose request the functions of its policy are not for.
func (c *call) checkFuncs() error {
	for _, name := range c.op.funcs {
		if _, ok := c.ask(name); !ok {
			return fmt.Errorf("no function %q was given for requests %T", name, c.input)
		}
	}
	return nil
}

// told are the rate limits of the server that the policy follows, as the response has them.
func (c *call) told() []Limit {
	p := c.spec.Client.RateLimit
	if p == nil || c.response.status == 0 {
		return nil
	}
	var limits []Limit
	now := time.Now()
	for i := range p.Buckets {
		b := &p.Buckets[i]
		if b.Sync == nil {
			continue
		}
		l, ok := retry.LimitOf(b.Sync, c.response.status, c.response.header, now)
		if !ok {
			continue
		}
		name := l.Bucket
		if name == "" {
			name = b.Name
		}
		limits = append(limits, Limit{Name: name, Remaining: int64(l.Remaining), Reset: l.Reset})
	}
	return limits
}
