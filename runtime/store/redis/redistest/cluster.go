package redistest

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// slots is the number of slots of every cluster.
const slots = 16384

// Cluster is servers that each hold a part of the keys.
type Cluster struct {
	// Masters hold the slots, an equal part each, in order; Replicas[i] is that of
	// Masters[i], where replicas were asked for.
	Masters, Replicas []*Server
}

// StartCluster starts a cluster of masters, each with a replica or without, which ends with
// the test. A master that is gone is replaced by its replica in about a second.
func StartCluster(tb testing.TB, masters int, replicas bool) *Cluster {
	tb.Helper()
	c := &Cluster{}
	node := func() *Server {
		return Start(tb, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0", "--repl-ping-replica-period", "1")
	}
	for i := range masters {
		s := node()
		c.Masters = append(c.Masters, s)
		must(tb, s.Client(tb).Do(tb.Context(), "CLUSTER", "ADDSLOTSRANGE", i*slots/masters, (i+1)*slots/masters-1).Err())
		must(tb, s.Client(tb).Do(tb.Context(), "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err())
	}
	for range masters {
		if replicas {
			c.Replicas = append(c.Replicas, node())
		}
	}
	all := c.all()
	for _, s := range all[1:] {
		host, port, _ := net.SplitHostPort(s.addr)
		must(tb, all[0].Client(tb).ClusterMeet(tb.Context(), host, port).Err())
	}
	c.wait(tb, "the servers to know each other", func(s *Server) bool {
		return field(s.Client(tb).ClusterInfo(tb.Context()).Val(), "cluster_known_nodes") == strconv.Itoa(len(all))
	})
	for i, s := range c.Replicas {
		must(tb, s.Client(tb).ClusterReplicate(tb.Context(), c.Masters[i].ID(tb)).Err())
	}
	c.Ready(tb)
	return c
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func (c *Cluster) all() []*Server {
	return slices.Concat(c.Masters, c.Replicas)
}

// ID is the server's name in its cluster.
func (s *Server) ID(tb testing.TB) string {
	tb.Helper()
	id, err := s.Client(tb).Do(context.Background(), "CLUSTER", "MYID").Text()
	must(tb, err)
	return id
}

// Ready waits until all slots are served, and each replica has what its master has.
func (c *Cluster) Ready(tb testing.TB) {
	tb.Helper()
	c.wait(tb, "the cluster to be whole", func(s *Server) bool {
		return field(s.Client(tb).ClusterInfo(tb.Context()).Val(), "cluster_state") == "ok"
	})
	for _, s := range c.Replicas {
		c.wait(tb, "the replicas to follow", func(*Server) bool {
			return field(s.Client(tb).Info(tb.Context(), "replication").Val(), "master_link_status") == "up"
		})
	}
}

// wait waits until all servers that live say so.
func (c *Cluster) wait(tb testing.TB, what string, is func(*Server) bool) {
	tb.Helper()
	for _, s := range c.all() {
		Until(tb, what, func() bool { return s.dead || is(s) })
	}
}

// Until waits up to 30 s, long for machines that do much else.
func Until(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	for end := time.Now().Add(3 * startTime); !is(); {
		if time.Now().After(end) {
			tb.Fatal("waited in vain for " + what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// field is a line "name:value" of a text.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// Client is a client of the cluster, which the test closes at its end.
func (c *Cluster) Client(tb testing.TB) redis.UniversalClient {
	tb.Helper()
	o := &redis.UniversalOptions{
		ContextTimeoutEnabled: true, MaxRetries: -1, IsClusterMode: true, DialTimeout: time.Second,
		ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
	}
	for _, s := range c.all() {
		o.Addrs = append(o.Addrs, s.addr)
	}
	client := redis.NewUniversalClient(o)
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

// Failover kills a master and waits until its replica has taken its place.
func (c *Cluster) Failover(tb testing.TB, i int) {
	tb.Helper()
	c.Masters[i].Kill()
	Until(tb, "the replica to take over", func() bool {
		return field(c.Replicas[i].Client(tb).Info(tb.Context(), "replication").Val(), "role") == "master"
	})
	c.wait(tb, "the cluster to be whole", func(s *Server) bool {
		return field(s.Client(tb).ClusterInfo(tb.Context()).Val(), "cluster_state") == "ok"
	})
}
