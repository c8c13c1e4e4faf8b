package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// What follows is written as generated code is.

// Booking is a reservation of seats.
type Booking struct {
	ID    string
	Seats int64
	Note  value.Opt[string]
}

var bookingMembers = json.Members{Names: []string{"id", "seats", "note"}, Required: 1 << 1}

func (v *Booking) DecodeJSON(d *json.Decoder) {
	for d.Members(&bookingMembers); d.NextKey(); {
		switch d.Key() {
		case "id":
			v.ID = d.String()
		case "seats":
			v.Seats = d.Int64()
		case "note":
			json.DecodeOpt(d, &v.Note, json.String)
		default:
			d.Reject()
		}
	}
}

func (v *Booking) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	e.Key("id").String(v.ID)
	e.Key("seats").Int64(v.Seats)
	json.OptField(e, "note", &v.Note, json.String)
	e.EndObject()
}

var (
	seatsRules = check.IntRules{Minimum: check.Int(1), Maximum: check.Int(9)}
	noteRules  = check.StringRules{MaxLength: check.Len(5)}
	limitRules = check.IntRules{Minimum: check.Int(1)}
)

func (v *Booking) Validate(c *check.Checker) {
	c.Int("seats", v.Seats, &seatsRules)
	check.Opt(c, "note", &v.Note, check.StringOf[string](&noteRules))
}

// NotFound is the response 404: no such trip.
type NotFound struct {
	RetryAfter value.Opt[int64]
	Body       Problem
}

// Problem is the schema Problem.
type Problem struct{ Title string }

func (v *Problem) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	e.Key("title").String(v.Title)
	e.EndObject()
}

func (e *NotFound) Error() string { return "404 Not Found: no such trip" }

func (e *NotFound) Respond(w *server.Response) {
	w.Header("Retry-After", param.Simple, param.Opt(param.Int64, e.RetryAfter))
	w.JSON(404, "application/problem+json", &e.Body)
}

// CreateBookingRequest holds the parameters and the body of CreateBooking.
type CreateBookingRequest struct {
	TripID string
	Limit  value.Opt[int64]
	Tags   []string
	Body   Booking
}

func (r *CreateBookingRequest) decode(s *server.Request) {
	field.Get(s.Path("tripId", param.Simple), param.String, &r.TripID)
	field.GetOpt(s.Query("limit", param.Form|param.Explode), param.Int64, &r.Limit)
	if !r.Limit.IsSet() {
		r.Limit.Set(20)
	}
	field.GetList(s.Query("tags", param.Form), param.String, &r.Tags, false)
	s.JSON(&r.Body, true)
}

func (r *CreateBookingRequest) validate(c *check.Checker) {
	c.At(check.InQuery, "limit")
	if p := r.Limit.Ptr(); p != nil {
		check.IntOf[int64](&limitRules)(p, c)
	}
	c.At(check.InQuery, "tags")
	check.UniqueHere(c, r.Tags)
	c.At(check.InBody, "")
	r.Body.Validate(c)
}

var createBookingSpec = policy.Spec{ID: "createBooking", Method: http.MethodPost, Path: "/trips/{tripId}/bookings"}

var createBookingRoute = server.Operation[*Booking]{
	Spec:     &createBookingSpec,
	Consumes: []string{"application/json"},
	Produces: []string{"application/json"},
	Decode:   func(req any, s *server.Request) { req.(*CreateBookingRequest).decode(s) },
	Validate: func(req any, c *check.Checker) { req.(*CreateBookingRequest).validate(c) },
	Encode:   func(w *server.Response, res *Booking) { w.JSON(201, "application/json", res) },
}

// SearchRequest holds the parameters of Search.
type SearchRequest struct {
	Region string
	Day    string
	Limit  value.Opt[int64]
	Offset value.Opt[int64]
	Sort   value.Opt[string]
	Free   value.Opt[bool]
}

func (r *SearchRequest) decode(s *server.Request) {
	field.Get(s.Path("region", param.Simple), param.String, &r.Region)
	field.Get(s.Path("day", param.Simple), param.String, &r.Day)
	field.GetOpt(s.Query("limit", param.Form|param.Explode), param.Int64, &r.Limit)
	field.GetOpt(s.Query("offset", param.Form|param.Explode), param.Int64, &r.Offset)
	field.GetOpt(s.Query("sort", param.Form|param.Explode), param.String, &r.Sort)
	field.GetOpt(s.Query("free", param.Form|param.Explode), param.Bool, &r.Free)
}

var searchRoute = server.Operation[*Booking]{
	Spec:     &policy.Spec{ID: "search", Method: http.MethodGet, Path: "/search/{region}/{day}"},
	Produces: []string{"application/json"},
	Decode:   func(req any, s *server.Request) { req.(*SearchRequest).decode(s) },
	Encode:   func(w *server.Response, res *Booking) { w.JSON(200, "application/json", res) },
}

// From here on: helpers of the tests.

// spec is an operation without a policy.
func spec(method, path string) *policy.Spec {
	return &policy.Spec{ID: method + " " + path, Method: method, Path: path, Dependency: "test"}
}

// start serves routes over TCP.
func start(t *testing.T, routes []server.Route, opts ...server.Option) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(server.New(&server.API{Title: "Test", Dependency: "test"}, routes, opts...))
	t.Cleanup(s.Close)
	return s
}

// bare is a route that calls f.
func bare(s *policy.Spec, f func(context.Context) error) server.Route {
	return server.HandleBare(&server.Operation[server.None]{Spec: s}, f)
}

func nothing(context.Context) error { return nil }

// reply is an answer with its body read.
type reply struct {
	*http.Response
	text string
}

// do sends a request. Headers are given as "Name: value".
func do(t *testing.T, method, url, body string, headers ...string) reply {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	return send(t, req)
}

func send(t *testing.T, req *http.Request) reply {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, string(text)}
}

// problem is the answer as problem details, of a status.
func (r reply) problem(t *testing.T, status int) *fault.Problem {
	t.Helper()
	if r.StatusCode != status || r.Header.Get("Content-Type") != fault.ProblemType {
		t.Fatalf("status %d, %s: %s; want %d", r.StatusCode, r.Header.Get("Content-Type"), r.text, status)
	}
	p, err := fault.ParseProblem([]byte(r.text))
	if err != nil || p.Status != status {
		t.Fatalf("%v: %s", err, r.text)
	}
	return p
}

// want checks status and body.
func (r reply) want(t *testing.T, status int, text string) {
	t.Helper()
	if r.StatusCode != status || r.text != text {
		t.Errorf("status %d, %q; want %d, %q", r.StatusCode, r.text, status, text)
	}
}
