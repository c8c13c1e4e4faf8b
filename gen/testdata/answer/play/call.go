// Package play stands where the demo has its package of that name, and has the functions
// that generated calls need. Its calls are made one after the other, and each is compared
// with what the service saw and gave.
package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// Contents are what a generated package of calls holds.
type Contents struct {
	Groups []Group
	// ReadOnly are the fields that are not in requests, WriteOnly those that are not in
	// answers, and Defaults those that the receiver fills in: "Trip.ID".
	ReadOnly, WriteOnly, Defaults []string
	// Certificates: an operation needs one of the client.
	Certificates bool
}

// Group is the operations, the webhooks or the callbacks.
type Group struct {
	Kind    string
	Handler func(*World, ...server.Option) http.Handler
	New     func(address string, opts ...client.Option) ([]Call, error)
}

// Operation is what is called.
type Operation struct {
	ID     string
	Method string
	Path   string
	// Answer is the number of the answer that the service is to give.
	Answer int
	// CallerKey: the caller gives an idempotency key.
	CallerKey bool
}

// Call is an operation with a request for it.
type Call struct {
	Operation

	method reflect.Value // of the client
	send   bool          // a webhook or callback, with its address
	url    string
	sample string // of the request; empty: none
	set    []reflect.Value
}

// Do is a call of a method with a request and a result.
func Do(op Operation, sample string, method any, set ...any) Call {
	c := Call{Operation: op, sample: sample, method: reflect.ValueOf(method)}
	for _, f := range set {
		c.set = append(c.set, reflect.ValueOf(f))
	}
	return c
}

// Exec is a call of a method with a request and no result.
func Exec(op Operation, sample string, method any, set ...any) Call {
	return Do(op, sample, method, set...)
}

// Get is a call of a method with a result and no request.
func Get(op Operation, method any) Call { return Do(op, "", method) }

// Ping is a call of a method with neither.
func Ping(op Operation, method any) Call { return Do(op, "", method) }

// SendDo is Do for a webhook or callback.
func SendDo(op Operation, sample, url string, method any, set ...any) Call {
	c := Do(op, sample, method, set...)
	c.send, c.url = true, url
	return c
}

// SendExec is Exec for a webhook or callback.
func SendExec(op Operation, sample, url string, method any, set ...any) Call {
	return SendDo(op, sample, url, method, set...)
}

// SendGet is Get for a webhook or callback.
func SendGet(op Operation, url string, method any) Call { return SendDo(op, "", url, method) }

// SendPing is Ping for a webhook or callback.
func SendPing(op Operation, url string, method any) Call { return SendDo(op, "", url, method) }

// request makes a new request, since a stream is read once. It is a pointer.
func (c *Call) request() (reflect.Value, error) {
	at := 1
	if c.send {
		at = 2
	}
	req := reflect.New(c.method.Type().In(at))
	if err := json.Unmarshal([]byte(c.sample), req.Interface()); err != nil {
		return req, fmt.Errorf("the sample request does not fit: %w", err)
	}
	for _, f := range c.set {
		f.Call([]reflect.Value{req})
	}
	return req, nil
}

// run makes the call and compares what arrives on both sides with what was sent.
func (c *Call) run(ctx context.Context, w *World, opts []client.CallOption) error {
	args := []reflect.Value{reflect.ValueOf(ctx)}
	if c.send {
		args = append(args, reflect.ValueOf(c.url))
	}
	var twin any
	if c.sample != "" {
		req, err := c.request()
		if err != nil {
			return err
		}
		other, err := c.request()
		if err != nil {
			return err
		}
		args, twin = append(args, req.Elem()), other.Interface()
	}
	w.expect(c.ID, c.Answer, twin)
	for _, o := range opts {
		args = append(args, reflect.ValueOf(o))
	}
	out := c.method.Call(args)
	failed, _ := out[len(out)-1].Interface().(error)
	if failed != nil && w.err() == nil {
		return failed
	}
	if err := w.err(); err != nil {
		return err
	}
	if len(out) == 1 {
		return nil
	}
	got := reflect.New(out[0].Type()).Elem()
	got.Set(out[0])
	given := w.given()
	if !given.IsValid() {
		return errors.New("the service gave nothing")
	}
	if got.Kind() == reflect.Interface && given.Type() != got.Type() {
		got = addressable(got.Elem()) // one of several results
	}
	return w.answers.compare("answer", given, got)
}
