package pipeline

import (
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Shrinker is a [Tryer] that can make its request smaller.
type Shrinker interface {
	// Shrink says how to make the request smaller; nil where it cannot be. It changes
	// nothing: the function does, once another try is to be made. The function sets the
	// Key of the [Call] where the request has one, for a smaller request is another one.
	Shrink(s *policy.Shrink) (apply func())
}

// shrinkOf is how a request gets smaller; nil where it does not.
func shrinkOf(t Tryer, s *policy.Shrink) func() {
	shrinker, ok := t.(Shrinker)
	if !ok || s == nil {
		return nil
	}
	return shrinker.Shrink(s)
}

// keyed reports whether an idempotency key protects against a second effect. It does not
// protect a smaller request, which has another key, from the one before it, unless that one
// provably had no effect.
func (r *run) keyed(c *Call) bool {
	return c.Key != "" && (r.verdict.Do != retry.Shrink || r.effect == fault.Safe)
}
