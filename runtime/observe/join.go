package observe

import "context"

// Join is hooks that call each of the given ones in turn. Nil ones are left
// out; one alone is returned as it is.
func Join(all ...*Hooks) *Hooks {
	var list []*Hooks
	for _, h := range all {
		if h != nil {
			list = append(list, h)
		}
	}
	switch len(list) {
	case 0:
		return &Hooks{}
	case 1:
		return list[0]
	}
	joined := *list[0]
	for _, h := range list[1:] {
		if first, second := joined.AttemptContext, h.AttemptContext; first == nil {
			joined.AttemptContext = second
		} else if second != nil {
			joined.AttemptContext = func(ctx context.Context, e AttemptStart) context.Context { return second(first(ctx, e), e) }
		}
		joined.AttemptStart = both(joined.AttemptStart, h.AttemptStart)
		joined.AttemptEnd = both(joined.AttemptEnd, h.AttemptEnd)
		joined.Wait = both(joined.Wait, h.Wait)
		joined.Reject = both(joined.Reject, h.Reject)
		joined.Queued = both(joined.Queued, h.Queued)
		joined.Hedge = both(joined.Hedge, h.Hedge)
		joined.Fallback = both(joined.Fallback, h.Fallback)
		joined.Cache = both(joined.Cache, h.Cache)
		joined.Replay = both(joined.Replay, h.Replay)
		joined.StoreFail = both(joined.StoreFail, h.StoreFail)
		joined.CallEnd = both(joined.CallEnd, h.CallEnd)
		if first, second := joined.BreakerChange, h.BreakerChange; first == nil {
			joined.BreakerChange = second
		} else if second != nil {
			joined.BreakerChange = func(e BreakerChange) { first(e); second(e) }
		}
		if first, second := joined.PolicyReload, h.PolicyReload; first == nil {
			joined.PolicyReload = second
		} else if second != nil {
			joined.PolicyReload = func(e PolicyReload) { first(e); second(e) }
		}
	}
	return &joined
}

// both is a then b, either of which may be nil.
func both[E any](a, b func(context.Context, E)) func(context.Context, E) {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return func(ctx context.Context, e E) { a(ctx, e); b(ctx, e) }
}
