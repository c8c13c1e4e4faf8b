package main

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lockedBuffer is a terminal that two goroutines may look at.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestProgressShowsAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen lockedBuffer
		p := newProgress(&screen)
		p.set("load")
		wait(999 * time.Millisecond)
		if got := screen.String(); got != "" {
			t.Errorf("shown too early: %q", got)
		}
		wait(time.Millisecond)
		if got, want := screen.String(), "\r\x1b[Kload… 1s"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		p.set("emit")
		wait(time.Second)
		if got, want := screen.String(), "\r\x1b[Kemit… 2s"; !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want %q at the end", got, want)
		}
		p.Close()
		if got := screen.String(); !strings.HasSuffix(got, "…"+" 2s\r\x1b[K") {
			t.Errorf("the line is not cleared: %q", got)
		}
	})
}

func TestProgressOfAShortRunIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen lockedBuffer
		p := newProgress(&screen)
		wait(500 * time.Millisecond)
		p.Close()
		if got := screen.String(); got != "" {
			t.Errorf("got %q", got)
		}
		var none *progress
		none.set("x")
		none.Close()
	})
}

// On a terminal the tool says what it wrote and shows the source line.
func TestTextOnATerminal(t *testing.T) {
	t.Chdir(project(t, map[string]string{"openapi.yaml": "openapi: [\n"}))
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &stdout, stderr: &stderr, screen: screen{terminal: true, color: true}}
	if code := a.run(context.Background(), []string{"generate", "--spec", "openapi.yaml", "--out", "api"}); code != exitFault {
		t.Errorf("status %d", code)
	}
	for _, want := range []string{"\x1b[", "openapi: [\n", "^"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("want %q in %q", want, stderr.String())
		}
	}
}
