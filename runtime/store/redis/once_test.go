package redisstore_test

import (
	"context"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
)

// deaf is a connection whose answers are lost once it is told so: the server has made what
// it was asked for.
type deaf struct{ made atomic.Int64 }

func (d *deaf) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (d *deaf) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		_ = next(ctx, cmd)
		return d.lose(cmd)
	}
}

func (d *deaf) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			if lost := d.lose(cmd); lost != nil {
				err = lost
			}
		}
		return err
	}
}

// lose forgets the answer to a script; others go on.
func (d *deaf) lose(cmd redis.Cmder) error {
	if !slices.Contains([]string{"eval", "evalsha"}, cmd.Name()) || redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		return cmd.Err()
	}
	d.made.Add(1)
	cmd.SetErr(io.EOF)
	return io.EOF
}

// A step whose answer is lost is made once. The client of a cluster would send it again: a
// token would be taken twice, the second of two claims find a stranger.
func TestLostAnswersAreNotAskedForAgain(t *testing.T) {
	cluster := redistest.StartCluster(t, 3, false)
	c := cluster.Client(t).(*redis.ClusterClient)
	d := new(deaf)
	c.OnNewNode(func(node *redis.Client) { node.AddHook(d) })
	if _, _, err := records(t, c).Claim(t.Context(), store.RecordID{Key: "k"}, [32]byte{}, "a", time.Minute); err == nil {
		t.Error("an answer came")
	}
	if n := d.made.Swap(0); n != 1 {
		t.Errorf("claimed %d times", n)
	}
	clean := newLimits(t, cluster.Client(t), patient)
	left := func(n int) int {
		t.Helper()
		demand := one(policy.TokenBucket, 9, time.Hour, "k")
		demand[0].N = n
		if _, _, err := clean.Take(t.Context(), "g", demand); err != nil {
			t.Fatal(err)
		}
		return demand[0].State.Remaining
	}
	if n := left(1); n != 8 { // the server knows the script now
		t.Fatalf("%d left of 9", n)
	}
	if _, _, err := newLimits(t, c, patient).Take(t.Context(), "g", one(policy.TokenBucket, 9, time.Hour, "k")); err == nil {
		t.Error("an answer came")
	}
	if n := left(0); n != 7 {
		t.Errorf("%d left of 9 after a token was taken with and one without an answer", n)
	}
}
