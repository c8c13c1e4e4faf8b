// Package play is what the client, the server and the generated part of the demo share.
package play

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
)

// Operation is an operation with what its policy says, as far as the demo shows it.
type Operation struct {
	ID     string
	Method string
	Path   string
	Effect string // read, idempotent or write
	// Key: the client sends an idempotency key, with CallerKey one that its caller gives.
	// Replays: the server answers a key that it knows with the first result.
	Key, CallerKey, Replays bool
	// Tries is the number of tries in all, Attempt what one of them has; zero is no bound.
	Tries   int
	Attempt time.Duration
	// Recovery is how long the breaker stays open; zero: there is none.
	Recovery time.Duration
}

// Call is an operation with a request for it.
type Call struct {
	Operation

	// Run makes the call and waits until its answer is complete.
	Run func(ctx context.Context, opts ...client.CallOption) error
}

// Do is a call of a method with a request and a result. The sample is the request as
// encoding/json writes it; set completes it with what JSON cannot say.
func Do[Req, Res any](op Operation, sample string, method func(context.Context, Req, ...client.CallOption) (Res, error), set ...func(*Req)) Call {
	return Call{op, func(ctx context.Context, opts ...client.CallOption) error {
		req, err := request(sample, set)
		if err != nil {
			return err
		}
		res, err := method(ctx, req, opts...)
		if err != nil {
			return err
		}
		return settle(reflect.ValueOf(res))
	}}
}

// Exec is a call of a method with a request and no result.
func Exec[Req any](op Operation, sample string, method func(context.Context, Req, ...client.CallOption) error, set ...func(*Req)) Call {
	return Call{op, func(ctx context.Context, opts ...client.CallOption) error {
		req, err := request(sample, set)
		if err != nil {
			return err
		}
		return method(ctx, req, opts...)
	}}
}

// Get is a call of a method with a result and no request.
func Get[Res any](op Operation, method func(context.Context, ...client.CallOption) (Res, error)) Call {
	return Call{op, func(ctx context.Context, opts ...client.CallOption) error {
		res, err := method(ctx, opts...)
		if err != nil {
			return err
		}
		return settle(reflect.ValueOf(res))
	}}
}

// Ping is a call of a method with neither.
func Ping(op Operation, method func(context.Context, ...client.CallOption) error) Call {
	return Call{op, method}
}

// SampleError says that a sample is not what the operation takes. Nothing was sent.
type SampleError struct{ Err error }

func (e *SampleError) Error() string {
	return fmt.Sprintf("the sample request does not fit: %v", e.Err)
}
func (e *SampleError) Unwrap() error { return e.Err }

// request makes a new request for each call, since a stream is read once.
func request[Req any](sample string, set []func(*Req)) (Req, error) {
	var req Req
	if err := json.Unmarshal([]byte(sample), &req); err != nil {
		return req, &SampleError{err}
	}
	for _, f := range set {
		f(&req)
	}
	return req, nil
}

// maxItems is how much of a stream is read: enough to see that it works.
const maxItems = 100

// settle reads what is left open of a request or a result, which may be a stream or hold
// some.
func settle(v reflect.Value) error {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() || v.Kind() == reflect.Interface && v.IsNil() {
		return nil
	}
	if v.CanInterface() {
		if _, ok := reflect.TypeAssert[io.Closer](v); ok {
			return finish(v)
		}
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if k := f.Kind(); !v.Type().Field(i).IsExported() || k != reflect.Func && k != reflect.Pointer && k != reflect.Interface || f.IsNil() {
			continue
		}
		if err := finish(f); err != nil {
			return err
		}
	}
	return nil
}

// finish reads a stream to its end and closes it.
func finish(v reflect.Value) error {
	if v.Kind() == reflect.Func {
		return drain(v)
	}
	err := read(v)
	if c, ok := reflect.TypeAssert[io.Closer](v); ok {
		err = errorOf(err, c.Close())
	}
	return err
}

// read reads bytes, or the items of a stream.
func read(v reflect.Value) error {
	if r, ok := reflect.TypeAssert[io.Reader](v); ok {
		_, err := io.Copy(io.Discard, r)
		return err
	}
	if all := v.MethodByName("All"); all.IsValid() && all.Type().NumIn() == 0 && all.Type().NumOut() == 1 {
		return drain(all.Call(nil)[0])
	}
	return nil
}

// drain reads the items of an iter.Seq2 with an error beside each.
func drain(items reflect.Value) error {
	if !items.Type().CanSeq2() {
		return nil
	}
	n := 0
	for _, failed := range items.Seq2() {
		if err, ok := reflect.TypeAssert[error](failed); ok && err != nil {
			return err
		}
		if n++; n == maxItems {
			return nil
		}
	}
	return nil
}

func errorOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
