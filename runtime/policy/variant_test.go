package policy_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// request gives values by the text of their expression.
type request map[string]policy.Value

func (r request) Lookup(e policy.Expr) (policy.Value, bool) {
	v, ok := r[e.String()]
	return v, ok
}

func TestCondition(t *testing.T) {
	r := request{
		"$request.query.watch":   {Text: "true"},
		"$request.body#/stream":  {Text: "true", JSON: true},
		"$request.body#/name":    {Text: `"tr\u0075e"`, JSON: true},
		"$request.body#/nothing": {Text: "null", JSON: true},
		"$request.query.null":    {Text: "null"},
		"$request.body#/n":       {Text: "1.50", JSON: true},
	}
	for _, c := range []struct {
		expr   string
		value  string
		absent bool
		want   bool
	}{
		{"$request.query.watch", "true", false, true},
		{"$request.query.watch", "false", false, false},
		{"$request.body#/stream", "true", false, true},
		{"$request.body#/name", "true", false, true}, // the characters of a text
		{"$request.body#/n", "1.50", false, true},
		{"$request.body#/n", "1.5", false, false}, // as it is written
		{"$request.body#/other", "", false, false},
		{"$request.body#/other", "", true, true},
		{"$request.body#/nothing", "", true, true}, // JSON's null is no value
		{"$request.body#/nothing", "null", false, false},
		{"$request.query.null", "null", false, true}, // a text is one
		{"$request.query.watch", "", true, false},
	} {
		e, err := policy.ParseExpr(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		cond := policy.Condition{Expr: e, Value: c.value, Absent: c.absent}
		if got := cond.Holds(r); got != c.want {
			t.Errorf("%v holds: %t", cond, got)
		}
	}
}

func TestChooseTakesTheFirst(t *testing.T) {
	is := func(name, value string) policy.Condition {
		return policy.Condition{Expr: policy.Expr{Source: policy.FromQuery, Name: name}, Value: value}
	}
	s := policy.Spec{Variants: []policy.Variant{
		{Name: "both", When: []policy.Condition{is("a", "1"), is("b", "1")}},
		{Name: "a", When: []policy.Condition{is("a", "1")}},
		{Name: "b", When: []policy.Condition{is("b", "1")}},
	}}
	one := policy.Value{Text: "1"}
	for _, c := range []struct {
		r    request
		want int
	}{
		{request{"$request.query.a": one, "$request.query.b": one}, 0},
		{request{"$request.query.a": one}, 1},
		{request{"$request.query.b": one}, 2},
		{request{}, -1},
	} {
		if got := s.Choose(c.r); got != c.want {
			t.Errorf("%v chooses %d, want %d", c.r, got, c.want)
		}
	}
}

func TestProfileAndVariantOfSpec(t *testing.T) {
	mild := policy.Client{Criticality: policy.Optional}
	slow := &policy.Server{Timeout: &policy.ServerTimeout{Handler: 5}}
	s := &policy.Spec{
		ID: "a", Dependency: "d", Client: policy.Client{Effect: policy.Read},
		Variants: []policy.Variant{{Name: "v", Client: mild}, {Name: "w", Dependency: "e", Server: slow}},
		Profiles: []policy.Profile{{Name: "p", Dependency: "f", Client: mild, Variants: []policy.Variant{{Name: "v"}}}},
	}
	if s.Profile("") != s || s.Profile("other") != s {
		t.Error("a profile that changes nothing is the operation itself")
	}
	if d := cmp.Diff(&policy.Spec{ID: "a", Dependency: "f", Client: mild, Variants: []policy.Variant{{Name: "v"}}}, s.Profile("p")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(&policy.Spec{ID: "a", Dependency: "d", Client: mild}, s.Variant(0)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(&policy.Spec{ID: "a", Dependency: "e", Server: *slow}, s.Variant(1)); d != "" {
		t.Error(d)
	}
	if !s.ServerVariants() || s.Profile("p").ServerVariants() {
		t.Error("w is the only variant that a server has to tell")
	}
}

func TestChooseProfile(t *testing.T) {
	known := []string{"dev", "prod"}
	for _, c := range []struct {
		env, name string
		named     bool
		known     []string
		want      string
		wrong     string
	}{
		{"", "", false, known, "", ""},
		{"prod", "", false, known, "prod", ""},
		{"prod", "dev", true, known, "dev", ""},
		{"prod", "", true, known, "", ""},
		{"prod", "", false, nil, "", ""}, // the variable is for others in this process
		{"", "stage", true, known, "", `there is no profile "stage"; the document has dev, prod`},
		{"stage", "", false, known, "", `there is no profile "stage" (from HOLDFAST_PROFILE); the document has dev, prod`},
		{"", "dev", true, nil, "", `there is no profile "dev"; the document has none`},
	} {
		t.Setenv(policy.ProfileVariable, c.env)
		got, err := policy.ChooseProfile(c.name, c.named, c.known)
		var unknown *policy.ProfileError
		if got != c.want || (err != nil) != (c.wrong != "") || err != nil && (err.Error() != c.wrong || !errors.As(err, &unknown)) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

// What is out of range is found in profiles and variants as well.
func TestCheckLooksIntoProfiles(t *testing.T) {
	bad := policy.Client{Retry: &policy.Retry{MaxAttempts: 11}}
	s := &policy.Spec{
		Variants: []policy.Variant{{Name: "v", Client: bad}},
		Profiles: []policy.Profile{{Name: "p", Client: bad, Variants: []policy.Variant{{
			Name: "w", Server: &policy.Server{Bulkhead: &policy.Bulkhead{MaxConcurrent: 0}},
		}}}},
	}
	var fields []string
	for _, f := range s.Check() {
		fields = append(fields, f.Field)
	}
	want := []string{"variants.v.client.retry.maxAttempts", "profiles.p.client.retry.maxAttempts", "profiles.p.variants.w.server.bulkhead.maxConcurrent"}
	if d := cmp.Diff(want, fields); d != "" {
		t.Error(d)
	}
}
