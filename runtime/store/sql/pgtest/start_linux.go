package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Bounds of what is waited for.
const (
	startTime = 30 * time.Second
	stopTime  = 10 * time.Second
	portTries = 3
)

// account is who the server runs as. PostgreSQL refuses root.
type account struct {
	uid, gid int
	drop     bool
}

func start() (url string, stop func(), err error) {
	s, err := Start()
	if err != nil {
		return "", nil, err
	}
	return s.URL(), s.Stop, nil
}

// Server is a PostgreSQL server of its own, for tests and programs that end it and start it
// again. It is not safe for concurrent use.
type Server struct {
	bin, home string
	who       account
	process   *process
}

// Start starts a server on a free port, with an empty folder of its own.
func Start() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	who, err := whose()
	if err != nil {
		return nil, err
	}
	template, err := cluster(bin, who)
	if err != nil {
		return nil, err
	}
	home, err := who.folder("holdfast-pg-run-")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, home: home, who: who}
	if out, err := who.command("cp", "-a", template, s.data()).CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("copying the cluster: %w: %s", err, out), os.RemoveAll(home))
	}
	if err := s.serve(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(home))
	}
	return s, nil
}

// installed says why no server can be started.
func installed() error {
	if _, err := binaries(); err != nil {
		return err
	}
	_, err := whose()
	return err
}

func (s *Server) data() string { return filepath.Join(s.home, "data") }

func (s *Server) serve() (err error) {
	for range portTries { // the port that was free may be another's by now
		if s.process, err = s.who.serve(s.bin, s.data()); err == nil {
			return nil
		}
	}
	return err
}

// URL is the server's address, which is another one after Crash.
func (s *Server) URL() string { return s.process.url }

// Crash ends the server without a checkpoint, with everybody's connections, and starts it
// again: it recovers from its log.
func (s *Server) Crash() error {
	_ = s.process.cmd.Process.Signal(syscall.SIGQUIT)
	<-s.process.ended
	// What the ended server has left says that it is ready.
	if err := os.Remove(filepath.Join(s.data(), "postmaster.pid")); err != nil && !os.IsNotExist(err) {
		return err
	}
	return s.serve()
}

// Stop ends the server and deletes its folder.
func (s *Server) Stop() {
	s.process.stop()
	_ = os.RemoveAll(s.home)
}

// binaries is the folder of initdb and postgres: that of the PATH, or of the newest
// version where distributions keep several.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("there is no initdb in the PATH or in /usr/lib/postgresql")
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
}

func version(initdb string) int {
	n, _ := strconv.Atoi(strings.Split(initdb, "/")[4]) // 0 for what is no number
	return n
}

func whose() (account, error) {
	if os.Getuid() != 0 {
		return account{uid: os.Getuid(), gid: os.Getgid()}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return account{}, fmt.Errorf("it does not run as root: %w", err)
	}
	uid, errUID := strconv.Atoi(u.Uid)
	gid, errGID := strconv.Atoi(u.Gid)
	return account{uid: uid, gid: gid, drop: true}, errors.Join(errUID, errGID)
}

func (a account) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...) //nolint:noctx // Commands of this file; they end with what they do.
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if a.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// folder makes one that belongs to the account.
func (a account) folder(prefix string) (string, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return "", err
	}
	if err := os.Chown(dir, a.uid, a.gid); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// cluster is the folder that is copied. It is made aside and then renamed, so that of two
// test processes none sees half of it.
func cluster(bin string, who account) (string, error) {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("holdfast-pg-%s-%d", strings.ReplaceAll(strings.Trim(bin, "/"), "/", "-"), who.uid))
	if owner(name) == who.uid {
		return name, nil
	}
	dir, err := who.folder("holdfast-pg-init-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	data := filepath.Join(dir, "data")
	out, err := who.command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := os.Rename(data, name); err != nil && owner(name) != who.uid {
		return "", err
	}
	return name, nil
}

// owner is whose a folder is: one of another user's under the name is not trusted.
func owner(dir string) int {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return -1
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(sys.Uid)
	}
	return -1
}

// process is a server that runs.
type process struct {
	url   string
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // once it has ended
	log   bytes.Buffer
}

// serve runs postgres itself, so that the process is the server's first.
func (a account) serve(bin, data string) (*process, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &process{
		url:   fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port),
		cmd:   a.command(filepath.Join(bin, "postgres"), "-D", data, "-h", "127.0.0.1", "-p", strconv.Itoa(port), "-k", "", "-F", "-N", "200"),
		ended: make(chan struct{}),
	}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	started := make(chan error, 1)
	go func() {
		// The signal at the parent's death is sent when the thread dies that has started
		// the process: this one lives as long as the process.
		runtime.LockOSThread()
		started <- s.cmd.Start()
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	err = s.ready(filepath.Join(data, "postmaster.pid"))
	return s, err
}

// ready waits until the file of the server says so, in its eighth line.
func (s *process) ready(file string) error {
	end := time.After(startTime)
	for {
		text, _ := os.ReadFile(file)
		if lines := strings.Split(string(text), "\n"); len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready" {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the server ended: %w: %s", s.err, bytes.TrimSpace(s.log.Bytes()))
		case <-end:
			s.stop()
			return errors.New("the server was not ready in time")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// stop ends the server, with those who are connected.
func (s *process) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGINT) // "fast": roll back and end
	select {
	case <-s.ended:
	case <-time.After(stopTime):
		_ = s.cmd.Process.Signal(syscall.SIGQUIT)
		<-s.ended
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It takes no time.
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
