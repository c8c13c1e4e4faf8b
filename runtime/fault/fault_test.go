package fault_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

func TestErrorIsItsKind(t *testing.T) {
	sentinels := map[fault.Kind]error{
		fault.Request: fault.ErrRequest, fault.Transport: fault.ErrTransport, fault.Timeout: fault.ErrTimeout,
		fault.Canceled: context.Canceled, fault.Status: fault.ErrStatus, fault.Response: fault.ErrResponse,
		fault.BreakerOpen: fault.ErrBreakerOpen, fault.BulkheadFull: fault.ErrBulkheadFull,
		fault.Discarded: fault.ErrDiscarded, fault.RateLimited: fault.ErrRateLimited,
	}
	for kind, sentinel := range sentinels {
		err := fmt.Errorf("outer: %w", &fault.Error{Op: "getPet", Kind: kind, Err: io.ErrUnexpectedEOF})
		for other, s := range sentinels {
			if errors.Is(err, s) != (other == kind) {
				t.Errorf("%v: errors.Is(%v) is %v", kind, s, other != kind)
			}
		}
		if !errors.Is(err, sentinel) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v: kind or cause not found", kind)
		}
		var f *fault.Error
		if !errors.As(err, &f) || f.Op != "getPet" {
			t.Errorf("%v: not found by errors.As", kind)
		}
		var timeout interface{ Timeout() bool }
		if !errors.As(err, &timeout) || timeout.Timeout() != (kind == fault.Timeout) {
			t.Errorf("%v: Timeout", kind)
		}
	}
	if errors.Is(&fault.Error{}, nil) || (fault.Kind(99)).Sentinel() != nil || fault.Kind(99).String() != "unknown" {
		t.Error("kinds out of range")
	}
}

func TestErrorText(t *testing.T) {
	tests := []struct {
		err  *fault.Error
		want string
	}{
		{
			&fault.Error{Op: "getPet", Kind: fault.Status, Status: 503, Attempts: 2, Stop: fault.StopAttempts},
			"getPet: status 503 (2 tries, given up: all tries are used)",
		},
		{
			&fault.Error{Op: "putBlob", Kind: fault.Transport, Attempts: 1, Stop: fault.StopBody, Err: io.EOF},
			"putBlob: transport: EOF (1 try, not retried: the body cannot be replayed)",
		},
		{&fault.Error{Kind: fault.BreakerOpen, Err: fault.ErrBreakerOpen}, "breaker open (0 tries)"},
		{
			&fault.Error{Op: "getPet", Kind: fault.BreakerOpen, Breaker: "pets/getPet", RetryIn: 29_960 * time.Millisecond},
			`getPet: breaker open: "pets/getPet", next try in 30s (0 tries)`,
		},
		{&fault.Error{Kind: fault.BreakerOpen, RetryIn: 250 * time.Millisecond}, "breaker open, next try in 250ms (0 tries)"},
		{
			&fault.Error{Kind: fault.Timeout, Status: 503, Attempts: 1, Err: context.DeadlineExceeded},
			"timeout, status 503: context deadline exceeded (1 try)",
		},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestErrorTextHoldsNoSecrets(t *testing.T) {
	cause := &url.Error{Op: "Get", URL: "https://user:hunter2@api.example/v1/x?api_key=hunter2#hunter2", Err: io.EOF}
	err := &fault.Error{Op: "getX", Kind: fault.Transport, Key: "hunter2-key", Attempts: 1, Err: fmt.Errorf("sending: %w", cause)}
	for _, text := range []string{err.Error(), fmt.Sprintf("%v", err), fmt.Sprintf("%s", err)} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("secret in %q", text)
		}
	}
	want := `getX: transport: sending: Get "https://…@api.example/v1/x?…": EOF (1 try)`
	if err.Error() != want {
		t.Errorf("got %q, want %q", err.Error(), want)
	}
}

