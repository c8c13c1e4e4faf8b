package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/security"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// World is what the client's and the server's side of one call have in common.
type World struct {
	requests, answers comparer

	mu     sync.Mutex
	op     string
	answer int
	sent   any // the twin of the request; nil: none
	gave   reflect.Value
	runs   int
	errs   []error

	refused string // the body of an answer that says what was wrong
}

// NewWorld is the world of a document.
func NewWorld(c *Contents) *World {
	return &World{
		requests: comparer{hidden: set(c.ReadOnly), filled: set(c.Defaults)},
		answers:  comparer{hidden: set(c.WriteOnly), filled: set(c.Defaults)},
	}
}

// expect says which operation is called next, with what.
func (w *World) expect(op string, answer int, twin any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.op, w.answer, w.sent, w.gave, w.runs, w.errs, w.refused = op, answer, twin, reflect.Value{}, 0, nil, ""
}

// err is what was wrong with the request that arrived.
func (w *World) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.errs...)
}

// once is an error when the operation was not run once.
func (w *World) once() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs != 1 {
		return fmt.Errorf("it was run %d times", w.runs)
	}
	return nil
}

func (w *World) given() reflect.Value {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gave
}

// fail notes an error of the server's side.
func (w *World) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errs = append(w.errs, err)
}

// Run is one run of an operation by the generated service.
type Run struct{ world *World }

// Run compares the request, a pointer or nil, with what was sent.
func (w *World) Run(op string, req any) *Run {
	w.mu.Lock()
	wanted, twin := w.op, w.sent
	w.runs++
	w.mu.Unlock()
	switch {
	case op != wanted:
		w.fail(fmt.Errorf("%s was run", op))
	case (req == nil) != (twin == nil):
		w.fail(errors.New("there is a request on one side only"))
	case req != nil:
		if err := w.requests.compare("request", reflect.ValueOf(twin).Elem(), reflect.ValueOf(req).Elem()); err != nil {
			w.fail(err)
		}
	}
	return &Run{w}
}

// Answer is the number of the answer that is wanted.
func (r *Run) Answer() int {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	return r.world.answer
}

// gives keeps the twin of an answer.
func (r *Run) gives(twin any) {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	v := reflect.ValueOf(twin) // a pointer, so that all of it can be read
	r.world.gave = v.Elem()
}

// Done ends a run that gives nothing.
func (r *Run) Done() error { return nil }

// Give ends a run with a body that is no JSON.
func Give[T any](r *Run, v T) (T, error) {
	twin := v
	if b, ok := any(&twin).(*server.Body); ok {
		kept := keep(&b.Reader)
		any(&v).(*server.Body).Reader = kept
	}
	r.gives(&twin)
	return v, nil
}

// Answer ends a run with a sample.
func Answer[T any](r *Run, sample string) (T, error) {
	var v T
	twin := new(T)
	err := r.make(sample, &v, twin)
	r.gives(twin)
	return v, err
}

// Reply is Answer for a result that is a struct of headers and a body; set completes it.
func Reply[T any](r *Run, sample string, set ...func(*T)) (*T, error) {
	v, twin := new(T), new(T)
	err := r.make(sample, v, twin)
	for _, f := range set {
		f(v)
		f(twin)
	}
	r.gives(&twin)
	return v, err
}

func (r *Run) make(sample string, v, twin any) error {
	err := errors.Join(json.Unmarshal([]byte(sample), v), json.Unmarshal([]byte(sample), twin))
	if err != nil {
		r.world.fail(fmt.Errorf("the sample answer does not fit: %w", err))
	}
	return err
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

// ErrNoSample is the answer of an operation that the document admits no sample of.
var ErrNoSample = errors.New("there is no sample of an answer")

// secret is what generated calls give as each credential.
const secret = "demo"

// Welcome takes that credential alone, and grants every scope that is asked for.
func Welcome(_ context.Context, c *server.Credentials) (server.Principal, error) {
	if c.Scheme.Type != security.MutualTLS && c.Secret != secret {
		return server.Principal{}, fmt.Errorf("the credential %q arrived", c.Secret)
	}
	return server.Principal{ID: "caller", Scopes: c.Scopes}, nil
}

// Token is a source of one token, for schemes that have no option of their own.
func Token(text string) security.TokenSource { return token(text) }

type token string

func (t token) Token(context.Context) (string, error) { return string(t), nil }
