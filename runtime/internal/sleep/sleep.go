// Package sleep waits for a time or for the end of a context, whichever comes
// first.
package sleep

import (
	"context"
	"time"
)

// For waits for d and returns nil, or earlier what the context says. A context
// that has ended is noticed without a wait, too.
func For(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
