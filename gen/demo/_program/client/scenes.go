package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"demo/play"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// scenes are the faults, in the order in which they come.
var scenes = []scene{
	{"Nothing goes wrong", nil, (*stage).healthy},
	{"The first try is slower than its timeout", quick, (*stage).slow},
	{"The service is busy for a moment", retried, (*stage).busy},
	{"The service is busy and says when to come back", retried, (*stage).hinted},
	{"A connection is reset", retried, (*stage).reset},
	{"A write with a key is done, and its answer is lost", keyed, (*stage).doubled},
	{"A write without a key is done, and its answer is lost", bare, (*stage).unknown},
	{"The service fails until the breaker opens, then it recovers", guarded, (*stage).burst},
}

// Bounds on what is called and shown of a large document when nothing is wrong.
const (
	mostCalled = 400
	mostShown  = 12 // that were answered
	mostFailed = 20 // that were not
)

// patience is the longest attempt timeout and the longest recovery that are waited for.
const patience = 3 * time.Second

func retried(c play.Call) bool { return c.Tries > 1 && c.Effect == "read" }
func quick(c play.Call) bool   { return retried(c) && c.Attempt > 0 && c.Attempt <= patience }
func keyed(c play.Call) bool   { return c.Key && c.Replays && c.Tries > 1 && c.Effect == "write" }
func bare(c play.Call) bool    { return !c.Key && c.Effect == "write" }
func guarded(c play.Call) bool {
	return c.Effect == "read" && c.Recovery > 0 && c.Recovery <= patience
}

// healthy calls each operation once.
func (s *stage) healthy(play.Call) error {
	s.watch.hush(true)
	defer s.watch.hush(false)
	list := s.calls[:min(len(s.calls), mostCalled)]
	good, bad := 0, 0
	for _, c := range list {
		meta, err := s.silent(c)
		line := strconv.Itoa(meta.Status)
		if err == nil {
			if good++; good > mostShown {
				continue
			}
		} else {
			line = oneLine(err)
			if bad++; bad > mostFailed {
				continue
			}
		}
		s.sayf("   %-24s %-7s %s\n", c.ID, c.Method, line)
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
	if good > mostShown {
		s.sayf("   … and %d more that were answered\n", good-mostShown)
	}
	if bad > mostFailed {
		s.sayf("   … and %d more that failed\n", bad-mostFailed)
	}
	if n := len(s.calls) - len(list); n > 0 {
		s.sayf("   … and %d more that were not called\n", n)
	}
	return nil
}

// once lets faults happen to one call.
func (s *stage) once(c play.Call, faults ...play.Fault) error {
	if err := s.control.faults(s.ctx, faults...); err != nil {
		return err
	}
	_, _ = s.call(c) // what it failed with is on the screen
	return nil
}

func (s *stage) slow(c play.Call) error {
	return s.once(c, play.Fault{Kind: play.Slow, Delay: 2*c.Attempt + 100*time.Millisecond})
}

func (s *stage) busy(c play.Call) error {
	return s.once(c, play.Many(min(2, c.Tries-1), play.Fault{Kind: play.Busy})...)
}

func (s *stage) hinted(c play.Call) error {
	return s.once(c, play.Fault{Kind: play.Busy, RetryAfter: "1"})
}

func (s *stage) reset(c play.Call) error {
	return s.once(c, play.Fault{Kind: play.Reset})
}

// doubled sends a write twice and compares with what the service has done.
func (s *stage) doubled(c play.Call) error {
	before, err := s.control.effects(s.ctx)
	if err != nil {
		return err
	}
	if err := s.control.faults(s.ctx, play.Fault{Kind: play.Lost}); err != nil {
		return err
	}
	meta, _ := s.call(c)
	return s.effect(c, before, meta.Tries, "with one key")
}

// unknown is a write that must not be repeated.
func (s *stage) unknown(c play.Call) error {
	before, err := s.control.effects(s.ctx)
	if err != nil {
		return err
	}
	if err := s.control.faults(s.ctx, play.Fault{Kind: play.Lost}); err != nil {
		return err
	}
	meta, err := s.call(c)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		s.sayf("      effect     %s to the client: it does not repeat what may have been done\n", f.Effect)
	}
	return s.effect(c, before, meta.Tries, "")
}

// effect tells how often the service has run what was sent.
func (s *stage) effect(c play.Call, before map[string]int, sent int, how string) error {
	after, err := s.control.effects(s.ctx)
	if err != nil {
		return err
	}
	n := after[c.ID] - before[c.ID]
	word := fmt.Sprint(n, " effects")
	if n == 1 {
		word = "one effect"
	}
	if how != "" {
		how = " " + how
	}
	s.sayf("      %s: sent %s%s, run by the service %s\n", word, times(sent), how, times(n))
	return nil
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprint(n, " times")
}

// opening is the most calls that a breaker gets to open.
const opening = 40

// burst makes calls fail until the breaker opens, shows that it refuses, waits for it to
// try again and makes calls until it is closed.
func (s *stage) burst(c play.Call) error {
	if err := s.control.faults(s.ctx, play.Many(1000, play.Fault{Kind: play.Busy})...); err != nil {
		return err
	}
	s.head(c)
	s.watch.hush(true)
	sent := 0
	for s.watch.state() != observe.Open && sent < opening && s.ctx.Err() == nil {
		meta, err := s.silent(c)
		if sent++; sent == 1 {
			s.result(meta, err)
		}
	}
	s.watch.hush(false)
	if s.watch.state() != observe.Open {
		s.sayf("      %s failed and it is still closed\n", plural(sent, "call", "calls"))
		return nil
	}
	s.sayf("      %s failed until then\n", plural(sent, "call", "calls"))
	for range 2 {
		_, _ = s.call(c)
	}
	if err := s.control.faults(s.ctx); err != nil {
		return err
	}
	// A breaker stays open for up to a tenth longer than its recovery.
	wait := c.Recovery + c.Recovery/10 + 20*time.Millisecond
	s.sayf("   the service works again; waiting %s, the breaker's recovery\n", short(wait))
	select {
	case <-time.After(wait):
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	for n := 0; s.watch.state() != observe.Closed && n < opening && s.ctx.Err() == nil; n++ {
		_, _ = s.call(c)
	}
	return nil
}
