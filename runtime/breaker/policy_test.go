package breaker_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestSetPolicyKeepsTheWindow(t *testing.T) {
	b := breaker.New(externalAPI, breaker.Options{})
	for range 4 {
		call(t, b, breaker.Failure, start)
	}
	changed := externalAPI
	changed.Recovery = time.Minute
	b.SetPolicy(changed)
	if b.Policy().Recovery != time.Minute {
		t.Errorf("policy %+v", b.Policy())
	}
	call(t, b, breaker.Failure, start)
	if b.State() != observe.Open {
		t.Fatal("the four failures before the change were forgotten")
	}
	if until := b.RetryAt(); until.Before(at(time.Minute)) || until.After(at(66*time.Second)) {
		t.Errorf("open until %v, want the new recovery and up to a tenth more", until)
	}
}

func TestSetPolicyOfAnotherSizeBeginsAnew(t *testing.T) {
	for name, change := range map[string]func(*policy.Breaker){
		"count":    func(p *policy.Breaker) { p.Window.Count = 20 },
		"time":     func(p *policy.Breaker) { p.Window = policy.Window{Time: time.Minute} },
		"min time": func(p *policy.Breaker) { p.MinTime = time.Second },
	} {
		b := breaker.New(externalAPI, breaker.Options{})
		for range 4 {
			call(t, b, breaker.Failure, start)
		}
		p := externalAPI
		change(&p)
		b.SetPolicy(p)
		for i := range 5 {
			if b.State() != observe.Closed {
				t.Fatalf("%s: open after %d failures of the new window", name, i)
			}
			call(t, b, breaker.Failure, start)
		}
		if b.State() != observe.Open {
			t.Errorf("%s: %v after five failures of the new window", name, b.State())
		}
	}
}

func TestSetPolicyLowersTheThreshold(t *testing.T) {
	b := breaker.New(externalAPI, breaker.Options{})
	for range 4 {
		call(t, b, breaker.Failure, start)
	}
	p := externalAPI
	p.FailureThreshold = 3
	b.SetPolicy(p)
	if b.State() != observe.Closed {
		t.Fatal("a change of the settings alone has opened it")
	}
	call(t, b, breaker.Success, start)
	if b.State() != observe.Open {
		t.Error("four failures are above the new threshold of three")
	}
}

func TestSetPolicyKeepsTheState(t *testing.T) {
	b := breaker.New(externalAPI, breaker.Options{Random: func() float64 { return 0 }})
	trip(t, b, start)
	p := externalAPI
	p.Recovery, p.Probes = time.Second, 1
	b.SetPolicy(p)
	if _, ok := b.Allow(at(29*time.Second), time.Time{}); ok {
		t.Fatal("an open breaker let a call through before its time")
	}
	permit, ok := b.Allow(at(30*time.Second), time.Time{})
	if !ok || !permit.Probe() {
		t.Fatal("no probe after its time")
	}
	b.SetPolicy(externalAPI)
	b.SetPolicy(p)
	b.Done(permit, breaker.Success, at(31*time.Second))
	if b.State() != observe.Closed {
		t.Error("the probe under way did not count; one closes it now")
	}
}

// The detector of races looks on.
func TestSetPolicyDuringCalls(t *testing.T) {
	b := breaker.New(externalAPI, breaker.Options{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 500 {
				_ = b.Do(t.Context(), func(context.Context) error { return errIf(i%3 == 0) })
				b.Ready(time.Now())
			}
		})
	}
	for i := range 200 {
		p := externalAPI
		p.Window.Count += i % 3
		b.SetPolicy(p)
	}
	wg.Wait()
}

func errIf(failed bool) error {
	if failed {
		return errors.New("failed")
	}
	return nil
}
