package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server/router"
)

// Request is a request that is being decoded. What is wrong with it is noted, all
// of it, and answered when generated code is done. It must not be kept.
//
//	func (r *ListTripsRequest) decode(s *server.Request) {
//		field.Get(s.Path("routeId", param.Simple), param.UUID, &r.RouteID)
//		field.GetOpt(s.Query("limit", param.Form|param.Explode), param.Int64, &r.Limit)
//		field.GetList(s.Query("tags", param.Form|param.Explode), param.String, &r.Tags, false)
//		s.JSON(&r.Body, true)
//	}
type Request struct {
	http  *http.Request
	route *route
	match router.Match

	query   param.Pairs
	queried bool // query is that of this request
	cookies *param.Pairs
	field   field.Value // the one asked for last

	body bodyState

	wrong   []check.Violation
	refusal *fault.Problem // an answer that leaves no room for violations
	checker check.Checker
}

// HTTP is the request as it came. Its body must be read by the methods of Request
// only.
func (s *Request) HTTP() *http.Request { return s.http }

// note adds violations, up to check.MaxViolations.
func (s *Request) note(list ...check.Violation) {
	room := max(0, check.MaxViolations-len(s.wrong))
	s.wrong = append(s.wrong, list[:min(room, len(list))]...)
}

// noteChecks adds what breaks the constraints. A value that could not be read was
// left zero, and what the constraints say of that is nothing that the caller did.
func (s *Request) noteChecks() {
	if s.checker.OK() {
		return
	}
	unread := s.wrong
	for _, v := range s.checker.Violations() {
		if s.body.broken && v.In == check.InBody {
			continue // of a text that is not even JSON nothing was read
		}
		if !slices.ContainsFunc(unread, func(u check.Violation) bool { return covers(u, v) }) {
			s.note(v)
		}
	}
}

// covers reports whether a violation of a constraint may come from a value that
// could not be read.
func covers(unread, v check.Violation) bool {
	if unread.In != v.In || unread.Name != v.Name {
		return false
	}
	if rest, ok := strings.CutPrefix(v.Pointer, unread.Pointer); ok && (rest == "" || rest[0] == '/') {
		return true
	}
	// Two items that could not be read are equal.
	rest, ok := strings.CutPrefix(unread.Pointer, v.Pointer)
	return v.Rule == "uniqueItems" && ok && strings.HasPrefix(rest, "/")
}

// Fail notes a violation of the body, for what generated code finds itself.
func (s *Request) Fail(pointer, rule, detail string) {
	s.note(check.Violation{In: check.InBody, Pointer: pointer, Rule: rule, Detail: detail})
}

// refuse notes an answer that says more than violations could. The first one
// counts.
func (s *Request) refuse(p *fault.Problem) {
	if s.refusal == nil {
		s.refusal = p
	}
}

// take makes room for the next parameter.
func (s *Request) take(in, name string, raw param.Raw) *field.Value {
	return s.field.Set((*sink)(s), in, name, raw)
}

// Path is a parameter of the path.
func (s *Request) Path(name string, style param.Style) *field.Value {
	text, _ := s.match.Param(name)
	return s.take(check.InPath, name, param.PathRaw(name, text, style))
}

// Query is a parameter of the query.
func (s *Request) Query(name string, style param.Style) *field.Value {
	return s.take(check.InQuery, name, s.pairs().Raw(name, style))
}

// QueryString is the whole query as one value, percent-decoded: for a parameter
// in querystring whose content is JSON or text.
func (s *Request) QueryString(name string) *field.Value {
	p := s.take(check.InQuery, name, param.Raw{})
	if s.http.URL.RawQuery == "" {
		return p
	}
	text, err := url.QueryUnescape(s.http.URL.RawQuery)
	if err != nil {
		// The error would hold the text.
		s.note(check.Violation{In: check.InQuery, Name: name, Rule: "style", Detail: "holds a % that begins no percent-encoded byte"})
		return p
	}
	p.SetRaw(param.TextRaw(text))
	return p
}

// ReserveQuery names the parameters of the query that are declared apart, so that
// an object with unknown members does not take them.
func (s *Request) ReserveQuery(names ...string) { s.pairs().Reserve(names...) }

// pairs is the query taken apart, once.
func (s *Request) pairs() *param.Pairs {
	if !s.queried {
		s.queried = true
		if err := s.query.ResetQuery(s.http.URL.RawQuery); err != nil {
			s.note(param.Violations(err, check.InQuery, "")...)
		}
	}
	return &s.query
}

// Header is a header.
func (s *Request) Header(name string, style param.Style) *field.Value {
	lines := s.http.Header.Values(name)
	if len(lines) == 0 && strings.EqualFold(name, "Host") && s.http.Host != "" {
		lines = []string{s.http.Host} // net/http keeps it apart
	}
	return s.take(check.InHeader, name, param.HeaderRaw(lines, style))
}

// Cookie is a cookie.
func (s *Request) Cookie(name string, style param.Style) *field.Value {
	if s.cookies == nil {
		cookies, err := param.ParseCookies(s.http.Header["Cookie"])
		if err != nil {
			s.note(param.Violations(err, check.InCookie, "")...)
		}
		s.cookies = cookies
	}
	return s.take(check.InCookie, name, s.cookies.Raw(name, style))
}

// sink is a request as the sink of its values.
type sink Request

// Wrong implements [field.Sink].
func (s *sink) Wrong(in, name string, err error) {
	(*Request)(s).note(field.Violations(in, name, err)...)
}

// WrongForm implements [field.FormSink].
func (s *sink) WrongForm(err error) {
	(*Request)(s).note(param.Violations(err, check.InBody, "")...)
}
