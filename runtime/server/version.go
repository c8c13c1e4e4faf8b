package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/etag"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// ErrVersionConflict is an error for methods to return when what they were to change is
// not of the version that the caller has read. It is answered with 412, or with 409 where
// the policy says so.
var ErrVersionConflict = errors.New("server: the version is not the present one")

// expectation is the version that a request wants to change.
type expectation struct {
	match, noneMatch etag.List
	version          etag.Tag // that the policy finds in the request
	has              bool     // there is one
	// shadow tells of a conflict instead of being one.
	shadow func(ctx context.Context)
}

func (e *expectation) isZero() bool { return e.match.IsZero() && e.noneMatch.IsZero() && !e.has }

// holds reports whether the thing is as the request wants it; a nil tag is no thing.
func (e *expectation) holds(now *etag.Tag) bool {
	switch {
	case !e.match.IsZero() && (now == nil || !e.match.Strong(*now)):
		return false
	case e.has && (now == nil || *now != e.version):
		return false
	}
	return now == nil || e.noneMatch.IsZero() || !e.noneMatch.Weakly(*now)
}

// tagOf is the entity tag of a version. A version that is an entity tag already, quotes
// and all, stays as it is.
func tagOf(version string) etag.Tag {
	if t, ok := etag.Parse(version); ok {
		return t
	}
	return etag.Of(version)
}

// CheckVersion holds what a method is about to change to the version that the request
// names: with If-Match, or where the concurrency of the policy finds it. The present
// version is any text; empty means that there is no such thing. The result is
// ErrVersionConflict, for the method to return, or nil, as for a request that names none.
//
// Check and change have to be one step, or somebody else may come in between: in one
// transaction, or with the version of [ExpectedVersion] as a condition of the change.
func CheckVersion(ctx context.Context, present string) error {
	c := callOf(ctx)
	if c == nil || c.expect == nil {
		return nil
	}
	var now *etag.Tag
	if present != "" {
		t := tagOf(present)
		now = &t
	}
	if c.expect.holds(now) {
		return nil
	}
	if c.expect.shadow != nil {
		c.expect.shadow(ctx)
		return nil
	}
	return ErrVersionConflict
}

// ExpectedVersion is the one version that a request wants to change, for methods that
// make it a condition of the change: UPDATE … WHERE version = $1. It is false when the
// request names none, or leaves a choice; see [CheckVersion].
func ExpectedVersion(ctx context.Context) (string, bool) {
	c := callOf(ctx)
	switch {
	case c == nil || c.expect == nil:
		return "", false
	case c.expect.has:
		return c.expect.version.Version(), true
	case len(c.expect.match.Tags) == 1 && !c.expect.match.Tags[0].Weak:
		return c.expect.match.Tags[0].Version(), true
	}
	return "", false
}

// SetVersion makes a version, which may be any text, the ETag of the answer: the one of
// what the method has read, or of what it has made. It counts where the policy of the
// operation has concurrency or cache and the document no ETag header of its own, and must
// not be called after the method has returned.
func SetVersion(ctx context.Context, version string) {
	if c := callOf(ctx); c != nil {
		c.version, c.hasVersion = version, true
	}
}

// precondition reads which version the request is about. It answers 428 where it has to
// name one, and with a conflict where what it names cannot be.
func (x *exchange) precondition() bool {
	p := x.endpoint.spec.Server.Concurrency
	if p == nil || x.endpoint.spec.Client.Effect == policy.Read {
		return true
	}
	e := new(expectation)
	var good, fine bool
	e.match, good = etag.ParseList(x.r.Header["If-Match"])
	e.noneMatch, fine = etag.ParseList(x.r.Header["If-None-Match"])
	if !p.Version.IsZero() && !ofAnswer(p.Version) {
		look := values{x: x}
		if v, ok := look.Lookup(p.Version); ok && v.Plain() != "" && !(v.JSON && v.Text == "null") {
			e.version, e.has = tagOf(v.Plain()), true
		}
	}
	var no *fault.Problem
	switch {
	case !good || !fine:
		no = problem(http.StatusBadRequest, "If-Match and If-None-Match take entity tags")
	case e.has && !e.match.IsZero() && !e.match.Strong(e.version):
		no = x.versionConflict() // the two cannot both hold
	case e.isZero() && p.IfMatch == policy.IfMatchRequired:
		no = problem(http.StatusPreconditionRequired, "a change has to name the version that it is about, in If-Match")
		no.Type, no.Title = fault.TypeVersionRequired, "Version required"
	}
	if p.Mode == policy.Shadow {
		op, hooks := x.op(), x.h.hooks
		e.shadow = func(ctx context.Context) {
			if hooks.Reject != nil {
				hooks.Reject(ctx, observe.Reject{Op: op, Name: op, Reason: observe.Precondition, Shadow: true})
			}
		}
		if no != nil {
			x.rejected(op, observe.Precondition, true, time.Time{})
			return true
		}
	}
	if no != nil {
		if no.Status != http.StatusBadRequest {
			x.rejected(x.op(), observe.Precondition, false, time.Time{})
		}
		x.problem(no)
		return false
	}
	x.call.expect = e
	return true
}

// versionConflict is the answer to a lost race.
func (x *exchange) versionConflict() *fault.Problem {
	status := http.StatusPreconditionFailed
	if p := x.endpoint.spec.Server.Concurrency; p != nil && p.Conflict == http.StatusConflict {
		status = http.StatusConflict
	}
	p := problem(status, "it has changed since it was read")
	p.Type, p.Title = fault.TypeVersionConflict, "Version conflict"
	return p
}
