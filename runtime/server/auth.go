package server

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// errNoAuthenticate: an operation needs credentials that nobody can check.
var errNoAuthenticate = errors.New("the operation needs credentials, and the handler was made without Authenticate")

// authorize finds out who makes the request. Of the alternatives for which the
// request presents all credentials the first that is good counts; without any, the
// operation has to allow anonymous requests. Otherwise it answers with 401 or 403.
func (x *exchange) authorize() bool {
	alternatives := x.endpoint.security
	if len(alternatives) == 0 {
		return true
	}
	var denied *denial
	presented, anonymous := false, false
	for _, r := range alternatives {
		if len(r) == 0 {
			anonymous = true
			continue
		}
		if !x.presents(r) {
			presented = presented || x.presentsAny(r)
			continue
		}
		presented = true
		d := x.check(r)
		if d == nil {
			return true
		}
		if denied == nil || d.rank() > denied.rank() {
			denied = d
		}
		if d.problem != nil || d.responder != nil {
			break
		}
	}
	switch {
	case denied != nil:
		x.deny(denied)
		return false
	case anonymous && !presented:
		return true
	case anonymous:
		// A part of the credentials that belong together is not a wrong one.
		return true
	}
	x.unauthorized("missing: " + security.Missing(alternatives, func(s *security.Scheme) bool {
		_, ok := s.Read(x.r)
		return ok
	}))
	return false
}

// presents reports whether the request has credentials for all of the schemes.
func (x *exchange) presents(r security.Requirement) bool {
	for _, u := range r {
		if _, ok := u.Scheme.Read(x.r); !ok {
			return false
		}
	}
	return true
}

// presentsAny reports whether it has some.
func (x *exchange) presentsAny(r security.Requirement) bool {
	return slices.ContainsFunc(r, func(u security.Use) bool { _, ok := u.Scheme.Read(x.r); return ok })
}

// denial is why an alternative does not hold.
type denial struct {
	problem   *fault.Problem // or
	responder Responder      // or
	scopes    []string       // that are missing, or
	err       error          // the credentials are not good
}

// rank orders denials: what says most is answered.
func (d *denial) rank() int {
	switch {
	case d.problem != nil, d.responder != nil:
		return 2
	case d.scopes != nil:
		return 1
	}
	return 0
}

// check has all credentials of an alternative checked. The principal is the first
// scheme's, with the scopes of all.
func (x *exchange) check(r security.Requirement) *denial {
	if x.h.authenticate == nil {
		x.cause = errNoAuthenticate
		x.h.failed(x.call, x.op(), http.StatusInternalServerError, errNoAuthenticate)
		return &denial{problem: problem(http.StatusInternalServerError, "")}
	}
	var all Principal
	for i, u := range r {
		credential, _ := u.Scheme.Read(x.r)
		c := &Credentials{Scheme: u.Scheme, Scopes: u.Scopes, Credential: credential, Operation: x.op(), Request: x.r}
		p, err := x.h.authenticate(x.call, c)
		if err != nil {
			return x.denied(err)
		}
		if missing := lacking(p.Scopes, u.Scopes); missing != nil {
			return &denial{scopes: missing}
		}
		if i == 0 {
			all = p
			continue
		}
		all.join(p)
	}
	x.call.principal, x.call.known = all, true
	return nil
}

// join adds what another scheme says about the same caller.
func (p *Principal) join(other Principal) {
	if p.ID == "" {
		p.ID = other.ID
	}
	p.Scopes = append(slices.Clip(p.Scopes), other.Scopes...)
	if p.Value == nil {
		p.Value = other.Value
	}
	if len(other.Claims) == 0 {
		return
	}
	claims := make(map[string]any, len(p.Claims)+len(other.Claims))
	maps.Copy(claims, other.Claims)
	maps.Copy(claims, p.Claims)
	p.Claims = claims
}

// lacking are the needed scopes that are not there.
func lacking(has, needs []string) []string {
	var missing []string
	for _, scope := range needs {
		if !slices.Contains(has, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// denied tells the errors of Authenticate apart.
func (x *exchange) denied(err error) *denial {
	if own, ok := errors.AsType[Responder](err); ok {
		return &denial{responder: own, err: err}
	}
	var p *fault.Problem
	if errors.As(err, &p) && p != nil {
		return &denial{problem: problemOf(err), err: err}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &denial{problem: problem(http.StatusServiceUnavailable, "the credentials could not be checked"), err: err}
	}
	return &denial{err: err}
}

// deny answers a request whose credentials do not do.
func (x *exchange) deny(d *denial) {
	if d.err != nil {
		x.cause = d.err
	}
	switch {
	case d.responder != nil:
		x.respond(d.err)
	case d.problem != nil:
		if d.err != nil {
			x.h.failed(x.call, x.op(), d.problem.Status, d.err)
		}
		if d.problem.Status == http.StatusUnauthorized {
			x.challenge()
		}
		x.problem(d.problem)
	case d.scopes != nil:
		p := problem(http.StatusForbidden, "missing scopes: "+strings.Join(d.scopes, ", "))
		x.problem(p)
	default:
		x.h.failed(x.call, x.op(), http.StatusUnauthorized, d.err)
		x.unauthorized("the credentials are not accepted")
	}
}

// unauthorized answers 401.
func (x *exchange) unauthorized(detail string) {
	x.challenge()
	x.problem(problem(http.StatusUnauthorized, detail))
}

// challenge names the schemes that would do, each once.
func (x *exchange) challenge() {
	var lines []string
	for _, r := range x.endpoint.security {
		for _, u := range r {
			if c := u.Scheme.Challenge(u.Scopes); c != "" && !slices.Contains(lines, c) {
				lines = append(lines, c)
			}
		}
	}
	if lines != nil {
		x.w.Header()["Www-Authenticate"] = lines
	}
}
