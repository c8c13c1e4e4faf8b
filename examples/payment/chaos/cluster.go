//go:build linux

package main

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/holdfast-go/holdfast/examples/payment/bank"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
	"github.com/holdfast-go/holdfast/runtime/store/sql/pgtest"
	"github.com/holdfast-go/holdfast/templates"
)

const (
	instances      = 2
	accounts       = 24
	statemented    = 1 // of them, whose statements are closed: all want its lock
	initialBalance = 1_000_000_000
)

// cluster is the service: PostgreSQL, two instances, and the networks between.
//
//	clients - front - instances - one of lines each - PostgreSQL
type cluster struct {
	without   guard
	addresses []string
	front     *link
	lines     []*link
	marks     [instances]mark

	mu       sync.Mutex
	postgres *pgtest.Server
	running  []*exec.Cmd
	db       *sql.DB // straight to PostgreSQL, for the oracles; another one after a crash
}

// begin starts all of it. What has been started is ended by end, also after an error.
func begin(ctx context.Context, without guard) (*cluster, error) {
	c := &cluster{without: without, running: make([]*exec.Cmd, instances)}
	for i := range c.marks {
		c.marks[i] = make(mark, 1)
	}
	var err error
	if c.postgres, err = pgtest.Start(); err != nil {
		return c, err
	}
	if c.db, err = sql.Open("pgx", c.postgres.URL()); err != nil {
		return c, err
	}
	if err := c.fill(ctx); err != nil {
		return c, err
	}
	for i := range instances {
		line, err := newLink(host(c.postgres.URL()))
		if err != nil {
			return c, err
		}
		c.lines = append(c.lines, line)
		address, err := freeAddress()
		if err != nil {
			return c, err
		}
		c.addresses = append(c.addresses, address)
		if err := c.start(i); err != nil {
			return c, err
		}
	}
	c.front, err = newLink(c.addresses...)
	if err != nil {
		return c, err
	}
	err = c.ready(ctx)
	return c, err
}

// observer notes each token that a statement leaves behind, with the one before.
const observer = `CREATE TABLE token (account text NOT NULL, before bigint NOT NULL, after bigint NOT NULL);
CREATE FUNCTION note_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO token VALUES (NEW.id, OLD.fence, NEW.fence);
	RETURN NEW;
END $$;
CREATE TRIGGER note_token BEFORE UPDATE OF fence ON account FOR EACH ROW EXECUTE FUNCTION note_token();`

func (c *cluster) fill(ctx context.Context) error {
	tables, err := templates.Files.ReadFile("schema_postgres.sql.tmpl")
	if err != nil {
		return err
	}
	if _, err := c.db.ExecContext(ctx, string(tables)); err != nil {
		return err
	}
	if err := bank.Setup(ctx, c.db, sqlstore.PostgreSQL); err != nil {
		return err
	}
	if _, err := c.db.ExecContext(ctx, observer); err != nil {
		return err
	}
	for i := range accounts {
		if err := bank.Open(ctx, c.db, account(i), initialBalance); err != nil {
			return err
		}
	}
	return nil
}

func account(i int) string { return fmt.Sprint("account-", i) }

// start starts an instance. It ends with this process.
func (c *cluster) start(i int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self) //nolint:noctx // It ends when it is killed.
	cmd.Env = append(os.Environ(), roleVariable+"="+instanceRole, addressVariable+"="+c.addresses[i], withoutVariable+"="+string(c.without),
		databaseVariable+"=postgres://postgres@"+c.lines[i].addr()+"/postgres?sslmode=disable&connect_timeout=2&default_query_exec_mode=exec")
	cmd.Stdout, cmd.Stderr = c.marks[i], os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		// The signal is sent when the thread dies that has started the process.
		runtime.LockOSThread()
		started <- cmd.Start()
		_ = cmd.Wait()
	}()
	if err := <-started; err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[i] = cmd
	return nil
}

// mark gets a message when an instance says that it works on a statement.
type mark chan struct{}

func (m mark) Write(p []byte) (int, error) {
	select {
	case m <- struct{}{}:
	default:
	}
	return len(p), nil
}

// wait waits for a new message; false when there is none for a while.
func (m mark) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-m:
	default:
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-m:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}

// signal sends an instance a signal. It may have ended.
func (c *cluster) signal(i int, s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cmd := c.running[i]; cmd != nil {
		_ = cmd.Process.Signal(s)
	}
}

// crash ends PostgreSQL and starts it again, and leads the instances there.
func (c *cluster) crash() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.postgres.Crash(); err != nil {
		return err
	}
	for _, line := range c.lines {
		line.lead(host(c.postgres.URL()))
	}
	_ = c.db.Close()
	var err error
	c.db, err = sql.Open("pgx", c.postgres.URL())
	return err
}

// count is the number that a query gives.
func (c *cluster) count(ctx context.Context, query string) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock() // not during a crash
	err = c.db.QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

// ready waits until all instances take connections.
func (c *cluster) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for _, address := range c.addresses {
		for {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
			if err == nil {
				_ = conn.Close()
				break
			}
			if rest(ctx, 20*time.Millisecond) != nil {
				return fmt.Errorf("an instance does not start: %w", err)
			}
		}
	}
	return nil
}

// end ends all of it.
func (c *cluster) end() {
	for i := range c.running {
		c.signal(i, syscall.SIGKILL)
	}
	if c.front != nil {
		c.front.close()
	}
	for _, line := range c.lines {
		line.close()
	}
	if c.db != nil {
		_ = c.db.Close()
	}
	if c.postgres != nil {
		c.postgres.Stop()
	}
}

// host is the host and port of a URL of PostgreSQL.
func host(url string) string {
	_, rest, _ := strings.Cut(url, "@")
	address, _, _ := strings.Cut(rest, "/")
	return address
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It takes no time.
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// rest waits for a while, or until the context ends.
func rest(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
