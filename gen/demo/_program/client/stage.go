package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"demo/play"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// stage is where scenes are played, with what has happened so far.
type stage struct {
	ctx     context.Context // of the whole play
	out     io.Writer
	watch   *watch
	control remote
	calls   []play.Call

	scene  int
	counts map[string]*count // by the operation's ID
	keys   int               // idempotency keys given so far
}

// count is what came of an operation's calls.
type count struct {
	calls, tries int
	saved        int // calls that succeeded after a try that had not
	failed       int
	refused      int // calls that the breaker refused
	unsampled    bool
}

// scene is a fault and the calls that meet it.
type scene struct {
	title string
	// needs tells the operations that the scene can be played with; nil: it makes
	// its own choice.
	needs func(play.Call) bool
	run   func(*stage, play.Call) error
}

// play sets a scene, chooses an operation and lets it run.
func (s *stage) play(sc scene) error {
	s.scene++
	s.sayf("\n%d  %s\n", s.scene, sc.title)
	if err := s.control.faults(s.ctx); err != nil {
		return err
	}
	if sc.needs == nil {
		return sc.run(s, play.Call{})
	}
	c, ok := s.choose(sc.needs)
	if !ok {
		s.sayf("   left out: no operation of this document has a policy for it\n")
		return nil
	}
	return sc.run(s, c)
}

// choose takes the operation that a scene can be played with and that has been called
// least, so that as many as possible are seen.
func (s *stage) choose(needs func(play.Call) bool) (play.Call, bool) {
	best, found := play.Call{}, false
	least := 0
	for _, c := range s.calls {
		n := s.counts[c.ID]
		if n == nil {
			n = &count{}
		}
		// What fails when all is well says nothing about faults.
		if n.unsampled || n.failed > 0 && n.failed == n.calls || !needs(c) {
			continue
		}
		if !found || n.calls < least {
			best, found, least = c, true, n.calls
		}
	}
	return best, found
}

func (s *stage) sayf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// head is the line that a call begins with.
func (s *stage) head(c play.Call) {
	s.sayf("   %s  %s %s\n", c.ID, c.Method, c.Path)
}

// call makes one call, tells what came of it and counts it.
func (s *stage) call(c play.Call) (client.Meta, error) {
	s.head(c)
	meta, err := s.silent(c)
	s.result(meta, err)
	return meta, err
}

// silent makes one call and counts it.
func (s *stage) silent(c play.Call) (client.Meta, error) {
	var meta client.Meta
	opts := []client.CallOption{client.Into(&meta)}
	if c.CallerKey {
		s.keys++
		opts = append(opts, client.IdempotencyKey(fmt.Sprintf("demo-%d", s.keys)))
	}
	err := c.Run(s.ctx, opts...)
	if s.counts == nil {
		s.counts = map[string]*count{}
	}
	n := s.counts[c.ID]
	if n == nil {
		n = &count{}
		s.counts[c.ID] = n
	}
	if _, bad := errors.AsType[*play.SampleError](err); bad {
		n.unsampled = true
		return meta, err
	}
	n.calls++
	n.tries += meta.Tries
	switch {
	case err == nil && meta.Tries > 1:
		n.saved++
	case errors.Is(err, fault.ErrBreakerOpen):
		n.refused++
	case err != nil:
		n.failed++
	}
	return meta, err
}

// result is the line that a call ends with.
func (s *stage) result(meta client.Meta, err error) {
	var parts []string
	if err != nil {
		parts = append(parts, "failed: "+oneLine(err))
	} else {
		parts = append(parts, fmt.Sprintf("%d, %s", meta.Status, plural(meta.Tries, "try", "tries")))
		if meta.Waited > 0 {
			parts = append(parts, "waited "+short(meta.Waited))
		}
		rung := meta.Rung
		if rung == "" {
			rung = "the operation itself"
		}
		parts = append(parts, "answered by "+rung)
		if meta.Replayed {
			parts = append(parts, "the answer is that of the first request")
		}
	}
	parts = append(parts, "breaker "+s.watch.state().String())
	s.sayf("      result     %s\n", strings.Join(parts, "; "))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

func oneLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
