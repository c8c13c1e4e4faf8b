//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"
)

// options of a run.
type options struct {
	seed    uint64
	span    time.Duration // of the faults
	without guard
	// early ends the run at the first finding of an oracle.
	early bool
	// only are the kinds of faults; empty is all.
	only []string
}

// settleTime bounds what is asked after the faults.
const settleTime = 90 * time.Second

// run runs the service under faults, lets it recover, and asks the oracles.
func run(ctx context.Context, o options) (*report, error) {
	c, err := begin(ctx, o.without)
	defer c.end()
	if err != nil {
		return nil, err
	}
	l, err := newLoad(c.front.addr())
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	f := &faults{c: c, only: o.only, counts: make(map[string]int)}
	if err := disturb(ctx, c, l, f, o); err != nil {
		return nil, err
	}
	r := &report{Seed: o.seed, For: time.Since(begun), Without: o.without, Faults: f.counts}
	settled, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	if v, err := c.look(ctx, l); err != nil {
		return nil, err
	} else if !o.early || v.good() { // a finding does not go away
		l.settle(settled, rand.New(rand.NewPCG(o.seed, 3))) //nolint:gosec // It is no secret.
	}
	if r.Verdict, err = c.judge(ctx, l); err != nil {
		return nil, err
	}
	if r.Payments, err = c.count(ctx, `SELECT count(*) FROM payment`); err != nil {
		return nil, err
	}
	if r.Tokens, err = c.count(ctx, `SELECT count(*) FROM token`); err != nil {
		return nil, err
	}
	r.Keys, r.Calls, r.Failed, r.Tries, r.Replayed = l.next, l.calls, l.failed, l.tries, l.replayed
	return r, nil
}

// disturb runs the load under faults, and ends when all of these are over.
func disturb(ctx context.Context, c *cluster, l *load, f *faults, o options) error {
	ctx, cancel := context.WithTimeout(ctx, o.span)
	defer cancel()
	var work sync.WaitGroup
	for n := range uint64(16) {
		random := rand.New(rand.NewPCG(o.seed, 100+n)) //nolint:gosec // It is no secret.
		if n%2 == 0 {
			work.Go(func() { l.statements(ctx, random) })
		} else {
			work.Go(func() { l.pay(ctx, random) })
		}
	}
	var failed error
	work.Go(func() {
		failed = f.run(ctx, rand.New(rand.NewPCG(o.seed, 1))) //nolint:gosec // It is no secret.
		cancel()
	})
	if o.early {
		work.Go(func() {
			for rest(ctx, 200*time.Millisecond) == nil {
				if v, err := c.look(ctx, l); err == nil && !v.good() {
					cancel()
				}
			}
		})
	}
	work.Wait()
	return failed
}

// faults breaks a cluster.
type faults struct {
	c      *cluster
	only   []string
	counts map[string]int
	busy   [instances]sync.Mutex // an instance that is stopped, or starts again
	over   sync.WaitGroup

	heldUntil time.Time // of the last late delivery
}

// kind is a kind of faults with its share. Its function is false when it did nothing.
type kind struct {
	name  string
	share int
	do    func(f *faults, ctx context.Context, random *rand.Rand) (bool, error)
}

var kinds = []kind{
	{"kill -9", 4, (*faults).kill},
	{"stopped", 3, (*faults).stop},
	{"database crashed", 1, (*faults).crash},
	{"clients cut off", 2, (*faults).cutFront},
	{"database cut off", 3, (*faults).cutLine},
	{"slow", 2, (*faults).slow},
	{"answers lost", 3, (*faults).lose},
	{"late delivery", 5, (*faults).hold},
}

// run makes faults until the context ends, and then waits for their end.
func (f *faults) run(ctx context.Context, random *rand.Rand) error {
	total := 0
	var chosen []kind
	for _, k := range kinds {
		if len(f.only) == 0 || slices.Contains(f.only, k.name) {
			chosen = append(chosen, k)
			total += k.share
		}
	}
	defer f.over.Wait()
	for rest(ctx, 100*time.Millisecond+time.Duration(random.Int64N(int64(700*time.Millisecond)))) == nil {
		n := random.IntN(total)
		for _, k := range chosen {
			if n -= k.share; n >= 0 {
				continue
			}
			done, err := k.do(f, ctx, random)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			if done {
				f.counts[k.name]++
			}
			break
		}
	}
	return nil
}

// later ends a fault of an instance after a while, or at the end of all.
func (f *faults) later(ctx context.Context, i int, d time.Duration, end func() error) {
	f.over.Go(func() {
		defer f.busy[i].Unlock()
		_ = rest(ctx, d)
		if err := end(); err != nil {
			panic(err) // a process that cannot be started
		}
	})
}

func (f *faults) kill(ctx context.Context, random *rand.Rand) (bool, error) {
	i := random.IntN(instances)
	if !f.busy[i].TryLock() {
		return false, nil
	}
	f.c.signal(i, syscall.SIGKILL)
	f.later(ctx, i, time.Duration(random.Int64N(int64(500*time.Millisecond))), func() error { return f.c.start(i) })
	return true, nil
}

// stop stops an instance for longer than its locks and leases live, at times.
func (f *faults) stop(ctx context.Context, random *rand.Rand) (bool, error) {
	i := random.IntN(instances)
	if !f.busy[i].TryLock() {
		return false, nil
	}
	f.c.signal(i, syscall.SIGSTOP)
	f.later(ctx, i, 200*time.Millisecond+time.Duration(random.Int64N(int64(4*time.Second))), func() error {
		f.c.signal(i, syscall.SIGCONT)
		return nil
	})
	return true, nil
}

func (f *faults) crash(context.Context, *rand.Rand) (bool, error) { return true, f.c.crash() }

func (f *faults) cutFront(context.Context, *rand.Rand) (bool, error) {
	f.c.front.cut()
	return true, nil
}

func (f *faults) cutLine(_ context.Context, random *rand.Rand) (bool, error) {
	f.c.lines[random.IntN(instances)].cut()
	return true, nil
}

func (f *faults) slow(ctx context.Context, random *rand.Rand) (bool, error) {
	l := append([]*link{f.c.front}, f.c.lines...)[random.IntN(1+instances)]
	l.slow(time.Duration(random.Int64N(int64(50 * time.Millisecond))))
	f.over.Go(func() {
		_ = rest(ctx, time.Second)
		l.slow(0)
	})
	return true, nil
}

func (f *faults) lose(_ context.Context, random *rand.Rand) (bool, error) {
	l := append([]*link{f.c.front}, f.c.lines...)[random.IntN(1+instances)]
	l.lose(100 * time.Millisecond)
	return true, nil
}

// hold keeps what an instance writes for longer than its locks live, while it works under
// one. The other instance can take it meanwhile, and some time is left for the next ones.
func (f *faults) hold(ctx context.Context, random *rand.Rand) (bool, error) {
	i := random.IntN(instances)
	if time.Now().Before(f.heldUntil.Add(time.Second)) || !f.c.marks[i].wait(ctx, 500*time.Millisecond) {
		return false, nil
	}
	d := 1500*time.Millisecond + time.Duration(random.Int64N(int64(1500*time.Millisecond)))
	f.c.lines[i].hold(d)
	f.heldUntil = time.Now().Add(d)
	return true, nil
}

var errFound = errors.New("the oracles have found something")
