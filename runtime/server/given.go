package server

import (
	"context"
	"fmt"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// ValueFunc gives the handler a function that rate limits name: {func: NAME} for a key, a
// plan, or as a decimal number for a cost. The context is that of a method: it has the
// request, and after authentication, where the limit says at: after-auth, the principal.
// It is called from many goroutines. New panics when a limit names a function that is not
// given.
func ValueFunc(name string, f func(ctx context.Context) string) Option {
	return func(s *settings) {
		if s.funcs == nil {
			s.funcs = make(map[string]func(context.Context) string)
		}
		s.funcs[name] = f
	}
}

// checkGiven reports an operation that needs what the handler was not given.
func (h *handler) checkGiven(specs []*policy.Spec) error {
	check := func(op string, s *policy.Server) error {
		if err := h.checkLock(op, s); err != nil {
			return err
		}
		return h.checkFuncs(op, s.RateLimit)
	}
	for _, s := range specs {
		if err := check(s.ID, &s.Server); err != nil {
			return err
		}
		for i := range s.Variants {
			if v := s.Variants[i].Server; v != nil {
				if err := check(s.ID, v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkFuncs reports a limit that names a function which is not there.
func (h *handler) checkFuncs(op string, r *policy.RateLimit) error {
	if r == nil {
		return nil
	}
	for i := range r.Buckets {
		b := &r.Buckets[i]
		asked := append([]policy.Expr{b.CostFrom}, b.Key...)
		if b.Plan != nil {
			asked = append(asked, b.Plan.From)
		}
		for _, e := range asked {
			if e.Source == policy.FromFunc && h.funcs[e.Name] == nil {
				return fmt.Errorf("server: a rate limit of %s goes by the function %q: give it to the handler with server.ValueFunc", op, e.Name)
			}
		}
	}
	return nil
}
