package redistest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// masterName is what the sentinel calls the servers it watches.
const masterName = "main"

// Watched is a master and a replica that a sentinel watches.
type Watched struct {
	Master, Replica, Sentinel *Server
}

// StartSentinel starts the three, which end with the test. A master that is gone is
// replaced by the replica in about a second.
func StartSentinel(tb testing.TB) *Watched {
	tb.Helper()
	w := &Watched{Master: Start(tb)}
	host, port, _ := net.SplitHostPort(w.Master.addr)
	w.Replica = Start(tb, "--replicaof", host+" "+port, "--repl-ping-replica-period", "1")
	Until(tb, "the replica to follow", func() bool {
		return field(w.Replica.Client(tb).Info(tb.Context(), "replication").Val(), "master_link_status") == "up"
	})
	w.Sentinel = startWith(tb, func(port string) []string {
		file := filepath.Join(tb.TempDir(), "sentinel.conf")
		text := fmt.Sprintf(`port %[1]s
bind 127.0.0.1
sentinel monitor %[2]s %[3]s %[4]s 1
sentinel down-after-milliseconds %[2]s 500
sentinel failover-timeout %[2]s 2000
`, port, masterName, host, portOf(w.Master.addr))
		must(tb, os.WriteFile(file, []byte(text), 0o600))
		return []string{file, "--sentinel"}
	})
	Until(tb, "the sentinel to know the replica", func() bool {
		list, err := w.sentinel(tb).Replicas(tb.Context(), masterName).Result()
		return err == nil && len(list) == 1 && list[0]["master-link-status"] == "ok"
	})
	return w
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}

func (w *Watched) sentinel(tb testing.TB) *redis.SentinelClient {
	tb.Helper()
	c := redis.NewSentinelClient(&redis.Options{Addr: w.Sentinel.addr})
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// Client is a client that asks the sentinel for the master, which the test closes at its
// end.
func (w *Watched) Client(tb testing.TB) redis.UniversalClient {
	tb.Helper()
	c := redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs: []string{w.Sentinel.addr}, MasterName: masterName, ContextTimeoutEnabled: true, MaxRetries: -1,
		DialTimeout: time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
	})
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// Failover kills the master and waits until the replica has taken its place.
func (w *Watched) Failover(tb testing.TB) {
	tb.Helper()
	w.Master.Kill()
	Until(tb, "the replica to take over", func() bool {
		return field(w.Replica.Client(tb).Info(tb.Context(), "replication").Val(), "role") == "master"
	})
	Until(tb, "the sentinel to say so", func() bool {
		addr, err := w.sentinel(tb).GetMasterAddrByName(tb.Context(), masterName).Result()
		return err == nil && net.JoinHostPort(addr[0], addr[1]) == w.Replica.addr
	})
}
