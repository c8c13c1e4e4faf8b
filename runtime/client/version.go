package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/etag"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
)

// IfMatch lets a call change only what is still of a version, as it was read: the server
// answers 412, or 409, otherwise. The version is any text, or an entity tag with its
// quotes, such as the ETag in [Meta].Header. See also [Update].
func IfMatch(version string) CallOption {
	t, ok := etag.Parse(version)
	if !ok {
		t = etag.Of(version)
	}
	return CallHeader("If-Match", t.String())
}

// MaxRereads is how often [Update] reads again what somebody else has changed.
const MaxRereads = 5

// rereadPause is the most that Update waits before it reads again the first time; it
// doubles each time. Those who have met wait differently, so that they do not meet again.
const rereadPause = 50 * time.Millisecond

// Update reads a thing, has it changed and written, and begins again from the reading
// when somebody else has written it in between, up to [MaxRereads] times; the error is
// then that of the last write. The two functions make one call each, with the options
// that they are given: the version of what was read goes with the write as If-Match. A
// reading without an ETag is written without one, for things that have their version
// inside.
//
//	pet, err := client.Update(ctx,
//		func(ctx context.Context, opts ...client.CallOption) (*Pet, error) {
//			return api.GetPet(ctx, GetPetRequest{ID: id}, opts...)
//		},
//		func(ctx context.Context, pet *Pet, opts ...client.CallOption) (*Pet, error) {
//			pet.Name = "Rex"
//			return api.PutPet(ctx, PutPetRequest{ID: id, Body: *pet}, opts...)
//		})
func Update[T, R any](
	ctx context.Context,
	read func(ctx context.Context, opts ...CallOption) (T, error),
	write func(ctx context.Context, current T, opts ...CallOption) (R, error),
) (R, error) {
	var none R
	for n := 0; ; n++ {
		var seen Meta
		current, err := read(ctx, Into(&seen), again(n))
		if err != nil {
			return none, err
		}
		var opts []CallOption
		if tag := seen.Header.Get("ETag"); tag != "" {
			opts = append(opts, IfMatch(tag))
		}
		result, err := write(ctx, current, opts...)
		if err == nil || !IsConflict(err) || n == MaxRereads {
			return result, err
		}
		pause := time.Duration(rand.Int64N(int64(rereadPause) << n)) //nolint:gosec // It spreads, and protects nothing.
		if sleep.For(ctx, pause) != nil {
			return result, err // what it was waiting for says more than that time is over
		}
	}
}

// Reread is [Update] for a write that takes a request, which change makes of what was read;
// an error of change ends it. The options go with the write. Generated methods call it.
func Reread[T, W, R any](
	ctx context.Context,
	read func(ctx context.Context, opts ...CallOption) (T, error),
	change func(current T) (W, error),
	write func(ctx context.Context, req W, opts ...CallOption) (R, error),
	opts []CallOption,
) (R, error) {
	return Update(ctx, read, func(ctx context.Context, current T, version ...CallOption) (R, error) {
		req, err := change(current)
		if err != nil {
			var none R
			return none, err
		}
		return write(ctx, req, append(version, opts...)...)
	})
}

// RereadExec is [Reread] for a write without a result.
func RereadExec[T, W any](
	ctx context.Context,
	read func(ctx context.Context, opts ...CallOption) (T, error),
	change func(current T) (W, error),
	write func(ctx context.Context, req W, opts ...CallOption) error,
	opts []CallOption,
) error {
	_, err := Reread(ctx, read, change, func(ctx context.Context, req W, opts ...CallOption) (None, error) {
		return None{}, write(ctx, req, opts...)
	}, opts)
	return err
}

// again is [Refresh] for all but the first reading: what a cache holds is what has
// just turned out to be old.
func again(n int) CallOption {
	if n == 0 {
		return nil
	}
	return Refresh()
}

// IsConflict reports whether a call has failed because what it was to change is not of
// the version that it named: with 412, or with a 409 that says so. Other 409s, such as
// those of a lock, are none.
func IsConflict(err error) bool {
	var failed *fault.Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Status {
	case http.StatusPreconditionFailed:
		return true
	case http.StatusConflict:
		// What comes free again by itself is told with a time.
		return failed.RetryAt.IsZero()
	}
	return false
}
