package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestStatuses(t *testing.T) {
	s := policy.StatusSet(408, 425, 429, 99, 600, -1).Range(500, 599)
	for code := -10; code < 700; code++ {
		want := code == 408 || code == 425 || code == 429 || code >= 500 && code <= 599
		if s.Has(code) != want {
			t.Errorf("Has(%d) = %v", code, !want)
		}
	}
	if got := s.String(); got != "408, 425, 429, 5xx" {
		t.Errorf("String = %q", got)
	}
	if got := policy.StatusSet(500, 502, 503).String(); got != "500, 502, 503" {
		t.Errorf("String = %q", got)
	}
	want := []policy.Span{{408, 408}, {425, 425}, {429, 429}, {500, 599}}
	if diff := cmp.Diff(want, s.Spans()); diff != "" {
		t.Error(diff)
	}
	if !(policy.Statuses{}).IsZero() || s.IsZero() {
		t.Error("IsZero")
	}
	if s != policy.StatusSet(429, 425, 408).Range(500, 599) {
		t.Error("sets with the same members differ")
	}
}

func TestExprRoundTrip(t *testing.T) {
	tests := map[string]policy.Expr{
		"$request.path.id":        {Source: policy.FromPath, Name: "id"},
		"$request.query.a.b":      {Source: policy.FromQuery, Name: "a.b"},
		"$request.header.X-Id":    {Source: policy.FromHeader, Name: "X-Id"},
		"$request.body":           {Source: policy.FromBody},
		"$request.body#/a/0/b~1c": {Source: policy.FromBody, Name: "/a/0/b~1c"},
		"$request":                {Source: policy.FromRequest},
		"$response.header.ETag":   {Source: policy.FromResponseHeader, Name: "ETag"},
		"$response.body#/":        {Source: policy.FromResponseBody, Name: "/"},
		"$statusCode":             {Source: policy.FromStatus},
		"$url":                    {Source: policy.FromURL},
		"$method":                 {Source: policy.FromMethod},
		"$principal":              {Source: policy.FromPrincipal},
		"$claims.plan":            {Source: policy.FromClaim, Name: "plan"},
		"$ip":                     {Source: policy.FromIP},
		"$operation":              {Source: policy.FromOperation},
	}
	for text, want := range tests {
		got, err := policy.ParseExpr(text)
		if err != nil || got != want {
			t.Errorf("ParseExpr(%q) = %+v, %v; want %+v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("String of %q = %q", text, got.String())
		}
	}
	for _, text := range []string{"", "$", "request.body", "$request.path.", "$request.cookie.x", "$request.body/x",
		"$request.body#x", "$request.body#/a~2", "$request.body#/a~", "$response", "$claims.", "$principal.x"} {
		if e, err := policy.ParseExpr(text); err == nil {
			t.Errorf("ParseExpr(%q) = %+v, want an error", text, e)
		}
	}
}

func TestEffectOf(t *testing.T) {
	want := map[string]policy.Effect{
		"GET": policy.Read, "HEAD": policy.Read, "OPTIONS": policy.Read, "TRACE": policy.Read, "QUERY": policy.Read,
		"PUT": policy.Idempotent, "DELETE": policy.Idempotent, "POST": policy.Write, "PATCH": policy.Write, "X": policy.Write,
	}
	for method, effect := range want {
		if got := policy.EffectOf(method); got != effect {
			t.Errorf("%s: %v, want %v", method, got, effect)
		}
		if got := policy.EffectOf(method).Repeatable(); got != (effect != policy.Write) {
			t.Errorf("%s repeatable: %v", method, got)
		}
	}
	if got := policy.Effect(200).String(); got != "unknown" {
		t.Errorf("out of range: %q", got)
	}
}

func TestErrorSet(t *testing.T) {
	if got := policy.AllErrors.String(); got != "connect, reset, timeout, eof, dns, tls" {
		t.Errorf("%q", got)
	}
	s := policy.ConnectErrors | policy.DNSErrors
	if !s.Has(policy.DNSErrors) || s.Has(policy.EOFErrors) || s.Has(0) || s.Has(policy.DNSErrors|policy.EOFErrors) {
		t.Error("Has")
	}
}

func TestValidate(t *testing.T) {
	nan := 0.0
	nan /= nan
	bad := policy.Spec{
		Client: policy.Client{
			Timeout: &policy.Timeout{Attempt: -1, Total: -2, Share: 1.5},
			Retry: &policy.Retry{
				MaxAttempts: 11, BaseDelay: 2 * time.Second, MaxDelay: time.Second,
				Hints:  []policy.RetryHint{{Name: "h"}},
				Budget: &policy.Budget{Ratio: nan, MinPerSecond: -1},
			},
			Breaker:     &policy.Breaker{Window: policy.Window{Count: 3}, FailureThreshold: 4, Recovery: time.Second},
			Bulkhead:    &policy.Bulkhead{Queue: -1},
			Idempotency: &policy.Idempotency{Key: policy.KeyDerived, Header: "Idempotency-Key"},
		},
		Server: policy.Server{
			RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{{Name: "b", Limit: 1, Per: time.Second, Burst: 1, Cost: 2}}},
		},
	}
	err := bad.Validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"client.timeout.attempt: -1ns is negative", "client.timeout.total:", "client.timeout.share: 1.5 is not within 0 to 1",
		"client.retry.maxAttempts: 11 is above 10", "client.retry.maxDelay: 1s is below baseDelay 2s",
		"client.retry.wait.h:", "client.retry.budget.ratio:", "client.retry.budget.minPerSecond:", "client.retry.budget.window:",
		"client.breaker.failureThreshold: 4 cannot be reached in a window of 3 calls",
		"client.bulkhead.maxConcurrent: 0 is below 1", "client.bulkhead.queue:", "client.idempotency.from:",
		"server.rateLimit.buckets.b.cost: 2 is above burst 1",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	if err := (&policy.Spec{}).Validate(); err != nil {
		t.Errorf("a Spec with everything off: %v", err)
	}
}

// A Spec is a literal; the generator writes one for each operation.
func ExampleSpec() {
	getPet := policy.Spec{
		ID: "getPet", Method: "GET", Path: "/pets/{petId}", Dependency: "petstore",
		Client: policy.Client{
			Effect:  policy.Read,
			Timeout: &policy.Timeout{Connect: 5 * time.Second, Attempt: 800 * time.Millisecond, Floor: 5 * time.Millisecond},
			Retry: &policy.Retry{
				MaxAttempts: 2, BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second,
				Statuses: policy.StatusSet(408, 425, 429).Range(500, 599), Never: policy.StatusSet(501, 505),
				Errors: policy.AllErrors,
			},
		},
	}
	fmt.Println(getPet.Client.Timeout.EffectiveTotal(getPet.Client.Retry))
	fmt.Println(getPet.Client.Retry.Statuses)
	// Output:
	// 2.1s
	// 408, 425, 429, 5xx
}
