package kit

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
)

// JSON is a reply with status 200 and a body of application/json.
func JSON(body string) Reply {
	return Reply{Status: http.StatusOK, Type: "application/json", Body: body}
}

// Same fails the test unless got equals want, compared deeply.
func Same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %#v\nwant %#v", what, got, want)
	}
}

// Fails fails the test unless err is an error whose text holds each of the words.
func Fails(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one that names %q", words)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not name %q: %v", word, err)
		}
	}
}

// Problem fails the test unless a is problem details of this status whose text holds
// each of the words.
func Problem(t *testing.T, a Answer, status int, words ...string) {
	t.Helper()
	if a.Status != status {
		t.Errorf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %q, want application/problem+json", got)
	}
	var p struct {
		Status     int
		Detail     string
		Violations json.RawMessage
	}
	if err := json.Unmarshal([]byte(a.Body), &p); err != nil {
		t.Errorf("%v in %s", err, a.Body)
	}
	if p.Status != status {
		t.Errorf("the problem's status is %d, want %d", p.Status, status)
	}
	for _, word := range words {
		if !strings.Contains(p.Detail, word) && !strings.Contains(string(p.Violations), word) {
			t.Errorf("the problem does not name %q: %s", word, a.Body)
		}
	}
}

// Pairs are the pairs of a query as they were sent, still escaped, sorted.
func Pairs(query string) []string {
	if query == "" {
		return nil
	}
	pairs := strings.Split(query, "&")
	slices.Sort(pairs)
	return pairs
}

// Escape is a string as a query has it, with every reserved character escaped.
func Escape(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}

// Client makes the client of a case for an address.
func Client[C any](t *testing.T, make func(...client.Option) (C, error), url string, opts ...client.Option) C {
	t.Helper()
	c, err := make(append([]client.Option{client.BaseURL(url)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// OK ends the test when there is an error.
func OK(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
