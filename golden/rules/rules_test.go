package rules_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/golden/rules"
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// shop answers with an order of its own, or the one that it got.
type shop struct {
	rules.Unimplemented
	answer *rules.Order
}

func (s shop) PlaceOrder(_ context.Context, req rules.PlaceOrderRequest) (*rules.Order, error) {
	if s.answer != nil {
		return s.answer, nil
	}
	return &req.Body, nil
}

func (shop) Plant(context.Context, rules.PlantRequest) error { return nil }

// post sends a body to the service and returns the status, and what is wrong where:
// "/item must be a string, is a number".
func post(t *testing.T, path, body string) (status int, broken []string) {
	t.Helper()
	s := httptest.NewServer(rules.NewHandler(shop{}, server.OnError(nil)))
	defer s.Close()
	r, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var problem struct {
		Violations []struct {
			Name    string `json:"name"`
			Pointer string `json:"pointer"`
			Detail  string `json:"detail"`
		} `json:"violations"`
	}
	if r.StatusCode >= 400 {
		if err := json.Unmarshal(text, &problem); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	for _, v := range problem.Violations {
		broken = append(broken, v.Name+v.Pointer+" "+v.Detail)
	}
	return r.StatusCode, broken
}

// The server holds the text that came to everything that the document says, and tells
// all that is wrong with it, each once.
func TestServer(t *testing.T) {
	for body, want := range map[string][]string{
		`{"item": "book"}`: nil,
		`{"item": "book", "kind": "parcel", "weight": 2, "to": {"street": "s", "zip": "1"}}`: nil,
		`{"item": "book", "kind": "letter", "steps": ["pack", "pay"], "notes": {"a": "b"}}`:  nil,
		`{"item": "nothing"}`:           {"/item must not match what its schema excludes"},
		`{"item": 5}`:                   {"/item must be a string, is a number"},
		`{"item": "book", "card": "1"}`: {"/holder is missing: it has to be there with card"},
		`{"item": "book", "card": "1", "iban": "2", "holder": "h"}`:          {" must not match what its schema excludes"},
		`{"item": "book", "kind": "parcel"}`:                                 {"/weight is missing", "/to is missing"},
		`{"item": "book", "steps": ["pack"]}`:                                {"/steps must hold at least 1 item of the wanted kind, holds 0"},
		`{"item": "book", "steps": ["pay", "pay"]}`:                          {"/steps must hold at most 1 item of the wanted kind, holds 2"},
		`{"item": "book", "notes": {"a": "b", "B": "c", "d": 1}}`:            {"/notes/B is not a name that is allowed here", "/notes/d must be a string, is a number"},
		`{"item": "book", "to": {"street": "s", "zip": "1", "county": "c"}}`: nil,
		`{"item": "book", "to": {"street": "s", "zip": "1", "city": "c"}}`:   {"/to/city is not a known property"},
		`{"item": "book", "to": {"street": "s"}}`:                            {"/to matches none of Object, Object2: missing zip / missing county"},
	} {
		status, broken := post(t, "/orders", body)
		slices.Sort(broken)
		slices.Sort(want)
		if !slices.Equal(broken, want) || (status == http.StatusOK) != (want == nil) {
			t.Errorf("%s: %d %q, want %q", body, status, broken, want)
		}
	}
	status, broken := post(t, "/orders?voucher=OLD1", `{"item": "book", "card": "1"}`)
	slices.Sort(broken)
	if want := []string{"/holder is missing: it has to be there with card", "voucher must not match what its schema excludes"}; status != http.StatusBadRequest || !slices.Equal(broken, want) {
		t.Errorf("a parameter and a body: %d %q, want %q", status, broken, want)
	}
}

// A $dynamicRef means what the outermost schema makes of it: the children of a strict
// tree are strict trees.
func TestDynamicReference(t *testing.T) {
	for body, want := range map[string][]string{
		`{"data": "a", "children": [{"data": "b", "children": []}]}`: nil,
		`{"data": "a", "children": [{"daat": "b"}]}`:                 {"/children/0/daat is not a known property"},
		`{"data": "a", "children": [{"data": 1}]}`:                   {"/children/0/data must be a string, is a number"},
		`{"daat": "a"}`: {"/daat is not a known property"},
	} {
		status, broken := post(t, "/trees", body)
		if !slices.Equal(broken, want) || (status == http.StatusNoContent) != (want == nil) {
			t.Errorf("%s: %d %q, want %q", body, status, broken, want)
		}
	}
}

func dial(t *testing.T, answer *rules.Order, opts ...client.Option) *rules.Client {
	t.Helper()
	s := httptest.NewServer(rules.NewHandler(shop{answer: answer}, server.OnError(nil)))
	t.Cleanup(s.Close)
	c, err := rules.New(append([]client.Option{client.BaseURL(s.URL)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A client that validates its requests sends none that breaks a rule.
func TestClientValidatesRequests(t *testing.T) {
	c := dial(t, nil, client.ValidateRequests())
	_, err := c.PlaceOrder(t.Context(), rules.PlaceOrderRequest{
		Voucher: value.Some("OLD2"),
		Body:    rules.Order{Item: "book", Card: value.Some("1"), Notes: map[string]string{"B": "c"}},
	})
	var list *check.Error
	if !errors.As(err, &list) {
		t.Fatalf("%v", err)
	}
	var got []string
	for _, v := range list.Violations {
		got = append(got, v.In+v.Name+v.Pointer+" "+v.Rule)
	}
	want := []string{"queryvoucher not", "body/holder dependentRequired", "body/notes/B propertyNames"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Rules are constraints: a client takes a response that breaks one, unless it is strict.
func TestClientOfResponses(t *testing.T) {
	wrong := &rules.Order{ID: value.Some("1"), Item: "nothing", Card: value.Some("1")}
	req := rules.PlaceOrderRequest{Body: rules.Order{Item: "book"}}
	if got, err := dial(t, wrong).PlaceOrder(t.Context(), req); err != nil || got.Item != "nothing" {
		t.Errorf("%+v, %v", got, err)
	}
	_, err := dial(t, wrong, client.Strict()).PlaceOrder(t.Context(), req)
	var list *check.Error
	if !errors.As(err, &list) || len(list.Violations) != 2 || list.Violations[0].Pointer != "/holder" || list.Violations[1].Pointer != "/item" {
		t.Errorf("%v", err)
	}
}

// A server that validates its responses answers with none that breaks a rule.
func TestServerValidatesResponses(t *testing.T) {
	s := httptest.NewServer(rules.NewHandler(shop{answer: &rules.Order{Item: "nothing"}}, server.ValidateResponses(), server.OnError(nil)))
	defer s.Close()
	r, err := http.Post(s.URL+"/orders", "application/json", strings.NewReader(`{"item": "book"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusInternalServerError {
		t.Errorf("status %d", r.StatusCode)
	}
}
