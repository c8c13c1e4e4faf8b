// Package redistest runs a redis-server of a test's own. Where there is no such
// program the test is skipped and says so; with HOLDFAST_REQUIRE_SERVERS=1 it fails.
package redistest

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// startTime bounds how long a server may take until it answers.
const startTime = 10 * time.Second

// Server is a redis-server that listens on a free port and writes nothing to disk, so
// that what it holds ends with its process.
type Server struct {
	addr    string
	program string
	args    []string
	process *exec.Cmd
	dead    bool
}

// Start starts a server, which ends with the test. Arguments are those of redis-server
// beyond the ones that make it the test's own.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	return startWith(tb, func(port string) []string {
		return append([]string{
			"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", tb.TempDir(),
		}, args...)
	})
}

// startWith starts redis-server with the arguments for a port.
func startWith(tb testing.TB, args func(port string) []string) *Server {
	tb.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("HOLDFAST_REQUIRE_SERVERS") == "1" {
			tb.Fatal("redis-server is missing, and HOLDFAST_REQUIRE_SERVERS=1 wants it: apt-get install redis-server")
		}
		tb.Skip("NOT TESTED: redis-server is missing (apt-get install redis-server)")
	}
	s := &Server{program: program}
	// Between the choice of a port and its use somebody else may take it.
	for range 5 {
		port := freePort(tb)
		s.addr, s.args = net.JoinHostPort("127.0.0.1", port), args(port)
		if err = s.start(); err == nil {
			tb.Cleanup(s.Kill)
			return s
		}
	}
	tb.Fatal(err)
	return nil
}

// maxPort is the largest port above which, by 10,000, there is one for a cluster's own talk.
const maxPort = 1<<16 - 1 - 10_000

func freePort(tb testing.TB) string {
	tb.Helper()
	for {
		l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if port <= maxPort {
			return strconv.Itoa(port)
		}
	}
}

// start starts the process and waits until it answers.
func (s *Server) start() error {
	s.process = exec.CommandContext(context.Background(), s.program, s.args...)
	if err := s.process.Start(); err != nil {
		return err
	}
	s.dead = false
	client := redis.NewClient(s.Options())
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for {
		// Another's server could answer on a port that was taken meanwhile.
		info, err := client.Info(ctx, "server").Result()
		if err == nil && hasLine(info, "process_id:"+strconv.Itoa(s.process.Process.Pid)) {
			return nil
		}
		select {
		case <-ctx.Done():
			s.Kill()
			return errors.Join(errors.New("redis-server does not answer"), err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func hasLine(text, line string) bool {
	for len(text) > 0 {
		i := 0
		for i < len(text) && text[i] != '\r' && text[i] != '\n' {
			i++
		}
		if text[:i] == line {
			return true
		}
		text = text[min(len(text), i+1):]
	}
	return false
}

// Addr is where the server listens.
func (s *Server) Addr() string { return s.addr }

// Options are those of a client of the server, as the stores want them.
func (s *Server) Options() *redis.Options {
	return &redis.Options{
		Addr: s.addr, ContextTimeoutEnabled: true, MaxRetries: -1, DialTimeout: time.Second,
		ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
	}
}

// Client is a client of the server, which the test closes at its end.
func (s *Server) Client(tb testing.TB) *redis.Client {
	tb.Helper()
	c := redis.NewClient(s.Options())
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// Kill ends the process at once, and with it all that it holds.
func (s *Server) Kill() {
	s.dead = true
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// Restart starts the server again, empty, on the same port.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.Kill()
	if err := s.start(); err != nil {
		tb.Fatal(err)
	}
}
