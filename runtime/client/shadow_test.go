package client_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// rejections are what a client would have refused.
func rejections(list *[]observe.Reject) client.Option {
	return client.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) { *list = append(*list, e) }})
}

// A deadline in shadow mode is not sent and takes nothing off, and tells of tries that
// it would not have let begin.
func TestDeadlineInShadowMode(t *testing.T) {
	var got sent
	var rejected []observe.Reject
	c := core(t, got.handle(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }), rejections(&rejected))
	o := op(http.MethodGet, "/", noContent, func(s *policy.Spec) {
		s.Client.Deadline = &policy.Deadline{Propagate: true, Reserve: 5 * time.Second, Mode: policy.Shadow}
	})
	if _, err := call(t, c, o, nil, client.Within(time.Minute)); err != nil || len(rejected) != 0 {
		t.Errorf("%v, %+v: a minute is enough", err, rejected)
	}
	if _, err := call(t, c, o, nil, client.Within(4*time.Second)); err != nil {
		t.Error(err)
	}
	if len(rejected) != 1 || rejected[0].Reason != observe.Deadline || !rejected[0].Shadow {
		t.Errorf("%+v", rejected)
	}
	if h := got.last(t).header; h.Get("X-Request-Deadline-Ms") != "" {
		t.Errorf("a deadline was sent: %v", h)
	}
}

// Idempotency in shadow mode sends no key, so that the call is tried as one without,
// and tells of keys that it could not have made.
func TestIdempotencyInShadowMode(t *testing.T) {
	var got sent
	var rejected []observe.Reject
	c := core(t, got.handle(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }), rejections(&rejected))
	o := op(http.MethodPost, "/", noContent, func(s *policy.Spec) {
		s.Client.Idempotency = &policy.Idempotency{
			Mode: policy.Shadow, Header: "Idempotency-Key", Key: policy.KeyDerived,
			From: []policy.Expr{{Source: policy.FromQuery, Name: "order"}},
		}
	})
	var meta client.Meta
	_, err := call(t, c, o, nil, client.Into(&meta))
	if f := faultOf(t, err); !errors.Is(err, fault.ErrStatus) || f.Attempts != 1 || f.Key != "" || meta.Key != "" {
		t.Errorf("%+v, %+v", f, meta)
	}
	if len(rejected) != 1 || rejected[0].Reason != observe.Idempotency || !rejected[0].Shadow {
		t.Errorf("%+v: the value that the key is derived from was missing", rejected)
	}
	if _, err := call(t, c, o, nil, client.IdempotencyKey("k")); faultOf(t, err).Attempts != 1 || len(rejected) != 1 {
		t.Errorf("%v, %+v", err, rejected)
	}
	if h := got.last(t).header; h.Get("Idempotency-Key") != "" {
		t.Errorf("a key was sent: %v", h)
	}
}
