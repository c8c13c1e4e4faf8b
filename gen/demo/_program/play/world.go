package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"sync"
)

// World is what the generated service acts on: it counts its own runs. It is safe for
// concurrent use.
type World struct {
	mu      sync.Mutex
	effects map[string]int
}

// Effects is how often each operation was run.
func (w *World) Effects() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.effects)
}

// ErrNoSample is the answer of an operation that the document admits no sample of.
var ErrNoSample = errors.New("the demo has no answer for this operation")

// Run is one run of an operation by the generated service.
type Run struct {
	op  string
	err error // the request did not come whole
}

// Run begins a run of an operation and counts it. It comes after everything that the
// runtime may have to say about the request: a repeat that is answered from the store is
// no run. A request is a pointer, or nil where there is none; what it streams is read, as
// a service does that keeps it.
func (w *World) Run(op string, req any) *Run {
	run := &Run{op: op}
	if req != nil {
		if run.err = settle(reflect.ValueOf(req)); run.err != nil {
			return run
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.effects == nil {
		w.effects = map[string]int{}
	}
	w.effects[op]++
	return run
}

// Done ends a run that gives nothing.
func (r *Run) Done() error { return r.err }

// Give ends a run with a body that is no JSON.
func Give[T any](r *Run, v T) (T, error) { return v, r.err }

// Answer ends a run with a sample.
func Answer[T any](r *Run, sample string) (T, error) {
	var v T
	if r.err != nil {
		return v, r.err
	}
	if err := json.Unmarshal([]byte(sample), &v); err != nil {
		return v, fmt.Errorf("the sample answer of %s does not fit: %w", r.op, err)
	}
	return v, nil
}

// Reply is Answer for a result that is a struct of headers and a body; set completes it
// with what JSON cannot say.
func Reply[T any](r *Run, sample string, set ...func(*T)) (*T, error) {
	v, err := Answer[T](r, sample)
	if err != nil {
		return nil, err
	}
	for _, f := range set {
		f(&v)
	}
	return &v, nil
}

// Items is a stream of samples.
func Items[T any](samples ...string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, sample := range samples {
			var v T
			err := json.Unmarshal([]byte(sample), &v)
			if !yield(v, err) {
				return
			}
		}
	}
}
