package client_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// The parameters of an invalidation may come from the response. What cannot be compared
// with an address drops all of the operation's entries, never too few.
func TestCacheInvalidationFromResponse(t *testing.T) {
	from := func(source policy.Source, name string) policy.Expr { return policy.Expr{Source: source, Name: name} }
	for _, tc := range []struct {
		name string
		from policy.Expr
		body string // of the response to the write
		want string // whether 1, 2 and a/b are asked for again
	}{
		{"text", from(policy.FromResponseBody, "/pet/id"), `{"pet":{"id":"2"}}`, "false true false"},
		{"number", from(policy.FromResponseBody, "/pet/id"), `{"pet":{"id":2}}`, "false true false"},
		{"slash", from(policy.FromResponseBody, "/pet/id"), `{"pet":{"id":"a/b"}}`, "false false true"},
		{"whole body", from(policy.FromResponseBody, ""), `2`, "false true false"},
		{"header", from(policy.FromResponseHeader, "pet-id"), `{}`, "true false false"},
		{"another", from(policy.FromResponseBody, "/pet/id"), `{"pet":{"id":"3"}}`, "false false false"},
		{"no such member", from(policy.FromResponseBody, "/pet/id"), `{"pet":{}}`, "true true true"},
		{"no such header", from(policy.FromResponseHeader, "id"), `{}`, "true true true"},
		{"null", from(policy.FromResponseBody, "/pet/id"), `{"pet":{"id":null}}`, "true true true"},
		{"list", from(policy.FromResponseBody, "/pet/id"), `{"pet":{"id":["2"]}}`, "true true true"},
		{"object", from(policy.FromResponseBody, "/pet/id"), `{"pet":{"id":{"n":2}}}`, "true true true"},
		{"another form of a number", from(policy.FromResponseBody, "/pet/id"), `{"pet":{"id":2.0}}`, "true true true"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			read := op("GET", "/pets/{id}", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute}))
			adopt := op("POST", "/adoptions", okJSON, func(s *policy.Spec) {
				s.Client.Cache = &policy.Cache{Invalidates: []policy.Invalidation{{
					Operation: "GET /pets/{id}", Params: []policy.ParamValue{{In: "path", Name: "id", From: tc.from}},
				}}}
			})
			s := storing(t, []*policy.Spec{read.Spec, adopt.Spec}, func(_ int, r *http.Request) *http.Response {
				if r.Method == http.MethodGet {
					return plain(200, "1")
				}
				h := plain(200, tc.body)
				h.Header.Set("Pet-Id", "1")
				return h
			})
			asks := func(id string) bool {
				before := s.requests()
				if _, err := call(t, s.Core, read, func(r *client.Request) {
					r.Path("/pets/")
					r.PathParam("id", param.Simple, param.String.Format(id))
				}); err != nil {
					t.Error(err)
				}
				return s.requests() > before
			}
			all := func() string { return fmt.Sprint(asks("1"), asks("2"), asks("a/b")) }
			all()
			if _, err := call(t, s.Core, adopt, func(r *client.Request) { r.Path("/adoptions") }); err != nil {
				t.Fatal(err)
			}
			if got := all(); got != tc.want {
				t.Errorf("asked again %s, want %s", got, tc.want)
			}
		})
	}
}

// A parameter in the header tells entries apart where they vary by it, and only there.
func TestCacheInvalidationOfHeader(t *testing.T) {
	for _, vary := range []string{"", "Region"} {
		read := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute}))
		adopt := op("POST", "/adoptions", okJSON, func(s *policy.Spec) {
			s.Client.Cache = &policy.Cache{Invalidates: []policy.Invalidation{{
				Operation: "GET /pets", Params: []policy.ParamValue{{
					In: "header", Name: "region", From: policy.Expr{Source: policy.FromResponseBody, Name: "/region"},
				}},
			}}}
		})
		s := storing(t, []*policy.Spec{read.Spec, adopt.Spec}, func(_ int, r *http.Request) *http.Response {
			h := plain(200, `{"region":"eu"}`)
			if vary != "" {
				h.Header.Set("Vary", vary)
			}
			return h
		})
		asks := func(region string) bool {
			before := s.requests()
			if _, err := call(t, s.Core, read, func(r *client.Request) {
				r.Path("/pets")
				if region != "" {
					r.Header("Region", param.Simple, param.String.Format(region))
				}
			}); err != nil {
				t.Error(err)
			}
			return s.requests() > before
		}
		asks("")
		asks("us")
		asks("eu")
		if _, err := call(t, s.Core, adopt, func(r *client.Request) { r.Path("/adoptions") }); err != nil {
			t.Fatal(err)
		}
		// Without Vary they are one entry, which is dropped and asked for once.
		want := "false true true"
		if vary == "" {
			want = "true false false"
		}
		if got := fmt.Sprint(asks("us"), asks("eu"), asks("")); got != want {
			t.Errorf("Vary %q: asked again %s, want %s", vary, got, want)
		}
	}
}
