package sleep_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		// Below a millisecond nothing may be rounded up.
		if err := sleep.For(t.Context(), 137*time.Microsecond); err != nil || time.Since(begin) != 137*time.Microsecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		if err := sleep.For(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if err := sleep.For(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended context: %v", err)
		}
		if err := sleep.For(t.Context(), -1); err != nil {
			t.Errorf("nothing to wait for: %v", err)
		}
	})
}
