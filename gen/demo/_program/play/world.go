package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"sync"
)

// World is what the generated service acts on: it counts its own runs. It is safe for
// concurrent use.
type World struct {
	mu      sync.Mutex
	effects map[string]int
}

// Effect notes that an operation is run. It comes after everything that the runtime may
// have to say about the request: a repeat that is answered from the store is none.
func (w *World) Effect(op string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.effects == nil {
		w.effects = map[string]int{}
	}
	w.effects[op]++
}

// Effects is how often each operation was run.
func (w *World) Effects() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.effects)
}

// ErrNoSample is the answer of an operation that the document admits no sample of.
var ErrNoSample = errors.New("the demo has no answer for this operation")

// Answer runs an operation: it counts, and gives the sample.
func Answer[T any](w *World, op, sample string) (T, error) {
	w.Effect(op)
	var v T
	if err := json.Unmarshal([]byte(sample), &v); err != nil {
		return v, fmt.Errorf("the sample answer of %s does not fit: %w", op, err)
	}
	return v, nil
}

// Reply is Answer for a result that is a struct of headers and a body; set completes it
// with what JSON cannot say.
func Reply[T any](w *World, op, sample string, set ...func(*T)) (*T, error) {
	v, err := Answer[T](w, op, sample)
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
