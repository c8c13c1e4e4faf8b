package observe_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/observe"
)

func TestJoin(t *testing.T) {
	var got []string
	hooks := func(name string) *observe.Hooks {
		return &observe.Hooks{
			AttemptStart:  func(context.Context, observe.AttemptStart) { got = append(got, name+" start") },
			BreakerChange: func(observe.BreakerChange) { got = append(got, name+" breaker") },
		}
	}
	j := observe.Join(nil, hooks("a"), &observe.Hooks{CallEnd: func(context.Context, observe.CallEnd) { got = append(got, "end") }}, hooks("b"))
	j.AttemptStart(t.Context(), observe.AttemptStart{})
	j.BreakerChange(observe.BreakerChange{})
	j.CallEnd(t.Context(), observe.CallEnd{})
	if want := []string{"a start", "b start", "a breaker", "b breaker", "end"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if j.Wait != nil {
		t.Error("a hook that nobody set")
	}
	if observe.Join(nil) == nil {
		t.Error("nothing to join gives nil")
	}
	only := hooks("x")
	if observe.Join(nil, only) != only {
		t.Error("one alone is copied")
	}
}

// A listener that uses what it watches must neither deadlock nor change the
// order.
func TestQueueReentrant(t *testing.T) {
	var q observe.Queue[int]
	var got []int
	var deliver func(int)
	deliver = func(n int) {
		got = append(got, n)
		if n < 10 {
			q.Add(n + 10)
			q.Drain(deliver)
		}
	}
	q.Add(1)
	q.Add(2)
	q.Drain(deliver)
	if want := []int{1, 2, 11, 12}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestQueueConcurrent(t *testing.T) {
	var q observe.Queue[int]
	var owner sync.Mutex
	next := 0
	var got []int
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				owner.Lock()
				next++
				q.Add(next)
				owner.Unlock()
				q.Drain(func(n int) { got = append(got, n) })
			}
		})
	}
	wg.Wait()
	if len(got) != 1600 || !slices.IsSorted(got) {
		t.Errorf("%d events, sorted %v", len(got), slices.IsSorted(got))
	}
}

func TestQueueSurvivesPanic(t *testing.T) {
	var q observe.Queue[int]
	q.Add(1)
	q.Add(2)
	func() {
		defer func() { _ = recover() }()
		q.Drain(func(int) { panic("listener") })
	}()
	var got []int
	q.Drain(func(n int) { got = append(got, n) })
	if !slices.Equal(got, []int{2}) {
		t.Errorf("got %v", got)
	}
}

// Hooks are plain functions; those that nobody needs stay nil.
func ExampleHooks() {
	hooks := observe.Hooks{
		Wait: func(_ context.Context, e observe.Wait) {
			fmt.Printf("%s waits %v before try %d (%v)\n", e.Op, e.For, e.Attempt, e.Reason)
		},
	}
	hooks.Wait(context.Background(), observe.Wait{Op: "getPet", Attempt: 2, For: 250_000_000})
	// Output: getPet waits 250ms before try 2 (backoff)
}

// A hook that is added has to be joined as well: both are called, in their order.
func TestJoinHasEveryHook(t *testing.T) {
	kind := reflect.TypeFor[observe.Hooks]()
	for i := range kind.NumField() {
		var got []string
		hook := func(name string) *observe.Hooks {
			h := &observe.Hooks{}
			field := reflect.ValueOf(h).Elem().Field(i)
			field.Set(reflect.MakeFunc(field.Type(), func(args []reflect.Value) []reflect.Value {
				got = append(got, name)
				if field.Type().NumOut() == 0 {
					return nil
				}
				return args[:1]
			}))
			return h
		}
		for _, j := range []*observe.Hooks{
			observe.Join(hook("a"), hook("b")), observe.Join(hook("a"), &observe.Hooks{}), observe.Join(&observe.Hooks{}, hook("b")),
		} {
			f := reflect.ValueOf(j).Elem().Field(i)
			if f.IsNil() {
				t.Fatal(kind.Field(i).Name, "is lost")
			}
			var args []reflect.Value
			for in := range f.Type().Ins() {
				if in.Kind() == reflect.Interface {
					args = append(args, reflect.ValueOf(t.Context()))
				} else {
					args = append(args, reflect.Zero(in))
				}
			}
			f.Call(args)
		}
		if want := []string{"a", "b", "a", "b"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", kind.Field(i).Name, got, want)
		}
	}
}
