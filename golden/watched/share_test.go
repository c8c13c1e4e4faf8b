package watched_test

import (
	"errors"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
)

// fail has a client's breaker of getPayment open: three calls that fail.
func fail(t *testing.T, c *payments.Client) {
	t.Helper()
	for range 3 {
		var f *fault.Error
		if _, err := c.GetPayment(t.Context(), pay1, client.NoRetry()); !errors.As(err, &f) || f.Kind != fault.Status {
			t.Fatal(err)
		}
	}
}

// refuses reports whether a client's breaker of getPayment is open.
func refuses(t *testing.T, c *payments.Client) bool {
	t.Helper()
	var f *fault.Error
	_, err := c.GetPayment(t.Context(), pay1, client.NoRetry())
	return errors.As(err, &f) && f.Kind == fault.BreakerOpen
}

// instance is a generated client of a process that shares its breakers, and the channel
// of what it hears.
func instance(t *testing.T, url string, s *redistest.Server) (*payments.Client, chan observe.BreakerChange) {
	t.Helper()
	shared, err := redisstore.NewBreakers(s.Client(t), redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(shared.Close)
	changes := make(chan observe.BreakerChange, 100)
	return dial(t, url, client.ShareBreakers(shared), client.Observe(&observe.Hooks{
		BreakerChange: func(e observe.BreakerChange) { changes <- e },
	})), changes
}

// listening waits until as many instances are on the channel.
func listening(t *testing.T, s *redistest.Server, n int64) {
	t.Helper()
	redis := s.Client(t)
	redistest.Until(t, "the instances listen", func() bool {
		const channel = "holdfast:breakers:open"
		got, err := redis.PubSubNumSub(t.Context(), channel).Result()
		return err == nil && got[channel] == n
	})
}

// What one instance has found out by failing calls opens the breaker of the other, which
// has made none that failed.
func TestBreakersAreShared(t *testing.T) {
	s := redistest.Start(t)
	b := &bank{}
	url, _ := serve(t, b)
	first, _ := instance(t, url, s)
	second, changes := instance(t, url, s)
	alone := dial(t, url)
	listening(t, s, 2)
	if _, err := second.GetPayment(t.Context(), pay1); err != nil {
		t.Fatal(err)
	}
	b.down.Store(true)
	fail(t, first)
	select {
	case e := <-changes:
		if !e.Shared || e.To != observe.Open || e.Name != "payments/getPayment" {
			t.Errorf("%+v", e)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the other instance does not hear of it")
	}
	if !refuses(t, second) {
		t.Error("the other instance still calls")
	}
	if refuses(t, alone) {
		t.Error("a client without the option has heard of it")
	}
}

// Without Redis each instance does what it would do without the option.
func TestBreakersWithoutRedis(t *testing.T) {
	s := redistest.Start(t)
	b := &bank{}
	url, _ := serve(t, b)
	first, _ := instance(t, url, s)
	second, _ := instance(t, url, s)
	listening(t, s, 2)
	s.Kill()
	b.down.Store(true)
	fail(t, first)
	if !refuses(t, first) {
		t.Error("its own breaker does not open")
	}
	fail(t, second)
	if !refuses(t, second) {
		t.Error("the other one does not open by what it sees")
	}
	b.down.Store(false)
}
