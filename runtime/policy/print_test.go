package policy_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Every member of a policy prints as what it says: no address, no bitmap.
func TestPolicyPrints(t *testing.T) {
	c := policy.Client{
		Effect:  policy.Read,
		Timeout: &policy.Timeout{Attempt: 2 * time.Second, Total: policy.None, Share: 1},
		Retry: &policy.Retry{
			MaxAttempts: 3, BaseDelay: 100 * time.Millisecond, Jitter: policy.JitterFull, Statuses: policy.StatusSet(408, 429).Range(500, 599),
			Errors: policy.ConnectErrors | policy.ResetErrors, Budget: &policy.Budget{Ratio: 0.2, MinPerSecond: 1, Window: 10 * time.Second},
		},
		Breaker: &policy.Breaker{Mode: policy.Shadow, Key: []policy.Expr{{Source: policy.FromPath, Name: "id"}}, Recovery: 5 * time.Second},
	}
	want := `{effect: read, criticality: standard, timeout: {attempt: 2s, total: none, share: 1}, ` +
		`retry: {maxAttempts: 3, baseDelay: 100ms, jitter: full, statuses: "408, 429, 5xx", errors: "connect, reset", ` +
		`budget: {ratio: 0.2, minPerSecond: 1, window: 10s}, safety: effect}, ` +
		`breaker: {mode: shadow, scope: dependency, key: ["$request.path.id"], recovery: 5s}}`
	for _, got := range []string{c.String(), fmt.Sprint(c), fmt.Sprintf("%+v", &c)} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got, want := fmt.Sprint(c.Timeout), "{attempt: 2s, total: none, share: 1}"; got != want {
		t.Errorf("a primitive: got %s, want %s", got, want)
	}
	data, err := json.Marshal(map[string]any{"policy": c})
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Policy struct {
			Timeout struct {
				Attempt string `json:"attempt"`
				Total   string `json:"total"`
			} `json:"timeout"`
			Retry struct {
				Jitter   string `json:"jitter"`
				Statuses string `json:"statuses"`
			} `json:"retry"`
		} `json:"policy"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	if p := read.Policy; p.Timeout.Attempt != "2s" || p.Timeout.Total != "none" || p.Retry.Jitter != "full" || p.Retry.Statuses != "408, 429, 5xx" {
		t.Errorf("%s", data)
	}
}

// A primitive that is added has to print as well, by itself and within a policy.
func TestAllPrimitivesPrint(t *testing.T) {
	address := regexp.MustCompile(`0x[0-9a-f]+`)
	for _, side := range []any{policy.Client{}, policy.Server{}, policy.Spec{}} {
		v := reflect.New(reflect.TypeOf(side)).Elem()
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Pointer {
				v.Field(i).Set(reflect.New(v.Type().Field(i).Type.Elem()))
			}
		}
		text := fmt.Sprint(v.Interface())
		if address.MatchString(text) || text[0] != '{' {
			t.Errorf("%T: %s", side, text)
		}
		if data, err := json.Marshal(v.Interface()); err != nil || !json.Valid(data) {
			t.Errorf("%T: %s, %v", side, data, err)
		}
	}
}

func ExampleClient_String() {
	p := policy.Client{Effect: policy.Idempotent, Timeout: &policy.Timeout{Attempt: 800 * time.Millisecond}}
	fmt.Println(p)
	// Output: {effect: idempotent, criticality: standard, timeout: {attempt: 800ms}}
}
