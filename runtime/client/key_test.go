package client_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func keyed(source policy.KeySource, from ...policy.Expr) func(*policy.Spec) {
	return func(s *policy.Spec) {
		s.Client.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Key: source, From: from}
	}
}

// All tries of a call carry one key, two calls two; the caller's wins.
func TestIdempotencyKeys(t *testing.T) {
	var s sent
	keys := func(err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, r := range s.all() {
			lines := r.header["Idempotency-Key"]
			if len(lines) > 1 {
				t.Errorf("several lines: %q", lines)
			}
			out = append(out, strings.Join(lines, "|"))
		}
		s.list = nil
		return out
	}
	c := core(t, func(w http.ResponseWriter, r *http.Request) { s.handle(busy(2))(w, r) })
	path := func(r *client.Request) { r.Path("/charges") }
	own := func(r *client.Request) { path(r); r.Header("Idempotency-Key", param.Simple, param.TextValue("mine")) }
	perCall := op("POST", "/charges", noContent, keyed(policy.KeyPerCall))
	var meta client.Meta
	_, err := call(t, c, perCall, path, client.Into(&meta))
	first := keys(err)
	if len(first) != 3 || first[0] == "" || first[0] != first[1] || first[0] != first[2] || len(first[0]) != 36 || meta.Key != first[0] {
		t.Errorf("one call: %q", first)
	}
	_, err = call(t, c, perCall, path)
	if second := keys(err); second[0] == first[0] {
		t.Error("two calls have one key")
	}
	_, err = call(t, c, perCall, own)
	if got := keys(err); fmt.Sprint(got) != "[mine mine mine]" {
		t.Errorf("parameter: %q", got)
	}
	_, err = call(t, c, perCall, own, client.IdempotencyKey("option"))
	if got := keys(err); fmt.Sprint(got) != "[option option option]" {
		t.Errorf("option: %q", got)
	}
	// Without a key a write is not repeated, with one it is.
	caller := op("POST", "/charges", noContent, keyed(policy.KeyCaller))
	_, err = call(t, c, caller, path)
	f := faultOf(t, err)
	if got := keys(nil); len(got) != 1 || got[0] != "" || f.Stop != fault.StopEffect || f.Effect != fault.Unknown {
		t.Errorf("no key: %q, %+v", got, f)
	}
	_, err = call(t, c, caller, path, client.IdempotencyKey("k"))
	if got := keys(err); fmt.Sprint(got) != "[k k k]" {
		t.Errorf("caller's: %q", got)
	}
	quoted := op("POST", "/charges", noContent, keyed(policy.KeyCaller), func(s *policy.Spec) { s.Client.Idempotency.Quoted = true })
	_, err = call(t, c, quoted, path, client.IdempotencyKey("k"))
	if got := keys(err); fmt.Sprint(got) != `["k" "k" "k"]` {
		t.Errorf("quoted: %q", got)
	}
	for _, bad := range []string{"", "a\r\nb", strings.Repeat("k", 256), "ü"} {
		if _, err := call(t, c, caller, path, client.IdempotencyKey(bad)); err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := call(t, c, op("POST", "/", noContent), path, client.IdempotencyKey("k")); err == nil || !strings.Contains(err.Error(), "no idempotency") {
		t.Errorf("without idempotency: %v", err)
	}
	if got := keys(nil); got != nil {
		t.Errorf("sent all the same: %q", got)
	}
}

// The vector of the x-resilience language.
func TestDerivedKey(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	o := op("POST", "/orders", noContent, keyed(policy.KeyDerived,
		policy.Expr{Source: policy.FromPath, Name: "id"}, policy.Expr{Source: policy.FromBody}), func(s *policy.Spec) { s.ID = "createOrder" })
	order := func(id, body string) encoder {
		return func(r *client.Request) {
			r.Path("/orders/")
			r.PathParam("id", param.Simple, param.TextValue(id))
			r.Bytes("application/json", []byte(body))
		}
	}
	for _, body := range []string{`{"amount":100,"currency":"USD"}`, "{ \"currency\": \"USD\",\n\"amount\": 100 }"} {
		if _, err := call(t, c, o, order("order-123", body)); err != nil {
			t.Fatal(err)
		}
		if got := s.last(t).header.Get("Idempotency-Key"); got != "f8d654ec74ff67e482460026dc8b638c" {
			t.Errorf("%s: %s", body, got)
		}
	}
	if _, err := call(t, c, o, order("order/124", `{}`)); err != nil {
		t.Fatal(err)
	}
	n := len(s.all())
	_, err := call(t, c, o, order("order-123", "{"))
	if f := faultOf(t, err); f.Kind != fault.Request || len(s.all()) != n {
		t.Errorf("a body that is no JSON: %v", err)
	}
}

// Every value of a request that a key can be made of.
func TestDerivedKeySources(t *testing.T) {
	key := func(from policy.Expr, encode encoder, opts ...client.Option) (string, error) {
		var s sent
		api := securityAPI()
		url := newServer(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
		c := coreOf(t, api, append(opts, client.BaseURL(url), client.APIKey("h", "K"))...)
		o := op("POST", "/", noContent, keyed(policy.KeyDerived, from), func(s *policy.Spec) { s.ID = "o" })
		o.Security = alternatives(api.Schemes[2:3])
		if _, err := call(t, c, o, encode); err != nil {
			return "", err
		}
		return s.last(t).header.Get("Idempotency-Key"), nil
	}
	request := func(r *client.Request) {
		r.Path("/a")
		r.Query("q", formExplode, param.ListOf(param.String).Format([]string{"x y", "z"}))
		r.Header("X-A", param.Simple, param.TextValue("h"))
		r.JSON("application/json", &Booking{ID: "7"})
	}
	expr := func(s policy.Source, name string) policy.Expr { return policy.Expr{Source: s, Name: name} }
	seen := map[string]string{}
	for _, from := range []policy.Expr{
		expr(policy.FromQuery, "q"), expr(policy.FromHeader, "x-a"), expr(policy.FromBody, "/id"), expr(policy.FromRequest, ""),
		expr(policy.FromMethod, ""), expr(policy.FromOperation, ""), expr(policy.FromPrincipal, ""), expr(policy.FromURL, ""),
	} {
		k, err := key(from, request)
		if err != nil || len(k) != 32 || seen[k] != "" {
			t.Errorf("%s: %q, %v, as %s", from, k, err, seen[k])
		}
		seen[k] = from.String()
	}
	for _, from := range []policy.Expr{
		expr(policy.FromQuery, "none"), expr(policy.FromHeader, "none"), expr(policy.FromBody, "/none"), expr(policy.FromBody, "/id/0"),
		expr(policy.FromPath, "none"), expr(policy.FromIP, ""), expr(policy.FromClaim, "x"),
	} {
		if k, err := key(from, request); err == nil {
			t.Errorf("%s: %q", from, k)
		}
	}
	text := func(r *client.Request) { r.Path("/"); r.Text("text/plain", "abc") }
	if _, err := key(expr(policy.FromBody, ""), text); err != nil {
		t.Errorf("a text: %v", err)
	}
	stream := func(r *client.Request) { r.Path("/"); r.Binary("text/plain", strings.NewReader("abc")) }
	if _, err := key(expr(policy.FromBody, ""), stream); err == nil {
		t.Error("a stream has a value")
	}
}
