package client_test

import (
	"context"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/security"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// This file is a client as the generator writes it, of a small booking API.

const _ = client.Compat1

// types.go

type Booking struct {
	ID   string
	Note value.Opt[string]
}

func (v *Booking) DecodeJSON(d *json.Decoder) {
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "id":
			v.ID = d.String()
		case "note":
			json.DecodeOpt(d, &v.Note, json.String)
		default:
			d.Unknown()
		}
	}
	if v.ID == "" {
		d.Fail("required", "must have an id")
	}
}

func (v *Booking) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	e.Key("id").String(v.ID)
	json.OptField(e, "note", &v.Note, json.String)
	e.EndObject()
}

func (v *Booking) Validate(c *check.Checker) {
	if len(v.ID) > 8 {
		c.AddMember("id", "maxLength", "must be at most 8 characters")
	}
}

type Problem struct{ Title string }

func (v *Problem) DecodeJSON(d *json.Decoder) {
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "title":
			v.Title = d.String()
		default:
			d.Unknown()
		}
	}
}

// params.go

type CreateBookingRequest struct {
	TripID value.UUID
	Limit  value.Opt[int64]
	Tags   []string
	Body   Booking
}

func (r *CreateBookingRequest) encode(b *client.Request) {
	b.Path("/trips/")
	b.PathParam("tripId", param.Simple, param.UUID.Format(r.TripID))
	b.Path("/bookings")
	b.Query("limit", param.Form|param.Explode, param.Opt(param.Int64, r.Limit))
	client.QueryList(b, "tags", param.Form|param.Explode, param.String, r.Tags)
	b.JSON("application/json", &r.Body)
}

func (r *CreateBookingRequest) validate(c *check.Checker) { r.Body.Validate(c) }

type GetBookingRequest struct{ ID string }

func (r *GetBookingRequest) encode(b *client.Request) {
	b.Path("/bookings/")
	b.PathParam("id", param.Simple, param.String.Format(r.ID))
}

// responses.go

// NotFound is the response "NotFound" (404).
type NotFound struct {
	RetryAfter value.Opt[int64]
	Body       Problem
}

func (e *NotFound) Error() string { return client.StatusText(404) + ": no such trip" }

// TooMany is the response "TooMany" (429).
type TooMany struct{ Body Problem }

func (e *TooMany) Error() string { return client.StatusText(429) }

// policy.go

var clientPolicy = policy.Client{
	Effect:   policy.Read,
	Timeout:  &policy.Timeout{Connect: 5 * time.Second, Attempt: 10 * time.Second, Idle: 30 * time.Second, Floor: 5 * time.Millisecond},
	Deadline: &policy.Deadline{Propagate: true, Reserve: 20 * time.Millisecond},
	Retry: &policy.Retry{
		MaxAttempts: 3, BaseDelay: 10 * time.Millisecond, MaxDelay: 50 * time.Millisecond, Jitter: policy.JitterNone,
		Statuses: policy.StatusSet(408, 425, 429, 500, 502, 503, 504), Errors: policy.AllErrors, MaxRetryAfter: time.Minute,
		Budget: &policy.Budget{Ratio: 0.2, MinPerSecond: 10, Window: 10 * time.Second},
	},
	Breaker: &policy.Breaker{
		Window: policy.Window{Count: 10}, FailureThreshold: 5, SlowCall: 10 * time.Second, Recovery: 30 * time.Second, Probes: 2,
	},
	Bulkhead: &policy.Bulkhead{MaxConcurrent: 128, Queue: 128, Timeout: time.Second},
}

var (
	createBookingSpec = policy.Spec{
		ID: "createBooking", Method: http.MethodPost, Path: "/trips/{tripId}/bookings", Dependency: "booking", Client: writes(clientPolicy),
	}
	getBookingSpec = policy.Spec{ID: "getBooking", Method: http.MethodGet, Path: "/bookings/{id}", Dependency: "booking", Client: clientPolicy}
)

func writes(c policy.Client) policy.Client { c.Effect = policy.Write; return c }

// security.go

const SchemeKey = "key"

var schemeKey = &security.Scheme{Name: SchemeKey, Type: security.APIKey, In: security.InHeader, Param: "X-Key"}

// client.go

var clientAPI = client.API{
	Title: "Booking", Dependency: "booking",
	Servers: []client.Server{{URL: "https://booking.example/v1"}},
	Schemes: []*security.Scheme{schemeKey},
}

// Client calls the Booking API.
type Client struct{ core *client.Core }

func New(opts ...client.Option) (*Client, error) {
	core, err := client.New(&clientAPI, opts...)
	if err != nil {
		return nil, err
	}
	return &Client{core}, nil
}

// API is what Client does.
type API interface {
	CreateBooking(ctx context.Context, req CreateBookingRequest, opts ...client.CallOption) (*Booking, error)
	GetBooking(ctx context.Context, req GetBookingRequest, opts ...client.CallOption) (*Booking, error)
}

var _ API = (*Client)(nil)

func (c *Client) CreateBooking(ctx context.Context, req CreateBookingRequest, opts ...client.CallOption) (*Booking, error) {
	return client.Do(ctx, c.core, &createBooking, &req, opts)
}

func (c *Client) GetBooking(ctx context.Context, req GetBookingRequest, opts ...client.CallOption) (*Booking, error) {
	return client.Do(ctx, c.core, &getBooking, &req, opts)
}

var createBooking = client.Operation[*Booking]{
	Spec:     &createBookingSpec,
	Encode:   func(req any, b *client.Request) { req.(*CreateBookingRequest).encode(b) },
	Validate: func(req any, c *check.Checker) { req.(*CreateBookingRequest).validate(c) },
	Decode:   decodeCreateBooking,
	Accept:   "application/json, application/problem+json",
}

func decodeCreateBooking(r *client.Response) (*Booking, error) {
	switch {
	case r.Is(201, "application/json"):
		return client.DecodeJSON[Booking](r)
	case r.Is(404, "application/problem+json"):
		var e NotFound
		field.GetOpt(r.Header("Retry-After", param.Simple), param.Int64, &e.RetryAfter)
		return nil, r.Fail(&e, r.JSON(&e.Body))
	}
	return nil, r.Undeclared()
}

var getBooking = client.Operation[*Booking]{
	Spec:   &getBookingSpec,
	Encode: func(req any, b *client.Request) { req.(*GetBookingRequest).encode(b) },
	Decode: decodeGetBooking,
	Accept: "application/json, application/problem+json",
}

func decodeGetBooking(r *client.Response) (*Booking, error) {
	switch {
	case r.Is(200, "application/json"):
		return client.DecodeJSON[Booking](r)
	case r.Is(404, "application/problem+json"):
		var e NotFound
		field.GetOpt(r.Header("Retry-After", param.Simple), param.Int64, &e.RetryAfter)
		return nil, r.Fail(&e, r.JSON(&e.Body))
	case r.Is(429, "application/problem+json"):
		var e TooMany
		return nil, r.Fail(&e, r.JSON(&e.Body))
	}
	return nil, r.Undeclared()
}
