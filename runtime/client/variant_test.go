package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// streaming is a body that says whether it is to be streamed.
type streaming bool

func (s streaming) EncodeJSON(e *json.Encoder) {
	e.Any(map[string]any{"stream": bool(s)})
}

// is is a condition about one value of a request.
func is(source policy.Source, name, text string) policy.Condition {
	return policy.Condition{Expr: policy.Expr{Source: source, Name: name}, Value: text}
}

// The policy of a call is that of the first variant that its request is for: all of
// it, from the headers on.
func TestVariantOfCall(t *testing.T) {
	var got http.Header
	tries := 0
	c := core(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		tries++
		w.WriteHeader(http.StatusServiceUnavailable)
	}, client.Header("X-Tenant", "default"))
	marked := func(crit policy.Criticality, n int, when ...policy.Condition) policy.Variant {
		p := clientPolicy
		retry := *p.Retry
		retry.MaxAttempts = n
		p.Effect, p.Criticality, p.Retry = policy.Read, crit, &retry
		return policy.Variant{Name: "v", When: when, Client: p}
	}
	withKey := marked(policy.Standard, 1, is(policy.FromQuery, "key", "yes"))
	withKey.Client.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Key: policy.KeyPerCall}
	o := op("POST", "/things/{id}", noContent, func(s *policy.Spec) {
		s.Client.Effect = policy.Read
		s.Variants = []policy.Variant{
			marked(policy.Critical, 1, is(policy.FromPath, "id", "a b"), is(policy.FromHeader, "X-Mode", "fast")),
			marked(policy.Optional, 1, is(policy.FromBody, "/stream", "true")),
			marked(policy.Critical, 2, is(policy.FromMethod, "", "POST"), is(policy.FromPath, "id", "last")),
			withKey,
		}
	})
	for _, tt := range []struct {
		name        string
		id, query   string
		mode        string
		stream      bool
		criticality string
		tries       int
		key         bool
	}{
		{name: "none", id: "x", tries: clientPolicy.Retry.MaxAttempts},
		{name: "path and header", id: "a b", mode: "fast", stream: true, criticality: "critical", tries: 1},
		{name: "one condition of two", id: "a b", stream: true, criticality: "optional", tries: 1},
		{name: "method and path", id: "last", criticality: "critical", tries: 2},
		{name: "query", id: "x", query: "yes", tries: 1, key: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tries = 0
			_, err := call(t, c, o, func(r *client.Request) {
				r.Path("/things/")
				r.PathParam("id", param.Simple, param.String.Format(tt.id))
				if tt.query != "" {
					r.Query("key", param.Form|param.Explode, param.String.Format(tt.query))
				}
				if tt.mode != "" {
					r.Header("X-Mode", param.Simple, param.String.Format(tt.mode))
				}
				r.JSON("application/json", streaming(tt.stream))
			})
			if err == nil {
				t.Error("a call that always fails has succeeded")
			}
			if tries != tt.tries || got.Get("X-Request-Criticality") != tt.criticality || (got.Get("Idempotency-Key") != "") != tt.key {
				t.Errorf("%d tries, criticality %q, key %q", tries, got.Get("X-Request-Criticality"), got.Get("Idempotency-Key"))
			}
		})
	}
}

// A variant may depend on who calls, and is chosen under the profile's policy.
func TestVariantUnderProfile(t *testing.T) {
	var got string
	answer := func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("X-Request-Criticality")
		none(w, r)
	}
	server := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(server.Close)
	api := &client.API{Title: "test", Profiles: []string{"prod"}}
	o := op("GET", "/", noContent, func(s *policy.Spec) {
		optional := s.Client
		optional.Criticality = policy.Optional
		s.Variants = []policy.Variant{{Name: "anonymous", When: []policy.Condition{is(policy.FromPrincipal, "", "")}, Client: optional}}
		critical := s.Client
		critical.Criticality = policy.Critical
		s.Profiles = []policy.Profile{{Name: "prod", Client: critical}}
	})
	for profile, want := range map[string]string{"": "optional", "prod": "critical"} {
		c := coreOf(t, api, client.BaseURL(server.URL), client.Profile(profile))
		if _, err := call(t, c, o, nil); err != nil || got != want {
			t.Errorf("profile %q: %v, criticality %q, want %q", profile, err, got, want)
		}
	}
	if _, err := client.New(api, client.BaseURL(server.URL), client.Profile("dev")); err == nil {
		t.Error("a profile that the document does not have is taken")
	}
}