func TestRedact(t *testing.T) {
	tests := map[string]string{
		"":                             "",
		"plain text":                   "plain text",
		"is it /a/b? yes":              "is it /a/b? yes",
		"get /a/b?k=v now":             "get /a/b?… now",
		"http://h/p http://h/q?x=1":    "http://h/p http://h/q?…",
		"http://a:b@h":                 "http://…@h",
		"http://a@b:c@h/p":             "http://…@h/p",
		"mail a@b.example":             "mail a@b.example",
		"://":                          "://",
		"http:/":                       "http:/",
		"http://":                      "http://",
		"x ?a=b":                       "x ?a=b",
		"'https://h/?token=1' failed":  "'https://h/?…' failed",
		"dial tcp 10.0.0.1:80: refuse": "dial tcp 10.0.0.1:80: refuse",
	}
	for in, want := range tests {
		if got := fault.Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("Get \"https://u:p@h/p?q=1\": EOF")
	f.Fuzz(func(t *testing.T, s string) {
		once := fault.Redact(s)
		if twice := fault.Redact(once); twice != once {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}

func TestProblemJSON(t *testing.T) {
	p := &fault.Problem{
		Type: "https://example.com/probs/invalid", Title: "Bad \"thing\"\n", Status: 422, Detail: "é\u2028", Instance: "/x/1",
		Violations: []fault.Violation{
			{Pointer: "/lines/0/sku", In: "body", Detail: "must be at least 3 characters"},
			{In: "body", Detail: "must be an object"},
			{In: "query", Name: "limit", Detail: "must be a number"},
		},
		Extensions: []fault.Extension{
			fault.TextExtension("trace", "a\"b"), fault.IntExtension("balance", 30), {Name: "list", JSON: "[1, 2.50]"},
			{Name: "status", JSON: "1"}, {Name: "broken", JSON: "}"},
		},
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal([]byte(`{"type":"https://example.com/probs/invalid","title":"Bad \"thing\"\n","status":422,"detail":"é\u2028",
		"instance":"/x/1","violations":[{"pointer":"/lines/0/sku","in":"body","detail":"must be at least 3 characters"},
		{"pointer":"","in":"body","detail":"must be an object"},{"in":"query","name":"limit","detail":"must be a number"}],
		"trace":"a\"b","balance":30,"list":[1,2.50]}`), &want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var back fault.Problem
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	p.Extensions = []fault.Extension{{"trace", `"a\"b"`}, {"balance", "30"}, {"list", "[1,2.50]"}}
	if diff := cmp.Diff(p, &back); diff != "" {
		t.Error(diff)
	}
	if got := string((&fault.Problem{}).AppendJSON(nil)); got != "{}" {
		t.Errorf("zero Problem: %s", got)
	}
}

func TestParseProblemIsLenient(t *testing.T) {
	p, err := fault.ParseProblem([]byte(`{"type":1,"title":null,"status":"500","detail":[],"violations":[1,{"in":2,"detail":"d"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &fault.Problem{Violations: []fault.Violation{{Detail: "d"}}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "[]", "null", "{", "<html>"} {
		if _, err := fault.ParseProblem([]byte(text)); err == nil {
			t.Errorf("%q accepted", text)
		}
	}
	if got := (&fault.Problem{Status: 418, Detail: "short"}).Error(); got != "status 418: short" {
		t.Errorf("Error = %q", got)
	}
}

// A caller decides by the kind, and by whether the request may have worked.
func ExampleError() {
	var err error = &fault.Error{
		Op: "createBooking", Kind: fault.Timeout, Attempts: 2, Effect: fault.Unknown, Key: "order-123",
		RetryAt: time.Date(2025, 1, 1, 12, 0, 0, 0, time.UTC), Err: context.DeadlineExceeded,
	}
	var f *fault.Error
	switch {
	case errors.Is(err, fault.ErrBreakerOpen):
		fmt.Println("nothing was sent")
	case errors.As(err, &f) && f.Effect == fault.Unknown:
		fmt.Println("ask about", f.Key, "after", f.RetryAt.Format(time.TimeOnly))
	}
	// Output: ask about order-123 after 12:00:00
}
