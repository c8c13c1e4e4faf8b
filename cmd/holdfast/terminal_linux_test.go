package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// openTerminal makes a pseudo-terminal: what a program writes to the tty comes out of the
// other end.
func openTerminal(t *testing.T) (end, tty *os.File) {
	t.Helper()
	end, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = end.Close() })
	control := func(request uintptr, value *int32) {
		t.Helper()
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, end.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	var unlocked, number int32
	control(syscall.TIOCSPTLCK, &unlocked)
	control(syscall.TIOCGPTN, &number)
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return end, tty
}

// watched collects what a program shows, and lets a test wait for a text.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	grown chan struct{}
	over  chan struct{}
}

func watch(r io.Reader) *watched {
	w := &watched{grown: make(chan struct{}, 1), over: make(chan struct{})}
	go func() {
		defer close(w.over)
		piece := make([]byte, 4096)
		for {
			n, err := r.Read(piece)
			w.mu.Lock()
			w.text.Write(piece[:n])
			w.mu.Unlock()
			select {
			case w.grown <- struct{}{}:
			default:
			}
			if err != nil { // a terminal that nobody holds any more gives EIO
				return
			}
		}
	}()
	return w
}

func (w *watched) shown() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.ReplaceAll(w.text.String(), "\r\n", "\n") // as terminals end lines
}

// waitFor waits until text was shown.
func (w *watched) waitFor(t *testing.T, text string) {
	t.Helper()
	late := time.After(30 * time.Second)
	for !strings.Contains(w.shown(), text) {
		select {
		case <-w.grown:
		case <-w.over:
			if !strings.Contains(w.shown(), text) {
				t.Fatalf("%q was never shown in %q", text, w.shown())
			}
		case <-late:
			t.Fatalf("%q was not shown in %q", text, w.shown())
		}
	}
}

// onTerminal starts the tool with its standard error on a terminal, and env added to a
// plain environment.
func onTerminal(t *testing.T, dir string, env []string, args ...string) (*exec.Cmd, *watched) {
	t.Helper()
	end, tty := openTerminal(t)
	cmd := shippedCommand(t, dir, args...)
	cmd.Stderr = tty
	cmd.Env = append([]string{"TERM=xterm", "HOME=" + dir}, env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := tty.Close(); err != nil { // so that the program has the only one
		t.Fatal(err)
	}
	return cmd, watch(end)
}

// ended waits for the program, and gives its status and all that it has shown.
func ended(t *testing.T, cmd *exec.Cmd, w *watched) (int, string) {
	t.Helper()
	err := cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	<-w.over
	return cmd.ProcessState.ExitCode(), w.shown()
}

// A terminal hears what was written; a run that is short shows no progress.
func TestSummaryOnATerminal(t *testing.T) {
	dir := project(t, map[string]string{"openapi.yaml": shop, "out/old.go": header + "package out\n"})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out"}
	for _, want := range []string{" files written, 1 file removed\n", "out: up to date\n"} {
		cmd, w := onTerminal(t, dir, nil, args...)
		if code, text := ended(t, cmd, w); code != 0 || !strings.HasSuffix(text, want) || !strings.HasPrefix(text, "out: ") {
			t.Errorf("status %d, %q, want %q", code, text, want)
		}
	}
}

// A terminal shows the line at fault, in colours unless they are declined; a dumb one and
// a pipe get the text alone.
func TestExcerptOnATerminal(t *testing.T) {
	dir := project(t, map[string]string{"openapi.yaml": strings.Replace(shop, "schemas/Report'}", "schemas/Raport'}", 1)})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out"}
	plain := shipped(t, dir, args...)
	const line = "{$ref: '#/components/schemas/Raport'}"
	for what, tt := range map[string]struct {
		env             []string
		excerpt, colour bool
	}{
		"a terminal": {nil, true, true},
		"NO_COLOR":   {[]string{"NO_COLOR=1"}, true, false},
		"dumb":       {[]string{"TERM=dumb"}, false, false},
	} {
		cmd, w := onTerminal(t, dir, tt.env, args...)
		code, text := ended(t, cmd, w)
		hasExcerpt := strings.Contains(text, "   13 |") && strings.Contains(text, line) && strings.Contains(text, "      |") && strings.Contains(text, "^")
		if code != 1 || hasExcerpt != tt.excerpt || strings.Contains(text, "\x1b[") != tt.colour {
			t.Errorf("%s: status %d, %q", what, code, text)
		}
		if what == "dumb" && text != plain.stderr {
			t.Errorf("a dumb terminal gets %q, a pipe %q", text, plain.stderr)
		}
	}
	if plain.code != 1 || strings.Contains(plain.stderr, line) || strings.Contains(plain.stderr, "\x1b") {
		t.Errorf("a pipe gets %q", plain.stderr)
	}
}

// slow serves a document to those who wait for it: begun hears of each request, and
// closing the channel lets the answers go.
func slow(t *testing.T) (url string, begun, answer chan struct{}) {
	t.Helper()
	begun, answer = make(chan struct{}, 4), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		select {
		case <-answer:
			_, _ = w.Write([]byte(shop)) // the tool is what is tested
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/openapi.yaml", begun, answer
}

// A long run shows on a terminal what it is doing, and takes the line away again; a pipe
// hears nothing of it.
func TestProgressOnATerminalOnly(t *testing.T) {
	url, begun, answer := slow(t)
	dir := project(t, nil)
	var piped bytes.Buffer
	pipe := shippedCommand(t, dir, "generate", "--spec", url, "--out", "piped", "--allow-remote")
	pipe.Stderr = &piped
	if err := pipe.Start(); err != nil {
		t.Fatal(err)
	}
	<-begun
	cmd, w := onTerminal(t, dir, nil, "generate", "--spec", url, "--out", "out", "--allow-remote")
	w.waitFor(t, "\r\x1b[Kload… 1s")
	close(answer)
	code, text := ended(t, cmd, w)
	_, after, _ := strings.Cut(text, "load… ")
	if i := strings.LastIndex(after, eraseLine); code != 0 || i < 0 || !strings.HasPrefix(after[i:], eraseLine+"out: ") || !strings.HasSuffix(text, " files written\n") {
		t.Errorf("status %d, %q", code, text)
	}
	if err := pipe.Wait(); err != nil || piped.String() != "" {
		t.Errorf("%v, the pipe got %q", err, piped.String())
	}
}

// An interrupt ends the run with 1, and leaves nothing half done.
func TestInterrupt(t *testing.T) {
	url, begun, _ := slow(t)
	dir := project(t, map[string]string{"out/client.go": header + "package out\n"})
	before := tree(t, dir)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := shippedCommand(t, dir, "generate", "--spec", url, "--out", "out", "--allow-remote")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-begun
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // its status is looked at
		if want := "holdfast generate: interrupted; the target at work was left as it was\n"; cmd.ProcessState.ExitCode() != 1 || stderr.String() != want {
			t.Errorf("%v: status %d, %q", signal, cmd.ProcessState.ExitCode(), stderr.String())
		}
	}
	after := tree(t, dir)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, "out", "*")); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}
