package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// Document is a document with its calls.
type Document struct {
	Name     string
	Contents *Contents
}

// Result is what came of the calls of one operation.
type Result struct {
	Document  string `json:"document"`
	Kind      string `json:"kind"`
	Operation string `json:"operation"`
	Calls     int    `json:"calls"`
	// Errors are those of the calls that were not answered as they should be.
	Errors []string `json:"errors,omitempty"`
}

// patience is how long one call may take. All are answered within milliseconds where a
// machine has nothing else to do.
const patience = 30 * time.Second

// Main makes all calls of the documents, and prints a Result for each operation, a line
// of JSON each.
func Main(documents ...Document) {
	out := json.NewEncoder(os.Stdout)
	for _, d := range documents {
		for i := range d.Contents.Groups {
			results, err := d.play(&d.Contents.Groups[i])
			if err != nil {
				results = append(results, &Result{Document: d.Name, Kind: d.Contents.Groups[i].Kind, Errors: []string{err.Error()}})
			}
			for _, r := range results {
				if err := out.Encode(r); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			}
		}
	}
}

// play calls all operations of a group.
func (d *Document) play(g *Group) ([]*Result, error) {
	w := NewWorld(d.Contents)
	h, err := d.handler(g, w)
	if err != nil {
		return nil, err
	}
	s, transport, err := serve(h, d.Contents.Certificates)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	dial := func() ([]Call, error) {
		return g.New(s.URL, client.Strict(), client.ValidateRequests(), client.Transport(transport), client.AfterAttempt(w.overhear))
	}
	calls, err := dial()
	if err != nil {
		return nil, err
	}
	var results []*Result
	for i := range calls {
		c := &calls[i]
		if n := len(results); n == 0 || results[n-1].Operation != c.ID {
			results = append(results, &Result{Document: d.Name, Kind: g.Kind, Operation: c.ID})
		}
		r := results[len(results)-1]
		r.Calls++
		if err := c.attempt(w, i); err != nil {
			r.Errors = append(r.Errors, fmt.Sprintf("%s %s, answer %d: %v", c.Method, c.Path, c.Answer, err))
			// A new client, since the breaker of this one may open.
			if calls, err = dial(); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}

// handler makes the handler; routes that contradict each other make it panic.
func (d *Document) handler(g *Group, w *World) (h http.Handler, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the handler: %v", p)
		}
	}()
	onError := func(_ context.Context, op string, status int, err error) {
		w.fail(fmt.Errorf("the server, of %s, with %d: %w", op, status, err))
	}
	onPanic := func(_ context.Context, op string, value any, stack []byte) {
		w.fail(fmt.Errorf("the server, of %s: panic: %v\n%s", op, value, stack))
	}
	return g.Handler(w, server.ValidateResponses(), server.OnError(onError), server.OnPanic(onPanic)), nil
}

// serve listens, with certificates of both sides where they are needed.
func serve(h http.Handler, certificates bool) (*httptest.Server, *http.Transport, error) {
	s := httptest.NewUnstartedServer(h)
	t := http.DefaultTransport.(*http.Transport).Clone()
	if !certificates {
		s.Start()
		return s, t, nil
	}
	var err error
	if s.TLS, t.TLSClientConfig, err = mutual(); err != nil {
		return nil, nil, err
	}
	s.StartTLS()
	return s, t, nil
}

// attempt makes one call. What it panics with is an error.
func (c *Call) attempt(w *World, n int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	opts := []client.CallOption{client.NoRetry()}
	if c.CallerKey {
		opts = append(opts, client.IdempotencyKey(fmt.Sprintf("call-%d", n)))
	}
	if err := c.run(ctx, w, opts); err != nil {
		return errors.Join(err, w.heard())
	}
	return w.once()
}

// overhear notes the body of an answer that says what was wrong.
func (w *World) overhear(_ *http.Request, res *http.Response, _ error) {
	if res == nil || res.StatusCode < http.StatusBadRequest {
		return
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<10))
	if err != nil {
		return
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), res.Body), res.Body}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused = string(body)
}

// heard is what overhear noted.
func (w *World) heard() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused == "" {
		return nil
	}
	return errors.New(w.refused)
}
